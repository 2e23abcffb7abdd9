// Checks that kernel IR is what the emitters take for granted.
#pragma once

#include <string>
#include <vector>

#include "lower/kernel.h"

namespace nvfuser {

// What is wrong with a phase; empty: nothing.
//
// - Every symbol that the kernel gives values itself is used only where it has one, and has no
//   second one there.
// - Every tensor that is accessed has memory, and a constant index into a buffer of constant size
//   is inside of it.
// - All threads of a block reach its barriers.
// - Indices are integers, conditions are of dtype Bool, and what is copied or assigned has a dtype
//   that the result can take.
std::vector<std::string> complaintsAbout(const kir::Kernel& kernel, const kir::Phase& phase);

// Raises where there is something wrong: `after` is the pass that ran last.
void verify(const kir::Kernel& kernel, const kir::Phase& phase, const std::string& after);

// Whether kernels are verified: in debug builds, or with NVFUSER_ENABLE=verify_kernels.
bool verifiesKernels();

}  // namespace nvfuser
