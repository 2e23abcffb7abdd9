#include "schedule/heuristics/one_pass.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <set>
#include <unordered_set>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"
#include "schedule/domain_classes.h"
#include "schedule/heuristics/common.h"

namespace nvfuser::heuristics {

namespace {

// x and c of x - c, where c has been reduced along what is reduced next.
struct Difference {
  TensorView* x = nullptr;
  TensorView* center = nullptr;
};

ReductionOp* reductionOf(Expr* expr, BinaryOpType type) {
  auto* reduction = expr->as<ReductionOp>();
  const bool fits = reduction != nullptr && reduction->type() == type &&
                    reduction->out()->dtype() == DataType::Float &&
                    !reduction->out()->isFusionOutput();
  return fits ? reduction : nullptr;
}

BinaryOp* binaryOf(const Val* val, BinaryOpType type) {
  auto* op = val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
  return op != nullptr && op->type() == type ? op : nullptr;
}

const UnaryOp* unaryOf(const Val* val, UnaryOpType type) {
  const auto* op = val->definition() == nullptr ? nullptr : val->definition()->as<UnaryOp>();
  return op != nullptr && op->type() == type ? op : nullptr;
}

std::vector<bool> reducedDims(const TensorView* sum) {
  std::vector<bool> reduced;
  for (const IterDomain* id : sum->logical()) {
    reduced.push_back(id->isReduction());
  }
  return reduced;
}

Difference differenceIn(const Val* val, const std::vector<bool>& reduced) {
  const BinaryOp* op = binaryOf(val, BinaryOpType::Sub);
  if (op == nullptr || !op->input(0)->isTensor() || !op->input(1)->isTensor()) {
    return {};
  }
  const Difference difference{op->input(0)->asTensor(), op->input(1)->asTensor()};
  const auto center = difference.center->visible();
  if (difference.x->dtype() != DataType::Float || difference.center->dtype() != DataType::Float ||
      difference.x->visible().size() != reduced.size() || center.size() != reduced.size()) {
    return {};
  }
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] && (!center[i]->isBroadcast() || center[i]->hasExpandedExtent())) {
      return {};
    }
  }
  return difference;
}

// Of the sum of (x - c)^2: no variance is negative, so nothing cancels.
Difference squaredIn(const ReductionOp* sum) {
  const BinaryOp* square = binaryOf(sum->in(), BinaryOpType::Mul);
  return square == nullptr || square->input(0) != square->input(1)
             ? Difference()
             : differenceIn(square->input(0), reducedDims(sum->out()));
}

bool isUsedOnce(const TensorView* tv) { return !tv->isFusionOutput() && tv->uses().size() == 1; }

// Of the sum of exp(x - c).
Difference exponentIn(const ReductionOp* sum) {
  const UnaryOp* exponential = unaryOf(sum->in(), UnaryOpType::Exp);
  return exponential == nullptr || !exponential->input(0)->isTensor()
             ? Difference()
             : differenceIn(exponential->input(0), reducedDims(sum->out()));
}

// What is broadcast along just these dimensions; null for anything else.
TensorView* beforeBroadcast(const TensorView* tv, const std::vector<bool>& dims) {
  const auto* broadcast =
      tv->definition() == nullptr ? nullptr : tv->definition()->as<BroadcastOp>();
  for (size_t i = 0; broadcast != nullptr && i < dims.size(); ++i) {
    if (broadcast->isBroadcastDim(i) != dims[i]) {
      return nullptr;
    }
  }
  return broadcast == nullptr ? nullptr : broadcast->in();
}

// What `center` is before it gets the reduced dimensions back: computed anew as far as that was
// done before the last element-wise operations. Null for anything else.
TensorView* withoutReducedDims(TensorView* center, const std::vector<bool>& reduced) {
  std::vector<Expr*> operations;
  TensorView* tv = center;
  while (tv->definition() != nullptr && !tv->definition()->is<BroadcastOp>()) {
    Expr* operation = tv->definition();
    const bool isUnary = operation->is<UnaryOp>();
    if (!isUnary && (!operation->is<BinaryOp>() ||
                     operation->input(0)->isTensor() == operation->input(1)->isTensor())) {
      return nullptr;
    }
    operations.push_back(operation);
    tv = operation->input(isUnary || operation->input(0)->isTensor() ? 0 : 1)->asTensor();
  }
  TensorView* result = beforeBroadcast(tv, reduced);
  if (result == nullptr) {
    return nullptr;
  }
  for (size_t i = operations.size(); i-- > 0;) {
    if (const auto* unary = operations[i]->as<UnaryOp>()) {
      result = ops::unary(unary->type(), result);
      continue;
    }
    const auto* binary = operations[i]->as<BinaryOp>();
    const bool isLeft = binary->lhs()->isTensor();
    result = ops::binary(binary->type(), isLeft ? result : binary->lhs(),
                         isLeft ? binary->rhs() : result)
                 ->asTensor();
  }
  return result;
}

