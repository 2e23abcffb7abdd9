// What only one side of a branch needs.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// A function whose result only one side of a branch reads is evaluated there:
//   t = sin(x); if (a) y = t; else y = 0;
// becomes
//   if (a) { t = sin(x); y = t; } else y = 0;
// Of halves that are concatenated a warp computes the one that it has. Loads stay where they are:
// they are to start early.
void computeInBranches(const PassContext& context);

}  // namespace nvfuser
