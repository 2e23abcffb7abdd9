// Tensors whose elements are made of their indices alone, like masks of triangles and the positions
// of a flip: what they hold, without computing it.
#pragma once

#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// The condition on loop indices that an element of `tv`, computed inside loops of these indices,
// stands for; null where it is not the order of two sums of indices and constants.
Val* comparedIndices(TensorView* tv, const std::vector<Val*>& loopIndices);

// Where an element of an index tensor, computed inside such loops, points to in a dimension of
// `extent` elements; null where that is not known, or may be outside. Known are whole dimensions,
// forwards and backwards, which is what a flip looks up.
Val* knownPosition(TensorView* index, const Val* extent, const std::vector<Val*>& loopIndices);

}  // namespace nvfuser
