// The kernel of the operator nvfuser::execute, and the fusions that it is called with.
//
// Torch is not linked: the operator is registered through the C functions that torch keeps stable
// (torch/csrc/stable/c/shim.h), which are looked up by name. A kernel of theirs gets a stack of
// 64-bit words: a list, a text or a tensor is a handle, which the kernel owns; a value of optional
// type is a pointer to a word on the heap, or null. Where a function is missing, as in torch before
// 2.10, or tensors do not come through unchanged, the kernel is a function in Python, which
// ends in the same place.

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings/call/executor.h"
#include "bindings/call/outputs.h"
#include "bindings/call/plan_log.h"
#include "bindings/call/profiling.h"
#include "bindings/support/interpreter_lock.h"
#include "bindings/torch/loaded_library.h"
#include "bindings/torch/torch_interop.h"
#include "core/error.h"
#include "ir/fusion.h"

namespace nvfuser {

namespace {

// ---------------------------------------------------------------- recorded fusions

enum class Kind : uint8_t { Tensor, Bool, Integer, Float, Complex };

constexpr const char* kKindNames[] = {"tensor", "bool", "int", "float", "complex"};

Kind kindOf(const Val* input) {
  if (input->isTensor()) {
    return Kind::Tensor;
  }
  const DataType dtype = input->dtype();
  if (isBooleanType(dtype)) {
    return Kind::Bool;
  }
  return isComplexType(dtype) ? Kind::Complex : isIntegralType(dtype) ? Kind::Integer : Kind::Float;
}

// Recorded programs name a fusion by its definition, which they hold: they can be copied, saved and
// loaded anywhere. So what is compiled for one may be forgotten at any time and is made again at
// the next call.
struct Recorded {
  std::string digest;
  nb::object executor;
  std::vector<Kind> kinds;
};

// As long as the definition lives, or something else that holds the executor, and the last ones
// that were called of the others.
class RecordedFusions {
 public:
  static constexpr size_t kUnowned = 256;

  Recorded* find(std::string_view definition) {
    const auto known = table_.find(digestOf(definition));
    if (known == table_.end()) {
      return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, known->second);
    return &entries_.front();
  }

  void add(std::string_view definition, nb::handle executor) {
    if (find(definition) != nullptr) {
      return;
    }
    Recorded entry{std::string(digestOf(definition)), nb::borrow(executor), {}};
    for (const Val* input : executorOf(executor.ptr()).cache.fusion()->inputs()) {
      entry.kinds.push_back(kindOf(input));
    }
    entries_.push_front(std::move(entry));
    table_[entries_.front().digest] = entries_.begin();
    forget(kUnowned);
  }

  // All but so many of those that nobody else holds, the last ones.
  void forget(size_t kept) {
    size_t unowned = 0;
    std::list<Recorded> forgotten;
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      const auto current = entry++;
      if (Py_REFCNT(current->executor.ptr()) == 1 && ++unowned > kept) {
        table_.erase(current->digest);
        forgotten.splice(forgotten.end(), entries_, current);
      }
    }
    // Destructors run Python only here, when the table is in order.
  }

  size_t size() const { return entries_.size(); }

 private:
  // Saved definitions begin with a line that says their SHA-256, which is checked when they are
  // loaded.
  static std::string_view digestOf(std::string_view definition) {
    return definition.substr(0, definition.find('\n'));
  }

