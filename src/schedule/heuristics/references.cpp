#include "schedule/heuristics/references.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/logical_map.h"
#include "ir/passes.h"
#include "ir/scalar.h"
#include "ir/views.h"
#include "schedule/heuristics/common.h"
#include "schedule/heuristics/merging.h"

namespace nvfuser::heuristics {

int64_t concreteRank(const TensorView* tv) {
  return std::ranges::count_if(
      tv->logical(), [](IterDomain* id) { return !id->isBroadcast() && !id->isReduction(); });
}

std::vector<TensorView*> ofAllDimensions(const TensorView* reference,
                                         const std::vector<TensorView*>& tensors,
                                         const DomainClasses& classes) {
  std::vector<TensorView*> result;
  std::ranges::copy_if(tensors, std::back_inserter(result), [&](const TensorView* tv) {
    const std::vector<IterDomain*> own = tv->visible();
    return std::ranges::all_of(reference->logical(), [&](const IterDomain* id) {
      if (id->isBroadcast()) {
        return true;
      }
      const int64_t place = classes.findThroughReshapes(own, id);
      if (place < 0) {
        return false;
      }
      const IterDomain* found = own[static_cast<size_t>(place)];
      return !found->isBroadcast() && (!classes.isResized(classes.classOf(id)) ||
                                       scalar::same(found->extent(), id->extent()));
    });
  });
  return result;
}

TensorView* widestOutput(const std::vector<TensorView*>& outputs) {
  return *std::ranges::max_element(
      outputs, {}, [](TensorView* tv) { return std::pair(concreteRank(tv), -tv->name()); });
}

std::vector<TensorView*> outputsAmong(const std::vector<TensorView*>& tensors) {
  std::vector<TensorView*> outputs;
  std::ranges::copy_if(tensors, std::back_inserter(outputs), &Val::isFusionOutput);
  return outputs;
}

namespace {

// The expressions that are looked at: all of a fusion, or a part of it.
class Members {
 public:
  Members() = default;
  explicit Members(const std::vector<Expr*>& exprs) : exprs_(std::in_place) {
    exprs_->insert(exprs.begin(), exprs.end());
  }

  bool contains(const Expr* expr) const {
    return expr != nullptr && (!exprs_ || exprs_->contains(expr));
  }

  // Whether something else than they needs a tensor.
  bool areLeftBy(const TensorView* tv) const {
    return tv->isFusionOutput() ||
           std::ranges::any_of(tv->uses(), [&](const Expr* use) { return !contains(use); });
  }

 private:
  // Nothing for all.
  std::optional<std::unordered_set<const Expr*>> exprs_;
};

// Whether every way from a tensor leads to a slice or pad of it.
class OnlyResized {
 public:
  explicit OnlyResized(const Members& members) : members_(members) {}

  bool operator()(const TensorView* tv) {
    std::vector<const TensorView*> stack{tv};
    while (!stack.empty()) {
      const TensorView* next = stack.back();
      if (known_.contains(next)) {
        stack.pop_back();
        continue;
      }
      const size_t depth = stack.size();
      bool isOnly = !members_.areLeftBy(next) && !next->uses().empty();
      for (const Expr* use : next->uses()) {
        const TensorView* out = use->output(0)->asTensor();
        if (!isOnly || isResize(use)) {
          continue;
        }
        if (const auto known = known_.find(out); known != known_.end()) {
          isOnly = known->second;
        } else {
          stack.push_back(out);
        }
      }
      if (!isOnly || stack.size() == depth) {
        known_[next] = isOnly;
      }
    }
    return known_.at(tv);
  }

