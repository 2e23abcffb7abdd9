// Kernel IR -> textual LLVM IR for the CPU backend.
#pragma once

#include <string>

#include "lower/kernel.h"

namespace nvfuser {

// A module with one function a phase, named `<kernel>_phase<k>`:
//
//   void f(ptr arguments, i64 begin, i64 end, ptr scratch)
//
// `arguments` is an array of 8-byte slots, one for each kernel parameter in order (complex scalars
// take two); [begin, end) is the part of the phase's parallel loop to run; `scratch` points at the
// worker's own memory. Functions named @nvf.* are left for the compile step to provide.
std::string emitLlvm(const kir::Kernel& kernel);

}  // namespace nvfuser
