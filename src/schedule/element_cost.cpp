#include "schedule/element_cost.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
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

// Functions that processors have an instruction for.
bool isRoot(const Expr* expr) {
  const auto* unary = expr->as<UnaryOp>();
  return unary != nullptr &&
         (unary->type() == UnaryOpType::Sqrt || unary->type() == UnaryOpType::Rsqrt ||
          unary->type() == UnaryOpType::Reciprocal);
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

int64_t broadcastsOf(const TensorView* tv) {
  return std::ranges::count_if(tv->logical(), &IterDomain::isBroadcast);
}

// Whether something reads elements along with others that repeats them, for a result of which that
// is asked: what `first` computes of `repeated`, or what is computed of that.
bool repeatsElements(const TensorView* repeated, const Expr* first,
                     const std::function<bool(const TensorView*)>& isAsked) {
  std::vector<const Expr*> stack{first};
  std::unordered_set<const TensorView*> seen;
  std::unordered_set<const TensorView*> inFront{repeated};
  while (!stack.empty()) {
    const Expr* use = stack.back();
    stack.pop_back();
    const auto* result = use->output(0)->asTensor();
    const bool isPointwise = isElementwise(use) || use->is<BroadcastOp>() || use->is<ExpandOp>();
    if (!isPointwise) {
      continue;
    }
    const bool repeats = std::ranges::any_of(use->inputs(), [&](const Val* in) {
      return in->isTensor() && inFront.contains(in->asTensor()) &&
             broadcastsOf(result) < broadcastsOf(in->asTensor());
    });
    if (!use->is<BroadcastOp>() && repeats && isAsked(result)) {
      return true;
    }
    if (seen.insert(result).second) {
      inFront.insert(result);
      std::ranges::copy(result->uses(), std::back_inserter(stack));
    }
  }
  return false;
}

// The elements of the last dimensions of a result, along which all others are the same; more than
// any where that is not known.
int64_t elementsOfRow(const TensorView* repeated, const TensorView* result) {
  const std::vector<IterDomain*>& dims = result->logical();
  const std::vector<IterDomain*> own = repeated->visible();
  int64_t elements = 1;
  for (size_t i = dims.size(); own.size() == dims.size() && i-- > 0 && own[i]->isBroadcast();) {
    if (!dims[i]->extent()->isConstInt()) {
      return std::numeric_limits<int64_t>::max();
    }
    elements *= dims[i]->isIteration() ? dims[i]->extent()->constInt() : 1;
  }
  return elements;
}

// Whether an expression repeats each of many elements along a short row: a thread without lanes of
// its own computes them one by one, and none of the row meanwhile.
bool repeatsAlongShortRows(const Expr* expr, const TensorView* in) {
  const TensorView* repeated = expr->is<BroadcastOp>() ? expr->output(0)->asTensor() : in;
  return mayHaveMore(in, limits::kShortRows) &&
         repeatsElements(in, expr, [&](const TensorView* result) {
           const int64_t row = elementsOfRow(repeated, result);
           return row > 1 && row <= limits::kShortRow;
         });
}

// Whether an operand takes at least `least` to compute from what is in memory. What depends
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
  return cost >= least;
}

bool hasDimensions(const Val* val) {
  return val->isTensor() && std::ranges::any_of(val->asTensor()->logical(),
                                                [](const auto* id) { return id->isIteration(); });
}

// The elements of each row that those of a tensor are reduced from, if there are many and that is
// known.
std::optional<int64_t> reducedRow(const TensorView* tv) {
  while (tv->definition() != nullptr && tv->definition()->is<BroadcastOp>()) {
    tv = tv->definition()->input(0)->asTensor();
  }
  if (tv->definition() == nullptr || !tv->definition()->is<ReductionOp>() ||
      !mayHaveMore(tv, limits::kShortRows)) {
    return std::nullopt;
  }
  int64_t row = 1;
  for (const IterDomain* id : tv->logical()) {
    if (id->isReduction() && !id->extent()->isConstInt()) {
      return std::nullopt;
    }
    row *= id->isReduction() ? id->extent()->constInt() : 1;
  }
  return row;
}

}  // namespace

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
  const auto* tv = in->asTensor();
  const auto* out = expr->output(0)->asTensor();
  const bool repeatsItself = isElementwise(expr) && broadcastsOf(out) < broadcastsOf(tv);
  if (!expr->is<BroadcastOp>() && !repeatsItself) {
    return false;
  }
  const bool hasThreads = target.capabilities.hasThreads;
  if (!hasThreads && isLongComputation(in, limits::kFunctionCost) &&
      repeatsAlongShortRows(expr, tv)) {
    return true;
  }
  // A launch takes as long as that.
  const int64_t few = hasThreads ? limits::kRepeatedElements : 0;
  return isLongComputation(in, limits::kRepeatedCost) &&
         repeatsElements(tv, expr,
                         [&](const TensorView* result) { return mayHaveMore(result, few); });
}

bool computesForSeveralParts(const Val* in, const Target& target) {
  if (target.capabilities.hasThreads || in->definition() == nullptr ||
      !isLongFunction(in->definition())) {
    return false;
  }
  std::unordered_set<const Val*> seen{in};
  std::vector<const Val*> stack{in};
  int64_t parts = 0;
  while (!stack.empty()) {
    const Val* next = stack.back();
    stack.pop_back();
    for (const Expr* use : next->uses()) {
      const bool isPart =
          use->is<PadOp>() && std::ranges::any_of(use->output(0)->uses(), &Expr::is<CatOp>);
      const bool keepsElements = isElementwise(use) || use->is<BroadcastOp>() ||
                                 use->is<SqueezeOp>() || use->is<LoadStoreOp>();
      if (isPart) {
        parts += seen.insert(use->output(0)).second ? 1 : 0;
      } else if (keepsElements && seen.insert(use->output(0)).second) {
        stack.push_back(use->output(0));
      }
    }
  }
  return parts > 1;
}

bool computesBehindShortRows(const Expr* expr, const Val* in, const Target& target) {
  if (target.capabilities.hasThreads || !evaluatesFunction(expr) || isRoot(expr)) {
    return false;
  }
  const std::optional<int64_t> row = reducedRow(in->asTensor());
  if (!row || *row > limits::kShortRow) {
    return false;
  }
  // Rows that need the result are in the cache still: to read them again takes longer, unless they
  // are a few vectors.
  const auto* out = expr->output(0)->asTensor();
  const auto isAny = [](const TensorView*) { return true; };
  return *row <= limits::kShortestRow || std::ranges::none_of(out->uses(), [&](const Expr* use) {
    return repeatsElements(out, use, isAny);
  });
}

}  // namespace nvfuser
