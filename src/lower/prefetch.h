// Memory that is written soon is requested while something else is computed.
#pragma once

#include <vector>

#include "lower/passes.h"

namespace nvfuser {

// A processor reads a line of memory before it writes into it. Where the schedule asks for it, an
// iteration of the parallel loop has several loops over a row, and the last one writes the result,
// the row of the result is requested behind the first one: the loops in between run in the cache
// meanwhile.
void prefetchResults(const PassContext& context);

// Of each tensor in global memory, the first element that a loop reads, one after the other, and
// that is another one for each `outer`.
std::vector<kir::Access> readsAlong(const kir::Loop& loop, const Val* outer);

// Where the schedule asks for the next iteration, and operands are transposed tile by tile, what
// the next tile reads is requested with the rows of this one: its short lines of memory are slow to
// read one by one.
void prefetchNextTile(const PassContext& context);

// A loop over rows around one over their elements, which are few and lie far from those of the next
// row, waits for memory with each: the processor finds no stream in so few lines, and has no room
// for so many instructions as to see the next row. Where the schedule asks for it, such rows are
// requested some iterations before they are read.
void prefetchFarRows(const PassContext& context);

// Where an iteration of the parallel loop has several loops over a row, all but the first find what
// they read in the cache. If the schedule asks for the next iteration, what the next row reads is
// requested meanwhile, a few lines at a time: where the loop evaluates a function, or else where
// results are streamed. Sums and the like of that loop have an accumulator for each element of a
// group, here of 64, apart, so that they stay in registers:
//   for i in n: total += f(x[row, i])
// becomes
//   for g in n by 64: { prefetch x[row + 1, g ...]; for i in g .. g + 64: t[i - g] += f(x[row, i])
//   } for j in 64: total += t[j]
// and a loop over the rest.
void prefetchNextRow(const PassContext& context);

}  // namespace nvfuser
