#include "bindings/call/arguments.h"

#include <nanobind/stl/pair.h>

#include <complex>
#include <string_view>

#include "bindings/support/to_python.h"
#include "core/error.h"
#include "device/memory.h"

namespace nvfuser {

namespace {

bool isEmpty(const Tensor& tensor) {
  for (const int64_t size : tensor.shape()) {
    if (size == 0) {
      return true;
    }
  }
  return false;
}

const char* typeName(PyObject* object) {
  // Only for messages: the name lives as long as the type.
  PyObject* name = PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(object)), "__name__");
  if (name == nullptr) {
    throw nb::python_error();
  }
  const char* text = PyUnicode_AsUTF8AndSize(name, nullptr);
  Py_DECREF(name);
  return text == nullptr ? "?" : text;
}

// NumPy's C description of an array, behind `__array_struct__` (numpy.org, "The array interface
// protocol"); a stable layout.
struct ArrayInterface {
  int two;
  int dimensions;
  char kind;
  int itemSize;
  int flags;
  Py_intptr_t* shape;
  Py_intptr_t* strides;  // in bytes
  void* data;
  PyObject* description;
};
constexpr int kNativeByteOrder = 0x200;
constexpr int kWriteable = 0x400;

DataType numpyDataType(const ArrayInterface& array, nb::handle object) {
  if (const DataType known = fromNumpy(array.kind, array.itemSize); known != DataType::Null) {
    return known;
  }
  // The dtypes of the package ml_dtypes have no kind of their own.
  const nb::object name = object.attr("dtype").attr("name");
  const std::string_view text = nb::cast<const char*>(name);
  return fromTorchName(text);
}

}  // namespace

namespace {

// DLPack's C exchange API says of torch's integers of one to seven bits that they have eight.
bool isOfFewerBits(PyObject* object, DataType dtype) {
  return (dtype == DataType::Int8 || dtype == DataType::UInt8) &&
         nb::handle(object).attr("dtype").ptr() != torchInterop.dtypeOf(dtype);
}

// By DLPack's C exchange API, which knows nothing of marked views.
std::optional<Tensor> readByDlpack(PyObject* object) {
  dlpack::Tensor source;
  if (torchInterop.api->dltensorFromPyObjectNoSync(object, &source) != 0) [[unlikely]] {
    PyErr_Clear();
    return std::nullopt;
  }
  Tensor tensor;
  tensor.dtype = fromDlpack(source.dtype);
  const std::optional<Device> device = fromDlpack(source.device);
  if (tensor.dtype == DataType::Null || !device || isOfFewerBits(object, tensor.dtype) ||
      torchInterop.isMarked(object)) [[unlikely]] {
    return std::nullopt;
  }
  tensor.device = *device;
  tensor.data = static_cast<std::byte*>(source.data) + source.byteOffset;
  tensor.sizes = source.shape;
  tensor.strides = source.strides;
  tensor.ndim = source.ndim;
  // Tensors that only pretend to have memory have none at address zero.
  if (tensor.data == nullptr && !isEmpty(tensor)) [[unlikely]] {
    return std::nullopt;
  }
  torchInterop.layout.learn(object, tensor);
  return tensor;
}

}  // namespace

bool readTorchTensor(PyObject* object, Tensor& tensor) {
  if (torchInterop.layout.tryRead(object, tensor)) [[likely]] {
    return true;
  }
  std::optional<Tensor> read = readByDlpack(object);
  if (read) {
    tensor = *std::move(read);
  }
  return read.has_value();
}

PyTypeObject* numpyArrayType() {
  constinit static PyTypeObject* type = nullptr;
  if (type == nullptr) {
    const nb::object modules = nb::module_::import_("sys").attr("modules");
    if (nb::cast<bool>(modules.attr("__contains__")("numpy"))) {
      const nb::object found = nb::getattr(modules["numpy"], "ndarray", nb::none());
      if (PyType_Check(found.ptr())) {
        type = reinterpret_cast<PyTypeObject*>(found.inc_ref().ptr());
      }
    }
  }
  return type;
}

