#include "lower/lift_conditions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/scalar.h"
#include "ir/traversal.h"
#include "lower/builder.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Integers in a loop over the elements of a vector.
class InVector {
 public:
  InVector(const kir::Kernel& kernel, const kir::Loop& loop)
      : kernel_(kernel), element_(loop.index), width_(loop.stop->constInt()) {}

  // That the condition holds for all elements; null where that is not known to be an interval.
  Val* ofAll(Val* condition) {
    const auto* compared = comparisonOf(condition);
    if (compared == nullptr) {
      return nullptr;
    }
    if (compared->type() == BinaryOpType::LogicalAnd) {
      Val* left = ofAll(compared->lhs());
      Val* right = left == nullptr ? nullptr : ofAll(compared->rhs());
      return right == nullptr ? nullptr : scalar::logicalAnd(left, right);
    }
    const Part value = partOf(compared->lhs());
    const Part bound = partOf(compared->rhs());
    if (value.first == nullptr || bound.first == nullptr || bound.runs) {
      return nullptr;
    }
    Val* rest = scalar::constant(condition->fusion(), value.runs ? width_ - 1 : 0);
    switch (compared->type()) {
      case BinaryOpType::Lt:
        return scalar::lt(scalar::add(value.first, rest), bound.first);
      case BinaryOpType::Ge:
        return scalar::ge(value.first, bound.first);
      default:
        return nullptr;
    }
  }

  // The condition on the first element, if it is that of all; else the same.
  Val* lifted(Val* condition) {
    const auto* compared = comparisonOf(condition);
    if (compared == nullptr) {
      return condition;
    }
    if (compared->type() == BinaryOpType::LogicalAnd) {
      return scalar::logicalAnd(lifted(compared->lhs()), lifted(compared->rhs()));
    }
    const bool isBelow = compared->type() == BinaryOpType::Lt;
    if (!isBelow && compared->type() != BinaryOpType::Ge) {
      return condition;
    }
    const Part value = partOf(compared->lhs());
    const Part bound = partOf(compared->rhs());
    if (value.first == nullptr || bound.first == nullptr || bound.runs ||
        (value.runs && !(isMultiple(value.first) && isMultiple(bound.first)))) {
      return condition;
    }
    return isBelow ? scalar::lt(value.first, bound.first) : scalar::ge(value.first, bound.first);
  }

 private:
  static const BinaryOp* comparisonOf(const Val* condition) {
    return condition->definition() == nullptr ? nullptr : condition->definition()->as<BinaryOp>();
  }

  // A value is `first`, to which the number of the element is added if it runs along the vector.
  // Nothing of others.
  struct Part {
    Val* first = nullptr;
    bool runs = false;
  };

  Part partOf(Val* root) {
    visitOperandsFirst(
        root, [&](const Val* val) { return parts_.contains(val); },
        [&](Val* val) { parts_[val] = compute(val); });
    return parts_.at(root);
  }

  Part compute(Val* val) {
    if (val == element_) {
      return {val->fusion()->zero(), true};
    }
    const auto* operation =
        val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
    if (operation == nullptr) {
      const bool isApart = val->definition() == nullptr ||
                           std::ranges::all_of(val->definition()->inputs(), [&](const Val* in) {
                             return parts_.at(in).first == in;
                           });
      return isApart ? Part{val} : Part{};
    }
    const Part a = parts_.at(operation->lhs());
    const Part b = parts_.at(operation->rhs());
    if (a.first == operation->lhs() && b.first == operation->rhs() && !a.runs && !b.runs) {
      return {val};
    }
    const bool isInteger = val->dtype() == DataType::Index || val->dtype() == DataType::Int;
    if (a.first == nullptr || b.first == nullptr || !isInteger) {
      return {};
    }
    const bool areWhole = isMultiple(a.first) && isMultiple(b.first);
    switch (operation->type()) {
      case BinaryOpType::Add:
        return a.runs && b.runs ? Part{} : Part{scalar::add(a.first, b.first), a.runs || b.runs};
      case BinaryOpType::Sub:
        return b.runs ? Part{} : Part{scalar::sub(a.first, b.first), a.runs};
      case BinaryOpType::Mul:
        return a.runs || b.runs ? Part{} : Part{scalar::mul(a.first, b.first)};
      case BinaryOpType::Div:
        return b.runs || (a.runs && !areWhole) ? Part{} : Part{scalar::div(a.first, b.first)};
      case BinaryOpType::Mod:
        return b.runs || (a.runs && !areWhole) ? Part{}
                                               : Part{scalar::mod(a.first, b.first), a.runs};
      default:
        return {};
    }
  }

  bool isMultiple(Val* root) {
    visitOperandsFirst(
        root, [&](const Val* val) { return multiples_.contains(val); },
        [&](Val* val) { multiples_[val] = computeMultiple(val); });
    return multiples_.at(root);
  }

  bool computeMultiple(const Val* val) const {
    if (val->isConstInt()) {
      return val->constInt() % width_ == 0;
    }
    if (std::ranges::any_of(kernel_.divisible, [&](const Fusion::Divisibility& known) {
          return known.factor % width_ == 0 && scalar::same(known.extent, val);
        })) {
      return true;
    }
    const auto* operation =
        val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
    if (operation == nullptr) {
      return false;
    }
    const bool isLeft = multiples_.at(operation->lhs());
    const bool isRight = multiples_.at(operation->rhs());
    switch (operation->type()) {
      case BinaryOpType::Mul:
        return isLeft || isRight;
      case BinaryOpType::Add:
      case BinaryOpType::Sub:
      case BinaryOpType::Mod:
      case BinaryOpType::Minimum:
      case BinaryOpType::Maximum:
        return isLeft && isRight;
      default:
        return false;
    }
  }

