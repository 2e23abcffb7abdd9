#include "schedule/element_cost.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "ir/nodes.h"
#include "ir/passes.h"
#include "schedule/heuristics/common.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Functions that reduce their argument first, or are made of others.
bool isLongFunction(const Expr* expr) {
  if (const auto* binary = expr->as<BinaryOp>()) {
    return binary->type() == BinaryOpType::Pow;
  }
  const auto* unary = expr->as<UnaryOp>();
  if (unary == nullptr) {
    return false;
  }
  switch (unary->type()) {
    case UnaryOpType::Sin:
    case UnaryOpType::Cos:
    case UnaryOpType::Tan:
    case UnaryOpType::Lgamma:
    case UnaryOpType::Erfinv:
    case UnaryOpType::Erfcinv:
      return true;
    default:
      return false;
  }
}

// What is neither one instruction nor a function: processors have a few for it.
bool isOfFewInstructions(const Expr* expr) {
  if (const auto* binary = expr->as<BinaryOp>()) {
    switch (binary->type()) {
      case BinaryOpType::Maximum:
      case BinaryOpType::Minimum:
      case BinaryOpType::BitwiseAnd:
      case BinaryOpType::BitwiseOr:
      case BinaryOpType::BitwiseXor:
      case BinaryOpType::LogicalAnd:
      case BinaryOpType::LogicalOr:
        return true;
      default:
        return false;
    }
  }
  const auto* unary = expr->as<UnaryOp>();
  if (unary == nullptr) {
    return false;
  }
  switch (unary->type()) {
    case UnaryOpType::Floor:
    case UnaryOpType::Ceil:
    case UnaryOpType::Round:
    case UnaryOpType::Trunc:
    case UnaryOpType::LogicalNot:
    case UnaryOpType::BitwiseNot:
      return true;
    default:
      return false;
  }
}

// Whether an expression is a cast of an instruction or two. From floating point to 64 bits few
// processors have one for vectors.
bool isFreeCast(const Expr* expr) {
  const auto* cast = expr->as<UnaryOp>();
  if (cast == nullptr || cast->type() != UnaryOpType::Cast) {
    return false;
  }
  return cast->output(0)->dtype() != DataType::Int || !isFloatingPointType(cast->input(0)->dtype());
}

// Whether a tensor has more elements, or an unknown number.
bool mayHaveMore(const TensorView* tv, int64_t elements) {
  int64_t count = 1;
  for (const IterDomain* id : tv->logical()) {
    const Val* extent = id->visibleExtent();
    if (!extent->isConstInt()) {
      return true;
    }
    count *= id->isIteration() ? extent->constInt() : 1;
  }
  return count > elements;
}

// Whether something reads the elements that a broadcast repeats along with others, for more
// results than so many.
bool repeatsElements(const BroadcastOp* broadcast, int64_t few) {
  const auto* out = broadcast->output(0)->asTensor();
  std::vector<const TensorView*> stack{out};
  std::unordered_set<const TensorView*> seen{out};
  while (!stack.empty()) {
    const TensorView* tv = stack.back();
    stack.pop_back();
    for (const Expr* use : tv->uses()) {
      const auto* result = use->output(0)->asTensor();
      const bool isPointwise = isElementwise(use) || use->is<BroadcastOp>() || use->is<ExpandOp>();
      if (!isPointwise) {
        continue;
      }
      const auto broadcasts = [](const TensorView* of) {
        return std::ranges::count_if(of->logical(), &IterDomain::isBroadcast);
      };
      if (!use->is<BroadcastOp>() && broadcasts(result) < broadcasts(tv) &&
          mayHaveMore(result, few)) {
        return true;
      }
      if (seen.insert(result).second) {
        stack.push_back(result);
      }
    }
  }
  return false;
}

// Whether an operand takes more than kRepeatedCost to compute from what is in memory. What depends
// on a reduction, and single values, are computed once for many elements anyway; of long chains it
// is not looked for, for each of many readers.
bool isLongComputation(const Val* val) {
  std::unordered_set<const Val*> seen{val};
  std::vector<const Val*> stack{val};
  int64_t cost = 0;
  while (!stack.empty()) {
    const Expr* expr = stack.back()->definition();
    stack.pop_back();
    if (expr == nullptr) {
      continue;
    }
    // A concatenation selects.
    const bool selects = expr->is<PadOp>() || expr->is<CatOp>();
    const std::optional<int64_t> own = selects ? 1 : costOf(expr);
    if (!own || std::ssize(seen) > limits::kRepeatedOps) {
      return false;
    }
    cost += *own;
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && seen.insert(in).second) {
        stack.push_back(in);
      }
    }
  }
  return cost > limits::kRepeatedCost;
}

bool hasDimensions(const Val* val) {
  return val->isTensor() && std::ranges::any_of(val->asTensor()->logical(),
                                                [](const auto* id) { return id->isIteration(); });
}

}  // namespace

std::optional<int64_t> costOf(const Expr* expr) {
  if (isLongFunction(expr)) {
    return limits::kLongFunctionCost;
  }
  if (isOfFewInstructions(expr) || expr->is<TernaryOp>()) {
    return limits::kFewInstructions;
  }
  if (expr->is<UnaryOp>() || expr->is<BinaryOp>()) {
    return isFreeCast(expr) || heuristics::isCheap(expr) ? 1 : limits::kFunctionCost;
  }
  if (expr->is<ReshapeOp>()) {
    // Each divides the index again.
    return limits::kFunctionCost;
  }
  const auto* copy = expr->as<LoadStoreOp>();
  const bool isFree = (copy != nullptr && !copy->isSegmentBoundary()) || expr->is<BroadcastOp>() ||
                      expr->is<SqueezeOp>() || expr->is<ExpandOp>() || expr->is<SliceOp>() ||
                      expr->is<FullOp>() || expr->is<IotaOp>();
  return isFree ? std::optional<int64_t>(0) : std::nullopt;
}

bool repeatsLongComputation(const Expr* expr, const Val* in, const Target& target) {
  if (!in->isTensor() || in->definition() == nullptr || !hasDimensions(in)) {
    return false;
  }
  const auto* broadcast = expr->as<BroadcastOp>();
  // A launch takes as long as that.
  const int64_t few = target.capabilities.hasThreads ? limits::kRepeatedElements : 0;
  return broadcast != nullptr && isLongComputation(in) && repeatsElements(broadcast, few);
}

}  // namespace nvfuser
