#include "schedule/heuristics/merging.h"

#include <map>
#include <utility>

#include "ir/logical_map.h"

namespace nvfuser::heuristics {

namespace {

// The merges of all views of a fusion, by the classes of what they merge.
class ViewMerges {
 public:
  ViewMerges(const Fusion* fusion, const DomainClasses& classes) : classes_(classes) {
    for (const Expr* expr : fusion->tensorExprs()) {
      for (const Merge* merge : mergesOf(expr)) {
        merged_.try_emplace({classes.classOf(merge->outer()), classes.classOf(merge->inner())},
                            classes.classOf(merge->out()));
      }
    }
  }

  bool empty() const { return merged_.empty(); }

  // Whether some view merges these loops.
  bool contains(const IterDomain* outer, const IterDomain* inner) const {
    return find(outer, inner) >= 0;
  }

 private:
  int64_t find(const IterDomain* outer, const IterDomain* inner) const {
    const auto known = merged_.find({classOf(outer), classOf(inner)});
    return known == merged_.end() ? -1 : known->second;
  }

  // That of a dimension, or of what views make of the dimensions that a loop was merged of.
  int64_t classOf(const IterDomain* loop) const {
    const int64_t known = classes_.classOf(loop);
    const auto* merge = loop->definition() == nullptr ? nullptr : loop->definition()->as<Merge>();
    return known >= 0 || merge == nullptr ? known : find(merge->outer(), merge->inner());
  }

  const DomainClasses& classes_;
  std::map<std::pair<int64_t, int64_t>, int64_t> merged_;
};

// Merges neighbours among the loops [first, last] that views merge, and `mayJoin` allows, given the
// number of the outer one. A view follows no loop that is merged in another order than its own: of
// [a, b, c], the one that merges `b` and `c` does not follow (a b) c. Returns what became of
// `last`.
template <typename MayJoin, typename Joined>
int64_t mergeLikeViews(TensorView* reference, int64_t first, int64_t last,
                       const DomainClasses& classes, const MayJoin& mayJoin, const Joined& joined) {
  const ViewMerges merges(reference->fusion(), classes);
  if (merges.empty()) {
    return last;
  }
  for (int64_t i = first; i < last;) {
    if (merges.contains(reference->axis(i), reference->axis(i + 1)) && mayJoin(i)) {
      reference->merge(i, i + 1);
      joined(i);
      --last;
      // What it is part of may have become one of two neighbours.
      i = first;
    } else {
      ++i;
    }
  }
  return last;
}

}  // namespace

std::vector<const Merge*> mergesOf(const Expr* view) {
  std::vector<const Merge*> merges;
  if (view != nullptr && view->is<ReshapeOp>()) {
    const auto* out = view->output(0)->asTensor();
    for (const Expr* transform : transformsBetween(out->maybeRoot(), out->logical())) {
      if (const auto* merge = transform->as<Merge>()) {
        merges.push_back(merge);
      }
    }
  }
  return merges;
}

void mergeContiguous(TensorView* reference, int64_t first, int64_t last,
                     const DomainClasses& classes, LoopsOf kind) {
  mergeContiguous(reference, first, last, classes, kind, globalTensors(reference->fusion()));
}

void mergeContiguous(TensorView* reference, int64_t first, int64_t last,
                     const DomainClasses& classes, LoopsOf kind,
                     const std::vector<TensorView*>& memory) {
  // Pairs are decided before anything is merged.
  std::vector<bool> joins = mergeableLoops(reference, classes, kind, memory);
  const auto mayJoin = [&](int64_t i) {
    return joins[static_cast<size_t>(i)] &&
           reference->axis(i)->isReduction() == reference->axis(i + 1)->isReduction();
  };
  last = mergeLikeViews(reference, first, last, classes, mayJoin,
                        [&](int64_t i) { joins.erase(joins.begin() + i); });
  // From the inside, so that positions further out stay valid.
  for (int64_t i = last - 1; i >= first; --i) {
    if (mayJoin(i)) {
      reference->merge(i, i + 1);
    }
  }
}

void mergeRange(TensorView* tv, int64_t first, int64_t last) {
  for (int64_t i = first; i < last; ++i) {
    tv->merge(first, first + 1);
  }
}

void mergeRange(TensorView* reference, int64_t first, int64_t last, const DomainClasses& classes) {
  last =
      mergeLikeViews(reference, first, last, classes, [](int64_t) { return true; }, [](int64_t) {});
  mergeRange(reference, first, last);
}

}  // namespace nvfuser::heuristics
