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
  X(int64_t, threads, 1, "of a block, which has a row in shared memory")                          \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")                   \
  X(int64_t, rounds, 1, "in which it does so")
// clang-format on

struct GpuInnerSharedParams {
  NVF_FIELDS_OF(GpuInnerSharedParams, NVF_GPU_INNER_SHARED_PARAMS)
};

namespace {

// [kept, serial, unroll, x, vector]
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
  reference->split(position, params.rounds, false);
  arrangement.types.insert(
      arrangement.types.end(),
      {ParallelType::Serial, ParallelType::Unroll, ParallelType::BlockX, ParallelType::Vectorize});
  return arrangement;
}

GpuInnerSharedParams chooseRounds(int64_t blocks, const ReductionShape& shape,
                                  const FusionSummary& summary, const ScheduleContext& context) {
  const GpuProperties& device = context.target.gpu;
  GpuInnerSharedParams params;
  params.vectors = vectorsOfRows(shape, summary, context);
  params.readOnce = chooseReadOnce(evictionOfPersistent(summary, context), summary, context);
  const int64_t vectors = vectorsOf(shape.reduced, params.vectors);
  const int64_t ofThread = ceilDiv(vectors, device.threadsPerBlock / blocks);
  const int64_t most = mostUnroll(params.vectors.width * shape.bytes, context.tuning.gpu);
  params.rounds = ceilDiv(ofThread, most);
  params.unroll = ceilDiv(ofThread, params.rounds);
  // As much for every thread: what it lacks has memory, too.
  params.threads =
      ceilDiv(ceilDiv(vectors, params.rounds * params.unroll), device.warpSize) * device.warpSize;
  return params;
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

// That the threads combine, one of each of them.
int64_t bytesOfReductions(const FusionSummary& whole) {
  int64_t bytes = 0;
  for (const TensorView* reduction : reductionsOf(whole.exprs())) {
    bytes += std::max(info(reduction->dtype()).bits / 8, 1);
  }
  return bytes;
}

// Whether so many blocks of a multiprocessor have memory for a row, and for what their threads
// combine.
bool fits(const GpuInnerSharedParams& params, int64_t blocks, const FusionSummary& summary,
          const ScheduleContext& context) {
  const GpuProperties& device = context.target.gpu;
  int64_t bytes = params.rounds * params.unroll * params.threads * params.vectors.width *
                  summary.fact(sharedBytesOfElement);
  bytes += params.threads * summary.fact(bytesOfReductions) + context.tuning.gpu.lineBytes;
  // What every block has for the system is not its own.
  const int64_t ofSystem = device.sharedBytesPerMultiprocessor - device.sharedBytesPerBlock;
  return bytes <= device.sharedBytesPerBlock &&
         blocks * (bytes + ofSystem) <= device.sharedBytesPerMultiprocessor;
}

// Of both types of normalizations, as InnerPersistent.
class InnerShared : public GpuScheduler<GpuInnerSharedParams> {
 public:
  explicit InnerShared(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }

 private:
  std::vector<GpuInnerSharedParams> choose(const FusionSummary& summary,
                                           const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (!context.hasSizes || !shape.isInner ||
        shape.kept * context.tuning.gpu.sharedRowsShare < context.target.gpu.multiprocessors ||
        readsAcrossMemory(summary, context)) {
      return {};
    }
    // Two blocks of a multiprocessor, of which one computes while the other one loads, or a larger
    // one.
    for (const int64_t blocks : {2, 1}) {
      const GpuInnerSharedParams params = chooseRounds(blocks, shape, summary, context);
      if (fits(params, blocks, summary, context)) {
        return {params};
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
         .sharesRows = true});
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
