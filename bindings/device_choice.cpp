#include "device_choice.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "arguments.h"
#include "core/error.h"
#include "to_python.h"
#include "torch_interop.h"

namespace nvfuser {

namespace {

// The index of "cuda" without one.
constexpr int32_t kAnyIndex = -1;

Device parseDevice(std::string_view text) {
  if (text == "cpu") {
    return {DeviceType::CPU, 0};
  }
  if (text == "cuda") {
    return {DeviceType::CUDA, kAnyIndex};
  }
  if (text.starts_with("cuda:") && text.size() > 5 && text.size() <= 8) {
    int32_t index = 0;
    for (const char digit : text.substr(5)) {
      if (std::isdigit(static_cast<unsigned char>(digit)) == 0) {
        index = 256;
        break;
      }
      index = index * 10 + (digit - '0');
    }
    if (index < 256) {
      return {DeviceType::CUDA, index};
    }
  }
  fail("Expected a device like 'cpu', 'cuda' or 'cuda:1' but got '", text, "'");
}

// The device of the inputs, otherwise torch's current one, which is the first one until torch uses
// CUDA.
int32_t chooseIndex(const CallArguments& arguments) {
  if (arguments.cudaDevice()) {
    return arguments.cudaDevice()->index;
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
    return {DeviceType::CUDA, static_cast<int32_t>(index)};
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
