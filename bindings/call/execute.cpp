// execute(), of FusionExecutorCache and of FusionDefinition: vector calls without any wrapper
// between Python and C++, because a nanobind method that takes a list and keywords costs 75 ns
// before it begins, and a frame of Python's as much.

#include <nanobind/nanobind.h>
#include <structmember.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bindings/call/arguments.h"
#include "bindings/call/device_choice.h"
#include "bindings/call/executor.h"
#include "bindings/support/kept_forever.h"
#include "bindings/torch/torch_interop.h"
#include "core/error.h"

namespace nvfuser {

namespace {

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

constexpr const char* kCacheDoc =
    R"(execute($self, inputs, *, device=None, outputs=None, _enable_options=[], _disable_options=[])
--

Run the fusion: see :meth:`FusionDefinition.execute`.)";

constexpr const char* kDefinitionSignature =
    "($self, inputs, *, device=None, outputs=None, save_repro_inputs=False, _enable_options=[], "
    "_disable_options=[])";
constexpr const char* kDefinitionDoc =
    R"(Run the fusion.

Parameters
----------
inputs : list or other iterable
    A tensor, bool, int, float or complex for every input, in order of definition. A list or tuple
    among them stands for its elements. Besides ``torch.Tensor``, objects with ``__dlpack__`` are
    accepted. Fusions are not differentiated: a tensor with ``requires_grad`` is accepted only where
    grad mode is off (``torch.no_grad()``, ``torch.inference_mode()``).
device : int, str or torch.device, optional
    Where to run; without it, where the inputs are. Without arrays among them: where `outputs` are,
    otherwise on torch's default device or, if that is the CPU, on the current CUDA device if any.
outputs : list of (torch.Tensor or None), optional
    Tensors to write the results into, one for each output, of the outputs' shapes, strides, dtypes
    and device; None stands for a new tensor. They may share memory with an input only where it is
    the same tensor and the kernel reads each element before it is written.
save_repro_inputs : bool
    Keep data-less copies of the inputs in ``fake_inputs``.
_enable_options, _disable_options : list of str
    Names of options in force for this call.

Returns
-------
list of torch.Tensor
    The outputs that were not registered as aliases, in order. An output that is an input is the
    tensor that was passed; one that is a view of an input shares its memory. Outputs are NumPy
    arrays when all arrays among the inputs are.

Raises
------
NotImplementedError
    If there is no fusion, or one without outputs.
RuntimeError
    If the definition raised; if number, kind, dtype, rank, sizes, strides or device of the inputs
    do not fit it; if torch would differentiate the outputs by an input; if an option is unknown.
AssertionError
    After :meth:`manual_execute`.)";

constinit InternedName inputsName("inputs");
constinit InternedName deviceName("device");
constinit InternedName outputsName("outputs");
constinit InternedName saveInputsName("save_repro_inputs");
constinit InternedName enableName("_enable_options");
constinit InternedName disableName("_disable_options");

struct ExecuteParameters {
  PyObject* inputs = nullptr;
  PyObject* device = Py_None;
  PyObject* outputs = Py_None;
  // Only FusionDefinition's.
  PyObject* saveInputs = nullptr;
  PyObject* enable = nullptr;
  PyObject* disable = nullptr;
};

// Kept for ever.
PyObject* executableType = nullptr;

enum class Callee : uint8_t { ExecutorCache, Definition };

