#include "emit/precision.h"

#include <algorithm>
#include <vector>

namespace nvfuser {

namespace {

// Sums of such values do not cancel.
bool isPositive(const TensorView* tv) {
  const Expr* definition = tv->definition();
  const auto keepsSign = [](const Expr* expr) {
    const auto* reduction = expr->as<ReductionOp>();
    return reduction != nullptr ? reduction->type() == BinaryOpType::Add
                                : expr->is<LoadStoreOp>() || expr->is<BroadcastOp>() ||
                                      expr->is<SqueezeOp>() || expr->is<ExpandOp>();
  };
  while (definition != nullptr && keepsSign(definition)) {
    definition = definition->input(0)->definition();
  }
  const auto* unary = definition == nullptr ? nullptr : definition->as<UnaryOp>();
  return unary != nullptr && has(unary->type(), OpTraits::Positive);
}

}  // namespace

// What the results of its uses are comes first: an explicit stack, for long chains of them.
bool NarrowResults::contains(const TensorView* tv) {
  std::vector<const TensorView*> stack{tv};
  while (!stack.empty()) {
    const TensorView* next = stack.back();
    if (known_.contains(next)) {
      stack.pop_back();
      continue;
    }
    if (isReducedPrecision(next->dtype()) || next->dtype() != DataType::Float ||
        next->isFusionOutput() || next->uses().empty()) {
      known_[next] = isReducedPrecision(next->dtype());
      continue;
    }
    const size_t depth = stack.size();
    for (const Expr* use : next->uses()) {
      for (const Val* out : use->outputs()) {
        if (out->isTensor() && !known_.contains(out->asTensor())) {
          stack.push_back(out->asTensor());
        }
      }
    }
    if (stack.size() == depth) {
      known_[next] = std::ranges::all_of(next->uses(),
                                         [&](const Expr* use) { return isNarrowUse(use, next); });
    }
  }
  return known_.at(tv);
}

bool NarrowResults::isNarrowUse(const Expr* use, const TensorView* tv) {
  if (use->outputs().empty() || !use->output(0)->isTensor()) {
    return false;
  }
  const TensorView* out = use->output(0)->asTensor();
  switch (use->kind()) {
    case ExprKind::Unary: {
      const auto type = static_cast<UnaryOpType>(use->attribute(0));
      if (type == UnaryOpType::Cast) {
        return isReducedPrecision(out->dtype());
      }
      return has(type, OpTraits::Relative) && known_.at(out);
    }
    case ExprKind::Binary:
      return has(static_cast<BinaryOpType>(use->attribute(0)), OpTraits::Relative) &&
             known_.at(out);
    case ExprKind::Reduction: {
      const bool sums = static_cast<BinaryOpType>(use->attribute(0)) == BinaryOpType::Add;
      return sums && isPositive(tv) && known_.at(out);
    }
    case ExprKind::LoadStore:
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Expand:
    case ExprKind::Reshape:
    case ExprKind::Slice:
    case ExprKind::Pad:
      return known_.at(out);
    default:
      return false;
  }
}

}  // namespace nvfuser
