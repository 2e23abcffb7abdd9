// A compiled kernel.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lower/kernel.h"
#include "runtime/compiler.h"
#include "runtime/profile.h"
#include "runtime/work.h"
#include "schedule/scheduler.h"

namespace nvfuser {

class Backend;

// A scheduled, lowered and compiled segment, or several whose blocks are those of one launch.
// Immutable once it is loaded.
struct CompiledKernel {
  // As profilers show it.
  std::string name;
  // Its number among the kernels of a fusion, as reports have it: "fusion0_1".
  std::string label;
  // Null for a group.
  std::unique_ptr<Fusion> fusion;
  std::unique_ptr<kir::Kernel> kernel;
  // Of its phases.
  std::vector<Work> work;
  // Of a group: its members, each once, in the order of their arguments.
  std::vector<std::shared_ptr<const CompiledKernel>> members;
  // What was fused, for messages.
  std::string definition;
  std::string code;
  // One function a phase. None before it is loaded, which it never is where it is only run as a
  // member of groups.
  LoadedCode loaded;
  SchedulerType scheduler = SchedulerType::None;
  // The last time that it was worked on, and how long that took in all: from scheduling to loading.
  SteadyTime compilingBegan;
  std::chrono::nanoseconds compileTime{};

  std::string functionName(size_t phase) const { return name + "_phase" + std::to_string(phase); }
  // The scheduled fusion as text, with the transforms of all tensors if asked for.
  std::string scheduledIr(bool tensorTransforms) const;
};

// Schedules `fusion` (taking it over), lowers and emits it.
std::shared_ptr<CompiledKernel> generateKernel(const Backend& backend,
                                               std::unique_ptr<Fusion> fusion,
                                               const ScheduleParams& params, std::string label);

// The members of a group with how often each is there.
using GroupMembers = std::vector<std::pair<std::shared_ptr<const CompiledKernel>, int64_t>>;
std::shared_ptr<CompiledKernel> generateGroup(const Backend& backend, const GroupMembers& members);

// Compiles and loads the code, unless that was done before.
void load(const Backend& backend, CompiledKernel& kernel);

}  // namespace nvfuser
