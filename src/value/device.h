// Device: where memory lies and kernels run. The one place that knows how torch, DLPack and people
// call devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "value/dlpack_abi.h"

namespace nvfuser {

enum class DeviceType : uint8_t { CPU, CUDA };
inline constexpr size_t kNumDeviceTypes = 2;
// "cpu" and so on, as in torch.
const char* nameOf(DeviceType type);

struct Device {
  DeviceType type = DeviceType::CPU;
  int32_t index = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

std::string toString(Device device);

// The index of "cuda" without one.
inline constexpr int32_t kAnyIndex = -1;
// "cpu", "cuda" or "cuda:1"; raises for other texts.
Device parseDevice(std::string_view text);
// What torch and CompileParams mean by an index without a type.
Device deviceOfIndex(int32_t index);
// None for devices that no code is generated for.
std::optional<Device> fromDlpack(dlpack::Device device);
dlpack::Device toDlpack(Device device);

}  // namespace nvfuser
