// Normalizations of rows, or sums of these, with sums over the rows beside them: the gradients of
// an input, of weights and of a bias in one kernel, which reads what they have in common once.
// Blocks go from row to row and accumulate sums of columns in registers; another kernel combines
// the sums of the blocks.
#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>

#include "device/memory.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/rows_with_sums.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// X(type, name, default, meaning)
// clang-format off
#define NVF_GPU_ROWS_AND_COLUMNS_PARAMS(X)                                                        \
  X(GpuVectors, vectors, {}, "of a row")                                                          \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, threadsX, 1, "along a row")                                                          \
  X(int64_t, threadsY, 1, "rows of a block")                                                      \
  X(int64_t, batches, 1, "vectors of a row that a thread has")                                    \
  X(int64_t, clusterBlocks, 1, "blocks of a cluster, which have parts of a row")                  \
  X(int64_t, blocks, 1, "or clusters that share the rows")                                        \
  X(int64_t, minBlocks, 0, "of these that a multiprocessor runs at a time")                       \
  X(bool, sharesRows, false, "rows lie in shared memory, where the next one is copied meanwhile") \
  X(int64_t, recomputedOps, 0, "as of rows in registers")                                         \
  X(int64_t, combiningX, 1, "columns of a block that combines sums")                              \
  X(int64_t, combiningY, 1, "threads that combine those of a column")
// clang-format on
struct RowsAndColumnsParams {
  NVF_FIELDS_OF(RowsAndColumnsParams, NVF_GPU_ROWS_AND_COLUMNS_PARAMS)
};

// Rows whose columns are summed.
struct SummedRows {
  ReductionShape shape;
  int64_t width = 1;
  int64_t sums = 0;
  // Whether kernels know how many elements a row has.
  bool areKnown = false;
  // Whether elements in memory are narrower than those that are computed with.
  bool areNarrow = false;
  // One after the other, in which they are read.
  int64_t stages = 1;
  // Of what threads combine, for each of them.
  int64_t reductionBytes = 0;
  // Whether they lie in shared memory, two rows of each block.
  bool areShared = false;
};

// A block of rows whose threads have so many vectors of one.
struct RowThreads {
  RowThreads(int64_t batches, const SummedRows& rows, const ScheduleContext& context)
      : batches(batches) {
    const ReductionShape& shape = rows.shape;
    const int64_t width = rows.width;
    const GpuTuning& tuning = context.tuning.gpu;
    const GpuProperties& device = context.target.gpu;
    const int64_t threads = ceilDiv(ceilDiv(shape.reduced, width), batches);
    x = threads < device.warpSize ? powerOfTwoFrom(threads)
                                  : ceilDiv(threads, device.warpSize) * device.warpSize;
    y = std::max<int64_t>(tuning.persistentRowThreads * 2 / x, 1);
    y = std::min(y, powerOfTwoFrom(shape.kept));
    // What is loaded, and the sums.
    const double words = (rows.areShared ? 0 : static_cast<double>(shape.bytes) / sizeof(float)) +
                         static_cast<double>(rows.sums);
    const auto registersFor = [&](double ofElement) {
      return tuning.rowRegisters + static_cast<int64_t>(static_cast<double>(batches * width) *
                                                        ofElement * tuning.rowRegistersOfWord);
    };
    const bool isExact = rows.areKnown && shape.reduced % (x * batches * width) == 0;
    const double ofChecks = isExact          ? 0
                            : rows.areNarrow ? tuning.rowWordsOfNarrowChecks
                                             : tuning.rowWordsOfChecks;
    blocks = std::min(tuning.columnBlockThreads,
                      device.registersPerMultiprocessor / registersFor(words + ofChecks)) /
             (x * y);
    if (rows.areShared) {
      const int64_t bytes =
          x * y * (2 * batches * width * shape.bytes + rows.reductionBytes) + tuning.lineBytes;
      blocks = std::min({blocks, std::max<int64_t>(tuning.aheadThreads / (x * y), 1),
                         blocksWithShared(bytes, device)});
    }
    lacking = registersFor(words) - device.registersPerMultiprocessor / (x * y);
    bytesInFlight = running() * batches * width * shape.bytes;
  }

  int64_t batches;
  int64_t x = 1;
  int64_t y = 1;
  // That have their registers in a multiprocessor at the same time.
  int64_t blocks = 0;
  // Registers that a thread of a single block has too few.
  int64_t lacking = 0;
  // That these threads read before a row is reduced.
  int64_t bytesInFlight = 0;

  int64_t running() const { return blocks * x * y; }
};

