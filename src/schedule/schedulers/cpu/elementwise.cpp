#include "schedule/schedulers/cpu/elementwise.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/clone.h"
#include "ir/logical_map.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/cpu/in_front.h"
#include "schedule/schedulers/cpu/marks.h"
#include "schedule/schedulers/cpu/streaming.h"

namespace nvfuser::heuristics {

namespace {

// The loops over the widest output, as far as memory leaves them apart, in a copy of the fusion.
struct Runs {
  std::unique_ptr<Fusion> copy;
  std::vector<const Val*> extents;
  // Of the extents of the copy, those of the fusion.
  std::unordered_map<const Val*, const Val*> originals;
  // Whether the elements of the innermost one follow each other in all that is read and written.
  bool haveColumns = true;
};

Runs findRuns(const FusionSummary& whole) {
  Cloner cloner(nullptr);
  Runs runs;
  runs.copy = cloneFusion(*whole.fusion(), &cloner);
  TensorView* reference = cloner.clone(whole.widestOutput());
  const DomainClasses classes(runs.copy->tensorExprs());
  orderLikeMemory(reference, classes);
  const std::vector<int64_t> loops = makeRuns(reference, classes);
  for (const TensorView* tv : globalTensors(runs.copy.get())) {
    const std::vector<IterDomain*>& order = tv->domain()->maybeAllocation();
    const auto inner = std::ranges::find_if(order.rbegin(), order.rend(),
                                            [](const IterDomain* id) { return id->isIteration(); });
    runs.haveColumns =
        runs.haveColumns &&
        (inner == order.rend() ||
         (!loops.empty() && classes.classOf(classes.pieces(*inner).back()) == loops.back()));
  }
  for (const auto& [original, clone] : cloner.vals()) {
    runs.originals[clone] = original;
  }
  for (const IterDomain* id : reference->loop()) {
    runs.extents.push_back(id->extent());
  }
  return runs;
}

std::vector<int64_t> sizesOf(const Runs& runs, const ScheduleContext& context) {
  // Extents that a schedule makes are made of those of the fusion.
  const std::function<int64_t(const Val*)> sizeOf = [&](const Val* extent) -> int64_t {
    if (const auto known = runs.originals.find(extent); known != runs.originals.end()) {
      return context.extent(known->second);
    }
    if (extent->isConstInt()) {
      return extent->constInt();
    }
    const auto* binary = extent->definition()->as<BinaryOp>();
    const int64_t lhs = sizeOf(binary->lhs());
    const int64_t rhs = sizeOf(binary->rhs());
    return binary->type() == BinaryOpType::Mul ? lhs * rhs : ceilDiv(lhs, rhs);
  };
  std::vector<int64_t> result;
  for (const Val* extent : runs.extents) {
    result.push_back(sizeOf(extent));
  }
  return result;
}

// Loops around the innermost one that are not merged into the parallel one.
struct SerialLoops {
  int64_t whole = 0;
  // Around those, a part of the last merged one.
  int64_t part = 0;
};

// What is left when the outer ones are enough for all workers. Where that is too little to make up
// for divisions, the last outer one is divided, into as many parts as workers need.
SerialLoops chooseSerialLoops(const FusionSummary& summary, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  if (concreteRank(summary.widestOutput()) <= tuning.fewLoops) {
    return {};
  }
  const std::vector<int64_t> sizes = sizesOf(summary.fact(findRuns), context);
  const auto count = static_cast<int64_t>(sizes.size());
  if (count <= tuning.fewLoops || sizes.back() >= tuning.indexedRow) {
    return {};
  }
  const auto product = [&](int64_t first, int64_t last) {
    return std::accumulate(sizes.begin() + first, sizes.begin() + last, int64_t{1},
                           std::multiplies<>());
  };
  const int64_t wanted = tuning.rowsPerWorker * context.target.cpu.workers;
  int64_t parallel = 1;
  while (parallel < count - 1 && product(0, parallel) < wanted) {
    ++parallel;
  }
  const SerialLoops inside{.whole = count - 1 - parallel};
  const int64_t row = product(parallel, count);
  if (row >= tuning.indexedRow) {
    return inside;
  }
  const int64_t parts = ceilDiv(wanted, std::max<int64_t>(product(0, parallel - 1), 1));
  const int64_t part = powerOfTwoFrom(sizes[static_cast<size_t>(parallel - 1)] / parts + 1) / 2;
  return part * row >= tuning.indexedRow ? SerialLoops{inside.whole, part} : SerialLoops{};
}

// Rows of which some are folded: they are too narrow for vectors, and what is read beside them is
// the same for many of them.
CpuNarrowParams narrowParams(const FusionSummary& summary, const ScheduleContext& context) {
  const auto [total, innermost] = sizeOf(summary.widestOutput(), context);
  if (total <= context.tuning.cpu.smallWork || innermost > foldedColumns(context)) {
    return {};
  }
  const Runs& runs = summary.fact(findRuns);
  if (runs.extents.size() < 2 || !runs.haveColumns) {
    return {};
  }
  const std::vector<int64_t> sizes = sizesOf(runs, context);
  const int64_t columns = sizes.back();
  const int64_t rows = sizes[sizes.size() - 2];
  const bool areNarrow = columns > 1 && columns <= foldedColumns(context);
  return areNarrow && rows >= context.tuning.cpu.foldRowsLeast ? narrowRows(context)
                                                               : CpuNarrowParams{};
}

// Of the innermost loop.
int64_t runOf(const FusionSummary& summary, const ScheduleContext& context) {
  const std::vector<int64_t> sizes = sizesOf(summary.fact(findRuns), context);
  return sizes.empty() ? 1 : sizes.back();
}

struct RepeatedFunctions {
  std::vector<TensorView*> results;
};
RepeatedFunctions findRepeatedFunctions(const FusionSummary& whole) {
  return {repeatedFunctions(whole.widestOutput(), whole.classes())};
}

// Whether loops would repeat functions of few elements often enough to start other loops for them.
bool repeatsFunctions(const FusionSummary& summary, const ScheduleContext& context) {
  const int64_t total = sizeOf(summary.widestOutput(), context).total;
  return std::ranges::any_of(
      summary.fact(findRepeatedFunctions).results, [&](const TensorView* tv) {
        return total - sizeOf(tv, context).total >= context.tuning.cpu.repeatedFunctions;
      });
}

// Gives what the loops over the part's reference would repeat loops of its own.
void computeRepeatedInFront(Part& part) {
  const DomainClasses classes(part.reference->fusion()->tensorExprs());
  std::unordered_set<TensorView*> done;
  for (TensorView* tv : repeatedFunctions(part.reference, classes)) {
    std::vector<TensorView*> own = computedFor(tv);
    std::erase_if(own, [&](TensorView* each) { return done.contains(each); });
    computeInFront(tv, own, part);
    done.insert(own.begin(), own.end());
  }
}

// [others..., rows, columns] -> [others x parts x tiles, rows of a part, columns of a tile]
void divideNarrowRows(TensorView* reference, const CpuNarrowParams& narrow) {
  const int64_t parts = reference->nLoops() - 2;
  reference->split(parts, narrow.rows);
  reference->split(-1, narrow.columns);
  reference->reorder({{-2, parts + 1}});
  mergeRange(reference, 0, parts + 1);
}

// Whether the innermost loop of a tensor repeats its elements: by a reshape that merges a dimension
// that it lacks with one that it has.
bool repeatsInRows(const TensorView* tv) {
  const std::vector<Expr*> transforms = transformsBetween(tv->logical(), {tv->axis(-1)});
  return std::ranges::any_of(transforms, [](const Expr* transform) {
    const auto* merge = transform->as<Merge>();
    return merge != nullptr && merge->outer()->isBroadcast() && !merge->inner()->isBroadcast();
  });
}

// Elements that are repeated within rows are not read from memory for each row, where they would be
// one by one, but put in a row before.
void readRepeatedOnce(const Fusion* fusion,
                      std::unordered_map<const TensorView*, int64_t>& limits) {
  for (const Expr* expr : fusion->tensorExprs()) {
    const TensorView* tv = expr->output(0)->asTensor();
    if (!expr->is<BroadcastOp>() || tv->nLoops() < 2 || !repeatsInRows(tv)) {
      continue;
    }
    int64_t first = tv->nLoops() - 1;
    while (first > 1 && tv->axis(first - 1)->isBroadcast()) {
      --first;
    }
    if (first < tv->nLoops() - 1) {
      limits.try_emplace(tv, first);
    }
  }
}

}  // namespace

CpuNarrowParams narrowRows(const ScheduleContext& context) {
  return {powerOfTwoFrom(foldedColumns(context)), context.tuning.cpu.foldPart, foldMark(context)};
}

ElementCount sizeOf(const TensorView* tv, const ScheduleContext& context) {
  ElementCount count;
  for (const IterDomain* id : tv->domain()->maybeAllocation()) {
    if (!id->isBroadcast() && !id->isReduction()) {
      count.innermost = context.extent(id->extent());
      count.total *= count.innermost;
    }
  }
  return count;
}

bool isOneRun(const FusionSummary& summary) { return summary.fact(findRuns).extents.size() == 1; }

CpuPointwiseParams pointwiseParams(const FusionSummary& summary, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  CpuPointwiseParams params;
  // Few rows that are long are divided, so that all workers have a part.
  const auto [total, innermost] = sizeOf(summary.widestOutput(), context);
  if (innermost >= tuning.longRowParts * tuning.longRowPart &&
      total / innermost < tuning.partsPerWorker * context.target.cpu.workers) {
    params.innerPart = tuning.longRowPart;
  }
  params.ahead = aheadParams(context);
  chooseRests(params.ahead, total, runOf(summary, context), context);
  if (summary.hasScan()) {
    return params;
  }
  params.narrow = narrowParams(summary, context);
  const SerialLoops serial = chooseSerialLoops(summary, context);
  params.serialLoops = serial.whole;
  params.serialPart = serial.part;
  params.functionsInFront = repeatsFunctions(summary, context);
  // Functions are computed for longer than it takes to write their results, which ordinary stores
  // do meanwhile.
  if (!summary.evaluatesFunction()) {
    params.stream = streamParams(summary, context, runOf(summary, context));
  }
  return params;
}

void schedulePointwiseAround(TensorView* reference, const CpuPointwiseParams& params,
                             const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  makeRuns(reference, classes);
  if (params.narrow.fold && reference->nLoops() > 1) {
    divideNarrowRows(reference, params.narrow);
  } else if (reference->nLoops() > 2) {
    const int64_t last = std::max<int64_t>(0, reference->nLoops() - 2 - params.serialLoops);
    if (params.serialPart > 0) {
      reference->split(last, params.serialPart);
    }
    mergeRange(reference, 0, last);
  }
  if (reference->nLoops() == 2 && params.innerPart > 0 && !params.narrow.fold) {
    reference->split(1, params.innerPart);
    reference->merge(0, 1);
  }
  if (reference->nLoops() == 1 && params.stream.group > 0) {
    reference->split(0, params.stream.part);
  }
  propagateTransforms(reference, selected);
  if (reference->nLoops() > 0) {
    reference->axis(0)->parallelize(ParallelType::GridX);
    propagateParallelTypes(reference, selected);
  }
}

void computeInFront(TensorView* tv, const std::vector<TensorView*>& own, Part& part) {
  schedulePointwiseAround(tv, {}, own);
  part.limits[tv] = 0;
  std::erase_if(part.connected,
                [&](const TensorView* each) { return std::ranges::find(own, each) != own.end(); });
}

void scheduleParts(Fusion* fusion, const CpuPointwiseParams& params,
                   const SchedulePart& schedulePart) {
  if (params.stream.group > 0) {
    streamOutputs(fusion, params.stream);
  }
  forkOutputs(fusion);
  cacheInputs(fusion);
  repeatForResizes(fusion);
  std::vector<TensorView*> outputs;
  for (TensorView* tv : fusion->outputTensors()) {
    if (tv->definition() != nullptr) {
      outputs.push_back(tv);
    }
  }
  std::unordered_map<const TensorView*, int64_t> limits;
  bool isFirst = true;
  while (!outputs.empty()) {
    TensorView* reference = widestOutput(outputs);
    Part part{reference, connectedWith(reference), isFirst, limits};
    isFirst = false;
    if (params.functionsInFront) {
      computeRepeatedInFront(part);
    }
    if (!schedulePart || !schedulePart(part)) {
      schedulePointwiseAround(reference, params, part.connected);
    }
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(part.connected, tv) != part.connected.end();
    });
  }
  readRepeatedOnce(fusion, limits);
  inlineMost(fusion, {}, limits);
  requestAhead(fusion, params.ahead);
  if (params.narrow.fold) {
    foldRows(fusion, params.narrow.fold);
  }
}

}  // namespace nvfuser::heuristics
