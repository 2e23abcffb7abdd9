#include "bindings/call/plan_log.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <chrono>

#include "runtime/cuts.h"

namespace nvfuser {

namespace {

// A program that has not imported logging has no use for what is logged.
nb::object findLog() {
  const nb::object modules = nb::module_::import_("sys").attr("modules");
  if (!nb::cast<bool>(modules.attr("__contains__")("logging"))) {
    return nb::none();
  }
  const nb::object log = nb::module_::import_("nvfuser.log");
  return nb::cast<bool>(log.attr("is_enabled")()) ? log : nb::none();
}

void logPlan(const ExecutorCache& self, const LaunchPlan& plan, SteadyTime begin) {
  const auto milliseconds =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  const nb::object log = findLog();
  if (log.is_none()) {
    return;
  }
  nb::list kernels;
  for (const KernelProfile& kernel : plan.describeSteps(begin)) {
    kernels.append(nb::make_tuple(kernel.name, kernel.scheduler, kernel.compileTimeMs));
  }
  nb::list cuts;
  for (const Cut& cut : self.cache.cuts(plan)) {
    cuts.append(toString(cut));
  }
  log.attr("planned")(self.cache.fusionId(), toString(plan.device()), milliseconds, kernels, cuts);
}

}  // namespace

PlanPointer planFor(ExecutorCache& self, std::span<const PolymorphicValue> values,
                    const ExecuteOptions& options) {
  bool isNew = false;
  const SteadyTime begin = std::chrono::steady_clock::now();
  PlanPointer plan = unlocked([&] { return self.cache.plan(values, options, &isNew); });
  if (isNew) {
    logPlan(self, *plan, begin);
  }
  return plan;
}

}  // namespace nvfuser
