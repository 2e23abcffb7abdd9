#include "schedule/segmentation.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_set>

#include "core/disjoint_sets.h"
#include "core/error.h"
#include "core/options.h"
#include "ir/clone.h"
#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/views.h"
#include "multidevice/exchange.h"
#include "schedule/connected.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"
#include "schedule/repeat.h"

namespace nvfuser {

namespace {

bool fits(const std::vector<Expr*>& exprs, const Target& target);

// What belongs together from the start: an expression, with a concatenation the pads that it is
// made of, each of which would be as large as the whole, and with a sum of what devices have all
// that reads their memory, which is theirs again when the kernel has ended.
struct Unit {
  std::vector<Expr*> exprs;
};

const CatOp* concatenationOf(const Expr* expr) {
  const Val* out = expr->output(0);
  return expr->is<PadOp>() && out->uses().size() == 1 && !out->isFusionOutput()
             ? out->uses().front()->as<CatOp>()
             : nullptr;
}

// For expressions between an exchange and the first one that depends on all of its results: that
// one.
std::unordered_map<const Expr*, const Expr*> sumsOfExchanges(const std::vector<Expr*>& exprs) {
  // Of an exchange, how many of its results an expression depends on.
  struct Share {
    const LibraryOp* exchange = nullptr;
    std::set<const Val*> results;
  };
  std::unordered_map<const Expr*, Share> shares;
  std::unordered_map<const LibraryOp*, std::vector<const Expr*>> parts;
  std::unordered_map<const Expr*, const Expr*> sums;
  for (const Expr* expr : exprs) {
    Share own;
    for (const Val* in : expr->inputs()) {
      if (const LibraryOp* exchange = multidevice::exchangeOf(in)) {
        own.exchange = exchange;
        own.results.insert(in);
      } else if (const auto above = shares.find(in->definition()); above != shares.end()) {
        own.exchange = above->second.exchange;
        own.results.insert(above->second.results.begin(), above->second.results.end());
      }
    }
    if (own.exchange == nullptr) {
      continue;
    }
    std::vector<const Expr*>& before = parts[own.exchange];
    before.push_back(expr);
    if (own.results.size() < own.exchange->outputs().size()) {
      shares[expr] = std::move(own);
      continue;
    }
    for (const Expr* part : before) {
      sums[part] = expr;
    }
  }
  return sums;
}

// For each of sorted expressions the last one of its unit. What was repeated belongs to what reads
// it, if that is one unit; a pad of several readers comes before some of them, its concatenation
// behind.
std::unordered_map<const Expr*, const Expr*> unitEnds(const std::vector<Expr*>& exprs,
                                                      const Repeated& repeated) {
  std::unordered_map<const Expr*, const Expr*> ends;
  const std::unordered_map<const Expr*, const Expr*> sums = sumsOfExchanges(exprs);
  for (auto it = exprs.rbegin(); it != exprs.rend(); ++it) {
    const Expr* expr = *it;
    const CatOp* cat = concatenationOf(expr);
    const Expr* end = cat != nullptr ? cat : expr;
    if (const std::vector<Expr*>& uses = expr->output(0)->uses();
        repeated.contains(expr) && !uses.empty()) {
      const auto endOf = [&](const Expr* use) {
        const auto known = ends.find(use);
        return known == ends.end() ? nullptr : known->second;
      };
      const Expr* common = endOf(uses.front());
      const bool isShared =
          std::ranges::any_of(uses, [&](const Expr* use) { return endOf(use) != common; });
      end = isShared || common == nullptr ? expr : common;
    }
    if (const auto sum = sums.find(expr); sum != sums.end()) {
      end = sum->second;
    }
    ends[expr] = end;
  }
  return ends;
}

// The units of sorted expressions, each where its last expression stands.
std::vector<Unit> unitsOf(const std::vector<Expr*>& exprs, const Target& target,
                          const Repeated& repeated) {
  const std::unordered_map<const Expr*, const Expr*> ends = unitEnds(exprs, repeated);
  std::unordered_map<const Expr*, std::vector<Expr*>> partsOf;
  for (Expr* expr : exprs) {
    std::vector<Expr*>& parts = partsOf[ends.at(expr)];
    if (ends.at(expr) != expr) {
      parts.push_back(expr);
    }
  }
  std::vector<Unit> units;
  for (Expr* expr : exprs) {
    const auto parts = partsOf.find(expr);
    if (parts == partsOf.end()) {
      continue;
    }
    std::vector<Expr*> whole = std::move(parts->second);
    whole.push_back(expr);
    if (whole.size() == 1 || fits(whole, target)) {
      units.push_back({std::move(whole)});
    } else {
      for (Expr* each : whole) {
        units.push_back({{each}});
      }
    }
  }
  return units;
}

// How much of this expressions have: in all, and on the longest way through them.
struct Extent {
  int64_t stages = 0;
  int64_t nestedReshapes = 0;
  int64_t nestedResizes = 0;
  int64_t resizes = 0;
  int64_t parts = 0;
  // Whether there is anything but views of what is in memory.
  bool isComputed = false;
};

// Whether the elements of an operand are only found elsewhere.
bool isViewOfOperand(const Expr* expr) {
  return expr->is<SliceOp>() || expr->is<BroadcastOp>() || expr->is<SqueezeOp>() ||
         expr->is<ExpandOp>() || isReshapeOrPermutation(expr);
}

Extent extentOf(const std::vector<Expr*>& exprs) {
  std::unordered_map<const Expr*, Extent> known;
  Extent whole;
  for (const Expr* expr : exprs) {
    Extent own;
    bool isSliceOfSlice = false;
    for (const Val* in : expr->inputs()) {
      if (const auto above = known.find(in->definition()); above != known.end()) {
        own.isComputed = own.isComputed || above->second.isComputed;
        isSliceOfSlice = expr->is<SliceOp>() && in->definition()->is<SliceOp>();
        own.stages = std::max(own.stages, above->second.stages);
        own.nestedReshapes = std::max(own.nestedReshapes, above->second.nestedReshapes);
        own.nestedResizes = std::max(own.nestedResizes, above->second.nestedResizes);
      }
    }
    // What is cut out of memory is only found elsewhere, and a slice of a slice cuts once.
    const bool isResize =
        expr->is<PadOp>() || (expr->is<SliceOp>() && own.isComputed && !isSliceOfSlice);
    own.isComputed = own.isComputed || !isViewOfOperand(expr);
    own.stages += expr->is<ReductionOp>() ? 1 : 0;
    own.nestedReshapes += expr->is<ReshapeOp>() ? 1 : 0;
    own.nestedResizes += isResize ? 1 : 0;
    whole.stages = std::max(whole.stages, own.stages);
    whole.nestedReshapes = std::max(whole.nestedReshapes, own.nestedReshapes);
    whole.nestedResizes = std::max(whole.nestedResizes, own.nestedResizes);
    if (expr->is<PadOp>()) {
      const bool isPart = concatenationOf(expr) != nullptr;
      whole.resizes += isPart ? 0 : 2;
      whole.parts += isPart ? 1 : 0;
    } else {
      whole.resizes += isResize || expr->is<CatOp>() ? 1 : 0;
    }
    known[expr] = own;
  }
  return whole;
}

// Tensors that a group reads from memory or writes into it.
struct GlobalTensors {
  std::vector<const TensorView*> read;
  std::vector<const TensorView*> written;
  size_t count() const { return read.size() + written.size(); }
};

GlobalTensors globalTensorsOf(const std::vector<Expr*>& exprs) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  std::unordered_set<const Val*> seen;
  GlobalTensors tensors;
  for (const Expr* expr : exprs) {
    for (const Val* in : expr->inputs()) {
      if (in->isTensor() && !members.contains(in->definition()) && seen.insert(in).second) {
        tensors.read.push_back(in->asTensor());
      }
    }
    for (const Val* out : expr->outputs()) {
      if (out->isFusionOutput() || std::ranges::any_of(out->uses(), [&](const Expr* use) {
            return !members.contains(use);
          })) {
        tensors.written.push_back(out->asTensor());
      }
    }
  }
  return tensors;
}

// Words of the arguments for tensors: an address, and strides where sizes do not tell them.
size_t argumentWords(const GlobalTensors& tensors) {
  size_t words = 0;
  for (const auto* part : {&tensors.read, &tensors.written}) {
    for (const TensorView* tv : *part) {
      words += 1 + static_cast<size_t>(std::ranges::count_if(
                       tv->domain()->contiguity(), [](const std::optional<bool>& isContiguous) {
                         return isContiguous == false;
                       }));
    }
  }
  return words;
}

// Whether the expressions are one graph by what they compute from each other. To read the same
// inputs connects nothing.
bool areConnected(const std::vector<Expr*>& exprs) {
  std::unordered_map<const Expr*, size_t> numbers;
  DisjointSets sets(exprs.size());
  size_t parts = exprs.size();
  for (size_t i = 0; i < exprs.size(); ++i) {
    numbers[exprs[i]] = i;
    for (const Val* in : exprs[i]->inputs()) {
      const auto producer = numbers.find(in->definition());
      if (in->definition() != nullptr && producer != numbers.end()) {
        parts -= sets.join(i, producer->second) ? 1 : 0;
      }
    }
  }
  return parts <= 1;
}

// Whether expressions make a kernel that is larger than pays; `tensors` is what a part of it has.
bool isTooLarge(const std::vector<Expr*>& exprs, size_t tensors) {
  const Extent extent = extentOf(exprs);
  if (extent.resizes > limits::kResizes || extent.nestedResizes > limits::kNestedResizes ||
      extent.nestedReshapes > limits::kNestedReshapes || extent.stages > limits::kStages ||
      extent.parts > limits::kParts) {
    return true;
  }
  const GlobalTensors own = globalTensorsOf(exprs);
  const size_t most = std::max(tensors, limits::kGlobalTensors);
  return argumentWords(own) > std::max(tensors, limits::kArgumentWords) ||
         own.written.size() > most || (own.count() > most && !areConnected(exprs));
}

// Whether what computes an operand must have done so for all of it: a boundary copy stands apart
// from that, and so do a lookup and a scatter that runs over a part only, and what would take long
// to compute anew for each repetition or part.
bool isNeededWhole(const Val* in, const Expr* use, const Target& target) {
  if (const auto* copy = use->as<LoadStoreOp>()) {
    return copy->isSegmentBoundary();
  }
  return isLookedUp(in, use) || repeatsLongComputation(use, in, target) ||
         computesBehindShortRows(use, in, target) || computesForSeveralParts(in, target) ||
         (use->is<ScatterOp>() && in->isTensor() &&
          !partialMap(use, in->asTensor(), use->output(0)->asTensor()).empty());
}

// Whether a permutation that only library calls read stands beside a reduction, or beside others
// that need what it permutes in memory. Alone it is a view; here it would be written in an order in
// which the reduction reads across memory, or as a second copy.
bool permutesForCalls(const std::vector<Expr*>& exprs) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  const bool hasReduction = std::ranges::any_of(exprs, &Expr::is<ReductionOp>);
  return std::ranges::any_of(exprs, [&](const Expr* expr) {
    const LoadStoreOp* copy = asPermutation(expr);
    if (copy == nullptr || copy->out()->isFusionOutput() || copy->out()->uses().empty() ||
        !std::ranges::all_of(copy->out()->uses(), &Expr::is<LibraryOp>)) {
      return false;
    }
    const Val* source = copy->in();
    const auto isElsewhere = [&](const Expr* use) { return !members.contains(use); };
    return hasReduction ||
           (members.contains(source->definition()) &&
            (source->isFusionOutput() || std::ranges::any_of(source->uses(), isElsewhere)));
  });
}

