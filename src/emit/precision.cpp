#include "emit/precision.h"

#include <algorithm>

namespace nvfuser {

namespace {

// Sums of such values do not cancel.
bool isPositive(const TensorView* tv) {
  const Expr* definition = tv->definition();
  if (definition == nullptr) {
    return false;
  }
  if (const auto* unary = definition->as<UnaryOp>()) {
    const UnaryOpType type = unary->type();
    return type == UnaryOpType::Exp || type == UnaryOpType::Exp2 || type == UnaryOpType::Sigmoid;
  }
  if (const auto* reduction = definition->as<ReductionOp>()) {
    return reduction->type() == BinaryOpType::Add && isPositive(reduction->in());
  }
  const bool copies = definition->is<LoadStoreOp>() || definition->is<BroadcastOp>() ||
                      definition->is<SqueezeOp>() || definition->is<ExpandOp>();
  return copies && isPositive(definition->input(0)->asTensor());
}

}  // namespace

bool hasNarrowVariant(UnaryOpType type) {
  switch (type) {
    case UnaryOpType::Exp:
    case UnaryOpType::Exp2:
    case UnaryOpType::Gelu:
    case UnaryOpType::GeluTanh:
    case UnaryOpType::Sigmoid:
    case UnaryOpType::Silu:
    case UnaryOpType::Tanh:
      return true;
    default:
      return false;
  }
}

bool NarrowResults::contains(const TensorView* tv) {
  if (isReducedPrecision(tv->dtype())) {
    return true;
  }
  if (tv->dtype() != DataType::Float || tv->isFusionOutput() || tv->uses().empty()) {
    return false;
  }
  if (const auto found = known_.find(tv); found != known_.end()) {
    return found->second;
  }
  const bool result =
      std::ranges::all_of(tv->uses(), [&](const Expr* use) { return isNarrowUse(use, tv); });
  known_[tv] = result;
  return result;
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
      const bool keeps = type == UnaryOpType::Neg || type == UnaryOpType::Abs ||
                         type == UnaryOpType::Relu || type == UnaryOpType::Reciprocal ||
                         type == UnaryOpType::Sqrt || type == UnaryOpType::Rsqrt;
      return keeps && contains(out);
    }
    case ExprKind::Binary: {
      const auto type = static_cast<BinaryOpType>(use->attribute(0));
      const bool keeps =
          type == BinaryOpType::Mul || type == BinaryOpType::Div || type == BinaryOpType::Truediv;
      return keeps && contains(out);
    }
    case ExprKind::Reduction: {
      const bool sums = static_cast<BinaryOpType>(use->attribute(0)) == BinaryOpType::Add;
      return sums && isPositive(tv) && contains(out);
    }
    case ExprKind::LoadStore:
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Expand:
    case ExprKind::Reshape:
    case ExprKind::Slice:
    case ExprKind::Pad:
      return contains(out);
    default:
      return false;
  }
}

}  // namespace nvfuser
