// Host evaluation of scalar expressions: semantics by dtype, unbound symbols, depth.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "core/error.h"
#include "ir/evaluator.h"
#include "ir/fusion.h"
#include "ops/ops.h"

namespace nvfuser {
namespace {

using BinaryOpType::Add, BinaryOpType::CeilDiv, BinaryOpType::Div, BinaryOpType::FloorDiv,
    BinaryOpType::Gt, BinaryOpType::LogicalRightShift, BinaryOpType::Lt, BinaryOpType::Maximum,
    BinaryOpType::Minimum, BinaryOpType::Mod, BinaryOpType::Mul, BinaryOpType::Nextafter,
    BinaryOpType::Remainder, BinaryOpType::Sub;

PolymorphicValue evaluateBinary(BinaryOpType type, PolymorphicValue a, PolymorphicValue b,
                                DataType dtype, DataType result) {
  return evaluateOp(type, a, b, dtype, result);
}

TEST(EvaluateOp, IntegerDivisionRoundsAsNamed) {
  const auto of = [](BinaryOpType type, int64_t a, int64_t b) {
    return evaluateBinary(type, a, b, DataType::Int, DataType::Int).as<int64_t>();
  };
  EXPECT_EQ(of(Div, -7, 2), -3);
  EXPECT_EQ(of(FloorDiv, -7, 2), -4);
  EXPECT_EQ(of(CeilDiv, 7, 2), 4);
  EXPECT_EQ(of(CeilDiv, -7, 2), -3);
  EXPECT_EQ(of(Mod, -7, 2), -1);
  EXPECT_EQ(of(Remainder, -7, 2), 1);
  EXPECT_EQ(of(Remainder, 7, -2), -1);
  constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(of(Div, lowest, -1), lowest);
  EXPECT_EQ(of(Mod, lowest, -1), 0);
  EXPECT_THROW(of(Div, 1, 0), Error);
}

TEST(EvaluateOp, Int32WrapsAround) {
  EXPECT_EQ(evaluateBinary(Add, int64_t{2147483647}, int64_t{1}, DataType::Int32, DataType::Int32)
                .as<int64_t>(),
            -2147483648);
  EXPECT_EQ(
      evaluateBinary(LogicalRightShift, int64_t{-1}, int64_t{28}, DataType::Int32, DataType::Int32)
          .as<int64_t>(),
      15);
}

TEST(EvaluateOp, UnsignedComparesAndDividesUnsigned) {
  // The bits of 2^64 - 1.
  const PolymorphicValue largest = int64_t{-1};
  EXPECT_TRUE(evaluateBinary(Gt, largest, int64_t{1}, DataType::UInt64, DataType::Bool).as<bool>());
  EXPECT_EQ(
      evaluateBinary(Div, largest, int64_t{2}, DataType::UInt64, DataType::UInt64).as<int64_t>(),
      std::numeric_limits<int64_t>::max());
}

TEST(EvaluateOp, FloatIsRoundedToSinglePrecision) {
  const double sum = evaluateBinary(Add, 1.0, 1e-9, DataType::Float, DataType::Float).as<double>();
  EXPECT_EQ(sum, 1.0);
  const double next =
      evaluateBinary(Nextafter, 1.0, 2.0, DataType::Float, DataType::Float).as<double>();
  EXPECT_EQ(next, 1.0 + 0x1p-23);
}

TEST(EvaluateOp, MaximumPropagatesNan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [a, b] : {std::pair(nan, 1.0), std::pair(1.0, nan)}) {
    EXPECT_TRUE(
        std::isnan(evaluateBinary(Maximum, a, b, DataType::Double, DataType::Double).as<double>()));
    EXPECT_TRUE(
        std::isnan(evaluateBinary(Minimum, a, b, DataType::Double, DataType::Double).as<double>()));
  }
}

TEST(EvaluateOp, InverseErrorFunctionsInvert) {
  const auto of = [](UnaryOpType type, double x) {
    return evaluateOp(type, x, DataType::Double, DataType::Double).as<double>();
  };
  for (const double y : {-3.0, -0.7, -1e-9, 0.0, 1e-20, 0.3, 1.5, 3.5}) {
    EXPECT_NEAR(of(UnaryOpType::Erfinv, std::erf(y)), y, 1e-9 + 1e-6 * std::abs(y)) << y;
  }
  for (const double y : {-2.0, 0.0, 0.5, 3.0, 10.0, 26.0}) {
    EXPECT_NEAR(of(UnaryOpType::Erfcinv, std::erfc(y)), y, 1e-9 + 1e-9 * std::abs(y)) << y;
  }
  EXPECT_TRUE(std::isinf(of(UnaryOpType::Erfinv, 1.0)));
  EXPECT_TRUE(std::isnan(of(UnaryOpType::Erfinv, 1.5)));
}

TEST(EvaluateOp, RoundGoesToEven) {
  const auto round = [](double x) {
    return evaluateOp(UnaryOpType::Round, x, DataType::Double, DataType::Double).as<double>();
  };
  EXPECT_EQ(round(0.5), 0.0);
  EXPECT_EQ(round(1.5), 2.0);
  EXPECT_EQ(round(-2.5), -2.0);
  EXPECT_EQ(round(2.4), 2.0);
  EXPECT_TRUE(std::signbit(round(-0.2)));
}

TEST(EvaluateOp, ComplexNumbers) {
  using Complex = std::complex<double>;
  const PolymorphicValue z = Complex(3.0, 4.0);
  EXPECT_EQ(evaluateOp(UnaryOpType::Abs, z, DataType::ComplexDouble, DataType::Double).as<double>(),
            5.0);
  EXPECT_EQ(
      evaluateBinary(BinaryOpType::Complex, 1.0, 2.0, DataType::Double, DataType::ComplexDouble)
          .as<Complex>(),
      Complex(1.0, 2.0));
  EXPECT_THROW(evaluateBinary(Lt, z, z, DataType::ComplexDouble, DataType::Bool), Error);
}

class EvaluatorTest : public testing::Test {
 protected:
  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

TEST_F(EvaluatorTest, UnboundSymbolsGiveNull) {
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* m = fusion_.create<Val>(DataType::Int);
  Val* sum = ops::binary(Add, n, m);
  ExpressionEvaluator evaluator;
  evaluator.bind(n, int64_t{3});
  EXPECT_TRUE(evaluator.evaluate(sum).isNull());
  evaluator.bind(m, int64_t{4});
  EXPECT_EQ(evaluator.evaluate(sum).as<int64_t>(), 7);
  evaluator.bind(m, int64_t{5});
  EXPECT_EQ(evaluator.evaluate(sum).as<int64_t>(), 8);
}

TEST_F(EvaluatorTest, CastsToTheDtypeOfTheScalar) {
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* logarithm = ops::unary(UnaryOpType::Log, n);
  EXPECT_EQ(logarithm->dtype(), DataType::Float);
  ExpressionEvaluator evaluator;
  evaluator.bind(n, int64_t{10});
  EXPECT_EQ(evaluator.evaluate(logarithm).as<double>(), static_cast<float>(std::log(10.0)));
  Val* narrow = ops::cast(n, DataType::Bool);
  EXPECT_TRUE(evaluator.evaluate(narrow).as<bool>());
}

TEST_F(EvaluatorTest, DeepAndSharedGraphs) {
  // 2^60 paths lead from the last value to the first one, and 20000 operations lie between.
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* value = n;
  for (int i = 0; i < 60; ++i) {
    value = ops::binary(Add, value, value);
  }
  for (int i = 0; i < 20000; ++i) {
    value = ops::binary(Sub, value, fusion_.one());
  }
  ExpressionEvaluator evaluator;
  EXPECT_TRUE(evaluator.evaluate(value).isNull());
  evaluator.bind(n, int64_t{3});
  EXPECT_EQ(evaluator.evaluate(value).as<int64_t>(), (int64_t{3} << 60) - 20000);
}

TEST_F(EvaluatorTest, ConstantsFoldAtDefinition) {
  Val* two = fusion_.create<Val>(DataType::Int, PolymorphicValue(int64_t{2}));
  Val* half = fusion_.create<Val>(DataType::Double, PolymorphicValue(0.5));
  Val* product = ops::binary(Mul, two, half);
  ASSERT_TRUE(product->isConst());
  EXPECT_EQ(product->dtype(), DataType::Double);
  EXPECT_EQ(product->value().as<double>(), 1.0);
  Val* compared = ops::binary(Lt, half, two);
  EXPECT_TRUE(compared->value().as<bool>());
  Val* chosen = ops::where(compared, two, half);
  EXPECT_EQ(chosen->value().as<double>(), 2.0);
}

TEST_F(EvaluatorTest, OnlySymbolsAreBound) {
  ExpressionEvaluator evaluator;
  EXPECT_THROW(evaluator.bind(fusion_.one(), int64_t{2}), Error);
}

}  // namespace
}  // namespace nvfuser
