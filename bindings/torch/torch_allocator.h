// TorchAllocator: fresh torch tensors, by the C++ functions behind torch's Python functions.
//
// torch._C._dynamo.guards._empty_strided_cpu and _empty_strided_cuda are the fastest functions for
// that in Python. A fifth to a third of their time, 55 ns on the CPU and 300 of 930 beside a GPU,
// goes into taking tuples apart, into what turns C++'s warnings and errors into Python's, and into
// looking up CUDA's current device again and again. The function that both end in is exported from
// torch's libraries, and so is what it needs:
//
//   libtorch_cpu.so     at::detail::empty_strided_generic(IntArrayRef, IntArrayRef, Allocator*,
//                                                         DispatchKeySet, ScalarType)
//   libc10.so           c10::GetAllocator(const DeviceType&)
//   libc10_cuda.so      c10::cuda::CUDACachingAllocator::allocator
//   libtorch_python.so  THPVariable_Wrap(TensorBase&&)
//   libtorch_cpu.so     aoti_torch_dtype_float32() and so on: the number of each ScalarType
//
// The last are C functions that torch keeps stable, the others are private. Nothing of torch is
// linked: they are looked up by names that hold the types of their arguments, and tried out against
// the Python functions before they are used, each dtype on the CPU and one tensor on the first
// other device. Where a name is missing or a tensor differs, the Python functions stay in use.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
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
    std::array<PyObject*, kNumDeviceTypes> emptyStridedOn;
  };

  // Looks for the functions and tries them out in the host's memory; raises Python errors. Other
  // devices are left for later, because a process need not use them.
  void calibrate(const Python& python);
  // Tries out what was left; the first allocation on a device does so, too.
  void calibrateAll();
  void disable() { *this = {}; }
  bool knows(DeviceType type) const { return of(type).keys != 0 && of(type).untried == nullptr; }

  // A fresh tensor, on torch's current device of the type: a new reference. Null, without a Python
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
  using TorchDeviceType = int8_t;
  using DispatchKeySet = uint64_t;
  using Allocator = struct AllocatorObject*;
  // Holds a reference, which THPVariable_Wrap takes over. With a destructor, as functions return
  // classes with one in memory of the caller's.
  struct TensorBase {
    void* impl;
    ~TensorBase() {}  // NOLINT(modernize-use-equals-default): not trivial
  };
  using EmptyStrided = TensorBase (*)(IntArrayRef, IntArrayRef, Allocator, DispatchKeySet,
                                      ScalarType);
  using GetAllocator = Allocator (*)(const TorchDeviceType&);
  using Wrap = PyObject* (*)(TensorBase&&);

  static constexpr ScalarType kUnknown = -1;

  struct OfDevice {
    // Of a tensor there; none where it is not known how to make one.
    DispatchKeySet keys = 0;
    // What a tensor is still to be compared with; null afterwards.
    PyObject* untried = nullptr;
  };
  const OfDevice& of(DeviceType type) const { return devices_[static_cast<size_t>(type)]; }
  OfDevice& of(DeviceType type) { return devices_[static_cast<size_t>(type)]; }

  void calibrateDtypes(DeviceType type, const Python& python);
  void calibrateDevice(DeviceType type);

  PyObject* allocate(DeviceType device, ScalarType dtype, IntArrayRef sizes, IntArrayRef strides);
  bool isLikeInPython(DeviceType device, DataType dtype, PyObject* dtypeObject,
                      nb::handle emptyStrided);

  EmptyStrided emptyStrided_ = nullptr;
  GetAllocator getAllocator_ = nullptr;
  Wrap wrap_ = nullptr;
  std::array<OfDevice, kNumDeviceTypes> devices_;
  std::array<ScalarType, kNumDataTypes> scalarTypes_{};
  PyObject* float32_ = nullptr;
};

}  // namespace nvfuser
