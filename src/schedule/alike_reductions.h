// Reductions of everything that no tensor with dimensions connects.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// Results of reductions that may run through the same loops although no way through expressions
// says so: those of tensors that have nothing in common but their sizes, as where one sum is
// divided by another one, and what these were divided into for threads.
class AlikeReductions {
 public:
  explicit AlikeReductions(const std::vector<Expr*>& exprs);

  // Of the result of a reduction those in other parts of the graph.
  const std::vector<TensorView*>& of(const TensorView* tv) const;
  // All results that there are others of.
  const std::unordered_map<const TensorView*, std::vector<TensorView*>>& all() const { return of_; }

 private:
  std::unordered_map<const TensorView*, std::vector<TensorView*>> of_;
};

}  // namespace nvfuser
