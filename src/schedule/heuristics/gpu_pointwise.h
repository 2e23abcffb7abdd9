// Pointwise scheduler for CUDA: fusions without reductions.
#pragma once

#include "schedule/heuristics/gpu_common.h"
#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

ScheduleParams gpuPointwiseParams(Fusion* fusion, const ScheduleContext& context);
void scheduleGpuPointwise(Fusion* fusion, const ScheduleParams& params);

// Sets the threads and the unrolling for elements of which `inner` are contiguous at a time.
void choosePointwiseThreads(int64_t elements, int64_t inner, int64_t loadedBytes,
                            const ScheduleContext& context, GpuParams& params);
// Gives `reference` the loops [blocks, rows in flight, threads y, threads x, vector] and its
// neighbours in `selected` the same.
void scheduleGpuPointwiseAround(TensorView* reference, const GpuParams& params,
                                const std::vector<TensorView*>& selected,
                                const GlobalCopies& copies);

}  // namespace nvfuser::heuristics
