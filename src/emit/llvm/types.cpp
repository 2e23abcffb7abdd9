#include "emit/llvm/types.h"

#include <bit>
#include <cstdio>

#include "core/error.h"

namespace nvfuser::llvm {

const char* librarySuffix(DataType dtype) {
  const char* suffix = info(dtype).llvm.suffix;
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
