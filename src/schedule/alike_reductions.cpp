#include "schedule/alike_reductions.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "ir/scalar.h"
#include "schedule/connected.h"

namespace nvfuser {

namespace {

bool haveEqualRoots(const TensorView* a, const TensorView* b) {
  return std::ranges::equal(
      a->maybeRoot(), b->maybeRoot(), [](const IterDomain* x, const IterDomain* y) {
        return x->isReduction() == y->isReduction() && x->isBroadcast() == y->isBroadcast() &&
               scalar::same(x->extent(), y->extent());
      });
}

}  // namespace

AlikeReductions::AlikeReductions(const std::vector<Expr*>& exprs) {
  std::vector<size_t> reductions;
  for (size_t i = 0; i < exprs.size(); ++i) {
    if (exprs[i]->is<ReductionOp>()) {
      reductions.push_back(i);
    }
  }
  if (reductions.size() < 2) {
    return;
  }
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
