// Profiling: whether it is on, and the profile of the last run. Guarded by the interpreter's lock.
#pragma once

#include <optional>
#include <span>

#include "runtime/profile.h"
#include "value/polymorphic_value.h"

namespace nvfuser {

// The profilers that are active.
extern int activeProfilers;
extern std::optional<FusionProfile> lastProfile;

// Makes the environment a profiler that stays active if it asks for profiles, or to print what only
// they know. Raises on options that it does not know.
void profileAsEnvironmentSays();
// What the environment wants to be printed of a run.
void printRun(std::span<const PolymorphicValue> arguments, const FusionProfile& profile);

}  // namespace nvfuser
