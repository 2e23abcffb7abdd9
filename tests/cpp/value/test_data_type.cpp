#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "value/data_type.h"
#include "value/polymorphic_value.h"

namespace nvfuser {
namespace {

std::vector<DataType> ofKind(TypeKind kind) {
  std::vector<DataType> found;
  for (int i = 0; i < kNumDataTypes; ++i) {
    if (kindOf(static_cast<DataType>(i)) == kind) {
      found.push_back(static_cast<DataType>(i));
    }
  }
  return found;
}

TEST(DataTypeTest, RepresentationsAreUnique) {
  for (int i = 0; i < kNumDataTypes; ++i) {
    const auto dtype = static_cast<DataType>(i);
    const DataTypeInfo& traits = info(dtype);
    if (traits.dlpackLanes != 0) {
      EXPECT_EQ(
          fromDlpack({static_cast<uint8_t>(traits.dlpackCode),
                      static_cast<uint8_t>(traits.bits / traits.dlpackLanes), traits.dlpackLanes}),
          dtype)
          << traits.name;
    }
    if (traits.numpyKind != '\0') {
      EXPECT_EQ(fromNumpy(traits.numpyKind, traits.bits / 8), dtype) << traits.name;
    }
    if (traits.torchName != nullptr && dtype != DataType::Index) {
      EXPECT_EQ(fromTorchName(traits.torchName), dtype) << traits.name;
    }
  }
  EXPECT_EQ(fromDlpack({0, 8, 2}), DataType::Null);
  EXPECT_EQ(fromNumpy('u', 3), DataType::Null);
  EXPECT_EQ(fromTorchName("uint4"), DataType::Null);
}

TEST(DataTypeTest, WhatIsComputedWithHasNamesInBothLanguages) {
  for (const TypeKind kind : {TypeKind::Bool, TypeKind::Integral, TypeKind::Complex}) {
    for (const DataType dtype : ofKind(kind)) {
      EXPECT_NE(info(dtype).llvm.suffix, nullptr) << dtype;
      EXPECT_NE(info(dtype).cuda.suffix, nullptr) << dtype;
    }
  }
  for (const DataType dtype : ofKind(TypeKind::Floating)) {
    // It is computed with, only stored, or two in a byte.
    const bool isStorage = info(dtype).storageName != nullptr;
    EXPECT_EQ(isStorage, isReducedPrecision(dtype) && dtype != DataType::Float4_e2m1fn_x2);
    EXPECT_EQ(info(dtype).llvm.suffix != nullptr, !isReducedPrecision(dtype)) << dtype;
  }
}

TEST(DataTypeTest, PromotionIsThatOfASemilattice) {
  for (int i = 0; i < kNumDataTypes; ++i) {
    for (int j = 0; j < kNumDataTypes; ++j) {
      const auto a = static_cast<DataType>(i);
      const auto b = static_cast<DataType>(j);
      if (kindOf(a) == TypeKind::None || kindOf(b) == TypeKind::None) {
        continue;
      }
      const DataType both = promoteTypes(a, b);
      EXPECT_EQ(both, promoteTypes(b, a)) << a << " and " << b;
      EXPECT_EQ(promoteTypes(both, a), both) << a << " and " << b;
    }
  }
  EXPECT_EQ(promoteTypes(DataType::Int8, DataType::UInt8), DataType::Int16);
  EXPECT_EQ(promoteTypes(DataType::Int16, DataType::UInt8), DataType::Int16);
  EXPECT_EQ(promoteTypes(DataType::Int8, DataType::Int32), DataType::Int32);
  EXPECT_EQ(promoteTypes(DataType::Int16, DataType::UInt16), DataType::Int32);
  EXPECT_EQ(promoteTypes(DataType::UInt16, DataType::UInt32), DataType::UInt32);
  EXPECT_EQ(promoteTypes(DataType::Int8, DataType::UInt32), DataType::Int);
  EXPECT_EQ(promoteTypes(DataType::Int32, DataType::UInt32), DataType::Int);
  EXPECT_EQ(promoteTypes(DataType::UInt8, DataType::UInt64), DataType::UInt64);
  EXPECT_EQ(promoteTypes(DataType::Bool, DataType::UInt8), DataType::UInt8);
  EXPECT_EQ(promoteTypes(DataType::Int8, DataType::Half), DataType::Half);
}

TEST(DataTypeTest, BoundsAndWrappingAround) {
  for (const DataType dtype : ofKind(TypeKind::Integral)) {
    const int64_t low = lowestInteger(dtype);
    const int64_t high = highestInteger(dtype);
    EXPECT_EQ(wrapInteger(low, dtype), low) << dtype;
    EXPECT_EQ(wrapInteger(high, dtype), high) << dtype;
    if (info(dtype).bits < 64) {
      EXPECT_EQ(wrapInteger(high + 1, dtype), low) << dtype;
      EXPECT_EQ(wrapInteger(low - 1, dtype), high) << dtype;
    }
  }
  EXPECT_EQ(lowestInteger(DataType::Int8), -128);
  EXPECT_EQ(highestInteger(DataType::UInt8), 255);
  EXPECT_EQ(highestInteger(DataType::Int16), 32767);
  EXPECT_EQ(highestInteger(DataType::UInt32), 4294967295);
}

TEST(DataTypeTest, CastsOfScalars) {
  const auto cast = [](const PolymorphicValue& value, DataType to) {
    return castScalar(value, to).as<int64_t>();
  };
  EXPECT_EQ(cast(int64_t{300}, DataType::UInt8), 44);
  EXPECT_EQ(cast(int64_t{-1}, DataType::UInt8), 255);
  EXPECT_EQ(cast(int64_t{200}, DataType::Int8), -56);
  EXPECT_EQ(cast(-300.5, DataType::Int8), -44);
  EXPECT_EQ(cast(-1.0, DataType::UInt8), 255);
  EXPECT_EQ(cast(70000.9, DataType::Int16), 4464);
  EXPECT_EQ(cast(std::numeric_limits<double>::quiet_NaN(), DataType::Int8), 0);
  EXPECT_EQ(cast(4e9, DataType::UInt32), 4000000000);
  EXPECT_EQ(cast(-1.5, DataType::UInt32), 4294967295);
  EXPECT_EQ(cast(0x1p32 + 7, DataType::UInt32), 7);
  EXPECT_EQ(cast(true, DataType::UInt8), 1);
}

}  // namespace
}  // namespace nvfuser
