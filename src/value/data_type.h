// DataType: the element and scalar types of the IR, and their properties, in one table.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>

namespace nvfuser {

enum class DataType : uint8_t {
  Double,
  Float,
  Half,
  Int,
  Int32,
  UInt64,
  Index,
  Bool,
  BFloat16,
  Float8_e4m3fn,
  Float8_e5m2,
  Float8_e8m0fnu,
  Float4_e2m1fn,
  Float4_e2m1fn_x2,
  ComplexFloat,
  ComplexDouble,
  Null,
  // Inside kernels only: mean, sum of squared deviations and number of Floats.
  FloatMoments
};
inline constexpr int kNumDataTypes = static_cast<int>(DataType::FloatMoments) + 1;

// bool < int < float < complex: the order of PyTorch's promotion.
enum class TypeKind : uint8_t { Bool, Integral, Floating, Complex, None };

struct DataTypeInfo {
  const char* name;    // the enumerator, as Python sees it
  const char* irName;  // as printed in the IR
  TypeKind kind;
  int bits;             // storage bits of one element; Index counts as int64
  int significandBits;  // explicit precision of floating types, for promotion among them
};

const DataTypeInfo& info(DataType dtype);

inline TypeKind kindOf(DataType dtype) { return info(dtype).kind; }
inline bool isBooleanType(DataType dtype) { return kindOf(dtype) == TypeKind::Bool; }
inline bool isIntegralType(DataType dtype) { return kindOf(dtype) == TypeKind::Integral; }
inline bool isFloatingPointType(DataType dtype) { return kindOf(dtype) == TypeKind::Floating; }
inline bool isComplexType(DataType dtype) { return kindOf(dtype) == TypeKind::Complex; }

// Half, BFloat16, the fp8 types and fp4: stored narrow, computed in Float.
inline bool isReducedPrecision(DataType dtype) {
  return isFloatingPointType(dtype) && dtype != DataType::Double && dtype != DataType::Float;
}

// Whether an element has 1, 2, 4 or 8 bytes, as the lanes of vectors have.
inline bool fitsVectorLane(DataType dtype) {
  return info(dtype).bits >= 8 && info(dtype).bits <= 64;
}

// Bytes of `count` contiguous elements; fp4 packs two elements into a byte.
inline int64_t bytesOf(DataType dtype, int64_t count) { return (count * info(dtype).bits + 7) / 8; }

// The dtype in which values of `dtype` are computed.
DataType computeType(DataType dtype);
// ComplexFloat -> Float, ComplexDouble -> Double, others unchanged.
DataType realTypeOf(DataType dtype);
// Double -> ComplexDouble, other real types -> ComplexFloat.
DataType complexTypeOf(DataType dtype);
// The dtype of two operands of the same standing (two tensors, or two scalars): the higher kind,
// and within a kind the wider type; Half with BFloat16 gives Float.
DataType promoteTypes(DataType a, DataType b);

std::ostream& operator<<(std::ostream& os, DataType dtype);
std::string toString(DataType dtype);

}  // namespace nvfuser
