// What schedulers of both devices reject.
#pragma once

#include <string>

#include "schedule/scheduler.h"

namespace nvfuser::schedulers {

// Empty, or why no scheduler of this type can schedule a fusion of this structure.
const std::string& rejectPointwise(const FusionSummary& summary);
std::string rejectReduction(const FusionSummary& summary, SchedulerType type);
// The same where slices and pads along what is reduced may depend on reductions.
std::string rejectRows(const FusionSummary& summary, SchedulerType type);

}  // namespace nvfuser::schedulers
