// Kernels around outputs without reductions.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "schedule/schedulers/gpu/base.h"

namespace nvfuser::schedulers::gpu {

// Schedules the widest output left, with all that has to do with it, as long as there are any:
// outputs that have nothing to do with each other are scheduled on their own.
using ScheduleAround =
    std::function<void(TensorView* reference, const std::vector<TensorView*>& connected)>;
void scheduleEachOutput(const GlobalCopies& copies, const ScheduleAround& scheduleAround);

// Why what these schedule cannot be scheduled like this; empty if it can.
std::string rejectElementwise(const FusionSummary& summary);

// Blocks of rows and columns for every output.
void scheduleElementwise(Fusion* fusion, const GpuVectors& vectors, const GpuBlocks& blocks,
                         const GpuReadOnce& readOnce = {});

}  // namespace nvfuser::schedulers::gpu
