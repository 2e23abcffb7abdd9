// The passes over kernel IR, in the order in which they run.
#pragma once

#include <span>

#include "device/target.h"
#include "lower/kernel.h"

namespace nvfuser {

// What a pass works on.
struct PassContext {
  kir::Kernel& kernel;
  kir::Phase& phase;
  const Target& target;
};

struct KernelPass {
  const char* name;
  void (*run)(const PassContext& context);
  // Whether it runs where a target can do this.
  bool (*isFor)(const Capabilities& can);
  // What it is for, and why it runs where it stands.
  const char* purpose;
  const char* order;
};

// In the order in which they run. docs/design/lowering.md shows the table.
std::span<const KernelPass> kernelPasses();

// Runs those that are for the target, one after the other. NVFUSER_DUMP=kernel_ir_passes prints the
// phase after each of them, and the phase is verified (lower/verify.h) where that is on.
void runKernelPasses(const PassContext& context);

}  // namespace nvfuser
