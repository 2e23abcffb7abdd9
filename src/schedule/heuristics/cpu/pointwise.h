// Pointwise scheduler for the CPU: fusions without reductions.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

CpuParams pointwiseParams(Fusion* fusion, const ScheduleContext& context);
void schedulePointwise(Fusion* fusion, const CpuParams& params);

// Gives `reference` the loops [outer (parallel), inner] and its neighbours in `selected` (all, when
// empty) the same.
void schedulePointwiseAround(TensorView* reference, const CpuParams& params,
                             const std::vector<TensorView*>& selected);

}  // namespace nvfuser::heuristics
