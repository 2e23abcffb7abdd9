// Elements of vectors that a thread has in registers.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Elements that are loaded one by one are read from a vector with all of them that the thread has
// loaded already. What computes with neighbours along memory, as rotary embeddings of pairs do,
// reads them by way of reshapes and slices, whose loops are not those of the vector:
//   copy<8>(&T4[0], &T0[x * 8]);
//   for (v = 0; v < 8; ++v) T5[v] = T0[(x * 4 + v / 2) * 2];
// becomes
//   for (v = 0; v < 8; ++v) T5[v] = T4[v / 2 * 2];
void reuseLoads(const PassContext& context);

}  // namespace nvfuser
