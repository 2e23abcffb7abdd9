// Loads that may not happen.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// What a pad or a lookup reads, or else has, becomes a load under one condition of what has the
// other value before:
//   if (a) { if (b) t = x[i]; else t = 0; }
// becomes
//   t = 0; if (a && b) t = x[i];
// That is an instruction with a predicate, behind which others start without waiting; behind a
// branch they wait until the load has come.
void predicateLoads(const PassContext& context);

}  // namespace nvfuser
