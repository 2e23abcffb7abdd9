#include "schedule/segmentation.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <unordered_set>

#include "core/error.h"
#include "core/options.h"
#include "ir/clone.h"
#include "ir/logical_map.h"

namespace nvfuser {

namespace {

// Expressions are put into groups one after the other, each into the groups of its producers where
// a scheduler accepts that; then groups that are neighbours or read the same inputs are joined.
class Grouping {
 public:
  explicit Grouping(std::vector<Expr*> exprs) : exprs_(std::move(exprs)) {
    for (size_t i = 0; i < exprs_.size(); ++i) {
      position_[exprs_[i]] = i;
      groups_.push_back({i});
      groupOf_.push_back(i);
    }
    for (size_t i = 0; i < exprs_.size(); ++i) {
      for (Val* in : exprs_[i]->inputs()) {
        if (in->isTensor() && in->definition() != nullptr && position_.contains(in->definition())) {
          producers_[i].insert(position_.at(in->definition()));
        }
      }
    }
  }

  std::vector<std::vector<Expr*>> run() {
    // One kernel for everything is the best there is.
    std::vector<size_t> all(exprs_.size());
    std::iota(all.begin(), all.end(), size_t{0});
    if (!all.empty() && fits(all)) {
      return {exprs_};
    }
    for (size_t i = 0; i < exprs_.size(); ++i) {
      NVF_CHECK(fits({i}), "Can not find a scheduler to schedule fusion segment with ",
                exprs_[i]->toString());
    }
    for (size_t i = 0; i < exprs_.size(); ++i) {
      std::set<size_t> targets;
      for (size_t producer : producers_[i]) {
        targets.insert(groupOf_[producer]);
      }
      if (targets.size() > 1) {
        std::set<size_t> whole = targets;
        whole.insert(groupOf_[i]);
        if (tryJoin(whole)) {
          continue;
        }
      }
      // The latest producer first.
      for (auto target = targets.rbegin(); target != targets.rend(); ++target) {
        if (tryJoin({*target, groupOf_[i]})) {
          break;
        }
      }
    }
    bool joined = true;
    while (joined) {
      joined = false;
      for (size_t a = 0; a < groups_.size() && !joined; ++a) {
        for (size_t b = a + 1; b < groups_.size() && !joined; ++b) {
          if (!groups_[a].empty() && !groups_[b].empty() && areNeighbours(a, b)) {
            joined = tryJoin({a, b});
          }
        }
      }
    }
    return ordered();
  }

 private:
  std::vector<Expr*> exprsOf(const std::vector<size_t>& members) const {
    std::vector<Expr*> exprs;
    for (size_t i : members) {
      exprs.push_back(exprs_[i]);
    }
    return exprs;
  }

  // Whether what computes an operand must have done so for all of it: a boundary copy stands apart
  // from that, and so do a lookup and a scatter that runs over a part only.
  static bool isNeededWhole(const Val* in, const Expr* use) {
    if (const auto* copy = use->as<LoadStoreOp>()) {
      return copy->isSegmentBoundary();
    }
    return isLookedUp(in, use) ||
           (use->is<ScatterOp>() && in->isTensor() &&
            !partialMap(use, in->asTensor(), use->output(0)->asTensor()).empty());
  }

  bool crossesBoundary(const std::vector<size_t>& members) const {
    const std::unordered_set<size_t> set(members.begin(), members.end());
    return std::ranges::any_of(members, [&](size_t i) {
      return std::ranges::any_of(exprs_[i]->inputs(), [&](const Val* in) {
        const auto producer = position_.find(in->definition());
        return producer != position_.end() && set.contains(producer->second) &&
               isNeededWhole(in, exprs_[i]);
      });
    });
  }

  // On request, what cuts out and extends stands alone.
  bool mixesResize(const std::vector<size_t>& members) const {
    return members.size() > 1 && isOn(Option::disable_resize_scheduler) &&
           std::ranges::any_of(members, [&](size_t i) {
             return exprs_[i]->is<SliceOp>() || exprs_[i]->is<PadOp>() || exprs_[i]->is<CatOp>();
           });
  }

  bool fits(const std::vector<size_t>& members) const {
    return !crossesBoundary(members) && !mixesResize(members) &&
           proposeScheduler(exprsOf(members)) != SchedulerType::None;
  }

