// Normalizations of rows that are too long for the registers of a block, which keeps them in shared
// memory.
#include <algorithm>
#include <climits>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "device/memory.h"
#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

// X(type, name, default, meaning)
// clang-format off
#define NVF_GPU_INNER_SHARED_PARAMS(X)                                                            \
  X(GpuVectors, vectors, {}, "of a row")                                                          \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, clusterBlocks, 1, "blocks of a cluster, which have a row in shared memory")          \
  X(int64_t, threads, 1, "of a block")                                                            \
  X(int64_t, minBlocks, 1, "blocks that a multiprocessor runs at a time, which bounds the "       \
    "registers of a thread")                                                                      \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")                   \
  X(int64_t, rounds, 1, "in which it does so")                                                    \
  X(int64_t, clusters, 0, "that share the rows, of which each copies the next one while it "      \
    "computes one; 0: each has one row")
// clang-format on

struct GpuInnerSharedParams {
  NVF_FIELDS_OF(GpuInnerSharedParams, NVF_GPU_INNER_SHARED_PARAMS)
};

namespace {

bool copiesAhead(const GpuInnerSharedParams& params) { return params.clusters > 0; }

// [kept, (serial), serial, unroll, (cluster), x, vector]
Arrangement arrangeSharedRows(TensorView* reference, const GpuInnerSharedParams& params) {
  int64_t position = mergeKinds(reference, false);
  Arrangement arrangement;
  if (position == 1) {
    if (params.vectors.alignsRows) {
      reference->alignRows(0, 1, params.vectors.width);
    }
    arrangement.types.push_back(ParallelType::GridX);
    if (copiesAhead(params)) {
      reference->split(0, params.clusters, false);
      arrangement.types.push_back(ParallelType::Serial);
      ++position;
    }
  }
  reference->split(position, params.vectors.width);
  reference->split(position, params.threads);
  arrangement.types.insert(arrangement.types.end(), {ParallelType::Serial, ParallelType::Unroll});
  if (params.clusterBlocks > 1) {
    reference->split(position, params.clusterBlocks);
    arrangement.types.push_back(ParallelType::Cluster);
  }
  reference->split(position, params.rounds, false);
  arrangement.types.insert(arrangement.types.end(),
                           {ParallelType::BlockX, ParallelType::Vectorize});
  return arrangement;
}

// Chooses the threads and rounds of blocks, of which a multiprocessor and a row have so many.
void chooseRounds(const ReductionShape& shape, const ScheduleContext& context,
                  GpuInnerSharedParams& params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const int64_t threads = params.minBlocks > 1 ? tuning.sharedRowThreads : device.threadsPerBlock;
  const int64_t vectors = ceilDiv(vectorsOf(shape.reduced, params.vectors), params.clusterBlocks);
  const int64_t ofThread = ceilDiv(vectors, threads);
  // What is copied without registers in between is on its way as a whole.
  const int64_t width = params.vectors.width;
  const int64_t most = width > tuning.elementsOfNarrowVector ? tuning.sharedRowUnroll
                       : width > 1 ? 1
                                   : mostUnroll(width * shape.bytes, tuning);
  params.rounds = ceilDiv(ofThread, most);
  params.unroll = ceilDiv(ofThread, params.rounds);
  // As much for every thread: what it lacks has memory, too.
  params.threads = threadsFor(vectors, params.rounds * params.unroll, device);
}

// Of what is loaded for an element of a row and needed by several stages.
int64_t sharedBytesOfElement(const FusionSummary& whole) {
  const DomainClasses& classes = whole.classes();
  const std::set<int64_t> reduced = reducedClasses(whole.exprs(), classes);
  const std::vector<int64_t> ofRows(reduced.begin(), reduced.end());
  const auto runsAlongRows = [&](const TensorView* tv) {
    return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
      return !id->isBroadcast() && !id->isReduction() && !classes.alongReshapes(id, ofRows).empty();
    });
  };
  int64_t bytes = 0;
  for (const TensorView* input : whole.inputs()) {
    if (!runsAlongRows(input)) {
      continue;
    }
    // What is computed from it without a reduction is computed again in every stage.
    std::unordered_set<const Val*> computed{input};
    std::set<int64_t> needed;
    for (const Expr* expr : whole.exprs()) {
      if (std::ranges::any_of(expr->inputs(),
                              [&](const Val* in) { return computed.contains(in); })) {
        needed.insert(whole.stages().at(expr));
        const auto* out = expr->output(0)->asTensor();
        if (!expr->is<ReductionOp>() && runsAlongRows(out)) {
          computed.insert(out);
        }
      }
    }
    bytes += needed.size() > 1 ? std::max(info(input->dtype()).bits / 8, 1) : 0;
  }
  return bytes;
}

