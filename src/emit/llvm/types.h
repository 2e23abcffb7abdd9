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

const char* registerType(DataType dtype);
const char* memoryType(DataType dtype);
const char* complexPart(DataType dtype);
// The suffix of library functions.
const char* librarySuffix(DataType dtype);

std::string hexDouble(double value);
bool isSigned(DataType dtype);

}  // namespace nvfuser::llvm
