// Element-wise operations on inputs that lie across the output: these pass through tiles in shared
// memory, and both sides are read and written along their own innermost dimension.
#include <optional>

#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/elementwise.h"
#include "schedule/schedulers/gpu/tiles.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

class Transpose : public GpuScheduler<GpuTransposeParams> {
 public:
  Transpose() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override {
    return summary.hasScan() || summary.hasScatter() ? "no tiles for scans and scatters"
                                                     : rejectElementwise(summary);
  }

 private:
  std::vector<GpuTransposeParams> choose(const FusionSummary& summary,
                                         const ScheduleContext& context) const override {
    TensorView* reference = summary.widestOutput();
    const InnerGroup inner = innerGroup(reference, summary, context);
    std::optional<GpuTransposeParams> params = chooseTiles(inner, summary, context);
    if (!params) {
      return {};
    }
    GpuBlocks& blocks = params->blocks;
    blocks = summary.hasLookup()
                 ? chooseLookupBlocks(reference, inner, params->vectors, summary, context)
                 : chooseBlocks(elementsOf(reference, context), inner, params->vectors, summary,
                                context);
    countAlongY(reference, inner, summary, context, blocks);
    blocks.threadsX = params->threads;
    blocks.threadsY = 1;
    blocks.unroll = params->rows;
    return {*params};
  }

  void schedule(Fusion* fusion, const GpuTransposeParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false);
    repeatForResizes(fusion, copies);
    const TensorView* first = widestOutput(copies.stores);
    scheduleEachOutput(
        copies, [&](TensorView* reference, const std::vector<TensorView*>& connected) {
          if (reference == first) {
            scheduleTiles(reference, params, connected, copies);
          } else {
            scheduleBlocksAround(reference, params.vectors, params.blocks, connected, copies);
          }
        });
    inlineMost(fusion);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuTranspose() {
  static const gpu::Transpose scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
