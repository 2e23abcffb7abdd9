// Running fusions from Python: FusionExecutorCache and the bound plans it makes.
//
// The call path is here: execute() and BoundPlan.__call__ are vector calls without any wrapper
// between Python and C++ (a nanobind method that takes a list and keywords costs 75 ns before it
// begins).

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include <cctype>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arguments.h"
#include "bindings.h"
#include "core/error.h"
#include "core/options.h"
#include "device/cpu/thread_pool.h"
#include "executor.h"
#include "library_calls.h"
#include "nodes.h"
#include "outputs.h"
#include "profiling.h"
#include "runtime/executor_cache.h"
#include "runtime/run_profiler.h"
#include "translate/definition.h"

namespace nvfuser {

namespace {

// ---------------------------------------------------------------- one call

using PlanPointer = std::shared_ptr<const LaunchPlan>;

// Kernels that take longer than this are worth the 40 ns of giving the interpreter's lock to
// others, and the wait until they give it back.
constexpr int64_t kNanosecondsWorthUnlocking = 20'000;

// The cache locks while it compiles, and compiling needs the interpreter: waiting for that lock
// with the interpreter's held would be a deadlock.
template <typename Fn>
auto unlocked(Fn&& fn) {
  const nb::gil_scoped_release release;
  return fn();
}

void prepareWrittenInputs(const ExecutorCache& self, const CallArguments& arguments) {
  for (const size_t i : self.writtenInputs) {
    NVF_CHECK(!arguments.isCopy(i), "Input ", i,
              " is updated in place, but its memory does not hold its values: it is a conjugate or "
              "negative view or of a layout that must be copied; pass it resolved");
    NVF_CHECK(!arguments.isReadOnly(i), "Input ", i, " is updated in place, but is read-only");
  }
  for (const size_t i : self.writtenInputs) {
    if (torchInterop.isTensor(Py_TYPE(arguments.array(i)))) {
      markModified(arguments.array(i));
    }
  }
}

// Kernels share their work over as many threads as torch would use. 8 ns: cheaper than any way to
// be told when the number changes.
void followTorchNumThreads() {
  PyObject* none[2] = {nullptr, nullptr};
  PyObject* count = nb::detail::vectorcall(torchInterop.getNumThreads, none + 1,
                                           0 | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr);
  if (count == nullptr) {
    throw nb::python_error();
  }
  const long value = PyLong_AsLong(count);
  Py_DECREF(count);
  cpu::setNumThreads(static_cast<int>(value));
}

// Calls of libraries are made with the interpreter's lock; kernels that take long run without it.
[[gnu::cold, gnu::noinline]] PyObject* runWithCalls(const LaunchPlan& plan,
                                                    const CallArguments& arguments,
                                                    std::span<const PolymorphicValue> values,
                                                    CallOutputs& results) {
  TorchCalls host(plan, arguments, results);
  if (plan.device().type == DeviceType::CUDA) {
    void* workspace = results.allocateWorkspace();
    plan.run(values, results.data(), workspace, torchInterop.currentStream(plan.device()), &host);
    return results.takeList();
  }
  followTorchNumThreads();
  if (plan.estimatedNanoseconds() > kNanosecondsWorthUnlocking) {
    unlocked([&] { plan.run(values, results.data(), nullptr, nullptr, &host); });
  } else {
    plan.run(values, results.data(), nullptr, nullptr, &host);
  }
  return results.takeList();
}

PyObject* runPlan(const ExecutorCache& self, const LaunchPlan& plan, const CallArguments& arguments,
                  std::span<const PolymorphicValue> values, CallOutputs& results) {
  if (!self.writtenInputs.empty()) {
    prepareWrittenInputs(self, arguments);
  }
  results.markWritten();
  if (plan.library() != nullptr) [[unlikely]] {
    return runWithCalls(plan, arguments, values, results);
  }
  if (plan.device().type == DeviceType::CUDA) {
    // Enqueueing kernels is not worth unlocking.
    void* workspace = results.allocateWorkspace();
    plan.run(values, results.data(), workspace, torchInterop.currentStream(plan.device()));
    return results.takeList();
  }
  if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  if (plan.estimatedNanoseconds() > kNanosecondsWorthUnlocking) {
    unlocked([&] { plan.run(values, results.data(), nullptr, nullptr); });
  } else {
    plan.run(values, results.data(), nullptr, nullptr);
  }
  return results.takeList();
}

// The arguments, with what torch's generator of the device is to give this run behind them.
std::vector<PolymorphicValue> withRandomState(const LaunchPlan& plan,
                                              const CallArguments& arguments) {
  const nb::object next = nb::module_::import_("nvfuser.interop").attr("next_random_state");
  const nb::object state = next(toString(plan.device()), plan.randomOps());
  std::vector<PolymorphicValue> values(arguments.values().begin(), arguments.values().end());
  values.emplace_back(nb::cast<int64_t>(state[0]));
  values.emplace_back(nb::cast<int64_t>(state[1]));
  return values;
}

[[gnu::cold, gnu::noinline]] PyObject* runRandom(const ExecutorCache& self, const LaunchPlan& plan,
                                                 const CallArguments& arguments,
                                                 CallOutputs& results) {
  return runPlan(self, plan, arguments, withRandomState(plan, arguments), results);
}

PyObject* runPlan(const ExecutorCache& self, const LaunchPlan& plan, const CallArguments& arguments,
                  CallOutputs& results) {
  if (plan.randomOps() != 0) [[unlikely]] {
    return runRandom(self, plan, arguments, results);
  }
  return runPlan(self, plan, arguments, arguments.values(), results);
}

// With outputs of the caller's that are less aligned than the ones torch makes.
[[gnu::cold, gnu::noinline]] PyObject* runMisaligned(ExecutorCache& self,
                                                     const CallArguments& arguments,
                                                     PyObject* outputs, ExecuteOptions options,
                                                     int64_t alignment) {
  options.outputAlignment = alignment;
  const PlanPointer plan = unlocked([&] { return self.cache.plan(arguments.values(), options); });
  CallOutputs results(*plan, arguments, outputs);
  return runPlan(self, *plan, arguments, results);
}

// Measures the run on the way.
[[gnu::cold, gnu::noinline]] PyObject* runProfiled(ExecutorCache& self,
                                                   const CallArguments& arguments,
                                                   PyObject* outputs, ExecuteOptions options) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  std::span<const PolymorphicValue> values = arguments.values();
  const auto makePlan = [&] { return unlocked([&] { return self.cache.plan(values, options); }); };
  PlanPointer plan = makePlan();
  std::optional<CallOutputs> results;
  results.emplace(*plan, arguments, outputs);
  if (results->alignment() < plan->outputAlignment()) {
    options.outputAlignment = results->alignment();
    PlanPointer other = makePlan();
    results.emplace(*other, arguments, outputs);
    plan = std::move(other);
  }
  if (!self.writtenInputs.empty()) {
    prepareWrittenInputs(self, arguments);
  }
  results->markWritten();
  std::optional<TorchCalls> calls;
  if (plan->library() != nullptr) {
    calls.emplace(*plan, arguments, *results);
  }
  std::vector<PolymorphicValue> random;
  if (plan->randomOps() != 0) {
    random = withRandomState(*plan, arguments);
    values = random;
  }
  void* workspace = nullptr;
  void* stream = nullptr;
  if (plan->device().type == DeviceType::CUDA) {
    workspace = results->allocateWorkspace();
    stream = torchInterop.currentStream(plan->device());
  } else if (torchInterop.isLoaded()) {
    followTorchNumThreads();
  }
  RunProfiler profiler(*plan, self.cache.fusionId(), begin, stream, calls ? &*calls : nullptr);
  FusionProfile profile = unlocked([&] {
    plan->run(values, results->data(), workspace, stream, &profiler);
    return profiler.profile();
  });
  printRun(arguments.values(), profile);
  self.profiledPlan = plan;
  self.profile = profile;
  lastProfile = std::move(profile);
  return results->takeList();
}

// `last` is the plan to try first and, without options, takes over the one that was used.
PyObject* run(ExecutorCache& self, PlanPointer& last, const CallArguments& arguments,
              PyObject* outputs, const ExecuteOptions* options) {
  if (activeProfilers > 0) [[unlikely]] {
    return runProfiled(self, arguments, outputs, options != nullptr ? *options : ExecuteOptions{});
  }
  const auto values = arguments.values();
  // A reference of our own: other threads may replace `last` whenever Python code runs.
  PlanPointer plan = last;
  if (options != nullptr || plan == nullptr || !plan->matches(values)) [[unlikely]] {
    plan = unlocked(
        [&] { return self.cache.plan(values, options != nullptr ? *options : ExecuteOptions{}); });
    if (options == nullptr) {
      last = plan;
    }
  }
  CallOutputs results(*plan, arguments, outputs);
  if (results.alignment() < plan->outputAlignment()) [[unlikely]] {
    return runMisaligned(self, arguments, outputs, options != nullptr ? *options : ExecuteOptions{},
                         results.alignment());
  }
  return runPlan(self, *plan, arguments, results);
}

// For functions that Python calls without nanobind in between.
template <typename Fn>
PyObject* withPythonErrors(Fn&& fn) noexcept {
  try {
    return fn();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const NotSupportedError& error) {
    PyErr_SetString(PyExc_NotImplementedError, error.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// ---------------------------------------------------------------- options

// The index of "cuda" without one.
constexpr int32_t kAnyIndex = -1;

Device parseDevice(std::string_view text) {
  if (text == "cpu") {
    return {DeviceType::CPU, 0};
  }
  if (text == "cuda") {
    return {DeviceType::CUDA, kAnyIndex};
  }
  if (text.starts_with("cuda:") && text.size() > 5 && text.size() <= 8) {
    int32_t index = 0;
    for (const char digit : text.substr(5)) {
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0) {
        index = 256;
        break;
      }
      index = index * 10 + (digit - '0');
    }
    if (index < 256) {
      return {DeviceType::CUDA, index};
    }
  }
  fail("Expected a device like 'cpu', 'cuda' or 'cuda:1' but got '", text, "'");
}

// The device of the inputs, otherwise torch's current one, which is the first one until torch uses
// CUDA.
int32_t chooseIndex(const CallArguments& arguments) {
  if (arguments.cudaDevice()) {
    return arguments.cudaDevice()->index;
  }
  if (!loadTorch(/*import=*/true)) {
    return 0;
  }
  const nb::object cuda = nb::module_::import_("torch").attr("cuda");
  return nb::cast<bool>(cuda.attr("is_initialized")())
             ? nb::cast<int32_t>(cuda.attr("current_device")())
             : 0;
}

Device toDevice(nb::handle device, const CallArguments& arguments) {
  if (PyLong_Check(device.ptr()) && !PyBool_Check(device.ptr())) {
    const long index = PyLong_AsLong(device.ptr());
    if (index == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
    }
    NVF_CHECK(index >= 0 && index < 256, "Expected a device index from 0 to 255 but got ",
              textOf(device));
    return {DeviceType::CUDA, static_cast<int32_t>(index)};
  }
  // A torch.device prints as the string that makes it.
  Device parsed = parseDevice(textOf(device));
  if (parsed.index == kAnyIndex) {
    parsed.index = chooseIndex(arguments);
  }
  return parsed;
}

std::vector<std::string> toNames(nb::handle names) {
  std::vector<std::string> result;
  for (const nb::handle name : names) {
    NVF_CHECK(PyUnicode_Check(name.ptr()), "Expected the options to be a list of names but got ",
              textOf(names));
    result.emplace_back(nb::cast<const char*>(name));
  }
  return result;
}

// ---------------------------------------------------------------- execute()

constexpr const char* kExecuteDoc =
    R"(execute($self, inputs, *, device=None, outputs=None, _enable_options=[], _disable_options=[])
--

Run the fusion.

Parameters
----------
inputs : iterable
    A tensor, bool, int, float or complex for every input, in order of definition. A list or tuple
    among them stands for its elements.
device : int, str or torch.device, optional
    Where to run; without it, where the inputs are.
outputs : list or tuple, optional
    A tensor, or None, for each output: where to write it to. Shape, strides, dtype and device must
    be those of the output. Memory may be shared with an input only where the kernels allow it.
_enable_options, _disable_options : list of str
    Names of options in force for this call.

Returns
-------
list
    The outputs: torch tensors, or NumPy arrays when all arrays among the inputs are NumPy arrays.)";

// Keywords that Python code writes down are interned: comparing addresses nearly always suffices.
bool isName(PyObject* given, PyObject* known) {
  return given == known || PyUnicode_Compare(given, known) == 0;
}

struct ExecuteParameters {
  PyObject* inputs = nullptr;
  PyObject* device = Py_None;
  PyObject* outputs = Py_None;
  PyObject* enable = nullptr;
  PyObject* disable = nullptr;
};

[[noreturn, gnu::cold]] void raiseTypeError(const std::string& message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw nb::python_error();
}

ExecuteParameters parseExecute(PyObject* const* arguments, size_t count, PyObject* keywords) {
  ExecuteParameters parameters;
  if (count > 1) {
    raiseTypeError("execute() takes 1 positional argument (inputs) but " + std::to_string(count) +
                   " were given");
  }
  if (count == 1) {
    parameters.inputs = arguments[0];
  }
  if (keywords != nullptr) {
    static PyObject* const kInputs = PyUnicode_InternFromString("inputs");
    static PyObject* const kDevice = PyUnicode_InternFromString("device");
    static PyObject* const kOutputs = PyUnicode_InternFromString("outputs");
    static PyObject* const kEnable = PyUnicode_InternFromString("_enable_options");
    static PyObject* const kDisable = PyUnicode_InternFromString("_disable_options");
    const Py_ssize_t keywordCount = PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < keywordCount; ++i) {
      PyObject* name = PyTuple_GetItem(keywords, i);
      PyObject* value = arguments[count + static_cast<size_t>(i)];
      if (isName(name, kOutputs)) {
        parameters.outputs = value;
      } else if (isName(name, kDevice)) {
        parameters.device = value;
      } else if (isName(name, kEnable)) {
        parameters.enable = value;
      } else if (isName(name, kDisable)) {
        parameters.disable = value;
      } else if (isName(name, kInputs) && parameters.inputs == nullptr) {
        parameters.inputs = value;
      } else {
        raiseTypeError(std::string("execute() got an unexpected keyword argument '") +
                       textOf(name) + "'");
      }
    }
  }
  if (parameters.inputs == nullptr) {
    raiseTypeError("execute() missing 1 required positional argument: 'inputs'");
  }
  return parameters;
}

bool isGiven(PyObject* names) {
  if (names == nullptr) {
    return false;
  }
  const int isTrue = PyObject_IsTrue(names);
  if (isTrue < 0) {
    throw nb::python_error();
  }
  return isTrue == 1;
}

// Of an object that Python has found to be a FusionExecutorCache.
ExecutorCache& cacheOf(PyObject* object) {
  NVF_CHECK(nb::inst_ready(object), "FusionExecutorCache.__init__() was not called");
  return *nb::inst_ptr<ExecutorCache>(object);
}

PyObject* execute(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return withPythonErrors([&] {
    ExecutorCache& self = cacheOf(object);
    const ExecuteParameters parameters =
        parseExecute(given, static_cast<size_t>(NB_VECTORCALL_NARGS(count)), keywords);
    CallArguments arguments;
    arguments.addAll(parameters.inputs);
    if (parameters.device == Py_None && !isGiven(parameters.enable) && !isGiven(parameters.disable))
        [[likely]] {
      return run(self, self.lastPlan, arguments, parameters.outputs, nullptr);
    }
    ExecuteOptions options;
    if (parameters.device != Py_None) {
      options.device = toDevice(parameters.device, arguments);
    }
    if (parameters.enable != nullptr) {
      options.enable = toNames(parameters.enable);
    }
    if (parameters.disable != nullptr) {
      options.disable = toNames(parameters.disable);
    }
    return run(self, self.lastPlan, arguments, parameters.outputs, &options);
  });
}

PyMethodDef executorCacheMethods[] = {
    {"execute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&execute)),
     METH_FASTCALL | METH_KEYWORDS, kExecuteDoc},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot executorCacheSlots[] = {{Py_tp_methods, executorCacheMethods}, {0, nullptr}};

// ---------------------------------------------------------------- BoundPlan

// Not a nanobind class: those have no place for the pointer that makes vector calls of instances
// possible. The flag and the functions that serve it are in the stable ABI from 3.12 on, but the
// flag's value and the protocol (PEP 590) have been the same since 3.9.
using VectorCall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);
constexpr unsigned long kHaveVectorCall = 1UL << 11;

struct BoundPlan {
  PyObject_HEAD VectorCall vectorCall;
  // Keeps `cache` alive.
  PyObject* cacheObject;
  ExecutorCache* cache;
  PlanPointer plan;
};

PyTypeObject* boundPlanType = nullptr;

constexpr const char* kBoundPlanDoc =
    R"(What runs a fusion with the least overhead, made by ``FusionDefinition.bind(inputs)``.

``plan(*inputs, outputs=None)`` makes the same checks and returns the same list as
``fd.execute(inputs, outputs=outputs)``, for inputs of any signature; it is fastest for those like the
last ones.)";

