// Plans, and what Python's logging says of those that are made.
#pragma once

#include <span>

#include "bindings/call/executor.h"
#include "runtime/executor_cache.h"

namespace nvfuser {

// That of the cache for these arguments. Where it is made now, what was compiled for it is logged.
PlanPointer planFor(ExecutorCache& self, std::span<const PolymorphicValue> values,
                    const ExecuteOptions& options);

}  // namespace nvfuser
