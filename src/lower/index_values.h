// Tensors whose elements are made of their indices alone, like masks of triangles: what they hold,
// without computing it.
#pragma once

#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// The condition on loop indices that an element of `tv`, computed inside loops of these indices,
// stands for; null where it is not the order of two sums of indices and constants.
Val* comparedIndices(TensorView* tv, const std::vector<Val*>& loopIndices);

}  // namespace nvfuser
