#include "schedule/alike_reductions.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/disjoint_sets.h"
#include "ir/scalar.h"

namespace nvfuser {

namespace {

// Expressions by the tensors with dimensions that they have in common.
class Parts {
 public:
  explicit Parts(const std::vector<Expr*>& exprs) : sets_(exprs.size()), count_(exprs.size()) {
    std::unordered_map<const Val*, size_t> firstWith;
    for (size_t i = 0; i < exprs.size(); ++i) {
      for (const std::vector<Val*>* operands : {&exprs[i]->inputs(), &exprs[i]->outputs()}) {
        for (const Val* val : *operands) {
          if (val->isTensor() && !val->asTensor()->isZeroDim()) {
            count_ -= sets_.join(firstWith.try_emplace(val, i).first->second, i) ? 1 : 0;
          }
        }
      }
    }
  }
  size_t count() const { return count_; }
  size_t of(size_t expr) const { return sets_.find(expr); }

 private:
  DisjointSets sets_;
  size_t count_;
};

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
  const Parts parts(exprs);
  if (parts.count() < 2) {
    return;
  }
  const auto resultOf = [&](size_t i) { return exprs[i]->output(0)->asTensor(); };
  // Parts that both reduce all of something, of the same sizes.
  std::set<std::pair<size_t, size_t>> alike;
  for (const size_t i : reductions) {
    for (const size_t j : reductions) {
      if (resultOf(i)->isZeroDim() && haveEqualRoots(resultOf(i), resultOf(j))) {
        alike.emplace(parts.of(i), parts.of(j));
      }
    }
  }
  for (const size_t i : reductions) {
    for (const size_t j : reductions) {
      if (parts.of(i) != parts.of(j) && alike.contains({parts.of(i), parts.of(j)}) &&
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
