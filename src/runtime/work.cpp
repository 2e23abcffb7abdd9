#include "runtime/work.h"

#include <algorithm>
#include <unordered_set>

namespace nvfuser {

namespace {

class Counter {
 public:
  void add(const kir::Block& block) {
    for (const kir::Statement& statement : block) {
      if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        addLoop(*loop);
      } else if (std::holds_alternative<kir::If>(statement.node)) {
        kir::forEachBlock(statement, [&](const kir::Block& inner) { add(inner); });
      } else if (takesLong(statement) != nullptr) {
        ++work_.loops;
      } else {
        ++work_.statements;
      }
    }
  }
  Work work() const { return work_; }

 private:
  void addLoop(const kir::Loop& loop) {
    if (!loop.isRest) {
      ++work_.loops;
    }
    kir::forEachStatement(*loop.body, [&](const kir::Statement& statement) {
      const Expr* expr = takesLong(statement);
      // One that several loops share evaluates each element once all the same.
      if (expr != nullptr && functions_.insert(expr).second) {
        ++work_.functions;
      }
    });
  }
  // What takes much longer than to load and store an element; scans wait for the element before.
  static const Expr* takesLong(const kir::Statement& statement) {
    const auto* compute = std::get_if<kir::Compute>(&statement.node);
    const bool isLong =
        compute != nullptr && (evaluatesFunction(compute->expr) || compute->expr->is<ScanOp>());
    return isLong ? compute->expr : nullptr;
  }

  Work work_;
  std::unordered_set<const Expr*> functions_;
};

}  // namespace

Work workOf(const kir::Phase& phase) {
  for (const kir::Statement& statement : phase.body) {
    const auto* loop = std::get_if<kir::Loop>(&statement.node);
    if (loop == nullptr || loop->index != phase.parallelIndex) {
      continue;
    }
    Counter counter;
    counter.add(*loop->body);
    const bool isOfElements = std::ranges::none_of(*loop->body, [](const kir::Statement& inner) {
      return std::holds_alternative<kir::Loop>(inner.node);
    });
    return isOfElements ? Work{.functions = counter.work().loops} : counter.work();
  }
  return {};
}

}  // namespace nvfuser