// Whether dimensions of what is reduced may lie in different orders.
bool reducesPermuted(const std::vector<Expr*>& exprs, const GlobalTensors& own) {
  const auto isPermuted = [](const TensorView* tv) {
    const std::vector<IterDomain*>& order = tv->domain()->maybeAllocation();
    return tv->domain()->hasAllocation() && order != tv->logical();
  };
  return std::ranges::any_of(exprs, &Expr::is<ReductionOp>) &&
         (std::ranges::any_of(exprs, asPermutation) || std::ranges::any_of(own.read, isPermuted) ||
          std::ranges::any_of(own.written, isPermuted));
}

// Whether a kernel that reduces would read large tensors that lie in different orders, or write
// such: its threads follow the rows that they reduce, and go across memory for the others. What
// does not reduce transposes by tiles. All that is read may lie in one order and all that is
// written in another: that is turned on the way.
bool transposesReduced(const std::vector<Expr*>& exprs) {
  const GlobalTensors own = globalTensorsOf(exprs);
  if (!reducesPermuted(exprs, own)) {
    return false;
  }
  const DomainClasses classes(exprs);
  // Of each tensor the dimensions that it lies in, as reshapes divide them, outermost first.
  using Pieces = std::vector<int64_t>;
  size_t most = 2;
  const auto piecesOf = [&](const std::vector<const TensorView*>& tensors) {
    std::vector<Pieces> found;
    for (const TensorView* tv : tensors) {
      Pieces& pieces = found.emplace_back();
      for (const IterDomain* id : tv->domain()->maybeAllocation()) {
        if (id->isIteration()) {
          std::ranges::transform(classes.pieces(id), std::back_inserter(pieces),
                                 [&](const IterDomain* piece) { return classes.classOf(piece); });
        }
      }
      most = std::max(most, pieces.size());
    }
    return found;
  };
  std::vector<Pieces> read = piecesOf(own.read);
  std::vector<Pieces> written = piecesOf(own.written);
  // Whether the largest have different innermost dimensions, which all have.
  const auto differ = [&](std::vector<Pieces>& tensors) {
    std::erase_if(tensors, [&](const Pieces& pieces) { return pieces.size() < most; });
    std::set<int64_t> innermost;
    for (const Pieces& pieces : tensors) {
      innermost.insert(pieces.back());
    }
    return innermost.size() > 1 && std::ranges::all_of(tensors, [&](const Pieces& pieces) {
             return std::ranges::all_of(innermost, [&](int64_t piece) {
               return std::ranges::find(pieces, piece) != pieces.end();
             });
           });
  };
  return differ(read) || differ(written);
}

