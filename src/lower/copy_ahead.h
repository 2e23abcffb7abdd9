// What the next iteration of a loop copies to shared memory is on its way while this one computes.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Where the schedule gives a tensor two buffers in turn, each thread copies its part of it
// asynchronously, in every iteration of a loop, and waits for that:
//   for i in n: { copy(i); wait; use(i) }
// becomes
//   copy(0); for i in n: { wait; if i + 1 < n: copy(i + 1); use(i) }
// with one of the buffers for every other iteration. Beside the copies, values of one element that
// an iteration loads are loaded ahead, too, and what is the same in all iterations once.
void copyAhead(const PassContext& context);

}  // namespace nvfuser
