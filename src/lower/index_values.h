// Tensors whose elements are made of their indices alone, like masks of triangles and the positions
// of a flip: what they hold, without computing it.
#pragma once

#include <vector>

#include "ir/fusion.h"
#include "lower/index.h"

namespace nvfuser {

// The condition on loop indices that an element of `tv`, computed inside loops of these indices,
// stands for; null where it is not the order of two sums of indices and constants.
Val* comparedIndices(TensorView* tv, const std::vector<Val*>& loopIndices);

// Where a lookup reads for the element of its result that `indices` are of, in the dimension that
// it looks up; null where that is not known, or may be outside. Known are whole dimensions,
// forwards, backwards, and from any element on, which is what flips and rolls look up.
Val* knownPosition(const LookupOp* lookup, DomainIndices& indices);

}  // namespace nvfuser
