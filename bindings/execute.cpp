// FusionExecutorCache.execute: a vector call without any wrapper between Python and C++, because a
// nanobind method that takes a list and keywords costs 75 ns before it begins.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.h"
#include "core/error.h"
#include "executor.h"
#include "torch_interop.h"

namespace nvfuser {

namespace {

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

struct ExecuteParameters {
  PyObject* inputs = nullptr;
  PyObject* device = Py_None;
  PyObject* outputs = Py_None;
  PyObject* enable = nullptr;
  PyObject* disable = nullptr;
};

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

PyObject* execute(PyObject* object, PyObject* const* given, Py_ssize_t count, PyObject* keywords) {
  return withPythonErrors([&] {
    ExecutorCache& self = executorOf(object);
    const ExecuteParameters parameters =
        parseExecute(given, static_cast<size_t>(NB_VECTORCALL_NARGS(count)), keywords);
    CallArguments arguments;
    arguments.addAll(parameters.inputs);
    if (parameters.device == Py_None && !isGiven(parameters.enable) && !isGiven(parameters.disable))
        [[likely]] {
      return runExecutor(self, self.lastPlan, arguments, parameters.outputs, nullptr);
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
    return runExecutor(self, self.lastPlan, arguments, parameters.outputs, &options);
  });
}

}  // namespace

PyMethodDef executeMethods[] = {
    {"execute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&execute)),
     METH_FASTCALL | METH_KEYWORDS, kExecuteDoc},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace nvfuser
