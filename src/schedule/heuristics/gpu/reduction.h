// Reduction and normalization schedulers for CUDA: fusions with reductions over one set of
// dimensions.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

ScheduleParams gpuReductionParams(Fusion* fusion, SchedulerType type,
                                  const ScheduleContext& context);
void scheduleGpuReduction(Fusion* fusion, const ScheduleParams& params);

}  // namespace nvfuser::heuristics
