// What has tensors in common.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "core/disjoint_sets.h"
#include "ir/fusion.h"

namespace nvfuser {

// The numbers of groups of expressions, in one set where a tensor that `connects` is an operand or
// result in several; `exprsOf` gives the expressions of a group.
template <typename ExprsOf, typename Connects>
DisjointSets connectedGroups(size_t count, const ExprsOf& exprsOf, const Connects& connects) {
  DisjointSets sets(count);
  std::unordered_map<const Val*, size_t> firstWith;
  for (size_t i = 0; i < count; ++i) {
    for (const Expr* expr : exprsOf(i)) {
      for (const auto* operands : {&expr->inputs(), &expr->outputs()}) {
        for (const Val* val : *operands) {
          if (val->isTensor() && connects(val->asTensor())) {
            sets.join(firstWith.try_emplace(val, i).first->second, i);
          }
        }
      }
    }
  }
  return sets;
}

}  // namespace nvfuser
