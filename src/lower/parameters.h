// The scalars that a kernel is given at launch.
#pragma once

#include "lower/kernel.h"

namespace nvfuser {

// Adds the symbols that the kernel uses and does not give values itself to its parameters. Where
// threads would all compute the same from sizes, `hoists` leaves that to the host: expressions of
// sizes are parameters, too, and so is what indices are divided by.
void addScalarParameters(kir::Kernel& kernel, bool hoists);

}  // namespace nvfuser
