// Several rows at once.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A loop over rows around one over columns reads and writes what belongs to the columns, like sums
// over the rows, once for each row. Where the schedule jams the one over rows, the loop over
// columns does a few rows at once (unroll and jam); the rows that are left come one by one:
//   for r: for c: t[c] += x[r, c]
// becomes
//   for r by 4: for c: t[c] += x[r, c]; t[c] += x[r + 1, c]; ...
//   for the other r: for c: t[c] += x[r, c]
// The rows of each column stay in order, so results do not change, but for moments: those of the
// few rows are merged with each other, and then with those of the rows before. Where they would not
// stay in order, which only the indices in a kernel tell, the rows come one by one.
void jamRows(const PassContext& context);

}  // namespace nvfuser
