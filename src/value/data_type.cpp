#include "value/data_type.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>

#include "core/error.h"

namespace nvfuser {

namespace {
using enum TypeKind;
using dlpack::TypeCode;
constexpr std::array<DataTypeInfo, kNumDataTypes> kInfo{{
    {"Double", "double", "64-bit floating point", Floating, true, 64, 53, "float64", 'f',
     TypeCode::Float, 1, "double", "f64", "double", "f64", nullptr},
    {"Float", "float", "32-bit floating point", Floating, true, 32, 24, "float32", 'f',
     TypeCode::Float, 1, "float", "f32", "float", "f32", nullptr},
    {"Half", "__half", "16-bit IEEE floating point", Floating, true, 16, 11, "float16", 'f',
     TypeCode::Float, 1, "i16", nullptr, "nvf::half", nullptr, "half"},
    {"Int", "int64_t", "64-bit signed integer", Integral, true, 64, 0, "int64", 'i', TypeCode::Int,
     1, "i64", "i64", "long long", "int", nullptr},
    {"Int32", "int", "32-bit signed integer", Integral, true, 32, 0, "int32", 'i', TypeCode::Int, 1,
     "i32", "i32", "int", "int", nullptr},
    {"Int16", "int16_t", "16-bit signed integer", Integral, true, 16, 0, "int16", 'i',
     TypeCode::Int, 1, "i16", "i16", "short", "int", nullptr},
    {"Int8", "int8_t", "8-bit signed integer", Integral, true, 8, 0, "int8", 'i', TypeCode::Int, 1,
     "i8", "i8", "signed char", "int", nullptr},
    {"UInt8", "uint8_t", "8-bit unsigned integer", Integral, false, 8, 0, "uint8", 'u',
     TypeCode::UInt, 1, "i8", "u8", "unsigned char", "int", nullptr},
    {"UInt64", "uint64_t", "64-bit unsigned integer", Integral, false, 64, 0, "uint64", 'u',
     TypeCode::UInt, 1, "i64", "u64", "unsigned long long", "int", nullptr},
    {"Index", "nvfuser_index_t", "integer of extents and indices; int64 as a tensor", Integral,
     true, 64, 0, "int64", '\0', TypeCode::Int, 0, "i64", "i64", "long long", "int", nullptr},
    {"Bool", "bool", "truth value", TypeKind::Bool, false, 8, 0, "bool", 'b', TypeCode::Bool, 1,
     "i1", "i1", "bool", "bool", nullptr},
    {"BFloat16", "__bfloat", "16-bit floating point with the range of Float", Floating, true, 16, 8,
     "bfloat16", '\0', TypeCode::BFloat, 1, "i16", nullptr, "nvf::bfloat16", nullptr, "bfloat16"},
    {"Float8_e4m3fn", "__e4m3", "8-bit floating point, largest value 448", Floating, true, 8, 4,
     "float8_e4m3fn", '\0', TypeCode::Float8_e4m3fn, 1, "i8", nullptr, "nvf::float8_e4m3fn",
     nullptr, "float8_e4m3fn"},
    {"Float8_e5m2", "__e5m2", "8-bit floating point with infinities", Floating, true, 8, 3,
     "float8_e5m2", '\0', TypeCode::Float8_e5m2, 1, "i8", nullptr, "nvf::float8_e5m2", nullptr,
     "float8_e5m2"},
    {"Float8_e8m0fnu", "__e8m0", "power of two, the scale of a block", Floating, false, 8, 1,
     "float8_e8m0fnu", '\0', TypeCode::Float8_e8m0fnu, 1, "i8", nullptr, "nvf::float8_e8m0fnu",
     nullptr, "float8_e8m0fnu"},
    {"Float4_e2m1fn", "__e2m1", "4-bit floating point, largest value 6", Floating, true, 4, 2,
     nullptr, '\0', TypeCode::Float4_e2m1fn, 0, "i8", nullptr, "nvf::float4_e2m1fn", nullptr,
     "float4_e2m1fn"},
    {"Float4_e2m1fn_x2", "__e2m1_x2", "two Float4_e2m1fn in a byte", Floating, true, 8, 2,
     "float4_e2m1fn_x2", '\0', TypeCode::Float4_e2m1fn, 2, "i8", nullptr, nullptr, nullptr,
     nullptr},
    {"ComplexFloat", "std::complex<float>", "complex number of two Floats", Complex, true, 64, 24,
     "complex64", 'c', TypeCode::Complex, 1, "{ float, float }", "c64", "nvf::complex_f32",
     "complex", nullptr},
    {"ComplexDouble", "std::complex<double>", "complex number of two Doubles", Complex, true, 128,
     53, "complex128", 'c', TypeCode::Complex, 1, "{ double, double }", "c128", "nvf::complex_f64",
     "complex", nullptr},
    {"Null", "null_type", "no dtype; stands for one that is not given", None, false, 0, 0, nullptr,
     '\0', TypeCode::Int, 0, nullptr, nullptr, nullptr, nullptr, nullptr},
    {"FloatMoments", "moments<float>", "", None, false, 96, 0, nullptr, '\0', TypeCode::Int, 0,
     "{ float, float, float }", "m32", "nvf::moments_f32", nullptr, nullptr},
}};
}  // namespace

const DataTypeInfo& info(DataType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

DataType computeType(DataType dtype) { return isReducedPrecision(dtype) ? DataType::Float : dtype; }

DataType realTypeOf(DataType dtype) {
  switch (dtype) {
    case DataType::ComplexFloat:
      return DataType::Float;
    case DataType::ComplexDouble:
      return DataType::Double;
    default:
      return dtype;
  }
}

DataType complexTypeOf(DataType dtype) {
  return dtype == DataType::Double || dtype == DataType::ComplexDouble ? DataType::ComplexDouble
                                                                       : DataType::ComplexFloat;
}

DataType promoteTypes(DataType a, DataType b) {
  if (a == b || b == DataType::Null) {
    return a;
  }
  if (a == DataType::Null) {
    return b;
  }
  if (kindOf(a) != kindOf(b)) {
    const DataType high = kindOf(a) > kindOf(b) ? a : b;
    const DataType low = kindOf(a) > kindOf(b) ? b : a;
    // complex64 with float64 is complex128
    return high == DataType::ComplexFloat && low == DataType::Double ? DataType::ComplexDouble
                                                                     : high;
  }
  switch (kindOf(a)) {
    case TypeKind::Integral: {
      for (const DataType wide : {DataType::Int, DataType::UInt64, DataType::Index}) {
        if (a == wide || b == wide) {
          return wide;
        }
      }
      // Int8 with UInt8: the narrowest that holds the values of both.
      const DataType wider = info(a).bits >= info(b).bits ? a : b;
      return info(a).bits == info(b).bits ? DataType::Int16 : wider;
    }
    case TypeKind::Floating: {
      if (a == DataType::Double || b == DataType::Double) {
        return DataType::Double;
      }
      // Two different reduced-precision types (or one of them with Float) meet in Float.
      return DataType::Float;
    }
    case TypeKind::Complex:
      return DataType::ComplexDouble;
    default:
      return a;
  }
}

int64_t lowestInteger(DataType dtype) {
  return info(dtype).isSigned ? std::numeric_limits<int64_t>::min() >> (64 - info(dtype).bits) : 0;
}

int64_t highestInteger(DataType dtype) {
  const int valueBits = info(dtype).bits - (info(dtype).isSigned ? 1 : 0);
  return static_cast<int64_t>(~uint64_t{0} >> (64 - valueBits));
}

int64_t wrapInteger(int64_t value, DataType dtype) {
  const int unused = 64 - info(dtype).bits;
  const uint64_t high = static_cast<uint64_t>(value) << unused;
  return info(dtype).isSigned ? static_cast<int64_t>(high) >> unused
                              : static_cast<int64_t>(high >> unused);
}

namespace {

DataType find(auto isWanted) {
  const auto* found = std::ranges::find_if(kInfo, isWanted);
  return found == kInfo.end() ? DataType::Null : static_cast<DataType>(found - kInfo.begin());
}

}  // namespace

DataType fromDlpack(dlpack::ElementType type) {
  return find([&](const DataTypeInfo& each) {
    return each.dlpackLanes != 0 && each.dlpackLanes == type.lanes &&
           each.bits == type.bits * type.lanes &&
           static_cast<uint8_t>(each.dlpackCode) == type.code;
  });
}

DataType fromNumpy(char kind, int itemSize) {
  return find([&](const DataTypeInfo& each) {
    return each.numpyKind != '\0' && each.numpyKind == kind && each.bits == 8 * itemSize;
  });
}

DataType fromTorchName(std::string_view name) {
  return find([&](const DataTypeInfo& each) {
    return each.torchName != nullptr && each.torchName == name;
  });
}

std::ostream& operator<<(std::ostream& os, DataType dtype) { return os << info(dtype).irName; }

std::string toString(DataType dtype) { return info(dtype).irName; }

}  // namespace nvfuser
