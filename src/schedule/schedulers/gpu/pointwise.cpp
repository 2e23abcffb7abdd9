// Element-wise operations, with views among them.
#include <algorithm>

#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// The same with vectors of fewer elements where threads for so many are few: there is little to
// wait for, and the code for the elements of a thread, which a kernel fetches first, is what takes
// time.
ScheduleContext forThreadsOf(int64_t elements, const ScheduleContext& context) {
  const GpuProperties& device = context.target.gpu;
  ScheduleContext result = context;
  GpuTuning& tuning = result.tuning.gpu;
  const int64_t busy =
      device.multiprocessors * device.threadsPerMultiprocessor / tuning.pointwiseBusyShare;
  while (context.hasSizes && tuning.elementsOfVector > tuning.elementsOfNarrowVector &&
         elements / tuning.elementsOfVector < busy) {
    tuning.elementsOfVector /= 2;
  }
  if (context.hasSizes && elements * tuning.singleElementShare <
                              device.multiprocessors * device.threadsPerMultiprocessor) {
    tuning.elementsOfVector = 1;
  }
  return result;
}

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
    ScheduleContext ofThreads = forThreadsOf(elements, context);
    InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    if (context.hasSizes && readsAcross(inner, summary, context)) {
      int64_t& most = ofThreads.tuning.gpu.elementsOfVector;
      most = std::min(most, context.tuning.gpu.elementsReadAcross);
    }
    GpuPointwiseParams params;
    params.vectors = chooseVectorsOfRows(inner, summary, ofThreads);
    fitVectorsToInnermost(reference, summary, ofThreads, inner, params.vectors);
    fitVectorsToAllRows(reference, LoopsOf::Elements, summary, ofThreads, inner, params.vectors);
    params.blocks = chooseBlocks(elements, inner, params.vectors, summary, context);
    // Where rows are aligned, each has its own places of what they share.
    if (!params.vectors.alignsRows) {
      shareAlongOutermost(reference, inner, summary, context, params.blocks);
    }
    countAlongY(reference, inner, summary, context, params.blocks);
    const bool isMuch = timesOfCache(summary, context) > context.tuning.gpu.keptTimes;
    params.readOnce = chooseReadOnce(isMuch ? Eviction::Last : Eviction::InTurn, summary, context);
    return {params};
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
