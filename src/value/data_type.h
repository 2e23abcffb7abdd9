// DataType: the element and scalar types of the IR, and their properties, in one table.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "value/data_type_table.h"

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

// The order of the rows of the table.
enum class DataType : uint8_t {
#define X(enumerator, ...) enumerator,
  NVF_DATA_TYPES(X)
#undef X
};
inline constexpr int kNumDataTypes = static_cast<int>(DataType::FloatMoments) + 1;

// bool < int < float < complex: the order of PyTorch's promotion.
enum class TypeKind : uint8_t { Bool, Integral, Floating, Complex, None };

// What a language calls a dtype: a variable, an element in memory, and the suffix of functions of
// its math library, null where nothing is computed in the dtype.
struct TypeNames {
  const char* variable;
  const char* memory;
  const char* suffix;
};

// A row of data_type_table.h, which says what the columns are: nothing else lists dtypes but what
// is true of single ones.
struct DataTypeInfo {
  const char* name;    // the enumerator, as Python sees it
  const char* irName;  // as printed in the IR
  const char* summary;
  TypeKind kind;
  bool isSigned;
  int bits;
  int significandBits;
  DataType compute;
  DataType part;
  double lowest;
  double highest;
  const char* torchName;
  char numpyKind;
  dlpack::TypeCode dlpackCode;
  uint8_t dlpackLanes;
  TypeNames llvm;
  TypeNames cuda;
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
// The type of integers that floating point is converted to on its way to integers of `dtype`, which
// are its low bits: the narrowest one of at least 32 bits, signed, that has all their values; for
// the widest, the type itself.
inline DataType convertedThrough(DataType dtype) {
  if (isNarrowInteger(dtype)) {
    return DataType::Int32;
  }
  return info(dtype).bits < 64 && !info(dtype).isSigned ? DataType::Int : dtype;
}

// The dtype in which values of `dtype` are computed.
inline DataType computeType(DataType dtype) { return info(dtype).compute; }
// Half, BFloat16, the fp8 types and fp4: stored narrow, computed in Float.
inline bool isReducedPrecision(DataType dtype) { return computeType(dtype) != dtype; }
// ComplexFloat -> Float, ComplexDouble -> Double, others unchanged.
inline DataType realTypeOf(DataType dtype) { return info(dtype).part; }

// Whether an element has 1, 2, 4 or 8 bytes, as the lanes of vectors have.
inline bool fitsVectorLane(DataType dtype) {
  return info(dtype).bits >= 8 && info(dtype).bits <= 64;
}

// Bytes of `count` contiguous elements; fp4 packs two elements into a byte.
inline int64_t bytesOf(DataType dtype, int64_t count) { return (count * info(dtype).bits + 7) / 8; }

// Double -> ComplexDouble, other real types -> ComplexFloat.
DataType complexTypeOf(DataType dtype);
// The dtype of two operands of the same standing (two tensors, or two scalars): the higher kind,
// and within a kind the narrowest type that holds the values of both; Half with BFloat16 gives
// Float.
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
