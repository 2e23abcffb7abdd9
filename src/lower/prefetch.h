// Memory that is written soon is requested while something else is computed.
#pragma once

#include <unordered_set>

#include "lower/kernel.h"

namespace nvfuser {

// A processor reads a line of memory before it writes into it. Where an iteration of the parallel
// loop has several loops over a row, and the last one writes the result, the row of the result is
// requested behind the first one: the loops in between run in the cache meanwhile.
void prefetchResults(kir::Phase& phase, Fusion* fusion);

// Where operands are transposed tile by tile, what the next tile reads is requested with the rows
// of this one: its short lines of memory are slow to read one by one. Adds the indices of its loops
// to `loopIndices`.
void prefetchNextTile(kir::Phase& phase, Fusion* fusion,
                      std::unordered_set<const Val*>& loopIndices);

}  // namespace nvfuser
