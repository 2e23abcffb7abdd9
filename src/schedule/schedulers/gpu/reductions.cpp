#include "schedule/schedulers/gpu/reductions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "schedule/heuristics/merging.h"
#include "schedule/propagate.h"

namespace nvfuser::schedulers::gpu {

namespace {

struct Beside {
  const TensorView* resized;
};
Beside findBeside(const FusionSummary& whole) {
  const TensorView* resized = resizedBesideReductions(whole.exprs());
  return {resized != nullptr
              ? resized
              : partOfReduced(whole.widestReduction(), whole.exprs(), whole.classes())};
}

std::string rejectBeside(const FusionSummary& summary) {
  const TensorView* beside = summary.fact(findBeside).resized;
  return beside == nullptr ? "" : beside->toString() + " is a part of what is reduced";
}

}  // namespace

std::string rejectReductions(const FusionSummary& summary, SchedulerType type) {
  const std::string problem = rejectReduction(summary, type);
  return problem.empty() ? rejectBeside(summary) : problem;
}

std::string rejectPersistentRows(const FusionSummary& summary, SchedulerType type) {
  const std::string problem = rejectRows(summary, type);
  return problem.empty() ? rejectBeside(summary) : problem;
}

ReductionShape shapeOfReduction(const FusionSummary& summary, const ScheduleContext& context,
                                Leads leads) {
  return shapeOfReduction(summary.widestReduction(), summary, context, leads);
}

ReductionShape shapeOfReduction(TensorView* reference, const FusionSummary& summary,
                                const ScheduleContext& context, Leads leads) {
  ReductionShape shape;
  for (const IterDomain* id : reference->logical()) {
    if (!id->isBroadcast()) {
      (id->isReduction() ? shape.reduced : shape.kept) *= context.extent(id->extent());
    }
  }
  shape.inner = innerGroup(reference, summary, context, LoopsOf::Dimensions, leads);
  const std::vector<int64_t>& classes = shape.inner.classes;
  shape.isInner =
      classes.empty() || std::ranges::any_of(reference->logical(), [&](const IterDomain* id) {
        return id->isReduction() && summary.classes().classOf(id) == classes.front();
      });
  shape.bytes = std::max<int64_t>(bytesLoadedFor(summary, reference), 1);
  return shape;
}

bool isRun(const ReductionShape& shape) {
  return shape.isInner && shape.inner.extent == shape.reduced;
}

bool readsRows(const ReductionShape& shape, const FusionSummary& summary,
               const ScheduleContext& context) {
  if (shape.isInner || !context.hasSizes || areWholeColumns(shape, context) ||
      !shapeOfReduction(summary, context, Leads::Inputs).isInner) {
    return false;
  }
  const DomainClasses& classes = summary.classes();
  const std::set<int64_t> reduced =
      reducedClasses({summary.widestReduction()->definition()}, classes);
  const auto isReduced = [&](const IterDomain* id) {
    return reduced.contains(classes.classOf(id));
  };
  return std::ranges::all_of(summary.inputs(), [&](const TensorView* input) {
    const IterDomain* innermost = innermostInMemory(input);
    return innermost == nullptr || isReduced(innermost) ||
           std::ranges::none_of(input->visible(), isReduced);
  });
}

GpuVectors vectorsOfRows(const ReductionShape& shape, const FusionSummary& summary,
                         const ScheduleContext& context) {
  return isRun(shape) ? chooseVectorsOfRows(shape.inner, summary, context)
                      : chooseVectors(shape.inner, summary, context);
}

void shareShortRows(const ReductionShape& shape, const ScheduleContext& context,
                    GpuVectors& vectors) {
  const GpuTuning& tuning = context.tuning.gpu;
  const GpuProperties& device = context.target.gpu;
  const auto threadsOf = [&](int64_t width) { return ceilDiv(shape.reduced, width); };
  while (context.hasSizes && vectors.width > 1 && shape.reduced > tuning.vectorsOfShortRows &&
         threadsOf(vectors.width / 2) <= device.warpSize &&
         shape.kept * threadsOf(vectors.width / 2) * tuning.idleRowShare <=
             threadsAtATime(context)) {
    vectors.width /= 2;
  }
}

bool areWholeColumns(const ReductionShape& shape, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const bool areMany = shape.kept >= tuning.wavesOfWholeColumns * threadsAtATime(context);
  return shape.reduced <= (areMany ? tuning.wholeColumnRowsOfMany : tuning.wholeColumnRows);
}

bool reducesKnownSizes(const TensorView* reduction) {
  return std::ranges::all_of(reduction->maybeRoot(), [](const IterDomain* id) {
    return !id->isReduction() || id->extent()->isConstInt();
  });
}

int64_t mostUnroll(int64_t bytesOfVector, const GpuTuning& tuning) {
  return std::clamp(tuning.reductionBytesInFlight / bytesOfVector, tuning.reductionUnroll,
                    tuning.unrollOfNarrowElements);
}

int64_t busyThreads(const ScheduleContext& context) {
  return threadsAtATime(context) / context.tuning.gpu.busyShare;
}

int64_t vectorsOfShortRows(const ReductionShape& shape, const GpuVectors& vectors,
                           int64_t bytesAtOnce, const ScheduleContext& context) {
  const GpuTuning& tuning = context.tuning.gpu;
  const int64_t count = vectorsOf(shape.reduced, vectors);
  const auto threadsOf = [&](int64_t each) { return powerOfTwoFrom(ceilDiv(count, each)); };
  const auto areAtOnce = [&](int64_t each) {
    return vectors.width == 1 || each * vectors.width * shape.bytes <= bytesAtOnce;
  };
  // So few elements take no longer than what threads exchange.
  const bool isOfOne = count * vectors.width <= tuning.vectorsOfShortRows;
  int64_t best = isOfOne ? count : 1;
  for (int64_t each = best + 1; each <= std::min(tuning.vectorsOfShortRows, count); ++each) {
    const int64_t held = each * threadsOf(each);
    const int64_t least = best * threadsOf(best);
    if (shape.kept * threadsOf(each) >= busyThreads(context) &&
        (held < least || (held == least && areAtOnce(each)))) {
      best = each;
    }
  }
  return best;
}

int64_t partsOfEqualRounds(int64_t rounds, int64_t parts) {
  return ceilDiv(rounds, ceilDiv(rounds, parts));
}

Eviction evictionOfPersistent(const FusionSummary& summary, const ScheduleContext& context) {
  return timesOfCache(summary, context) > context.tuning.gpu.keptTimes ? Eviction::Last
                                                                       : Eviction::InTurn;
}

int64_t mergeKinds(TensorView* reference, bool hasColumns, Leads leads) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes, leads);
  std::vector<int64_t> kept;
  std::vector<int64_t> reduced;
  for (int64_t i = 0; i < reference->nLoops(); ++i) {
    (reference->axis(i)->isReduction() ? reduced : kept).push_back(i);
  }
  std::vector<int64_t> columns;
  if (hasColumns) {
    columns = takeColumns(reference, kept, classes);
  }
  std::unordered_map<int64_t, int64_t> order;
  int64_t target = 0;
  for (const auto* group : {&kept, &columns, &reduced}) {
    for (int64_t i : *group) {
      order[i] = target++;
    }
  }
  // What is contiguous in memory becomes one dimension first: that makes indexing cheap.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  int64_t first = 0;
  for (const auto* group : {&kept, &columns, &reduced}) {
    if (!group->empty()) {
      ranges.emplace_back(first, first + static_cast<int64_t>(group->size()) - 1);
      first += static_cast<int64_t>(group->size());
    }
  }
  reference->reorder(order);
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
    const int64_t before = reference->nLoops();
    mergeContiguous(reference, range->first, range->second, classes);
    mergeRange(reference, range->first, range->second - (before - reference->nLoops()), classes);
  }
  return static_cast<int64_t>(ranges.size()) - !reduced.empty();
}

