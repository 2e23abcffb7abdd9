// Lowering: a scheduled fusion becomes a kernel.
#pragma once

#include <memory>
#include <string>

#include "device/target.h"
#include "lower/kernel.h"

namespace nvfuser {

// Lowers `fusion` as it is scheduled, for what the target can do. Where it has threads, parallel
// types are blocks, threads, vectors and unrolled loops, and what passes between threads that no
// barrier orders passes between kernels. Where it has none, parallel types other than the outermost
// grid loop mean serial loops. The fusion is owned by the caller and must outlive the kernel;
// memory types of tensors may be changed to what the kernel needs.
//
// With `separates` a nest of loops whose threads would need values of each other is divided, which
// changes compute-at positions, and only raises where that is of no help. Schedules by hand mean
// what they say.
std::unique_ptr<kir::Kernel> lower(Fusion* fusion, std::string name, const Target& target,
                                   bool separates = false);

}  // namespace nvfuser
