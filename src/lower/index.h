// Indexing: from the loop indices of an expression to the elements of its tensors.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/fusion.h"
#include "lower/kernel.h"

namespace nvfuser {

// The symbols that stand for strides of global tensors.
class StrideTable {
 public:
  explicit StrideTable(kir::Kernel* kernel) : kernel_(kernel) {}
  // Stride of dimension `position` of the tensor's visible logical domain, as an expression or
  // symbol.
  Val* stride(TensorView* tv, size_t position);

 private:
  kir::Kernel* kernel_;
  std::unordered_map<const TensorView*, std::vector<Val*>> strides_;
};

// Indices of the domains of one tensor, inside its loops.
class DomainIndices {
 public:
  // `loopIndices[k]` is the index of the k-th loop of `tv`.
  DomainIndices(const TensorView* tv, const std::vector<Val*>& loopIndices);

  // Index of a root, logical, intermediate or loop domain.
  Val* operator()(const IterDomain* id);
  // The transform towards the loops that consumes `id`; null for a loop domain or an unused one.
  Expr* use(const IterDomain* id) const;

 private:
  Fusion* fusion_;
  std::unordered_map<const Val*, Expr*> uses_;
  std::unordered_map<const IterDomain*, Val*> known_;
};

// The loops of `tv` that its local buffer keeps apart, outermost first.
std::vector<IterDomain*> allocatedLoops(const TensorView* tv);

// The element that `tv`, computed inside loops with these indices, writes.
Val* elementWritten(TensorView* tv, DomainIndices& indices, StrideTable& strides);
// The element of `producer` that `consumer` (the output of `expr`) reads.
Val* elementRead(const Expr* expr, TensorView* producer, const TensorView* consumer,
                 const std::vector<Val*>& loopIndices, DomainIndices& indices,
                 StrideTable& strides);

}  // namespace nvfuser