// Whether a kernel for workers would reduce along rows of memory and write its largest results
// across them: single elements, far apart. What is reduced is written in rows, then, and turned by
// tiles.
bool writesAcrossReduced(const std::vector<Expr*>& exprs) {
  const GlobalTensors own = globalTensorsOf(exprs);
  if (!reducesPermuted(exprs, own)) {
    return false;
  }
  const DomainClasses classes(exprs);
  std::set<int64_t> reduced;
  for (const Expr* expr : exprs) {
    if (expr->is<ReductionOp>()) {
      for (const IterDomain* id : expr->output(0)->asTensor()->logical()) {
        const bool isShort =
            id->extent()->isConstInt() && id->extent()->constInt() <= limits::kConstantPart;
        if (id->isReduction() && !isShort) {
          reduced.insert(classes.classOf(id));
        }
      }
    }
  }
  // The classes of the dimensions of a tensor as it lies in memory.
  const auto classesOf = [&](const TensorView* tv) {
    std::vector<int64_t> found;
    for (const IterDomain* id : tv->domain()->maybeAllocation()) {
      if (id->isIteration()) {
        found.push_back(classes.classOf(id));
      }
    }
    return found;
  };
  const bool readsRows = std::ranges::any_of(own.read, [&](const TensorView* tv) {
    const std::vector<int64_t> dims = classesOf(tv);
    return dims.size() > 1 && reduced.contains(dims.back());
  });
  return readsRows && std::ranges::any_of(own.written, [&](const TensorView* tv) {
           // In which order other results lie is chosen later: as they are computed.
           const bool isGiven = tv->isFusionOutput() || tv->domain()->hasAllocation();
           const std::vector<int64_t> dims = classesOf(tv);
           return isGiven && dims.size() > 1 && !reduced.contains(dims.back()) &&
                  std::ranges::any_of(dims, [&](int64_t dim) { return reduced.contains(dim); });
         });
}

bool crossesBoundary(const std::vector<Expr*>& exprs, const Target& target) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  return std::ranges::any_of(exprs, [&](const Expr* expr) {
    return std::ranges::any_of(expr->inputs(), [&](const Val* in) {
      return in->definition() != nullptr && members.contains(in->definition()) &&
             isNeededWhole(in, expr, target);
    });
  });
}

// On request, what cuts out and extends stands alone.
bool mixesResize(const std::vector<Expr*>& exprs) {
  return exprs.size() > 1 && isOn(Option::disable_resize_scheduler) &&
         std::ranges::any_of(exprs, [](const Expr* expr) {
           return expr->is<SliceOp>() || expr->is<PadOp>() || expr->is<CatOp>();
         });
}

// A kernel waits once for what other devices have.
bool hasSeveralExchanges(const std::vector<Expr*>& exprs) {
  const LibraryOp* known = nullptr;
  for (const Expr* expr : exprs) {
    for (const Val* in : expr->inputs()) {
      const LibraryOp* exchange = multidevice::exchangeOf(in);
      if (exchange != nullptr && known != nullptr && exchange != known) {
        return true;
      }
      known = exchange == nullptr ? known : exchange;
    }
  }
  return false;
}

bool fits(const std::vector<Expr*>& exprs, const Target& target) {
  return !crossesBoundary(exprs, target) && !mixesResize(exprs) && !hasSeveralExchanges(exprs) &&
         proposeScheduler(FusionSummary(exprs), target) != SchedulerType::None;
}

// The name behind those of all tensors: copies that are made for segments have later ones.
int64_t endOfNames(const Fusion& fusion) {
  int64_t end = 0;
  for (const Expr* expr : fusion.tensorExprs()) {
    for (const Val* out : expr->outputs()) {
      end = std::max(end, out->name() + 1);
    }
  }
  return end;
}

// The names of what expressions compute, those before `end`, in order.
std::vector<int64_t> namesOf(const std::vector<Expr*>& exprs, int64_t end) {
  std::vector<int64_t> names;
  for (const Expr* expr : exprs) {
    for (const Val* out : expr->outputs()) {
      if (out->name() < end) {
        names.push_back(out->name());
      }
    }
  }
  std::ranges::sort(names);
  return names;
}

// What must not be a group.
struct Refused {
  const Refusals& refusals;
  int64_t endOfNames;
  // Each alone.
  ViewsOfMemory views;

  bool contains(const std::vector<Expr*>& exprs) const {
    if (exprs.size() > 1 &&
        std::ranges::any_of(exprs, [&](const Expr* expr) { return views.contains(expr); })) {
      return true;
    }
    return !refusals.empty() && refusals.contains(namesOf(exprs, endOfNames), exprs.size());
  }
};

// Whether expressions may be one segment; `tensors` is what a part of them has.
bool mayBeSegment(const std::vector<Expr*>& exprs, size_t tensors, const Refused& refused,
                  const Target& target) {
  return !isTooLarge(exprs, tensors) && !permutesForCalls(exprs) && !refused.contains(exprs) &&
         !(target.capabilities.hasThreads ? transposesReduced(exprs)
                                          : writesAcrossReduced(exprs)) &&
         fits(exprs, target);
}

// Units are put into groups one after the other, each into the groups of its producers where a
// scheduler accepts that; then groups that are neighbours or read the same inputs are joined.
//
// Groups are the nodes of a graph without cycles. It is kept up to date as they are joined, with
// places in an order that respects it, so that only what lies between two groups is searched for a
// way that leads out of them and back. What did not fit is not tried again before one of the two
// has changed.
class Grouping {
 public:
  Grouping(std::vector<Unit> units, const Target& target, const Refused& refused)
      : target_(target), refused_(refused), units_(std::move(units)), groups_(units_.size()) {
    std::unordered_map<const Expr*, size_t> unitOf;
    for (size_t i = 0; i < units_.size(); ++i) {
      for (const Expr* expr : units_[i].exprs) {
        unitOf[expr] = i;
      }
    }
    for (size_t i = 0; i < units_.size(); ++i) {
      Group& group = groups_[i];
      group.members = {i};
      group.globalTensors = globalTensorsOf(units_[i].exprs).count();
      group.place = i;
      order_.push_back(i);
      for (const Expr* expr : units_[i].exprs) {
        for (const Val* in : expr->inputs()) {
          if (!in->isTensor()) {
            continue;
          }
          std::vector<size_t>& readers = readers_[in];
          if (!in->asTensor()->isZeroDim() && (readers.empty() || readers.back() != i)) {
            readers.push_back(i);
            group.read.push_back(in);
          }
          const auto producer = unitOf.find(in->definition());
          if (in->definition() != nullptr && producer != unitOf.end() && producer->second != i) {
            group.producers.insert(producer->second);
            groups_[producer->second].consumers.insert(i);
          }
        }
      }
    }
  }