PyObject* callBoundPlan(PyObject* object, PyObject* const* given, size_t count,
                        PyObject* keywords) {
  return withPythonErrors([&] {
    auto& self = *reinterpret_cast<BoundPlan*>(object);
    const auto inputCount = static_cast<size_t>(NB_VECTORCALL_NARGS(count));
    PyObject* outputs = Py_None;
    if (keywords != nullptr) {
      static PyObject* const kOutputs = PyUnicode_InternFromString("outputs");
      const Py_ssize_t keywordCount = PyTuple_Size(keywords);
      for (Py_ssize_t i = 0; i < keywordCount; ++i) {
        PyObject* name = PyTuple_GetItem(keywords, i);
        if (!isName(name, kOutputs)) {
          raiseTypeError(std::string("BoundPlan() got an unexpected keyword argument '") +
                         textOf(name) + "'");
        }
        outputs = given[inputCount + static_cast<size_t>(i)];
      }
    }
    CallArguments arguments;
    arguments.addAll(given, inputCount);
    return run(*self.cache, self.plan, arguments, outputs, nullptr);
  });
}

// For callers that do not use the vector call protocol.
PyObject* callBoundPlanWithTuple(PyObject* object, PyObject* positional, PyObject* keywords) {
  return withPythonErrors([&] {
    std::vector<PyObject*> arguments;
    for (Py_ssize_t i = 0; i < PyTuple_Size(positional); ++i) {
      arguments.push_back(PyTuple_GetItem(positional, i));
    }
    const size_t count = arguments.size();
    nb::object names;
    if (keywords != nullptr && PyDict_Size(keywords) > 0) {
      nb::list list;
      PyObject* name = nullptr;
      PyObject* value = nullptr;
      for (Py_ssize_t place = 0; PyDict_Next(keywords, &place, &name, &value) != 0;) {
        list.append(nb::handle(name));
        arguments.push_back(value);
      }
      names = nb::tuple(list);
    }
    return callBoundPlan(object, arguments.data(), count, names.ptr());
  });
}

