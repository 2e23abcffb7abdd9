// Inputs that lie across the output, whose innermost dimension is another one: they are read in
// square tiles.
#pragma once

#include "schedule/schedulers/cpu/elementwise.h"

namespace nvfuser::heuristics {

// Without a side where nothing lies across, or sizes are too small.
CpuTileParams tileParams(const FusionSummary& summary, const ScheduleContext& context);
// Schedules the first part in tiles.
SchedulePart tilesFirst(const CpuTileParams& tile);

}  // namespace nvfuser::heuristics