TensorView* part(UnaryOpType type, TensorView* whole) {
  TensorView* out = ops::newLike(whole, DataType::Float);
  whole->fusion()->create<UnaryOp>(type, out, whole);
  return out;
}

// `values` merged along these dimensions.
TensorView* reducedBy(BinaryOpType merge, TensorView* values, const PolymorphicValue& none,
                      const std::vector<bool>& reduced) {
  Fusion* fusion = values->fusion();
  std::vector<IterDomain*> logical;
  const std::vector<IterDomain*> in = values->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    logical.push_back(reduced[i] ? in[i]->cloneAs(IterType::Reduction)
                                 : in[i]->cloneWithoutRFactor());
  }
  TensorView* out = ops::newTensor(fusion, std::move(logical), values->dtype());
  fusion->create<ReductionOp>(merge, fusion->create<Val>(values->dtype(), none), out, values);
  return out;
}

// What all x are made to, merged along these dimensions.
TensorView* reducedAs(DataType dtype, UnaryOpType make, BinaryOpType merge, TensorView* x,
                      const std::vector<bool>& reduced) {
  TensorView* values = ops::newLike(x, dtype);
  x->fusion()->create<UnaryOp>(make, values, x);
  return reducedBy(merge, values, PolymorphicValue(0.0), reduced);
}

// Returns whether it could.
bool takeMoments(ReductionOp* sum, ReductionOp* squaresSum, const Difference& squared) {
  Fusion* fusion = sum->out()->fusion();
  const std::vector<bool> reduced = reducedDims(sum->out());
  TensorView* center = withoutReducedDims(squared.center, reduced);
  if (center == nullptr || center->dtype() != DataType::Float) {
    return false;
  }
  TensorView* moments = reducedAs(DataType::FloatMoments, UnaryOpType::MomentsOf,
                                  BinaryOpType::MergeMoments, squared.x, reduced);
  TensorView* mean = part(UnaryOpType::MeanOf, moments);
  TensorView* count = part(UnaryOpType::CountOf, moments);
  fusion->replaceUses(sum->out(), ops::binary(BinaryOpType::Mul, mean, count));
  TensorView* distance = ops::binary(BinaryOpType::Sub, mean, center);
  TensorView* apart =
      ops::binary(BinaryOpType::Mul, count, ops::binary(BinaryOpType::Mul, distance, distance));
  TensorView* deviations = part(UnaryOpType::DeviationsOf, moments);
  fusion->replaceUses(squaresSum->out(), ops::binary(BinaryOpType::Add, deviations, apart));
  return true;
}

// `center` without the dimensions that it broadcasts.
TensorView* squeezed(TensorView* center, const std::vector<bool>& reduced) {
  if (TensorView* before = beforeBroadcast(center, reduced)) {
    return before;
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i]) {
      dims.push_back(static_cast<int64_t>(i));
    }
  }
  return ops::squeeze(center, dims);
}

// Whether something else needs the exponentials, or is computed from the maximum or the sum and has
// elements along what is reduced: a kernel keeps these then, and needs no second pass.
bool isNeededAlongReduced(ReductionOp* maximum, const ReductionOp* sum, const Fusion& fusion) {
  const Val* exponents = sum->in()->definition()->input(0);
  if (!isUsedOnce(sum->in()) || !isUsedOnce(exponents->asTensor())) {
    return true;
  }
  const std::vector<Expr*> exprs = fusion.tensorExprs();
  const DomainClasses classes(exprs);
  const std::set<int64_t> reduced = reducedClasses({maximum}, classes);
  const auto isAlong = [&](const IterDomain* id) {
    return !id->isReduction() && !id->isBroadcast() && reduced.contains(classes.classOf(id));
  };
  std::unordered_set<const Val*> computed{maximum->out(), sum->out()};
  for (const Expr* expr : exprs) {
    if (std::ranges::none_of(expr->inputs(),
                             [&](const Val* in) { return computed.contains(in); })) {
      continue;
    }
    for (const Val* out : expr->outputs()) {
      if (out == exponents) {
        continue;
      }
      computed.insert(out);
      if (out->isTensor() &&
          std::ranges::any_of(static_cast<const TensorView*>(out)->logical(), isAlong)) {
        return true;
      }
    }
  }
  return false;
}