void divideLoop(TensorView* reference, int64_t loop, int64_t factor, bool isExact,
                bool innerSplit) {
  if (isExact) {
    reference->fusion()->assumeDivisible(reference->axis(loop)->extent(), factor);
  }
  reference->split(loop, factor, innerSplit);
}

namespace {

// To see what transforms of one tensor have reached.
using Loops = std::map<const TensorView*, std::vector<IterDomain*>>;
Loops loopsOf(const std::vector<TensorView*>& tensors) {
  Loops loops;
  for (const TensorView* tv : tensors) {
    loops[tv] = tv->loop();
  }
  return loops;
}

// What reductions are computed from, but nothing that is behind another reduction.
std::unordered_set<const TensorView*> operandsOf(const std::vector<TensorView*>& reductions) {
  std::unordered_set<const TensorView*> operands;
  std::vector<const TensorView*> stack(reductions.begin(), reductions.end());
  while (!stack.empty()) {
    const TensorView* tv = stack.back();
    stack.pop_back();
    const Expr* definition = tv->definition();
    if (definition == nullptr ||
        (definition->is<ReductionOp>() && std::ranges::find(reductions, tv) == reductions.end())) {
      continue;
    }
    for (const Val* in : definition->inputs()) {
      if (in->isTensor() && operands.insert(in->asTensor()).second) {
        stack.push_back(in->asTensor());
      }
    }
  }
  return operands;
}

bool hasReductionAbove(const TensorView* tv, const std::vector<TensorView*>& reductions) {
  const std::unordered_set<const Val*> sources(reductions.begin(), reductions.end());
  return dependsOn(tv, sources);
}

// Whether a tensor has a dimension that one of the reductions reduces.
bool runsAlong(const TensorView* tv, const std::vector<TensorView*>& reductions,
               const DomainClasses& classes) {
  return std::ranges::any_of(reductions, [&](const TensorView* reduction) {
    std::vector<IterDomain*> reduced = reduction->maybeRoot();
    std::erase_if(reduced, [](const IterDomain* id) { return !id->isReduction(); });
    return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
      return !id->isBroadcast() && classes.findThroughReshapes(reduced, id) >= 0;
    });
  });
}

}  // namespace

