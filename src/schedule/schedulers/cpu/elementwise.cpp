#include "schedule/schedulers/cpu/elementwise.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/clone.h"
#include "ir/logical_map.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"
#include "schedule/propagate.h"
#include "schedule/schedulers/cpu/streaming.h"

namespace nvfuser::heuristics {

namespace {

// The sizes of the loops of a tensor that is not scheduled yet, as far as memory leaves them apart.
std::vector<int64_t> loopSizes(const TensorView* tv, const ScheduleContext& context) {
  Cloner cloner(nullptr);
  const std::unique_ptr<Fusion> copy = cloneFusion(*tv->fusion(), &cloner);
  TensorView* reference = cloner.clone(tv);
  const DomainClasses classes(copy->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  std::unordered_map<const Val*, int64_t> sizes;
  for (size_t i = 0; i < tv->logical().size(); ++i) {
    sizes[reference->logical()[i]] = context.extent(tv->logical()[i]->extent());
  }
  for (const Expr* merge : transformsBetween(reference->logical(), reference->loop())) {
    sizes[merge->output(0)] = sizes.at(merge->input(0)) * sizes.at(merge->input(1));
  }
  std::vector<int64_t> result;
  for (const IterDomain* id : reference->loop()) {
    result.push_back(sizes.at(id));
  }
  return result;
}

// What is left of the loops around the innermost one when the outer ones are enough for all
// workers.
int64_t chooseSerialLoops(const TensorView* reference, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  if (concreteRank(reference) <= tuning.fewLoops) {
    return 0;
  }
  const std::vector<int64_t> sizes = loopSizes(reference, context);
  const auto count = static_cast<int64_t>(sizes.size());
  if (count <= tuning.fewLoops || sizes.back() >= tuning.indexedRow) {
    return 0;
  }
  int64_t rows = 1;
  int64_t parallel = 0;
  while (parallel < count - 1 && rows < tuning.manyRows) {
    rows *= sizes[static_cast<size_t>(parallel++)];
  }
  return count - 1 - parallel;
}

}  // namespace

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

CpuPointwiseParams pointwiseParams(const FusionSummary& summary, const ScheduleContext& context) {
  const CpuTuning& tuning = context.tuning.cpu;
  CpuPointwiseParams params;
  // Few rows that are long are divided, so that all workers have a part.
  const TensorView* reference = widestOutput(summary.fusion()->outputTensors());
  const auto [total, innermost] = sizeOf(reference, context);
  if (innermost >= tuning.longRowParts * tuning.longRowPart &&
      total / innermost < tuning.partsPerWorker * context.target.cpu.workers) {
    params.innerPart = tuning.longRowPart;
  }
  if (summary.hasScan()) {
    return params;
  }
  params.serialLoops = chooseSerialLoops(reference, context);
  // Functions are computed for longer than it takes to write their results, which ordinary stores
  // do meanwhile.
  if (std::ranges::none_of(summary.exprs(), evaluatesFunction)) {
    params.stream = streamParams(summary.fusion(), context, innermost);
  }
  return params;
}

void schedulePointwiseAround(TensorView* reference, const CpuPointwiseParams& params,
                             const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  if (reference->nLoops() > 2) {
    mergeRange(reference, 0, std::max<int64_t>(0, reference->nLoops() - 2 - params.serialLoops));
  }
  if (reference->nLoops() == 2 && params.innerPart > 0) {
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

void scheduleParts(Fusion* fusion, const CpuPointwiseParams& params,
                   const SchedulePart& schedulePart) {
  if (params.stream.group > 0) {
    streamOutputs(fusion);
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
    if (!schedulePart || !schedulePart(part)) {
      schedulePointwiseAround(reference, params, part.connected);
    }
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(part.connected, tv) != part.connected.end();
    });
  }
  inlineMost(fusion, {}, limits);
}

}  // namespace nvfuser::heuristics
