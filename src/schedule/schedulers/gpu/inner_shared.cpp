// Normalizations of rows that are too long for the registers of a block, which keeps them in shared
// memory.
#include <algorithm>
#include <set>
#include <unordered_set>
#include <vector>

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
  X(int64_t, rounds, 1, "in which it does so")
// clang-format on

struct GpuInnerSharedParams {
  NVF_FIELDS_OF(GpuInnerSharedParams, NVF_GPU_INNER_SHARED_PARAMS)
};

namespace {

// [kept, serial, unroll, (cluster), x, vector]
Arrangement arrangeSharedRows(TensorView* reference, const GpuInnerSharedParams& params) {
  const int64_t position = mergeKinds(reference, false);
  Arrangement arrangement;
  if (position == 1) {
    if (params.vectors.alignsRows) {
      reference->alignRows(0, 1, params.vectors.width);
    }
    arrangement.types.push_back(ParallelType::GridX);
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
  params.threads =
      ceilDiv(ceilDiv(vectors, params.rounds * params.unroll), device.warpSize) * device.warpSize;
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
// combine.
bool fits(const GpuInnerSharedParams& params, const FusionSummary& summary,
          const ScheduleContext& context) {
  int64_t bytes = params.rounds * params.unroll * params.threads * params.vectors.width *
                  summary.fact(sharedBytesOfElement);
  bytes += (params.threads + params.clusterBlocks) * summary.fact(bytesOfReductions) +
           context.tuning.gpu.lineBytes;
  return params.minBlocks <= blocksWithShared(bytes, context.target.gpu);
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
    // Rows that registers can hold, too, are worth it where a multiprocessor has several whole
    // ones.
    const bool mayHold = innerPersistentParams(shape, summary, context, true).has_value();
    const int64_t mostOfRow = mayHold ? 1 : context.target.gpu.clusterBlocks;
    const int64_t most = context.tuning.gpu.sharedRowBlocks;
    if (mayHold && shape.reduced <= context.tuning.gpu.heldElements) {
      return {};
    }
    // Few rows have larger clusters, so that all of the device has a part of one.
    int64_t leastOfRow = 1;
    while (shape.kept * leastOfRow < context.target.gpu.multiprocessors &&
           2 * leastOfRow <= mostOfRow) {
      leastOfRow *= 2;
    }
    // Blocks of a multiprocessor of which some load while others compute; of larger ones there are
    // fewer.
    GpuInnerSharedParams params;
    params.vectors = vectorsOfRows(shape, summary, context);
    params.readOnce = chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
    for (params.minBlocks = most; params.minBlocks >= (mayHold ? most : 1); --params.minBlocks) {
      for (params.clusterBlocks = leastOfRow; params.clusterBlocks <= mostOfRow;
           params.clusterBlocks *= 2) {
        chooseRounds(shape, context, params);
        if (areEnough(shape.kept, params, context) && fits(params, summary, context)) {
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
         .takesMoments = params.clusterBlocks > 1});
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