// Whether rows are made of others of other lengths, which would lie in shared memory.
bool resizesRows(const FusionSummary& whole) {
  return std::ranges::any_of(whole.exprs(), [](const Expr* expr) {
    return heuristics::isResize(expr) && !expr->input(0)->isFusionInput();
  });
}

// Whether the blocks of a multiprocessor have memory for their rows, and for what their threads
// combine, and run as clusters.
bool fits(const GpuInnerSharedParams& params, const FusionSummary& summary,
          const ScheduleContext& context) {
  int64_t bytes = params.rounds * params.unroll * params.threads * params.vectors.width *
                  summary.fact(sharedBytesOfElement) * (copiesAhead(params) ? 2 : 1);
  bytes += (params.threads + params.clusterBlocks) * summary.fact(bytesOfReductions) +
           context.tuning.gpu.lineBytes;
  return params.minBlocks <= blocksWithShared(bytes, context.target.gpu) &&
         runsClusters(context, params.clusterBlocks, params.minBlocks);
}

// Whether so many rows are blocks enough for the device. Where a multiprocessor runs one at a time,
// all of a cluster wait for each other while nothing else runs.
bool areEnough(int64_t rows, const GpuInnerSharedParams& params, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t multiprocessors = context.target.gpu.multiprocessors;
  const int64_t blocks = rows * params.clusterBlocks;
  return params.minBlocks > 1 || params.clusterBlocks == 1
             ? blocks * tuning.sharedRowsShare >= multiprocessors
             : blocks >= tuning.sharedRowWaves * multiprocessors;
}

// Bytes of what rows are combined with for each of their elements, and is the same for all of them;
// nothing where some of what is loaded of rows is not copied to shared memory asynchronously.
std::optional<int64_t> bytesBesideRows(const ReductionShape& shape, const GpuVectors& vectors,
                                       const FusionSummary& summary,
                                       const ScheduleContext& context) {
  const std::vector<TensorView*>& globals = summary.globals();
  int64_t ofRows = 0;
  int64_t beside = 0;
  for (size_t i = 0; i < std::min(globals.size(), limits::kNumberedTensors); ++i) {
    const int64_t elements = elementsOf(globals[i], context);
    const int64_t bytes = info(globals[i]->dtype()).bits / CHAR_BIT;
    if (!globals[i]->isFusionInput() || elements < shape.reduced) {
      continue;
    }
    if (elements == shape.reduced) {
      beside += bytes;
      continue;
    }
    if (elements != shape.kept * shape.reduced || !isVectorizedTensor(vectors, i) ||
        !isCopiedAsync(globals[i]->dtype(), vectors.width)) {
      return std::nullopt;
    }
    ofRows += bytes;
  }
  return ofRows == summary.fact(sharedBytesOfElement) ? std::optional(beside) : std::nullopt;
}

// Chooses blocks that go from row to row, which have what all rows are combined with, so many bytes
// for each element, in registers: those with the most of rows in the shared memory of a
// multiprocessor.
std::optional<GpuInnerSharedParams> chooseAhead(const ReductionShape& shape, int64_t beside,
                                                const FusionSummary& summary,
                                                const ScheduleContext& context,
                                                GpuInnerSharedParams params) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  if (params.vectors.alignsRows || !reducesKnownSizes(summary.widestReduction())) {
    return std::nullopt;
  }
  std::optional<GpuInnerSharedParams> best;
  int64_t most = tuning.aheadRowBytes;
  params.rounds = 1;
  for (params.minBlocks = 1; params.minBlocks <= tuning.sharedRowBlocks; ++params.minBlocks) {
    for (params.clusterBlocks = 1; params.clusterBlocks <= device.clusterBlocks;
         params.clusterBlocks *= 2) {
      const int64_t vectors =
          ceilDiv(vectorsOf(shape.reduced, params.vectors), params.clusterBlocks);
      params.unroll =
          ceilDiv(vectors, powerOfTwoFrom(tuning.aheadRowThreads / params.minBlocks + 1) / 2);
      params.threads = threadsFor(vectors, params.unroll, device);
      params.clusters = clustersAtATime(context, params.clusterBlocks, params.minBlocks);
      const int64_t registers =
          params.unroll * params.vectors.width * beside / int64_t{sizeof(float)} +
          tuning.aheadRegisters;
      if (registers * params.threads * params.minBlocks > device.registersPerMultiprocessor ||
          !fits(params, summary, context)) {
        continue;
      }
      const int64_t bytes =
          params.minBlocks * vectors * params.vectors.width * summary.fact(sharedBytesOfElement);
      if (bytes > most && shape.kept >= tuning.aheadRows * params.clusters) {
        best = params;
        most = bytes;
      }
      break;
    }
  }
  return best;
}

