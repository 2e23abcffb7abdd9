#include "schedule/repeat.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "ir/clone.h"
#include "ir/logical_map.h"
#include "schedule/element_cost.h"
#include "schedule/heuristics/common.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

// Whether an expression reads one tensor at most, once for each of its elements, and takes an
// instruction at most.
bool isFreeKind(const Expr* expr) {
  if (std::ranges::count_if(expr->inputs(), &Val::isTensor) > 1) {
    return false;
  }
  return expr->is<ReshapeOp>() || costOf(expr).value_or(limits::kRepeatedCost) <= 1;
}

// Whether a tensor is there before anything is computed, or without.
bool isInMemory(const Val* val, const ViewsOfMemory& views) {
  return val->isFusionInput() || views.contains(val->definition());
}

// Whether an expression takes a few instructions and reads one tensor at most, of numbers that are
// counted.
bool isOfCounted(const Expr* expr, const std::unordered_set<const Expr*>& counting) {
  const auto isTensorOfOther = [&](const Val* in) {
    return in->isTensor() && !counting.contains(in->definition());
  };
  return std::ranges::count_if(expr->inputs(), &Val::isTensor) <= 1 &&
         std::ranges::none_of(expr->inputs(), isTensorOfOther) &&
         costOf(expr).value_or(limits::kRepeatedCost) <= limits::kFunctionCost;
}

// The free ones among sorted expressions: those of what is in memory, and of what is free. Of
// numbers that are counted all that is computed is: each that reads such has its own, since
// positions along two dimensions of one size are not one dimension.
std::unordered_map<const Expr*, int64_t> freeAmong(const std::vector<Expr*>& exprs,
                                                   const ViewsOfMemory& views) {
  std::unordered_map<const Expr*, int64_t> depths;
  std::unordered_set<const Expr*> counting;
  for (const Expr* expr : exprs) {
    const bool counts = isOfCounted(expr, counting);
    if (counts) {
      counting.insert(expr);
    }
    if (!(counts || isFreeKind(expr)) || expr->output(0)->isFusionOutput() ||
        views.contains(expr)) {
      continue;
    }
    int64_t depth = 1;
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && !isInMemory(in, views)) {
        const auto above = depths.find(in->definition());
        depth = above == depths.end() ? limits::kFreeOps + 1 : above->second + 1;
      }
    }
    if (depth <= limits::kFreeOps) {
      depths[expr] = depth;
    }
  }
  return depths;
}

// Whether an expression runs through all of an operand by itself, or looks at it in another way:
// the operand is in memory then.
bool readsMemory(const Expr* expr, const Val* in, const ViewsOfMemory& views) {
  return expr->is<LibraryOp>() || isLookedUp(in, expr) || views.contains(expr);
}

// Whether something else uses a tensor, or what it is made of.
bool isShared(const Val* val, const ViewsOfMemory& views) {
  for (; val != nullptr && !isInMemory(val, views);) {
    if (val->uses().size() > 1) {
      return true;
    }
    const Val* above = nullptr;
    for (const Val* in : val->definition()->inputs()) {
      above = in->isTensor() ? in : above;
    }
    val = above;
  }
  return false;
}

// What an expression is a copy of, or of whose copy it is one; itself where it is none.
const Expr* originalOf(const Expr* expr, const Repeated& repeated) {
  const auto found = repeated.find(expr);
  return found == repeated.end() ? expr : found->second;
}

// Removes what nothing uses any more from sorted expressions.
void removeUnused(Fusion* fusion, std::vector<Expr*>& exprs,
                  const std::function<bool(const Expr*)>& isRepeated) {
  std::unordered_set<const Expr*> dead;
  for (auto expr = exprs.rbegin(); expr != exprs.rend(); ++expr) {
    const Val* out = (*expr)->output(0);
    const bool isUsed =
        out->isFusionOutput() ||
        std::ranges::any_of(out->uses(), [&](const Expr* use) { return !dead.contains(use); });
    if (isRepeated(*expr) && !isUsed) {
      dead.insert(*expr);
    }
  }
  for (Expr* expr : exprs) {
    if (dead.contains(expr)) {
      fusion->removeExpr(expr);
    }
  }
  std::erase_if(exprs, [&](const Expr* expr) { return dead.contains(expr); });
}

}  // namespace

