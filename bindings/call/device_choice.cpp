#include "bindings/call/device_choice.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "bindings/call/arguments.h"
#include "bindings/support/to_python.h"
#include "bindings/torch/torch_interop.h"
#include "core/error.h"
#include "value/device.h"

namespace nvfuser {

namespace {

// The device of the inputs, otherwise torch's current one, which is the first one until torch uses
// CUDA.
int32_t chooseIndex(const CallArguments& arguments) {
  if (arguments.accelerator()) {
    return arguments.accelerator()->index;
  }
  if (!loadTorch(/*import=*/true)) {
    return 0;
  }
  const nb::object cuda = nb::module_::import_("torch").attr("cuda");
  return nb::cast<bool>(cuda.attr("is_initialized")())
             ? nb::cast<int32_t>(cuda.attr("current_device")())
             : 0;
}

}  // namespace

Device toDevice(nb::handle device, const CallArguments& arguments) {
  if (PyLong_Check(device.ptr()) && !PyBool_Check(device.ptr())) {
    const long index = PyLong_AsLong(device.ptr());
    if (index == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
    }
    NVF_CHECK(index >= 0 && index < 256, "Expected a device index from 0 to 255 but got ",
              textOf(device));
    return deviceOfIndex(static_cast<int32_t>(index));
  }
  // A torch.device prints as the string that makes it.
  Device parsed = parseDevice(textOf(device));
  if (parsed.index == kAnyIndex) {
    parsed.index = chooseIndex(arguments);
  }
  return parsed;
}

std::optional<Device> deviceWithoutArrays(std::span<const PolymorphicValue> values,
                                          PyObject* outputs) {
  const auto isTensor = [](const PolymorphicValue& value) { return value.is<Tensor>(); };
  if (std::ranges::any_of(values, isTensor)) {
    return std::nullopt;
  }
  const nb::object choose = nb::module_::import_("nvfuser.interop").attr("device_without_arrays");
  return parseDevice(nb::cast<std::string>(choose(nb::handle(outputs))));
}

}  // namespace nvfuser
