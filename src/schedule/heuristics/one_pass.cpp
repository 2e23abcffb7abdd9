#include "schedule/heuristics/one_pass.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
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

// Of the sum of exp(x - c), where nothing else needs the exponentials.
Difference exponentIn(const ReductionOp* sum) {
  const auto* exponential =
      sum->in()->definition() == nullptr ? nullptr : sum->in()->definition()->as<UnaryOp>();
  if (exponential == nullptr || exponential->type() != UnaryOpType::Exp || !isUsedOnce(sum->in()) ||
      !exponential->input(0)->isTensor() || !isUsedOnce(exponential->input(0)->asTensor())) {
    return {};
  }
  return differenceIn(exponential->input(0), reducedDims(sum->out()));
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

// What all x are made to, reduced along these dimensions.
TensorView* reducedAs(DataType dtype, UnaryOpType make, BinaryOpType merge, TensorView* x,
                      const std::vector<bool>& reduced) {
  Fusion* fusion = x->fusion();
  TensorView* values = ops::newLike(x, dtype);
  fusion->create<UnaryOp>(make, values, x);
  std::vector<IterDomain*> logical;
  const std::vector<IterDomain*> in = values->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    logical.push_back(reduced[i] ? in[i]->cloneAs(IterType::Reduction)
                                 : in[i]->cloneWithoutRFactor());
  }
  TensorView* out = ops::newTensor(fusion, std::move(logical), dtype);
  Val* none = fusion->create<Val>(dtype, PolymorphicValue(0.0));
  fusion->create<ReductionOp>(merge, none, out, values);
  return out;
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

// Whether something but the exponents is computed from the maximum or the sum that has elements
// along what is reduced: a kernel keeps these then, and needs no second pass.
bool isNeededAlongReduced(ReductionOp* maximum, const ReductionOp* sum, const Fusion& fusion) {
  const Val* exponents = sum->in()->definition()->input(0);
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

// Returns whether it could.
bool takeExponentials(ReductionOp* maximum, ReductionOp* sum, const Difference& exponent) {
  Fusion* fusion = sum->out()->fusion();
  if (isNeededAlongReduced(maximum, sum, *fusion)) {
    return false;
  }
  const std::vector<bool> reduced = reducedDims(sum->out());
  TensorView* exponentials = reducedAs(DataType::FloatExponentials, UnaryOpType::ExponentialsOf,
                                       BinaryOpType::MergeExponentials, exponent.x, reduced);
  fusion->replaceUses(maximum->out(), part(UnaryOpType::MaximumOf, exponentials));
  TensorView* distance = ops::binary(BinaryOpType::Sub, part(UnaryOpType::CenterOf, exponentials),
                                     squeezed(exponent.center, reduced));
  TensorView* factor = ops::unary(UnaryOpType::Exp, distance);
  fusion->replaceUses(
      sum->out(), ops::binary(BinaryOpType::Mul, part(UnaryOpType::SumOf, exponentials), factor));
  return true;
}

// Looks for sums of what a difference is in, whose center is computed from a reduction of that type
// of the same operand, and lets `take` compute both at once where it can.
bool combineEach(Fusion* fusion, BinaryOpType type,
                 Difference (*differenceOf)(const ReductionOp* sum),
                 bool (*take)(ReductionOp* first, ReductionOp* sum, const Difference& difference)) {
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

}  // namespace

bool combineMoments(Fusion* fusion) {
  return combineEach(fusion, BinaryOpType::Add, squaredIn, takeMoments);
}

bool combineExponentials(Fusion* fusion) {
  return combineEach(fusion, BinaryOpType::Maximum, exponentIn, takeExponentials);
}

}  // namespace nvfuser::heuristics
