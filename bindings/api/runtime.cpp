// FusionExecutorCache: runs fusions from Python, and says what it has compiled.

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bindings/bindings.h"
#include "bindings/call/arguments.h"
#include "bindings/call/compiled_function.h"
#include "bindings/call/executor.h"
#include "bindings/call/named_ranges.h"
#include "bindings/call/profiling.h"
#include "bindings/support/nodes.h"
#include "core/error.h"
#include "core/options.h"
#include "runtime/backend.h"
#include "runtime/cuts.h"
#include "runtime/executor_cache.h"
#include "translate/definition.h"

namespace nvfuser {

namespace {

PyType_Slot executorCacheSlots[] = {{Py_tp_methods, executeMethods}, {0, nullptr}};

template <typename Fn>
auto withArguments(const ExecutorCache& self, nb::handle inputs, Fn&& fn) {
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  return unlocked([&] { return fn(self.cache, arguments.values()); });
}

// What the kernels and library calls of a run were: of the last one that was profiled, else of the
// last one. None when there was none.
nb::object describeRun(const ExecutorCache& self) {
  const bool isProfiled = self.profiledPlan != nullptr;
  const PlanPointer plan =
      isProfiled ? self.profiledPlan : unlocked([&] { return self.cache.lastPlan(); });
  if (plan == nullptr) {
    return nb::none();
  }
  const std::vector<KernelProfile> kernels =
      isProfiled ? self.profile.kernels : plan->describeSteps(std::chrono::steady_clock::now());
  const auto [segments, cuts] =
      unlocked([&] { return std::pair(self.cache.segments(*plan), self.cache.cuts(*plan)); });
  std::unordered_map<size_t, size_t> positions;
  for (size_t i = 0; i < kernels.size(); ++i) {
    for (const size_t segment : kernels[i].segments) {
      positions.emplace(segment, i);
    }
  }
  nb::list result;
  for (const KernelProfile& kernel : kernels) {
    nb::list tensors;
    for (const size_t segment : kernel.segments) {
      if (segment < segments.size()) {
        for (const Val* tensor : segments[segment]) {
          tensors.append(share(const_cast<Val*>(tensor)));
        }
      }
    }
    nb::list reads;
    for (const Cut& cut : cuts) {
      const auto producer = positions.find(cut.producer);
      if (std::ranges::find(kernel.segments, cut.segment) == kernel.segments.end() ||
          producer == positions.end()) {
        continue;
      }
      nb::object tensor = nb::none();
      if (cut.original != nullptr) {
        tensor = nb::cast(share(const_cast<Val*>(cut.original)));
      }
      reads.append(nb::make_tuple(producer->second, tensor, cut.reason));
    }
    result.append(nb::make_tuple(kernel, tensors, reads));
  }
  return nb::make_tuple(isProfiled, result);
}

}  // namespace

ExecutorCache::ExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId, bool autoSchedule,
                             const multidevice::Layouts& layouts)
    : cache(std::move(fusion), fusionId, autoSchedule, layouts) {
  profileAsEnvironmentSays();
  rangesAsEnvironmentSays();
  if (isOn(Option::dump_python_definition)) {
    printDump("Python definition", pythonFunction(definitionCalls(*cache.fusion())));
  }
  std::unordered_map<const Val*, size_t> numbers;
  for (size_t i = 0; i < cache.fusion()->inputs().size(); ++i) {
    numbers[cache.fusion()->inputs()[i]] = i;
  }
  for (const Fusion::Output& output : cache.fusion()->outputs()) {
    if (output.alias != nullptr) {
      writtenInputs.push_back(numbers.at(output.alias));
    }
  }
}

ExecutorCache& executorOf(PyObject* object) {
  NVF_CHECK(nb::inst_ready(object), "FusionExecutorCache.__init__() was not called");
  return *nb::inst_ptr<ExecutorCache>(object);
}

[[gnu::cold]] void raiseTypeError(const std::string& message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw nb::python_error();
}

