// DeviceMemory: what is the same of the memory of all devices of a type, and known without asking
// one of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "value/data_type.h"
#include "value/device.h"

namespace nvfuser {

// Bytes of the widest access of a kernel on CUDA, a power of two.
inline constexpr int64_t kVectorBytes = 16;

// Whether so many elements are an asynchronous copy to shared memory on CUDA, of 4 bytes at least.
// Packed elements have other bytes there.
inline bool isCopiedAsync(DataType dtype, int64_t elements) {
  constexpr int64_t kLeastBits = 8 * int64_t{sizeof(uint32_t)};
  return info(dtype).bits >= 8 && elements * info(dtype).bits >= kLeastBits;
}

struct DeviceMemory {
  // Whether the host reads and writes it like its own.
  bool isHost;
  // Whether a complex number is loaded at once, not as two real ones.
  bool loadsComplexWhole;
  // Bytes of the widest access whose address must be a multiple of them; 1 where those of several
  // elements take any address.
  int64_t widestAccess;

  // Bytes that the address of an element must be a multiple of.
  int64_t elementAlignment(DataType dtype) const {
    return std::max(info(loadsComplexWhole ? dtype : realTypeOf(dtype)).bits, 8) / 8;
  }
  // What the alignment of an address can make a difference up to.
  int64_t alignmentLimit(DataType dtype) const {
    return std::max(widestAccess, elementAlignment(dtype));
  }
};

inline const DeviceMemory& memoryOf(Device device) {
  // In the order of DeviceType.
  static constexpr std::array<DeviceMemory, kNumDeviceTypes> kTable{{
      {.isHost = true, .loadsComplexWhole = false, .widestAccess = 1},
      {.isHost = false, .loadsComplexWhole = true, .widestAccess = kVectorBytes},
  }};
  return kTable[static_cast<size_t>(device.type)];
}

}  // namespace nvfuser
