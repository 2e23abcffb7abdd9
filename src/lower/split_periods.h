// Loops over rows that lie one behind the other, as loops over rows and over their elements.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Makes of an innermost loop whose conditions repeat, as those of concatenated rows that are
// merged,
//   for (i = 0; i < n * c; ++i) { if (i % c < k) { a(i / c, i % c) } else { ... } }
// two loops, where a tensor that is computed under these conditions is marked to be interleaved:
//   for (r = 0; r < n; ++r) for (j = 0; j < c; ++j) { if (j < k) { a(r, j) } else { ... } }
// The inner one can be divided at its conditions. Vectors of the one loop would compute both sides
// for all elements.
void splitPeriods(const PassContext& context);

}  // namespace nvfuser
