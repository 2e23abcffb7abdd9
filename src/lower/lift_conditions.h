// Conditions that hold for whole vectors or for none of their elements.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Where what is compared begins and ends with whole vectors, the first element decides for all:
//   for (v = 0; v < 8; ++v) { if (x * 8 + v < 8 * y) ... }
// becomes
//   for (v = 0; v < 8; ++v) { if (x * 8 < 8 * y) ... }
// That is one condition for all of them, by which registers of several elements are chosen.
void liftConditions(const PassContext& context);

// Where they do not, most vectors are whole all the same:
//   for (v = 0; v < 8; ++v) { ... if (x * 8 + v < y) ... }
// becomes
//   if (x * 8 + 7 < y) { for (v = 0; v < 8; ++v) { ... } } else { as before }
// Only of loops that compute what threads have loaded.
void branchOnWholeVectors(const PassContext& context);

}  // namespace nvfuser
