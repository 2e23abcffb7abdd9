// Element-wise operations with lookups: operands that are read at positions which a tensor holds.
#include <algorithm>

#include "schedule/schedulers/gpu/element_vectors.h"
#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

class Lookup : public GpuScheduler<GpuLookupParams> {
 public:
  Lookup() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    return summary.hasLookup() ? rejectElementwise(summary) : "nothing is looked up";
  }

 private:
  std::vector<GpuLookupParams> choose(const FusionSummary& summary,
                                      const ScheduleContext& context) const override {
    TensorView* reference = summary.widestOutput();
    InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    GpuLookupParams params;
    params.vectors = chooseForLoads(chooseVectors, reference, summary, context, inner);
    params.blocks = chooseLookupBlocks(reference, inner, params.vectors, summary, context);
    countAlongY(reference, inner, summary, context, params.blocks);
    return {params};
  }

  static GpuVectors chooseVectors(TensorView* reference, const FusionSummary& summary,
                                  const ScheduleContext& context, InnerGroup& inner) {
    GpuVectors vectors = gpu::chooseVectors(inner, summary, context);
    // The order in which blocks look up single elements says what the cache has of them.
    const bool areOfRows = std::ranges::all_of(
        summary.lookups(), [](const LookupOp* lookup) { return lookup->isOfSlices(); });
    fitVectorsToAllRows(reference, areOfRows ? LoopsOf::Elements : LoopsOf::Dimensions, summary,
                        context, inner, vectors);
    return vectors;
  }

  void schedule(Fusion* fusion, const GpuLookupParams& params) const override {
    scheduleElementwise(fusion, params.vectors, params.blocks);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuLookup() {
  static const gpu::Lookup scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
