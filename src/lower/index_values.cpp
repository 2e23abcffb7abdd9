#include "lower/index_values.h"

#include "ir/scalar.h"
#include "lower/index.h"

namespace nvfuser {

namespace {

// Far from where sums with an index overflow.
constexpr int64_t kMaxOffset = int64_t{1} << 40;

bool isSmallInt(const Val* val) {
  return val->isConstInt() && val->constInt() <= kMaxOffset && val->constInt() >= -kMaxOffset;
}

// Whether all loops of the tensor are shared with what is computed next.
bool isInline(const TensorView* tv, const std::vector<Val*>& loopIndices) {
  return tv->definition() != nullptr && tv->memoryType() == MemoryType::Local &&
         tv->nLoops() <= static_cast<int64_t>(loopIndices.size()) &&
         tv->computeAt() == tv->nLoops();
}

// A sum of indices and constants; null for anything else.
Val* countedIndex(Val* val, const std::vector<Val*>& loopIndices) {
  if (!val->isTensor()) {
    return isSmallInt(val) ? scalar::constant(val->fusion(), val->constInt()) : nullptr;
  }
  TensorView* tv = val->asTensor();
  if (tv->dtype() != DataType::Int || !isInline(tv, loopIndices)) {
    return nullptr;
  }
  Expr* expr = tv->definition();
  if (auto* iota = expr->as<IotaOp>()) {
    if (!isSmallInt(iota->start()) || !iota->step()->isConstInt(1)) {
      return nullptr;
    }
    DomainIndices indices(tv, {loopIndices.begin(), loopIndices.begin() + tv->nLoops()});
    return scalar::add(indices.element(tv->logical()[0]),
                       scalar::constant(tv->fusion(), iota->start()->constInt()));
  }
  if (expr->is<BroadcastOp>()) {
    return countedIndex(expr->input(0), loopIndices);
  }
  auto* binary = expr->as<BinaryOp>();
  if (binary == nullptr ||
      (binary->type() != BinaryOpType::Add && binary->type() != BinaryOpType::Sub)) {
    return nullptr;
  }
  Val* lhs = countedIndex(binary->lhs(), loopIndices);
  Val* rhs = countedIndex(binary->rhs(), loopIndices);
  if (lhs == nullptr || rhs == nullptr) {
    return nullptr;
  }
  return binary->type() == BinaryOpType::Add ? scalar::add(lhs, rhs) : scalar::sub(lhs, rhs);
}

}  // namespace

Val* comparedIndices(TensorView* tv, const std::vector<Val*>& loopIndices) {
  if (!isInline(tv, loopIndices)) {
    return nullptr;
  }
  auto* compare = tv->definition()->as<BinaryOp>();
  if (compare == nullptr || !compare->lhs()->isTensor() || !compare->rhs()->isTensor()) {
    return nullptr;
  }
  Val* lhs = countedIndex(compare->lhs(), loopIndices);
  Val* rhs = countedIndex(compare->rhs(), loopIndices);
  if (lhs == nullptr || rhs == nullptr) {
    return nullptr;
  }
  switch (compare->type()) {
    case BinaryOpType::Lt:
      return scalar::lt(lhs, rhs);
    case BinaryOpType::Ge:
      return scalar::ge(lhs, rhs);
    case BinaryOpType::Gt:
      return scalar::lt(rhs, lhs);
    case BinaryOpType::Le:
      return scalar::ge(rhs, lhs);
    default:
      return nullptr;
  }
}

}  // namespace nvfuser
