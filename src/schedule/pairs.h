// Tensors that are combined with themselves, like the points of all pairs of points.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Gives a tensor that is read along different dimensions of one result, like x[:, None] - x[None],
// a name for each: boundary copies, whose kernels read it from memory as often. One loop cannot run
// through both dimensions, and kernels would end where they meet. Returns how many names were
// added.
size_t separatePairs(Fusion* fusion);

}  // namespace nvfuser
