// Memory that is written soon is requested while something else is computed.
#pragma once

#include "lower/kernel.h"

namespace nvfuser {

// A processor reads a line of memory before it writes into it. Where an iteration of the parallel
// loop has several loops over a row, and the last one writes the result, the row of the result is
// requested behind the first one: the loops in between run in the cache meanwhile.
void prefetchResults(kir::Phase& phase, Fusion* fusion);

}  // namespace nvfuser
