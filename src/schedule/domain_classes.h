// Which dimensions of different tensors of a fusion are one and the same.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "core/disjoint_sets.h"
#include "ir/fusion.h"

namespace nvfuser {

class DomainClasses {
 public:
  // Joins what the expressions map one to one, broadcast dimensions with concrete ones and
  // dimensions before and behind a slice or pad, and around a gather, included.
  explicit DomainClasses(const std::vector<Expr*>& exprs);

  // A number for the class of a root or logical domain; negative for one that no expression
  // mentions.
  int64_t classOf(const IterDomain* id) const;
  // The position of the domain of that class in `domains`, negative when there is none.
  int64_t find(const std::vector<IterDomain*>& domains, int64_t classNumber) const;
  // Whether members of the class differ in extent by a slice, pad or gather.
  bool isResized(int64_t classNumber) const;
  // Whether that is by slices and pads alone all of whose widths, and the extents before and behind
  // them, are multiples of `factor`; `extent` evaluates them.
  bool isResizedByMultiples(int64_t classNumber, int64_t factor,
                            const std::function<int64_t(const Val*)>& extent) const;
  // Whether that is by slices of inputs of the fusion alone, which leave multiples of `factor`.
  bool isCutFromInputs(int64_t classNumber, int64_t factor,
                       const std::function<int64_t(const Val*)>& extent) const;

 private:
  // A dimension whose extent is not that of the one it comes from, in what a slice, pad or gather
  // computes.
  struct Resized {
    const IterDomain* id;
    const Expr* expr;
  };

  size_t node(const IterDomain* id);

  std::unordered_map<const IterDomain*, size_t> nodes_;
  DisjointSets classes_;
  std::vector<Resized> resized_;
};

}  // namespace nvfuser
