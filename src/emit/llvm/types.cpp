#include "emit/llvm/types.h"

#include <bit>
#include <cstdio>

#include "core/error.h"

namespace nvfuser::llvm {

const char* memoryType(DataType dtype) {
  return dtype == DataType::Bool ? "i8" : registerType(dtype);
}

const char* complexPart(DataType dtype) {
  return dtype == DataType::ComplexDouble ? "double" : "float";
}

const char* librarySuffix(DataType dtype) {
  const char* suffix = info(dtype).llvmSuffix;
  NVF_INTERNAL_CHECK(suffix != nullptr, "no arithmetic is defined on ", dtype);
  return suffix;
}

std::string hexDouble(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%016llX",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}

}  // namespace nvfuser::llvm
