#include "lower/index_values.h"

#include <unordered_map>

#include "ir/logical_map.h"
#include "ir/scalar.h"
#include "ir/traversal.h"
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

// What counts the elements of a vector that an index tensor holds along one of its dimensions.
struct Count {
  const IotaOp* iota = nullptr;
  // The dimension that the result of the lookup has of it.
  const IterDomain* dimension = nullptr;
  // What the remainders that the tensor holds are of; null where it holds what is counted.
  const Val* divisor = nullptr;
};

// Without an iota where the index tensor holds something else.
Count countBehind(const LookupOp* lookup) {
  Count count;
  const TensorView* tv = lookup->index();
  DomainMap map = producerToConsumer(lookup, tv, lookup->out());
  while (const Expr* definition = tv->definition()) {
    if (const auto* iota = definition->as<IotaOp>()) {
      const auto known = map.find(iota->out()->logical()[0]);
      if (known != map.end()) {
        count.iota = iota;
        count.dimension = known->second;
      }
      break;
    }
    const auto* binary = definition->as<BinaryOp>();
    const bool wraps = binary != nullptr && binary->type() == BinaryOpType::Remainder &&
                       count.divisor == nullptr && binary->lhs()->isTensor() &&
                       !binary->rhs()->isTensor();
    if (!wraps && !definition->is<BroadcastOp>()) {
      break;
    }
    if (wraps) {
      count.divisor = binary->rhs();
    }
    const auto* operand = definition->input(0)->asTensor();
    DomainMap next;
    for (const auto& [from, to] : pairwiseMap(definition, operand, tv)) {
      if (const auto known = map.find(to); known != map.end()) {
        next.emplace(from, known->second);
      }
    }
    map = std::move(next);
    tv = operand;
  }
  return count;
}

}  // namespace

Val* knownPosition(const LookupOp* lookup, DomainIndices& indices) {
  const auto [iota, dimension, divisor] = countBehind(lookup);
  if (iota == nullptr || dimension->isBroadcast()) {
    return nullptr;
  }
  const IterDomain* indexed = lookup->in()->visible()[static_cast<size_t>(lookup->dim())];
  Val* extent = iota->out()->logical()[0]->extent();
  if (!scalar::same(extent, indexed->visibleExtent()) ||
      (divisor != nullptr && !scalar::same(extent, divisor))) {
    return nullptr;
  }
  Val* element = indices.element(dimension);
  if (iota->step()->isConstInt(1) && iota->start()->isConstInt(0)) {
    return element;
  }
  if (iota->step()->isConstInt(1) && divisor != nullptr && isSmallInt(iota->start())) {
    // The first element, and how many there are from it on. No element is read of none.
    Val* first = scalar::wrapped(scalar::constant(lookup->fusion(), iota->start()->constInt()),
                                 scalar::max(extent, lookup->fusion()->one()));
    Val* behind = scalar::sub(extent, first);
    return scalar::where(scalar::lt(element, behind), scalar::add(element, first),
                         scalar::sub(element, behind));
  }
  if (iota->step()->isConstInt(-1) && isLastOf(iota->start(), extent)) {
    return scalar::sub(scalar::sub(extent, lookup->fusion()->one()), element);
  }
  return nullptr;
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
