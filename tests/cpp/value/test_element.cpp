// Reading elements of every dtype from host memory.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>

#include "value/element.h"

namespace nvfuser {
namespace {

template <typename T>
PolymorphicValue read(DataType dtype, T bits) {
  Tensor tensor;
  tensor.data = &bits;
  tensor.dtype = dtype;
  return readElement(tensor);
}

double real(DataType dtype, uint16_t bits) {
  return dtype == DataType::Half || dtype == DataType::BFloat16
             ? read(dtype, bits).as<double>()
             : read(dtype, static_cast<uint8_t>(bits)).as<double>();
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Element, HostTypes) {
  EXPECT_EQ(read(DataType::Double, 0.1).as<double>(), 0.1);
  EXPECT_EQ(read(DataType::Float, 0.1F).as<double>(), static_cast<double>(0.1F));
  EXPECT_EQ(read(DataType::Int, int64_t{-5}).as<int64_t>(), -5);
  EXPECT_EQ(read(DataType::Int32, int32_t{-5}).as<int64_t>(), -5);
  EXPECT_EQ(read(DataType::Int16, int16_t{-5}).as<int64_t>(), -5);
  EXPECT_EQ(read(DataType::Int8, int8_t{-5}).as<int64_t>(), -5);
  EXPECT_EQ(read(DataType::UInt8, uint8_t{251}).as<int64_t>(), 251);
  EXPECT_EQ(read(DataType::UInt64, ~uint64_t{0}).as<int64_t>(), -1);
  EXPECT_EQ(read(DataType::Bool, uint8_t{1}).as<bool>(), true);
  EXPECT_EQ(read(DataType::ComplexFloat, std::complex<float>(1, -2)).as<std::complex<double>>(),
            std::complex<double>(1, -2));
  EXPECT_EQ(read(DataType::ComplexDouble, std::complex<double>(1, -2)).as<std::complex<double>>(),
            std::complex<double>(1, -2));
}

TEST(Element, HalfAndBfloat16) {
  EXPECT_EQ(real(DataType::Half, 0x3c00), 1.0);
  EXPECT_EQ(real(DataType::Half, 0xc248), -3.140625);
  EXPECT_EQ(real(DataType::Half, 0x0001), 0x1p-24);
  EXPECT_EQ(real(DataType::Half, 0x7bff), 65504.0);
  EXPECT_EQ(real(DataType::Half, 0xfc00), -kInfinity);
  EXPECT_TRUE(std::isnan(real(DataType::Half, 0x7e00)));
  EXPECT_TRUE(std::signbit(real(DataType::Half, 0x8000)));
  // The upper half of a float, all of them.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto expected = static_cast<double>(std::bit_cast<float>(bits << 16));
    const double value = real(DataType::BFloat16, static_cast<uint16_t>(bits));
    EXPECT_TRUE(value == expected || (std::isnan(value) && std::isnan(expected))) << bits;
  }
}

TEST(Element, EightBitFormats) {
  EXPECT_EQ(real(DataType::Float8_e4m3fn, 0x38), 1.0);
  EXPECT_EQ(real(DataType::Float8_e4m3fn, 0x7e), 448.0);
  EXPECT_EQ(real(DataType::Float8_e4m3fn, 0x81), -0x1p-9);
  EXPECT_TRUE(std::isnan(real(DataType::Float8_e4m3fn, 0x7f)));
  EXPECT_EQ(real(DataType::Float8_e5m2, 0x7b), 57344.0);
  EXPECT_EQ(real(DataType::Float8_e5m2, 0x7c), kInfinity);
  EXPECT_EQ(real(DataType::Float8_e5m2, 0x01), 0x1p-16);
  EXPECT_EQ(real(DataType::Float8_e8m0fnu, 127), 1.0);
  EXPECT_EQ(real(DataType::Float8_e8m0fnu, 0), 0x1p-127);
  EXPECT_TRUE(std::isnan(real(DataType::Float8_e8m0fnu, 255)));
}

}  // namespace
}  // namespace nvfuser
