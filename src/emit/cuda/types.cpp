#include "emit/cuda/types.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "emit/common.h"

namespace nvfuser::cuda {

namespace {

// The shortest text that reads as the same number.
template <typename T>
std::string shortest(T value) {
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  std::string text(buffer, result.ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string floating(double value, DataType dtype) {
  const bool isDouble = dtype == DataType::Double;
  if (std::isnan(value)) {
    return isDouble ? "nvf::nan_f64()" : "nvf::nan_f32()";
  }
  if (std::isinf(value)) {
    return std::string(value < 0 ? "-" : "") +
           (isDouble ? "nvf::infinity_f64()" : "nvf::infinity_f32()");
  }
  return isDouble ? shortest(value) : shortest(static_cast<float>(value)) + "f";
}

std::string integral(int64_t value, DataType dtype) {
  switch (dtype) {
    case DataType::UInt64:
      return std::to_string(static_cast<uint64_t>(value)) + "ull";
    case DataType::Int32:
      // The magnitude of the lowest number is no literal of its type.
      return value == std::numeric_limits<int32_t>::min() ? "(-2147483647 - 1)"
                                                          : std::to_string(value);
    default:
      return value == std::numeric_limits<int64_t>::min() ? "(-9223372036854775807ll - 1)"
                                                          : std::to_string(value) + "ll";
  }
}

}  // namespace

std::string parenthesized(const Term& term) {
  return term.isPrimary ? term.text : "(" + term.text + ")";
}

const char* typeName(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "double";
    case DataType::Float:
      return "float";
    case DataType::Half:
      return "nvf::half";
    case DataType::BFloat16:
      return "nvf::bfloat16";
    case DataType::Int:
    case DataType::Index:
      return "long long";
    case DataType::UInt64:
      return "unsigned long long";
    case DataType::Int32:
      return "int";
    case DataType::Bool:
      return "bool";
    case DataType::Float8_e4m3fn:
      return "nvf::float8_e4m3fn";
    case DataType::Float8_e5m2:
      return "nvf::float8_e5m2";
    case DataType::Float8_e8m0fnu:
      return "nvf::float8_e8m0fnu";
    case DataType::Float4_e2m1fn:
      return "nvf::float4_e2m1fn";
    case DataType::ComplexFloat:
      return "nvf::complex_f32";
    case DataType::ComplexDouble:
      return "nvf::complex_f64";
    case DataType::FloatMoments:
      return "nvf::moments_f32";
    default:
      fail("No CUDA type for ", dtype);
  }
}

const char* memoryTypeName(DataType dtype) {
  // Any byte but 0 is true, whatever wrote it.
  return dtype == DataType::Bool ? "unsigned char" : typeName(dtype);
}

const char* librarySuffix(DataType dtype) {
  switch (dtype) {
    case DataType::Double:
      return "f64";
    case DataType::Float:
      return "f32";
    case DataType::Int:
    case DataType::Index:
    case DataType::UInt64:
    case DataType::Int32:
      // Templates.
      return "int";
    case DataType::Bool:
      return "bool";
    case DataType::ComplexFloat:
    case DataType::ComplexDouble:
      // Overloaded.
      return "complex";
    default:
      fail("No arithmetic is defined on ", dtype);
  }
}

Term constant(const PolymorphicValue& value, DataType dtype) {
  if (dtype == DataType::FloatMoments) {
    return {"nvf::moments_f32{}", dtype};  // of no values
  }
  const PolymorphicValue cast = castScalar(value, dtype);
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return {cast.as<bool>() ? "true" : "false", dtype, true, cast};
    case TypeKind::Integral: {
      const auto number = cast.as<int64_t>();
      return {integral(number, dtype), dtype, dtype == DataType::UInt64 || number >= 0, cast};
    }
    case TypeKind::Floating: {
      const auto number = cast.as<double>();
      if (isReducedPrecision(dtype)) {
        return {std::string("nvf::to_") + storageName(dtype) + "(" +
                    floating(number, DataType::Float) + ")",
                dtype};
      }
      return {floating(number, dtype), dtype, !std::signbit(number), cast};
    }
    default: {
      const auto z = cast.as<std::complex<double>>();
      const DataType part = realTypeOf(dtype);
      return {std::string(typeName(dtype)) + "{" + floating(z.real(), part) + ", " +
                  floating(z.imag(), part) + "}",
              dtype, true, cast};
    }
  }
}

}  // namespace nvfuser::cuda
