// Values in registers and the names that LLVM and the inline math library have for their dtypes.
#pragma once

#include <string>

#include "value/data_type.h"

namespace nvfuser::llvm {

// A value in a register: its SSA name (or literal) and its dtype. Bool is i1, reduced-precision
// types are their storage bits.
struct Register {
  std::string name;
  DataType dtype;
};

inline const char* registerType(DataType dtype) { return info(dtype).llvm.variable; }
inline const char* memoryType(DataType dtype) { return info(dtype).llvm.memory; }
// The suffix of library functions.
const char* librarySuffix(DataType dtype);

std::string hexDouble(double value);

}  // namespace nvfuser::llvm