  std::vector<std::vector<Expr*>> run() {
    for (size_t i = 0; i < groups_.size(); ++i) {
      NVF_CHECK(fits(units_[i].exprs, target_),
                "Can not find a scheduler to schedule fusion segment with ",
                units_[i].exprs.back()->toString());
    }
    for (size_t i = 0; i < groups_.size(); ++i) {
      // Its producers have been put into groups; nothing was put into its own yet.
      const std::set<size_t> targets = groups_[i].producers;
      if (targets.size() > 1) {
        std::set<size_t> whole = targets;
        whole.insert(i);
        if (tryJoin(whole)) {
          continue;
        }
      }
      // The latest producer first.
      for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
        if (tryJoin({*target, i})) {
          break;
        }
      }
    }
    joinNeighbours();
    return ordered();
  }

 private:
  struct Group {
    // Units in order; none where another group has taken them.
    std::vector<size_t> members;
    std::set<size_t> producers;
    std::set<size_t> consumers;
    // Tensors with dimensions.
    std::vector<const Val*> read;
    // Those that it reads from memory or writes into it.
    size_t globalTensors = 0;
    size_t place = 0;
    // Counts what was taken in.
    size_t version = 0;
  };

  std::vector<Expr*> exprsOf(const std::vector<size_t>& members) const {
    std::vector<Expr*> exprs;
    for (const size_t i : members) {
      exprs.insert(exprs.end(), units_[i].exprs.begin(), units_[i].exprs.end());
    }
    return exprs;
  }

  // Neighbours and the groups that read the same tensors, of those behind `a`. Of a great many
  // readers of one tensor only the next few are tried.
  std::set<size_t> candidatesFor(size_t a) const {
    std::set<size_t> candidates;
    const auto add = [&](size_t b) {
      if (b > a) {
        candidates.insert(b);
      }
    };
    std::ranges::for_each(groups_[a].producers, add);
    std::ranges::for_each(groups_[a].consumers, add);
    for (const Val* tv : groups_[a].read) {
      const std::vector<size_t>& readers = readers_.at(tv);
      auto reader = std::ranges::upper_bound(readers, a);
      for (size_t count = 0; reader != readers.end() && count < limits::kReaders; ++reader) {
        if (!groups_[*reader].members.empty()) {
          candidates.insert(*reader);
          ++count;
        }
      }
    }
    return candidates;
  }

  // Joins pairs until none fits any more, from the first group on after each.
  void joinNeighbours() {
    std::map<std::pair<size_t, size_t>, std::pair<size_t, size_t>> failed;
    std::set<size_t> open;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!groups_[g].members.empty()) {
        open.insert(g);
      }
    }
    while (!open.empty()) {
      const size_t a = *open.begin();
      open.erase(open.begin());
      for (const size_t b : candidatesFor(a)) {
        const std::pair versions(groups_[a].version, groups_[b].version);
        if (const auto known = failed.find({a, b});
            known != failed.end() && known->second == versions) {
          continue;
        }
        if (!tryJoin({a, b})) {
          failed[{a, b}] = versions;
          continue;
        }
        open.erase(b);
        // Itself again, and what may join what it has become.
        open.insert(a);
        for (const auto* neighbours : {&groups_[a].producers, &groups_[a].consumers}) {
          open.insert(neighbours->begin(), neighbours->end());
        }
        for (const Val* tv : groups_[a].read) {
          addReadersBefore(a, tv, open);
        }
        break;
      }
    }
  }

  void addReadersBefore(size_t a, const Val* tv, std::set<size_t>& open) const {
    const std::vector<size_t>& readers = readers_.at(tv);
    size_t count = 0;
    for (auto reader = std::ranges::lower_bound(readers, a);
         reader != readers.begin() && count < limits::kReaders;) {
      --reader;
      if (!groups_[*reader].members.empty()) {
        open.insert(*reader);
        ++count;
      }
    }
  }

  // What is reached from the set without it, as far as the last of the set; nothing when that leads
  // back into the set.
  std::optional<std::unordered_set<size_t>> reachedBetween(const std::set<size_t>& joined) const {
    size_t last = 0;
    std::vector<size_t> stack(joined.begin(), joined.end());
    for (const size_t g : joined) {
      last = std::max(last, groups_[g].place);
    }
    std::unordered_set<size_t> reached;
    while (!stack.empty()) {
      const size_t from = stack.back();
      stack.pop_back();
      for (const size_t to : groups_[from].consumers) {
        if (joined.contains(to)) {
          if (!joined.contains(from)) {
            return std::nullopt;
          }
        } else if (groups_[to].place < last && reached.insert(to).second) {
          stack.push_back(to);
        }
      }
    }
    return reached;
  }

  bool tryJoin(const std::set<size_t>& groups) {
    const auto reached = reachedBetween(groups);
    if (!reached) {
      return false;
    }
    std::vector<size_t> members;
    for (const size_t g : groups) {
      members.insert(members.end(), groups_[g].members.begin(), groups_[g].members.end());
    }
    std::ranges::sort(members);
    const std::vector<Expr*> exprs = exprsOf(members);
    size_t tensors = 0;
    for (const size_t g : groups) {
      tensors = std::max(tensors, groups_[g].globalTensors);
    }
    if (!mayBeSegment(exprs, tensors, refused_, target_)) {
      return false;
    }
    const size_t target = *groups.begin();
    reorder(groups, target, *reached);
    for (const size_t g : groups) {
      if (g != target) {
        absorb(target, g);
      }
    }
    groups_[target].members = std::move(members);
    groups_[target].globalTensors = globalTensorsOf(exprs).count();
    ++groups_[target].version;
    return true;
  }

  // Gives the groups from the first to the last of the set places: what is reached from the set
  // behind it, everything else in front.
  void reorder(const std::set<size_t>& groups, size_t target,
               const std::unordered_set<size_t>& reached) {
    size_t first = order_.size();
    size_t last = 0;
    for (const size_t g : groups) {
      first = std::min(first, groups_[g].place);
      last = std::max(last, groups_[g].place);
    }
    std::vector<size_t> before;
    std::vector<size_t> behind{target};
    for (size_t place = first; place <= last; ++place) {
      const size_t g = order_[place];
      if (g == kGone || groups.contains(g)) {
        continue;
      }
      (reached.contains(g) ? behind : before).push_back(g);
    }
    size_t place = first;
    for (const auto* part : {&before, &behind}) {
      for (const size_t g : *part) {
        groups_[g].place = place;
        order_[place++] = g;
      }
    }
    for (; place <= last; ++place) {
      order_[place] = kGone;
    }
  }

  void absorb(size_t target, size_t g) {
    Group& into = groups_[target];
    Group& from = groups_[g];
    const auto redirect = [&](std::set<size_t> Group::* own, std::set<size_t> Group::* other) {
      for (const size_t neighbour : from.*own) {
        (groups_[neighbour].*other).erase(g);
        if (neighbour != target) {
          (groups_[neighbour].*other).insert(target);
          (into.*own).insert(neighbour);
        }
      }
      (into.*own).erase(g);
      (from.*own).clear();
    };
    redirect(&Group::producers, &Group::consumers);
    redirect(&Group::consumers, &Group::producers);
    for (const Val* tv : from.read) {
      std::vector<size_t>& readers = readers_.at(tv);
      std::erase(readers, g);
      if (const auto at = std::ranges::lower_bound(readers, target);
          at == readers.end() || *at != target) {
        readers.insert(at, target);
        into.read.push_back(tv);
      }
    }
    from.read.clear();
    from.members.clear();
  }

  std::vector<std::vector<Expr*>> ordered() const {
    std::vector<size_t> waits(groups_.size());
    std::set<size_t> ready;
    for (size_t g = 0; g < groups_.size(); ++g) {
      waits[g] = groups_[g].producers.size();
      if (waits[g] == 0 && !groups_[g].members.empty()) {
        ready.insert(g);
      }
    }
    // From the first to the last again and again, as long as there are any.
    std::vector<std::vector<Expr*>> result;
    size_t next = 0;
    while (!ready.empty()) {
      auto found = ready.lower_bound(next);
      const size_t g = found == ready.end() ? *ready.begin() : *found;
      ready.erase(g);
      result.push_back(exprsOf(groups_[g].members));
      for (const size_t consumer : groups_[g].consumers) {
        if (--waits[consumer] == 0) {
          ready.insert(consumer);
        }
      }
      next = g + 1;
    }
    NVF_INTERNAL_CHECK(std::ranges::none_of(waits, [](size_t count) { return count > 0; }),
                       "groups of expressions depend on each other");
    return result;
  }

  static constexpr size_t kGone = static_cast<size_t>(-1);

  const Target& target_;
  const Refused& refused_;
  std::vector<Unit> units_;
  std::vector<Group> groups_;
  // By place; places of groups that were taken in are free.
  std::vector<size_t> order_;
  // The groups that read a tensor, in order.
  std::unordered_map<const Val*, std::vector<size_t>> readers_;
};

