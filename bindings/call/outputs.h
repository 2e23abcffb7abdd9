// CallOutputs: the tensors that a call returns, allocated or given by the caller, and the memory
// that its kernels need meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <span>
#include <string>

#include "bindings/call/arguments.h"
#include "core/inline_vector.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

// What is cached with a plan for each output.
struct OutputObjects {
  nb::object sizes;
  nb::object strides;
  // (sizes, strides, dtype): ready to be passed on; null until a torch tensor is needed.
  nb::object torchArguments;
  // (sizes, dtype): the same for a NumPy array in row-major order.
  nb::object numpyArguments;
  nb::object torchDevice;
};

// A fresh torch tensor, a new reference, and its address.
PyObject* allocateTorch(const OutputSpec& spec, OutputObjects& objects, void*& data);

// The objects for held tensor `i` of a plan with library calls.
OutputObjects& heldObjects(const LaunchPlan& plan, size_t i);

// Sizes or strides, for messages.
std::string toText(std::span<const int64_t> values);

// Whether strides are the expected ones where they matter.
bool hasStrides(const Tensor& tensor, const std::vector<int64_t>& strides);

// Whether the outputs of a plan are what an operation of torch returns, see runAsFunction().
enum class Functional : uint8_t { Unknown, Yes, No };
Functional& functionalOf(const LaunchPlan& plan);

// Lives on the stack of the call, after the arguments.
//
// Fresh outputs are torch tensors, or NumPy arrays when all arrays among the arguments are NumPy's,
// or when there are none and torch is not installed.
class CallOutputs {
 public:
  // `given` is None or a list or tuple with a tensor or None for each output; the tensors must have
  // exactly the shape, strides, dtype and device of the plan.
  CallOutputs(const LaunchPlan& plan, const CallArguments& arguments, PyObject* given);
  CallOutputs(const CallOutputs&) = delete;
  CallOutputs& operator=(const CallOutputs&) = delete;

  // The first element's address of each output, null where the plan allocates none.
  std::span<void* const> data() const { return {data_.data(), data_.size()}; }

  // The largest power of two, up to that of fresh tensors, that divides the addresses of all
  // tensors the caller gave whose memory has wide accesses.
  int64_t alignment() const { return lowestBit(addressBits_); }

  // Tells autograd that the tensors the caller gave have been written to.
  void markWritten() const;

  // The memory that the plan wants to be provided with, null for none; valid as long as this object
  // lives. torch gives it to others only behind what is enqueued on its current stream until then.
  void* allocateWorkspace();
  // The one that runs of the plan as a graph have on this stream: kept, unless it is large.
  void* keptWorkspace(void* stream);

  // Output `i`; null where it is one that a library call is still to bring.
  PyObject* tensor(size_t i) const;
  // Library calls: puts a fresh tensor in place of output `i`, or makes one there.
  void place(size_t i, nb::object tensor, void* data);
  PyObject* make(size_t i);

  // The outputs as a Python list, a new reference; afterwards this object holds none.
  PyObject* takeList() { return list_.release().ptr(); }

 private:
  bool makesNumpy() const;
  void addAllocated(size_t i);
  void addGiven(size_t i, PyObject* tensor);
  void addOther(size_t i);
  void append(size_t i, PyObject* owned, void* data);
  void checkOverlap(size_t i, const Tensor& tensor) const;

  const LaunchPlan& plan_;
  const CallArguments& arguments_;
  nb::object list_;
  nb::object workspace_;
  InlineVector<void*, 8> data_;
  bool anyGiven_ = false;
  int64_t addressBits_ = kVectorBytes;
};

// Tells autograd that this torch tensor has been written to, so that it can refuse to use values
// that it saved before.
void markModified(PyObject* tensor);

}  // namespace nvfuser
