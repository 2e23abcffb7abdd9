// Reductions of what no tensor connects.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// Results of reductions that may run through the same loops although no way through expressions
// says so: of everything in tensors that have nothing in common but their sizes, as where one sum
// is divided by another one, and what these were divided into for threads; or of tensors that have
// only what is kept in common, as where one is given the mean of another one.
class AlikeReductions {
 public:
  // Whether dimensions are known to be the same.
  using AreSame = std::function<bool(const IterDomain*, const IterDomain*)>;
  AlikeReductions() = default;
  AlikeReductions(const std::vector<Expr*>& exprs, const AreSame& areSame);

  // Of the result of a reduction those in other parts of the graph.
  const std::vector<TensorView*>& of(const TensorView* tv) const;
  // All results that there are others of.
  const std::unordered_map<const TensorView*, std::vector<TensorView*>>& all() const { return of_; }

 private:
  void findOfEverything(const std::vector<Expr*>& exprs, const std::vector<size_t>& reductions);
  void findOfKept(const std::vector<Expr*>& exprs, const std::vector<size_t>& reductions,
                  const AreSame& areSame);

  std::unordered_map<const TensorView*, std::vector<TensorView*>> of_;
};

}  // namespace nvfuser
