// What a communicator can be built on: accepted, there is none of any kind here.
#pragma once

#include <cstdint>

namespace nvfuser {

enum class CommunicatorBackend : uint8_t { Nccl, Ucc, Cuda };

}  // namespace nvfuser
