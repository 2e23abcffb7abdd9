// Kernels as functions that the blocks of one launch call.
#pragma once

#include <string>
#include <vector>

#include "lower/kernel.h"

namespace nvfuser::cuda {

// The last parameter of such a function: which block of its own kernel's grid it is.
inline constexpr const char* kOwnBlock = "own_block";

struct MemberText {
  std::string text;
  // Declarations of the other parameters.
  std::vector<std::string> parameters;
  // Of a block, at most; 0: not known.
  int64_t threads = 0;
};

// A kernel of one phase as such a function.
MemberText emitMember(const kir::Kernel& kernel, const std::string& function);

}  // namespace nvfuser::cuda
