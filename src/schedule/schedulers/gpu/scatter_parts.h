// What scatters into memory and those into rows share.
#pragma once

#include <vector>

#include "schedule/heuristics/scatters.h"
#include "schedule/schedulers/gpu/base.h"

namespace nvfuser::schedulers::gpu {

std::string rejectScatter(const FusionSummary& summary);

// Vectors are those of the copy, and those that are written.
GpuVectors chooseScatterVectors(const InnerGroup& inner, const FusionSummary& summary,
                                const ScheduleContext& context);

// Neighbours write anywhere, so that vectors are of use only where all that is written is read in
// these.
GpuVectors vectorsOfWritten(const std::vector<TensorView*>& written, const GlobalCopies& copies,
                            const GpuVectors& vectors);

}  // namespace nvfuser::schedulers::gpu
