#include "value/device.h"

#include <cctype>

#include "core/error.h"

namespace nvfuser {

const char* nameOf(DeviceType type) { return type == DeviceType::CPU ? "cpu" : "cuda"; }

std::string toString(Device device) {
  return device.type == DeviceType::CPU ? nameOf(device.type)
                                        : concatenate(nameOf(device.type), ":", device.index);
}

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

Device deviceOfIndex(int32_t index) { return {DeviceType::CUDA, index}; }

std::optional<Device> fromDlpack(dlpack::Device device) {
  switch (static_cast<dlpack::DeviceCode>(device.type)) {
    case dlpack::DeviceCode::CPU:
    case dlpack::DeviceCode::CUDAHost:
      return Device{DeviceType::CPU, 0};
    case dlpack::DeviceCode::CUDA:
    case dlpack::DeviceCode::CUDAManaged:
      return Device{DeviceType::CUDA, device.id};
  }
  return std::nullopt;
}

dlpack::Device toDlpack(Device device) {
  const auto code =
      device.type == DeviceType::CPU ? dlpack::DeviceCode::CPU : dlpack::DeviceCode::CUDA;
  return {static_cast<int32_t>(code), device.index};
}

}  // namespace nvfuser
