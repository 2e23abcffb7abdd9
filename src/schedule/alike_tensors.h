// Tensors that have the same loops, though no way through the operations between them says so.
#pragma once

#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/logical_map.h"
#include "ir/nodes.h"
#include "schedule/domain_classes.h"

namespace nvfuser {

// Results of reshapes, by the dimensions that they have: those that merge the same dimensions of
// different tensors divide what they merged alike.
class AlikeReshapes {
 public:
  explicit AlikeReshapes(const std::vector<Expr*>& exprs);
  std::vector<TensorView*> of(const TensorView* tv) const;

 private:
  std::unordered_map<const TensorView*, std::vector<TensorView*>> of_;
};

// What parts of rows that depend on reductions are put together to, by the reductions of such rows.
class RejoinedRows {
 public:
  explicit RejoinedRows(const std::vector<Expr*>& exprs);
  std::vector<TensorView*> of(const TensorView* reduction) const;
  // The dimensions that are the same, in any order; of other tensors those in the same place.
  DomainPairs pairs(const TensorView* from, const TensorView* to) const;

 private:
  std::unordered_map<const TensorView*, std::vector<TensorView*>> of_;
  std::map<std::pair<const TensorView*, const TensorView*>, DomainPairs> pairs_;
};

}  // namespace nvfuser
