// TorchInterop: what the call path uses of the torch that is installed, looked up once a process.
//
// torch is neither linked nor needed: nothing here is set before a program that uses torch hands a
// tensor in, or the first output is to be made.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <string>

#include "bindings/support/enum_caster.h"
#include "bindings/torch/tensor_layout.h"
#include "bindings/torch/torch_allocator.h"
#include "value/dlpack_abi.h"
#include "value/tensor.h"

namespace nvfuser {

namespace nb = nanobind;

struct TorchInterop {
  // Instances of exactly these types are what the fast path takes. Null until torch is loaded.
  PyTypeObject* tensorType = nullptr;
  PyTypeObject* parameterType = nullptr;
  const dlpack::ExchangeApi* api = nullptr;
  TensorLayout layout;
  TorchAllocator allocator;

  // Callables, borrowed for good. The private ones may be null: torch need not have them.
  PyObject* isConj = nullptr;
  PyObject* isNeg = nullptr;
  PyObject* emptyStrided = nullptr;
  // Private, of each type of device: (sizes, strides, dtype), on the current one.
  std::array<PyObject*, kNumDeviceTypes> emptyStridedOn{};
  PyObject* reinterpretTensor = nullptr;  // private: (tensor, sizes, strides, offset)
  PyObject* incrementVersion = nullptr;
  PyObject* getNumThreads = nullptr;
  // Whether a profiler wants to be told of operations on this thread; null where torch does not
  // say.
  bool (*hasObservers)() = nullptr;
  PyObject* getGradEnabled = nullptr;
  // The names in torch.autograd.forward_ad.
  PyObject* forwardDifferentiation = nullptr;
  // torch's function for getGradEnabled, from its stable C interface; may be null.
  bool (*gradModeIsEnabled)() = nullptr;
  // torch's question whether a dispatch key is included on this thread; may be null. The keys are
  // torch's numbers.
  bool (*isKeyIncluded)(uint16_t key) = nullptr;
  uint16_t pythonKey = 0;
  uint16_t tracerKey = 0;
  // The same in Python: the question and the keys.
  PyObject* isKeyIncludedSlowly = nullptr;
  std::array<PyObject*, 2> recordingKeys{};

  bool isLoaded() const { return tensorType != nullptr; }
  bool isTensor(PyTypeObject* type) const { return type == tensorType || type == parameterType; }
  // Whether `tensor` is a conjugate or negative view: see TensorLayout.
  bool isMarked(PyObject* tensor) {
    return layout.knowsFields() ? layout.isMarked(tensor) : isMarkedSlowly(tensor);
  }
  bool isMarkedSlowly(PyObject* tensor);
  // Whether torch would record what is computed from `tensor`, to differentiate it: it requires
  // grad while grad mode is on, or has a tangent of forward-mode differentiation. Tensors that
  // autograd knows nothing about cost a comparison, others, like parameters, 10 ns.
  bool isDifferentiated(PyObject* tensor) const {
    return !(layout.knowsFields() && layout.needsNoGrad(tensor)) && isDifferentiatedSlowly(tensor);
  }
  bool isDifferentiatedSlowly(PyObject* tensor) const;
  bool isGradEnabled() const;
  // Whether torch records or reinterprets what is called on this thread: a dispatch mode is active
  // (make_fx, torch.export, FakeTensorMode...), or torch.jit.trace(). 3 ns.
  bool isRecording() const {
    return isKeyIncluded != nullptr ? isKeyIncluded(pythonKey) || isKeyIncluded(tracerKey)
                                    : isRecordingSlowly();
  }
  bool isRecordingSlowly() const;

  // torch's dtype object (borrowed); raises where this torch has none.
  PyObject* dtypeOf(DataType dtype) const;
  nb::object deviceOf(Device device) const;
  // The stream that torch works on, on a CUDA device.
  void* currentStream(Device device) const;

  std::array<PyObject*, kNumDataTypes> dtypes{};
  // A mode of torch that was active on the first try can have made it fail.
  int calibrationsLeft = 8;
};

// Of this process.
extern TorchInterop torchInterop;

// Looks torch up where that has not been done. It is only imported when asked for; otherwise it
// must have been imported already. Returns whether it is there.
bool loadTorch(bool import);

// What str() gives, for messages.
std::string textOf(nb::handle object);

// Turns the uses of private parts of torch off and on, to find out whether one of them is to blame
// for something, and returns what is in use. What tests have replaced in torch is looked up again.
nb::dict configureTorchInterop(bool readTensorLayout, bool usePrivateFunctions);

}  // namespace nvfuser
