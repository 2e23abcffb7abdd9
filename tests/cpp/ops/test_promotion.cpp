// Type promotion: PyTorch's rules, and what each class of operations makes of them.

#include <gtest/gtest.h>

#include <complex>

#include "core/error.h"
#include "ops/ops.h"
#include "ops/promotion.h"

namespace nvfuser {
namespace {

using enum DataType;

class PromotionTest : public testing::Test {
 protected:
  TensorView* tensor(DataType dtype, int64_t rank = 1) {
    const std::vector<int64_t> shape(rank, 4);
    return ops::defineTensor(shape, true, dtype);
  }
  Val* symbol(DataType dtype) { return fusion_.create<Val>(dtype); }
  Val* constant(PolymorphicValue value) { return fusion_.create<Val>(scalarTypeOf(value), value); }
  DataType common(std::vector<Val*> operands) { return ops::commonType(operands); }
  DataType result(BinaryOpType type, Val* a, Val* b) { return ops::binary(type, a, b)->dtype(); }

  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

TEST_F(PromotionTest, TensorsOfOneCategoryMeetInTheWiderType) {
  EXPECT_EQ(common({tensor(Float), tensor(Double)}), Double);
  EXPECT_EQ(common({tensor(Half), tensor(BFloat16)}), Float);
  EXPECT_EQ(common({tensor(Half), tensor(Half)}), Half);
  EXPECT_EQ(common({tensor(Int32), tensor(Int)}), Int);
  EXPECT_EQ(common({tensor(Bool), tensor(Int32)}), Int32);
  EXPECT_EQ(common({tensor(Int), tensor(Half)}), Half);
  EXPECT_EQ(common({tensor(ComplexFloat), tensor(Double)}), ComplexDouble);
}

TEST_F(PromotionTest, LowerCategoriesOnlyWinByKind) {
  EXPECT_EQ(common({tensor(Float), tensor(Double, 0)}), Float);
  EXPECT_EQ(common({tensor(Int32), tensor(Double, 0)}), Double);
  EXPECT_EQ(common({tensor(Half), symbol(Double)}), Half);
  EXPECT_EQ(common({tensor(Half, 0), symbol(Double)}), Half);
  EXPECT_EQ(common({tensor(Int32), symbol(Int)}), Int32);
  EXPECT_EQ(common({tensor(Bool), constant(int64_t{2})}), Int);
}

TEST_F(PromotionTest, ScalarsStandForNumbers) {
  EXPECT_EQ(common({tensor(Int), constant(2.5)}), Float);
  EXPECT_EQ(common({tensor(Int), symbol(Double)}), Float);
  EXPECT_EQ(common({tensor(Double), constant(std::complex<double>(0, 1))}), ComplexDouble);
  EXPECT_EQ(common({tensor(Half), constant(std::complex<double>(0, 1))}), ComplexFloat);
  EXPECT_EQ(common({tensor(Int), constant(std::complex<double>(0, 1))}), ComplexFloat);
  EXPECT_EQ(common({symbol(Double), symbol(Int)}), Double);
  EXPECT_EQ(common({symbol(Half), symbol(Int)}), Float);
  EXPECT_EQ(common({symbol(Double), symbol(Double)}), Double);
}

TEST_F(PromotionTest, ReducedPrecisionIsComputedInFloat) {
  TensorView* sum = ops::binary(BinaryOpType::Add, tensor(Half), tensor(Half));
  EXPECT_EQ(sum->dtype(), Float);
  const auto* cast = sum->definition()->input(0)->definition()->as<UnaryOp>();
  ASSERT_NE(cast, nullptr);
  EXPECT_EQ(cast->type(), UnaryOpType::Cast);
  EXPECT_EQ(ops::unary(UnaryOpType::Neg, tensor(BFloat16))->dtype(), Float);
  EXPECT_EQ(ops::unary(UnaryOpType::Relu, tensor(BFloat16))->dtype(), BFloat16);
  EXPECT_EQ(ops::unary(UnaryOpType::Silu, tensor(Half))->dtype(), Half);
}

TEST_F(PromotionTest, FloatClassMakesIntegersFloat) {
  EXPECT_EQ(ops::unary(UnaryOpType::Sin, tensor(Int))->dtype(), Float);
  EXPECT_EQ(ops::unary(UnaryOpType::Sin, symbol(Int))->dtype(), Float);
  EXPECT_EQ(ops::unary(UnaryOpType::Sin, tensor(Double))->dtype(), Double);
  EXPECT_EQ(result(BinaryOpType::Truediv, tensor(Int), tensor(Int)), Float);
  EXPECT_EQ(result(BinaryOpType::Div, tensor(Int), tensor(Int)), Int);
}

TEST_F(PromotionTest, ComparisonsPredicatesAndLogicGiveBool) {
  EXPECT_EQ(result(BinaryOpType::Lt, tensor(Half), tensor(Int)), Bool);
  EXPECT_EQ(ops::unary(UnaryOpType::IsNan, tensor(Half))->dtype(), Bool);
  EXPECT_EQ(ops::unary(UnaryOpType::IsNan, tensor(Int))->dtype(), Bool);
  TensorView* both = ops::binary(BinaryOpType::LogicalAnd, tensor(Float), tensor(Int));
  EXPECT_EQ(both->dtype(), Bool);
  EXPECT_EQ(both->definition()->input(0)->dtype(), Bool);
}

TEST_F(PromotionTest, ComplexAndRealParts) {
  EXPECT_EQ(ops::unary(UnaryOpType::Abs, tensor(ComplexDouble))->dtype(), Double);
  EXPECT_EQ(ops::unary(UnaryOpType::Imag, tensor(ComplexFloat))->dtype(), Float);
  EXPECT_EQ(ops::unary(UnaryOpType::Real, tensor(Int))->dtype(), Int);
  EXPECT_THROW(ops::unary(UnaryOpType::Imag, tensor(Float)), Error);
  EXPECT_EQ(result(BinaryOpType::Complex, tensor(Double), tensor(Double)), ComplexDouble);
  EXPECT_THROW(result(BinaryOpType::Complex, tensor(Double), tensor(Float)), Error);
  EXPECT_THROW(result(BinaryOpType::Complex, tensor(Double), symbol(Double)), Error);
  EXPECT_THROW(result(BinaryOpType::Lt, tensor(ComplexFloat), tensor(Float)), Error);
}

TEST_F(PromotionTest, BitwiseNeedsIntegersAndIsLogicalOnBools) {
  EXPECT_EQ(result(BinaryOpType::BitwiseAnd, tensor(Int32), tensor(Bool)), Int32);
  TensorView* both = ops::binary(BinaryOpType::BitwiseXor, tensor(Bool), tensor(Bool));
  EXPECT_EQ(both->dtype(), Bool);
  EXPECT_EQ(both->definition()->as<BinaryOp>()->type(), BinaryOpType::Ne);
  EXPECT_THROW(result(BinaryOpType::BitwiseAnd, tensor(Float), tensor(Int)), Error);
  EXPECT_THROW(result(BinaryOpType::Gcd, tensor(Bool), tensor(Int)), Error);
  EXPECT_THROW(ops::unary(UnaryOpType::BitwiseNot, tensor(Float)), Error);
}

TEST_F(PromotionTest, BoolArithmeticIsLogicOrInteger) {
  const auto typeOf = [&](BinaryOpType type) {
    return ops::binary(type, tensor(Bool), tensor(Bool))->definition()->as<BinaryOp>()->type();
  };
  EXPECT_EQ(typeOf(BinaryOpType::Add), BinaryOpType::LogicalOr);
  EXPECT_EQ(typeOf(BinaryOpType::Mul), BinaryOpType::LogicalAnd);
  TensorView* power = ops::binary(BinaryOpType::Pow, tensor(Bool), tensor(Bool));
  EXPECT_EQ(power->dtype(), Bool);
  EXPECT_EQ(power->definition()->input(0)->dtype(), Int);
}

TEST_F(PromotionTest, ScalarOperandsKeepTheirPrecision) {
  Val* half = constant(0.5);
  TensorView* product = ops::binary(BinaryOpType::Mul, tensor(Float), half);
  EXPECT_EQ(product->definition()->input(1), half);
  TensorView* doubled = ops::binary(BinaryOpType::Mul, tensor(Float), constant(int64_t{2}));
  EXPECT_EQ(doubled->definition()->input(1)->dtype(), Double);
  EXPECT_EQ(doubled->definition()->input(1)->value().as<double>(), 2.0);
}

TEST_F(PromotionTest, WhereKeepsReducedPrecision) {
  Val* condition = tensor(Bool);
  EXPECT_EQ(ops::where(condition, tensor(Half), constant(0.0))->dtype(), Half);
  EXPECT_EQ(ops::where(condition, constant(1.0), constant(0.0))->dtype(), Double);
  EXPECT_TRUE(ops::where(condition, constant(1.0), constant(0.0))->isTensor());
  EXPECT_THROW(ops::where(tensor(Int), tensor(Half), tensor(Half)), Error);
}

TEST_F(PromotionTest, NextafterNeedsFloatOrDouble) {
  EXPECT_EQ(result(BinaryOpType::Nextafter, tensor(Half), tensor(Half)), Float);
  EXPECT_THROW(result(BinaryOpType::Nextafter, tensor(Int), tensor(Int)), Error);
}

TEST_F(PromotionTest, ReductionsAccumulateInFloatAndWidenIntegers) {
  TensorView* half = ops::sum(tensor(Half, 2), std::vector<int64_t>{0});
  EXPECT_EQ(half->dtype(), Half);
  const Expr* cast = half->definition();
  ASSERT_TRUE(cast->is<UnaryOp>());
  EXPECT_TRUE(cast->input(0)->definition()->is<ReductionOp>());
  EXPECT_EQ(cast->input(0)->dtype(), Float);
  EXPECT_EQ(ops::sum(tensor(Bool), std::vector<int64_t>{0})->dtype(), Int);
  EXPECT_EQ(ops::sum(tensor(Int32), std::vector<int64_t>{0})->dtype(), Int);
  const std::vector<int64_t> dims{0};
  EXPECT_EQ(ops::reduce(ops::ReductionKind::Max, tensor(Int32), dims)->dtype(), Int32);
  EXPECT_EQ(ops::sum(tensor(Int32), dims, false, Double)->dtype(), Double);
  EXPECT_THROW(ops::reduce(ops::ReductionKind::Max, tensor(Int32), dims, false, Int), Error);
}

}  // namespace
}  // namespace nvfuser
