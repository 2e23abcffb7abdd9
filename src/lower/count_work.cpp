#include "lower/count_work.h"

#include <algorithm>

namespace nvfuser {

namespace {

// Whether an element takes much longer than to load and store it: scans wait for the element
// before.
bool takesLong(const kir::Statement& statement) {
  const auto* compute = std::get_if<kir::Compute>(&statement.node);
  return compute != nullptr && (evaluatesFunction(compute->expr) || compute->expr->is<ScanOp>());
}

void count(const kir::Block& block, kir::Work& work) {
  for (const kir::Statement& statement : block) {
    if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
      ++work.loops;
      kir::forEachStatement(*loop->body, [&](const kir::Statement& inner) {
        work.functions += takesLong(inner) ? 1 : 0;
      });
    } else if (std::holds_alternative<kir::If>(statement.node)) {
      kir::forEachBlock(statement, [&](const kir::Block& inner) { count(inner, work); });
    } else if (takesLong(statement)) {
      ++work.loops;
    } else {
      ++work.statements;
    }
  }
}

}  // namespace

void countWork(const PassContext& context) {
  kir::Phase& phase = context.phase;
  for (const kir::Statement& statement : phase.body) {
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    if (loop == nullptr || loop->index != phase.parallelIndex) {
      continue;
    }
    count(*loop->body, phase.work);
    const bool isOfElements = std::ranges::none_of(*loop->body, [](const kir::Statement& inner) {
      return std::holds_alternative<kir::Loop>(inner.node);
    });
    if (isOfElements) {
      phase.work = {.functions = phase.work.loops};
    }
  }
}

}  // namespace nvfuser
