// Normalizations in stages, which are kernels of their own: of columns, of rows that are too long
// for registers, and of inputs that lie across the output. Stages that reduce read these along
// memory, and the last one turns them in tiles.
#include <algorithm>
#include <map>
#include <ranges>

#include "schedule/heuristics/one_pass.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/gpu/reductions.h"
#include "schedule/schedulers/gpu/tiles.h"

namespace nvfuser::schedulers {

namespace gpu {

namespace {

// The output that is a copy of a result, in its stage, if there is one.
TensorView* outputOf(const TensorView* result, const Stages& stages) {
  for (const Expr* use : result->uses()) {
    TensorView* out = use->output(0)->asTensor();
    if (use->is<LoadStoreOp>() && out->isFusionOutput() && !out->domain()->hasRoot() &&
        stages.at(use) == stages.at(result->definition())) {
      return out;
    }
  }
  return nullptr;
}

// What an earlier stage computed is read from memory like an input: an output where it is one,
// which would otherwise be copied by a kernel of its own.
void readResultsOfStages(Fusion* fusion, Stages& stages, ReductionSchedule& schedule) {
  for (Expr* expr : fusion->tensorExprs()) {
    TensorView* tv = expr->output(0)->asTensor();
    TensorView* output = outputOf(tv, stages);
    TensorView* result = output == nullptr ? tv : output;
    for (const auto& [stage, uses] : usesByStage(tv, stages)) {
      if (stage <= stages.at(expr)) {
        continue;
      }
      for (Expr* use : uses) {
        if (result != tv) {
          fusion->replaceInput(use, tv, result);
        }
      }
      TensorView* load = result->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, uses);
      schedule.copies.loads.push_back(load);
      schedule.copies.number[load] =
          output == nullptr ? GlobalCopies::kWorkspace : schedule.copies.number.at(output);
      stages[load->definition()] = stage;
      schedule.limits[result] = 0;
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

bool hasTiles(const GpuLastStageParams& params) { return params.tiles.side > 1; }

// Reductions follow the inputs that the last stage turns.
Leads leadsOfReductions(const GpuLastStageParams& params) {
  return hasTiles(params) ? Leads::Inputs : Leads::Outputs;
}

// Those of a stage: others read the same inputs with other loops.
GlobalCopies copiesAmong(const std::vector<TensorView*>& tensors, const GlobalCopies& copies) {
  GlobalCopies own = copies;
  for (auto* kind : {&own.loads, &own.stores}) {
    std::erase_if(*kind, [&](const TensorView* copy) {
      return !std::ranges::binary_search(tensors, copy->name(), {}, &Val::name);
    });
  }
  return own;
}

void scheduleLastStage(const std::vector<TensorView*>& tensors, const GpuLastStageParams& params,
                       const GlobalCopies& copies) {
  if (hasTiles(params)) {
    const GlobalCopies own = copiesAmong(tensors, copies);
    scheduleTiles(widestOutput(own.stores), params.tiles, tensors, own);
  } else {
    scheduleBlocksAround(referenceOfStage(tensors), params.vectors, params.blocks, tensors, copies);
  }
}

void scheduleStages(Fusion* fusion, const ReductionLoops& loops, const GpuLastStageParams& params,
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
      scheduleLastStage(tensors, params, schedule.copies);
    }
  }
  inlineMost(fusion, {}, schedule.limits);
}

// Whether the last stage reduces nothing, is the only one that writes what is as large as inputs,
// and can have tiles.
bool writesAtLast(const FusionSummary& whole) {
  const Stages& stages = whole.stages();
  const int64_t last = lastStage(stages);
  const int64_t rank = concreteRank(whole.widestOutput());
  const auto isInPlace = [&](const Expr* expr) {
    const auto* out = expr->output(0)->asTensor();
    const bool isLast = stages.at(expr) == last;
    return expr->is<ReductionOp>() ? !isLast
                                   : isLast || !out->isFusionOutput() || concreteRank(out) < rank;
  };
  return std::ranges::all_of(whole.exprs(), isInPlace) &&
         viewAcrossMemory(whole.exprs(), whole.classes()) == nullptr;
}

GpuLastStageParams chooseTilesOfStage(const FusionSummary& summary,
                                      const ScheduleContext& context) {
  return {.tiles = tilesOfLastStage(summary, context).value_or(GpuTransposeParams())};
}

std::vector<TensorView*> findReductions(const FusionSummary& whole) {
  return reductionsOf(whole.exprs());
}

// How many rows follow each other in memory that share what a reduction computed of them, where
// there are several such runs of rows; otherwise 0.
int64_t rowsOfReduction(const TensorView* reference, const InnerGroup& inner,
                        const FusionSummary& summary, const ScheduleContext& context) {
  const DomainClasses& classes = summary.classes();
  const auto place = [&](const TensorView* tv, const IterDomain* id) {
    return classes.find(tv->domain()->maybeAllocation(), classes.classOf(id));
  };
  const auto isReduced = [&](const IterDomain* id) {
    return std::ranges::all_of(summary.fact(findReductions), [&](const TensorView* out) {
      const int64_t position = classes.find(out->logical(), classes.classOf(id));
      return position >= 0 && out->logical()[static_cast<size_t>(position)]->isReduction();
    });
  };
  int64_t rows = 1;
  const IterDomain* within = nullptr;
  const std::vector<int64_t> order = memoryOrder(reference, summary.outputs(), classes);
  for (const int64_t position : std::views::reverse(order)) {
    const IterDomain* id = reference->logical()[static_cast<size_t>(position)];
    if (id->isBroadcast() ||
        std::ranges::find(inner.classes, classes.classOf(id)) != inner.classes.end()) {
      continue;
    }
    const bool follows =
        within == nullptr || std::ranges::all_of(summary.globals(), [&](const TensorView* tv) {
          const int64_t own = place(tv, id);
          return own < 0 || (place(tv, within) == own + 1 &&
                             tv->domain()->contiguity()[static_cast<size_t>(own)].value_or(false));
        });
    if (!isReduced(id) || !follows) {
      // Of what is outside, something must be left.
      return within == nullptr ? 0 : rows;
    }
    rows *= context.extent(id->extent());
    within = id;
  }
  return 0;
}

// The rows of a block share what was reduced along them; where a row is of several dimensions and
// others lie between them in memory, its runs are the rows.
template <typename Reduction>
void chooseBlocksOfStage(const Reduction& reduction, const FusionSummary& summary,
                         const ScheduleContext& context, GpuLastStageParams& params) {
  const int64_t threads =
      std::min(reduction.threadsX * reduction.threadsY, context.tuning.gpu.outerReductionThreads);
  const InnerGroup inner = innerGroup(summary.widestOutput(), summary, context);
  const int64_t vectors = ceilDiv(inner.extent, reduction.vectors.width);
  params.vectors = reduction.vectors;
  params.blocks.threadsX = std::min(reduction.threadsX, powerOfTwoFrom(vectors));
  params.blocks.threadsY = std::max<int64_t>(1, threads / params.blocks.threadsX);
  params.blocks.unroll = reduction.unroll;
  const int64_t rows = rowsOfReduction(summary.widestOutput(), inner, summary, context);
  const int64_t ofBlock = params.blocks.threadsY * params.blocks.unroll;
  const auto inUse = static_cast<double>(ceilDiv(rows, ofBlock) * ofBlock);
  params.blocks.unrollsInnermost = context.hasSizes && rows > 0 && params.blocks.unroll > 1 &&
                                   !params.vectors.alignsRows &&
                                   inUse <= context.tuning.gpu.runSlack * static_cast<double>(rows);
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
    GpuInnerStagesParams params{.last = chooseTilesOfStage(summary, context)};
    const ReductionShape shape = shapeOfReduction(summary, context, leadsOfReductions(params.last));
    if (!shape.isInner) {
      return {};
    }
    params.reduction = innerReductionParams(shape, true, summary, context);
    chooseBlocksOfStage(params.reduction, summary, context, params.last);
    return {params};
  }
  void schedule(Fusion* fusion, const GpuInnerStagesParams& params) const override {
    scheduleStages(fusion, innerReductionLoops(params.reduction, leadsOfReductions(params.last)),
                   params.last, params.reduction.readOnce);
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
    GpuOuterStagesParams params{.last = chooseTilesOfStage(summary, context)};
    const ReductionShape shape = shapeOfReduction(summary, context, leadsOfReductions(params.last));
    if (shape.isInner) {
      return {};
    }
    params.reduction = outerReductionParams(shape, true, summary, context);
    chooseBlocksOfStage(params.reduction, summary, context, params.last);
    return {params};
  }
  void schedule(Fusion* fusion, const GpuOuterStagesParams& params) const override {
    scheduleStages(fusion, outerReductionLoops(params.reduction, leadsOfReductions(params.last)),
                   params.last, params.reduction.readOnce);
  }
};

}  // namespace

std::optional<GpuTransposeParams> tilesOfLastStage(const FusionSummary& summary,
                                                   const ScheduleContext& context) {
  return summary.fact(writesAtLast)
             ? chooseTiles(innerGroup(summary.widestOutput(), summary, context), summary, context)
             : std::nullopt;
}

bool readsAcrossMemory(const FusionSummary& summary, const ScheduleContext& context) {
  const Crossing& crossing = summary.crossing();
  if (crossing.domain == nullptr || !context.hasSizes ||
      elementsOf(crossing.inputs.front(), context) < context.tuning.gpu.acrossElements ||
      !tilesOfLastStage(summary, context)) {
    return false;
  }
  // Of what is reduced a block has everything, whole lines included.
  const ReductionShape shape = shapeOfReduction(summary, context, Leads::Inputs);
  return !shape.isInner &&
         shape.inner.classes.front() == summary.classes().classOf(crossing.domain);
}

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
