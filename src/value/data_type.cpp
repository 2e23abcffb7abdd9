#include "value/data_type.h"

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>

#include "core/error.h"

namespace nvfuser {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

#define X(enumerator, printed, summary, kind, isSigned, bits, significand, compute, part, lowest, \
          highest, torch, numpy, dlpackCode, lanes, llvm, llvmMemory, llvmSuffix, cuda,           \
          cudaMemory, cudaSuffix, storage)                                                        \
  DataTypeInfo{#enumerator,                                                                       \
               printed,                                                                           \
               summary,                                                                           \
               TypeKind::kind,                                                                    \
               isSigned,                                                                          \
               bits,                                                                              \
               significand,                                                                       \
               DataType::compute,                                                                 \
               DataType::part,                                                                    \
               lowest,                                                                            \
               highest,                                                                           \
               torch,                                                                             \
               numpy,                                                                             \
               dlpack::TypeCode::dlpackCode,                                                      \
               lanes,                                                                             \
               {llvm, llvmMemory, llvmSuffix},                                                    \
               {cuda, cudaMemory, cudaSuffix},                                                    \
               storage},
constexpr std::array<DataTypeInfo, kNumDataTypes> kInfo{{NVF_DATA_TYPES(X)}};
#undef X

DataType find(auto isWanted) {
  const auto* found = std::ranges::find_if(kInfo, isWanted);
  return found == kInfo.end() ? DataType::Null : static_cast<DataType>(found - kInfo.begin());
}

// The narrowest integer that holds the values of both.
DataType promoteIntegers(DataType a, DataType b) {
  for (const DataType wide : {DataType::Int, DataType::UInt64, DataType::Index}) {
    if (a == wide || b == wide) {
      return wide;
    }
  }
  const DataType wider = info(a).bits >= info(b).bits ? a : b;
  const DataType narrower = wider == a ? b : a;
  if (info(wider).isSigned == info(narrower).isSigned ||
      (info(wider).isSigned && info(wider).bits > info(narrower).bits)) {
    return wider;
  }
  return find([&](const DataTypeInfo& each) {
    return each.kind == TypeKind::Integral && each.isSigned && each.bits == 2 * info(wider).bits;
  });
}

}  // namespace

const DataTypeInfo& info(DataType dtype) { return kInfo[static_cast<size_t>(dtype)]; }

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
    case TypeKind::Integral:
      return promoteIntegers(a, b);
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
