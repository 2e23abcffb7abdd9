// Long sums of short ones.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// The error of a sum grows with the additions one after the other. What a loop sums up of many
// elements, or of whole loops, is added to the total block by block:
//   for i in n: t += x[i]
// becomes
//   for b in n by 2048: p = 0; for i in 2048: p += x[b + i]; t += p
//   for the other i: t += x[i]
// and
//   for i in n: for j in m: t += x[i, j]
// becomes, with blocks of about as many of these sums as there are blocks,
//   for i in n: p = 0; for j in m: p += x[i, j]; t += p
void sumInBlocks(const PassContext& context);

}  // namespace nvfuser
