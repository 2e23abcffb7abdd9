#include "schedule/rejoined.h"

namespace nvfuser {

const IterDomain* beforeMerges(const IterDomain* id) {
  while (true) {
    const auto* split = id->definition() == nullptr ? nullptr : id->definition()->as<Split>();
    if (split == nullptr) {
      return id;
    }
    const Expr* before = beforeMerges(split->in())->definition();
    const auto* merge = before == nullptr ? nullptr : before->as<Merge>();
    if (merge == nullptr || !undoes(split, merge)) {
      return id;
    }
    id = id == split->outer() ? merge->outer() : merge->inner();
  }
}

}  // namespace nvfuser
