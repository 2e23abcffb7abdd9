// Parts of a dimension that one transform divides and another one joins again.
#pragma once

#include "ir/nodes.h"

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

}  // namespace nvfuser
