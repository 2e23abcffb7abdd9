// Lowering: a scheduled fusion becomes a kernel.
#pragma once

#include <memory>
#include <string>

#include "lower/kernel.h"

namespace nvfuser {

// Lowers `fusion` as it is scheduled, for a device whose workers run one iteration at a time (the
// CPU): parallel types other than the outermost grid loop mean serial loops. The fusion is owned by
// the caller and must outlive the kernel; memory types of tensors may be changed to what the kernel
// needs.
std::unique_ptr<kir::Kernel> lowerForCpu(Fusion* fusion, std::string name);

// Lowers `fusion` for CUDA: parallel types are blocks, threads, vectors and unrolled loops. What
// passes between threads that no barrier orders passes between kernels.
std::unique_ptr<kir::Kernel> lowerForCuda(Fusion* fusion, std::string name);

}  // namespace nvfuser
