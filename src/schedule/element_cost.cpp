#include "schedule/element_cost.h"

#include <algorithm>
#include <functional>
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

// Whether something reads the elements that a broadcast repeats along with others, for a result of
// which that is asked.
bool repeatsElements(const BroadcastOp* broadcast,
                     const std::function<bool(const TensorView*)>& isAsked) {
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
      if (!use->is<BroadcastOp>() && broadcasts(result) < broadcasts(tv) && isAsked(result)) {
        return true;
      }
      if (seen.insert(result).second) {
        stack.push_back(result);
      }
    }
  }
  return false;
}

// Whether a broadcast repeats each of many elements along a short row: a thread without lanes of
// its own computes them one by one, and none of the row meanwhile.
bool repeatsAlongShortRows(const BroadcastOp* broadcast) {
  const std::vector<IterDomain*>& dims = broadcast->output(0)->asTensor()->logical();
  return broadcast->isBroadcastDim(dims.size() - 1) &&
         mayHaveMore(broadcast->in(), limits::kShortRows) &&
         repeatsElements(broadcast, [&](const TensorView* result) {
           const IterDomain* row = result->logical().back();
           return row->isIteration() && row->extent()->isConstInt() &&
                  row->extent()->constInt() <= limits::kShortRow;
         });
}

// Whether an operand takes more than `least` to compute from what is in memory. What depends
// on a reduction, and single values, are computed once for many elements anyway; of long chains it
// is not looked for, for each of many readers.
bool isLongComputation(const Val* val, int64_t least) {
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
  return cost > least;
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
  if (broadcast == nullptr) {
    return false;
  }
  const bool hasThreads = target.capabilities.hasThreads;
  if (!hasThreads && isLongComputation(in, limits::kFunctionCost) &&
      repeatsAlongShortRows(broadcast)) {
    return true;
  }
  // A launch takes as long as that.
  const int64_t few = hasThreads ? limits::kRepeatedElements : 0;
  return isLongComputation(in, limits::kRepeatedCost) &&
         repeatsElements(broadcast,
                         [&](const TensorView* result) { return mayHaveMore(result, few); });
}

}  // namespace nvfuser
