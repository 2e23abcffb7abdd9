// Loops that have several vectors in flight.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// An innermost loop that computes a tensor marked `interleave`, and accumulates nothing, computes
// as many vectors in an iteration as the mark says. Loops that accumulate are left to the compiler,
// which interleaves them as it is.
void interleave(const PassContext& context);

// Whether a statement computes such a tensor.
bool isMarkedInterleaved(const kir::Statement& statement);

}  // namespace nvfuser
