#include "lower/index_values.h"

#include <unordered_map>

#include "ir/scalar.h"
#include "ir/traversal.h"
#include "lower/index.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

bool isSmallInt(const Val* val) {
  return val->isConstInt() && val->constInt() <= limits::kOffset &&
         val->constInt() >= -limits::kOffset;
}

// Whether all loops of the tensor are shared with what is computed next.
bool isInline(const TensorView* tv, const std::vector<Val*>& loopIndices) {
  return tv->definition() != nullptr && tv->memoryType() == MemoryType::Local &&
         tv->nLoops() <= static_cast<int64_t>(loopIndices.size()) &&
         tv->computeAt() == tv->nLoops();
}

// Whether a tensor is one operand, or a sum or difference of two.
bool isSum(const TensorView* tv) {
  const auto* binary = tv->definition()->as<BinaryOp>();
  return tv->definition()->is<BroadcastOp>() ||
         (binary != nullptr &&
          (binary->type() == BinaryOpType::Add || binary->type() == BinaryOpType::Sub));
}

// A sum of indices and constants; null for anything else.
class CountedIndices {
 public:
  explicit CountedIndices(const std::vector<Val*>& loopIndices) : loopIndices_(loopIndices) {}

  Val* of(Val* val) {
    visitOperandsFirst(
        val, [&](Val* v) { return !isSumOfIndices(v) || known_.contains(v); },
        [&](Val* v) { known_[v] = sum(v->definition()); });
    return operand(val);
  }

 private:
  bool isSumOfIndices(const Val* val) const {
    return val->isTensor() && val->dtype() == DataType::Int &&
           isInline(val->asTensor(), loopIndices_) && isSum(val->asTensor());
  }

  Val* sum(const Expr* expr) {
    Val* lhs = operand(expr->input(0));
    if (expr->is<BroadcastOp>()) {
      return lhs;
    }
    Val* rhs = operand(expr->input(1));
    if (lhs == nullptr || rhs == nullptr) {
      return nullptr;
    }
    return expr->as<BinaryOp>()->type() == BinaryOpType::Add ? scalar::add(lhs, rhs)
                                                             : scalar::sub(lhs, rhs);
  }

  Val* operand(Val* val) const {
    if (!val->isTensor()) {
      return isSmallInt(val) ? scalar::constant(val->fusion(), val->constInt()) : nullptr;
    }
    if (isSumOfIndices(val)) {
      return known_.at(val);
    }
    TensorView* tv = val->asTensor();
    if (tv->dtype() != DataType::Int || !isInline(tv, loopIndices_)) {
      return nullptr;
    }
    auto* iota = tv->definition()->as<IotaOp>();
    if (iota == nullptr || !isSmallInt(iota->start()) || !iota->step()->isConstInt(1)) {
      return nullptr;
    }
    DomainIndices indices(tv, {loopIndices_.begin(), loopIndices_.begin() + tv->nLoops()});
    return scalar::add(indices.element(tv->logical()[0]),
                       scalar::constant(tv->fusion(), iota->start()->constInt()));
  }

  const std::vector<Val*>& loopIndices_;
  std::unordered_map<const Val*, Val*> known_;
};

// Whether `start` is the last index of a dimension of `extent` elements.
bool isLastOf(const Val* start, const Val* extent) {
  if (start->isConstInt() && extent->isConstInt()) {
    return start->constInt() == extent->constInt() - 1;
  }
  const auto* sub = start->definition() == nullptr ? nullptr : start->definition()->as<BinaryOp>();
  return sub != nullptr && sub->type() == BinaryOpType::Sub && scalar::same(sub->lhs(), extent) &&
         sub->rhs()->isConstInt(1);
}

}  // namespace

Val* knownPosition(TensorView* index, const Val* extent, const std::vector<Val*>& loopIndices) {
  while (isInline(index, loopIndices) && index->definition()->is<BroadcastOp>()) {
    index = index->definition()->input(0)->asTensor();
  }
  const auto* iota = isInline(index, loopIndices) ? index->definition()->as<IotaOp>() : nullptr;
  if (iota == nullptr || !scalar::same(index->logical()[0]->extent(), extent)) {
    return nullptr;
  }
  DomainIndices indices(index, {loopIndices.begin(), loopIndices.begin() + index->nLoops()});
  Val* element = indices.element(index->logical()[0]);
  if (iota->start()->isConstInt(0) && iota->step()->isConstInt(1)) {
    return element;
  }
  if (!isLastOf(iota->start(), extent) || !iota->step()->isConstInt(-1)) {
    return nullptr;
  }
  Val* last = scalar::sub(index->logical()[0]->extent(), index->fusion()->one());
  return scalar::sub(last, element);
}

Val* comparedIndices(TensorView* tv, const std::vector<Val*>& loopIndices) {
  if (!isInline(tv, loopIndices)) {
    return nullptr;
  }
  auto* compare = tv->definition()->as<BinaryOp>();
  if (compare == nullptr || !compare->lhs()->isTensor() || !compare->rhs()->isTensor()) {
    return nullptr;
  }
  CountedIndices counted(loopIndices);
  Val* lhs = counted.of(compare->lhs());
  Val* rhs = counted.of(compare->rhs());
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
