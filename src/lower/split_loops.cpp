#include "lower/split_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>

#include "ir/scalar.h"

namespace nvfuser {

namespace {

// Loops that are divided in a phase at most.
constexpr int64_t kMaxDivisions = 32;

struct ByIndex {
  bool operator()(const Val* a, const Val* b) const { return a->index() < b->index(); }
};

// A sum of symbols, or of expressions taken as such, with integer factors.
struct Linear {
  std::map<Val*, int64_t, ByIndex> factors;
  int64_t constant = 0;

  void add(const Linear& other, int64_t times) {
    constant += times * other.constant;
    for (const auto& [val, factor] : other.factors) {
      if ((factors[val] += times * factor) == 0) {
        factors.erase(val);
      }
    }
  }
  int64_t factorOf(Val* val) const {
    const auto found = factors.find(val);
    return found == factors.end() ? 0 : found->second;
  }
};

Linear linear(Val* val) {
  Linear result;
  if (val->isConstInt()) {
    result.constant = val->constInt();
    return result;
  }
  const auto* binary = val->definition() == nullptr ? nullptr : val->definition()->as<BinaryOp>();
  if (binary != nullptr) {
    const BinaryOpType type = binary->type();
    if (type == BinaryOpType::Add || type == BinaryOpType::Sub) {
      result = linear(binary->lhs());
      result.add(linear(binary->rhs()), type == BinaryOpType::Add ? 1 : -1);
      return result;
    }
    if (type == BinaryOpType::Mul && (binary->lhs()->isConstInt() || binary->rhs()->isConstInt())) {
      const bool isLeft = binary->lhs()->isConstInt();
      result.add(linear(isLeft ? binary->rhs() : binary->lhs()),
                 (isLeft ? binary->lhs() : binary->rhs())->constInt());
      return result;
    }
  }
  result.factors[val] = 1;
  return result;
}

// What a condition says: value < 0, or the contrary.
struct Bound {
  Linear value;
  bool isBelow = true;
};

// Conditions that are known to hold.
using Facts = std::vector<Bound>;

// The parts of a condition that are joined by "and".
void atomsOf(Val* condition, std::vector<Val*>& atoms) {
  const auto* binary =
      condition->definition() == nullptr ? nullptr : condition->definition()->as<BinaryOp>();
  if (binary != nullptr && binary->type() == BinaryOpType::LogicalAnd) {
    atomsOf(binary->lhs(), atoms);
    atomsOf(binary->rhs(), atoms);
  } else {
    atoms.push_back(condition);
  }
}

std::optional<Bound> boundOf(const Val* atom) {
  const auto* binary = atom->definition() == nullptr ? nullptr : atom->definition()->as<BinaryOp>();
  if (binary == nullptr ||
      (binary->type() != BinaryOpType::Lt && binary->type() != BinaryOpType::Ge) ||
      !isIntegralType(binary->lhs()->dtype()) || !isIntegralType(binary->rhs()->dtype())) {
    return std::nullopt;
  }
  Bound bound{linear(binary->lhs()), binary->type() == BinaryOpType::Lt};
  bound.value.add(linear(binary->rhs()), -1);
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
    kir::forEachStatement(phase.body, [&](const kir::Statement& statement) {
      if (const auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        notNegative_.insert(loop->index);
      }
    });
  }

  kir::Block run(kir::Block block, const Facts& facts) {
    kir::Block result;
    for (kir::Statement& statement : block) {
      if (auto* loop = std::get_if<kir::Loop>(&statement.node)) {
        divide(std::move(*loop), facts, result);
      } else if (auto* choice = std::get_if<kir::If>(&statement.node)) {
        choose(std::move(*choice), facts, result);
      } else {
        result.push_back(std::move(statement));
      }
    }
    return result;
  }

 private:
  bool isNotNegative(const Linear& value) const {
    return value.constant >= 0 && std::ranges::all_of(value.factors, [&](const auto& entry) {
             return entry.second > 0 && notNegative_.contains(entry.first);
           });
  }

  // Whether the condition holds or not, where that follows from the facts.
  std::optional<bool> decide(const Bound& bound, const Facts& facts) const {
    const auto isSaid = [&](bool isBelow) {
      // value < 0 is the same as -value - 1 >= 0.
      Linear own;
      own.add(bound.value, isBelow ? -1 : 1);
      own.constant -= isBelow ? 1 : 0;
      if (isNotNegative(own)) {
        return true;
      }
      return std::ranges::any_of(facts, [&](const Bound& fact) {
        // What lies below something negative is negative, what lies above something else is not.
        Linear difference;
        difference.add(fact.value, isBelow ? 1 : -1);
        difference.add(bound.value, isBelow ? -1 : 1);
        return fact.isBelow == isBelow && isNotNegative(difference);
      });
    };
    if (isSaid(bound.isBelow)) {
      return true;
    }
    return isSaid(!bound.isBelow) ? std::optional<bool>(false) : std::nullopt;
  }

