// Scatters into global memory: a kernel for what is copied, one for what is written into it, others
// for what is computed then.
#include <algorithm>

#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/scatter_parts.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// What is written into has memory of its own where it is no output, and what is computed from the
// result reads it there, both like inputs and outputs.
void separateResult(ScatterOp* scatter, GlobalCopies& copies) {
  TensorView* in = scatter->in();
  if (copies.number.try_emplace(in, GlobalCopies::kWorkspace).second && expandsOperand(in)) {
    in->cacheBefore();
  }
  if (!scatter->out()->uses().empty()) {
    TensorView* load = scatter->out()->cacheAfter();
    copies.loads.push_back(load);
    copies.number[load] = copies.number.at(in);
  }
}

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
    params.addsVectors = addsVectors(summary.scatter(), params.vectors, context);
    params.columnsOfWritten = tuning.anyRowColumns;
    params.threadsOfWritten = tuning.pointwiseThreads;
    // What is written anywhere in global memory stays in the L2 cache rather than what is read.
    params.readOnce = chooseReadOnce(Eviction::First, summary, context);
    return {params};
  }

  void schedule(Fusion* fusion, const GpuScatterParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false, params.readOnce);
    ScatterOp* scatter = scatterAmong(fusion->tensorExprs());
    separateResult(scatter, copies);
    const ScatterParts parts = partsOf(scatter);
    scheduleBlocksAround(scatter->in(), params.vectors, params.blocks, parts.copied, copies);
    GpuVectors vectors =
        vectorsOfWritten(parts.written, copies, params.vectors, params.addsVectors);
    const bool addsVectors = params.addsVectors && vectors.width > 1;
    GpuBlocks blocks = params.blocks;
    if (blocks.isColumnMajor) {
      // Blocks of few columns, for elements that are each in any row.
      vectors = addsVectors ? vectors : GpuVectors{};
      blocks.threadsX =
          std::min(blocks.threadsX, std::max<int64_t>(params.columnsOfWritten / vectors.width, 1));
      blocks.threadsY = params.threadsOfWritten / blocks.threadsX;
      blocks.unroll = 1;
    }
    scheduleBlocksAround(scatter->out(), vectors, blocks, parts.written, copies);
    if (addsVectors) {
      scatter->out()->axis(-1)->parallelize(ParallelType::Vectorize);
    }
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
