// CallOutputs: the tensors that a call returns, allocated or given by the caller.
#pragma once

#include <nanobind/nanobind.h>

#include <span>

#include "arguments.h"
#include "core/inline_vector.h"
#include "runtime/launch_plan.h"

namespace nvfuser {

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

  // Tells autograd that the tensors the caller gave have been written to.
  void markWritten() const;

  // The outputs as a Python list, a new reference; afterwards this object holds none.
  PyObject* takeList() { return list_.release().ptr(); }

 private:
  void addAllocated(size_t i);
  void addGiven(size_t i, PyObject* tensor);
  void addOther(size_t i);
  void append(size_t i, PyObject* owned, void* data);
  void checkOverlap(size_t i, const Tensor& tensor) const;

  const LaunchPlan& plan_;
  const CallArguments& arguments_;
  nb::object list_;
  InlineVector<void*, 8> data_;
  bool anyGiven_ = false;
};

// Tells autograd that these torch tensors (an iterable) have been written to, so that it can refuse
// to use values that it saved before.
void markModified(PyObject* tensors);

}  // namespace nvfuser