std::optional<NumpyView> readNumpyArray(PyObject* object) {
  const nb::object capsule = nb::handle(object).attr("__array_struct__");
  const auto* array =
      static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
  if (array == nullptr) {
    throw nb::python_error();
  }
  Tensor tensor;
  tensor.dtype = numpyDataType(*array, object);
  if (tensor.dtype == DataType::Null || (array->flags & kNativeByteOrder) == 0) {
    return std::nullopt;
  }
  // The description goes with the capsule; the array itself does not keep strides in elements
  // anyway.
  const auto rank = static_cast<size_t>(array->dimensions);
  const std::shared_ptr<int64_t[]> geometry(new int64_t[2 * rank]);
  for (size_t i = 0; i < rank; ++i) {
    geometry[i] = array->shape[i];
    geometry[rank + i] = array->strides[i] / array->itemSize;
    if (array->strides[i] % array->itemSize != 0 && array->shape[i] > 1) {
      return std::nullopt;
    }
  }
  tensor.data = array->data;
  tensor.sizes = geometry.get();
  tensor.strides = geometry.get() + rank;
  tensor.ndim = array->dimensions;
  tensor.owner = geometry;
  return NumpyView{std::move(tensor), (array->flags & kWriteable) == 0};
}

CallArguments::~CallArguments() {
  for (PyObject* object : given_) {
    Py_DECREF(object);
  }
}

template <typename T>
void CallArguments::push(PyObject* given, T&& value) {
  values_.push(std::forward<T>(value));
  given_.push_back(given);
  Py_INCREF(given);
}

bool CallArguments::tryAddTensor(PyObject* given, PyObject* tensor) {
  Tensor value;
  if (!readTorchTensor(tensor, value)) [[unlikely]] {
    return false;
  }
  if (!memoryOf(value.device).isHost && !accelerator_) {
    accelerator_ = value.device;
  }
  if (torchInterop.isDifferentiated(tensor) && !differentiated_) [[unlikely]] {
    differentiated_ = position();
  }
  hasTorch_ = true;
  push(given, std::move(value));
  return true;
}

void CallArguments::addInteger(PyObject* given, PyObject* number) {
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow != 0) [[unlikely]] {
    fail("Input ", position(), ": the integer ", textOf(number), " does not fit in 64 bits");
  }
  push(given, static_cast<int64_t>(value));
}

// Numbers of other types, like those of NumPy that derive from Python's.
bool CallArguments::tryAddNumber(PyObject* given, PyObject* number) {
  if (PyBool_Check(number)) {
    push(given, number == Py_True);
  } else if (PyLong_Check(number)) {
    addInteger(given, number);
  } else if (PyFloat_Check(number)) {
    push(given, PyFloat_AsDouble(number));
  } else if (PyComplex_Check(number)) {
    push(given,
         std::complex<double>(PyComplex_RealAsDouble(number), PyComplex_ImagAsDouble(number)));
  } else {
    return false;
  }
  return true;
}

// The order is that of how much the check matters: a failed comparison costs next to nothing.
void CallArguments::add(PyObject* input, Nesting nesting) {
  PyTypeObject* type = Py_TYPE(input);
  if (torchInterop.isTensor(type) && tryAddTensor(input, input)) {
    return;
  }
  if (type == &PyFloat_Type) {
    push(input, PyFloat_AsDouble(input));
  } else if (type == &PyLong_Type) {
    addInteger(input, input);
  } else if (type == &PyBool_Type) {
    push(input, input == Py_True);
  } else {
    addSlowly(input, nesting);
  }
}

void CallArguments::addSlowly(PyObject* input, Nesting nesting) {
  // From here on Python code runs, and may take it out of the caller's list.
  const nb::object alive = nb::borrow(input);
  if (tryAddNumber(input, input)) {
    return;
  }
  if (nesting == Nesting::Outer && (PyList_Check(input) || PyTuple_Check(input))) {
    addElements(input, Nesting::Inner);
    return;
  }
  if (Py_TYPE(input) == numpyArrayType() && tryAddArray(input, alive, /*isCopy=*/false)) {
    return;
  }
  // The first torch tensor ever comes through here.
  if (loadTorch(/*import=*/false) && torchInterop.isTensor(Py_TYPE(input)) &&
      tryAddTensor(input, input)) {
    return;
  }
  const nb::object resolve = nb::module_::import_("nvfuser.interop").attr("resolve_input");
  const auto [plain, isCopy] = nb::cast<std::pair<nb::object, bool>>(resolve(alive, position()));
  addResolved(input, plain, isCopy);
}

