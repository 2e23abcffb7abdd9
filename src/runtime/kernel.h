// A compiled kernel.
#pragma once

#include <memory>
#include <string>

#include "lower/kernel.h"
#include "runtime/compiler.h"
#include "runtime/profile.h"
#include "schedule/scheduler.h"

namespace nvfuser {

class Backend;

// A scheduled, lowered and compiled segment. Immutable after construction.
struct CompiledKernel {
  // Its number among the kernels of a fusion, as reports have it: "fusion0_1".
  std::string label;
  std::unique_ptr<Fusion> fusion;
  std::unique_ptr<kir::Kernel> kernel;
  // What was fused, for messages.
  std::string definition;
  std::string code;
  // One function a phase.
  LoadedCode loaded;
  SchedulerType scheduler = SchedulerType::None;
  // From scheduling to loading.
  SteadyTime compilingBegan;
  SteadyTime compilingEnded;

  // The scheduled fusion as text, with the transforms of all tensors if asked for.
  std::string scheduledIr(bool tensorTransforms) const;
};

// Schedules `fusion` (taking it over), lowers, emits and compiles it.
std::shared_ptr<CompiledKernel> compileKernel(const Backend& backend,
                                              std::unique_ptr<Fusion> fusion,
                                              const ScheduleParams& params, std::string label);

}  // namespace nvfuser
