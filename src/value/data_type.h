// DataType: the element and scalar types of the IR, and their properties, in one table.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace nvfuser {

namespace dlpack {

enum class TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  BFloat = 4,
  Complex = 5,
  Bool = 6,
  Float8_e4m3fn = 10,
  Float8_e5m2 = 12,
  Float8_e8m0fnu = 14,
  Float4_e2m1fn = 17
};

// A dtype is its kind, bits per lane, and lanes per element.
struct ElementType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

}  // namespace dlpack

enum class DataType : uint8_t {
  Double,
  Float,
  Half,
  Int,
  Int32,
  Int16,
  Int8,
  UInt8,
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

// All that is told of a dtype anywhere: nothing else lists dtypes but what is true of single ones.
struct DataTypeInfo {
  const char* name;    // the enumerator, as Python sees it
  const char* irName;  // as printed in the IR
  const char* summary;
  TypeKind kind;
  bool isSigned;
  int bits;               // storage bits of one element; Index counts as int64
  int significandBits;    // explicit precision of floating types, for promotion among them
  const char* torchName;  // that of NumPy, too; null where torch has no such dtype
  // The kind in the array interface of NumPy; 0 where NumPy itself has no such dtype.
  char numpyKind;
  // DLPack's code and lanes, of `bits` bits in all; 0 lanes where DLPack has no such dtype or where
  // another one stands for it.
  dlpack::TypeCode dlpackCode;
  uint8_t dlpackLanes;
  // What LLVM calls a value in a register, and the suffix of functions of the inline math library.
  const char* llvmType;
  const char* llvmSuffix;
  // What CUDA C++ calls a variable, and the suffix of functions of the device library: templates
  // for integers, overloads for complex numbers.
  const char* cudaType;
  const char* cudaSuffix;
  // What both libraries call a type that is only stored, in the names of conversions.
  const char* storageName;
};

const DataTypeInfo& info(DataType dtype);

inline TypeKind kindOf(DataType dtype) { return info(dtype).kind; }
inline bool isBooleanType(DataType dtype) { return kindOf(dtype) == TypeKind::Bool; }
inline bool isIntegralType(DataType dtype) { return kindOf(dtype) == TypeKind::Integral; }
inline bool isFloatingPointType(DataType dtype) { return kindOf(dtype) == TypeKind::Floating; }
inline bool isComplexType(DataType dtype) { return kindOf(dtype) == TypeKind::Complex; }
// Bool and the types of integers.
inline bool isExactType(DataType dtype) { return kindOf(dtype) <= TypeKind::Integral; }
// Integers whose range is within that of Int32.
inline bool isNarrowInteger(DataType dtype) {
  return isIntegralType(dtype) && info(dtype).bits < 32;
}

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

// The bounds of a type of integers. Those of UInt64 are held in the bits of an int64_t.
int64_t lowestInteger(DataType dtype);
int64_t highestInteger(DataType dtype);
// The low bits of `value` as an integer of `dtype`.
int64_t wrapInteger(int64_t value, DataType dtype);

// The DataType with this representation, Null where there is none.
DataType fromDlpack(dlpack::ElementType type);
// That of NumPy's kind and size; Null for the dtypes of other packages.
DataType fromNumpy(char kind, int itemSize);
// That with this name in torch and NumPy, Null where there is none.
DataType fromTorchName(std::string_view name);

std::ostream& operator<<(std::ostream& os, DataType dtype);
std::string toString(DataType dtype);

}  // namespace nvfuser
