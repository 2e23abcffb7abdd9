// Scatters into global memory: a kernel for what is copied, one for what is written into it, others
// for what is computed then.
#include <algorithm>

#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/scatter_parts.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

class Scatter : public GpuScheduler<GpuScatterParams> {
 public:
  Scatter() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override { return rejectScatter(summary); }

 private:
  std::vector<GpuScatterParams> choose(const FusionSummary& summary,
                                       const ScheduleContext& context) const override {
    const GpuTuning& tuning = context.tuning.gpu;
    // The loops of a scatter run over what is written.
    TensorView* reference = summary.scatter()->in();
    const InnerGroup inner = innerGroup(reference, summary, context);
    const int64_t elements = elementsOf(reference, context);
    GpuScatterParams params;
    params.vectors = chooseScatterVectors(inner, summary, context);
    params.blocks = chooseBlocks(elements, inner, params.vectors, summary, context);
    if (elements > inner.extent && reachesManyRows(summary.scatter(), inner, summary, context)) {
      params.blocks.isColumnMajor = true;
      params.blocks.unrollsRows = false;
    }
    countAlongY(reference, inner, summary, context, params.blocks);
    params.columnsOfWritten = tuning.anyRowColumns;
    params.threadsOfWritten = tuning.pointwiseThreads;
    // What is written anywhere in global memory stays in the L2 cache rather than what is read.
    params.readOnce = chooseReadOnce(Eviction::First, summary, context);
    return {params};
  }

  void schedule(Fusion* fusion, const GpuScatterParams& params) const override {
    const GlobalCopies copies = separateGlobals(fusion, false, params.readOnce);
    const ScatterOp* scatter = scatterAmong(fusion->tensorExprs());
    const ScatterParts parts = partsOf(scatter);
    scheduleBlocksAround(scatter->in(), params.vectors, params.blocks, parts.copied, copies);
    GpuVectors vectors = vectorsOfWritten(parts.written, copies, params.vectors);
    GpuBlocks blocks = params.blocks;
    if (blocks.isColumnMajor) {
      // Blocks of few columns, for elements that are each in any row.
      vectors = {};
      blocks.threadsX = std::min(blocks.threadsX, params.columnsOfWritten);
      blocks.threadsY = params.threadsOfWritten / blocks.threadsX;
      blocks.unroll = 1;
    }
    scheduleBlocksAround(scatter->out(), vectors, blocks, parts.written, copies);
    for (const std::vector<TensorView*>& part : parts.behind) {
      scheduleBlocksAround(widestOutput(outputsAmong(part)), params.vectors, params.blocks, part,
                           copies);
    }
    inlineMost(fusion, {}, {{scatter->in(), 0}, {scatter->out(), 0}});
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuScatter() {
  static const gpu::Scatter scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
