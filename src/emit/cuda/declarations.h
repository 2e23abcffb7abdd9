// Where a function declares its local variables and arrays.
#pragma once

#include <unordered_map>
#include <vector>

#include "lower/kernel.h"

namespace nvfuser::cuda {

// The local buffers of a phase by the block that declares them: the body of the innermost loop that
// has all their accesses and begins with a write, in which no iteration asks for what one before it
// has written; else that of the phase. Of a variable outside of the loop a compiler has to keep
// what is written under a condition, for the iterations where it does not hold: in one register for
// all of them, so that none of an unrolled loop starts to load before another one is done.
using Declarations = std::unordered_map<const kir::Block*, std::vector<const kir::Buffer*>>;
Declarations declarationsOf(const kir::Phase& phase);

}  // namespace nvfuser::cuda
