// Scatters along rows: a block copies a row to shared memory and writes into it, before it is
// stored and read by what is computed from it.
#include <algorithm>

#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/scatter_parts.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// Whether the rows fit into shared memory and have enough elements for the threads of a block, and
// whether there are enough of them for all of the device.
bool suitsRows(const ScatterOp* scatter, const InnerGroup& inner, const GpuVectors& vectors,
               const FusionSummary& summary, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const TensorView* out = scatter->out();
  const IterDomain* written = scatter->written();
  const int64_t bits = info(out->dtype()).bits;
  const int64_t bytes = std::min(tuning.scatterRowBytes, context.target.gpu.sharedBytesPerBlock);
  return context.hasSizes && !updatesOperand(scatter) && !out->domain()->hasAllocation() &&
         out->logical().back() == written && bits >= 8 &&
         inner.classes == std::vector<int64_t>{summary.classes().classOf(written)} &&
         inner.extent >= tuning.pointwiseThreads * vectors.width &&
         inner.extent * bits / 8 <= bytes &&
         elementsOf(out, context, written) >= context.target.gpu.multiprocessors;
}

// [rows, columns / (u x v), u, x, v], a block for each row.
void scheduleRows(TensorView* reference, const GpuVectors& vectors,
                  const GpuScatterInRowsParams& params, const std::vector<TensorView*>& selected,
                  const GlobalCopies& copies) {
  mergeRange(reference, 0, reference->nLoops() - 2);
  reference->split(-1, vectors.width);
  reference->split(-2, params.threads);
  reference->split(-3, params.unroll);
  propagateTransforms(reference, selected);
  parallelize(reference,
              {ParallelType::GridX, ParallelType::Serial, ParallelType::Unroll,
               ParallelType::BlockX, ParallelType::Vectorize},
              selected, copies, vectors);
}

class ScatterInRows : public GpuScheduler<GpuScatterInRowsParams> {
 public:
  ScatterInRows() : GpuScheduler(SchedulerType::Pointwise) {}
  std::string reject(const FusionSummary& summary) const override { return rejectScatter(summary); }

 private:
  std::vector<GpuScatterInRowsParams> choose(const FusionSummary& summary,
                                             const ScheduleContext& context) const override {
    const GpuTuning& tuning = context.tuning.gpu;
    const ScatterOp* scatter = summary.scatter();
    const InnerGroup inner = innerGroup(scatter->in(), summary, context);
    GpuScatterInRowsParams params;
    params.vectors = chooseScatterVectors(inner, summary, context);
    if (!suitsRows(scatter, inner, params.vectors, summary, context)) {
      return {};
    }
    const int64_t vectors = ceilDiv(inner.extent, params.vectors.width);
    params.threads = std::min(tuning.scatterRowThreads, powerOfTwoFrom(vectors));
    params.unroll =
        std::min(tuning.pointwiseUnroll, powerOfTwoFrom(ceilDiv(vectors, params.threads)));
    return {params};
  }

  void schedule(Fusion* fusion, const GpuScatterInRowsParams& params) const override {
    GlobalCopies copies = separateGlobals(fusion, false);
    const ScatterOp* scatter = scatterAmong(fusion->tensorExprs());
    if (TensorView* out = scatter->out(); out->isFusionOutput()) {
      const std::vector<Expr*> uses = out->uses();
      TensorView* row = out->cacheBefore();
      for (Expr* use : uses) {
        fusion->replaceInput(use, out, row);
      }
      scatter = scatterOf(row);
      copies.stores.push_back(out);
      copies.number[out] = copies.number.at(scatter->in());
    }
    const ScatterParts parts = partsOf(scatter);
    scatter->in()->setMemoryType(MemoryType::Shared);
    scatter->out()->setMemoryType(MemoryType::Shared);
    scheduleRows(scatter->in(), params.vectors, params, parts.copied, copies);
    scheduleRows(scatter->out(), vectorsOfWritten(parts.written, copies, params.vectors), params,
                 parts.written, copies);
    for (const std::vector<TensorView*>& part : parts.behind) {
      scheduleRows(widestOutput(outputsAmong(part)), params.vectors, params, part, copies);
    }
    inlineMost(fusion, {}, {{scatter->in(), 1}, {scatter->out(), 1}});
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuScatterInRows() {
  static const gpu::ScatterInRows scheduler;
  return &scheduler;
}

}  // namespace nvfuser::schedulers
