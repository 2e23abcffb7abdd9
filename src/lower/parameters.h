// The scalars that a kernel is given at launch.
#pragma once

#include "lower/kernel.h"

namespace nvfuser {

// Adds the symbols that the kernel uses and does not give values itself to its parameters.
void addScalarParameters(kir::Kernel& kernel);

}  // namespace nvfuser
