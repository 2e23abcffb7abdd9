// The caches of the host.
#pragma once

#include <cstdint>

namespace nvfuser::cpu {

// Of the last level; 0 where the system does not tell.
int64_t lastLevelCacheBytes();

}  // namespace nvfuser::cpu