RowThreads chooseThreads(const SummedRows& rows, const ScheduleContext& context,
                         RowsAndColumnsParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const ReductionShape& shape = rows.shape;
  const int64_t vectors = ceilDiv(shape.reduced, rows.width);
  const int64_t most = std::max<int64_t>(tuning.sumsOfThread / (rows.width * rows.sums), 1);
  // Few rows leave most of the device idle: then what counts is how long one takes.
  const bool areFew = shape.kept < device.multiprocessors;
  const int64_t wanted = areFew ? device.threadsPerBlock : tuning.columnRowThreads;
  const int64_t fewest = ceilDiv(vectors, device.threadsPerBlock);
  const auto threadsOf = [&](int64_t batches) { return RowThreads(batches, rows, context); };
  RowThreads best =
      threadsOf(std::max(std::clamp<int64_t>(ceilDiv(vectors, wanted), 1, most), fewest));
  // While a row is reduced only other blocks read: others may read clearly more at a time, run more
  // threads, or lack fewer registers.
  const auto worth = [&](const RowThreads& threads) {
    const int64_t bytes = std::min(threads.bytesInFlight, tuning.columnBytesInFlight);
    return std::tuple(bytes / tuning.columnBytesStep, threads.running(), -threads.lacking);
  };
  for (int64_t batches = fewest; !areFew && batches <= std::max(most, fewest); ++batches) {
    if (const RowThreads other = threadsOf(batches); worth(other) > worth(best)) {
      best = other;
    }
  }
  params.batches = best.batches;
  params.threadsX = best.x;
  params.threadsY = best.y;
  params.minBlocks = std::max<int64_t>(best.blocks, 1);
  const int64_t atATime = clustersAtATime(context, params.clusterBlocks, params.minBlocks);
  // Few rows are few blocks, and a kernel for each power of two. Where some blocks would have two
  // rows, all of a smaller power have them: fewer sums are left to combine, at the same time.
  const int64_t power = powerOfTwoFrom(ceilDiv(shape.kept, params.threadsY));
  params.blocks = power > atATime && power / 2 <= atATime ? power / 2 : std::min(atATime, power);
  return best;
}

// [rows / y / blocks, (y), batches, (cluster), x, vector], outermost the blocks
std::vector<ParallelType> arrange(TensorView* reference, const RowsAndColumnsParams& params) {
  mergeKinds(reference, false);
  std::vector<ParallelType> types{ParallelType::GridX, ParallelType::Serial};
  if (params.threadsY > 1) {
    reference->split(0, params.threadsY);
    types.push_back(ParallelType::BlockY);
  }
  reference->split(0, params.blocks, false);
  const auto row = static_cast<int64_t>(types.size());
  reference->split(row, params.vectors.width);
  reference->split(row, params.batches, false);
  types.push_back(ParallelType::Unroll);
  if (params.clusterBlocks > 1) {
    reference->split(row + 1, params.clusterBlocks, false);
    types.push_back(ParallelType::Cluster);
  }
  const auto threads = static_cast<int64_t>(types.size());
  reference->fusion()->assumeAtMost(reference->axis(threads)->extent(), params.threadsX);
  types.insert(types.end(), {ParallelType::BlockX, ParallelType::Vectorize});
  return types;
}

struct ChosenRows {
  RowsAndColumnsParams params;
  // Registers that a thread has too few.
  int64_t lacking = 0;
  // Whether rows lie along memory.
  bool areInner = true;
};

// Whether blocks have so many rows each.
bool hasSeveralRows(const SummedRows& rows, int64_t least, const RowsAndColumnsParams& params) {
  return rows.shape.kept >= least * params.blocks * params.threadsY;
}

// Whether rows in shared memory, from which each stage converts and computes what it needs anew,
// take less time than those in registers: where registers are too few, or one block leaves nothing
// to be read while its threads wait for each other. Elements that are converted need registers
// most.
bool isWorthCopyingAhead(const SummedRows& rows, const RowThreads& held,
                         const RowsAndColumnsParams& params, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  if (held.lacking > 0) {
    return true;
  }
  if (rows.stages > tuning.aheadStages) {
    return false;
  }
  return held.blocks <= 1 || (rows.areNarrow && held.running() < tuning.columnBlockThreads &&
                              hasSeveralRows(rows, tuning.aheadRowsOfSeveral, params));
}

