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
  const std::string suffix = info(dtype).bits == 64 ? "ll" : "";
  if (!info(dtype).isSigned && !isNarrowInteger(dtype)) {
    return std::to_string(static_cast<uint64_t>(value)) + "u" + suffix;
  }
  if (isNarrowInteger(dtype)) {
    return std::string("(") + typeName(dtype) + ")" +
           (value < 0 ? "(" + std::to_string(value) + ")" : std::to_string(value));
  }
  // The magnitude of the lowest number is no literal of its type.
  return value == lowestInteger(dtype) ? "(" + std::to_string(value + 1) + suffix + " - 1)"
                                       : std::to_string(value) + suffix;
}

}  // namespace

std::string parenthesized(const Term& term) {
  return term.isPrimary ? term.text : "(" + term.text + ")";
}

const char* typeName(DataType dtype) {
  const char* name = info(dtype).cuda.variable;
  NVF_INTERNAL_CHECK(name != nullptr, "no CUDA type for ", dtype);
  return name;
}

const char* memoryTypeName(DataType dtype) {
  const char* name = info(dtype).cuda.memory;
  NVF_INTERNAL_CHECK(name != nullptr, "no CUDA type for ", dtype);
  return name;
}

const char* librarySuffix(DataType dtype) {
  const char* suffix = info(dtype).cuda.suffix;
  NVF_INTERNAL_CHECK(suffix != nullptr, "no arithmetic is defined on ", dtype);
  return suffix;
}

Term constant(const PolymorphicValue& value, DataType dtype) {
  if (dtype == DataType::FloatMoments) {
    return {"nvf::moments_f32{}", dtype};  // of no values
  }
  if (dtype == DataType::FloatExponentials) {
    return {"nvf::no_exponentials()", dtype};
  }
  const PolymorphicValue cast = castScalar(value, dtype);
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return {cast.as<bool>() ? "true" : "false", dtype, true, cast};
    case TypeKind::Integral: {
      const auto number = cast.as<int64_t>();
      const bool isLiteral = !isNarrowInteger(dtype) && (!info(dtype).isSigned || number >= 0);
      return {integral(number, dtype), dtype, isLiteral, cast};
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
