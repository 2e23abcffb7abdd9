// What Python's executors hold, and one call of them.
#pragma once

#include <memory>
#include <vector>

#include "arguments.h"
#include "runtime/executor_cache.h"
#include "runtime/profile.h"

namespace nvfuser {

struct ExecutorCache {
  ExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId, bool autoSchedule);

  FusionExecutorCache cache;
  // Of the last call without options: compared first. Guarded by the interpreter's lock.
  std::shared_ptr<const LaunchPlan> lastPlan;
  // Of the last run that was profiled.
  std::shared_ptr<const LaunchPlan> profiledPlan;
  FusionProfile profile;
  // Positions of the inputs that are updated in place.
  std::vector<size_t> writtenInputs;
};

// Runs the fusion and returns a new reference to the list of outputs; raises C++ exceptions.
PyObject* runExecutor(ExecutorCache& self, const CallArguments& arguments, PyObject* outputs,
                      const ExecuteOptions* options);

}  // namespace nvfuser
