// Normalizations in stages, which are kernels of their own: of columns, and of rows that are too
// long for registers.
#include <algorithm>
#include <map>

#include "schedule/heuristics/moments.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/reductions.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// What an earlier stage computed is read from memory like an input.
void readResultsOfStages(Fusion* fusion, Stages& stages, ReductionSchedule& schedule) {
  for (Expr* expr : fusion->tensorExprs()) {
    TensorView* tv = expr->output(0)->asTensor();
    std::map<int64_t, std::vector<Expr*>> usesOfStage;
    for (Expr* use : tv->uses()) {
      if (stages.contains(use) && stages.at(use) > stages.at(expr)) {
        usesOfStage[stages.at(use)].push_back(use);
      }
    }
    for (const auto& [stage, uses] : usesOfStage) {
      TensorView* load = tv->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses);
      schedule.copies.loads.push_back(load);
      schedule.copies.number[load] = GlobalCopies::kWorkspace;
      stages[load->definition()] = stage;
      schedule.limits[tv] = 0;
    }
  }
}

// What is computed along more dimensions than the outputs have decides about the loops.
TensorView* referenceOfStage(const std::vector<TensorView*>& tensors) {
  const std::vector<TensorView*> outputs = outputsAmong(tensors);
  TensorView* reference = widestOutput(tensors);
  if (!outputs.empty() && concreteRank(widestOutput(outputs)) == concreteRank(reference)) {
    reference = widestOutput(outputs);
  }
  return reference;
}

void scheduleStages(Fusion* fusion, const ReductionLoops& loops, const GpuBlocks& blocks,
                    const GpuReadOnce& readOnce) {
  combineMoments(fusion);
  recomputeAcrossStages(fusion, std::nullopt);
  ReductionSchedule schedule(fusion, loops);
  schedule.copies = separateGlobals(fusion, true, readOnce);
  Stages stages = computeStages(fusion->tensorExprs());
  readResultsOfStages(fusion, stages, schedule);
  const int64_t last = lastStage(stages);
  for (int64_t stage = 0; stage <= last; ++stage) {
    const std::vector<TensorView*> tensors = tensorsOfStage(stages, stage);
    std::vector<Expr*> own;
    for (TensorView* tv : tensors) {
      own.push_back(tv->definition());
    }
    if (!reductionsOf(own).empty()) {
      schedule.schedule(tensors, own);
    } else {
      scheduleBlocksAround(referenceOfStage(tensors), loops.vectors, blocks, tensors,
                           schedule.copies);
    }
  }
  inlineMost(fusion, {}, schedule.limits);
}

// Of a stage that reduces nothing. The rows of a block share what was reduced along them; where a
// row is of several dimensions and others lie between them in memory, its runs are the rows.
template <typename Reduction>
GpuBlocks blocksOfStage(const Reduction& reduction, const FusionSummary& summary,
                        const ScheduleContext& context) {
  const int64_t threads =
      std::min(reduction.threadsX * reduction.threadsY, context.tuning.gpu.outerReductionThreads);
  const InnerGroup inner = innerGroup(summary.widestOutput(), summary, context);
  const int64_t vectors = ceilDiv(inner.extent, reduction.vectors.width);
  GpuBlocks blocks;
  blocks.threadsX = std::min(reduction.threadsX, powerOfTwoFrom(vectors));
  blocks.threadsY = std::max<int64_t>(1, threads / blocks.threadsX);
  blocks.unroll = reduction.unroll;
  return blocks;
}

// Of both types of normalizations, as InnerPersistent.
class InnerStages : public GpuScheduler<GpuInnerStagesParams> {
 public:
  explicit InnerStages(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }

 private:
  std::vector<GpuInnerStagesParams> choose(const FusionSummary& summary,
                                           const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (!shape.isInner) {
      return {};
    }
    GpuInnerStagesParams params{.reduction = innerReductionParams(shape, true, summary, context)};
    params.blocks = blocksOfStage(params.reduction, summary, context);
    return {params};
  }
  void schedule(Fusion* fusion, const GpuInnerStagesParams& params) const override {
    scheduleStages(fusion, innerReductionLoops(params.reduction), params.blocks,
                   params.reduction.readOnce);
  }
};

class OuterStages : public GpuScheduler<GpuOuterStagesParams> {
 public:
  explicit OuterStages(SchedulerType type) : GpuScheduler(type) {}
  std::string reject(const FusionSummary& summary) const override {
    return rejectReductions(summary, type());
  }

 private:
  std::vector<GpuOuterStagesParams> choose(const FusionSummary& summary,
                                           const ScheduleContext& context) const override {
    const ReductionShape shape = shapeOfReduction(summary, context);
    if (shape.isInner) {
      return {};
    }
    GpuOuterStagesParams params{.reduction = outerReductionParams(shape, true, summary, context)};
    params.blocks = blocksOfStage(params.reduction, summary, context);
    return {params};
  }
  void schedule(Fusion* fusion, const GpuOuterStagesParams& params) const override {
    scheduleStages(fusion, outerReductionLoops(params.reduction), params.blocks,
                   params.reduction.readOnce);
  }
};

}  // namespace

}  // namespace gpu

const Scheduler* gpuInnerStages() {
  static const gpu::InnerStages scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuInnerStagesOfOuter() {
  static const gpu::InnerStages scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

const Scheduler* gpuOuterStages() {
  static const gpu::OuterStages scheduler(SchedulerType::InnerPersistent);
  return &scheduler;
}

const Scheduler* gpuOuterStagesOfOuter() {
  static const gpu::OuterStages scheduler(SchedulerType::OuterPersistent);
  return &scheduler;
}

}  // namespace nvfuser::schedulers
