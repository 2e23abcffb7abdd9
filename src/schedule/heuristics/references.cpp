#include "schedule/heuristics/references.h"

#include <algorithm>
#include <unordered_set>

#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

int64_t concreteRank(const TensorView* tv) {
  return std::ranges::count_if(
      tv->logical(), [](IterDomain* id) { return !id->isBroadcast() && !id->isReduction(); });
}

TensorView* widestOutput(const std::vector<TensorView*>& outputs) {
  return *std::ranges::max_element(
      outputs, {}, [](TensorView* tv) { return std::pair(concreteRank(tv), -tv->name()); });
}

std::vector<TensorView*> outputsAmong(const std::vector<TensorView*>& tensors) {
  std::vector<TensorView*> outputs;
  std::ranges::copy_if(tensors, std::back_inserter(outputs), &Val::isFusionOutput);
  return outputs;
}

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
      // What is cut out of an input has loops of its own.
      if (isResize(expr) && expr->input(0)->isFusionInput() && expr->input(0) == tv) {
        return;
      }
      for (const auto* side : {&expr->inputs(), &expr->outputs()}) {
        for (Val* val : *side) {
          if (val->isTensor() && !(isResize(expr) && val->isFusionInput())) {
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

namespace {

// The innermost concrete dimension of a tensor in memory, null for none.
IterDomain* innermostOf(const TensorView* tv) {
  const auto& allocation = tv->domain()->maybeAllocation();
  for (size_t i = allocation.size(); i-- > 0;) {
    if (!allocation[i]->isBroadcast() && !allocation[i]->isReduction()) {
      return tv->domain()->contiguity()[i].value_or(false) ? allocation[i] : nullptr;
    }
  }
  return nullptr;
}

}  // namespace

Crossing findCrossing(const TensorView* reference) {
  Crossing crossing;
  const DomainClasses classes(reference->fusion()->tensorExprs());
  const IterDomain* inner = innermostOf(reference);
  if (inner == nullptr) {
    return crossing;
  }
  const int64_t innerClass = classes.classOf(inner);
  for (Val* input : reference->fusion()->inputs()) {
    if (!input->isTensor() || input->uses().empty()) {
      continue;
    }
    TensorView* tv = input->asTensor();
    if (std::ranges::any_of(tv->uses(), [&](Expr* use) { return isLookedUp(tv, use); })) {
      continue;
    }
    const IterDomain* fastest = innermostOf(tv);
    const int64_t across = classes.find(tv->logical(), innerClass);
    if (fastest == nullptr || classes.classOf(fastest) == innerClass || across < 0 ||
        tv->logical()[static_cast<size_t>(across)]->isBroadcast()) {
      continue;
    }
    const int64_t place = classes.find(reference->logical(), classes.classOf(fastest));
    if (place < 0 || classes.isResized(classes.classOf(fastest)) || classes.isResized(innerClass)) {
      continue;
    }
    IterDomain* domain = reference->logical()[static_cast<size_t>(place)];
    if (crossing.domain == nullptr || crossing.domain == domain) {
      crossing.domain = domain;
      crossing.inputs.push_back(tv);
    }
  }
  return crossing;
}

}  // namespace nvfuser::heuristics