 private:
  const Members& members_;
  std::unordered_map<const TensorView*, bool> known_;
};

std::vector<TensorView*> connectedWith(TensorView* start, const Members& members) {
  std::unordered_set<TensorView*> seen;
  std::vector<TensorView*> stack{start};
  OnlyResized isOnlyResized(members);
  while (!stack.empty()) {
    TensorView* tv = stack.back();
    stack.pop_back();
    if (!seen.insert(tv).second) {
      continue;
    }
    const bool isInput = !members.contains(tv->definition());
    const auto isRead = [&](const TensorView* other) {
      return !members.contains(other->definition());
    };
    const auto visit = [&](Expr* expr) {
      // What is cut out of an input, or of what is computed from one for that alone, has loops of
      // its own.
      const bool isApart = isResize(expr) || isOnlyResized(expr->output(0)->asTensor());
      if (isApart && isInput) {
        return;
      }
      for (const auto* side : {&expr->inputs(), &expr->outputs()}) {
        for (Val* val : *side) {
          if (val->isTensor() && !(isApart && isRead(val->asTensor()))) {
            stack.push_back(val->asTensor());
          }
        }
      }
    };
    if (!isInput) {
      visit(tv->definition());
    }
    // What has no loops connects nothing with those that read it.
    for (Expr* use : tv->uses()) {
      if (members.contains(use) && (tv == start || concreteRank(tv) > 0)) {
        visit(use);
      }
    }
  }
  std::vector<TensorView*> tensors(seen.begin(), seen.end());
  std::ranges::sort(tensors, {}, &Val::name);
  return tensors;
}

}  // namespace

std::vector<TensorView*> connectedWith(TensorView* start) {
  return connectedWith(start, Members());
}

namespace {

// Calls `look` with the widest output of each group of tensors that have to do with each other, the
// outputs of the group and all of it, until it returns a tensor.
template <typename Look>
const TensorView* lookAtGroups(const std::vector<Expr*>& exprs, const Look& look) {
  const Members members(exprs);
  std::vector<TensorView*> outputs;
  for (const Expr* expr : exprs) {
    for (Val* out : expr->outputs()) {
      if (members.areLeftBy(out->asTensor())) {
        outputs.push_back(out->asTensor());
      }
    }
  }
  while (outputs.size() > 1) {
    TensorView* reference = widestOutput(outputs);
    const std::vector<TensorView*> connected = connectedWith(reference, members);
    std::vector<TensorView*> own;
    std::vector<TensorView*> others;
    for (TensorView* tv : outputs) {
      (std::ranges::binary_search(connected, tv->name(), {}, &Val::name) ? own : others)
          .push_back(tv);
    }
    if (const TensorView* found = look(reference, own, connected); found != nullptr) {
      return found;
    }
    outputs = std::move(others);
  }
  return nullptr;
}

}  // namespace

const TensorView* widerThanReference(const std::vector<Expr*>& exprs,
                                     const DomainClasses& classes) {
  return lookAtGroups(
      exprs, [&](const TensorView* reference, const std::vector<TensorView*>& outputs,
                 const std::vector<TensorView*>& /*connected*/) {
        std::vector<IterDomain*> dimensions;
        const auto addFrom = [&](const std::vector<IterDomain*>& domain) {
          std::ranges::copy_if(domain, std::back_inserter(dimensions),
                               [](const IterDomain* id) { return !id->isBroadcast(); });
        };
        addFrom(reference->logical());
        // What is written by a scatter has the dimensions of its loops.
        for (const Expr* expr : exprs) {
          if (expr->is<ScatterOp>()) {
            addFrom(expr->output(0)->asTensor()->root());
          }
        }
        const auto wider = std::ranges::find_if(outputs, [&](const TensorView* tv) {
          return std::ranges::any_of(tv->logical(), [&](const IterDomain* id) {
            return !id->isBroadcast() && !id->extent()->isConstInt(1) &&
                   classes.findThroughReshapes(dimensions, id) < 0;
          });
        });
        return wider == outputs.end() ? nullptr : *wider;
      });
}

const TensorView* repeatsDimension(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  return lookAtGroups(exprs,
                      [&](const TensorView* reference, const std::vector<TensorView*>& outputs,
                          const std::vector<TensorView*>& /*connected*/) -> const TensorView* {
                        const auto timesOf = [&](const TensorView* tv) {
                          std::map<int64_t, int64_t> times;
                          for (const IterDomain* id : tv->logical()) {
                            if (!id->isBroadcast() && !id->extent()->isConstInt(1)) {
                              ++times[classes.classOf(id)];
                            }
                          }
                          return times;
                        };
                        const std::map<int64_t, int64_t> most = timesOf(reference);
                        for (const TensorView* tv : outputs) {
                          for (const auto& [place, times] : timesOf(tv)) {
                            const auto known = most.find(place);
                            if (times > 1 && (known == most.end() || times > known->second)) {
                              return tv;
                            }
                          }
                        }
                        return nullptr;
                      });
}

namespace {

// Dimensions of the order in which a reference lies in memory, first and last.
struct Run {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
};

// Whether two runs have dimensions in common, but each some that the other lacks.
bool overlap(const Run& x, const Run& y) {
  const auto isAcross = [](const Run& a, const Run& b) {
    return a.first < b.first && b.first <= a.last && a.last < b.last;
  };
  return isAcross(x, y) || isAcross(y, x);
}

// The first or last of the dimensions that a domain is merged of.
const IterDomain* endOf(const IterDomain* id, bool isLast) {
  while (id->definition() != nullptr && id->definition()->is<Merge>()) {
    const auto* merge = id->definition()->as<Merge>();
    id = isLast ? merge->inner() : merge->outer();
  }
  return id;
}

// The runs that views merge, of dimensions and of what other views have merged.
class MergedRuns {
 public:
  MergedRuns(std::vector<IterDomain*> order, const DomainClasses& classes)
      : order_(std::move(order)), classes_(classes) {
    for (size_t i = 0; i < order_.size(); ++i) {
      const auto place = static_cast<std::ptrdiff_t>(i);
      runs_.try_emplace(classes.classOf(order_[i]), Run{place, place});
    }
  }

