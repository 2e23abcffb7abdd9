// What operations that torch computes need to make their results.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

// A dimension as large as `id`, with memory of its own: nothing that comes back from a library is
// expanded.
IterDomain* ownDimension(const IterDomain* id);
std::vector<IterDomain*> ownDimensions(const std::vector<IterDomain*>& domains);

}  // namespace nvfuser::ops