  std::list<Recorded> entries_;
  std::unordered_map<std::string_view, std::list<Recorded>::iterator> table_;
};

// Never destroyed: the interpreter may be gone by then. Used with its lock.
RecordedFusions& recordedFusions() {
  constinit static RecordedFusions* fusions = nullptr;
  if (fusions == nullptr) {
    fusions = new RecordedFusions;
  }
  return *fusions;
}

nb::object operatorModule() { return nb::module_::import_("nvfuser.torch_operator"); }

Recorded& recordedOf(std::string_view definition) {
  if (Recorded* known = recordedFusions().find(definition)) [[likely]] {
    return *known;
  }
  recordedFusions().add(definition, operatorModule().attr("load")(definition));
  return *recordedFusions().find(definition);
}

// ---------------------------------------------------------------- a run as a function

nb::list toList(const std::vector<PyObject*>& objects) {
  nb::list list;
  for (PyObject* object : objects) {
    list.append(nb::handle(object));
  }
  return list;
}

// With what changes and shares memory left to Python.
[[gnu::cold, gnu::noinline]] nb::object runByCopies(nb::handle executor,
                                                    const std::vector<PyObject*>& inputs,
                                                    nb::handle device) {
  return operatorModule().attr("run_by_copies")(
      executor, toList(inputs), nb::cast(executorOf(executor.ptr()).writtenInputs), device);
}

bool isFunctional(const LaunchPlan& plan, nb::handle expected) {
  size_t i = 0;
  for (const OutputSpec& spec : plan.outputs()) {
    const nb::object geometry = expected[i++];
    if (spec.kind != OutputSpec::Kind::Allocate && spec.kind != OutputSpec::Kind::Library) {
      return false;
    }
    if (nb::cast<std::vector<int64_t>>(geometry[0]) != spec.sizes ||
        nb::cast<std::vector<int64_t>>(geometry[1]) != spec.strides) {
      return false;
    }
  }
  return true;
}

// The inputs in order, from the lists that the operator has them in.
nb::object runRecorded(std::string_view definition, std::span<PyObject* const> tensors,
                       std::span<const int64_t> integers, std::span<const double> floats,
                       nb::handle device) {
  const Recorded& recorded = recordedOf(definition);
  // A reference of our own: what is recorded meanwhile may make this one be forgotten.
  const nb::object executor = recorded.executor;
  std::vector<PyObject*> inputs(tensors.begin(), tensors.end());
  std::vector<nb::object> numbers;
  if (inputs.size() != recorded.kinds.size()) {
    inputs.clear();
    size_t places[3] = {0, 0, 0};
    const auto next = [&](size_t list, auto values) {
      const size_t place = places[list]++;
      NVF_CHECK(place < values.size(), "nvfuser::execute: too few inputs of a kind");
      return values[place];
    };
    for (const Kind kind : recorded.kinds) {
      if (kind == Kind::Tensor) {
        inputs.push_back(next(0, tensors));
        continue;
      }
      if (kind == Kind::Complex) {
        const double real = next(2, floats);
        numbers.push_back(nb::steal(PyComplex_FromDoubles(real, next(2, floats))));
      } else if (kind == Kind::Float) {
        numbers.push_back(nb::float_(next(2, floats)));
      } else if (kind == Kind::Bool) {
        numbers.push_back(nb::bool_(next(1, integers) != 0));
      } else {
        numbers.push_back(nb::int_(next(1, integers)));
      }
      inputs.push_back(numbers.back().ptr());
    }
  }
  return runAsFunction(executor, inputs, device);
}

// ---------------------------------------------------------------- torch's C functions

using Word = uint64_t;
using Status = int32_t;
using Kernel = void (*)(Word*, uint64_t, uint64_t);

// A tensor as THPVariable_Wrap() takes it, see torch_allocator.h.
struct TensorBase {
  void* impl;
};

struct Shim {
  Status (*initLibrary)(const char*, const char*, const char*, uint32_t, void**) = nullptr;
  Status (*implement)(void*, const char*, Kernel, uint64_t) = nullptr;
  Status (*newTensor)(const void*, void**) = nullptr;
  Status (*deleteTensor)(void*) = nullptr;
  Status (*newList)(size_t, void**) = nullptr;
  Status (*listSize)(void*, size_t*) = nullptr;
  Status (*listItem)(void*, size_t, Word*) = nullptr;
  Status (*pushBack)(void*, Word) = nullptr;
  Status (*deleteList)(void*) = nullptr;
  Status (*stringLength)(void*, size_t*) = nullptr;
  Status (*stringData)(void*, const char**) = nullptr;
  Status (*deleteString)(void*) = nullptr;
  int32_t (*cpu)() = nullptr;
  PyObject* (*wrap)(TensorBase&&) = nullptr;
  // Of torch 2.13 and later; before, it is what `delete` does.
  Status (*deleteWord)(Word*) = nullptr;
};

constinit Shim shim;

// The version of torch whose words the kernel reads and writes: 2.10.
constexpr uint64_t kAbiVersion = (uint64_t{2} << 56) | (uint64_t{10} << 48);

template <typename Function>
bool find(Function& function, const char* name) {
  function = findInLibrary<Function>("libtorch_cpu.so", name);
  return function != nullptr;
}

bool findShim() {
  find(shim.deleteWord, "torch_delete_stable_ivalue");
  shim.wrap = findInternal<decltype(shim.wrap)>("libtorch_python.so",
                                                "_Z16THPVariable_WrapON2at10TensorBaseE");
  return shim.wrap != nullptr && find(shim.initLibrary, "aoti_torch_library_init_impl") &&
         find(shim.implement, "torch_library_impl") &&
         find(shim.newTensor, "aoti_torch_new_tensor_handle") &&
         find(shim.deleteTensor, "aoti_torch_delete_tensor_object") &&
         find(shim.newList, "torch_new_list_reserve_size") &&
         find(shim.listSize, "torch_list_size") && find(shim.listItem, "torch_list_get_item") &&
         find(shim.pushBack, "torch_list_push_back") &&
         find(shim.deleteList, "torch_delete_list") &&
         find(shim.stringLength, "torch_string_length") &&
         find(shim.stringData, "torch_string_c_str") &&
         find(shim.deleteString, "torch_delete_string") &&
         find(shim.cpu, "aoti_torch_device_type_cpu");
}

void check(Status status, const char* what) { NVF_CHECK(status == 0, "torch failed to ", what); }

template <typename T>
T fromWord(Word word) {
  T value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

template <typename T>
Word toWord(T value) {
  Word word = 0;
  std::memcpy(&word, &value, sizeof(value));
  return word;
}

// The Python object of a tensor, a new reference; the handle is gone.
nb::object wrapTensor(void* handle) {
  PyObject* object = shim.wrap(std::move(*static_cast<TensorBase*>(handle)));
  shim.deleteTensor(handle);
  if (object == nullptr) {
    throw nb::python_error();
  }
  return nb::steal(object);
}

void* newHandle(PyObject* tensor) {
  void* handle = nullptr;
  check(shim.newTensor(torchInterop.layout.handleOf(tensor), &handle), "copy a tensor");
  return handle;
}

// What a kernel is given, which it owns.
template <typename T>
std::vector<T> takeList(Word word) {
  auto* list = fromWord<void*>(word);
  size_t size = 0;
  shim.listSize(list, &size);
  std::vector<T> items;
  items.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    Word item = 0;
    shim.listItem(list, i, &item);
    items.push_back(fromWord<T>(item));
  }
  shim.deleteList(list);
  return items;
}

nb::object takeDevice(Word word) {
  auto* pointer = fromWord<Word*>(word);
  if (pointer == nullptr) [[likely]] {
    return nb::none();
  }
  const auto type = static_cast<int32_t>(*pointer >> 32);
  const auto index = static_cast<int32_t>(*pointer & 0xFFFFFFFF);
  if (shim.deleteWord != nullptr) {
    shim.deleteWord(pointer);
  } else {
    delete pointer;
  }
  const char* name = type == shim.cpu() ? "cpu" : "cuda";
  return nb::str(index < 0 ? name : concatenate(name, ":", index).c_str());
}

// (Tensor[] tensors, SymInt[] integers, float[] floats, str definition, Device? device) -> Tensor[]
void runOperator(Word* stack) {
  const std::vector<void*> handles = takeList<void*>(stack[0]);
  const auto integers = takeList<int64_t>(stack[1]);
  const auto floats = takeList<double>(stack[2]);
  struct Text {
    void* handle;
    ~Text() { shim.deleteString(handle); }
  } const text{fromWord<void*>(stack[3])};
  size_t length = 0;
  const char* characters = nullptr;
  shim.stringLength(text.handle, &length);
  shim.stringData(text.handle, &characters);

  std::vector<nb::object> tensors;
  std::vector<PyObject*> pointers;
  for (void* handle : handles) {
    tensors.push_back(wrapTensor(handle));
    pointers.push_back(tensors.back().ptr());
  }
  const nb::object outputs =
      runRecorded({characters, length}, pointers, integers, floats, takeDevice(stack[4]));
  void* list = nullptr;
  const auto count = static_cast<size_t>(PyList_Size(outputs.ptr()));
  check(shim.newList(count, &list), "make a list");
  for (size_t i = 0; i < count; ++i) {
    PyObject* output = PyList_GetItem(outputs.ptr(), static_cast<Py_ssize_t>(i));
    check(shim.pushBack(list, toWord(newHandle(output))), "add to a list");
  }
  stack[0] = toWord(list);
}

// Torch makes a RuntimeError of what is thrown here; exceptions of Python's are none to it, and
// need the interpreter's lock, which it does not hold.
void callOperator(Word* stack, uint64_t /*arguments*/, uint64_t /*results*/) {
  std::string message;
  {
    const nb::gil_scoped_acquire lock;
    try {
      runOperator(stack);
      return;
    } catch (const nb::python_error& error) {
      message = textOf(error.value());
    } catch (const std::exception& error) {
      message = error.what();
    }
  }
  throw std::runtime_error(message);
}

// Whether a tensor comes through the handles unchanged.
bool areTensorsUnderstood() {
  if (!torchInterop.layout.knowsFields()) {
    return false;
  }
  const nb::object sample = nb::module_::import_("torch").attr("empty")(3);
  return wrapTensor(newHandle(sample.ptr())).is(sample);
}

// Implements an operator that is defined; false where torch lacks what that takes.
bool implementOperator() {
  constinit static bool isImplemented = false;
  if (!isImplemented && loadTorch(/*import=*/false) && findShim() && areTensorsUnderstood()) {
    // For good, as the kernel is.
    void* library = nullptr;
    check(
        shim.initLibrary("nvfuser", "CompositeExplicitAutograd", "torch_operator.cpp", 0, &library),
        "open the library nvfuser");
    check(shim.implement(library, "execute", &callOperator, kAbiVersion),
          "register the kernel of nvfuser::execute");
    isImplemented = true;
  }
  return isImplemented;
}

nb::object runRecordedFromPython(std::string_view definition, const nb::list& tensors,
                                 const std::vector<int64_t>& integers,
                                 const std::vector<double>& floats, nb::handle device) {
  std::vector<PyObject*> pointers;
  for (const nb::handle tensor : tensors) {
    pointers.push_back(tensor.ptr());
  }
  return runRecorded(definition, pointers, integers, floats, device);
}

nb::list kindsOf(nb::handle executor) {
  nb::list kinds;
  for (const Val* input : executorOf(executor.ptr()).cache.fusion()->inputs()) {
    kinds.append(kKindNames[static_cast<size_t>(kindOf(input))]);
  }
  return kinds;
}

}  // namespace