  void choose(kir::If choice, const Facts& facts, kir::Block& result) {
    std::vector<Val*> atoms;
    atomsOf(choice.condition, atoms);
    Val* condition = nullptr;
    Facts inside = facts;
    std::vector<Bound> open;
    for (Val* atom : atoms) {
      const std::optional<Bound> bound = boundOf(atom);
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
          inside.push_back(*bound);
          open.push_back(*bound);
        }
      }
    }
    kir::Block then = run(std::move(*choice.then), inside);
    if (condition == nullptr) {
      std::ranges::move(then, std::back_inserter(result));
      return;
    }
    kir::If rest{condition, std::make_unique<kir::Block>(std::move(then)), nullptr};
    if (choice.otherwise != nullptr) {
      Facts outside = facts;
      if (atoms.size() == 1 && open.size() == 1) {
        outside.push_back({open.front().value, !open.front().isBelow});
      }
      rest.otherwise = std::make_unique<kir::Block>(run(std::move(*choice.otherwise), outside));
    }
    result.push_back({std::move(rest)});
  }

  // The first condition in `block` that does not depend on what the block defines itself.
  std::optional<Bound> findBound(const kir::Block& block, const kir::Loop& loop,
                                 std::unordered_set<const Val*>& own) const {
    for (const kir::Statement& statement : block) {
      std::optional<Bound> found;
      if (const auto* inner = std::get_if<kir::Loop>(&statement.node)) {
        own.insert(inner->index);
        found = findBound(*inner->body, loop, own);
      } else if (const auto* load = std::get_if<kir::LoadIndex>(&statement.node)) {
        own.insert({load->position, load->isInside});
      } else if (const auto* choice = std::get_if<kir::If>(&statement.node)) {
        std::vector<Val*> atoms;
        atomsOf(choice->condition, atoms);
        for (Val* atom : atoms) {
          found = boundOf(atom);
          if (found && canDivide(*found, loop, own)) {
            return found;
          }
        }
        found = findBound(*choice->then, loop, own);
        if (!found && choice->otherwise != nullptr) {
          found = findBound(*choice->otherwise, loop, own);
        }
      }
      if (found) {
        return found;
      }
    }
    return std::nullopt;
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

  static Val* valueOf(const Linear& value, Fusion* fusion) {
    Val* sum = scalar::constant(fusion, value.constant);
    for (const auto& [val, factor] : value.factors) {
      sum = factor == -1 ? scalar::sub(sum, val)
                         : scalar::add(sum, scalar::mul(val, scalar::constant(fusion, factor)));
    }
    return sum;
  }

  static Facts withRange(const Facts& facts, const kir::Loop& loop) {
    Facts inside = facts;
    Bound first{linear(loop.index), false};
    first.value.add(linear(loop.start), -1);
    inside.push_back(first);
    addStop(inside, loop.index, loop.stop);
    return inside;
  }

  // A loop to the least of several values ends before each.
  static void addStop(Facts& facts, Val* index, Val* stop) {
    const auto* binary =
        stop->definition() == nullptr ? nullptr : stop->definition()->as<BinaryOp>();
    if (binary != nullptr && binary->type() == BinaryOpType::Minimum) {
      addStop(facts, index, binary->lhs());
      addStop(facts, index, binary->rhs());
      return;
    }
    Bound last{linear(index), true};
    last.value.add(linear(stop), -1);
    facts.push_back(last);
  }

  // Adds the loop, or its parts, to `result`.
  void divide(kir::Loop loop, const Facts& facts, kir::Block& result) {
    const Facts inside = withRange(facts, loop);
    loop.body = std::make_unique<kir::Block>(run(std::move(*loop.body), inside));
    std::unordered_set<const Val*> own;
    const bool isWhole = loop.index == parallelIndex_ || divisions_ == kMaxDivisions;
    const std::optional<Bound> bound = isWhole ? std::nullopt : findBound(*loop.body, loop, own);
    if (!bound) {
      result.push_back({std::move(loop)});
      return;
    }
    ++divisions_;
    Fusion* fusion = loop.index->fusion();
    const int64_t factor = bound->value.factorOf(loop.index);
    kir::Loop second{loop.index,       loop.start,
                     loop.stop,        loop.parallelType,
                     loop.isReduction, std::make_unique<kir::Block>(copyOf(*loop.body))};
    Facts before = facts;
    Facts behind = facts;
    if (factor == 0) {
      Val* value = valueOf(bound->value, fusion);
      kir::If choice{scalar::lt(value, fusion->zero()), std::make_unique<kir::Block>(),
                     std::make_unique<kir::Block>()};
      before.push_back({bound->value, true});
      behind.push_back({bound->value, false});
      divide(std::move(loop), before, *choice.then);
      divide(std::move(second), behind, *choice.otherwise);
      result.push_back({std::move(choice)});
      return;
    }
    // i + rest < 0 ends at -rest; rest - i < 0 begins behind rest.
    Linear rest = bound->value;
    rest.factors.erase(loop.index);
    Linear limit;
    limit.add(rest, -factor);
    limit.constant += factor == 1 ? 0 : 1;
    Val* middle = scalar::min(scalar::max(valueOf(limit, fusion), loop.start), loop.stop);
    Bound below{linear(loop.index), true};
    below.value.add(limit, -1);
    before.push_back(below);
    behind.push_back({below.value, false});
    loop.stop = middle;
    second.start = middle;
    divide(std::move(loop), before, result);
    divide(std::move(second), behind, result);
  }

  Val* parallelIndex_;
  int64_t divisions_ = 0;
  std::unordered_set<const Val*> notNegative_;
};

}  // namespace

void splitLoops(kir::Phase& phase, const Fusion& fusion) {
  phase.body = Splitter(phase, fusion).run(std::move(phase.body), {});
}

}  // namespace nvfuser
