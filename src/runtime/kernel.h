// A compiled kernel and how one launch of it is described.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "runtime/compiler.h"
#include "schedule/scheduler.h"

namespace nvfuser {

using PhaseFunction = void (*)(const int64_t* arguments, int64_t begin, int64_t end, void* scratch);

// A scheduled, lowered and compiled segment. Immutable after construction.
struct CompiledKernel {
  std::unique_ptr<Fusion> fusion;
  std::unique_ptr<kir::Kernel> kernel;
  std::string code;
  std::string scheduledIr;
  LoadedCode loaded;

  PhaseFunction phase(size_t i) const {
    return reinterpret_cast<PhaseFunction>(loaded.addresses[i]);
  }
};

// Schedules `fusion` (taking it over), lowers, emits and compiles it.
std::shared_ptr<CompiledKernel> compileKernel(std::unique_ptr<Fusion> fusion,
                                              const ScheduleParams& params, std::string name);

// Part of a launch that is known with the sizes.
struct PhaseLaunch {
  PhaseFunction function;
  int64_t extent;
  int64_t grain;
  size_t scratchBytes;
};

// Runs the phases of one kernel with filled argument slots.
void runPhases(std::span<const PhaseLaunch> phases, const int64_t* arguments);

}  // namespace nvfuser