std::vector<Expr*> repeatFree(Fusion* fusion, const std::vector<Expr*>& exprs,
                              const ViewsOfMemory& views, Repeated& repeated) {
  const std::unordered_map<const Expr*, int64_t> depths = freeAmong(exprs, views);
  std::vector<Expr*> result;
  for (Expr* expr : exprs) {
    if (depths.contains(expr)) {
      result.push_back(expr);
      continue;
    }
    // For each operand its own: the rows and columns of a mask count the same numbers, and would be
    // one dimension.
    std::unordered_map<const Val*, Val*> copies;
    const std::function<Val*(Val*)> copyOf = [&](Val* val) -> Val* {
      if (!val->isTensor() || isInMemory(val, views)) {
        return val;
      }
      if (const auto known = copies.find(val); known != copies.end()) {
        return known->second;
      }
      Expr* definition = val->definition();
      Cloner cloner(fusion, true);
      for (Val* in : definition->inputs()) {
        if (in->isTensor()) {
          cloner.substitute(in, copyOf(in));
        }
      }
      Expr* copy = cloner.clone(definition);
      repeated[copy] = originalOf(definition, repeated);
      result.push_back(copy);
      return copies[val] = copy->output(0);
    };
    for (Val* in : std::vector<Val*>(expr->inputs())) {
      // Of x * x the second one reads the copy already.
      const bool isRead = std::ranges::find(expr->inputs(), in) != expr->inputs().end();
      if (isRead && in->isTensor() && depths.contains(in->definition()) &&
          !readsMemory(expr, in, views) && isShared(in, views)) {
        copies.clear();
        fusion->replaceInput(expr, in, copyOf(in));
      }
    }
    result.push_back(expr);
  }
  removeUnused(fusion, result, [&](const Expr* expr) { return depths.contains(expr); });
  return result;
}

namespace {

// What a tensor repeats the elements of.
const Val* broadcastSource(const Val* val) {
  while (val->definition() != nullptr &&
         (val->definition()->is<BroadcastOp>() || val->definition()->is<ExpandOp>())) {
    val = val->definition()->input(0);
  }
  return val;
}

int64_t bytesOf(const TensorView* tv) { return std::max(info(tv->dtype()).bits, 8) / 8; }

// Finds tensors between groups that are computed again.
class CheapTensors {
 public:
  CheapTensors(const std::vector<Expr*>& exprs, const std::vector<std::vector<Expr*>>& groups,
               const ViewsOfMemory& inMemory)
      : classes_(exprs), inMemory_(inMemory) {
    for (size_t g = 0; g < groups.size(); ++g) {
      for (const Expr* expr : groups[g]) {
        groupOf_[expr] = g;
      }
      // What only reshapes is a view of what it reads.
      if (std::ranges::all_of(groups[g], &Expr::is<ReshapeOp>)) {
        views_.insert(g);
      }
    }
    for (const Expr* expr : exprs) {
      for (const Val* in : expr->inputs()) {
        if (in->isTensor() && isMemory(in, groupOf_.at(expr))) {
          read_[groupOf_.at(expr)].insert(in);
        }
      }
    }
  }

  size_t groupOf(const Expr* expr) const { return groupOf_.at(expr); }

  // Whether it takes as few bytes to compute a tensor again in each of the groups that read it as
  // to write and to read it. An element of a tensor of its size counts, what is smaller does not.
  bool isWorthRepeating(const TensorView* tv) const {
    const std::set<size_t> readers = readersOf(tv);
    std::unordered_set<const TensorView*> leaves;
    if (readers.empty() || !findLeaves(tv, leaves)) {
      return false;
    }
    int64_t bytes = 0;
    for (const TensorView* leaf : leaves) {
      bytes += isAsLarge(leaf, tv) ? bytesToRead(leaf, readers) : 0;
    }
    return bytes <= bytesWritten(tv, readers);
  }