// Of both types of normalizations, as InnerPersistent.
class InnerShared : public GpuScheduler<GpuInnerSharedParams> {
 public:
  explicit InnerShared(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }
  int64_t minBlocks(const ScheduleParams& params) const override {
    return paramsOf(params).minBlocks;
  }

 private:
  std::vector<GpuInnerSharedParams> choose(const FusionSummary& summary,
                                           const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (!context.hasSizes || !shape.isInner || readsAcrossMemory(summary, context) ||
        summary.fact(resizesRows)) {
      return {};
    }
    const GpuTuning& tuning = context.tuning.gpu;
    const bool mayHold = innerPersistentParams(shape, summary, context, true).has_value();
    if (mayHold && shape.reduced <= tuning.heldElements) {
      return {};
    }
    GpuInnerSharedParams params;
    params.vectors = vectorsOfRows(shape, summary, context);
    params.readOnce = chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
    // Whether a multiprocessor may have so many blocks. Of larger ones it has fewer.
    const auto mayRun = [&](int64_t blocks) {
      params.minBlocks = blocks;
      chooseRounds(shape, context, params);
      return areEnough(shape.kept, params, context) && fits(params, summary, context);
    };
    const auto maySeveral = [&] {
      // Rows that registers can hold, too, are worth it where these are several.
      const int64_t least = mayHold ? tuning.sharedRowBlocks : 2;
      for (int64_t blocks = tuning.sharedRowBlocks; blocks >= least; --blocks) {
        if (mayRun(blocks)) {
          return true;
        }
      }
      return false;
    };
    const int64_t beside = bytesBesideRows(shape, params.vectors, summary, context).value_or(0);
    int64_t mostOfRow = mayHold ? 1 : context.target.gpu.clusterBlocks;
    if (beside > 0) {
      // More blocks than are portable are not worth it where each reads weights, too: rms norm of
      // 512 x 262144 float32 on an H200 at 0.73 of the speed of a copy with 16, 0.80 with 8.
      mostOfRow = std::min(mostOfRow, kPortableClusterBlocks);
    }
    while (!runsClusters(context, mostOfRow, tuning.sharedRowBlocks)) {
      mostOfRow /= 2;
    }
    // Few rows have larger clusters, so that all of the device has a part of one.
    int64_t leastOfRow = 1;
    while (shape.kept * leastOfRow < context.target.gpu.multiprocessors &&
           2 * leastOfRow <= mostOfRow) {
      leastOfRow *= 2;
    }
    // Blocks of which some load while others compute, with a whole row each if they can.
    if (leastOfRow == 1 && maySeveral()) {
      return {params};
    }
    if (mayHold) {
      return {};
    }
    if (beside > 0) {
      if (const auto ahead = chooseAhead(shape, beside, summary, context, params)) {
        return {*ahead};
      }
    }
    for (int64_t least : {2, 1}) {
      for (params.clusterBlocks = leastOfRow; params.clusterBlocks <= mostOfRow;
           params.clusterBlocks *= 2) {
        if (least > 1 ? maySeveral() : mayRun(1)) {
          return {params};
        }
      }
    }
    return {};
  }

  void schedule(Fusion* fusion, const GpuInnerSharedParams& params) const override {
    schedulePersistent(
        fusion,
        {.loops = {.arrange = [params](TensorView* tv) { return arrangeSharedRows(tv, params); },
                   .vectors = params.vectors},
         .readOnce = params.readOnce,
         .sharesRows = true,
         .copiesAhead = copiesAhead(params),
         .takesOnePass = params.clusterBlocks > 1});
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuInnerShared() {
  static const gpu::InnerShared scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuInnerSharedOfOuter() {
  static const gpu::InnerShared scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
