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
  // Whether a split has no remainder, for all sizes that the kernel is for.
  bool isExact(const Split* split) const;
  // From now on splits of equal extents by equal factors are.
  void takeForExact(const Split* split) { exact_.push_back(split); }
  // From now on `tv` has the strides of `owner`.
  void share(const TensorView* tv, TensorView* owner) { owners_[tv] = owner; }

 private:
  kir::Kernel* kernel_;
  std::unordered_map<const TensorView*, std::vector<Val*>> strides_;
  std::unordered_map<const TensorView*, TensorView*> owners_;
  std::vector<const Split*> exact_;
};

// Indices of the domains of one tensor, inside its loops.
class DomainIndices {
 public:
  // `loopIndices[k]` is the index of the k-th loop of `tv`.
  DomainIndices(const TensorView* tv, const std::vector<Val*>& loopIndices);

  // Index of a root, logical, intermediate or loop domain.
  Val* operator()(const IterDomain* id);
  // The same where an element is looked for: the one of a broadcast domain may be in a loop that
  // runs over other tensors' elements.
  Val* element(const IterDomain* id) { return id->isBroadcast() ? fusion_->zero() : (*this)(id); }
  // Gives a domain that no loop runs over an index.
  void set(const IterDomain* id, Val* index) { known_[id] = index; }
  // The transform towards the loops that consumes `id`; null for a loop domain or an unused one.
  Expr* use(const IterDomain* id) const;

 private:
  // What a loop takes apart again of what `id` is merged into: it has the same index.
  const IterDomain* partOfMerged(const IterDomain* id) const;
  // What the index of `id` is computed from and is not known yet.
  std::vector<const IterDomain*> unknownTowardsLoops(const IterDomain* id) const;
  // The index of a domain, from known ones.
  void compute(const IterDomain* id);
  // The known index of `id` divided by a number. Splits by parts of the number, or by multiples of
  // it, divide already: what a vector inside a row holds has the row of its first element.
  struct Divided {
    Val* quotient;
    Val* remainder;
  };
  Divided divided(const IterDomain* id, Val* divisor) const;

  Fusion* fusion_;
  std::unordered_map<const Val*, Expr*> uses_;
  std::unordered_map<const IterDomain*, Val*> known_;
};

// The transform that aligns the rows of a tensor; null if none does.
const Align* alignOf(const TensorView* tv);

// A dimension of a tensor in local or shared memory.
struct AllocatedDomain {
  IterDomain* id;
  // Elements from one index to the next.
  Val* stride;
};

// The domains that the buffer of `tv` keeps apart, outermost first, and the number of its elements.
// Without an allocation domain these are its loops inside the compute-at position. What is divided
// among threads is not in the memory of one, what is divided among blocks not in that of a block.
struct BufferDomains {
  std::vector<AllocatedDomain> domains;
  Val* size;
};
BufferDomains bufferDomains(const TensorView* tv);
// Those of a local array for what a thread computes of `tv` in its loops from `depth` on; what is
// reduced there has one element.
BufferDomains threadDomains(const TensorView* tv, int64_t depth);
// The element of such memory at these indices.
Val* elementOf(const BufferDomains& memory, DomainIndices& indices);

// The element that `tv`, computed inside loops with these indices, writes.
Val* elementWritten(TensorView* tv, DomainIndices& indices, StrideTable& strides);
// The element of `producer` that `consumer` (the output of `expr`) reads.
Val* elementRead(const Expr* expr, TensorView* producer, const TensorView* consumer,
                 const std::vector<Val*>& loopIndices, DomainIndices& indices,
                 StrideTable& strides);
// Whether each iteration of the consumer reads what the producer wrote in the same iteration of the
// loops that its memory has room for: no index then lies beyond it, whatever the loops run over.
bool isReadInPlace(const Expr* expr, const TensorView* producer, const TensorView* consumer);

// The number of the element of `tv` that is computed, with its dimensions in order.
Val* elementNumber(TensorView* tv, DomainIndices& indices, const StrideTable& strides);

// The element of its first operand that a lookup reads at `position` of the dimension that it looks
// up.
Val* elementLookedUp(const LookupOp* lookup, Val* position, const std::vector<Val*>& loopIndices,
                     DomainIndices& indices, StrideTable& strides);

// Whether consecutive indices of the loop `vector` of `tv`, which is innermost, are consecutive
// elements of `accessed`: `tv` itself or an operand of its definition. Adds to `kernel` what must
// hold for it at run time.
bool isContiguousAlong(TensorView* tv, const IterDomain* vector, TensorView* accessed,
                       DomainIndices& indices, StrideTable& strides, kir::Kernel* kernel);

}  // namespace nvfuser
