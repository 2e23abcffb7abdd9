// Backend: what differs between devices when fusions are compiled and run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/target.h"
#include "lower/kernel.h"
#include "runtime/compiler.h"
#include "runtime/launch_plan.h"
#include "runtime/plan_parts.h"
#include "runtime/timeline.h"

namespace nvfuser {

class Backend {
 public:
  virtual ~Backend() = default;

  // As it is now: the number of workers changes.
  virtual Target target() const = 0;
  // The text of a kernel, one function a phase, and what files of it are called behind the dot.
  virtual std::string emit(const kir::Kernel& kernel) const = 0;
  // The same of a group, with one function; of targets whose kernels may share launches.
  virtual std::string emit(const kir::KernelGroup& group) const = 0;
  virtual const char* codeSuffix() const = 0;
  // Compiles the text and loads the functions.
  virtual LoadedCode load(const std::string& code,
                          const std::vector<std::string>& functions) const = 0;
  virtual std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const = 0;
  // The text with what it calls of the device library, for people.
  virtual std::string withLibrary(const std::string& code) const = 0;
  // What measures a run on a stream.
  virtual std::unique_ptr<Timeline> makeTimeline(void* stream) const = 0;
};

// The backend of a device, for the rest of the process; raises, saying what is missing, when it
// cannot be used.
const Backend& backendOf(Device device);

const Backend& cpuBackend();
const Backend& cudaBackend(int32_t index);

}  // namespace nvfuser