  const kir::Kernel& kernel_;
  const Val* element_;
  int64_t width_;
  std::unordered_map<const Val*, Part> parts_;
  std::unordered_map<const Val*, bool> multiples_;
};

bool isOverVector(const kir::Loop& loop) {
  return loop.start->isConstInt(0) && loop.step == 1 && loop.stop->isConstInt() &&
         loop.stop->constInt() > 1;
}

// `vector` is the innermost loop around the block, if that runs over a vector.
void lift(const kir::Kernel& kernel, kir::Block& block, InVector* vector) {
  for (kir::Statement& statement : block) {
    if (auto* loop = std::get_if<kir::Loop>(&statement.node)) {
      const bool isVector = isOverVector(*loop);
      std::optional<InVector> inside;
      if (isVector) {
        inside.emplace(kernel, *loop);
      }
      lift(kernel, *loop->body, isVector ? &*inside : nullptr);
      continue;
    }
    if (auto* choice = std::get_if<kir::If>(&statement.node); choice != nullptr && vector) {
      choice->condition = vector->lifted(choice->condition);
    }
    kir::forEachBlock(statement, [&](kir::Block& inside) { lift(kernel, inside, vector); });
  }
}

// Whether an element is computed from what the thread has, without loops or other conditions than
// those around single statements.
bool isOfElement(const kir::Statement& statement) {
  const auto isPlain = [](const kir::Statement& plain) {
    return std::holds_alternative<kir::Compute>(plain.node) ||
           std::holds_alternative<kir::Assign>(plain.node);
  };
  const auto* choice = std::get_if<kir::If>(&statement.node);
  bool isLocal = true;
  kir::forEachAccess(statement, [&](const kir::Access& access, kir::Use, const TensorView*) {
    isLocal = isLocal && access.tv->memoryType() == MemoryType::Local;
  });
  return isLocal && (choice == nullptr ? isPlain(statement)
                                       : choice->otherwise == nullptr &&
                                             std::ranges::all_of(*choice->then, isPlain));
}

// Whether it takes less to compute whole vectors without conditions than all elements under some:
// the threads of a warp that has an end of a row compute both sides of the branch, one after the
// other. `vectors` are those of a row; 0: unknown, and many.
bool isWorthBranch(const kir::Loop& loop, int64_t vectors, int64_t warpSize) {
  int64_t cost = 0;
  int64_t conditions = 0;
  bool mergesPairs = false;
  kir::forEachStatement(*loop.body, [&](const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    conditions += std::holds_alternative<kir::If>(statement.node) ? 1 : 0;
    cost += compute == nullptr ? 0 : costOf(compute->expr).value_or(1);
    mergesPairs = mergesPairs || (compute != nullptr && compute->expr->outputs().size() > 1);
  });
  // Both ends of a row are in a warp. Pairs of whole vectors are merged at once.
  return vectors == 0 || mergesPairs ||
         2 * warpSize * cost <= vectors * conditions * limits::kConditionCost;
}

// The loop with a branch around it, if there is to be one.
std::optional<kir::Block> branched(const kir::Kernel& kernel, kir::Loop& loop) {
  if (!isOverVector(loop) || !std::ranges::all_of(*loop.body, isOfElement)) {
    return std::nullopt;
  }
  InVector vector(kernel, loop);
  Val* isWhole = nullptr;
  kir::Block body;
  for (const kir::Statement& statement : *loop.body) {
    const auto* choice = std::get_if<kir::If>(&statement.node);
    if (choice == nullptr || !dependsOn(choice->condition, {loop.index})) {
      body.push_back(kir::copyOf(statement));
      continue;
    }
    Val* ofAll = vector.ofAll(choice->condition);
    if (ofAll == nullptr) {
      return std::nullopt;
    }
    isWhole = scalar::logicalAnd(isWhole, ofAll);
    std::ranges::move(kir::copyOf(*choice->then), std::back_inserter(body));
  }
  if (isWhole == nullptr) {
    return std::nullopt;
  }
  kir::Loop whole = kir::similarLoop(loop, loop.start, loop.stop, std::move(body));
  return kir::blockOf(
      {kir::choiceOf(isWhole, kir::blockOf({std::move(whole)}), kir::blockOf({std::move(loop)}))});
}

// `vectors` are those that the threads of a row have in one iteration of the loops around the
// block.
void branchIn(const PassContext& context, kir::Block& block, int64_t vectors) {
  kir::Block result;
  for (kir::Statement& statement : block) {
    if (auto* loop = std::get_if<kir::Loop>(&statement.node)) {
      std::optional<kir::Block> replacement;
      if (isWorthBranch(*loop, vectors, context.target.gpu.warpSize)) {
        replacement = branched(context.kernel, *loop);
      }
      if (replacement) {
        std::ranges::move(*replacement, std::back_inserter(result));
        continue;
      }
      const bool isKnown = loop->start->isConstInt(0) && loop->stop->isConstInt();
      branchIn(context, *loop->body, isKnown ? vectors * loop->stop->constInt() : 0);
    } else {
      kir::forEachBlock(statement, [&](kir::Block& inner) { branchIn(context, inner, vectors); });
    }
    result.push_back(std::move(statement));
  }
  block = std::move(result);
}

}  // namespace

void liftConditions(const PassContext& context) {
  lift(context.kernel, context.phase.body, nullptr);
}

void branchOnWholeVectors(const PassContext& context) {
  int64_t vectors = 0;
  for (const kir::ThreadDimension& dimension : context.phase.threads) {
    if (dimension.type == ParallelType::BlockX && dimension.extent->isConstInt()) {
      vectors = dimension.extent->constInt();
    }
  }
  branchIn(context, context.phase.body, vectors);
}

}  // namespace nvfuser