  // What an operation that is free, or would be without operands that are smaller than its result,
  // computes that from. Null for other operations, and where several operands are as large.
  const TensorView* largeOperand(const TensorView* tv) const {
    const Expr* expr = tv->definition();
    const bool isCheap = expr->is<BinaryOp>() && heuristics::isCheap(expr);
    if (!isFreeKind(expr) && !isCheap) {
      return nullptr;
    }
    const TensorView* large = nullptr;
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && (!isCheap || isAsLarge(broadcastSource(in)->asTensor(), tv))) {
        if (large != nullptr && large != in) {
          return nullptr;
        }
        large = in->asTensor();
      }
    }
    return large;
  }

  // What a tensor between groups is computed from in its own group, element by element, that takes
  // fewer bytes to write and to read: what is narrower, or written and read anyway. Null if there
  // is none.
  const TensorView* narrowerSource(const TensorView* tv) const {
    const std::set<size_t> readers = readersOf(tv);
    if (readers.empty()) {
      return nullptr;
    }
    const size_t own = groupOf_.at(tv->definition());
    const TensorView* best = nullptr;
    int64_t least = bytesWritten(tv, readers);
    const TensorView* source = tv;
    for (int64_t depth = 0; depth < limits::kFreeOps; ++depth) {
      // A reshape may be a view of what is written.
      const TensorView* in = source->definition()->is<ReshapeOp>() ? nullptr : largeOperand(source);
      if (in == nullptr) {
        break;
      }
      source = in;
      const auto isOwn = [&](const Expr* member) {
        const auto group = groupOf_.find(member);
        return group != groupOf_.end() && group->second == own;
      };
      // What is there, and what another group computes, is written anyway.
      const bool isElsewhere = isInMemory(source, inMemory_) || !isOwn(source->definition());
      const bool isWritten =
          isElsewhere || source->isFusionOutput() || !std::ranges::all_of(source->uses(), isOwn);
      const int64_t bytes = (isWritten ? 0 : bytesOf(source)) + bytesToRead(source, readers);
      if (bytes < least) {
        least = bytes;
        best = source;
      }
      if (isElsewhere) {
        break;
      }
    }
    return best;
  }

 private:
  // The other groups that read a tensor. None where it has to be in memory for one of them.
  std::set<size_t> readersOf(const TensorView* tv) const {
    std::set<size_t> readers;
    for (const Expr* use : tv->uses()) {
      const auto group = groupOf_.find(use);
      if (group == groupOf_.end() || readsMemory(use, tv, inMemory_) ||
          views_.contains(group->second)) {
        return {};
      }
      readers.insert(group->second);
    }
    readers.erase(groupOf_.at(tv->definition()));
    return tv->isFusionOutput() ? std::set<size_t>{} : readers;
  }

  // Of an element, by groups that do not read it anyway.
  int64_t bytesToRead(const TensorView* tv, const std::set<size_t>& readers) const {
    return bytesOf(tv) * std::ranges::count_if(readers, [&](size_t reader) {
             const auto read = read_.find(reader);
             return read == read_.end() || !read->second.contains(tv);
           });
  }

  // Of an element that is written and read by other groups.
  static int64_t bytesWritten(const TensorView* tv, const std::set<size_t>& readers) {
    return bytesOf(tv) * static_cast<int64_t>(readers.size() + 1);
  }

  bool isMemory(const Val* val, size_t reader) const {
    const auto group = groupOf_.find(val->definition());
    return val->definition() == nullptr || group == groupOf_.end() || group->second != reader;
  }

  // What a tensor is computed from: inputs, and what is in memory or smaller. False if that takes
  // too much, or something that is no input and would have to be written for it.
  bool findLeaves(const TensorView* tv, std::unordered_set<const TensorView*>& leaves) const {
    std::unordered_set<const Val*> seen{tv};
    std::vector<const Val*> stack{tv};
    int64_t cost = 0;
    while (!stack.empty()) {
      const Val* val = stack.back();
      stack.pop_back();
      const std::optional<int64_t> own = costOf(val->definition());
      cost += own.value_or(0);
      if (!own || cost > limits::kRepeatedCost) {
        return false;
      }
      for (const Val* in : val->definition()->inputs()) {
        if (!in->isTensor() || !seen.insert(in).second) {
          continue;
        }
        const bool isComputed = !isInMemory(in, inMemory_) && groupOf_.contains(in->definition()) &&
                                costOf(in->definition()).has_value();
        if (isComputed) {
          stack.push_back(in);
        } else if (isInMemory(in, inMemory_) || !isAsLarge(in->asTensor(), tv)) {
          leaves.insert(in->asTensor());
        } else {
          return false;
        }
      }
    }
    return true;
  }

  bool isAsLarge(const TensorView* tv, const TensorView* than) const {
    std::set<int64_t> places;
    for (const IterDomain* id : tv->visible()) {
      places.insert(id->isBroadcast() ? -1 : classes_.findThroughReshapes(than->logical(), id));
    }
    places.erase(-1);
    return std::ranges::count_if(than->logical(), [](const IterDomain* id) {
             return !id->isBroadcast();
           }) == static_cast<std::ptrdiff_t>(places.size());
  }

  DomainClasses classes_;
  const ViewsOfMemory& inMemory_;
  std::unordered_map<const Expr*, size_t> groupOf_;
  std::unordered_set<size_t> views_;
  std::unordered_map<size_t, std::unordered_set<const Val*>> read_;
};

}  // namespace

