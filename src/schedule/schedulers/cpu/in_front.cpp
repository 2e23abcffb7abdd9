#include "schedule/schedulers/cpu/in_front.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "schedule/heuristics/common.h"
#include "schedule/heuristics/references.h"

namespace nvfuser::heuristics {

namespace {

// Whether a loop over a dimension of the reference that `tv` lacks runs around one that it has.
bool isInsideOthers(const TensorView* tv, const std::vector<IterDomain*>& dimensions,
                    const DomainClasses& classes) {
  std::set<int64_t> places;
  for (const IterDomain* id : tv->logical()) {
    if (!id->isBroadcast() && !id->isReduction()) {
      places.insert(classes.findThroughReshapes(dimensions, id));
    }
  }
  return !places.empty() && *places.begin() >= 0 &&
         *places.rbegin() >= static_cast<int64_t>(places.size());
}

bool isSimple(const Expr* expr) {
  return expr->is<UnaryOp>() || expr->is<BinaryOp>() || expr->is<TernaryOp>() ||
         expr->is<LoadStoreOp>() || expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
         expr->is<IotaOp>();
}

// Whether it takes longer to compute than to read.
bool isFunction(const Expr* expr) {
  const auto* unary = expr->as<UnaryOp>();
  return unary != nullptr && unary->type() != UnaryOpType::Cast && !isCheap(expr);
}

}  // namespace

std::vector<TensorView*> computedFor(TensorView* tv) {
  std::vector<TensorView*> tensors{tv};
  for (const Expr* expr : exprsAbove({tv->definition()})) {
    tensors.push_back(expr->output(0)->asTensor());
  }
  return tensors;
}

std::vector<TensorView*> repeatedFunctions(const TensorView* reference,
                                           const DomainClasses& classes) {
  std::vector<IterDomain*> dimensions;
  std::ranges::copy_if(reference->domain()->maybeAllocation(), std::back_inserter(dimensions),
                       [](const IterDomain* id) { return !id->isBroadcast(); });
  std::vector<Expr*> readers = exprsAbove({reference->definition()});
  readers.push_back(reference->definition());
  std::set<TensorView*> found;
  for (const Expr* expr : readers) {
    for (Val* in : expr->inputs()) {
      TensorView* tv = in->isTensor() ? in->asTensor() : nullptr;
      if (tv == nullptr || tv->definition() == nullptr || !isSimple(expr) ||
          concreteRank(expr->output(0)->asTensor()) <= concreteRank(tv) ||
          !isInsideOthers(tv, dimensions, classes)) {
        continue;
      }
      const std::vector<TensorView*> chain = computedFor(tv);
      const bool areSimple = std::ranges::all_of(
          chain, [](const TensorView* each) { return isSimple(each->definition()); });
      const bool evaluates = std::ranges::any_of(
          chain, [](const TensorView* each) { return isFunction(each->definition()); });
      if (areSimple && evaluates) {
        found.insert(tv);
      }
    }
  }
  std::vector<TensorView*> result(found.begin(), found.end());
  std::ranges::sort(result, {}, &Val::name);
  return result;
}

}  // namespace nvfuser::heuristics
