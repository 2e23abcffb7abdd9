// CompiledFunction: what nvfuser.jit returns.
//
// A call compares its arguments with those that versions of the function were traced for: structure
// and constants here, what sizes a version is valid for by the plans that it has run, or by the
// signatures that it has admitted, and only where none of these fits by its guard in Python. All
// else, tracing above all, is in nvfuser/frontend/jit.

#include "bindings/call/compiled_function.h"

#include <nanobind/stl/string.h>
#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/call/arguments.h"
#include "bindings/call/executor.h"
#include "bindings/support/kept_forever.h"
#include "bindings/torch/torch_interop.h"
#include "core/error.h"
#include "core/inline_vector.h"
#include "value/overlap.h"

namespace nvfuser {

namespace {

// Plans, or signatures, that a version tries before it asks its guard: as many sizes that alternate
// cost nothing.
constexpr size_t kMaxVersionPlans = 16;

using Inputs = InlineVector<PyObject*, 16>;

// What an argument must be. Python's objects are kept by the version.
struct Pattern {
  enum class Kind : uint8_t { Tensor, Identical, Equal, List, Tuple, Dict };
  Kind kind = Kind::Tensor;
  PyObject* value = nullptr;
  std::vector<Pattern> children;
  // Of a dictionary, one for each child.
  std::vector<PyObject*> keys;
};

// An entry of a dictionary that must be, or has, an object: what modules consist of.
struct Entry {
  PyObject* dictionary = nullptr;
  PyObject* key = nullptr;
  PyObject* value = nullptr;
};

// Dtypes, devices, sizes and strides of tensors, one after the other.
using SignatureKey = std::vector<int64_t>;

// One tracing of the function: a fusion, or what runs several parts, like the forward pass of what
// is differentiated.
struct Version {
  // The tuple that it was described with, which owns all objects below.
  nb::object description;
  std::vector<Pattern> arguments;
  size_t positional = 0;
  std::vector<PyObject*> keywords;
  std::vector<Entry> state;
  // Tensors behind those among the arguments: of a dictionary, or without one the value itself.
  std::vector<Entry> captured;
  PyObject* guard = nullptr;
  // What autocast was like: see autocastState().
  PyObject* autocast = nullptr;
  // Which inputs torch differentiates by; empty if it does by none.
  std::vector<bool> differentiated;
  // Of a version that is no fusion alone: is called with the list of inputs, for those of these
  // signatures.
  PyObject* run = nullptr;
  std::vector<SignatureKey> admitted;
  // Of a fusion.
  PyObject* executor = nullptr;
  ExecutorCache* cache = nullptr;
  // What makes the result of the list of outputs and the list of inputs. None for the only output,
  // or for a tuple or list of all.
  PyObject* rebuild = nullptr;
  enum class Result : uint8_t { Single, Tuple, List, Rebuilt };
  Result result = Result::Single;
  std::vector<PlanPointer> plans;
};

using VersionPointer = std::shared_ptr<Version>;

struct CompiledFunction {
  PyObject_HEAD VectorCall vectorCall;
  PyObject* dictionary;
  PyObject* wrapped;
  // Is called with the tuple and the dictionary of arguments where no version fits.
  PyObject* trace;
  // The last one used first.
  std::vector<VersionPointer> versions;
};

PyObject* compiledFunctionType = nullptr;

CompiledFunction& compiled(PyObject* object) {
  return *reinterpret_cast<CompiledFunction*>(object);
}

CompiledFunction& checkedFunction(nb::handle object) {
  NVF_CHECK(Py_TYPE(object.ptr()) == reinterpret_cast<PyTypeObject*>(compiledFunctionType),
            "Expected a compiled function, but got ", textOf(object));
  return compiled(object.ptr());
}

// ---------------------------------------------------------------- what a version is described by

nb::object item(nb::handle sequence, Py_ssize_t i) {
  PyObject* found = PySequence_GetItem(sequence.ptr(), i);
  if (found == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(found);
}

Pattern readPattern(nb::handle described) {
  const auto kind = nb::cast<std::string>(item(described, 0));
  Pattern pattern;
  if (kind == "tensor") {
    return pattern;
  }
  const nb::object content = item(described, 1);
  if (kind == "identical" || kind == "equal") {
    pattern.kind = kind == "equal" ? Pattern::Kind::Equal : Pattern::Kind::Identical;
    pattern.value = content.ptr();
    return pattern;
  }
  if (kind == "dict") {
    pattern.kind = Pattern::Kind::Dict;
    for (const nb::handle entry : content) {
      pattern.keys.push_back(item(entry, 0).ptr());
      pattern.children.push_back(readPattern(item(entry, 1)));
    }
    return pattern;
  }
  NVF_INTERNAL_CHECK(kind == "list" || kind == "tuple", "no pattern: ", kind);
  pattern.kind = kind == "list" ? Pattern::Kind::List : Pattern::Kind::Tuple;
  for (const nb::handle child : content) {
    pattern.children.push_back(readPattern(child));
  }
  return pattern;
}

std::vector<Entry> readEntries(nb::handle described) {
  std::vector<Entry> entries;
  for (const nb::handle entry : described) {
    const nb::object dictionary = item(entry, 0);
    entries.push_back({dictionary.is_none() ? nullptr : dictionary.ptr(), item(entry, 1).ptr(),
                       item(entry, 2).ptr()});
  }
  return entries;
}

void readRunner(Version& version, nb::handle description) {
  version.run = item(description, 8).ptr();
  for (const nb::handle is : item(description, 9)) {
    version.differentiated.push_back(is.ptr() == Py_True);
  }
}

void readFusion(Version& version, nb::handle description) {
  version.executor = item(description, 5).ptr();
  version.cache = &executorOf(version.executor);
  const nb::object result = item(description, 6);
  if (nb::isinstance<nb::str>(result)) {
    const auto name = nb::cast<std::string>(result);
    version.result = name == "single"  ? Version::Result::Single
                     : name == "tuple" ? Version::Result::Tuple
                                       : Version::Result::List;
  } else {
    version.result = Version::Result::Rebuilt;
    version.rebuild = result.ptr();
  }
}

// (positional patterns, ((keyword, pattern), ...), state, captured, guard, executor, result,
// autocast, None, ()), or with None as executor and result, what runs it, and whether it is
// differentiated by each of the inputs.
VersionPointer readVersion(nb::object description) {
  auto version = std::make_shared<Version>();
  for (const nb::handle pattern : item(description, 0)) {
    version->arguments.push_back(readPattern(pattern));
  }
  version->positional = version->arguments.size();
  for (const nb::handle entry : item(description, 1)) {
    version->keywords.push_back(item(entry, 0).ptr());
    version->arguments.push_back(readPattern(item(entry, 1)));
  }
  version->state = readEntries(item(description, 2));
  version->captured = readEntries(item(description, 3));
  version->guard = item(description, 4).ptr();
  version->autocast = item(description, 7).ptr();
  if (item(description, 5).is_none()) {
    readRunner(*version, description);
  } else {
    readFusion(*version, description);
  }
  version->description = std::move(description);
  return version;
}

// ---------------------------------------------------------------- calls

bool isEqual(PyObject* given, PyObject* known) {
  if (given == known) {
    return true;
  }
  if (Py_TYPE(given) != Py_TYPE(known)) {
    return false;
  }
  // By their bits: 0.0 is not -0.0, and a NaN is itself.
  if (PyFloat_CheckExact(given)) {
    const double a = PyFloat_AsDouble(given);
    const double b = PyFloat_AsDouble(known);
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
  const int equal = PyObject_RichCompareBool(given, known, Py_EQ);
  if (equal < 0) {
    throw nb::python_error();
  }
  return equal == 1;
}

bool fits(const Pattern& pattern, PyObject* given, Inputs& inputs) {
  switch (pattern.kind) {
    case Pattern::Kind::Tensor:
      if (!torchInterop.isTensor(Py_TYPE(given)) && Py_TYPE(given) != numpyArrayType()) {
        return false;
      }
      inputs.push_back(given);
      return true;
    case Pattern::Kind::Identical:
      return given == pattern.value;
    case Pattern::Kind::Equal:
      return isEqual(given, pattern.value);
    case Pattern::Kind::List:
    case Pattern::Kind::Tuple: {
      const bool isList = pattern.kind == Pattern::Kind::List;
      if (isList ? !PyList_CheckExact(given) : !PyTuple_CheckExact(given)) {
        return false;
      }
      const size_t count = pattern.children.size();
      if (static_cast<size_t>(isList ? PyList_Size(given) : PyTuple_Size(given)) != count) {
        return false;
      }
      for (size_t i = 0; i < count; ++i) {
        const auto position = static_cast<Py_ssize_t>(i);
        PyObject* child =
            isList ? PyList_GetItem(given, position) : PyTuple_GetItem(given, position);
        if (!fits(pattern.children[i], child, inputs)) {
          return false;
        }
      }
      return true;
    }
    case Pattern::Kind::Dict:
      if (!PyDict_CheckExact(given) ||
          static_cast<size_t>(PyDict_Size(given)) != pattern.keys.size()) {
        return false;
      }
      for (size_t i = 0; i < pattern.keys.size(); ++i) {
        PyObject* child = PyDict_GetItemWithError(given, pattern.keys[i]);
        if (child == nullptr || !fits(pattern.children[i], child, inputs)) {
          PyErr_Clear();
          return false;
        }
      }
      return true;
  }
  return false;
}

// The tensors of a call, if the version is one for arguments like these.
bool collectInputs(const Version& version, PyObject* const* given, size_t positional,
                   PyObject* keywords, Inputs& inputs) {
  const auto named = keywords == nullptr ? size_t{0} : static_cast<size_t>(PyTuple_Size(keywords));
  if (positional != version.positional || named != version.keywords.size()) {
    return false;
  }
  for (size_t i = 0; i < named; ++i) {
    if (!isName(PyTuple_GetItem(keywords, static_cast<Py_ssize_t>(i)), version.keywords[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < version.arguments.size(); ++i) {
    if (!fits(version.arguments[i], given[i], inputs)) {
      return false;
    }
  }
  for (const Entry& entry : version.state) {
    if (PyDict_GetItemWithError(entry.dictionary, entry.key) != entry.value) {
      PyErr_Clear();
      return false;
    }
  }
  for (const Entry& entry : version.captured) {
    PyObject* tensor = entry.dictionary == nullptr
                           ? entry.value
                           : PyDict_GetItemWithError(entry.dictionary, entry.key);
    if (tensor == nullptr || !torchInterop.isTensor(Py_TYPE(tensor))) {
      PyErr_Clear();
      return false;
    }
    inputs.push_back(tensor);
  }
  return true;
}

nb::object listOf(const Inputs& inputs) {
  nb::list list;
  for (PyObject* input : inputs) {
    list.append(nb::handle(input));
  }
  return list;
}

// Whether the version is made for these arguments; `plan` is the one that fits them, if it is
// known.
bool isFor(const Version& version, const CallArguments& arguments, const Inputs& inputs,
           PlanPointer& plan) {
  const auto values = arguments.values();
  const auto known = std::ranges::find_if(
      version.plans, [&](const PlanPointer& ran) { return ran->matches(values); });
  if (known != version.plans.end()) [[likely]] {
    plan = *known;
    return true;
  }
  return nb::cast<bool>(nb::handle(version.guard)(listOf(inputs)));
}

// Whether an input that is updated may lie in the memory of another one: what the function reads
// there is then not what the fusion does.
bool sharesUpdated(const ExecutorCache& cache, std::span<const PolymorphicValue> values) {
  return std::ranges::any_of(cache.writtenInputs, [&](size_t written) {
    const ByteRange range = byteRangeOf(values[written].as<Tensor>());
    for (size_t i = 0; i < values.size(); ++i) {
      if (i != written && values[i].is<Tensor>() &&
          intersect(range, byteRangeOf(values[i].as<Tensor>()))) {
        return true;
      }
    }
    return false;
  });
}

PyObject* resultOf(const Version& version, nb::object outputs, const Inputs& inputs) {
  switch (version.result) {
    case Version::Result::Single:
      return nb::borrow(PyList_GetItem(outputs.ptr(), 0)).release().ptr();
    case Version::Result::Tuple:
      return PyList_AsTuple(outputs.ptr());
    case Version::Result::List:
      return outputs.release().ptr();
    case Version::Result::Rebuilt:
      break;
  }
  return nb::handle(version.rebuild)(outputs, listOf(inputs)).release().ptr();
}

SignatureKey signatureKeyOf(std::span<const PolymorphicValue> values) {
  SignatureKey key;
  key.reserve(12 * values.size());
  for (const PolymorphicValue& value : values) {
    const auto& tensor = value.as<Tensor>();
    key.push_back(static_cast<int64_t>(tensor.dtype));
    key.push_back(static_cast<int64_t>(tensor.device.type));
    key.push_back(tensor.device.index);
    key.push_back(tensor.ndim);
    key.insert(key.end(), tensor.shape().begin(), tensor.shape().end());
    key.insert(key.end(), tensor.stride().begin(), tensor.stride().end());
  }
  return key;
}

// Whether torch differentiates by the same inputs as it did where the version was traced.
bool isDifferentiatedAlike(const Version& version, const CallArguments& arguments,
                           const Inputs& inputs) {
  if (version.differentiated.empty() || !arguments.differentiated()) {
    return version.differentiated.empty() && !arguments.differentiated();
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is =
        torchInterop.isTensor(Py_TYPE(inputs[i])) && torchInterop.isDifferentiated(inputs[i]);
    if (is != version.differentiated[i]) {
      return false;
    }
  }
  return true;
}

// Whether a version that is no fusion alone is made for these arguments.
bool isAdmitted(Version& version, const CallArguments& arguments, const Inputs& inputs) {
  const auto values = arguments.values();
  if (values.size() != inputs.size() ||
      !std::ranges::all_of(values, [](const PolymorphicValue& v) { return v.is<Tensor>(); })) {
    return false;
  }
  SignatureKey key = signatureKeyOf(values);
  if (std::ranges::find(version.admitted, key) != version.admitted.end()) [[likely]] {
    return true;
  }
  if (!nb::cast<bool>(nb::handle(version.guard)(listOf(inputs)))) {
    return false;
  }
  if (version.admitted.size() == kMaxVersionPlans) {
    version.admitted.pop_back();
  }
  version.admitted.insert(version.admitted.begin(), std::move(key));
  return true;
}

bool isAutocastEnabled() {
  static constexpr auto find = [] {
    const nb::object native = nb::module_::import_("torch").attr("_C");
    return nb::object(native.attr("_is_any_autocast_enabled")).release().ptr();
  };
  PyObject* none[2] = {nullptr, nullptr};
  const nb::object answer = nb::steal(nb::detail::vectorcall(
      keptForever<find>(), none + 1, 0 | NB_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  return answer.ptr() == Py_True;
}

// What operators are cast to: None, or what nvfuser.frontend.jit says of it.
nb::object autocastState() {
  static constexpr auto find = [] {
    const nb::object jit = nb::module_::import_("nvfuser.frontend.jit");
    return nb::object(jit.attr("autocast_state")).release().ptr();
  };
  return isAutocastEnabled() ? nb::object(nb::handle(keptForever<find>())()) : nb::none();
}

PyObject* callTrace(const CompiledFunction& self, PyObject* const* given, size_t positional,
                    PyObject* keywords) {
  nb::list arguments;
  for (size_t i = 0; i < positional; ++i) {
    arguments.append(nb::handle(given[i]));
  }
  nb::dict named;
  const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_Size(keywords);
  for (Py_ssize_t i = 0; i < count; ++i) {
    named[nb::handle(PyTuple_GetItem(keywords, i))] =
        nb::handle(given[positional + static_cast<size_t>(i)]);
  }
  return nb::handle(self.trace)(nb::tuple(arguments), named).release().ptr();
}

PyObject* runVersion(Version& version, PlanPointer plan, const CallArguments& arguments,
                     const Inputs& inputs) {
  PyObject* outputs = nullptr;
  const bool isNew = plan == nullptr;
  try {
    outputs = runExecutor(*version.cache, plan, arguments, Py_None, nullptr);
  } catch (...) {
    PyObject* executor = version.executor;
    withPythonErrors([]() -> PyObject* { throw; });
    explainError(executor);
    throw nb::python_error();
  }
  if (isNew && plan != nullptr) [[unlikely]] {
    if (version.plans.size() == kMaxVersionPlans) {
      version.plans.pop_back();
    }
    version.plans.insert(version.plans.begin(), std::move(plan));
  }
  return resultOf(version, nb::steal(outputs), inputs);
}

PyObject* callCompiled(PyObject* object, PyObject* const* given, size_t count, PyObject* keywords) {
  return withPythonErrors([&] {
    CompiledFunction& self = compiled(object);
    const auto positional = static_cast<size_t>(NB_VECTORCALL_NARGS(count));
    if (!torchInterop.isLoaded()) [[unlikely]] {
      loadTorch(/*import=*/true);
    }
    if (torchInterop.isRecording()) [[unlikely]] {
      // Whoever records sees the operations of the function.
      PyObject* result = nb::detail::vectorcall(self.wrapped, given, positional, keywords);
      if (result == nullptr) {
        throw nb::python_error();
      }
      return result;
    }
    const nb::object autocast = autocastState();
    for (size_t i = 0; i < self.versions.size(); ++i) {
      Inputs inputs;
      const VersionPointer version = self.versions[i];
      if (!isEqual(autocast.ptr(), version->autocast) ||
          !collectInputs(*version, given, positional, keywords, inputs)) {
        continue;
      }
      CallArguments arguments;
      arguments.addAll(inputs.data(), inputs.size());
      if (!isDifferentiatedAlike(*version, arguments, inputs)) {
        continue;
      }
      PlanPointer plan;
      if (version->run != nullptr ? !isAdmitted(*version, arguments, inputs)
                                  : sharesUpdated(*version->cache, arguments.values()) ||
                                        !isFor(*version, arguments, inputs, plan)) {
        continue;
      }
      if (i != 0 && i < self.versions.size() && self.versions[i] == version) {
        std::rotate(self.versions.begin(), self.versions.begin() + static_cast<ptrdiff_t>(i),
                    self.versions.begin() + static_cast<ptrdiff_t>(i) + 1);
      }
      if (version->run != nullptr) {
        return nb::handle(version->run)(listOf(inputs)).release().ptr();
      }
      return runVersion(*version, std::move(plan), arguments, inputs);
    }
    return callTrace(self, given, positional, keywords);
  });
}

// ---------------------------------------------------------------- the type

PyMemberDef compiledMembers[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(CompiledFunction, vectorCall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(CompiledFunction, dictionary), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

int traverseCompiled(PyObject* object, visitproc visit, void* arg) {
  const CompiledFunction& self = compiled(object);
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self.dictionary);
  Py_VISIT(self.wrapped);
  Py_VISIT(self.trace);
  for (const VersionPointer& version : self.versions) {
    Py_VISIT(version->description.ptr());
  }
  return 0;
}

int clearCompiled(PyObject* object) {
  CompiledFunction& self = compiled(object);
  const auto versions = std::exchange(self.versions, {});
  for (PyObject** member : {&self.dictionary, &self.wrapped, &self.trace}) {
    const nb::object old = nb::steal(std::exchange(*member, nullptr));
  }
  return 0;
}

void deallocateCompiled(PyObject* object) {
  PyObject_GC_UnTrack(object);
  clearCompiled(object);
  std::destroy_at(&compiled(object).versions);
  PyTypeObject* type = Py_TYPE(object);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

// Methods of classes: like functions, bound to the instance.
PyObject* bindToInstance(PyObject* object, PyObject* instance, PyObject* /*owner*/) {
  if (instance == nullptr || instance == Py_None) {
    return nb::borrow(object).release().ptr();
  }
  return withPythonErrors([&] {
    return nb::module_::import_("types")
        .attr("MethodType")(nb::handle(object), nb::handle(instance))
        .release()
        .ptr();
  });
}

PyGetSetDef compiledProperties[] = {
    {"__dict__", &PyObject_GenericGetDict, &PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

constexpr const char* kCompiledDoc = R"(A function or module that :func:`nvfuser.jit` compiles.)";

nb::object makeCompiledFunction(nb::handle wrapped, nb::handle trace) {
  PyObject* object = allocateObject(compiledFunctionType);
  CompiledFunction& self = compiled(object);
  std::construct_at(&self.versions);
  self.vectorCall = &callCompiled;
  self.wrapped = wrapped.inc_ref().ptr();
  self.trace = trace.inc_ref().ptr();
  return nb::steal(object);
}

void addVersion(nb::handle function, nb::object description) {
  CompiledFunction& self = checkedFunction(function);
  self.versions.insert(self.versions.begin(), readVersion(std::move(description)));
}

void dropOldestVersion(nb::handle function) {
  CompiledFunction& self = checkedFunction(function);
  if (!self.versions.empty()) {
    const VersionPointer oldest = self.versions.back();
    self.versions.pop_back();
  }
}

}  // namespace

void bindCompiledFunction(nb::module_& module) {
  PyType_Slot slots[] = {{Py_tp_members, compiledMembers},
                         {Py_tp_getset, compiledProperties},
                         {Py_tp_traverse, reinterpret_cast<void*>(&traverseCompiled)},
                         {Py_tp_clear, reinterpret_cast<void*>(&clearCompiled)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(&deallocateCompiled)},
                         {Py_tp_descr_get, reinterpret_cast<void*>(&bindToInstance)},
                         {Py_tp_doc, const_cast<char*>(kCompiledDoc)},
                         {0, nullptr}};
  const nb::object type = makeTracedType("nvfuser._C.CompiledFunction", sizeof(CompiledFunction),
                                         Py_TPFLAGS_HAVE_GC, slots, "Compiled");
  compiledFunctionType = type.inc_ref().ptr();
  module.attr("CompiledFunction") = type;
  module.def("make_compiled_function", &makeCompiledFunction, nb::arg("wrapped"), nb::arg("trace"));
  module.def("add_version", &addVersion, nb::arg("function"), nb::arg("description"),
             "The last version added is tried first.");
  module.def("drop_oldest_version", &dropOldestVersion, nb::arg("function"));
}

}  // namespace nvfuser
