// Element-wise operations, with views among them.
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
    const InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    GpuPointwiseParams params;
    params.vectors = chooseVectorsOfRows(inner, summary, context);
    params.blocks =
        chooseBlocks(elementsOf(reference, context), inner, params.vectors, summary, context);
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
