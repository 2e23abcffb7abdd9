// What GPUs can do from some architecture on, where few ask for it.
#pragma once

#include "device/target.h"

namespace nvfuser {

// Whether 16 bytes, elements of single precision or of 16 bits, are added to memory by one access.
inline bool addsVectors(const GpuProperties& gpu) { return gpu.computeCapability >= 90; }

}  // namespace nvfuser
