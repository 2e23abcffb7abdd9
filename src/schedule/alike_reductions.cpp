#include "schedule/alike_reductions.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "ir/scalar.h"
#include "schedule/connected.h"
#include "schedule/element_cost.h"
#include "schedule/limits.h"

namespace nvfuser {

namespace {

bool haveEqualRoots(const TensorView* a, const TensorView* b) {
  return std::ranges::equal(
      a->maybeRoot(), b->maybeRoot(), [](const IterDomain* x, const IterDomain* y) {
        return x->isReduction() == y->isReduction() && x->isBroadcast() == y->isBroadcast() &&
               scalar::same(x->extent(), y->extent());
      });
}

// Whether both keep the same dimensions, some of them, and reduce others. Threads have what both
// reduce: of so many elements that it matters, two kernels have what each reduces.
bool keepSame(const TensorView* a, const TensorView* b, const AlikeReductions::AreSame& areSame) {
  bool keeps = false;
  for (size_t i = 0; i < a->maybeRoot().size(); ++i) {
    const IterDomain* x = a->maybeRoot()[i];
    const IterDomain* y = b->maybeRoot()[i];
    if (!x->isBroadcast() && areSame(x, y) == x->isReduction()) {
      return false;
    }
    keeps = keeps || x->isIteration();
  }
  return keeps &&
         !mayHaveMore(a->definition()->input(0)->asTensor(), limits::kElementsOfTwoReductions);
}

// Whether a tensor has dimensions that both reduce: they are no loops of each other.
bool hasOfBoth(const TensorView* tv, const TensorView* a, const TensorView* b,
               const AlikeReductions::AreSame& areSame) {
  const auto hasReduced = [&](const TensorView* reduction) {
    return std::ranges::any_of(reduction->maybeRoot(), [&](const IterDomain* id) {
      return id->isReduction() && std::ranges::any_of(tv->maybeRoot(), [&](const IterDomain* own) {
               return areSame(own, id);
             });
    });
  };
  return hasReduced(a) && hasReduced(b);
}

}  // namespace

AlikeReductions::AlikeReductions(const std::vector<Expr*>& exprs, const AreSame& areSame) {
  std::vector<size_t> reductions;
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (exprs[i]->is<ReductionOp>()) {
      reductions.push_back(i);
    }
  }
  if (reductions.size() > 1) {
    findOfEverything(exprs, reductions);
    findOfKept(exprs, reductions, areSame);
  }
}

void AlikeReductions::findOfKept(const std::vector<Expr*>& exprs,
                                 const std::vector<size_t>& reductions, const AreSame& areSame) {
  const auto resultOf = [&](size_t i) { return exprs[i]->output(0)->asTensor(); };
  for (size_t i = 0; i < reductions.size(); ++i) {
    for (size_t j = i + 1; j < reductions.size(); ++j) {
      TensorView* one = resultOf(reductions[i]);
      TensorView* other = resultOf(reductions[j]);
      if (haveEqualRoots(one, other) && keepSame(one, other, areSame) &&
          std::ranges::none_of(exprs, [&](const Expr* expr) {
            return hasOfBoth(expr->output(0)->asTensor(), one, other, areSame);
          })) {
        of_[one].push_back(other);
        of_[other].push_back(one);
      }
    }
  }
}

void AlikeReductions::findOfEverything(const std::vector<Expr*>& exprs,
                                       const std::vector<size_t>& reductions) {
  const DisjointSets parts = connectedGroups(
      exprs.size(), [&](size_t i) { return std::span(&exprs[i], 1); },
      [](const TensorView* tv) { return !tv->isZeroDim(); });
  const auto resultOf = [&](size_t i) { return exprs[i]->output(0)->asTensor(); };
  // Parts that both reduce all of something, of the same sizes.
  std::set<std::pair<size_t, size_t>> alike;
  for (const size_t i : reductions) {
    for (const size_t j : reductions) {
      if (parts.find(i) != parts.find(j) && resultOf(i)->isZeroDim() &&
          haveEqualRoots(resultOf(i), resultOf(j))) {
        alike.emplace(parts.find(i), parts.find(j));
      }
    }
  }
  for (const size_t i : reductions) {
    for (const size_t j : reductions) {
      if (alike.contains({parts.find(i), parts.find(j)}) &&
          haveEqualRoots(resultOf(i), resultOf(j))) {
        of_[resultOf(i)].push_back(resultOf(j));
      }
    }
  }
}

const std::vector<TensorView*>& AlikeReductions::of(const TensorView* tv) const {
  static const std::vector<TensorView*> kNone;
  const auto known = of_.find(tv);
  return known == of_.end() ? kNone : known->second;
}

}  // namespace nvfuser