  // Whether loops in that order can be merged like this and like all before.
  bool add(const Merge* merge) {
    const auto outer = runs_.find(classes_.classOf(merge->outer()));
    const auto inner = runs_.find(classes_.classOf(merge->inner()));
    if (outer == runs_.end() || inner == runs_.end()) {
      // A dimension of one element is not among the others.
      const auto& known = outer == runs_.end() ? inner : outer;
      const IterDomain* other = outer == runs_.end() ? merge->outer() : merge->inner();
      if (known != runs_.end() && (other->isBroadcast() || other->extent()->isConstInt(1))) {
        runs_.try_emplace(classes_.classOf(merge->out()), known->second);
        return true;
      }
      return areNeighbours(endOf(merge->outer(), true), endOf(merge->inner(), false));
    }
    const Run run{outer->second.first, inner->second.last};
    if (outer->second.last + 1 != inner->second.first ||
        std::ranges::any_of(merged_, [&](const Run& other) { return overlap(run, other); })) {
      return false;
    }
    merged_.push_back(run);
    runs_.try_emplace(classes_.classOf(merge->out()), run);
    return true;
  }

 private:
  // A part of a dimension stands for it; what the reference does not have is not in its way.
  bool areNeighbours(const IterDomain* last, const IterDomain* first) const {
    const int64_t outer = classes_.findThroughReshapes(order_, last);
    const int64_t inner = classes_.findThroughReshapes(order_, first);
    const bool areParts = inner == outer && classes_.find(order_, classes_.classOf(first)) < 0;
    return outer < 0 || inner < 0 || inner == outer + 1 || areParts;
  }