nb::object runAsFunction(nb::handle executor, const std::vector<PyObject*>& inputs,
                         nb::handle device) {
  ExecutorCache& cache = executorOf(executor.ptr());
  CallArguments arguments;
  arguments.addAll(inputs.data(), inputs.size());
  // With a device, without tensors, and when it is measured, a run says nothing about its plan.
  if (!device.is_none() || !cache.writtenInputs.empty() ||
      arguments.arrayKind() != ArrayKind::Torch || activeProfilers > 0) [[unlikely]] {
    return runByCopies(executor, inputs, device);
  }
  // Of our own: other threads may replace the executor's.
  PlanPointer plan = cache.lastPlan;
  nb::object outputs = nb::steal(runExecutor(cache, plan, arguments, Py_None, nullptr));
  cache.lastPlan = plan;
  Functional& functional = functionalOf(*plan);
  if (functional == Functional::Yes) [[likely]] {
    return outputs;
  }
  const nb::list list = toList(inputs);
  const nb::object module = operatorModule();
  const nb::object expected = module.attr("geometry_of")(executor, list);
  functional = isFunctional(*plan, expected) ? Functional::Yes : Functional::No;
  return functional == Functional::Yes
             ? outputs
             : nb::object(module.attr("copies_of")(outputs, expected, list));
}

