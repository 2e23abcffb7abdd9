// Parts of a dimension that one transform divides and another one joins again, or the reverse.
#pragma once

#include "ir/nodes.h"
#include "ir/scalar.h"

namespace nvfuser {

// The domain that has the same indices as `id` and comes last on the way to the loops: behind every
// split both of whose parts are merged again. `useOf` gives the transform of a domain, or null.
template <typename UseOf>
const IterDomain* rejoined(const IterDomain* id, const UseOf& useOf) {
  while (true) {
    const Expr* use = useOf(id);
    const auto* split = use == nullptr ? nullptr : use->template as<Split>();
    if (split == nullptr) {
      return id;
    }
    const IterDomain* outer = rejoined(split->outer(), useOf);
    const IterDomain* inner = rejoined(split->inner(), useOf);
    const Expr* next = useOf(outer);
    const auto* merge = next == nullptr ? nullptr : next->template as<Merge>();
    if (merge == nullptr || merge->outer() != outer || merge->inner() != inner) {
      return id;
    }
    id = merge->out();
  }
}

// Whether a split takes apart again what was merged, where the result is what it splits.
inline bool undoes(const Split* split, const Merge* merge) {
  return scalar::same(split->inner()->extent(), merge->inner()->extent());
}

// The domain that has the same indices as `id` and comes last on the way to the loops: behind every
// merge that is split again into the same parts. `useOf` as above.
template <typename UseOf>
const IterDomain* dividedAgain(const IterDomain* id, const UseOf& useOf) {
  while (true) {
    const Expr* use = useOf(id);
    const auto* merge = use == nullptr ? nullptr : use->template as<Merge>();
    if (merge == nullptr) {
      return id;
    }
    const Expr* next = useOf(dividedAgain(merge->out(), useOf));
    const auto* split = next == nullptr ? nullptr : next->template as<Split>();
    if (split == nullptr || !undoes(split, merge)) {
      return id;
    }
    id = id == merge->outer() ? split->outer() : split->inner();
  }
}

// The domain that has the same indices as `id` and comes first on the way from the dimensions:
// before every merge that was split again into the same parts.
const IterDomain* beforeMerges(const IterDomain* id);

}  // namespace nvfuser
