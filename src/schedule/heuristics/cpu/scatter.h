// Scatters for the CPU: each line along the dimension of the scatter is copied, written into and
// read by one worker.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// Lines that lie side by side in memory and are computed together in memory of the worker; 0 where
// they do not fit its cache and are written in place.
int64_t scatterTile(const ScatterOp* scatter, const ScheduleContext& context);

// Schedules the whole fusion: the loops are [other dimensions (parallel), dimension of the scatter,
// lines side by side].
void scheduleScatter(ScatterOp* scatter, const CpuParams& params);

}  // namespace nvfuser::heuristics