// How many tensors are written or read both before and behind each place between two units.
std::vector<int64_t> sharedAround(const std::vector<Unit>& units) {
  std::unordered_map<const Val*, std::pair<size_t, size_t>> spans;
  for (size_t i = 0; i < units.size(); ++i) {
    for (const Expr* expr : units[i].exprs) {
      for (const std::vector<Val*>* operands : {&expr->inputs(), &expr->outputs()}) {
        for (const Val* val : *operands) {
          if (val->isTensor()) {
            spans.try_emplace(val, i, i).first->second.second = i;
          }
        }
      }
    }
  }
  std::vector<int64_t> changes(units.size() + 1, 0);
  for (const auto& [val, span] : spans) {
    ++changes[span.first + 1];
    --changes[span.second + 1];
  }
  std::vector<int64_t> shared(units.size() + 1, 0);
  std::partial_sum(changes.begin(), changes.end(), shared.begin());
  return shared;
}

// Counts the stages of what is added, on the longest way through it.
class StageCount {
 public:
  int64_t add(const Unit& unit) {
    for (const Expr* expr : unit.exprs) {
      int64_t above = 0;
      for (const Val* in : expr->inputs()) {
        const auto known = known_.find(in->definition());
        above = known == known_.end() ? above : std::max(above, known->second);
      }
      // Behind a library call is another kernel in any case.
      const int64_t own = expr->is<LibraryOp>() ? 0 : above + (expr->is<ReductionOp>() ? 1 : 0);
      known_[expr] = own;
      most_ = std::max(most_, own);
    }
    return most_;
  }

 private:
  std::unordered_map<const Expr*, int64_t> known_;
  int64_t most_ = 0;
};

// The units by what they have in common: tensors that are computed, and inputs but for single
// values. Parts are in the order of their first units.
std::vector<std::vector<Unit>> unrelatedParts(std::vector<Unit> units) {
  const DisjointSets sets = connectedGroups(
      units.size(), [&](size_t i) -> const std::vector<Expr*>& { return units[i].exprs; },
      [](const TensorView* tv) { return tv->definition() != nullptr || !tv->isZeroDim(); });
  std::vector<std::vector<Unit>> parts;
  std::unordered_map<size_t, size_t> partOf;
  for (size_t i = 0; i < units.size(); ++i) {
    const auto [part, isNew] = partOf.try_emplace(sets.find(i), parts.size());
    if (isNew) {
      parts.emplace_back();
    }
    parts[part->second].push_back(std::move(units[i]));
  }
  return parts;
}

// The units in an order in which each comes soon after what it reads: a cut between any two leaves
// the readers of a tensor on one side, if there are few. Sorted expressions are what one output
// needs after what another one needs, however far in front that was computed.
std::vector<Unit> closeToOperands(std::vector<Unit> units) {
  std::unordered_map<const Expr*, size_t> unitOf;
  for (size_t i = 0; i < units.size(); ++i) {
    for (const Expr* expr : units[i].exprs) {
      unitOf[expr] = i;
    }
  }
  std::vector<std::set<size_t>> readers(units.size());
  std::vector<size_t> waits(units.size());
  for (size_t i = 0; i < units.size(); ++i) {
    std::set<size_t> producers;
    bool readsSingles = true;
    for (const Expr* expr : units[i].exprs) {
      for (const Val* in : expr->inputs()) {
        const auto producer = unitOf.find(in->definition());
        if (in->isTensor() && producer != unitOf.end() && producer->second != i) {
          producers.insert(producer->second);
          readsSingles = readsSingles && in->asTensor()->isZeroDim();
        }
      }
    }
    // What reads single values alone, as random numbers their seed, comes when it is needed.
    if (!readsSingles) {
      waits[i] = producers.size();
      for (const size_t producer : producers) {
        readers[producer].insert(i);
      }
    }
  }
  std::vector<Unit> ordered;
  std::vector<bool> isQueued(units.size());
  std::vector<size_t> queue;
  for (size_t first = 0; first < units.size(); ++first) {
    // What needs no other units comes when it is needed.
    if (!isQueued[first]) {
      isQueued[first] = true;
      queue.push_back(first);
    }
    for (size_t next = ordered.size(); next < queue.size(); ++next) {
      for (const size_t reader : readers[queue[next]]) {
        if (--waits[reader] == 0) {
          isQueued[reader] = true;
          queue.push_back(reader);
        }
      }
      ordered.push_back(std::move(units[queue[next]]));
    }
  }
  return ordered;
}

// Compilers and grouping take more than twice the time for twice the operations: more than these,
// or than the stages of a kernel, are cut into pieces, where the fewest tensors have to be passed
// on. What has nothing in common gains nothing from one kernel: where there is much of it, each
// part is a piece.
std::vector<std::vector<Unit>> inPieces(std::vector<Unit> units) {
  std::vector<std::vector<Unit>> pieces;
  const bool isFew = units.size() <= limits::kUnrelatedUnits;
  if (units.size() > limits::kPieceUnits) {
    units = closeToOperands(std::move(units));
  }
  const std::vector<int64_t> shared = sharedAround(units);
  const auto at = [&](size_t place) {
    return std::make_move_iterator(units.begin() + static_cast<std::ptrdiff_t>(place));
  };
  size_t begin = 0;
  while (begin < units.size()) {
    size_t end = begin + 1;
    StageCount stages;
    stages.add(units[begin]);
    while (end < units.size() && end - begin < limits::kPieceUnits && (isFew || shared[end] > 0) &&
           stages.add(units[end]) <= limits::kStages) {
      ++end;
    }
    if (end < units.size() && shared[end] > 0) {
      size_t least = end;
      for (size_t place = end; place > begin + (end - begin) / 2; --place) {
        least = shared[place] < shared[least] ? place : least;
      }
      end = least;
    }
    pieces.emplace_back(at(begin), at(end));
    begin = end;
  }
  return pieces;
}

// What becomes a segment, with the names that say whether it is refused: those from before copies
// of what was repeated were shared, which may leave none of what they are copies of.
struct Group {
  std::vector<Expr*> exprs;
  std::vector<int64_t> names;
};

// What attention reads has a layout of its own.
bool isAttention(const Expr* use) {
  const auto* call = use->as<LibraryOp>();
  return call != nullptr && call->type() == LibraryOpType::SdpaForward;
}

