// Where a call runs, as far as its arguments leave that open.
#pragma once

#include <optional>
#include <span>

#include "bindings/call/executor.h"

namespace nvfuser {

// The device that Python's `device` names: an index of a CUDA device, a string or a torch.device.
// "cuda" is that of the inputs, otherwise torch's current one.
Device toDevice(nb::handle device, const CallArguments& arguments);

// Where to run without arrays among the inputs: where the tensors are that the results go into,
// otherwise on torch's default device; where that is the CPU because nobody chose another, on
// torch's current CUDA device if there is one. None where the inputs decide.
std::optional<Device> deviceWithoutArrays(std::span<const PolymorphicValue> values,
                                          PyObject* outputs = Py_None);

}  // namespace nvfuser
