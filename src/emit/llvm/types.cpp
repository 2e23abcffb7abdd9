#include "emit/llvm/types.h"

#include <bit>
#include <cstdio>

#include "core/error.h"

namespace nvfuser::llvm {

const char* registerType(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "double";
    case DataType::Float:
      return "float";
    case DataType::Half:
    case DataType::BFloat16:
      return "i16";
    case DataType::Int:
    case DataType::Index:
    case DataType::UInt64:
      return "i64";
    case DataType::Int32:
      return "i32";
    case DataType::Bool:
      return "i1";
    case DataType::ComplexFloat:
      return "{ float, float }";
    case DataType::ComplexDouble:
      return "{ double, double }";
    case DataType::FloatMoments:
      return "{ float, float, float }";
    default:
      return "i8";
  }
}

const char* memoryType(DataType dtype) {
  return dtype == DataType::Bool ? "i8" : registerType(dtype);
}

const char* complexPart(DataType dtype) {
  return dtype == DataType::ComplexDouble ? "double" : "float";
}

const char* librarySuffix(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "f64";
    case DataType::Float:
      return "f32";
    case DataType::Int:
    case DataType::Index:
      return "i64";
    case DataType::UInt64:
      return "u64";
    case DataType::Int32:
      return "i32";
    case DataType::Bool:
      return "i1";
    case DataType::ComplexFloat:
      return "c64";
    case DataType::ComplexDouble:
      return "c128";
    case DataType::FloatMoments:
      return "m32";
    default:
      fail("No arithmetic is defined on ", dtype);
  }
}

std::string hexDouble(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%016llX",
                static_cast<unsigned long long>(std::bit_cast<uint64_t>(value)));
  return text;
}

bool isSigned(DataType dtype) { return dtype != DataType::UInt64; }

}  // namespace nvfuser::llvm
