// The schedule for CUDA that fits every fusion: each expression in a kernel of its own.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::heuristics {

// A thread for each element of a result, which it reduces alone.
void scheduleGpuUnfused(Fusion* fusion);

}  // namespace nvfuser::heuristics
