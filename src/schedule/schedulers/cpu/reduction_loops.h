// Reductions and normalizations: fusions with reductions over one set of dimensions.
#pragma once

#include "schedule/scheduler.h"
#include "schedule/summary.h"

namespace nvfuser::heuristics {

CpuReductionParams reductionParams(const FusionSummary& summary, const ScheduleContext& context);
CpuPersistentParams persistentParams(const FusionSummary& summary, const ScheduleContext& context);
void scheduleReduction(Fusion* fusion, const CpuReductionParams& params, bool separateStages);

}  // namespace nvfuser::heuristics