void deallocateBoundPlan(PyObject* object) {
  auto* self = reinterpret_cast<BoundPlan*>(object);
  PyTypeObject* type = Py_TYPE(object);
  std::destroy_at(&self->plan);
  Py_XDECREF(self->cacheObject);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

void bindBoundPlan(nb::module_& module) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(BoundPlan, vectorCall), READONLY, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(&callBoundPlanWithTuple)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&deallocateBoundPlan)},
                         {Py_tp_members, members},
                         {Py_tp_doc, const_cast<char*>(kBoundPlanDoc)},
                         {0, nullptr}};
  PyType_Spec spec = {"nvfuser._C.BoundPlan", sizeof(BoundPlan), 0,
                      Py_TPFLAGS_DEFAULT | kHaveVectorCall | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) {
    throw nb::python_error();
  }
  boundPlanType = reinterpret_cast<PyTypeObject*>(type);
  module.attr("BoundPlan") = nb::handle(type);
}

nb::object bind(nb::handle_t<ExecutorCache> cacheObject, nb::handle inputs) {
  ExecutorCache& cache = cacheOf(cacheObject.ptr());
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  PlanPointer plan = unlocked([&] { return cache.cache.plan(arguments.values()); });
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(boundPlanType, Py_tp_alloc));
  PyObject* object = allocate(boundPlanType, 0);
  if (object == nullptr) {
    throw nb::python_error();
  }
  auto* self = reinterpret_cast<BoundPlan*>(object);
  std::construct_at(&self->plan, std::move(plan));
  self->vectorCall = &callBoundPlan;
  self->cache = &cache;
  self->cacheObject = cacheObject.inc_ref().ptr();
  return nb::steal(object);
}

