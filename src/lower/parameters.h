// The scalars that a kernel is given at launch.
#pragma once

#include <unordered_set>

#include "lower/kernel.h"

namespace nvfuser {

// Adds the symbols that the kernel uses but does not compute to its parameters. `computed` are
// those that stand for indices of loops and the like.
void addScalarParameters(kir::Kernel& kernel, const std::unordered_set<const Val*>& computed);

}  // namespace nvfuser
