// Rows of few columns.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A loop over rows around one over a few columns, fewer than a vector has elements, computes
// element by element. Where the schedule folds the one over rows, and rows lie in memory one behind
// the other, which is found out when it runs, the elements of some of them are one loop, of whole
// vectors:
//   for r in n: for c in m: t[c] += x[r, c]
// becomes
//   for r by 16: for e in 16 * m: p[e] += x[r, e]
//   for r in 16: for c in m: t[c] += p[r * m + c]
//   for the other r: for c in m: t[c] += x[r, c]
// What else is read of columns is repeated for the rows first. Loops that write elements, where
// rows of the result lie that way, too, are folded alike.
void foldRows(const PassContext& context);

}  // namespace nvfuser
