// Integers of 64 bits that are counted or computed from what is counted.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/nodes.h"

namespace nvfuser {

// Computes integers in 32 bits that are known to fit these, where sizes are known, and that are
// compared, converted, or positions that are looked up in the end: masks of what lies behind a
// position, or the neighbours of the pixels of a larger image. Positions that are known to be some
// of a dimension need not be looked at before they are used. Returns how many tensors became
// narrower.
size_t useKnownIntegers(Fusion* fusion);

// The lookups all of whose positions are known to be some of the dimension, in order.
std::vector<LookupOp*> lookupsInside(Fusion* fusion);

}  // namespace nvfuser
