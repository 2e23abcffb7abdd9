#include "value/data_type.h"

#include <array>
#include <ostream>

#include "core/error.h"

namespace nvfuser {

namespace {
using enum TypeKind;
constexpr std::array<DataTypeInfo, kNumDataTypes> kInfo{{
    {"Double", "double", Floating, 64, 53},
    {"Float", "float", Floating, 32, 24},
    {"Half", "__half", Floating, 16, 11},
    {"Int", "int64_t", Integral, 64, 0},
    {"Int32", "int", Integral, 32, 0},
    {"UInt64", "uint64_t", Integral, 64, 0},
    {"Index", "nvfuser_index_t", Integral, 64, 0},
    {"Bool", "bool", TypeKind::Bool, 8, 0},
    {"BFloat16", "__bfloat", Floating, 16, 8},
    {"Float8_e4m3fn", "__e4m3", Floating, 8, 4},
    {"Float8_e5m2", "__e5m2", Floating, 8, 3},
    {"Float8_e8m0fnu", "__e8m0", Floating, 8, 1},
    {"Float4_e2m1fn", "__e2m1", Floating, 4, 2},
    {"Float4_e2m1fn_x2", "__e2m1_x2", Floating, 8, 2},
    {"ComplexFloat", "std::complex<float>", Complex, 64, 24},
    {"ComplexDouble", "std::complex<double>", Complex, 128, 53},
    {"Null", "null_type", None, 0, 0},
    {"FloatMoments", "moments<float>", None, 96, 0},
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
      if (a == DataType::Int || b == DataType::Int) {
        return DataType::Int;
      }
      if (a == DataType::UInt64 || b == DataType::UInt64) {
        return DataType::UInt64;
      }
      return DataType::Index;
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

std::ostream& operator<<(std::ostream& os, DataType dtype) { return os << info(dtype).irName; }

std::string toString(DataType dtype) { return info(dtype).irName; }

}  // namespace nvfuser