std::vector<Expr*> repeatCheap(Fusion* fusion, const std::vector<std::vector<Expr*>>& groups,
                               const ViewsOfMemory& views, Repeated& repeated) {
  std::unordered_set<const Expr*> members;
  for (const std::vector<Expr*>& group : groups) {
    members.insert(group.begin(), group.end());
  }
  std::vector<Expr*> exprs;
  std::ranges::copy_if(fusion->tensorExprs(), std::back_inserter(exprs),
                       [&](const Expr* expr) { return members.contains(expr); });
  const CheapTensors cheap(exprs, groups, views);
  // With what of its group it is computed from; null for what is in memory before.
  std::unordered_map<const Val*, const Val*> chosen;
  for (const Expr* expr : exprs) {
    const TensorView* tv = expr->output(0)->asTensor();
    if (tv->isZeroDim() || expr->outputs().size() > 1 || views.contains(expr)) {
      continue;
    }
    if (cheap.isWorthRepeating(tv)) {
      chosen[tv] = nullptr;
    } else if (const TensorView* source = cheap.narrowerSource(tv)) {
      chosen[tv] = source;
    }
  }
  if (chosen.empty()) {
    return {};
  }
  // One copy for each group that reads it.
  std::map<std::pair<size_t, const Val*>, Val*> copies;
  std::vector<Expr*> result;
  for (Expr* expr : exprs) {
    const size_t group = cheap.groupOf(expr);
    const std::function<Val*(Val*, const Val*)> copyOf = [&](Val* val, const Val* source) -> Val* {
      if (!val->isTensor() || isInMemory(val, views) || !members.contains(val->definition()) ||
          cheap.groupOf(val->definition()) == group || !costOf(val->definition()) ||
          (val == source && !chosen.contains(val))) {
        return val;
      }
      const auto [known, isNew] = copies.try_emplace({group, val});
      if (isNew) {
        Expr* definition = val->definition();
        Cloner cloner(fusion, true);
        for (Val* in : definition->inputs()) {
          if (in->isTensor()) {
            // What is smaller beside the way to the source passes between the groups itself.
            const bool isBeside =
                source != nullptr && cheap.largeOperand(val->asTensor()) != in->asTensor();
            cloner.substitute(in, copyOf(in, isBeside ? broadcastSource(in) : source));
          }
        }
        Expr* copy = cloner.clone(definition);
        repeated[copy] = originalOf(definition, repeated);
        result.push_back(copy);
        copies[{group, val}] = copy->output(0);
      }
      return copies.at({group, val});
    };
    for (Val* in : std::vector<Val*>(expr->inputs())) {
      if (const auto found = chosen.find(in);
          found != chosen.end() && cheap.groupOf(in->definition()) != group) {
        fusion->replaceInput(expr, in, copyOf(in, found->second));
      }
    }
    result.push_back(expr);
  }
  removeUnused(fusion, result, [&](const Expr* expr) { return costOf(expr).has_value(); });
  return result;
}

void shareRepeated(Fusion* fusion, std::vector<Expr*>& exprs, const Repeated& repeated) {
  if (repeated.empty()) {
    return;
  }
  // By what is copied, of which inputs: copies for one user follow those that they are made of. The
  // last user of what is copied may have the original. What repeats elements stays apart from that
  // in another stage, which reads the few that there are again.
  std::unordered_set<const Expr*> originals;
  for (const auto& [copy, original] : repeated) {
    originals.insert(original);
  }
  const DomainClasses classes(exprs);
  const heuristics::Stages stages = heuristics::computeStages(exprs, classes);
  const auto mayBeOne = [&](const Expr* one, const Expr* other) {
    const bool areCopies = repeated.contains(one) && repeated.contains(other);
    return areCopies || one->is<UnaryOp>() || one->is<ReshapeOp>() ||
           stages.at(one) == stages.at(other);
  };
  const auto haveSameDimensions = [&](const Expr* one, const Expr* other) {
    return std::ranges::equal(
        one->output(0)->asTensor()->logical(), other->output(0)->asTensor()->logical(), {},
        [&](const IterDomain* id) { return classes.classOf(id); },
        [&](const IterDomain* id) { return classes.classOf(id); });
  };
  std::map<std::pair<const Expr*, const Val*>, Expr*> firsts;
  std::vector<Expr*> remaining;
  for (Expr* expr : exprs) {
    const Expr* original = originalOf(expr, repeated);
    if (originals.contains(original)) {
      const auto in = std::ranges::find_if(expr->inputs(), &Val::isTensor);
      const bool isMade = in == expr->inputs().end();
      const auto [first, isNew] =
          firsts.try_emplace({original, isMade ? expr->output(0) : *in}, expr);
      if (!isNew && !expr->output(0)->isFusionOutput() && mayBeOne(first->second, expr) &&
          haveSameDimensions(first->second, expr)) {
        fusion->replaceUses(expr->output(0), first->second->output(0));
        fusion->removeExpr(expr);
        continue;
      }
    }
    remaining.push_back(expr);
  }
  exprs = std::move(remaining);
}

}  // namespace nvfuser
