#include "schedule/heuristics/pointwise.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include "schedule/heuristics/common.h"
#include "schedule/propagate.h"

namespace nvfuser::heuristics {

namespace {

int64_t concreteRank(const TensorView* tv) {
  return std::ranges::count_if(tv->logical(), [](IterDomain* id) {
    return !id->isBroadcast() && !id->isReduction();
  });
}

// The output that the others are computed beside: the one of highest rank.
TensorView* chooseReference(const std::vector<TensorView*>& outputs) {
  return *std::ranges::max_element(outputs, {}, [](TensorView* tv) {
    return std::pair(concreteRank(tv), -tv->name());
  });
}

// The tensors that have to do with `start`, in order of definition.
std::vector<TensorView*> connectedWith(TensorView* start) {
  std::unordered_set<TensorView*> seen;
  std::vector<TensorView*> stack{start};
  while (!stack.empty()) {
    TensorView* tv = stack.back();
    stack.pop_back();
    if (!seen.insert(tv).second) {
      continue;
    }
    const auto visit = [&](Expr* expr) {
      for (const auto* side : {&expr->inputs(), &expr->outputs()}) {
        for (Val* val : *side) {
          if (val->isTensor()) {
            stack.push_back(val->asTensor());
          }
        }
      }
    };
    if (tv->definition() != nullptr) {
      visit(tv->definition());
    }
    std::ranges::for_each(tv->uses(), visit);
  }
  std::vector<TensorView*> tensors(seen.begin(), seen.end());
  std::ranges::sort(tensors, {}, &Val::name);
  return tensors;
}

}  // namespace

ScheduleParams pointwiseParams(Fusion* fusion, const ScheduleContext& context) {
  ScheduleParams params;
  params.type = SchedulerType::Pointwise;
  // Few rows that are long are divided, so that all workers have a part.
  const TensorView* reference = chooseReference(fusion->outputTensors());
  int64_t total = 1;
  int64_t innermost = 1;
  for (IterDomain* id : reference->domain()->maybeAllocation()) {
    if (!id->isBroadcast() && !id->isReduction()) {
      innermost = context.extent(id->extent());
      total *= innermost;
    }
  }
  constexpr int64_t kChunk = 8192;
  if (innermost >= 4 * kChunk && total / innermost < 4 * context.numThreads) {
    params.innerChunk = kChunk;
  }
  return params;
}

void schedulePointwiseAround(TensorView* reference, int64_t innerChunk,
                             const std::vector<TensorView*>& selected) {
  const DomainClasses classes(reference->fusion()->tensorExprs());
  orderLikeMemory(reference, classes);
  mergeContiguous(reference, 0, reference->nLoops() - 1, classes);
  if (reference->nLoops() > 2) {
    mergeRange(reference, 0, reference->nLoops() - 2);
  }
  if (reference->nLoops() == 2 && innerChunk > 0) {
    reference->split(1, innerChunk);
    reference->merge(0, 1);
  }
  propagateTransforms(reference, selected);
  if (reference->nLoops() > 0) {
    reference->axis(0)->parallelize(ParallelType::GridX);
    propagateParallelTypes(reference, selected);
  }
}

void schedulePointwise(Fusion* fusion, const ScheduleParams& params) {
  forkOutputs(fusion);
  cacheInputs(fusion);
  // Outputs that have nothing to do with each other are scheduled on their own.
  std::vector<TensorView*> outputs;
  for (TensorView* tv : fusion->outputTensors()) {
    if (tv->definition() != nullptr) {
      outputs.push_back(tv);
    }
  }
  while (!outputs.empty()) {
    TensorView* reference = chooseReference(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference);
    schedulePointwiseAround(reference, params.innerChunk, connected);
    std::erase_if(outputs, [&](TensorView* tv) {
      return std::ranges::find(connected, tv) != connected.end();
    });
  }
  inlineMost(fusion);
}

}  // namespace nvfuser::heuristics