void takeExponentials(ReductionOp* maximum, ReductionOp* sum, const Difference& exponent) {
  Fusion* fusion = sum->out()->fusion();
  const std::vector<bool> reduced = reducedDims(sum->out());
  TensorView* exponentials = reducedAs(DataType::FloatExponentials, UnaryOpType::ExponentialsOf,
                                       BinaryOpType::MergeExponentials, exponent.x, reduced);
  fusion->replaceUses(maximum->out(), part(UnaryOpType::MaximumOf, exponentials));
  TensorView* distance = ops::binary(BinaryOpType::Sub, part(UnaryOpType::CenterOf, exponentials),
                                     squeezed(exponent.center, reduced));
  TensorView* factor = ops::unary(UnaryOpType::Exp, distance);
  fusion->replaceUses(
      sum->out(), ops::binary(BinaryOpType::Mul, part(UnaryOpType::SumOf, exponentials), factor));
}

// Looks for sums of what a difference is in, whose center is computed from a reduction of that type
// of the same operand, and lets `take` compute both at once where it can.
bool combineEach(Fusion* fusion, BinaryOpType type,
                 Difference (*differenceOf)(const ReductionOp* sum),
                 const std::function<bool(ReductionOp* first, ReductionOp* sum,
                                          const Difference& difference)>& take) {
  const FusionGuard guard(fusion);
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  std::unordered_set<const Expr*> done;
  for (Expr* second : exprs) {
    ReductionOp* sum = reductionOf(second, BinaryOpType::Add);
    const Difference difference = sum == nullptr ? Difference() : differenceOf(sum);
    if (difference.x == nullptr) {
      continue;
    }
    for (Expr* candidate : exprs) {
      ReductionOp* first = reductionOf(candidate, type);
      if (first != nullptr && !done.contains(first) && first->in() == difference.x &&
          reducedDims(first->out()) == reducedDims(sum->out()) &&
          dependsOn(difference.center, {first->out()}) && take(first, sum, difference)) {
        done.insert({first, sum});
        break;
      }
    }
  }
  if (!done.empty()) {
    eliminateDeadCode(fusion);
  }
  return !done.empty();
}

// Where the first extreme of x lies, in terms of positions along what is reduced.
struct FirstExtreme {
  TensorView* x = nullptr;
  TensorView* positions = nullptr;
  bool isLargest = false;
};

// What was converted to Float from fewer bits, before that.
const Val* beforeWidening(const Val* val) {
  const UnaryOp* cast = unaryOf(val, UnaryOpType::Cast);
  return cast != nullptr && val->dtype() == DataType::Float &&
                 isReducedPrecision(cast->input(0)->dtype())
             ? cast->input(0)
             : val;
}

// The reduction that `extreme` repeats along what it reduces, through conversions that keep all
// values of x.
const ReductionOp* extremeOf(const Val* extreme, const Val* x, const std::vector<bool>& reduced) {
  const auto beforeConversions = [&](const Val* val) {
    while (const UnaryOp* cast = unaryOf(val, UnaryOpType::Cast)) {
      if (val->dtype() != x->dtype() && val->dtype() != DataType::Float) {
        break;
      }
      val = cast->input(0);
    }
    return val;
  };
  const Val* repeated = beforeConversions(extreme);
  TensorView* kept =
      repeated->isTensor() ? beforeBroadcast(repeated->asTensor(), reduced) : nullptr;
  if (kept == nullptr) {
    return nullptr;
  }
  const Expr* definition = beforeConversions(kept)->definition();
  const auto* reduction = definition == nullptr ? nullptr : definition->as<ReductionOp>();
  return reduction != nullptr && beforeWidening(reduction->in()) == x &&
                 reducedDims(reduction->out()) == reduced
             ? reduction
             : nullptr;
}

// How many elements it numbers from 0 along one dimension; 0 where it does not, or is not known to.
int64_t numbered(const Val* val) {
  const Expr* definition = val->definition();
  while (definition != nullptr &&
         (definition->is<BroadcastOp>() || unaryOf(val, UnaryOpType::Cast) != nullptr)) {
    val = definition->input(0);
    definition = val->definition();
  }
  const auto* iota = definition == nullptr ? nullptr : definition->as<IotaOp>();
  if (iota == nullptr || !iota->start()->isConstInt(0) || !iota->step()->isConstInt(1)) {
    return 0;
  }
  const Val* count = iota->out()->logical()[0]->extent();
  return count->isConstInt() ? count->constInt() : 0;
}

