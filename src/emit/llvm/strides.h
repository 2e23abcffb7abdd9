// How the accesses of a loop lie in memory.
#pragma once

#include "lower/kernel.h"

namespace nvfuser::llvm {

// Whether vectors of the iterations of a loop would gather and scatter all that it accesses, which
// takes longer than to compute one iteration after the other.
bool isFasterByElement(const kir::Loop& loop);

}  // namespace nvfuser::llvm
