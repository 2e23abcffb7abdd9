// CallArguments: the arguments of one call, from Python objects to PolymorphicValues.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bindings/torch/torch_interop.h"
#include "core/inline_vector.h"
#include "value/argument_holder.h"

namespace nvfuser {

namespace nb = nanobind;

// Which library's arrays a call is made with, and so which its outputs are.
enum class ArrayKind : uint8_t { None, Torch, NumPy };

// Lives on the stack of the call. The values borrow data, sizes and strides from the Python
// objects, which are kept alive until the end of the call, whatever other threads do with the
// caller's list meanwhile.
//
// Exact torch tensors, Python numbers and lists of them take the fast path, which allocates
// nothing. All else goes through nvfuser.interop, which either finds the plain tensor or number
// that it stands for or says why there is none.
class CallArguments {
 public:
  CallArguments() = default;
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;
  ~CallArguments();

  // The elements of a list, tuple or other iterable.
  void addAll(PyObject* inputs);
  void addAll(PyObject* const* inputs, size_t count);

  std::span<const PolymorphicValue> values() const { return values_.values(); }

  // The object that was passed for argument `i`.
  PyObject* given(size_t i) const { return given_[i]; }
  // The exact tensor or array whose memory its value borrows.
  PyObject* array(size_t i) const;
  // Whether that is a copy, because the memory of what was given does not hold its values.
  bool isCopy(size_t i) const;
  bool isReadOnly(size_t i) const;

  ArrayKind arrayKind() const { return hasTorch_ ? ArrayKind::Torch : numpyOrNone(); }
  // The first input that torch would differentiate the outputs by.
  std::optional<size_t> differentiated() const { return differentiated_; }
  // The device of the first tensor that is not in the host's memory.
  std::optional<Device> accelerator() const { return accelerator_; }

 private:
  struct Resolved {
    size_t position;
    nb::object array;
    bool isCopy;
    bool isReadOnly;
  };

  // Lists and tuples are flattened, but not what they contain.
  enum class Nesting : uint8_t { Outer, Inner };

  void add(PyObject* input, Nesting nesting);
  void addElements(PyObject* sequence, Nesting nesting);
  bool tryAddTensor(PyObject* given, PyObject* tensor);
  bool tryAddNumber(PyObject* given, PyObject* number);
  void addInteger(PyObject* given, PyObject* number);
  void addSlowly(PyObject* input, Nesting nesting);
  bool tryAddArray(PyObject* given, const nb::object& array, bool isCopy);
  void addResolved(PyObject* given, const nb::object& plain, bool isCopy);
  template <typename T>
  void push(PyObject* given, T&& value);
  size_t position() const { return values_.size(); }
  const Resolved* findResolved(size_t i) const;
  ArrayKind numpyOrNone() const { return hasNumpy_ ? ArrayKind::NumPy : ArrayKind::None; }

  KernelArgumentHolder values_;
  InlineVector<PyObject*, KernelArgumentHolder::kInlineCapacity> given_;
  // Only of arguments that took the slow path.
  std::vector<Resolved> resolved_;
  std::optional<Device> accelerator_;
  std::optional<size_t> differentiated_;
  bool hasTorch_ = false;
  bool hasNumpy_ = false;
};

// Reads the tensor that `object`, of exactly the type torch.Tensor or torch.nn.Parameter, stands
// for. False, without a Python error, when that takes more than reading its fields: a conjugate or
// negative view, an unknown dtype, no memory.
bool readTorchTensor(PyObject* object, Tensor& tensor);

// The same of an exact numpy.ndarray, through its __array_struct__.
struct NumpyView {
  Tensor tensor;
  bool isReadOnly;
};
std::optional<NumpyView> readNumpyArray(PyObject* object);
// numpy.ndarray, null while NumPy is not imported.
PyTypeObject* numpyArrayType();

// What a call makes of its inputs: one dictionary for each.
nb::list describeArguments(nb::handle inputs);
// The same work as at the beginning of every call, and nothing else: the number of values.
size_t countArguments(nb::handle inputs);

}  // namespace nvfuser