  bool areNeighbours(size_t a, size_t b) const {
    const auto feeds = [&](size_t from, size_t to) {
      return std::ranges::any_of(groups_[to], [&](size_t i) {
        return producers_.contains(i) &&
               std::ranges::any_of(producers_.at(i), [&](size_t p) { return groupOf_[p] == from; });
      });
    };
    if (feeds(a, b) || feeds(b, a)) {
      return true;
    }
    std::unordered_set<const Val*> read;
    for (size_t i : groups_[a]) {
      for (Val* in : exprs_[i]->inputs()) {
        if (in->isTensor() && !in->asTensor()->isZeroDim()) {
          read.insert(in);
        }
      }
    }
    return std::ranges::any_of(groups_[b], [&](size_t i) {
      return std::ranges::any_of(exprs_[i]->inputs(), [&](Val* in) { return read.contains(in); });
    });
  }

  // Whether a way leads out of the set of groups and back into it.
  bool wouldCycle(const std::set<size_t>& joined) const {
    std::set<size_t> reached;
    // Expressions are sorted: one pass forward finds everything behind the set.
    for (size_t pass = 0, before = 1; before != reached.size() || pass == 0; ++pass) {
      before = reached.size();
      for (size_t i = 0; i < exprs_.size(); ++i) {
        if (!producers_.contains(i)) {
          continue;
        }
        const size_t group = groupOf_[i];
        for (size_t p : producers_.at(i)) {
          const size_t from = groupOf_[p];
          if (from == group) {
            continue;
          }
          const bool leaves = joined.contains(from) && !joined.contains(group);
          if (reached.contains(from) && joined.contains(group)) {
            return true;
          }
          if (leaves || (reached.contains(from) && !joined.contains(group))) {
            reached.insert(group);
          }
        }
      }
      if (pass > groups_.size()) {
        break;
      }
    }
    return false;
  }

  bool tryJoin(const std::set<size_t>& groups) {
    if (groups.size() < 2 || wouldCycle(groups)) {
      return false;
    }
    std::vector<size_t> members;
    for (size_t g : groups) {
      members.insert(members.end(), groups_[g].begin(), groups_[g].end());
    }
    std::ranges::sort(members);
    if (!fits(members)) {
      return false;
    }
    const size_t target = *groups.begin();
    for (size_t g : groups) {
      groups_[g].clear();
    }
    for (size_t i : members) {
      groupOf_[i] = target;
    }
    groups_[target] = std::move(members);
    return true;
  }

  std::vector<std::vector<Expr*>> ordered() const {
    std::vector<std::vector<Expr*>> result;
    std::vector<bool> done(groups_.size(), false);
    bool progress = true;
    while (progress) {
      progress = false;
      for (size_t g = 0; g < groups_.size(); ++g) {
        if (done[g] || groups_[g].empty()) {
          continue;
        }
        const bool ready = std::ranges::all_of(groups_[g], [&](size_t i) {
          return !producers_.contains(i) || std::ranges::all_of(producers_.at(i), [&](size_t p) {
            return groupOf_[p] == g || done[groupOf_[p]];
          });
        });
        if (ready) {
          done[g] = true;
          progress = true;
          result.push_back(exprsOf(groups_[g]));
        }
      }
    }
    return result;
  }