ExecuteParameters parseExecute(Callee callee, PyObject* const* arguments, Py_ssize_t given,
                               PyObject* keywords) {
  ExecuteParameters parameters;
  const auto count = static_cast<size_t>(NB_VECTORCALL_NARGS(given));
  if (count > 1) {
    raiseTypeError("execute() takes 1 positional argument (inputs) but " + std::to_string(count) +
                   " were given");
  }
  if (count == 1) {
    parameters.inputs = arguments[0];
  }
  if (keywords != nullptr) {
    const Py_ssize_t keywordCount = PyTuple_Size(keywords);
    for (Py_ssize_t i = 0; i < keywordCount; ++i) {
      PyObject* name = PyTuple_GetItem(keywords, i);
      PyObject* value = arguments[count + static_cast<size_t>(i)];
      if (isName(name, outputsName.get())) {
        parameters.outputs = value;
      } else if (isName(name, deviceName.get())) {
        parameters.device = value;
      } else if (isName(name, saveInputsName.get()) && callee == Callee::Definition) {
        parameters.saveInputs = value;
      } else if (isName(name, enableName.get())) {
        parameters.enable = value;
      } else if (isName(name, disableName.get())) {
        parameters.disable = value;
      } else if (isName(name, inputsName.get())) {
        if (parameters.inputs != nullptr) {
          raiseTypeError("execute() got multiple values for argument 'inputs'");
        }
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

// Whether a parameter was given and is neither empty nor False.
bool isGiven(PyObject* value) {
  if (value == nullptr) {
    return false;
  }
  const int isTrue = PyObject_IsTrue(value);
  if (isTrue < 0) {
    throw nb::python_error();
  }
  return isTrue == 1;
}

[[gnu::always_inline]] inline PyObject* run(ExecutorCache& cache,
                                            const ExecuteParameters& parameters) {
  CallArguments arguments;
  arguments.addAll(parameters.inputs);
  if (parameters.device == Py_None && !isGiven(parameters.enable) && !isGiven(parameters.disable))
      [[likely]] {
    return runExecutor(cache, cache.lastPlan, arguments, parameters.outputs, nullptr);
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
  return runExecutor(cache, cache.lastPlan, arguments, parameters.outputs, &options);
}

[[gnu::always_inline]] inline PyObject* runOrRecord(ExecutorCache& cache, nb::handle executor,
                                                    const ExecuteParameters& parameters) {
  if (torchInterop.isRecording()) [[unlikely]] {
    return recordExecutor(executor, parameters.inputs, parameters.device, parameters.outputs,
                          isGiven(parameters.enable) || isGiven(parameters.disable));
  }
  return run(cache, parameters);
}

// ---------------------------------------------------------------- FusionExecutorCache

PyObject* executeCache(PyObject* object, PyObject* const* given, Py_ssize_t count,
                       PyObject* keywords) {
  PyObject* outputs = withPythonErrors([&] {
    ExecutorCache& cache = executorOf(object);
    return runOrRecord(cache, object, parseExecute(Callee::ExecutorCache, given, count, keywords));
  });
  if (outputs == nullptr) [[unlikely]] {
    explainError(object);
  }
  return outputs;
}

// ---------------------------------------------------------------- Executable

// What FusionDefinition inherits. Not a nanobind class: an instance of those must be initialized
// first, which copies are not.
struct Executable {
  PyObject_HEAD
      // A FusionExecutorCache and what is in it; null until there is one.
      PyObject* executor;
  ExecutorCache* cache;
};

Executable& executable(PyObject* object) { return *reinterpret_cast<Executable*>(object); }

PyObject* runDefinition(PyObject* object, PyObject* const* given, Py_ssize_t count,
                        PyObject* keywords) {
  return withPythonErrors([&] {
    ExecuteParameters parameters = parseExecute(Callee::Definition, given, count, keywords);
    const nb::handle self = object;
    nb::object saved;
    if (isGiven(parameters.saveInputs)) [[unlikely]] {
      saved = self.attr("_save_inputs")(nb::handle(parameters.inputs));
      parameters.inputs = saved.ptr();
    }
    // A reference of our own: Python code that runs meanwhile can put another one in its place.
    nb::object executor = nb::borrow(executable(object).executor);
    ExecutorCache* cache = executable(object).cache;
    if (!executor.is_valid()) [[unlikely]] {
      executor = self.attr("_prepare")();
      cache = &executorOf(executor.ptr());
    }
    return runOrRecord(*cache, executor, parameters);
  });
}

PyObject* executeDefinition(PyObject* object, PyObject* const* given, Py_ssize_t count,
                            PyObject* keywords) {
  PyObject* outputs = runDefinition(object, given, count, keywords);
  if (outputs == nullptr) [[unlikely]] {
    explainError(object);
  }
  return outputs;
}

PyObject* getExecutor(PyObject* object, void* /*closure*/) {
  PyObject* executor = executable(object).executor;
  return nb::borrow(executor != nullptr ? executor : Py_None).release().ptr();
}

PyObject* getIdentity(PyObject* object, void* /*closure*/) {
  const bool hasExecutor = executable(object).executor != nullptr;
  return identityOf(hasExecutor ? executable(object).cache : nullptr).release().ptr();
}

int setExecutor(PyObject* object, PyObject* value, void* /*closure*/) {
  const bool isNone = value == nullptr || value == Py_None;
  if (!isNone && !(nb::isinstance<ExecutorCache>(value) && nb::inst_ready(value))) {
    PyErr_SetString(PyExc_TypeError, "expected a FusionExecutorCache");
    return -1;
  }
  Executable& self = executable(object);
  const nb::object old = nb::steal(self.executor);
  self.executor = isNone ? nullptr : nb::borrow(value).release().ptr();
  self.cache = isNone ? nullptr : nb::inst_ptr<ExecutorCache>(value);
  return 0;
}

int traverseExecutable(PyObject* object, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(executable(object).executor);
  return 0;
}

int clearExecutable(PyObject* object) { return setExecutor(object, nullptr, nullptr); }

void deallocateExecutable(PyObject* object) {
  PyObject_GC_UnTrack(object);
  clearExecutable(object);
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

// FusionDefinition.execute: what a method of a native type is, but of a type that inherits from a
// class in Python. Dynamo looks into that one's __get__ (nvfuser/traced.py).
struct Method {
  PyObject_HEAD VectorCall vectorCall;
};

PyObject* callMethod(PyObject* /*method*/, PyObject* const* given, size_t count,
                     PyObject* keywords) {
  const auto positional = static_cast<size_t>(NB_VECTORCALL_NARGS(count));
  const int isExecutable =
      positional == 0 ? 0 : PyObject_IsInstance(given[0], nb::handle(executableType).ptr());
  if (isExecutable <= 0) {
    if (isExecutable == 0) {
      PyErr_SetString(PyExc_TypeError, "execute() is a method of FusionDefinition");
    }
    return nullptr;
  }
  return executeDefinition(given[0], given + 1, static_cast<Py_ssize_t>(positional - 1), keywords);
}

PyMemberDef methodMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Method, vectorCall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyObject* getSignature(PyObject* /*method*/, void* /*closure*/) {
  return PyUnicode_FromString(kDefinitionSignature);
}

PyGetSetDef methodProperties[] = {{"__text_signature__", &getSignature, nullptr, nullptr, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

nb::object makeMethod() {
  PyType_Slot slots[] = {{Py_tp_members, methodMembers},
                         {Py_tp_getset, methodProperties},
                         {Py_tp_doc, const_cast<char*>(kDefinitionDoc)},
                         {0, nullptr}};
  const nb::object type =
      makeTracedType("nvfuser._C.Method", sizeof(Method), kIsMethodDescriptor, slots, "Method");
  PyObject* object = allocateObject(type);
  reinterpret_cast<Method*>(object)->vectorCall = &callMethod;
  return nb::steal(object);
}

PyGetSetDef executableProperties[] = {
    {"_executor", &getExecutor, &setExecutor, "The FusionExecutorCache, or None.", nullptr},
    {"_identity", &getIdentity, nullptr, "Of the executor; empty without one.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

void explainError(PyObject* owner) {
  if (nb::isinstance<ExecutorCache>(owner) && !nb::inst_ready(owner)) {
    return;
  }
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  PyObject* done = PyObject_CallMethod(owner, "_explain", "O", value);
  if (done == nullptr) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return;
  }
  Py_DECREF(done);
  PyErr_Restore(type, value, traceback);
}

nb::object executeDirectly(nb::handle executor, nb::handle inputs, nb::handle device,
                           nb::handle outputs) {
  ExecuteParameters parameters;
  parameters.outputs = outputs.ptr();
  parameters.inputs = inputs.ptr();
  parameters.device = device.ptr();
  return nb::steal(run(executorOf(executor.ptr()), parameters));
}

PyMethodDef executeMethods[] = {
    {"execute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&executeCache)),
     METH_FASTCALL | METH_KEYWORDS, kCacheDoc},
    {nullptr, nullptr, 0, nullptr}};

nb::object identityOf(const ExecutorCache* cache) {
  return nb::str(cache == nullptr ? "" : std::to_string(cache->serial).c_str());
}

nb::object makeTracedType(const char* name, size_t size, unsigned long flags, PyType_Slot* slots,
                          const char* base) {
  PyType_Spec spec = {name, static_cast<int>(size), 0,
                      static_cast<unsigned>(Py_TPFLAGS_DEFAULT | kHaveVectorCall |
                                            Py_TPFLAGS_DISALLOW_INSTANTIATION | flags),
                      slots};
  const nb::object traced = nb::module_::import_("nvfuser.traced").attr(base);
  PyObject* type = PyType_FromSpecWithBases(&spec, nb::make_tuple(traced).ptr());
  if (type == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(type);
}

PyObject* allocateObject(nb::handle type) {
  auto* typeObject = reinterpret_cast<PyTypeObject*>(type.ptr());
  const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(typeObject, Py_tp_alloc));
  PyObject* object = allocate(typeObject, 0);
  if (object == nullptr) {
    throw nb::python_error();
  }
  return object;
}

void bindExecutable(nb::module_& module) {
  PyType_Slot slots[] = {{Py_tp_getset, executableProperties},
                         {Py_tp_traverse, reinterpret_cast<void*>(&traverseExecutable)},
                         {Py_tp_clear, reinterpret_cast<void*>(&clearExecutable)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&deallocateExecutable)},
                         {Py_tp_doc, const_cast<char*>("What FusionDefinition.execute() is a "
                                                       "native method of.")},
                         {0, nullptr}};
  PyType_Spec spec = {"nvfuser._C.Executable", sizeof(Executable), 0,
                      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) {
    throw nb::python_error();
  }
  executableType = type;
  nb::handle(type).attr("execute") = makeMethod();
  module.attr("Executable") = nb::handle(type);
}

}  // namespace nvfuser