  std::vector<IterDomain*> order_;
  const DomainClasses& classes_;
  std::unordered_map<int64_t, Run> runs_;
  std::vector<Run> merged_;
};

}  // namespace

const TensorView* viewAcrossMemory(const std::vector<Expr*>& exprs, const DomainClasses& classes) {
  if (std::ranges::none_of(exprs, [](const Expr* expr) { return expr->is<ReshapeOp>(); })) {
    return nullptr;
  }
  return lookAtGroups(
      exprs,
      [&](const TensorView* reference, const std::vector<TensorView*>& outputs,
          const std::vector<TensorView*>& connected) -> const TensorView* {
        std::vector<IterDomain*> order;
        for (const int64_t position : memoryOrder(reference, outputs, classes)) {
          IterDomain* id = reference->logical()[static_cast<size_t>(position)];
          if (!id->isBroadcast() && !id->extent()->isConstInt(1)) {
            order.push_back(id);
          }
        }
        MergedRuns runs(std::move(order), classes);
        for (const Expr* expr : exprs) {
          const auto* tv = expr->output(0)->asTensor();
          if (!std::ranges::binary_search(connected, tv->name(), {}, &Val::name)) {
            continue;
          }
          const std::vector<const Merge*> merges = mergesOf(expr);
          if (!std::ranges::all_of(merges, [&](const Merge* merge) { return runs.add(merge); })) {
            return tv;
          }
        }
        return nullptr;
      });
}

namespace {

// The innermost concrete dimension of a tensor in memory, null for none.
IterDomain* innermostOf(const TensorView* tv) {
  const auto& allocation = tv->domain()->maybeAllocation();
  for (size_t i = allocation.size(); i-- > 0;) {
    if (!allocation[i]->isBroadcast() && !allocation[i]->isReduction()) {
      return tv->domain()->contiguity()[i].value_or(false) ? allocation[i] : nullptr;
    }
  }
  return nullptr;
}

// Whether two of the dimensions are of this class, as in x[None] - x[:, None], whose operands run
// along the same dimension of x.
bool isTwice(const std::vector<IterDomain*>& dimensions, int64_t classNumber,
             const DomainClasses& classes) {
  return std::ranges::count_if(dimensions, [&](const IterDomain* id) {
           return classes.classOf(id) == classNumber;
         }) > 1;
}

// Whether nothing but a lookup needs the positions that it has, nor what these are computed of.
bool areOnlyLookedUp(const LookupOp* lookup) {
  std::vector<const Val*> above{lookup->index()};
  std::unordered_set<const Expr*> known{lookup};
  for (size_t i = 0; i < above.size(); ++i) {
    if (const Expr* definition = above[i]->definition();
        definition != nullptr && known.insert(definition).second) {
      std::ranges::copy_if(definition->inputs(), std::back_inserter(above), &Val::isTensor);
    }
  }
  return std::ranges::all_of(above, [&](const Val* tv) {
    return !tv->isFusionOutput() &&
           std::ranges::all_of(tv->uses(), [&](const Expr* use) { return known.contains(use); });
  });
}

// What is looked up in an input by its only use, along another dimension than this one; the input
// itself where nothing is, null for other lookups.
TensorView* lookedUpIn(TensorView* input, const IterDomain* fastest) {
  const auto looksUp = [&](const Expr* use) { return isLookedUp(input, use); };
  if (std::ranges::none_of(input->uses(), looksUp)) {
    return input;
  }
  const Expr* use = input->uses().front();
  const bool isOfRows = input->uses().size() == 1 && looksUpSlices(input, use, fastest) &&
                        areOnlyLookedUp(use->as<LookupOp>());
  return isOfRows ? use->output(0)->asTensor() : nullptr;
}

// Whether an input is read by lookups of slices alone.
bool isOnlyLookedUp(const TensorView* input, const IterDomain* fastest) {
  return std::ranges::all_of(input->uses(),
                             [&](const Expr* use) { return looksUpSlices(input, use, fastest); });
}

// Whether each element of a result is made of one of the only operand.
bool isOfOneOperand(const Expr* expr) {
  return (mayBeView(expr) || isElementwise(expr) || expr->is<ExpandOp>() ||
          expr->is<LoadStoreOp>()) &&
         std::ranges::count_if(expr->inputs(), &Val::isTensor) == 1;
}

// The first of a tensor and what is made of it, of nothing else, that has elements along both
// dimensions; null for none.
TensorView* firstAlongBoth(TensorView* tv, int64_t one, int64_t other,
                           const DomainClasses& classes) {
  while (!hasElementsAlong(tv, one, classes) || !hasElementsAlong(tv, other, classes)) {
    const Expr* use = tv->uses().size() == 1 ? tv->uses().front() : nullptr;
    if (use == nullptr || tv->isFusionOutput() || isResize(use) || !isOfOneOperand(use)) {
      return nullptr;
    }
    tv = use->output(0)->asTensor();
  }
  return tv;
}

Crossing findCrossing(TensorView* reference, const DomainClasses& classes, bool ofViews) {
  Crossing crossing;
  const IterDomain* inner = innermostOf(reference);
  if (inner == nullptr) {
    return crossing;
  }
  const int64_t innerClass = classes.classOf(inner);
  for (Val* input : reference->fusion()->inputs()) {
    if (!input->isTensor() || input->uses().empty()) {
      continue;
    }
    TensorView* tv = input->asTensor();
    const IterDomain* fastest = innermostOf(tv);
    TensorView* read = lookedUpIn(tv, fastest);
    if (fastest == nullptr || classes.classOf(fastest) == innerClass) {
      continue;
    }
    const int64_t fastestClass = classes.classOf(fastest);
    TensorView* held =
        read == nullptr ? nullptr : firstAlongBoth(read, fastestClass, innerClass, classes);
    if (held == nullptr && ofViews && isOnlyLookedUp(tv, fastest)) {
      held = reference;
    }
    if (held == nullptr || (held != tv && !ofViews)) {
      continue;
    }
    const int64_t place = classes.find(reference->logical(), fastestClass);
    const auto isAmbiguous = [&](const TensorView* of) {
      return isTwice(of->logical(), fastestClass, classes) ||
             isTwice(of->logical(), innerClass, classes);
    };
    if (isAmbiguous(reference) || isAmbiguous(held)) {
      continue;
    }
    if (place < 0 || classes.isResized(fastestClass) || classes.isResized(innerClass)) {
      continue;
    }
    IterDomain* domain = reference->logical()[static_cast<size_t>(place)];
    if (crossing.domain == nullptr || crossing.domain == domain) {
      crossing.domain = domain;
      crossing.inputs.push_back(tv);
      crossing.held.push_back(held);
    }
  }
  return crossing;
}

}  // namespace

bool hasElementsAlong(const TensorView* tv, int64_t classNumber, const DomainClasses& classes) {
  const int64_t place = classes.find(tv->logical(), classNumber);
  return place >= 0 && !tv->logical()[static_cast<size_t>(place)]->isBroadcast();
}

Crossing findCrossing(TensorView* reference, const DomainClasses& classes) {
  return findCrossing(reference, classes, false);
}

Crossing findCrossing(TensorView* reference) {
  return findCrossing(reference, DomainClasses(reference->fusion()->tensorExprs()));
}

Crossing findCrossingOfViews(TensorView* reference, const DomainClasses& classes) {
  return findCrossing(reference, classes, true);
}

bool isCrossingMerged(const Crossing& crossing, const std::vector<Expr*>& exprs,
                      const DomainClasses& classes) {
  const int64_t crossed = classes.classOf(crossing.domain);
  const auto isCrossed = [&](const IterDomain* id) { return classes.classOf(id) == crossed; };
  return std::ranges::any_of(exprs, [&](const Expr* expr) {
    return std::ranges::any_of(mergesOf(expr), [&](const Merge* merge) {
      return isCrossed(merge->outer()) || isCrossed(merge->inner());
    });
  });
}

bool hasTileLoops(const TensorView* copy) {
  const Expr* definition = copy->definition();
  const auto* input = definition->input(0)->asTensor();
  const DomainMap map = producerToConsumer(definition, input, copy);
  const auto fastest = map.find(innermostOf(input));
  return fastest != map.end() && hasTileLoops(copy, fastest->second);
}

bool hasTileLoops(const TensorView* copy, const IterDomain* fastest) {
  if (copy->nLoops() < 3) {
    return false;
  }
  // A tile has one element of each other dimension: the input may have one that the reference
  // lacks.
  const auto isOne = [](const IterDomain* id) {
    return id->isBroadcast() || id->extent()->isConstInt(1);
  };
  const std::vector<IterDomain*>& loops = copy->loop();
  if (!std::all_of(loops.begin() + 3, loops.end(), isOne)) {
    return false;
  }
  const IterDomain* across = copy->axis(1);
  const IterDomain* along = copy->axis(2);
  return !across->isBroadcast() && !along->isBroadcast() && across->extent()->isConstInt() &&
         along->extent()->isConstInt() && comesFrom(across, fastest) && !comesFrom(along, fastest);
}

}  // namespace nvfuser::heuristics
