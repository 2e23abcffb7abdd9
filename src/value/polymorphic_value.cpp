#include "value/polymorphic_value.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "core/hash.h"

template struct dynamic_type::DynamicType<
    dynamic_type::Containers<std::vector>, nvfuser::StructHandle, nvfuser::Pointer, nvfuser::Opaque,
    nvfuser::Tensor, std::complex<double>, double, int64_t, bool>;

namespace nvfuser {

DataType scalarTypeOf(const PolymorphicValue& value) {
  if (value.is<bool>()) {
    return DataType::Bool;
  }
  if (value.is<int64_t>()) {
    return DataType::Int;
  }
  if (value.is<double>()) {
    return DataType::Double;
  }
  if (value.is<std::complex<double>>()) {
    return DataType::ComplexDouble;
  }
  fail("Expected a scalar (bool, int, float or complex) but got ", toString(value));
}

namespace {

// Converts like the generated code does: saturating, NaN becomes zero. What narrower integers are
// converted through wraps around.
int64_t toInteger(double value, DataType dtype) {
  if (const DataType through = convertedThrough(dtype); through != dtype) {
    return wrapInteger(toInteger(value, through), dtype);
  }
  if (std::isnan(value)) {
    return 0;
  }
  const bool is32 = dtype == DataType::Int32;
  if (value <= (is32 ? -0x1p31 : -0x1p63)) {
    return lowestInteger(is32 ? dtype : DataType::Int);
  }
  if (value >= (is32 ? 0x1p31 - 1 : 0x1p63)) {
    return highestInteger(is32 ? dtype : DataType::Int);
  }
  return static_cast<int64_t>(value);
}

}  // namespace

PolymorphicValue castScalar(const PolymorphicValue& value, DataType dtype) {
  const bool isComplex = value.is<std::complex<double>>();
  const auto real = [&]() -> double {
    if (value.is<double>()) {
      return value.as<double>();
    }
    if (value.is<int64_t>()) {
      return static_cast<double>(value.as<int64_t>());
    }
    if (value.is<bool>()) {
      return value.as<bool>() ? 1.0 : 0.0;
    }
    return value.as<std::complex<double>>().real();
  };
  NVF_CHECK(isComplex || value.is<double>() || value.is<int64_t>() || value.is<bool>(),
            "Expected a scalar of type ", dtype, " but got ", toString(value));
  switch (kindOf(dtype)) {
    case TypeKind::Bool:
      return isComplex ? value.as<std::complex<double>>() != std::complex<double>(0.0)
                       : PolymorphicValue(real() != 0.0);
    case TypeKind::Integral:
      if (value.is<int64_t>()) {
        return wrapInteger(value.as<int64_t>(), dtype);
      }
      return toInteger(real(), dtype);
    case TypeKind::Floating:
      // Float constants are rounded once here; narrower types are rounded where they are stored.
      return dtype == DataType::Double ? real() : static_cast<double>(static_cast<float>(real()));
    case TypeKind::Complex: {
      const std::complex<double> z =
          isComplex ? value.as<std::complex<double>>() : std::complex<double>(real(), 0.0);
      if (dtype == DataType::ComplexDouble) {
        return z;
      }
      return std::complex<double>(static_cast<float>(z.real()), static_cast<float>(z.imag()));
    }
    case TypeKind::None:
      break;
  }
  fail("Cannot convert ", toString(value), " to ", dtype);
}

PolymorphicValue castScalar(const PolymorphicValue& value, DataType from, DataType to) {
  const TypeKind kind = kindOf(to);
  if (from == DataType::UInt64 && value.is<int64_t>() &&
      (kind == TypeKind::Floating || kind == TypeKind::Complex)) {
    return castScalar(static_cast<double>(static_cast<uint64_t>(value.as<int64_t>())), to);
  }
  return castScalar(value, to);
}

bool isInRange(const PolymorphicValue& value, DataType dtype) {
  return !value.is<int64_t>() || !isIntegralType(dtype) ||
         wrapInteger(value.as<int64_t>(), dtype) == value.as<int64_t>();
}

namespace {

std::string shortest(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  char buffer[64];
  const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

}  // namespace

std::string toString(const PolymorphicValue& value) {
  if (value.isNull()) {
    return "none";
  }
  if (value.is<bool>()) {
    return value.as<bool>() ? "true" : "false";
  }
  if (value.is<int64_t>()) {
    return std::to_string(value.as<int64_t>());
  }
  if (value.is<double>()) {
    return shortest(value.as<double>());
  }
  if (value.is<std::complex<double>>()) {
    const auto& z = value.as<std::complex<double>>();
    return "(" + shortest(z.real()) + "," + shortest(z.imag()) + ")";
  }
  if (value.is<Tensor>()) {
    const Tensor& tensor = value.as<Tensor>();
    std::string text = toString(tensor.dtype) + " tensor of shape [";
    for (int32_t i = 0; i < tensor.ndim; ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(tensor.sizes[i]);
    }
    return text + "] on " + toString(tensor.device);
  }
  if (value.is<std::vector>()) {
    std::string text = "[";
    for (const PolymorphicValue& item : value.as<std::vector>()) {
      text += (text.size() == 1 ? "" : ", ") + toString(item);
    }
    return text + "]";
  }
  return "a value of another kind";
}

size_t hashValue(const PolymorphicValue& value) {
  size_t seed = value.value.index();
  if (value.is<bool>()) {
    hashCombine(seed, value.as<bool>());
  } else if (value.is<int64_t>()) {
    hashCombine(seed, static_cast<size_t>(value.as<int64_t>()));
  } else if (value.is<double>()) {
    hashCombine(seed, std::bit_cast<uint64_t>(value.as<double>()));
  } else if (value.is<std::complex<double>>()) {
    const auto& z = value.as<std::complex<double>>();
    hashCombine(seed, std::bit_cast<uint64_t>(z.real()));
    hashCombine(seed, std::bit_cast<uint64_t>(z.imag()));
  }
  return seed;
}

bool sameValue(const PolymorphicValue& a, const PolymorphicValue& b) {
  if (a.value.index() != b.value.index()) {
    return false;
  }
  const auto sameBits = [](double x, double y) {
    return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  };
  if (a.is<double>()) {
    return sameBits(a.as<double>(), b.as<double>());
  }
  if (a.is<std::complex<double>>()) {
    const auto& x = a.as<std::complex<double>>();
    const auto& y = b.as<std::complex<double>>();
    return sameBits(x.real(), y.real()) && sameBits(x.imag(), y.imag());
  }
  return a.isNull() || a == b;
}

}  // namespace nvfuser
