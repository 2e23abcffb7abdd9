// How much a worker has to do in an iteration.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Counts what an iteration of the parallel loop computes, for the host to decide how many of them
// are worth a worker.
void countWork(const PassContext& context);

}  // namespace nvfuser
