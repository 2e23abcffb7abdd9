// Reduction and normalization schedulers for the CPU: fusions with reductions over one set of
// dimensions.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

CpuParams reductionParams(Fusion* fusion, SchedulerType type, const ScheduleContext& context);
void scheduleReduction(Fusion* fusion, const CpuParams& params);

}  // namespace nvfuser::heuristics
