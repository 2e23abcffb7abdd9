// TorchAllocator: fresh torch tensors, by the C++ functions behind torch's Python functions.
//
// torch._C._dynamo.guards._empty_strided_cpu and _empty_strided_cuda are the fastest functions for
// that in Python. A fifth of their time, 55 ns on the CPU and 200 of 1900 beside a GPU, goes into
// taking tuples apart and into what turns C++'s warnings and errors into Python's. What they call
// is exported from torch's libraries:
//
//   libtorch_cpu.so     at::detail::empty_strided_cpu(IntArrayRef, IntArrayRef, ScalarType, bool)
//   libtorch_cuda.so    at::detail::empty_strided_cuda(IntArrayRef, IntArrayRef, ScalarType,
//                                                      std::optional<Device>)
//   libtorch_python.so  THPVariable_Wrap(TensorBase&&)
//   libtorch_cpu.so     aoti_torch_dtype_float32() and so on: the number of each ScalarType
//
// The last are C functions that torch keeps stable, the others are private. Nothing of torch is
// linked: they are looked up by names that hold the types of their arguments, and tried out against
// the Python functions before they are used, each dtype on the CPU and one tensor on the first CUDA
// device. Where a name is missing or a tensor differs, the Python functions stay in use.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "value/data_type.h"
#include "value/tensor.h"

namespace nvfuser {

namespace nb = nanobind;

class TorchAllocator {
 public:
  // Torch's dtype objects, null where there is none, and its Python functions, which may be null.
  struct Python {
    std::span<PyObject* const> dtypes;
    PyObject* emptyStridedCpu;
    PyObject* emptyStridedCuda;
  };

  // Looks for the functions and tries them out; raises Python errors. The CUDA one is left for
  // later, because a process need not use CUDA.
  void calibrate(const Python& python);
  // Tries the CUDA one out where that is still to be done; the first allocation does, too.
  void calibrateCuda();
  void disable() { *this = {}; }
  bool knowsCpu() const { return emptyCpu_ != nullptr; }
  bool knowsCuda() const { return emptyCuda_ != nullptr && untriedCuda_ == nullptr; }

  // A fresh tensor, on CUDA one of torch's current device: a new reference. Null, without a Python
  // error, where it is to be made in Python: because something is not known, or because it failed
  // (no memory, for example), and Python raises the error as users know it.
  PyObject* tryAllocate(DeviceType device, DataType dtype, std::span<const int64_t> sizes,
                        std::span<const int64_t> strides);

 private:
  // Torch's types, as far as the calling convention goes.
  struct IntArrayRef {
    const int64_t* data;
    size_t size;
  };
  using ScalarType = int8_t;
  struct TorchDevice {
    int8_t type;
    int8_t index;
  };
  // Holds a reference, which THPVariable_Wrap takes over. With a destructor, as functions return
  // classes with one in memory of the caller's.
  struct TensorBase {
    void* impl;
    ~TensorBase() {}  // NOLINT(modernize-use-equals-default): not trivial
  };
  using EmptyCpu = TensorBase (*)(IntArrayRef, IntArrayRef, ScalarType, bool pinMemory);
  using EmptyCuda = TensorBase (*)(IntArrayRef, IntArrayRef, ScalarType,
                                   std::optional<TorchDevice>);
  using Wrap = PyObject* (*)(TensorBase&&);

  static constexpr ScalarType kUnknown = -1;

  PyObject* allocate(DeviceType device, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides);
  bool isLikeInPython(DeviceType device, DataType dtype, PyObject* dtypeObject,
                      nb::handle emptyStrided);

  EmptyCpu emptyCpu_ = nullptr;
  EmptyCuda emptyCuda_ = nullptr;
  Wrap wrap_ = nullptr;
  std::array<ScalarType, kNumDataTypes> scalarTypes_{};
  // What the CUDA function is still to be compared with; null afterwards.
  PyObject* untriedCuda_ = nullptr;
  PyObject* float32_ = nullptr;
};

}  // namespace nvfuser