// Of a minimum of positions where an element is NaN or equals the extreme.
FirstExtreme firstExtremeIn(const ReductionOp* minimum) {
  const Expr* selected = minimum->in()->definition();
  const auto* where = selected == nullptr ? nullptr : selected->as<TernaryOp>();
  if (where == nullptr || where->type() != TernaryOpType::Where || !where->input(0)->isTensor() ||
      !where->input(1)->isTensor()) {
    return {};
  }
  // What stands for all other elements must not be below a position.
  const int64_t count = numbered(where->input(1));
  if (count == 0 || count > std::numeric_limits<uint32_t>::max() ||
      !where->input(2)->isConstInt() || where->input(2)->constInt() < count) {
    return {};
  }
  const BinaryOp* found = binaryOf(where->input(0), BinaryOpType::LogicalOr);
  if (found == nullptr) {
    return {};
  }
  const BinaryOp* equal = binaryOf(found->input(0), BinaryOpType::Eq);
  const UnaryOp* isNan = unaryOf(found->input(1), UnaryOpType::IsNan);
  if (equal == nullptr || isNan == nullptr || !equal->input(0)->isTensor() ||
      !equal->input(1)->isTensor()) {
    return {};
  }
  const Val* x = beforeWidening(equal->input(0));
  if (beforeWidening(isNan->input(0)) != x ||
      (x->dtype() != DataType::Float && !isReducedPrecision(x->dtype()))) {
    return {};
  }
  const ReductionOp* extreme = extremeOf(equal->input(1), x, reducedDims(minimum->out()));
  const bool isLargest = extreme != nullptr && extreme->type() == BinaryOpType::Maximum;
  if (extreme == nullptr || (!isLargest && extreme->type() != BinaryOpType::Minimum)) {
    return {};
  }
  return {equal->input(0)->asTensor(), where->input(1)->asTensor(), isLargest};
}

void takeFirst(ReductionOp* minimum, const FirstExtreme& first) {
  TensorView* out = minimum->out();
  Fusion* fusion = out->fusion();
  TensorView* x = ops::convert(first.x, DataType::Float);
  TensorView* keys = ops::newLike(minimum->in(), DataType::Int);
  fusion->create<BinaryOp>(BinaryOpType::KeyOf, keys,
                           first.isLargest ? x : ops::unary(UnaryOpType::Neg, x), first.positions);
  TensorView* key =
      reducedBy(BinaryOpType::Maximum, keys, PolymorphicValue(std::numeric_limits<int64_t>::min()),
                reducedDims(out));
  TensorView* position = ops::newLike(key, out->dtype());
  fusion->create<UnaryOp>(UnaryOpType::PositionOf, position, key);
  if (out->domain()->hasAllocation()) {
    position->followLayout(out);
  }
  replaceTensor(out, position);
}

}  // namespace

bool combineExtremes(Fusion* fusion) {
  const FusionGuard guard(fusion);
  bool hasAny = false;
  for (Expr* expr : fusion->tensorExprs()) {
    auto* minimum = expr->as<ReductionOp>();
    if (minimum == nullptr || minimum->type() != BinaryOpType::Minimum ||
        minimum->out()->loop() != minimum->out()->logical()) {
      continue;
    }
    if (const FirstExtreme first = firstExtremeIn(minimum); first.x != nullptr) {
      takeFirst(minimum, first);
      hasAny = true;
    }
  }
  if (hasAny) {
    eliminateDeadCode(fusion);
  }
  return hasAny;
}

bool combineMoments(Fusion* fusion) {
  return combineEach(fusion, BinaryOpType::Add, squaredIn, takeMoments);
}

bool combineExponentials(Fusion* fusion, bool ofKept) {
  return combineEach(fusion, BinaryOpType::Maximum, exponentIn,
                     [&](ReductionOp* maximum, ReductionOp* sum, const Difference& exponent) {
                       if (!ofKept && isNeededAlongReduced(maximum, sum, *fusion)) {
                         return false;
                       }
                       takeExponentials(maximum, sum, exponent);
                       return true;
                     });
}

}  // namespace nvfuser::heuristics