// ---------------------------------------------------------------- inspection

template <typename Fn>
auto withArguments(const ExecutorCache& self, nb::handle inputs, Fn&& fn) {
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  return unlocked([&] { return fn(self.cache, arguments.values()); });
}

std::string withLibrary(const FusionExecutorCache::Code& code) {
  if (code.device == DeviceType::CUDA) {
    const nb::object library = nb::module_::import_("nvfuser.cuda.library");
    return nb::cast<std::string>(library.attr("source")(code.text));
  }
  const nb::object target = nb::module_::import_("nvfuser.llvm.compiler").attr("host_target")();
  const nb::object library = nb::module_::import_("nvfuser.llvm.library");
  return nb::cast<std::string>(library.attr("link")(code.text, target.attr("enabled")));
}

// What the kernels and library calls of a run were: of the last one that was profiled, else of the
// last one. None when there was none.
nb::object describeRun(const ExecutorCache& self) {
  const bool isProfiled = self.profiledPlan != nullptr;
  const PlanPointer plan = isProfiled ? self.profiledPlan : self.cache.lastPlan();
  if (plan == nullptr) {
    return nb::none();
  }
  const std::vector<KernelProfile> kernels =
      isProfiled ? self.profile.kernels : plan->describeSteps(std::chrono::steady_clock::now());
  const auto segments = self.cache.segments(*plan);
  nb::list result;
  for (const KernelProfile& kernel : kernels) {
    nb::list tensors;
    if (kernel.segment < segments.size()) {
      for (const Val* tensor : segments[kernel.segment]) {
        tensors.append(share(const_cast<Val*>(tensor)));
      }
    }
    result.append(nb::make_tuple(kernel, tensors));
  }
  return nb::make_tuple(isProfiled, result);
}

}  // namespace