// Chooses anew for rows of which the next one is copied to shared memory while one is computed,
// where that is worth it.
void chooseShared(SummedRows rows, const RowThreads& held, const FusionSummary& summary,
                  const ScheduleContext& context, ChosenRows& chosen) {
  const GpuTuning& tuning = context.tuning.gpu;
  const std::vector<TensorView*>& globals = summary.globals();
  int64_t bytes = 0;
  for (size_t i = 0; i < std::min(globals.size(), limits::kNumberedTensors); ++i) {
    const bool isOfRows = elementsOf(globals[i], context) == rows.shape.kept * rows.shape.reduced;
    if (globals[i]->isFusionInput() && isOfRows) {
      bytes += info(globals[i]->dtype()).bits / 8;
      if (!isVectorizedTensor(chosen.params.vectors, i) ||
          !isCopiedAsync(globals[i]->dtype(), rows.width)) {
        return;
      }
    }
  }
  if (bytes == 0 || !context.hasSizes || !isWorthCopyingAhead(rows, held, chosen.params, context)) {
    return;
  }
  const int64_t reduced = rows.shape.reduced;
  rows.areShared = true;
  rows.shape.bytes = bytes;
  for (int64_t ofRow = 1; ofRow <= context.target.gpu.clusterBlocks; ofRow *= 2) {
    RowsAndColumnsParams params = chosen.params;
    params.sharesRows = true;
    params.clusterBlocks = ofRow;
    rows.shape.reduced = ceilDiv(ceilDiv(reduced, rows.width), ofRow) * rows.width;
    const RowThreads shared = chooseThreads(rows, context, params);
    if (runsClusters(context, ofRow, params.minBlocks) &&
        hasSeveralRows(rows, tuning.aheadRows, params) && shared.lacking <= 0 &&
        shared.blocks > 0) {
      chosen.params = params;
      chosen.lacking = 0;
      return;
    }
  }
}

ChosenRows chooseRows(const RowsWithSums& parts, const FusionSummary& summary,
                      const ScheduleContext& context) {
  const FusionSummary rows(parts.rows);
  const ReductionShape shape = shapeOfReduction(rows.widestReduction(), summary, context);
  ChosenRows chosen;
  chosen.areInner = shape.isInner;
  RowsAndColumnsParams& params = chosen.params;
  params.vectors = chooseVectors(shape.inner, summary, context);
  const SummedRows summed{.shape = shape,
                          .width = params.vectors.width,
                          .sums = std::ssize(parts.sums),
                          .areKnown = reducesKnownSizes(rows.widestReduction()),
                          .areNarrow = summary.hasReducedPrecision(),
                          .stages = lastStage(computeStages(parts.rows)) + 1,
                          .reductionBytes = rows.fact(bytesOfReductions)};
  const RowThreads held = chooseThreads(summed, context, params);
  chosen.lacking = std::max<int64_t>(held.lacking, 0);
  chooseShared(summed, held, summary, context, chosen);
  // What combines sums has blocks for all multiprocessors where their columns are enough for that.
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t columns = powerOfTwoFrom(shape.reduced / device.multiprocessors + 1) / 2;
  params.combiningX = std::clamp(columns, tuning.combiningColumns, device.warpSize);
  params.combiningY = tuning.combiningRows * device.warpSize / params.combiningX;
  return chosen;
}

class RowsAndColumns : public GpuScheduler<RowsAndColumnsParams> {
 public:
  RowsAndColumns() : GpuScheduler(SchedulerType::InnerPersistent) {}
  std::string reject(const FusionSummary& summary) const override {
    return summary.fact(findRowsWithSums) ? std::string()
                                          : "no reductions of rows with sums over the rows";
  }
  int64_t minBlocks(const ScheduleParams& params) const override {
    return paramsOf(params).minBlocks;
  }

 private:
  std::vector<RowsAndColumnsParams> choose(const FusionSummary& summary,
                                           const ScheduleContext& context) const override {
    const RowsWithSums& parts = *summary.fact(findRowsWithSums);
    const ChosenRows chosen = chooseRows(parts, summary, context);
    RowsAndColumnsParams params = chosen.params;
    // Sums need no block for a row: kernels of their own share long rows, and few ones, and read
    // along memory what lies across rows.
    const int64_t sums = params.batches * params.vectors.width * std::ssize(parts.sums);
    const bool isBetterApart = sums > context.tuning.gpu.sumsOfThread ||
                               params.blocks < context.target.gpu.multiprocessors ||
                               !chosen.areInner;
    if (!parts.isNormalization && isBetterApart) {
      return {};
    }
    params.recomputedOps = context.tuning.gpu.recomputedOps;
    params.readOnce = chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
    return {params};
  }