  std::vector<Expr*> exprs_;
  std::unordered_map<const Expr*, size_t> position_;
  std::unordered_map<size_t, std::set<size_t>> producers_;
  std::vector<std::vector<size_t>> groups_;
  std::vector<size_t> groupOf_;
};

// How many tensors are written or read both before and behind each place between two operations.
std::vector<int64_t> sharedAround(const std::vector<Expr*>& exprs) {
  std::unordered_map<const Val*, std::pair<size_t, size_t>> spans;
  for (size_t i = 0; i < exprs.size(); ++i) {
    for (const std::vector<Val*>* operands : {&exprs[i]->inputs(), &exprs[i]->outputs()}) {
      for (const Val* val : *operands) {
        if (val->isTensor()) {
          spans.try_emplace(val, i, i).first->second.second = i;
        }
      }
    }
  }
  std::vector<int64_t> changes(exprs.size() + 1, 0);
  for (const auto& [val, span] : spans) {
    ++changes[span.first + 1];
    --changes[span.second + 1];
  }
  std::vector<int64_t> shared(exprs.size() + 1, 0);
  std::partial_sum(changes.begin(), changes.end(), shared.begin());
  return shared;
}

// Compilers and grouping take more than twice the time for twice the operations: more than these
// are cut into pieces, where the fewest tensors have to be passed on. What has nothing in common
// gains nothing from one kernel and is in pieces of no more than that.
std::vector<std::vector<Expr*>> inPieces(const std::vector<Expr*>& exprs) {
  constexpr size_t kMost = 512;
  constexpr size_t kEnoughUnrelated = 32;
  std::vector<std::vector<Expr*>> pieces;
  if (exprs.size() <= kEnoughUnrelated) {
    return {exprs};
  }
  const std::vector<int64_t> shared = sharedAround(exprs);
  const auto at = [&](size_t place) { return exprs.begin() + static_cast<std::ptrdiff_t>(place); };
  size_t begin = 0;
  while (begin < exprs.size()) {
    size_t end = begin + std::min(kEnoughUnrelated, exprs.size() - begin);
    while (end < exprs.size() && end - begin < kMost && shared[end] > 0) {
      ++end;
    }
    if (end < exprs.size() && shared[end] > 0) {
      size_t least = end;
      for (size_t place = end; place > begin + kMost / 2; --place) {
        least = shared[place] < shared[least] ? place : least;
      }
      end = least;
    }
    pieces.emplace_back(at(begin), at(end));
    begin = end;
  }
  return pieces;
}

// A tensor that another segment computes is an ordinary input here.
TensorView* boundaryTensor(Fusion* target, Cloner& cloner, const TensorView* tv) {
  std::vector<IterDomain*> logical;
  std::unordered_map<const IterDomain*, IterDomain*> copies;
  for (IterDomain* id : tv->visible()) {
    IterDomain::Options options = id->options();
    options.isRFactor = false;
    options.expandedExtent = cloner.clone(static_cast<const Val*>(id->expandedExtent()));
    copies[id] =
        target->create<IterDomain>(cloner.clone(static_cast<const Val*>(id->extent())), options);
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

std::vector<std::vector<Expr*>> groupExprs(Fusion* fusion) {
  std::vector<std::vector<Expr*>> groups;
  for (std::vector<Expr*>& piece : inPieces(fusion->tensorExprs())) {
    std::ranges::move(Grouping(std::move(piece)).run(), std::back_inserter(groups));
  }
  return groups;
}

namespace {

// Fills a segment, by a cloner into its fusion.
void fillSegment(Segment& segment, Cloner& cloner, const std::vector<Expr*>& exprs,
                 const std::unordered_map<const TensorView*, const TensorView*>& directUpdates) {
  const std::unordered_set<const Expr*> members(exprs.begin(), exprs.end());
  std::unordered_set<const Val*> known;
  for (Expr* expr : exprs) {
    for (Val* in : expr->inputs()) {
      const bool isOutside = in->isTensor() && !members.contains(in->definition());
      if (isOutside && known.insert(in).second) {
        TensorView* copy = boundaryTensor(segment.fusion.get(), cloner, in->asTensor());
        cloner.substitute(in, copy);
        if (cloner.keepsNames()) {
          segment.fusion->rename(copy, in->name());
        }
        segment.fusion->addInput(copy);
        segment.inputs.push_back(in);
      }
    }
  }
  for (Expr* expr : exprs) {
    cloner.clone(expr);
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
  recordScalars(segment, cloner);
}

}  // namespace

std::vector<Segment> segmentFusion(
    Fusion* fusion, const std::unordered_map<const TensorView*, const TensorView*>& directUpdates) {
  std::vector<Segment> segments;
  for (const std::vector<Expr*>& exprs : groupExprs(fusion)) {
    Segment& segment = segments.emplace_back();
    segment.scheduler = proposeScheduler(exprs);
    segment.fusion = std::make_unique<Fusion>();
    Cloner cloner(segment.fusion.get());
    fillSegment(segment, cloner, exprs, directUpdates);
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

Segment copySegment(TensorView* source, TensorView* target) {
  Segment segment;
  segment.scheduler = SchedulerType::Pointwise;
  segment.fusion = std::make_unique<Fusion>();
  segment.inputs = {source, target};
  segment.outputs = {target};
  Fusion* fusion = segment.fusion.get();
  Cloner cloner(fusion);
  std::vector<Val*> extents;
  for (const IterDomain* id : target->visible()) {
    extents.push_back(id->visibleExtent());
  }
  TensorView* from = memoryTensor(fusion, cloner, source, extents);
  TensorView* into = memoryTensor(fusion, cloner, target, extents);
  TensorView* copy = memoryTensor(fusion, cloner, target, extents);
  fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, copy, from);
  fusion->addInput(from);
  fusion->addInput(into);
  fusion->addOutput(copy, into);
  recordScalars(segment, cloner);
  return segment;
}

}  // namespace nvfuser