ExecutorCache::ExecutorCache(std::shared_ptr<Fusion> fusion, int64_t fusionId, bool autoSchedule)
    : cache(std::move(fusion), fusionId, autoSchedule) {
  profileAsEnvironmentSays();
  if (isOn(Option::dump_python_definition)) {
    printDump("Python definition", pythonFunction(definitionCalls(*cache.fusion())));
  }
  const auto& inputs = cache.fusion()->inputs();
  for (const Fusion::Output& output : cache.fusion()->outputs()) {
    for (size_t i = 0; i < inputs.size() && output.alias != nullptr; ++i) {
      if (inputs[i] == output.alias) {
        writtenInputs.push_back(i);
      }
    }
  }
}

PyObject* runExecutor(ExecutorCache& self, const CallArguments& arguments, PyObject* outputs,
                      const ExecuteOptions* options) {
  return run(self, self.lastPlan, arguments, outputs, options);
}

void bindRuntime(nb::module_& module) {
  bindBoundPlan(module);

  nb::class_<ExecutorCache>(module, "FusionExecutorCache", nb::type_slots(executorCacheSlots),
                            "Compiles a fusion for each kind of inputs it is run with, and keeps "
                            "the results.")
      .def(nb::init<std::shared_ptr<Fusion>, int64_t, bool>(), nb::arg("fusion"),
           nb::arg("fusion_id") = 0, nb::arg("auto_schedule") = true)
      .def("bind", &bind, nb::arg("inputs").none(),
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
          [](const ExecutorCache& self, nb::handle inputs, bool intrinsicCode, int) {
            const auto code = withArguments(self, inputs, [](const auto& cache, auto values) {
              return cache.kernelCode(values);
            });
            return intrinsicCode ? withLibrary(code) : code.text;
          },
          nb::arg("inputs").none(), nb::arg("intrinsic_code") = false, nb::arg("device") = 0,
          "Return the generated code (CUDA C++ or LLVM IR) for inputs of a signature that has been "
          "run, on request with what it needs of the library for its device.")
      .def(
          "get_scheduled_ir",
          [](const ExecutorCache& self, nb::handle inputs, bool tensorTransforms, int) {
            return withArguments(self, inputs, [&](const auto& cache, auto values) {
              return cache.scheduledIr(values, tensorTransforms);
            });
          },
          nb::arg("inputs").none(), nb::arg("tensor_transforms") = false, nb::arg("device") = 0,
          "Return the scheduled IR for inputs of a signature that has been run.")
      .def(
          "get_most_recent_scheduled_ir",
          [](const ExecutorCache& self, bool tensorTransforms) {
            return unlocked([&] { return self.cache.mostRecentScheduledIr(tensorTransforms); });
          },
          nb::arg("tensor_transforms") = false, "Return the scheduled IR of the last run.")
      .def(
          "get_output_shardings", [](const ExecutorCache&) { return nb::list(); },
          "Return how the outputs are sharded: an empty list, as no tensor has a mesh.");

  module.def("describe_run", &describeRun, nb::arg("cache"),
             "Return whether a run of a FusionExecutorCache was profiled, and for each of its "
             "kernels and library calls a KernelProfile and the tensors that it computes; None "
             "before the first run.");
  module.def("describe_arguments", &describeArguments, nb::arg("inputs").none(),
             "Return what a call makes of its inputs: a dictionary for each.");
  module.def("count_arguments", &countArguments, nb::arg("inputs").none(),
             "Convert inputs as every call does, and return their number: what that costs.");
  module.def("configure_torch_interop", &configureTorchInterop, nb::kw_only(),
             nb::arg("read_tensor_layout") = true, nb::arg("use_private_functions") = true,
             "Choose which private parts of torch are used, and return which are in use.");
}

}  // namespace nvfuser
