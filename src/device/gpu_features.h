// What GPUs can do from some architecture on, where one scheduler asks for it.
#pragma once

#include "device/target.h"

namespace nvfuser {

// Whether several elements of single precision are added to memory by one access.
inline bool addsVectors(const GpuProperties& gpu) { return gpu.computeCapability >= 90; }

}  // namespace nvfuser
