// Outputs that are larger than the caches: written past them, so that memory is not read before it
// is overwritten. See lower/stream_results.h.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// Elements of a loop that workers share where it is the only one.
constexpr int64_t kStreamedElements = 4096;

// Whether an output is too large for the caches, and what is written of it at a time large enough:
// loops over columns have at most `columns` of them.
bool outputsOverflow(Fusion* fusion, const ScheduleContext& context, int64_t columns);
// Makes those that may be written that way streaming copies of local tensors.
void streamOutputs(Fusion* fusion);

// Whether elements in memory are narrower than what is computed: they are converted.
bool hasNarrowTensors(Fusion* fusion);

}  // namespace nvfuser::heuristics