bool CallArguments::tryAddArray(PyObject* given, const nb::object& array, bool isCopy) {
  std::optional<NumpyView> view = readNumpyArray(array.ptr());
  if (!view) {
    return false;
  }
  hasNumpy_ = true;
  resolved_.push_back({position(), array, isCopy, view->isReadOnly});
  push(given, std::move(view->tensor));
  return true;
}

void CallArguments::addResolved(PyObject* given, const nb::object& plain, bool isCopy) {
  PyTypeObject* type = Py_TYPE(plain.ptr());
  if (tryAddNumber(given, plain.ptr()) ||
      (type == numpyArrayType() && tryAddArray(given, plain, isCopy))) {
    return;
  }
  const size_t position = this->position();
  if (torchInterop.isTensor(type) && tryAddTensor(given, plain.ptr())) {
    resolved_.push_back({position, plain, isCopy, false});
    return;
  }
  fail("Input ", position, ": the memory of this ", typeName(given), " cannot be read");
}

void CallArguments::addElements(PyObject* sequence, Nesting nesting) {
  if (PyList_Check(sequence)) {
    // Its size is asked for again and again: what runs meanwhile may change the list.
    for (Py_ssize_t i = 0; i < PyList_Size(sequence); ++i) {
      add(PyList_GetItem(sequence, i), nesting);
    }
  } else {
    const Py_ssize_t count = PyTuple_Size(sequence);
    for (Py_ssize_t i = 0; i < count; ++i) {
      add(PyTuple_GetItem(sequence, i), nesting);
    }
  }
}

void CallArguments::addAll(PyObject* inputs) {
  if (PyList_Check(inputs) || PyTuple_Check(inputs)) {
    addElements(inputs, Nesting::Outer);
    return;
  }
  // Iterating over a tensor would give its rows, over a string its letters.
  const nb::handle object = inputs;
  if (!nb::hasattr(object, "__iter__") || nb::hasattr(object, "__dlpack__") ||
      PyUnicode_Check(inputs)) {
    fail("Expected the inputs to be a list of tensors and numbers, but got a ", typeName(inputs));
  }
  const nb::object list = nb::steal(PySequence_List(inputs));
  if (!list.is_valid()) {
    throw nb::python_error();
  }
  addElements(list.ptr(), Nesting::Outer);
}

void CallArguments::addAll(PyObject* const* inputs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    add(inputs[i], Nesting::Outer);
  }
}

const CallArguments::Resolved* CallArguments::findResolved(size_t i) const {
  for (const Resolved& resolved : resolved_) {
    if (resolved.position == i) {
      return &resolved;
    }
  }
  return nullptr;
}

PyObject* CallArguments::array(size_t i) const {
  const Resolved* resolved = findResolved(i);
  return resolved == nullptr ? given_[i] : resolved->array.ptr();
}

bool CallArguments::isCopy(size_t i) const {
  const Resolved* resolved = findResolved(i);
  return resolved != nullptr && resolved->isCopy;
}

bool CallArguments::isReadOnly(size_t i) const {
  const Resolved* resolved = findResolved(i);
  return resolved != nullptr && resolved->isReadOnly;
}

nb::list describeArguments(nb::handle inputs) {
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  nb::list descriptions;
  for (size_t i = 0; i < arguments.values().size(); ++i) {
    const PolymorphicValue& value = arguments.values()[i];
    nb::dict description;
    if (value.is<Tensor>()) {
      const auto& tensor = value.as<Tensor>();
      description["dtype"] = info(tensor.dtype).name;
      description["shape"] = toTuple(tensor.shape());
      description["strides"] = toTuple(tensor.stride());
      description["device"] = toString(tensor.device).c_str();
      description["data"] = reinterpret_cast<uintptr_t>(tensor.data);
      description["is_copy"] = arguments.isCopy(i);
    } else {
      description["dtype"] = info(scalarTypeOf(value)).name;
      description["value"] = toPython(value);
    }
    descriptions.append(description);
  }
  return descriptions;
}

size_t countArguments(nb::handle inputs) {
  CallArguments arguments;
  arguments.addAll(inputs.ptr());
  return arguments.values().size();
}

}  // namespace nvfuser