// What is updated lies in memory of the caller.
bool isUpdate(const TensorView* tv) {
  const auto& outputs = tv->fusion()->outputs();
  return std::ranges::any_of(outputs, [&](const Fusion::Output& output) {
    return output.tv == tv && output.alias != nullptr;
  });
}

// The groups, with views of what they write as groups of their own: where a tensor is written, and
// needed elsewhere in another shape, too, it is not written twice.
std::vector<std::vector<Expr*>> withViews(Fusion* fusion, std::vector<std::vector<Expr*>> groups) {
  std::vector<std::vector<Expr*>> result;
  for (std::vector<Expr*>& group : groups) {
    const std::unordered_set<const Expr*> members(group.begin(), group.end());
    const auto isElsewhere = [&](const Expr* use) { return !members.contains(use); };
    std::vector<Expr*> remaining;
    std::vector<std::vector<Expr*>> views;
    for (Expr* expr : group) {
      remaining.push_back(expr);
      if (!mayBeView(expr)) {
        continue;
      }
      TensorView* out = expr->output(0)->asTensor();
      TensorView* in = expr->input(0)->asTensor();
      std::vector<Expr*> readers;
      std::ranges::copy_if(out->uses(), std::back_inserter(readers), isElsewhere);
      const bool isWritten = members.contains(in->definition()) &&
                             (in->isFusionOutput() || std::ranges::any_of(in->uses(), isElsewhere));
      // Kernels read what lies as if it had been made for them.
      const bool suits = expr->is<ReshapeOp>() ? !in->domain()->hasAllocation()
                                               : std::ranges::all_of(readers, &Expr::is<LibraryOp>);
      if (!isWritten || readers.empty() || out->isFusionOutput() ||
          out->domain()->hasAllocation() || !suits || isUpdate(in) ||
          std::ranges::any_of(readers, isAttention)) {
        continue;
      }
      Cloner cloner(fusion, true);
      cloner.substitute(in, in);
      Expr* view = cloner.clone(expr);
      for (Expr* reader : readers) {
        fusion->replaceInput(reader, out, view->output(0));
      }
      views.push_back({view});
      if (out->uses().empty()) {
        remaining.pop_back();
        fusion->removeExpr(expr);
      }
    }
    result.push_back(std::move(remaining));
    std::ranges::move(views, std::back_inserter(result));
  }
  return result;
}

// Whether only calls and the caller read a tensor, as it is or as views.
bool isForOthers(const TensorView* tv) {
  if (tv->isFusionOutput()) {
    return tv->uses().empty() && !isUpdate(tv);
  }
  return std::ranges::all_of(tv->uses(), [](const Expr* use) {
    return use->is<LibraryOp>()
               ? !isAttention(use)
               : isReshapeOrPermutation(use) && isForOthers(use->output(0)->asTensor());
  });
}

// Whether the result of a view lies as its operand: one in order does for calls and reshapes, and
// the caller's, where it may lie in any order, lies as what it permutes.
bool liesAsOperand(const Expr* view) {
  const TensorView* out = view->output(0)->asTensor();
  const bool isOutput = out->isFusionOutput();
  return !view->input(0)->asTensor()->domain()->hasAllocation() &&
         (asPermutation(view) != nullptr && isOutput
              ? out->domain()->maybeAllocation() == out->root()
              : !out->domain()->hasAllocation());
}

// Whether an expression is a view, for calls and the caller alone, of what a kernel computes: loops
// need not be those of both shapes.
bool isViewForOthers(const Expr* expr) {
  if (!isReshapeOrPermutation(expr)) {
    return false;
  }
  const TensorView* in = expr->input(0)->asTensor();
  const Expr* source = in->definition();
  const bool isComputed = source != nullptr && !source->is<LibraryOp>() &&
                          (!mayBeView(source) || isViewForOthers(source));
  return isComputed && isForOthers(expr->output(0)->asTensor()) && liesAsOperand(expr) &&
         !in->isFusionOutput() && in->deviceMesh() == nullptr &&
         in->dtype() != DataType::Float4_e2m1fn;
}

// Whether numbers that are counted once are positions along two dimensions of a tensor, which have
// the same loop then. Apart they are two dimensions of one size.
bool sharesCounting(const std::vector<Expr*>& exprs) {
  if (std::ranges::none_of(exprs, &Expr::is<IotaOp>)) {
    return false;
  }
  const DomainClasses classes(exprs);
  return std::ranges::any_of(exprs, [&](const Expr* expr) {
    std::set<int64_t> known;
    return std::ranges::any_of(expr->output(0)->asTensor()->logical(), [&](const IterDomain* id) {
      return id->isIteration() && !known.insert(classes.classOf(id)).second;
    });
  });
}

// Adds the groups of a piece. One kernel for everything is the best there is, but where dimensions
// are one by chance.
void addGroups(Fusion* fusion, const std::vector<Unit>& units, const Target& target,
               const Refused& refused, std::vector<Group>& groups) {
  const auto add = [&](std::vector<Expr*> exprs, const Repeated& repeated) {
    Group& group = groups.emplace_back();
    group.names = namesOf(exprs, refused.endOfNames);
    group.exprs = std::move(exprs);
    shareRepeated(fusion, group.exprs, repeated);
  };
  std::vector<Expr*> all;
  size_t tensors = 0;
  for (const Unit& unit : units) {
    all.insert(all.end(), unit.exprs.begin(), unit.exprs.end());
    tensors = std::max(tensors, globalTensorsOf(unit.exprs).count());
  }
  if (!all.empty() && !sharesCounting(all) && mayBeSegment(all, tensors, refused, target)) {
    add(std::move(all), {});
    return;
  }
  // Of several kernels none computes what only others read in another shape.
  Refused parts = refused;
  std::ranges::copy_if(all, std::inserter(parts.views, parts.views.end()), isViewForOthers);
  if (!refused.refusals.areRepeated()) {
    for (std::vector<Expr*>& group : Grouping(units, target, parts).run()) {
      add(std::move(group), {});
    }
    return;
  }
  Repeated repeated;
  const std::vector<Expr*> apart = repeatFree(fusion, all, parts.views, repeated);
  std::vector<std::vector<Expr*>> found =
      Grouping(unitsOf(apart, target, repeated), target, parts).run();
  // What passes between the new groups may be cheap, too.
  for (int64_t round = 0; round < limits::kRepeatRounds; ++round) {
    const std::vector<Expr*> cheap = repeatCheap(fusion, found, parts.views, repeated);
    if (cheap.empty()) {
      break;
    }
    found = Grouping(unitsOf(cheap, target, repeated), target, parts).run();
  }
  for (std::vector<Expr*>& group : withViews(fusion, std::move(found))) {
    add(std::move(group), repeated);
  }
}

// Whether computing a scalar takes more operations than the sizes of most fusions do.
bool isLong(const Val* scalar) {
  size_t count = 0;
  std::vector<const Val*> stack{scalar};
  while (!stack.empty() && count <= limits::kScalarOps) {
    const Expr* definition = stack.back()->definition();
    stack.pop_back();
    if (definition != nullptr) {
      ++count;
      stack.insert(stack.end(), definition->inputs().begin(), definition->inputs().end());
    }
  }
  return count > limits::kScalarOps;
}

