// Tiles in shared memory, which inputs pass through that lie across an output.
#pragma once

#include <optional>
#include <vector>

#include "schedule/schedulers/gpu/choose.h"
#include "schedule/schedulers/gpu/loops.h"

namespace nvfuser::schedulers::gpu {

// Of the widest output, whose inner group is `inner`; nothing where no input lies across it, or
// tiles would be half empty.
std::optional<GpuTransposeParams> chooseTiles(const InnerGroup& inner, const FusionSummary& summary,
                                              const ScheduleContext& context);

// Gives `reference` and what has to do with it the loops of tiles.
void scheduleTiles(TensorView* reference, const GpuTransposeParams& params,
                   const std::vector<TensorView*>& connected, const GlobalCopies& copies);

}  // namespace nvfuser::schedulers::gpu
