// Profiling: whether it is on, and the profile of the last run. Guarded by the interpreter's lock.
#pragma once

#include <optional>

#include "runtime/profile.h"

namespace nvfuser {

// The profilers that are active.
extern int activeProfilers;
extern std::optional<FusionProfile> lastProfile;

}  // namespace nvfuser
