// Outputs that are larger than the caches: written past them, so that memory is not read before it
// is overwritten. See lower/stream_results.h.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// A group of 0 where the outputs are not too large for the caches, or what is written of them at a
// time is too small: loops over columns have at most `columns` of them.
CpuStreamParams streamParams(const FusionSummary& summary, const ScheduleContext& context,
                             int64_t columns);
// Makes those that may be written that way copies of local tensors that are stored past the caches.
void streamOutputs(Fusion* fusion, const CpuStreamParams& params);

}  // namespace nvfuser::heuristics