void bindTorchOperator(nb::module_& module) {
  module.def("implement_operator", &implementOperator,
             "Register the native kernel of nvfuser::execute, and return whether torch has what "
             "that takes.");
  module.def("run_recorded", &runRecordedFromPython, nb::arg("definition"), nb::arg("tensors"),
             nb::arg("integers"), nb::arg("floats"), nb::arg("device").none(),
             "Do what the operator does.");
  module.def("execute_directly", &executeDirectly, nb::arg("executor"), nb::arg("inputs"),
             nb::arg("device").none(), nb::arg("outputs") = nb::none(),
             "Run an executor, whether or not torch records what is called.");
  module.def(
      "keep_recorded",
      [](std::string_view definition, nb::handle_t<ExecutorCache> executor) {
        recordedFusions().add(definition, executor);
      },
      nb::arg("definition"), nb::arg("executor"),
      "Have the operator run the fusion of a definition by this executor.");
  module.def(
      "recorded_executor",
      [](std::string_view definition) { return recordedOf(definition).executor; },
      nb::arg("definition"), "Return what runs the fusion of a definition.");
  module.def(
      "forget_recorded", [](size_t kept) { recordedFusions().forget(kept); }, nb::arg("kept") = 0,
      "Forget recorded fusions that nothing but the operator holds, but for the last ones.");
  module.def(
      "count_recorded", [] { return recordedFusions().size(); },
      "Return how many recorded fusions are held.");
  module.def(
      "written_inputs",
      [](nb::handle_t<ExecutorCache> executor) { return executorOf(executor.ptr()).writtenInputs; },
      nb::arg("executor"), "Return the positions of the inputs that are updated in place.");
  module.def(
      "input_kinds", [](nb::handle_t<ExecutorCache> executor) { return kindsOf(executor); },
      nb::arg("executor"),
      "Return of each input whether it is a tensor, bool, int, float or complex.");
}

}  // namespace nvfuser
