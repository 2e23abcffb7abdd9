// Kernel IR -> CUDA C++ for the CUDA backend.
#pragma once

#include <string>

#include "lower/kernel.h"

namespace nvfuser {

// A translation unit with one `extern "C" __global__` function a phase, named `<kernel>_phase<k>`
// (phaseName() of lower/kernel.h). Its parameters are 8-byte slots in the order of the kernel's
// parameters (complex scalars take two), so that the array of slots is the argument block of the
// launch: pointers, `long long` for integers and Bool, `double` for floating-point numbers. The
// text needs the device library in front of it: nvfuser/cuda/library.py adds what is called.
std::string emitCuda(const kir::Kernel& kernel);

// The same of a group: one such function, whose blocks run along x. Its argument block has for each
// member, as often as that is there, the slots of the kernel and those of kir::GridSlot; then for
// all of these in order the number of the first block.
std::string emitCuda(const kir::KernelGroup& group);

}  // namespace nvfuser
