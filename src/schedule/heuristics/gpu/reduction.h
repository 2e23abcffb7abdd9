// Reduction and normalization schedulers for CUDA: fusions with reductions over one set of
// dimensions.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

GpuParams gpuReductionParams(Fusion* fusion, SchedulerType type, const ScheduleContext& context);
void scheduleGpuReduction(Fusion* fusion, const GpuParams& params);

}  // namespace nvfuser::heuristics