// An extent of a tensor that another segment computes. Where it has a long history that is the
// host's business: kernels would compute it again, and no two of them would be alike.
Val* boundaryExtent(Fusion* target, Cloner& cloner, Val* extent) {
  if (extent != nullptr && !cloner.contains(extent) && isLong(extent)) {
    cloner.substitute(extent, target->create<Val>(extent->dtype()));
  }
  return cloner.clone(static_cast<const Val*>(extent));
}

// A tensor that another segment computes is an ordinary input here.
TensorView* boundaryTensor(Fusion* target, Cloner& cloner, const TensorView* tv) {
  std::vector<IterDomain*> logical;
  std::unordered_map<const IterDomain*, IterDomain*> copies;
  for (IterDomain* id : tv->visible()) {
    IterDomain::Options options = id->options();
    options.isRFactor = false;
    options.expandedExtent = boundaryExtent(target, cloner, id->expandedExtent());
    copies[id] = target->create<IterDomain>(boundaryExtent(target, cloner, id->extent()), options);
    logical.push_back(copies[id]);
  }
  std::vector<IterDomain*> allocation;
  TensorDomain::Contiguity contiguity;
  const auto& domain = *tv->domain();
  for (size_t i = 0; i < domain.maybeAllocation().size(); ++i) {
    IterDomain* id = domain.maybeAllocation()[i];
    if (!id->isReduction()) {
      allocation.push_back(copies.at(id));
      contiguity.push_back(domain.contiguity()[i]);
    }
  }
  if (!domain.hasAllocation()) {
    allocation.clear();
  }
  auto* copyDomain = target->create<TensorDomain>(std::vector<IterDomain*>{}, logical, allocation,
                                                  logical, contiguity);
  auto* copy = target->create<TensorView>(copyDomain, tv->dtype());
  copy->setCpuScalar(tv->isCpuScalar());
  return copy;
}

// Symbols of `segment.fusion` that stand for others.
void recordScalars(Segment& segment, const Cloner& cloner) {
  for (const auto& [original, copy] : cloner.vals()) {
    if (original->isScalar() && copy->isSymbolic() && copy->definition() == nullptr) {
      segment.scalars[copy] = original;
    }
  }
}

// `tv` as an input that has every dimension in memory, broadcast ones as well.
TensorView* memoryTensor(Fusion* target, Cloner& cloner, const TensorView* tv,
                         const std::vector<Val*>& extents) {
  const auto visible = tv->visible();
  std::vector<IterDomain*> logical;
  for (Val* extent : extents) {
    logical.push_back(target->create<IterDomain>(cloner.clone(extent), IterDomain::Options{}));
  }
  // Between broadcast dimensions no two others are known to be neighbours.
  const bool isDense = std::ranges::none_of(visible, &IterDomain::isBroadcast);
  std::vector<IterDomain*> allocation;
  TensorDomain::Contiguity contiguity;
  const auto& domain = *tv->domain();
  for (size_t place = 0; place < domain.maybeAllocation().size(); ++place) {
    const auto dimension = std::ranges::find(visible, domain.maybeAllocation()[place]);
    if (dimension != visible.end()) {
      allocation.push_back(logical[static_cast<size_t>(dimension - visible.begin())]);
      contiguity.push_back(isDense && domain.contiguity()[place].value_or(false));
    }
  }
  auto* copy = target->create<TensorDomain>(std::vector<IterDomain*>{}, logical, allocation,
                                            logical, contiguity);
  return target->create<TensorView>(copy, tv->dtype());
}

}  // namespace

size_t Refusals::mostExprs(const std::vector<int64_t>& names) const {
  size_t most = limits::kPieceUnits;
  for (const auto& [refused, entry] : segments_) {
    const auto isIn = [&](int64_t name) { return std::ranges::binary_search(refused, name); };
    if (entry.mostExprs < most && std::ranges::any_of(names, isIn)) {
      most = entry.mostExprs;
    }
  }
  return most;
}

bool Refusals::add(std::span<const Segment* const> segments, const std::string& reason) {
  const bool wereRepeated = areRepeated();
  ++times_;
  bool canBeCut = false;
  for (const Segment* segment : segments) {
    const auto [entry, isNew] =
        segments_.try_emplace(segment->names, Refused{reason, limits::kPieceUnits});
    const size_t most = std::min(mostExprs(segment->names), segment->fusion->tensorExprs().size());
    if (isNew && wereRepeated) {
      canBeCut = true;
    } else if (most > 1) {
      entry->second.mostExprs = most / 2;
      canBeCut = true;
    }
  }
  return canBeCut;
}

const std::string* Refusals::reasonFor(const std::vector<int64_t>& names) const {
  const auto known = segments_.find(names);
  return known == segments_.end() ? nullptr : &known->second.reason;
}

bool Refusals::contains(const std::vector<int64_t>& names, size_t exprs) const {
  return segments_.contains(names) || exprs > mostExprs(names);
}

