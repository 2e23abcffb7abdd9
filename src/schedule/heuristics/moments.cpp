#include "schedule/heuristics/moments.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"

namespace nvfuser::heuristics {

namespace {

// x and c of the sum of (x - c)^2: no variance is negative, so nothing cancels.
struct Squares {
  TensorView* x = nullptr;
  TensorView* center = nullptr;
};

ReductionOp* sumOf(Expr* expr) {
  auto* sum = expr->as<ReductionOp>();
  const bool fits = sum != nullptr && sum->type() == BinaryOpType::Add &&
                    sum->out()->dtype() == DataType::Float && !sum->out()->isFusionOutput();
  return fits ? sum : nullptr;
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

Squares squaresIn(const ReductionOp* sum) {
  const BinaryOp* square = binaryOf(sum->in(), BinaryOpType::Mul);
  if (square == nullptr || square->input(0) != square->input(1)) {
    return {};
  }
  const BinaryOp* difference = binaryOf(square->input(0), BinaryOpType::Sub);
  if (difference == nullptr || !difference->input(0)->isTensor() ||
      !difference->input(1)->isTensor()) {
    return {};
  }
  const Squares squares{difference->input(0)->asTensor(), difference->input(1)->asTensor()};
  const auto center = squares.center->visible();
  const auto reduced = reducedDims(sum->out());
  if (squares.x->dtype() != DataType::Float || squares.center->dtype() != DataType::Float ||
      squares.x->visible().size() != reduced.size() || center.size() != reduced.size()) {
    return {};
  }
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (reduced[i] && (!center[i]->isBroadcast() || center[i]->hasExpandedExtent())) {
      return {};
    }
  }
  return squares;
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
  if (tv->definition() == nullptr) {
    return nullptr;
  }
  const auto* broadcast = tv->definition()->as<BroadcastOp>();
  for (size_t i = 0; i < reduced.size(); ++i) {
    if (broadcast->isBroadcastDim(i) != reduced[i]) {
      return nullptr;
    }
  }
  TensorView* result = broadcast->in();
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

TensorView* part(UnaryOpType type, TensorView* moments) {
  TensorView* out = ops::newLike(moments, DataType::Float);
  moments->fusion()->create<UnaryOp>(type, out, moments);
  return out;
}

// Returns whether it could.
bool combine(ReductionOp* sum, ReductionOp* squaresSum, const Squares& squares) {
  Fusion* fusion = sum->out()->fusion();
  TensorView* center = withoutReducedDims(squares.center, reducedDims(sum->out()));
  if (center == nullptr || center->dtype() != DataType::Float) {
    return false;
  }
  TensorView* values = ops::newLike(squares.x, DataType::FloatMoments);
  fusion->create<UnaryOp>(UnaryOpType::MomentsOf, values, squares.x);
  const std::vector<bool> reduced = reducedDims(sum->out());
  std::vector<IterDomain*> logical;
  const std::vector<IterDomain*> in = values->visible();
  for (size_t i = 0; i < in.size(); ++i) {
    logical.push_back(reduced[i] ? in[i]->cloneAs(IterType::Reduction)
                                 : in[i]->cloneWithoutRFactor());
  }
  TensorView* moments = ops::newTensor(fusion, std::move(logical), DataType::FloatMoments);
  Val* none = fusion->create<Val>(DataType::FloatMoments, PolymorphicValue(0.0));
  fusion->create<ReductionOp>(BinaryOpType::MergeMoments, none, moments, values);

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

}  // namespace

bool combineMoments(Fusion* fusion) {
  const FusionGuard guard(fusion);
  const std::vector<Expr*> exprs = fusion->tensorExprs();
  std::unordered_set<const Expr*> done;
  for (Expr* second : exprs) {
    ReductionOp* squaresSum = sumOf(second);
    const Squares squares = squaresSum == nullptr ? Squares{} : squaresIn(squaresSum);
    if (squares.x == nullptr) {
      continue;
    }
    for (Expr* first : exprs) {
      ReductionOp* sum = sumOf(first);
      if (sum != nullptr && !done.contains(sum) && sum->in() == squares.x &&
          reducedDims(sum->out()) == reducedDims(squaresSum->out()) &&
          dependsOn(squares.center, {sum->out()}) && combine(sum, squaresSum, squares)) {
        done.insert({sum, squaresSum});
        break;
      }
    }
  }
  if (!done.empty()) {
    eliminateDeadCode(fusion);
  }
  return !done.empty();
}

}  // namespace nvfuser::heuristics
