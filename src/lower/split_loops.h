// Loops without the branches that slices, pads and concatenations need.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Divides loops where a condition in them changes, so that each part runs without it: a loop over
//   if (i < n) { a } else { b }
// becomes one of a up to n and one of b from there on, and where the condition does not depend on
// the loop, a branch around two loops. Compilers vectorize what is left. The parallel loop stays.
// What is read at one of two positions, as that of a tensor that is rolled, is such a branch.
void splitLoops(const PassContext& context);

}  // namespace nvfuser
