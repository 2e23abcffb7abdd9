#include "lower/split_loops.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/scalar.h"
#include "ir/traversal.h"
#include "lower/builder.h"
#include "lower/linear.h"
#include "lower/substitute.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// What a condition says: value < 0, or the contrary.
struct Bound {
  Linear value;
  // The value with extents that are differences, like those of slices, as symbols: that they are
  // not negative does not follow from what they are the difference of.
  Linear ofExtents;
  bool isBelow = true;
};

// Conditions that are known to hold.
using Facts = std::vector<Bound>;

Bound opposite(Bound bound) {
  bound.isBelow = !bound.isBelow;
  return bound;
}

class Splitter {
 public:
  Splitter(const kir::Phase& phase, const Fusion& fusion) : parallelIndex_(phase.parallelIndex) {
    for (Val* val : fusion.vals()) {
      if (val->vtype() == ValType::IterDomain) {
        auto* id = static_cast<IterDomain*>(val);
        notNegative_.insert(id->extent());
        notNegative_.insert(id->visibleExtent());
      }
    }
    int64_t conditions = 0;
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      ++statementsLeft_;
      if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        notNegative_.insert(loop->index);
      }
      conditions += std::holds_alternative<kir::If>(statement.node) ? 1 : 0;
    });
    // One division for each is as many as a concatenation needs.
    maxDivisions_ = std::max(limits::kDividedLoops, conditions);
    isHuge_ = conditions > limits::kDividedLoops;
    dropsUnread_ = conditions > limits::kFewConditions;
    // As many copies as where each division halves the conditions in either part.
    statementsLeft_ *= limits::kDividedCopies + std::bit_width(static_cast<uint64_t>(conditions));
    for (const Expr* expr : fusion.tensorExprs()) {
      const auto* tv = expr->output(0)->asTensor();
      if (expr->is<PadOp>() && tv->memoryType() == MemoryType::Local &&
          tv->computeAt() == tv->nLoops()) {
        padded_.insert(tv);
      }
    }
  }

  kir::Block run(kir::Block block, const Facts& facts) {
    kir::Block result;
    for (kir::Statement& statement : block) {
      kir::visit(
          statement, [&](kir::Loop& loop) { divide(std::move(loop), facts, result); },
          [&](kir::If& choice) { choose(std::move(choice), facts, result); },
          [&](kir::Either<kir::Compute, kir::TransposedCopy, kir::WholeLines, kir::StreamedCopy,
                          kir::Prefetch, kir::Assign, kir::LoadIndex, kir::Barrier,
                          kir::BlockReduce, kir::BlockScan> auto&) {
            result.push_back(std::move(statement));
          });
    }
    return result;
  }

 private:
  bool isNotNegative(const Linear& value) const {
    return value.constant >= 0 && std::ranges::all_of(value.factors, [&](const auto& entry) {
             return entry.second > 0 && notNegative_.contains(entry.first);
           });
  }

  // lhs < rhs, or the contrary.
  Bound boundOf(Val* lhs, Val* rhs, bool isBelow) const {
    Bound bound{linear(lhs), linear(lhs, notNegative_), isBelow};
    bound.value.add(linear(rhs), -1);
    bound.ofExtents.add(linear(rhs, notNegative_), -1);
    return bound;
  }

  std::optional<Bound> boundOf(const Val* atom) const {
    const auto* binary =
        atom->definition() == nullptr ? nullptr : atom->definition()->as<BinaryOp>();
    if (binary == nullptr ||
        (binary->type() != BinaryOpType::Lt && binary->type() != BinaryOpType::Ge) ||
        !isIntegralType(binary->lhs()->dtype()) || !isIntegralType(binary->rhs()->dtype())) {
      return std::nullopt;
    }
    return boundOf(binary->lhs(), binary->rhs(), binary->type() == BinaryOpType::Lt);
  }

  const std::optional<Bound>& knownBoundOf(const Val* atom) {
    const auto [known, isNew] = bounds_.try_emplace(atom);
    if (isNew) {
      known->second = boundOf(atom);
    }
    return known->second;
  }

  // What lies below something negative is negative, what lies above something else is not.
  bool implies(const Bound& fact, const Bound& bound, bool isBelow) const {
    const auto follows = [&](const Linear& known, const Linear& value) {
      Linear difference;
      difference.add(known, isBelow ? 1 : -1);
      difference.add(value, isBelow ? -1 : 1);
      return isNotNegative(difference);
    };
    return fact.isBelow == isBelow &&
           (follows(fact.value, bound.value) || follows(fact.ofExtents, bound.ofExtents));
  }

  // Of facts of which one follows from the other the latter is enough.
  void addFact(Facts& facts, Bound fact) const {
    const auto impliesFact = [&](const Bound& known) { return implies(known, fact, fact.isBelow); };
    if (std::ranges::any_of(facts, impliesFact)) {
      return;
    }
    std::erase_if(facts, [&](const Bound& known) { return implies(fact, known, known.isBelow); });
    facts.push_back(std::move(fact));
  }

  // Whether the condition holds or not, where that follows from the facts.
  std::optional<bool> decide(const Bound& bound, const Facts& facts) const {
    const auto isSaid = [&](bool isBelow) {
      // value < 0 is the same as -value - 1 >= 0.
      const auto holds = [&](const Linear& value) {
        Linear own;
        own.add(value, isBelow ? -1 : 1);
        own.constant -= isBelow ? 1 : 0;
        return isNotNegative(own);
      };
      return holds(bound.value) || holds(bound.ofExtents) ||
             std::ranges::any_of(facts,
                                 [&](const Bound& fact) { return implies(fact, bound, isBelow); });
    };
    if (isSaid(bound.isBelow)) {
      return true;
    }
    return isSaid(!bound.isBelow) ? std::optional<bool>(false) : std::nullopt;
  }

  void choose(kir::If choice, const Facts& facts, kir::Block& result) {
    const std::vector<Val*> atoms = scalar::atomsOf(choice.condition);
    Val* condition = nullptr;
    Facts inside = facts;
    std::vector<Bound> open;
    for (Val* atom : atoms) {
      const std::optional<Bound>& bound = knownBoundOf(atom);
      const std::optional<bool> known = bound ? decide(*bound, facts) : std::nullopt;
      if (known == false) {
        if (choice.otherwise != nullptr) {
          std::ranges::move(run(std::move(*choice.otherwise), facts), std::back_inserter(result));
        }
        return;
      }
      if (!known) {
        condition = scalar::logicalAnd(condition, atom);
        if (bound) {
          addFact(inside, *bound);
          open.push_back(*bound);
        }
      }
    }
    kir::Block then = run(std::move(*choice.then), inside);
    if (condition == nullptr) {
      std::ranges::move(then, std::back_inserter(result));
      return;
    }
    kir::If rest = kir::choiceOf(condition, std::move(then));
    if (choice.otherwise != nullptr) {
      Facts outside = facts;
      if (atoms.size() == 1 && open.size() == 1) {
        addFact(outside, opposite(open.front()));
      }
      rest.otherwise = std::make_unique<kir::Block>(run(std::move(*choice.otherwise), outside));
    }
    result.push_back({std::move(rest)});
  }

  // Adds the first condition in `block` that does not depend on what the block defines itself; in a
  // huge phase also those that stand beside it.
  void findBounds(const kir::Block& block, const kir::Loop& loop,
                  std::unordered_set<const Val*>& own, std::vector<Bound>& found) {
    const auto search = [&](const kir::Block& inner) {
      if (found.empty()) {
        findBounds(inner, loop, own, found);
        return !found.empty();
      }
      return false;
    };
    for (const kir::Statement& statement : block) {
      kir::forEachDefinition(statement, [&](Val* symbol, kir::Lifetime) { own.insert(symbol); });
      if (const auto* choice = std::get_if<kir::If>(&statement.node)) {
        for (Val* atom : scalar::atomsOf(choice->condition)) {
          const std::optional<Bound>& bound = knownBoundOf(atom);
          if (bound && canDivide(*bound, loop, own)) {
            found.push_back(*bound);
            if (!isHuge_) {
              return;
            }
          }
        }
      }
      bool isDone = false;
      kir::forEachBlock(statement,
                        [&](const kir::Block& inner) { isDone = isDone || search(inner); });
      if (isDone) {
        return;
      }
    }
  }

  // What is written to a variable of one iteration, in a part of a loop that does not read it.
  void dropUnread(kir::Block& block) const {
    std::unordered_set<const TensorView*> read;
    kir::forEachAccess(block, [&](const kir::Access& access, kir::Use use, const TensorView*) {
      if (use != kir::Use::Write) {
        read.insert(access.tv);
      }
    });
    dropUnread(block, read);
  }

  void dropUnread(kir::Block& block, const std::unordered_set<const TensorView*>& read) const {
    std::erase_if(block, [&](kir::Statement& statement) {
      kir::forEachBlock(statement, [&](kir::Block& inner) { dropUnread(inner, read); });
      const auto* assign = std::get_if<kir::Assign>(&statement.node);
      return assign != nullptr && !read.contains(assign->out.tv) &&
             padded_.contains(assign->out.tv);
    });
  }

  bool canDivide(const Bound& bound, const kir::Loop& loop,
                 const std::unordered_set<const Val*>& own) const {
    const int64_t factor = bound.value.factorOf(loop.index);
    if (factor != 0 && factor != 1 && factor != -1) {
      return false;
    }
    return std::ranges::all_of(bound.value.factors, [&](const auto& entry) {
      return entry.first == loop.index ||
             (!dependsOn(entry.first, own) && !dependsOn(entry.first, {loop.index}));
    });
  }

  Facts withRange(const Facts& facts, const kir::Loop& loop) const {
    Facts inside = facts;
    addFact(inside, boundOf(loop.index, loop.start, false));
    addStop(inside, loop.index, loop.stop);
    return inside;
  }

  // A loop to the least of several values ends before each.
  void addStop(Facts& facts, Val* index, Val* stop) const {
    for (Val* value : scalar::combinedBy(BinaryOpType::Minimum, stop)) {
      addFact(facts, boundOf(index, value, true));
    }
  }

  // Adds the loop, or its parts, to `result`.
  void divide(kir::Loop loop, const Facts& facts, kir::Block& result) {
    const Facts inside = withRange(facts, loop);
    loop.body = std::make_unique<kir::Block>(run(std::move(*loop.body), inside));
    if (dropsUnread_) {
      dropUnread(*loop.body);
    }
    std::vector<Bound> bounds;
    if (loop.index != parallelIndex_ && divisions_ < maxDivisions_ &&
        (!isHuge_ || statementsLeft_ > 0)) {
      std::unordered_set<const Val*> own;
      findBounds(*loop.body, loop, own, bounds);
    }
    if (bounds.empty()) {
      result.push_back({std::move(loop)});
      return;
    }
    ++divisions_;
    kir::forEachStatement(*loop.body, [&](const kir::Statement&) { --statementsLeft_; });
    // In the middle: then each part has half of the conditions.
    const Bound& bound = bounds[bounds.size() / 2];
    Fusion* fusion = loop.index->fusion();
    const int64_t factor = bound.value.factorOf(loop.index);
    kir::Loop second = kir::similarLoop(loop, loop.start, loop.stop, copyOf(*loop.body));
    Facts before = facts;
    Facts behind = facts;
    if (factor == 0) {
      Val* value = valueOf(bound.value, fusion);
      kir::If choice = kir::choiceOf(scalar::lt(value, fusion->zero()), {}, {});
      addFact(before, {bound.value, bound.ofExtents, true});
      addFact(behind, {bound.value, bound.ofExtents, false});
      divide(std::move(loop), before, *choice.then);
      divide(std::move(second), behind, *choice.otherwise);
      result.push_back({std::move(choice)});
      return;
    }
    // i + rest < 0 ends at -rest; rest - i < 0 begins behind rest.
    const auto limitOf = [&](Linear rest) {
      rest.remove(loop.index);
      Linear limit;
      limit.add(rest, -factor);
      limit.constant += factor == 1 ? 0 : 1;
      return limit;
    };
    Val* middle =
        scalar::min(scalar::max(valueOf(limitOf(bound.value), fusion), loop.start), loop.stop);
    Bound below{linear(loop.index), linear(loop.index), true};
    below.value.add(limitOf(bound.value), -1);
    below.ofExtents.add(limitOf(bound.ofExtents), -1);
    addFact(before, below);
    addFact(behind, opposite(below));
    loop.stop = middle;
    second.start = middle;
    divide(std::move(loop), before, result);
    divide(std::move(second), behind, result);
  }

  Val* parallelIndex_;
  int64_t divisions_ = 0;
  int64_t maxDivisions_ = 0;
  // What a huge phase may copy for that: where conditions do not exclude each other, like those of
  // slices of slices, each part has nearly all of the body.
  int64_t statementsLeft_ = 0;
  // More conditions than are divided one after the other, with all of the body for each part.
  bool isHuge_ = false;
  // More conditions than LLVM should find out for itself which of the elements are not read.
  bool dropsUnread_ = false;
  // Padded elements that live in a variable.
  std::unordered_set<const TensorView*> padded_;
  std::unordered_map<const Val*, std::optional<Bound>> bounds_;
  std::unordered_set<const Val*> notNegative_;
};