void bindRuntime(nb::module_& module) {
  bindBoundPlan(module);
  bindCompiledFunction(module);
  bindExecutable(module);
  bindTorchOperator(module);
  bindOutputGeometry(module);

  nb::class_<ExecutorCache>(module, "FusionExecutorCache", nb::type_slots(executorCacheSlots),
                            "Compiles a fusion for each kind of inputs it is run with, and keeps "
                            "the results.")
      .def(
          "__init__",
          [](ExecutorCache* self, nb::handle_t<Fusion> fusion, int64_t fusionId,
             Flag autoSchedule) {
            new (self)
                ExecutorCache(nb::cast<std::shared_ptr<Fusion>>(fusion), fusionId, autoSchedule);
            self->sites = nb::getattr(fusion, "_sites", nb::none());
          },
          nb::arg("fusion"), nb::arg("fusion_id") = 0, nb::arg("auto_schedule") = true)
      .def(
          "_explain",
          [](const ExecutorCache& self, nb::handle error) {
            nb::module_::import_("nvfuser.call_sites").attr("explain_error")(error, self.sites);
          },
          nb::arg("error"), "Say in an error of a run where what it names was defined.")
      .def(
          "enable",
          [](ExecutorCache& self, const std::vector<std::string>& options) {
            unlocked([&] { self.cache.enable(options); });
            self.lastPlan = nullptr;
          },
          nb::arg("options"), "From now on, run with these options of NVFUSER_ENABLE on.")
      .def("bind", &makeBoundPlan, nb::arg("inputs").none(),
           nb::sig("def bind(self, inputs: collections.abc.Iterable[object]) -> BoundPlan"),
           "Compile for inputs like these and return a callable that runs them with the least "
           "overhead.")
      .def(
          "fusion", [](const ExecutorCache& self) { return self.cache.fusion(); },
          "Return the fusion as it was defined.")
      .def(
          "is_compiled",
          [](const ExecutorCache& self, nb::handle inputs, int) {
            return withArguments(self, inputs, [](const auto& cache, auto values) {
              return cache.isCompiled(values);
            });
          },
          nb::arg("inputs").none(), nb::arg("device") = 0,
          "Return whether inputs of this signature have been run.")
      .def(
          "get_cuda_kernel",
          [](const ExecutorCache& self, nb::handle inputs, Flag intrinsicCode, int) {
            const auto code = withArguments(self, inputs, [](const auto& cache, auto values) {
              return cache.kernelCode(values);
            });
            return intrinsicCode ? code.backend->withLibrary(code.text) : code.text;
          },
          nb::arg("inputs").none(), nb::arg("intrinsic_code") = false, nb::arg("device") = 0,
          "Return the generated code (CUDA C++ or LLVM IR) for inputs of a signature that has been "
          "run, on request with what it needs of the library for its device.")
      .def(
          "get_scheduled_ir",
          [](const ExecutorCache& self, nb::handle inputs, Flag tensorTransforms, int) {
            return withArguments(self, inputs, [&](const auto& cache, auto values) {
              return cache.scheduledIr(values, tensorTransforms);
            });
          },
          nb::arg("inputs").none(), nb::arg("tensor_transforms") = false, nb::arg("device") = 0,
          "Return the scheduled IR for inputs of a signature that has been run.")
      .def(
          "get_most_recent_scheduled_ir",
          [](const ExecutorCache& self, Flag tensorTransforms) {
            return unlocked([&] { return self.cache.mostRecentScheduledIr(tensorTransforms); });
          },
          nb::arg("tensor_transforms") = false, "Return the scheduled IR of the last run.")
      .def(
          "get_output_shardings", [](const ExecutorCache&) { return nb::list(); },
          "Return how the outputs are sharded: an empty list, as no tensor has a mesh.");

  module.def("describe_run", &describeRun, nb::arg("cache"),
             "Return whether a run of a FusionExecutorCache was profiled, and for each of its "
             "kernels and library calls a KernelProfile, the tensors that it computes, and what it "
             "reads of others: their position, the tensor and why they are apart; None before the "
             "first run.");
  module.def("describe_arguments", &describeArguments, nb::arg("inputs").none(),
             "Return what a call makes of its inputs: a dictionary for each.");
  module.def("count_arguments", &countArguments, nb::arg("inputs").none(),
             "Convert inputs as every call does, and return their number: what that costs.");
  module.def("configure_torch_interop", &configureTorchInterop, nb::kw_only(),
             nb::arg("read_tensor_layout") = true, nb::arg("use_private_functions") = true,
             "Choose which private parts of torch are used, and return which are in use.");
}

}  // namespace nvfuser
