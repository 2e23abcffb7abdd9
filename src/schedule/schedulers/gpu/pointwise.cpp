// Element-wise operations, with views among them.
#include <algorithm>

#include "schedule/schedulers/gpu/element_vectors.h"
#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

class Pointwise : public GpuScheduler<GpuPointwiseParams> {
 public:
  Pointwise() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    if (const std::string problem = rejectElementwise(summary); !problem.empty()) {
      return problem;
    }
    return summary.hasScan() || summary.hasScatter() || summary.hasLookup()
               ? "scans, scatters and lookups have schedulers of their own"
               : "";
  }

 private:
  std::vector<GpuPointwiseParams> choose(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    TensorView* reference = summary.widestOutput();
    const int64_t elements = elementsOf(reference, context);
    ScheduleContext ofThreads = forThreadsOf(elements, summary, context);
    InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    if (context.hasSizes && readsAcross(inner, summary, context)) {
      int64_t& most = ofThreads.tuning.gpu.elementsOfVector;
      most = std::min(most, context.tuning.gpu.elementsReadAcross);
    }
    GpuPointwiseParams params;
    params.vectors = chooseForLoads(chooseVectors, reference, summary, ofThreads, inner);
    if (isComputed(elements, summary, context)) {
      int64_t& most = ofThreads.tuning.gpu.pointwiseUnroll;
      most = std::clamp<int64_t>(
          context.tuning.gpu.elementsOfComputingThread / params.vectors.width, 1, most);
    }
    params.blocks = chooseBlocks(elements, inner, params.vectors, summary, ofThreads);
    joinManyBlocks(elements, params.vectors, inner.extent < elements, context, params.blocks);
    // Where rows are aligned, each has its own places of what they share.
    if (!params.vectors.alignsRows) {
      shareAlongOutermost(reference, inner, summary, context, params.blocks);
    }
    countAlongY(reference, inner, summary, context, params.blocks);
    const bool isMuch = timesOfCache(summary, context) > context.tuning.gpu.keptTimes;
    params.readOnce = chooseReadOnce(isMuch ? Eviction::Last : Eviction::InTurn, summary, context);
    return {params};
  }

  static GpuVectors chooseVectors(TensorView* reference, const FusionSummary& summary,
                                  const ScheduleContext& context, InnerGroup& inner) {
    GpuVectors vectors = chooseVectorsOfRows(inner, summary, context);
    fitVectorsToInnermost(reference, summary, context, inner, vectors);
    fitVectorsToAllRows(reference, LoopsOf::Elements, summary, context, inner, vectors);
    return vectors;
  }

  void schedule(Fusion* fusion, const GpuPointwiseParams& params) const override {
    scheduleElementwise(fusion, params.vectors, params.blocks, params.readOnce);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuPointwise() {
  static const gpu::Pointwise scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
