// Loops over dimensions that lie one behind the other in memory.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A reduction over two dimensions has two loops where another part of the kernel needs them apart,
// as the weights of a group norm do. Where all that these two access runs on from one inner loop to
// the next, they are one loop, with one horizontal sum and one rest:
//   for r in n: for c in m: t += x[r * m + c]
// becomes
//   for e in n * m: t += x[e]
void mergeLoops(const PassContext& context);

}  // namespace nvfuser
