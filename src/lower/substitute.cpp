#include "lower/substitute.h"

#include <algorithm>

#include "ir/scalar.h"

namespace nvfuser::kir {

namespace {

class Substitution {
 public:
  Substitution(const Val* symbol, Val* value) : symbol_(symbol), value_(value) {}

  bool apply(Block& block) const {
    return std::ranges::all_of(block, [&](Statement& statement) { return apply(statement); });
  }

  bool apply(Statement& statement) const {
    return visit(
        statement,
        [&](Loop& loop) { return apply(loop.start) && apply(loop.stop) && apply(*loop.body); },
        [&](If& choice) {
          return applyToCondition(choice.condition) && apply(*choice.then) &&
                 (choice.otherwise == nullptr || apply(*choice.otherwise));
        },
        [&](Compute& compute) {
          return apply(compute.out.index) &&
                 std::ranges::all_of(compute.inputs,
                                     [&](Operand& operand) { return apply(operand); }) &&
                 apply(compute.first) && apply(compute.end);
        },
        [&](Assign& assign) { return apply(assign.out.index) && apply(assign.value); },
        [](const Either<TransposedCopy, WholeLines, StreamedCopy, Prefetch, LoadIndex, Barrier,
                        BlockReduce, BlockScan> auto&) { return false; });
  }

 private:
  bool apply(Operand& operand) const {
    auto* access = std::get_if<Access>(&operand);
    return apply(access != nullptr ? access->index : std::get<Val*>(operand));
  }

  bool apply(Val*& val) const {
    Val* result = val == nullptr ? nullptr : scalar::substituted(val, symbol_, value_);
    const bool isWritten = val == nullptr || result != nullptr;
    val = result;
    return isWritten;
  }

  bool applyToCondition(Val*& condition) const {
    Val* result = nullptr;
    for (Val* atom : scalar::atomsOf(condition)) {
      const auto* binary =
          atom->definition() == nullptr ? nullptr : atom->definition()->as<BinaryOp>();
      if (binary == nullptr ||
          (binary->type() != BinaryOpType::Lt && binary->type() != BinaryOpType::Ge)) {
        return false;
      }
      Val* lhs = binary->lhs();
      Val* rhs = binary->rhs();
      if (!apply(lhs) || !apply(rhs)) {
        return false;
      }
      result = scalar::logicalAnd(
          result, binary->type() == BinaryOpType::Lt ? scalar::lt(lhs, rhs) : scalar::ge(lhs, rhs));
    }
    condition = result;
    return true;
  }

  const Val* symbol_;
  Val* value_;
};

}  // namespace

bool substitute(Statement& statement, const Val* symbol, Val* value) {
  return Substitution(symbol, value).apply(statement);
}

bool substitute(Block& block, const Val* symbol, Val* value) {
  return Substitution(symbol, value).apply(block);
}

}  // namespace nvfuser::kir
