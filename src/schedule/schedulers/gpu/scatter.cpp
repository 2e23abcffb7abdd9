// Scatters into global memory: a kernel for what is copied, one for what is written into it, others
// for what is computed then.
#include <algorithm>
#include <iterator>

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
    const ScatterOp* scatter = summary.scatter();
    const ScatterParts parts = partsOf(scatter);
    GpuScatterParams params;
    if (!updatesOperand(scatter)) {
      params.copied = chooseStep(scatter->in(), parts.copied, summary, context);
    }
    params.addsVectors = chooseWritten(parts.written, summary, context, params.written);
    std::vector<TensorView*> behind = joined(parts.behind);
    // Outputs are copies, of what the scatter writes into as well.
    std::ranges::copy_if(parts.copied, std::back_inserter(behind), &TensorView::isFusionOutput);
    if (!behind.empty()) {
      params.behind = chooseStep(widestOutput(outputsAmong(behind)), behind, summary, context);
      // One step for parts of different dimensions, whose rows may be shorter.
      const auto fitsAlongY = [&](const std::vector<TensorView*>& part) {
        const TensorView* reference = widestOutput(outputsAmong(part));
        const int64_t rows =
            elementsOf(reference, context) /
            std::max<int64_t>(context.extent(reference->logical().back()->extent()), 1);
        return rows <= context.target.gpu.blocksAlongY;
      };
      if (parts.behind.size() > 1 && !std::ranges::all_of(parts.behind, fitsAlongY)) {
        params.behind.blocks.hasOuterAlongY = false;
      }
    }
    // What is written anywhere in global memory stays in the L2 cache rather than what is read.
    params.readOnce = chooseReadOnce(Eviction::First, summary, context);
    return {params};
  }

  static std::vector<TensorView*> joined(const std::vector<std::vector<TensorView*>>& parts) {
    std::vector<TensorView*> all;
    for (const std::vector<TensorView*>& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }

  // Of element-wise operations on what they have in memory, which is one run where the rows that
  // are written at positions are not.
  static GpuScatterStep chooseStep(TensorView* reference, const std::vector<TensorView*>& tensors,
                                   const FusionSummary& summary, const ScheduleContext& context) {
    const std::vector<TensorView*> memory = memoryOf(tensors, summary.scatter());
    const InnerGroup inner = innerGroup(reference, memory, LoopsOf::Dimensions, summary, context);
    const int64_t elements = elementsOf(reference, context);
    GpuScatterStep step;
    step.vectors =
        chooseVectors(inner, memory, context.tuning.gpu.elementsOfVector, summary, context);
    // What is written into comes first.
    std::vector<TensorView*> inputs;
    const bool isRead = reference != summary.scatter()->in();
    std::ranges::copy_if(memory, std::back_inserter(inputs), [&](const TensorView* tv) {
      return tv->isFusionInput() || (isRead && tv == memory.front());
    });
    step.blocks = chooseBlocks(elements, inner, step.vectors, inputs, context);
    joinManyBlocks(elements, step.vectors, inner.extent < elements, context, step.blocks);
    countAlongY(elements, inner, context, step.blocks);
    return step;
  }

  // Returns whether vectors are added to rows.
  static bool chooseWritten(const std::vector<TensorView*>& tensors, const FusionSummary& summary,
                            const ScheduleContext& context, GpuScatterStep& step) {
    const GpuTuning& tuning = context.tuning.gpu;
    const ScatterOp* scatter = summary.scatter();
    TensorView* reference = scatter->out();
    const std::vector<TensorView*> memory = memoryOf(tensors, scatter);
    const InnerGroup inner = innerGroup(reference, summary, context);
    int64_t elements = 1;
    for (const IterDomain* id : reference->root()) {
      elements *= context.extent(id->extent());
    }
    const bool isColumnMajor =
        elements > inner.extent && reachesManyRows(scatter, inner, summary, context);
    const int64_t added = addedElements(scatter, context);
    // One by one, neighbours add to neighbours, too; and where blocks have few columns, elements
    // are each in any row.
    const bool isOneByOne = added == 1 && (isColumnMajor || writesRows(scatter));
    const int64_t most = added > 1 ? added : isOneByOne ? 1 : tuning.elementsOfVector;
    step.vectors = chooseVectors(inner, memory, most, summary, context);
    const bool adds = added > 1 && step.vectors.width == added;
    if (added > 1 && !adds) {
      step.vectors = {};
    }
    std::vector<TensorView*> inputs;
    std::ranges::copy_if(memory, std::back_inserter(inputs), &Val::isFusionInput);
    step.blocks = chooseBlocks(elements, inner, step.vectors, inputs, context);
    if (isColumnMajor) {
      step.blocks.isColumnMajor = true;
      step.blocks.unrollsRows = false;
      takeFewColumns(step.vectors, context, step.blocks);
    }
    countAlongY(elements, inner, context, step.blocks);
    return adds;
  }

  void schedule(Fusion* fusion, const GpuScatterParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false, params.readOnce);
    ScatterOp* scatter = scatterAmong(fusion->tensorExprs());
    separateResult(scatter, copies);
    const ScatterParts parts = partsOf(scatter);
    if (!updatesOperand(scatter)) {
      scheduleBlocksAround(scatter->in(), params.copied.vectors, params.copied.blocks, parts.copied,
                           copies, memoryOf(parts.copied, scatter));
    }
    const GpuVectors vectors =
        vectorsOfWritten(parts.written, copies, params.written.vectors, params.addsVectors);
    scheduleBlocksAround(scatter->out(), vectors, params.written.blocks, parts.written, copies);
    if (params.addsVectors && vectors.width > 1) {
      scatter->out()->axis(-1)->parallelize(ParallelType::Vectorize);
    }
    const std::vector<TensorView*> memory = memoryOf(joined(parts.behind), scatter);
    for (const std::vector<TensorView*>& part : parts.behind) {
      scheduleBlocksAround(widestOutput(outputsAmong(part)), params.behind.vectors,
                           params.behind.blocks, part, copies, memory);
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
