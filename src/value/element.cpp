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

// The number with these bits in one of the narrow formats: sign, exponent and significand. Those
// with infinities keep the largest exponent for them and for NaN (IEEE 754), the others keep all
// bits set for NaN. The one without a sign is a power of two.
double decode(uint32_t bits, const DataTypeInfo& format) {
  const int mantissaBits = format.significandBits - 1;
  const int exponentBits = format.bits - mantissaBits - (format.isSigned ? 1 : 0);
  const uint32_t ones = (1U << mantissaBits) - 1;
  const uint32_t mantissa = bits & ones;
  const int largest = (1 << exponentBits) - 1;
  const auto exponent = static_cast<int>(bits >> mantissaBits) & largest;
  const bool isNegative = format.isSigned && (bits >> (format.bits - 1) & 1U) != 0;
  const double sign = isNegative ? -1.0 : 1.0;
  if (exponent == largest && std::isinf(format.highest)) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == largest && mantissa == ones) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const int bias = (1 << (exponentBits - 1)) - 1;
  if (exponent == 0 && format.isSigned) {
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  }
  return sign * std::ldexp(mantissa + (1U << mantissaBits), exponent - bias - mantissaBits);
}

// The low bits are the first bytes: machines are little-endian.
int64_t loadBits(const void* data, int bits) {
  int64_t value = 0;
  std::memcpy(&value, data, static_cast<size_t>(bits) / 8);
  return value;
}

}  // namespace

PolymorphicValue readElement(const Tensor& tensor) {
  const DataTypeInfo& type = info(tensor.dtype);
  const void* data = tensor.data;
  switch (type.kind) {
    case TypeKind::Bool:
      return load<uint8_t>(data) != 0;
    case TypeKind::Integral:
      return wrapInteger(loadBits(data, type.bits), tensor.dtype);
    case TypeKind::Floating:
      if (type.bits == 64) {
        return load<double>(data);
      }
      if (type.bits == 32) {
        return static_cast<double>(load<float>(data));
      }
      if (type.dlpackLanes == 1) {
        return decode(static_cast<uint32_t>(loadBits(data, type.bits)), type);
      }
      break;  // of packed types an element is no value
    case TypeKind::Complex: {
      if (type.bits == 128) {
        return load<std::complex<double>>(data);
      }
      const auto z = load<std::complex<float>>(data);
      return std::complex<double>(z.real(), z.imag());
    }
    case TypeKind::None:
      break;
  }
  fail("Elements of dtype ", tensor.dtype, " cannot be read on the host");
}

}  // namespace nvfuser
