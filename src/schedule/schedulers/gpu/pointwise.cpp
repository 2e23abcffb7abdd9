// Element-wise operations, with views among them.
#include "schedule/heuristics/references.h"
#include "schedule/schedulers/gpu/elementwise.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// The same with vectors of fewer elements where threads for so many are few: there is little to wait
// for, and the code for the elements of a thread, which a kernel fetches first, is what takes time.
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
  return result;
}

// Where no vector fits rows, but all of them together: merges them, if few tensors have something
// else for each of their elements then.
bool mergeRows(TensorView* reference, const FusionSummary& summary, const ScheduleContext& context,
               InnerGroup& inner, GpuVectors& vectors) {
  const GpuTuning& tuning = context.tuning.gpu;
  if (!context.hasSizes || (vectors.width > 1 && !vectors.alignsRows)) {
    return false;
  }
  const std::vector<TensorView*>& globals = summary.globals();
  const std::vector<TensorView*> whole = ofAllDimensions(reference, globals);
  const InnerGroup merged = innerGroupOfMergedRows(reference, summary, context);
  if (merged.extent == inner.extent ||
      std::ssize(globals) - std::ssize(whole) > tuning.dividedTensors) {
    return false;
  }
  const GpuVectors ofAll =
      chooseVectors(merged, whole, tuning.elementsOfVector, summary, context);
  if (ofAll.width == 1) {
    return false;
  }
  inner = merged;
  vectors = ofAll;
  return true;
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
    const ScheduleContext ofThreads = forThreadsOf(elements, context);
    InnerGroup inner = innerGroupOfBlocks(reference, summary, context);
    GpuPointwiseParams params;
    params.vectors = chooseVectorsOfRows(inner, summary, ofThreads);
    const bool mergesRows = mergeRows(reference, summary, ofThreads, inner, params.vectors);
    params.blocks = chooseBlocks(elements, inner, params.vectors, summary, context);
    params.blocks.mergesRows = mergesRows;
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
