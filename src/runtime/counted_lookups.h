// Lookups at positions that are counted, as those of flips and steps are.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Makes views of lookups in what is no input, which would have to be in memory for them, where
// sizes and positions are known: every n-th element is one of n that a reshape divides a dimension
// into; what is looked up in a slice of an input is looked up in the input, and cut then. Returns
// how many were changed.
size_t viewCountedLookups(Fusion* fusion);

}  // namespace nvfuser