void ReductionSchedule::schedule(std::vector<TensorView*> tensors,
                                 const std::vector<Expr*>& exprs) {
  std::vector<TensorView*> reductions = reductionsOf(exprs);
  while (!reductions.empty()) {
    TensorView* reference = widestReduction(reductions);
    const Loops before = loopsOf(tensors);
    const Arrangement arrangement = loops_.arrange(reference);
    propagateTransforms(reference, tensors);
    const auto isReached = [&](const TensorView* tv) {
      return tv == reference || tv->loop() != before.at(tv);
    };
    std::vector<TensorView*> group;
    std::ranges::copy_if(reductions, std::back_inserter(group), isReached);
    std::vector<TensorView*> others;
    std::ranges::remove_copy_if(tensors, std::back_inserter(others), isReached);
    std::erase_if(reductions, isReached);
    if (arrangement.partLoop < 0) {
      parallelize(reference, arrangement.types, tensors, copies, loops_.vectors);
    } else {
      scheduleParts(group, tensors, arrangement);
    }
    if (arrangement.acrossLoop >= 0) {
      std::vector<TensorView*> reached;
      std::ranges::copy_if(tensors, std::back_inserter(reached), isReached);
      readAcross(arrangement, reached);
    }
    if (loops_.mergesAtOnce) {
      mergeAtOnce(arrangement);
    }
    tensors = std::move(others);
  }
}

// The other loops of these loads run over the vectors.
void ReductionSchedule::readAcross(const Arrangement& arrangement,
                                   const std::vector<TensorView*>& tensors) const {
  for (TensorView* load : copies.loads) {
    if (isVectorizedTensor(loops_.across, copies.number.at(load)) &&
        std::ranges::find(tensors, load) != tensors.end()) {
      load->reorder({{arrangement.acrossLoop, -1}});
      load->axis(-1)->parallelize(ParallelType::Vectorize);
    }
  }
}

// Merging moments divides by the number of values. Those of rows that a thread reads at once are
// merged with each other first: their number is known.
void ReductionSchedule::mergeAtOnce(const Arrangement& arrangement) const {
  const auto unroll = std::ranges::find(arrangement.types, ParallelType::Unroll);
  const int64_t position = unroll - arrangement.types.begin();
  for (const Expr* expr : fusion_->tensorExprs()) {
    const auto* reduction = expr->as<ReductionOp>();
    if (reduction != nullptr && reduction->type() == BinaryOpType::MergeMoments &&
        reduction->out()->nLoops() == static_cast<int64_t>(arrangement.types.size()) &&
        reduction->out()->axis(position)->isReduction()) {
      reduction->out()->rFactor({position});
    }
  }
}