// A position that is one or another one, by a condition that changes in a loop.
struct Choice {
  const Val* position;
  const TernaryOp* choice;
};

std::optional<Choice> findChoice(const kir::Compute& compute, const Val* index) {
  std::unordered_set<const Val*> known;
  std::optional<Choice> found;
  for (const kir::Operand& operand : compute.inputs) {
    const auto* access = std::get_if<kir::Access>(&operand);
    if (access == nullptr) {
      continue;
    }
    visitOperandsFirst(
        static_cast<const Val*>(access->index), [&](const Val* val) { return known.contains(val); },
        [&](const Val* val) {
          known.insert(val);
          const auto* choice =
              val->definition() == nullptr ? nullptr : val->definition()->as<TernaryOp>();
          if (choice != nullptr && choice->type() == TernaryOpType::Where &&
              dependsOn(choice->input(0), {index})) {
            found = Choice{val, choice};
          }
        });
  }
  return found;
}

// Makes branches of what innermost loops read at one of two positions: compilers would gather it.
void branchOnPositions(kir::Block& block) {
  kir::rewriteLoops(block, [](kir::Loop& loop) -> std::optional<kir::Block> {
    for (kir::Statement& statement : *loop.body) {
      const auto* compute = std::get_if<kir::Compute>(&statement.node);
      const std::optional<Choice> found =
          compute == nullptr ? std::nullopt : findChoice(*compute, loop.index);
      if (!found) {
        continue;
      }
      kir::Statement then = kir::copyOf(statement);
      kir::Statement otherwise = kir::copyOf(statement);
      if (kir::substitute(then, found->position, found->choice->input(1)) &&
          kir::substitute(otherwise, found->position, found->choice->input(2))) {
        statement = {kir::choiceOf(found->choice->input(0), kir::blockOf(std::move(then)),
                                   kir::blockOf(std::move(otherwise)))};
      }
    }
    return std::nullopt;
  });
}

}  // namespace

void splitLoops(const PassContext& context) {
  kir::Phase& phase = context.phase;
  branchOnPositions(phase.body);
  phase.body = Splitter(phase, *context.kernel.fusion).run(std::move(phase.body), {});
}

}  // namespace nvfuser
