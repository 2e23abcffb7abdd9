// KernelExecutor: compiles a fusion as it is scheduled, and runs it.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>

#include <optional>

#include "bindings/bindings.h"
#include "bindings/call/executor.h"
#include "core/error.h"
#include "core/options.h"
#include "ir/clone.h"
#include "schedule/check.h"
#include "schedule/scheduler.h"

namespace nvfuser {

namespace {

class KernelExecutor {
 public:
  explicit KernelExecutor(int64_t fusionId) : fusionId_(fusionId) {}

  void compile(const Fusion& fusion, nb::handle inputs,
               const std::optional<LaunchParams>& constraints, const CompileParams& params) {
    NVF_CHECK(executor_ == nullptr, "This KernelExecutor has compiled a fusion already");
    NVF_CHECK(!fusion.outputs().empty(),
              "KernelExecutor does not support the Fusion provided. It has no outputs");
    checkSchedule(fusion);
    // What is done to the fusion afterwards is not part of what was compiled.
    auto executor = std::make_unique<ExecutorCache>(cloneFusion(fusion, nullptr, true), fusionId_,
                                                    /*autoSchedule=*/false);
    executor->cache.setParams(constraints.value_or(LaunchParams{}), params);
    if (isOn(Option::dump_compile_params)) {
      printDump("Compile parameters", toString(params));
    }
    CallArguments arguments;
    arguments.addAll(inputs.ptr());
    if (!arguments.values().empty()) {
      planWithoutRun(*executor, arguments, optionsOf(params));
    }
    params_ = params;
    executor_ = std::move(executor);
  }

  nb::object run(nb::handle inputs, const std::optional<LaunchParams>& constraints,
                 const std::optional<CompileParams>& params) {
    NVF_CHECK(executor_ != nullptr, "This KernelExecutor has no kernel: compile() comes first");
    if (constraints || params) {
      params_ = params.value_or(params_);
      executor_->lastPlan = nullptr;
      const WithoutInterpreter released;
      executor_->cache.setParams(constraints.value_or(LaunchParams{}), params_);
    }
    CallArguments arguments;
    arguments.addAll(inputs.ptr());
    const ExecuteOptions options = optionsOf(params_);
    return nb::steal(runExecutor(*executor_, executor_->lastPlan, arguments, Py_None,
                                 options.device ? &options : nullptr));
  }

  bool isCompiled() const { return executor_ != nullptr; }

 private:
  static ExecuteOptions optionsOf(const CompileParams& params) {
    ExecuteOptions options;
    if (params.device) {
      options.device = deviceOfIndex(static_cast<int32_t>(*params.device));
    }
    return options;
  }

  int64_t fusionId_;
  CompileParams params_;
  std::unique_ptr<ExecutorCache> executor_;
};

}  // namespace

void bindKernelExecutor(nb::module_& module) {
  nb::class_<KernelExecutor>(module, "KernelExecutor",
                             R"(Compiles a fusion as it is scheduled, and runs it.

Parameters
----------
fusion_id, concrete_id, runtime_id, group_id : int
    Numbers that tell kernels apart; the first one is part of their names.)")
      .def(
          "__init__",
          [](KernelExecutor* self, int64_t fusionId, int64_t, int64_t, int64_t) {
            new (self) KernelExecutor(fusionId);
          },
          nb::arg("fusion_id") = 0, nb::arg("concrete_id") = 0, nb::arg("runtime_id") = 0,
          nb::arg("group_id") = 0)
      .def(
          "compile",
          [](KernelExecutor& self, const Fusion& fusion, nb::handle args,
             const std::optional<LaunchParams>& constraints, const CompileParams& params,
             SchedulerType) { self.compile(fusion, args, constraints, params); },
          nb::arg("fusion"), nb::arg("args") = nb::list(),
          nb::arg("launch_constraints") = nb::none(), nb::arg("compile_params") = CompileParams{},
          nb::arg("scheduler_type") = SchedulerType::None,
          nb::sig("def compile(self, fusion: Fusion, args: collections.abc.Iterable[object] = [], "
                  "launch_constraints: LaunchParams | None = None, compile_params: CompileParams = "
                  "..., scheduler_type: SchedulerType = ...) -> None"),
          R"(Lower and compile a fusion as it is scheduled.

Parameters
----------
fusion : Fusion
    What is done to it afterwards does not matter.
args : iterable
    Inputs as of ``FusionDefinition.execute``. Without them the schedule is checked, and the kernel is
    compiled by the first :meth:`run`.
launch_constraints : LaunchParams, optional
    What the launch must be, on CUDA.
compile_params : CompileParams
scheduler_type : SchedulerType
    Who scheduled it, for information.

Raises
------
RuntimeError
    If the fusion has no outputs, the schedule is not legal or cannot be expressed as a kernel, the
    inputs do not fit, or a fusion was compiled before.)")
      .def(
          "run",
          [](KernelExecutor& self, nb::handle args, const std::optional<LaunchParams>& constraints,
             const std::optional<CompileParams>& params) {
            return self.run(args, constraints, params);
          },
          nb::arg("args"), nb::arg("launch_constraints") = nb::none(),
          nb::arg("compile_params") = nb::none(),
          nb::sig(
              "def run(self, args: collections.abc.Iterable[object], launch_constraints: "
              "LaunchParams | None = None, compile_params: CompileParams | None = None) -> list"),
          R"(Run the kernel.

Parameters
----------
args : iterable
    Inputs as of ``FusionDefinition.execute``; sizes may differ from those that it was compiled with.
launch_constraints : LaunchParams, optional
compile_params : CompileParams, optional
    In place of those that it was compiled with.

Returns
-------
list
    The outputs.

Raises
------
RuntimeError
    If nothing was compiled, the inputs do not fit, or the schedule does not fit their sizes.)")
      .def("is_compiled", &KernelExecutor::isCompiled, "Return whether a fusion was compiled.")
      .def(
          "is_programmatic_dependent_launch_enabled", [](const KernelExecutor&) { return false; },
          "Return whether a launch may begin before the one ahead has ended: never.");
}

}  // namespace nvfuser
