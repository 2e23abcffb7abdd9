#include "ir/views.h"

#include <algorithm>

namespace nvfuser {

const LoadStoreOp* asPermutation(const Expr* expr) {
  const auto* copy = expr == nullptr ? nullptr : expr->as<LoadStoreOp>();
  return copy != nullptr && copy->isPermutation() ? copy : nullptr;
}

bool isReshapeOrPermutation(const Expr* expr) {
  return expr != nullptr && (expr->is<ReshapeOp>() || asPermutation(expr) != nullptr);
}

bool mayBeView(const Expr* expr) {
  if (expr->inputs().empty() || !expr->input(0)->isTensor()) {
    return false;
  }
  switch (expr->kind()) {
    case ExprKind::LoadStore:
      return asPermutation(expr) != nullptr;
    case ExprKind::Reshape:
    case ExprKind::Broadcast:
    case ExprKind::Squeeze:
    case ExprKind::Slice:
      return true;
    default:
      return false;
  }
}

bool haveSameOnes(const TensorView* a, const TensorView* b) {
  return std::ranges::equal(a->visible(), b->visible(), {}, &IterDomain::isBroadcast,
                            &IterDomain::isBroadcast);
}

size_t dimOfOperand(const BroadcastOp* broadcast, size_t dim) {
  size_t before = 0;
  for (size_t i = 0; i < dim; ++i) {
    before += broadcast->isBroadcastDim(i) ? 1 : 0;
  }
  return dim - before;
}

}  // namespace nvfuser
