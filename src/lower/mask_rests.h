// What rows have beside whole groups of vectors.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Compilers compute what is left of a loop behind whole vectors element by element, which takes
// longer than all vectors of a short row. An innermost loop that is marked `mask_rest` becomes
//   for c in whole groups: y[c] = f(x[c])
//   for c behind them: y[c] = f(x[c]), by vectors of which the lanes behind the end are masked
void maskRests(const PassContext& context);

}  // namespace nvfuser