  void schedule(Fusion* fusion, const RowsAndColumnsParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false, params.readOnce, params.vectors);
    const std::vector<Expr*> exprs = fusion->tensorExprs();
    const std::optional<RowsWithSums> found = divideRowsWithSums(exprs, DomainClasses(exprs));
    NVF_SCHEDULE_CHECK(found.has_value(), "The copies of inputs and outputs have no kinds of ",
                       "dimensions like the rest of rows with sums over them");
    const RowsWithSums& parts = *found;
    const std::vector<TensorView*> kept = params.sharesRows
                                              ? shareRows(fusion, parts.sums, params, copies)
                                              : keepRows(fusion, parts.sums, params, copies);
    // Everything but what other kernels compute has the loops of the rows.
    std::vector<TensorView*> behind;
    for (const Expr* expr : parts.behind) {
      behind.push_back(expr->output(0)->asTensor());
    }
    std::vector<TensorView*> inside;
    TensorView* reference = nullptr;
    for (TensorView* tv : fusion->tensors()) {
      const bool isInput = tv->isFusionInput();
      if (std::ranges::find(behind, tv) == behind.end() && (!isInput || !tv->uses().empty())) {
        inside.push_back(tv);
      }
      const bool isOfRows =
          tv->hasReduction() && std::ranges::find(parts.sums, tv) == parts.sums.end();
      if (isOfRows && (reference == nullptr || tv->nLoops() > reference->nLoops())) {
        reference = tv;
      }
    }
    const std::vector<ParallelType> types = arrange(reference, params);
    propagateTransforms(reference, inside);
    std::erase_if(inside, [&](TensorView* tv) {
      return tv->isFusionInput() || std::ranges::find(parts.sums, tv) != parts.sums.end();
    });
    std::unordered_map<const TensorView*, int64_t> limits;
    for (const TensorView* partial : factorParts(parts.sums, 0, inside)) {
      limits[partial] = 0;
      copies.number[partial] = GlobalCopies::kWorkspace;
    }
    parallelize(reference, types, inside, copies, params.vectors);
    combine(parts.sums, behind, params, copies);
    const auto rowLoops = std::ranges::find(types, ParallelType::Unroll) - types.begin();
    for (const TensorView* tv : kept) {
      limits[tv] = std::min<int64_t>(rowLoops, tv->nLoops());
    }
    inlineMost(fusion, {}, limits);
  }

  // What later stages of a row read: what was loaded, and copies of what was computed. The sums
  // have no part in this: what they add up is used as it is computed.
  static std::vector<TensorView*> keepRows(Fusion* fusion, const std::vector<TensorView*>& sums,
                                           const RowsAndColumnsParams& params,
                                           const GlobalCopies& copies) {
    const DetachedSums detached(fusion, sums);
    recomputeAcrossStages(fusion, params.recomputedOps, copies.loads);
    std::vector<TensorView*> kept = bufferForLaterStages(fusion);
    detached.attach([](TensorView* in) { return in; });
    kept.insert(kept.end(), copies.loads.begin(), copies.loads.end());
    return kept;
  }

  // The same of rows in shared memory: what was loaded of them, from which each stage computes
  // anew.
  static std::vector<TensorView*> shareRows(Fusion* fusion, const std::vector<TensorView*>& sums,
                                            const RowsAndColumnsParams& params,
                                            GlobalCopies& copies) {
    const DetachedSums detached(fusion, sums);
    recomputeAcrossStages(fusion, std::nullopt, copies.loads);
    int64_t rank = 0;
    for (const TensorView* load : copies.loads) {
      rank = std::max(rank, concreteRank(load));
    }
    std::vector<TensorView*> kept =
        placeInShared(fusion, copies, params.vectors, true, [&](const TensorView* load) {
          return concreteRank(load) == rank &&
                 mayCopyAsync(load, copies.number.at(load), params.vectors);
        });
    detached.attach([](TensorView* in) { return in; });
    std::ranges::copy_if(copies.loads, std::back_inserter(kept), [&](const TensorView* load) {
      return load->memoryType() == MemoryType::Local;
    });
    return kept;
  }

  // [blocks, batches, x, vector] -> [blocks of columns, serial, y, x]
  static void combine(const std::vector<TensorView*>& sums, const std::vector<TensorView*>& behind,
                      const RowsAndColumnsParams& params, const GlobalCopies& copies) {
    for (TensorView* tv : sums) {
      while (tv->nLoops() > 2) {
        tv->merge(1, 2);
      }
      tv->split(1, params.combiningX);
      tv->split(0, params.combiningY);
      tv->reorder({{2, 0}});
      std::vector<TensorView*> own;
      for (TensorView* other : behind) {
        if (dependsOn(other, std::unordered_set<const Val*>{tv})) {
          own.push_back(other);
        }
      }
      propagateTransforms(tv, own);
      parallelize(
          tv,
          {ParallelType::GridX, ParallelType::Serial, ParallelType::BlockY, ParallelType::BlockX},
          own, copies, {});
    }
  }
};

}  // namespace

BlocksOfRows blocksOfRowsWithSums(const RowsWithSums& parts, const FusionSummary& summary,
                                  const ScheduleContext& context) {
  const ChosenRows chosen = chooseRows(parts, summary, context);
  return {.count = chosen.params.blocks, .lackingRegisters = chosen.lacking};
}

}  // namespace gpu

const Scheduler* gpuRowsAndColumns() {
  static const gpu::RowsAndColumns scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
