// Lookups in views of what is in memory.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Looks up in an input what is looked up in a reshaped, permuted or cut view of it, which would
// have to be copied first: each position is computed from where it lies in the view. Only whole
// rows, at positions that are known to be some of the dimension. Returns how many were changed.
size_t lookUpThroughViews(Fusion* fusion);

}  // namespace nvfuser
