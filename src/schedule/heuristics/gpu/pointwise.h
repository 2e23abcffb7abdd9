// Pointwise scheduler for CUDA: fusions without reductions.
#pragma once

#include "schedule/heuristics/gpu/common.h"
#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

GpuParams gpuPointwiseParams(Fusion* fusion, const ScheduleContext& context);
void scheduleGpuPointwise(Fusion* fusion, const GpuParams& params);

// Gives `reference` the loops [blocks, rows in flight, threads y, threads x, vector] and its
// neighbours in `selected` the same.
void scheduleGpuPointwiseAround(TensorView* reference, const GpuParams& params,
                                const std::vector<TensorView*>& selected,
                                const GlobalCopies& copies);

}  // namespace nvfuser::heuristics
