#include "bindings/torch/torch_allocator.h"

#include <exception>
#include <string>
#include <utility>

#include "bindings/torch/loaded_library.h"
#include "bindings/torch/torch_interop.h"
#include "device/memory.h"

namespace nvfuser {

namespace {

// What torch calls a type of device, in the order of ours.
struct TorchDevice {
  // c10::DeviceType.
  int8_t code;
  const char* dispatchKey;
  // Where the allocator is that its Python function takes memory from, which need not be the
  // registered one: there are others that users can put in its place. Null of the host's.
  const char* allocatorLibrary;
  const char* allocatorName;
};
constexpr std::array<TorchDevice, kNumDeviceTypes> kTorchDevices{{
    {0, "CPU", nullptr, nullptr},
    {1, "CUDA", "libc10_cuda.so", "_ZN3c104cuda20CUDACachingAllocator9allocatorE"},
}};

const TorchDevice& torchDevice(DeviceType type) { return kTorchDevices[static_cast<size_t>(type)]; }

// The dispatch keys that torch makes tensors of a device with; 0 where it does not say.
uint64_t dispatchKeys(const char* device) {
  const nb::object torch = nb::module_::import_("torch._C");
  const nb::object keySet = nb::getattr(torch, "DispatchKeySet", nb::none());
  const nb::object key =
      nb::getattr(nb::getattr(torch, "DispatchKey", nb::none()), device, nb::none());
  if (keySet.is_none() || key.is_none()) {
    return 0;
  }
  return nb::cast<uint64_t>(keySet(key).attr("raw_repr")());
}

}  // namespace

void TorchAllocator::calibrate(const Python& python) {
  disable();
  scalarTypes_.fill(kUnknown);
  wrap_ = findInternal<Wrap>("libtorch_python.so", "_Z16THPVariable_WrapON2at10TensorBaseE");
  getAllocator_ =
      findInternal<GetAllocator>("libc10.so", "_ZN3c1012GetAllocatorERKNS_10DeviceTypeE");
  emptyStrided_ =
      findInternal<EmptyStrided>("libtorch_cpu.so",
                                 "_ZN2at6detail21empty_strided_genericEN3c108ArrayRefIlEES3_PNS1_"
                                 "9AllocatorENS1_14DispatchKeySetENS1_10ScalarTypeE");
  if (wrap_ == nullptr || getAllocator_ == nullptr || emptyStrided_ == nullptr) {
    disable();
    return;
  }
  for (size_t i = 0; i < kNumDataTypes; ++i) {
    if (python.dtypes[i] == nullptr) {
      continue;
    }
    // "torch.float32"
    const std::string name = textOf(python.dtypes[i]);
    const auto number = findInLibrary<int32_t (*)()>(
        "libtorch_cpu.so", "aoti_torch_dtype_" + name.substr(name.find('.') + 1));
    if (number == nullptr) {
      continue;
    }
    scalarTypes_[i] = static_cast<ScalarType>(number());
  }
  float32_ = python.dtypes[static_cast<size_t>(DataType::Float)];
  for (size_t i = 0; i < kNumDeviceTypes; ++i) {
    const auto type = static_cast<DeviceType>(i);
    if (python.emptyStridedOn[i] == nullptr) {
      continue;
    }
    of(type).keys = dispatchKeys(torchDevice(type).dispatchKey);
    if (memoryOf({type}).isHost) {
      calibrateDtypes(type, python);
    } else {
      of(type).untried = python.emptyStridedOn[i];
    }
  }
}

// Tries out every dtype.
void TorchAllocator::calibrateDtypes(DeviceType type, const Python& python) {
  const nb::handle emptyStrided = python.emptyStridedOn[static_cast<size_t>(type)];
  for (size_t i = 0; i < kNumDataTypes; ++i) {
    if (scalarTypes_[i] != kUnknown &&
        !isLikeInPython(type, static_cast<DataType>(i), python.dtypes[i], emptyStrided)) {
      of(type).keys = 0;
      return;
    }
  }
}

void TorchAllocator::calibrateAll() {
  for (size_t i = 0; i < kNumDeviceTypes; ++i) {
    calibrateDevice(static_cast<DeviceType>(i));
  }
}

void TorchAllocator::calibrateDevice(DeviceType type) {
  if (of(type).untried == nullptr) {
    return;
  }
  const nb::handle emptyStrided = std::exchange(of(type).untried, nullptr);
  const TorchDevice& device = torchDevice(type);
  const auto* inUse = findInternal<const Allocator*>(device.allocatorLibrary, device.allocatorName);
  bool isLike = false;
  if (inUse != nullptr && *inUse == getAllocator_(device.code)) {
    try {
      isLike = isLikeInPython(type, DataType::Float, float32_, emptyStrided);
    } catch (const nb::python_error&) {
      // Whatever torch cannot do at the moment.
    }
  }
  if (!isLike) {
    of(type).keys = 0;
  }
}

// Whether a tensor made here has all the properties of one made in Python.
bool TorchAllocator::isLikeInPython(DeviceType device, DataType dtype, PyObject* dtypeObject,
                                    nb::handle emptyStrided) {
  constexpr std::array<int64_t, 3> kSizes{2, 3, 4};
  constexpr std::array<int64_t, 3> kStrides{1, 8, 2};
  const nb::object made = nb::steal(tryAllocate(device, dtype, kSizes, kStrides));
  if (!made.is_valid()) {
    return false;
  }
  const nb::object expected =
      emptyStrided(nb::make_tuple(2, 3, 4), nb::make_tuple(1, 8, 2), nb::handle(dtypeObject));
  const nb::object keysOf = nb::module_::import_("torch._C").attr("_dispatch_keys");
  const auto describe = [&](nb::handle tensor) {
    const nb::object storage = tensor.attr("untyped_storage")();
    const auto address = nb::cast<uintptr_t>(tensor.attr("data_ptr")());
    return nb::make_tuple(
        tensor.type(), tensor.attr("dtype"), tensor.attr("device"), tensor.attr("shape"),
        tensor.attr("stride")(), tensor.attr("storage_offset")(), storage.attr("nbytes")(),
        storage.attr("resizable")(), tensor.attr("requires_grad"), keysOf(tensor),
        address != 0 && address == nb::cast<uintptr_t>(storage.attr("data_ptr")()));
  };
  return describe(made).equal(describe(expected)) &&
         Py_REFCNT(made.ptr()) == Py_REFCNT(expected.ptr());
}

inline PyObject* TorchAllocator::allocate(DeviceType device, ScalarType dtype, IntArrayRef sizes,
                                          IntArrayRef strides) {
  TensorBase tensor = emptyStrided_(sizes, strides, getAllocator_(torchDevice(device).code),
                                    of(device).keys, dtype);
  return wrap_(std::move(tensor));
}

PyObject* TorchAllocator::tryAllocate(DeviceType device, DataType dtype,
                                      std::span<const int64_t> sizes,
                                      std::span<const int64_t> strides) {
  const ScalarType scalarType = scalarTypes_[static_cast<size_t>(dtype)];
  if (of(device).keys == 0 || scalarType == kUnknown) [[unlikely]] {
    return nullptr;
  }
  if (of(device).untried != nullptr) [[unlikely]] {
    calibrateDevice(device);
    return tryAllocate(device, dtype, sizes, strides);
  }
  PyObject* tensor = nullptr;
  try {
    tensor = allocate(device, scalarType, {sizes.data(), sizes.size()},
                      {strides.data(), strides.size()});
  } catch (const std::exception&) {
    // All of torch's are: the same call in Python raises what users know.
  }
  if (tensor == nullptr) [[unlikely]] {
    PyErr_Clear();
  }
  return tensor;
}

}  // namespace nvfuser
