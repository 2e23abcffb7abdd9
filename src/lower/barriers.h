// Barriers: what the threads of a block exchange through memory is ordered by them, and what a
// thread keeps across them.
#pragma once

#include "lower/passes.h"

namespace nvfuser {

// Inserts the barriers that a kernel needs between writing tensors that its threads share and
// reading them, and between reading them and writing them again. These are tensors in shared
// memory, and in global memory those that one thread reads or writes for several. All threads must
// run the same loops.
void insertBarriers(const PassContext& context);

// Notes for every reduction over threads what local tensors of reduced precision hold across it.
void noteHeldTensors(const PassContext& context);

}  // namespace nvfuser
