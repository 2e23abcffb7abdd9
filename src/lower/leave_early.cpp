#include "lower/leave_early.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/scalar.h"
#include "lower/builder.h"

namespace nvfuser {

namespace {

using Conditions = std::vector<Val*>;

bool contains(const Conditions& conditions, const Val* wanted) {
  return std::ranges::any_of(conditions,
                             [&](const Val* each) { return scalar::same(each, wanted); });
}

bool writesMemory(const kir::Statement& statement) {
  bool writes = false;
  kir::forEachOwnAccess(statement, [&](const kir::Access& access, kir::Use use, const TensorView*) {
    const bool isWritten = kir::isWrite(use) && access.tv->memoryType() != MemoryType::Local;
    writes = writes || isWritten;
  });
  return writes;
}

// The conditions that are those of all writes.
class SharedConditions {
 public:
  explicit SharedConditions(const kir::Block& body) {
    Conditions around;
    collect(body, around);
  }

  // None where nothing is written.
  const Conditions& get() const { return *shared_; }
  bool areAny() const { return shared_ && !shared_->empty(); }

 private:
  void collect(const kir::Block& block, Conditions& around) {
    for (const kir::Statement& statement : block) {
      if (writesMemory(statement)) {
        keep(around);
      }
      const auto* choice = std::get_if<kir::If>(&statement.node);
      if (choice == nullptr) {
        kir::forEachBlock(statement, [&](const kir::Block& inside) { collect(inside, around); });
        continue;
      }
      const size_t outside = around.size();
      std::ranges::copy(scalar::atomsOf(choice->condition), std::back_inserter(around));
      collect(*choice->then, around);
      around.resize(outside);
      if (choice->otherwise != nullptr) {
        collect(*choice->otherwise, around);
      }
    }
  }

  void keep(const Conditions& around) {
    if (!shared_) {
      shared_ = around;
    } else {
      std::erase_if(*shared_, [&](const Val* each) { return !contains(around, each); });
    }
  }

  std::optional<Conditions> shared_;
};

// What is left of a condition where others hold; null: nothing.
Val* restOf(Val* condition, const Conditions& holding) {
  Val* rest = nullptr;
  for (Val* atom : scalar::atomsOf(condition)) {
    if (!contains(holding, atom)) {
      rest = scalar::logicalAnd(rest, atom);
    }
  }
  return rest;
}

void simplify(kir::Block& block, const Conditions& holding) {
  kir::Block result;
  for (kir::Statement& statement : block) {
    kir::forEachBlock(statement, [&](kir::Block& inside) { simplify(inside, holding); });
    auto* choice = std::get_if<kir::If>(&statement.node);
    Val* rest = choice == nullptr ? nullptr : restOf(choice->condition, holding);
    if (choice != nullptr && rest == nullptr) {
      std::ranges::move(*choice->then, std::back_inserter(result));
      continue;
    }
    if (choice != nullptr) {
      choice->condition = rest;
    }
    result.push_back(std::move(statement));
  }
  block = std::move(result);
}

}  // namespace

void leaveEarly(const PassContext& context) {
  kir::Block& body = context.phase.body;
  if (kir::hasBarriers(body)) {
    return;
  }
  const SharedConditions shared(body);
  if (!shared.areAny()) {
    return;
  }
  // Those of indices of loops, or of positions that are looked up, are not known in front of all.
  std::unordered_set<const Val*> inside;
  kir::forEachStatement(body, [&](const kir::Statement& statement) {
    kir::forEachDefinition(statement, [&](Val* symbol, kir::Lifetime) { inside.insert(symbol); });
  });
  Conditions known;
  Val* all = nullptr;
  for (Val* condition : shared.get()) {
    if (!dependsOn(condition, inside) && !contains(known, condition)) {
      known.push_back(condition);
      all = scalar::logicalAnd(all, condition);
    }
  }
  if (all == nullptr) {
    return;
  }
  simplify(body, known);
  body = kir::blockOf({kir::choiceOf(all, std::move(body))});
}

}  // namespace nvfuser