namespace {

// Whether a tensor lies in memory as its sizes tell, apart from what the fusion computes of it: an
// input that the caller gives as a whole, or what a library call writes where it is told.
bool liesInOrder(const TensorView* tv, const Fusion& fusion) {
  if (tv->definition() != nullptr) {
    const auto* call = tv->definition()->as<LibraryOp>();
    return call != nullptr && call->info().intoFunction != nullptr && call->outputs().size() == 1 &&
           !tv->domain()->hasAllocation();
  }
  return tv->isFusionInput() && !tv->domain()->hasAllocation() && !fusion.isUpdated(tv) &&
         std::ranges::all_of(tv->domain()->contiguity(),
                             [](const std::optional<bool>& is) { return is == true; });
}

// Reshapes of what is in memory, if nothing reads that in its own shape: kernels read it as it is
// reshaped, and their loops are those of the new dimensions. Each is a segment that does nothing.
ViewsOfMemory viewsOfMemory(const Fusion& fusion, const std::vector<Expr*>& exprs) {
  ViewsOfMemory views;
  for (const Expr* expr : exprs) {
    const auto* reshape = expr->as<ReshapeOp>();
    if (reshape == nullptr || reshape->out()->isFusionOutput() ||
        reshape->in()->deviceMesh() != nullptr ||
        reshape->in()->dtype() == DataType::Float4_e2m1fn || !liesInOrder(reshape->in(), fusion)) {
      continue;
    }
    const bool isOnlyReshaped = std::ranges::all_of(reshape->in()->uses(), &Expr::is<ReshapeOp>);
    const bool isForCalls = std::ranges::any_of(reshape->out()->uses(), &Expr::is<LibraryOp>);
    if (isOnlyReshaped && !isForCalls) {
      views.insert(expr);
    }
  }
  return views;
}

std::vector<Group> findGroups(Fusion* fusion, const Target& target, const Refusals& refused) {
  // Before kernels are chosen: most that reduce along different dimensions are not one.
  reduceFurtherWhatIsReduced(fusion);
  std::vector<Expr*> exprs = fusion->tensorExprs();
  std::vector<Group> groups;
  const Refused toAvoid{refused, endOfNames(*fusion), viewsOfMemory(*fusion, exprs)};
  // Those of inputs are in front of everything.
  const auto isOfInput = [&](const Expr* expr) {
    return toAvoid.views.contains(expr) && expr->input(0)->isFusionInput();
  };
  for (Expr* expr : exprs) {
    if (isOfInput(expr)) {
      groups.push_back({{expr}, namesOf({expr}, toAvoid.endOfNames)});
    }
  }
  std::erase_if(exprs, isOfInput);
  std::vector<std::vector<Unit>> parts;
  if (target.capabilities.groupsKernels) {
    // Kernels of their own, some of which may be equal, share launches.
    parts = unrelatedParts(unitsOf(exprs, target, {}));
  } else {
    parts.push_back(unitsOf(exprs, target, {}));
  }
  for (std::vector<Unit>& part : parts) {
    for (const std::vector<Unit>& piece : inPieces(std::move(part))) {
      addGroups(fusion, piece, target, toAvoid, groups);
    }
  }
  // Copies that became one leave what only they read.
  eliminateDeadCode(fusion);
  for (Group& group : groups) {
    std::erase_if(group.exprs, [](const Expr* e) { return e->output(0)->definition() != e; });
  }
  std::erase_if(groups, [](const Group& group) { return group.exprs.empty(); });
  // As they stand in the fusion.
  const std::vector<Expr*> grouped = fusion->tensorExprs();
  std::vector<size_t> position(fusion->allExprs().size());
  for (size_t i = 0; i < grouped.size(); ++i) {
    position[static_cast<size_t>(grouped[i]->index())] = i;
  }
  for (Group& group : groups) {
    std::ranges::sort(group.exprs, {},
                      [&](const Expr* e) { return position[static_cast<size_t>(e->index())]; });
  }
  return groups;
}

// What only a boundary's copy reads of memory is that memory: slices of the copy would each have to
// compute all of it.
void readThroughBoundaries(Fusion* fusion) {
  for (Expr* expr : fusion->tensorExprs()) {
    const auto* copy = expr->as<LoadStoreOp>();
    if (copy != nullptr && copy->isSegmentBoundary() && copy->in()->isFusionInput() &&
        copy->in()->uses().size() == 1 && !copy->out()->isFusionOutput() &&
        !copy->out()->domain()->hasAllocation()) {
      fusion->replaceUses(copy->out(), copy->in());
      fusion->removeExpr(expr);
    }
  }
}

// Fills a segment, by a cloner into its fusion.
void fillSegment(Segment& segment, Cloner& cloner, const std::vector<Expr*>& exprs,
                 const std::unordered_map<const TensorView*, const TensorView*>& directUpdates) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  std::unordered_set<const Val*> known;
  const auto addInput = [&](Val* in) {
    TensorView* copy = boundaryTensor(segment.fusion.get(), cloner, in->asTensor());
    if (cloner.keepsNames()) {
      segment.fusion->rename(copy, in->name());
    }
    segment.fusion->addInput(copy);
    if (multidevice::exchangeOf(in) != nullptr) {
      copy->setMemoryType(MemoryType::Symmetric);
    }
    segment.inputs.push_back(in);
    return copy;
  };
  std::vector<std::pair<const Expr*, TensorView*>> otherNames;
  for (Expr* expr : exprs) {
    // The schedule of a user's knows the tensors that there are.
    if (!cloner.keepsNames() && readsAnotherName(expr, exprs)) {
      otherNames.emplace_back(expr, addInput(expr->input(0)));
      continue;
    }
    for (Val* in : expr->inputs()) {
      const bool isOutside = in->isTensor() && !members.contains(in->definition());
      if (isOutside && known.insert(in).second) {
        cloner.substitute(in, addInput(in));
      }
    }
  }
  for (Expr* expr : exprs) {
    cloner.clone(expr);
  }
  for (const auto& [expr, name] : otherNames) {
    Expr* copy = cloner.clone(expr);
    segment.fusion->replaceInput(copy, copy->input(0), name);
  }
  for (Expr* expr : exprs) {
    for (Val* out : expr->outputs()) {
      segment.computed.push_back(out);
      TensorView* tv = out->asTensor();
      const bool isUsedOutside =
          std::ranges::any_of(tv->uses(), [&](Expr* use) { return !members.contains(use); });
      if (!tv->isFusionOutput() && !isUsedOutside) {
        continue;
      }
      Val* copy = cloner.clone(static_cast<const Val*>(tv));
      const auto update = directUpdates.find(tv);
      segment.fusion->addOutput(copy,
                                update == directUpdates.end() || !cloner.contains(update->second)
                                    ? nullptr
                                    : cloner.clone(static_cast<const Val*>(update->second)));
      segment.outputs.push_back(tv);
    }
  }
  if (!cloner.keepsNames()) {
    readThroughBoundaries(segment.fusion.get());
  }
  recordScalars(segment, cloner);
}

}  // namespace

std::vector<std::vector<Expr*>> groupExprs(Fusion* fusion, const Target& target,
                                           const Refusals& refused) {
  std::vector<std::vector<Expr*>> groups;
  for (Group& group : findGroups(fusion, target, refused)) {
    groups.push_back(std::move(group.exprs));
  }
  return groups;
}

std::vector<Segment> segmentFusion(
    Fusion* fusion, const Target& target,
    const std::unordered_map<const TensorView*, const TensorView*>& directUpdates,
    const Refusals& refused) {
  std::vector<Segment> segments;
  for (auto& [exprs, names] : findGroups(fusion, target, refused)) {
    Segment& segment = segments.emplace_back();
    const FusionSummary summary(exprs);
    segment.scheduler = proposeScheduler(summary, target);
    segment.schedulers = acceptingSchedulers(segment.scheduler, summary, target);
    segment.names = std::move(names);
    segment.fusion = std::make_unique<Fusion>();
    Cloner cloner(segment.fusion.get());
    fillSegment(segment, cloner, exprs, directUpdates);
    segment.summary = std::make_unique<FusionSummary>(segment.fusion.get());
  }
  return segments;
}

Segment scheduledSegment(Fusion* fusion) {
  Segment segment;
  segment.fusion = std::make_unique<Fusion>();
  Cloner cloner(segment.fusion.get());
  cloner.keepNames();
  cloner.cloneAssumptions(*fusion);
  fillSegment(segment, cloner, fusion->tensorExprs(), {});
  return segment;
}

Segment copySegment(TensorView* source, TensorView* updated, const Target& target) {
  Segment segment;
  segment.scheduler = SchedulerType::Pointwise;
  segment.fusion = std::make_unique<Fusion>();
  segment.inputs = {source, updated};
  segment.outputs = {updated};
  Fusion* fusion = segment.fusion.get();
  Cloner cloner(fusion);
  std::vector<Val*> extents;
  for (const IterDomain* id : updated->visible()) {
    extents.push_back(id->visibleExtent());
  }
  TensorView* from = memoryTensor(fusion, cloner, source, extents);
  TensorView* into = memoryTensor(fusion, cloner, updated, extents);
  TensorView* copy = memoryTensor(fusion, cloner, updated, extents);
  fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, copy, from);
  fusion->addInput(from);
  fusion->addInput(into);
  fusion->addOutput(copy, into);
  recordScalars(segment, cloner);
  segment.summary = std::make_unique<FusionSummary>(fusion);
  segment.schedulers = acceptingSchedulers(segment.scheduler, *segment.summary, target);
  return segment;
}

}  // namespace nvfuser
