// Results that are larger than the caches.
#pragma once

#include <unordered_set>

#include "lower/kernel.h"

namespace nvfuser {

// A processor reads a line of memory before it writes a part of it, and what it writes takes the
// place of something else in the caches. Where a copy to global memory is a streaming one and runs
// along memory in an innermost loop, a part of the elements at a time is computed in local memory
// and copied from there in whole lines that are not read:
//   for i in n: out[i] = f(i)
// becomes
//   for c in n by 1024: { for i in c .. c + 1024: part[i - c] = f(i); out[c ...] = streamed part }
// Adds the indices of its loops to `loopIndices`.
void streamResults(kir::Phase& phase, Fusion* fusion, std::unordered_set<const Val*>& loopIndices);

}  // namespace nvfuser