// Blocks reduce a part each; then the parts are reduced.
void ReductionSchedule::scheduleParts(const std::vector<TensorView*>& reductions,
                                      const std::vector<TensorView*>& tensors,
                                      const Arrangement& arrangement) {
  const DomainClasses classes(fusion_->tensorExprs());
  // Results beside the reductions run along what is reduced as their operands do, also those that
  // have fewer dimensions.
  std::vector<TensorView*> results = reductions;
  std::ranges::copy_if(tensors, std::back_inserter(results), [&](const TensorView* tv) {
    return !hasReductionAbove(tv, reductions) &&
           (tv->nLoops() == static_cast<int64_t>(arrangement.types.size()) ||
            runsAlong(tv, reductions, classes));
  });
  const std::unordered_set<const TensorView*> operands = operandsOf(results);
  std::vector<TensorView*> inside;
  std::vector<TensorView*> behind;
  for (TensorView* tv : tensors) {
    if (tv->isFusionInput()) {
      continue;
    }
    const bool isReduction = std::ranges::find(reductions, tv) != reductions.end();
    const bool isInside = operands.contains(tv) || std::ranges::find(results, tv) != results.end();
    (!isReduction && isInside ? inside : behind).push_back(tv);
  }
  const std::vector<TensorView*> partials = factorParts(reductions, arrangement.partLoop, inside);
  for (const TensorView* tv : partials) {
    limits[tv] = 0;
    copies.number[tv] = GlobalCopies::kWorkspace;
  }
  const auto local = std::ranges::find_if(inside, [&](const TensorView* tv) {
    return tv->hasReduction() && tv->nLoops() == static_cast<int64_t>(arrangement.types.size());
  });
  parallelize(*local, arrangement.types, inside, copies, loops_.vectors);
  // The loops that the reductions still have: what they keep, and the parts.
  const bool hasColumns = loops_.combiningColumns > 0;
  if (hasColumns) {
    splitCombiningColumns(reductions, arrangement.partLoop, behind);
  }
  std::vector<ParallelType> types(arrangement.types.begin(),
                                  arrangement.types.begin() + arrangement.partLoop);
  if (hasColumns) {
    types.insert(types.end(), {ParallelType::BlockY, ParallelType::GridY, ParallelType::BlockX});
  } else {
    types.push_back(ParallelType::BlockX);
  }
  if (loops_.parts > loops_.combiningThreads) {
    for (TensorView* tv : reductions) {
      tv->split(arrangement.partLoop, loops_.combiningThreads);
    }
    types.insert(types.begin() + arrangement.partLoop, ParallelType::Serial);
  }
  for (TensorView* tv : reductions) {
    parallelize(tv, types, behind, copies, loops_.vectors);
  }
}

// [.., parts, x, vector] -> [.., parts, blocks, threads]. Reductions that are combined need not
// have anything to do with each other any more.
void ReductionSchedule::splitCombiningColumns(const std::vector<TensorView*>& reductions,
                                              int64_t partLoop,
                                              const std::vector<TensorView*>& behind) const {
  const Loops before = loopsOf(reductions);
  for (TensorView* tv : reductions) {
    if (tv->loop() == before.at(tv)) {
      tv->split(partLoop + 1, loops_.combiningColumns);
      tv->merge(partLoop + 2, partLoop + 3);
      propagateTransforms(tv, behind);
    } else {
      // It has the loops of another one by way of what both are used for, which has no parts.
      const auto parts = std::ranges::find_if(tv->loop(), &IterDomain::isReduction);
      tv->reorder({{parts - tv->loop().begin(), partLoop}});
    }
  }
}

void scheduleReduction(Fusion* fusion, const ReductionLoops& loops, const GpuReadOnce& readOnce) {
  ReductionSchedule schedule(fusion, loops);
  schedule.copies = separateGlobals(fusion, false, readOnce, loops.vectors);
  repeatForResizes(fusion, schedule.copies);
  schedule.schedule(fusion->tensors(), fusion->tensorExprs());
  inlineMost(fusion, {}, schedule.limits);
}

}  // namespace nvfuser::schedulers::gpu
