#include "value/element.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/error.h"

namespace nvfuser {

namespace {

template <typename T>
T load(const void* data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

// How the narrow formats mark what is not a finite number: with the largest exponent (IEEE 754)
// or with all bits set.
enum class Specials : uint8_t { Ieee, AllOnes };

double decode(uint32_t bits, int exponentBits, int mantissaBits, Specials specials) {
  const uint32_t mantissa = bits & ((1U << mantissaBits) - 1);
  const auto exponent = static_cast<int>((bits >> mantissaBits) & ((1U << exponentBits) - 1));
  const double sign = (bits >> (exponentBits + mantissaBits) & 1U) != 0 ? -1.0 : 1.0;
  const int largest = (1 << exponentBits) - 1;
  if (exponent == largest && specials == Specials::Ieee) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == largest && specials == Specials::AllOnes &&
      mantissa == (1U << mantissaBits) - 1) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == 0) {
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  }
  return sign * std::ldexp(mantissa + (1U << mantissaBits), exponent - bias - mantissaBits);
}

}  // namespace

PolymorphicValue readElement(const Tensor& tensor) {
  const void* data = tensor.data;
  switch (tensor.dtype) {
    case DataType::Double:
      return load<double>(data);
    case DataType::Float:
      return static_cast<double>(load<float>(data));
    case DataType::Half:
      return decode(load<uint16_t>(data), 5, 10, Specials::Ieee);
    case DataType::BFloat16:
      return decode(load<uint16_t>(data), 8, 7, Specials::Ieee);
    case DataType::Float8_e4m3fn:
      return decode(load<uint8_t>(data), 4, 3, Specials::AllOnes);
    case DataType::Float8_e5m2:
      return decode(load<uint8_t>(data), 5, 2, Specials::Ieee);
    case DataType::Float8_e8m0fnu: {
      const auto exponent = load<uint8_t>(data);
      return exponent == 255 ? std::numeric_limits<double>::quiet_NaN()
                             : std::ldexp(1.0, exponent - 127);
    }
    case DataType::Int:
    case DataType::UInt64:
    case DataType::Index:
      return load<int64_t>(data);
    case DataType::Int32:
      return static_cast<int64_t>(load<int32_t>(data));
    case DataType::Int16:
      return static_cast<int64_t>(load<int16_t>(data));
    case DataType::Int8:
      return static_cast<int64_t>(load<int8_t>(data));
    case DataType::UInt8:
      return static_cast<int64_t>(load<uint8_t>(data));
    case DataType::Bool:
      return load<uint8_t>(data) != 0;
    case DataType::ComplexFloat: {
      const auto z = load<std::complex<float>>(data);
      return std::complex<double>(z.real(), z.imag());
    }
    case DataType::ComplexDouble:
      return load<std::complex<double>>(data);
    case DataType::Float4_e2m1fn:
    case DataType::Float4_e2m1fn_x2:
    case DataType::Null:
    case DataType::FloatMoments:
      break;
  }
  fail("Elements of dtype ", tensor.dtype, " cannot be read on the host");
}

}  // namespace nvfuser
