// Threads that have no elements.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Where threads do not wait for each other, what all that a thread writes is under becomes the
// condition of all that it does:
//   if (a) t = x[i]; if (a && b) u = y[i]; if (a) z[i] = t + u;
// becomes
//   if (a) { t = x[i]; if (b) u = y[i]; z[i] = t + u; }
// Loads without conditions start one after the other. Of those that have some, compilers make
// branches as soon as they are more than an instruction, and each waits for the one before it.
void leaveEarly(const PassContext& context);

}  // namespace nvfuser
