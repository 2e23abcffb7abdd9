// Exponentials of several values at once.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// What an unrolled loop merges one by one is kept, and merged together behind the loop: then an
// element takes one exponential, and not one for what was merged before, too.
//   for i in n: { t = exponentials_of(x[i]); e = merge_exponentials(e, t); }
// becomes
//   for i in n: v[i] = x[i];
//   e = merge_exponentials(e, v);
void gatherExponentials(const PassContext& context);

}  // namespace nvfuser
