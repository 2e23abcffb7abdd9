// What schedulers of both devices reject.
#pragma once

#include <string>

#include "schedule/scheduler.h"

namespace nvfuser::schedulers {

// Empty, or why no scheduler of this type can schedule a fusion of this structure.
const std::string& rejectPointwise(const FusionSummary& summary);
std::string rejectReduction(const FusionSummary& summary, SchedulerType type);

}  // namespace nvfuser::schedulers
