#include "lower/split_periods.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/scalar.h"
#include "lower/builder.h"
#include "lower/interleave.h"
#include "lower/linear.h"
#include "lower/substitute.h"

namespace nvfuser {

namespace {

bool hasInterleaved(const kir::Block& block) {
  bool found = false;
  kir::forEachStatement(block, [&](const kir::Statement& statement) {
    found = found || isMarkedInterleaved(statement);
  });
  return found;
}

// The remainder of the loop's index that a condition compares.
Val* remainderIn(Val* condition, const kir::Loop& loop) {
  for (const Val* atom : scalar::atomsOf(condition)) {
    const auto* compare =
        atom->definition() == nullptr ? nullptr : atom->definition()->as<BinaryOp>();
    if (compare == nullptr) {
      continue;
    }
    for (Val* side : {compare->lhs(), compare->rhs()}) {
      for (const auto& [term, factor] : linear(side).factors) {
        const auto* remainder =
            term->definition() == nullptr ? nullptr : term->definition()->as<BinaryOp>();
        if (remainder != nullptr && remainder->type() == BinaryOpType::Mod &&
            remainder->lhs() == loop.index && remainder->rhs()->isConstInt() &&
            remainder->rhs()->constInt() > 0 &&
            loop.stop->constInt() % remainder->rhs()->constInt() == 0) {
          return term;
        }
      }
    }
  }
  return nullptr;
}

// That of the first condition of what is to be interleaved.
Val* findPeriod(const kir::Loop& loop) {
  for (const kir::Statement& statement : *loop.body) {
    const auto* choice = std::get_if<kir::If>(&statement.node);
    if (choice == nullptr || !hasInterleaved(*choice->then)) {
      continue;
    }
    if (Val* remainder = remainderIn(choice->condition, loop)) {
      return remainder;
    }
  }
  return nullptr;
}

}  // namespace

void splitPeriods(const PassContext& context) {
  const kir::Builder build(context.kernel, context.phase);
  kir::rewriteLoops(context.phase.body, [&](kir::Loop& loop) -> std::optional<kir::Block> {
    if (loop.index == context.phase.parallelIndex || loop.step != 1 || loop.isReduction ||
        !loop.start->isConstInt(0) || !loop.stop->isConstInt()) {
      return std::nullopt;
    }
    Val* remainder = findPeriod(loop);
    if (remainder == nullptr) {
      return std::nullopt;
    }
    Val* period = remainder->definition()->as<BinaryOp>()->rhs();
    Val* row = build.freshIndex();
    Val* element = build.freshIndex();
    kir::Block body = kir::copyOf(*loop.body);
    // Quotients and remainders first, which are made of the index.
    if (!kir::substitute(body, remainder, element) ||
        !kir::substitute(body, scalar::div(loop.index, period), row) ||
        !kir::substitute(body, loop.index, scalar::add(scalar::mul(row, period), element))) {
      return std::nullopt;
    }
    kir::Loop inner = kir::similarLoop(loop, loop.start, period, std::move(body));
    inner.index = element;
    return kir::blockOf({kir::plainLoop(row, loop.start, scalar::div(loop.stop, period),
                                        kir::blockOf({std::move(inner)}))});
  });
}

}  // namespace nvfuser
