// Backend: what differs between devices when fusions are compiled and run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lower/kernel.h"
#include "runtime/compiler.h"
#include "runtime/launch_plan.h"
#include "runtime/plan_parts.h"
#include "schedule/scheduler.h"

namespace nvfuser {

class Backend {
 public:
  virtual ~Backend() = default;

  // Tells schedulers about the device.
  virtual void describe(ScheduleContext& context) const = 0;
  // From a scheduled fusion to the text of its kernels, one function a phase.
  virtual std::unique_ptr<kir::Kernel> lower(Fusion* fusion, std::string name) const = 0;
  virtual std::string emit(const kir::Kernel& kernel) const = 0;
  // Compiles the text and loads the functions.
  virtual LoadedCode load(const std::string& code,
                          const std::vector<std::string>& functions) const = 0;
  virtual std::shared_ptr<LaunchPlan> makePlan(PlanParts parts) const = 0;
};

// The backend of a device, for the rest of the process; raises, saying what is missing, when there
// is none.
const Backend& backendOf(Device device);

const Backend& cpuBackend();
const Backend& cudaBackend(int32_t index);

}  // namespace nvfuser
