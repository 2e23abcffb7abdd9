// Memory that is written soon is requested while something else is computed.
#pragma once

#include <unordered_set>
#include <vector>

#include "lower/kernel.h"

namespace nvfuser {

// A processor reads a line of memory before it writes into it. Where an iteration of the parallel
// loop has several loops over a row, and the last one writes the result, the row of the result is
// requested behind the first one: the loops in between run in the cache meanwhile.
void prefetchResults(kir::Phase& phase, Fusion* fusion);

// Of each tensor in global memory, the first element that a loop reads, one after the other, and
// that is another one for each `outer`.
std::vector<kir::Access> readsAlong(const kir::Loop& loop, const Val* outer);

// Where operands are transposed tile by tile, what the next tile reads is requested with the rows
// of this one: its short lines of memory are slow to read one by one. Adds the indices of its loops
// to `loopIndices`.
void prefetchNextTile(kir::Phase& phase, Fusion* fusion,
                      std::unordered_set<const Val*>& loopIndices);

}  // namespace nvfuser
