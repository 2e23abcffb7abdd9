// What is computed from reshapes of what was normalized.
#pragma once

#include <cstddef>

#include "ir/fusion.h"

namespace nvfuser {

// Computes what is computed from the result of a reshape before that, where the reshape merges
// dimensions along which its operand was normalized: as the group norm of a tensor does. Of inputs
// and what is computed of these, like scales of the merged dimension, the other operands are views.
// A kernel ends there, and if the reshape is all that is left, memory is already as it should be.
// Returns how many operations were moved.
size_t computeInFrontOfReshapes(Fusion* fusion);

}  // namespace nvfuser
