// Dead-code and common-subexpression elimination.

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/passes.h"
#include "ir/scalar.h"
#include "ops/ops.h"
#include "runtime/normalized_views.h"

namespace nvfuser {
namespace {

using BinaryOpType::Add, BinaryOpType::Mul, BinaryOpType::Sub;
using UnaryOpType::Cos, UnaryOpType::Exp, UnaryOpType::Sin;

class PassesTest : public testing::Test {
 protected:
  TensorView* input(const std::vector<int64_t>& shape, DataType dtype = DataType::Float) {
    TensorView* tv = ops::defineTensor(shape, true, dtype);
    fusion_.addInput(tv);
    return tv;
  }
  static TensorView* sum(TensorView* x, int64_t dim) {
    return ops::sum(x, std::vector<int64_t>{dim}, true);
  }
  TensorView* reshape(TensorView* x, int64_t rows, int64_t columns) {
    const auto constant = [&](int64_t value) {
      return fusion_.create<Val>(DataType::Index, PolymorphicValue(value));
    };
    return ops::reshape(x, std::vector<Val*>{constant(rows), constant(columns)});
  }
  size_t count() const { return fusion_.tensorExprs().size(); }

  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

TEST_F(PassesTest, DeadExpressionsLeaveTheUsesOfTheirInputs) {
  TensorView* x = input({8});
  ops::unary(Cos, ops::unary(Exp, x));
  TensorView* used = ops::unary(Sin, x);
  fusion_.addOutput(used);
  EXPECT_EQ(eliminateDeadCode(&fusion_), 2);
  ASSERT_EQ(x->uses().size(), 1);
  EXPECT_EQ(x->uses()[0], used->definition());
  EXPECT_EQ(eliminateDeadCode(&fusion_), 0);
}

TEST_F(PassesTest, EqualExpressionsAreComputedOnce) {
  TensorView* x = input({-1, 8}, DataType::BFloat16);
  fusion_.addOutput(ops::binary(Add, ops::softmax(x, 1), ops::logSoftmax(x, 1)));
  const size_t before = count();
  // The cast of the input, its maximum, the broadcast of that, the difference, the exponential,
  // their sum and its broadcast.
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 7);
  EXPECT_EQ(count(), before - 7);
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 0);
}

TEST_F(PassesTest, DifferentConstantsAndDimensionsStayApart) {
  TensorView* x = input({4, 4});
  const auto constant = [&](double value) {
    return fusion_.create<Val>(DataType::Double, PolymorphicValue(value));
  };
  TensorView* a = ops::binary(Mul, x, constant(2.0));
  TensorView* b = ops::binary(Mul, x, constant(3.0));
  TensorView* same = ops::binary(Mul, x, constant(2.0));
  TensorView* rows = ops::sum(x, std::vector<int64_t>{0});
  TensorView* columns = ops::sum(x, std::vector<int64_t>{1});
  fusion_.addOutput(ops::binary(Sub, ops::binary(Add, a, b), same));
  fusion_.addOutput(ops::binary(Add, rows, columns));
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 1);
}

TEST_F(PassesTest, EqualScalarExpressionsMakeEqualOperands) {
  TensorView* x = input({4});
  Val* n = fusion_.create<Val>(DataType::Double);
  fusion_.addInput(n);
  Val* one = fusion_.create<Val>(DataType::Double, PolymorphicValue(1.0));
  TensorView* a = ops::binary(Mul, x, ops::binary(Add, n, one));
  TensorView* b = ops::binary(Mul, x, ops::binary(Add, n, one));
  fusion_.addOutput(ops::binary(Sub, a, b));
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 1);
}

TEST_F(PassesTest, LogarithmsOfAClassAreComputedOfWhatIsLookedUp) {
  TensorView* x = input({8, 16}, DataType::BFloat16);
  TensorView* labels = input({8, 1}, DataType::Int);
  TensorView* chosen = ops::takeAlongAxis(ops::logSoftmax(x, 1), labels, 1);
  fusion_.addOutput(chosen);
  EXPECT_GT(computeBehindLookups(&fusion_), 0);
  const auto exprs = fusion_.tensorExprs();
  const auto lookups =
      std::ranges::count_if(exprs, [](const Expr* expr) { return expr->is<LookupOp>(); });
  ASSERT_EQ(lookups, 1);
  const Expr* lookup =
      *std::ranges::find_if(exprs, [](const Expr* expr) { return expr->is<LookupOp>(); });
  EXPECT_EQ(lookup->input(0), x);
  EXPECT_TRUE(chosen->definition()->is<BinaryOp>() || chosen->definition()->is<UnaryOp>());
  EXPECT_EQ(computeBehindLookups(&fusion_), 0);
}

TEST_F(PassesTest, WhatIsLookedUpManyTimesIsComputedFirst) {
  TensorView* x = input({8, 16});
  TensorView* index = input({8, 16}, DataType::Int);
  fusion_.addOutput(ops::takeAlongAxis(ops::unary(Exp, x), index, 1));
  EXPECT_EQ(computeBehindLookups(&fusion_), 0);
}

TEST_F(PassesTest, WhatFollowsANormalizationAlongMergedDimensionsIsComputedBeforeTheyAre) {
  TensorView* x = input({8, 4, 6});
  TensorView* y = ops::binary(Sub, x, sum(x, 2))->asTensor();
  TensorView* merged = reshape(y, 8, 24);
  TensorView* out = ops::unary(Exp, ops::binary(Mul, merged, merged));
  fusion_.addOutput(out);
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 2);
  ASSERT_TRUE(out->definition()->is<ReshapeOp>());
  EXPECT_TRUE(out->definition()->input(0)->definition()->is<UnaryOp>());
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 0);
}

TEST_F(PassesTest, WhatScalesANormalizationAsItIsMergedIsLookedAtBeforeThat) {
  TensorView* x = input({8, 4, 6});
  TensorView* gate = input({8, 24});
  TensorView* weight = input({24});
  TensorView* y = ops::binary(Sub, x, sum(x, 2))->asTensor();
  TensorView* scaled =
      ops::binary(Mul, reshape(y, 8, 24), ops::broadcast(weight, {true, false}))->asTensor();
  TensorView* out = ops::binary(Mul, scaled, ops::unary(Exp, gate))->asTensor();
  fusion_.addOutput(out);
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 2);
  ASSERT_TRUE(out->definition()->is<ReshapeOp>());
  EXPECT_TRUE(weight->uses().front()->is<ReshapeOp>());
  EXPECT_TRUE(gate->uses().front()->is<ReshapeOp>());
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 0);
}

TEST_F(PassesTest, WhatIsComputedOtherwiseStaysBehindTheReshape) {
  TensorView* x = input({8, 4, 6});
  TensorView* other = input({8, 24});
  TensorView* y = ops::binary(Sub, x, sum(x, 2))->asTensor();
  fusion_.addOutput(ops::binary(Mul, reshape(y, 8, 24), sum(other, 0)));
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 0);
}

TEST_F(PassesTest, TheLastElementIsKnownToBeOne) {
  TensorView* x = ops::defineTensor(std::vector<int64_t>{-1, 8}, true, DataType::Float);
  fusion_.addInput(x);
  Val* start = scalar::sub(x->logical()[0]->extent(), fusion_.one());
  Val* rest = scalar::add(start, fusion_.one());
  EXPECT_TRUE(scalar::sub(rest, start)->isConstInt(1));
  EXPECT_EQ(scalar::sub(rest, fusion_.one()), start);
}

TEST_F(PassesTest, OtherReshapesStayWhereTheyAre) {
  TensorView* x = input({8, 4, 6});
  TensorView* y = ops::binary(Sub, x, sum(x, 0))->asTensor();
  fusion_.addOutput(ops::unary(Exp, reshape(y, 8, 24)));
  fusion_.addOutput(ops::unary(Exp, reshape(x, 32, 6)));
  EXPECT_EQ(computeInFrontOfReshapes(&fusion_), 0);
}

TEST_F(PassesTest, WhatWasNormalizedAlongRowsIsReducedAlongTheseFirst) {
  TensorView* x = input({8, 4, 6});
  TensorView* y = ops::binary(Sub, x, sum(x, 2))->asTensor();
  TensorView* total = ops::sum(y, std::vector<int64_t>{0, 1, 2});
  fusion_.addOutput(total);
  EXPECT_EQ(reduceAlongNormalizedFirst(&fusion_), 1);
  EXPECT_EQ(total->logical().size(), 2);
  const TensorView* ofRows = total->definition()->input(0)->asTensor();
  ASSERT_TRUE(ofRows->definition()->is<ReductionOp>());
  EXPECT_EQ(ofRows->definition()->input(0), y);
  EXPECT_TRUE(ofRows->logical()[2]->isReduction());
  EXPECT_EQ(ofRows->visible().size(), 2);
  EXPECT_EQ(reduceAlongNormalizedFirst(&fusion_), 0);
}

TEST_F(PassesTest, OtherReductionsStayWhole) {
  TensorView* x = input({8, 4, 6});
  TensorView* y = ops::binary(Sub, x, sum(x, 2))->asTensor();
  fusion_.addOutput(ops::sum(y, std::vector<int64_t>{0, 1}));
  fusion_.addOutput(ops::sum(y, std::vector<int64_t>{2}));
  fusion_.addOutput(ops::sum(x, std::vector<int64_t>{0, 1, 2}));
  EXPECT_EQ(reduceAlongNormalizedFirst(&fusion_), 0);
}

TEST_F(PassesTest, WhatIsReducedAlongSomeDimensionsIsReducedFurther) {
  TensorView* x = input({8, 4, 6});
  const auto along = [&](const std::vector<int64_t>& dims) {
    TensorView* tv = ops::sum(x, dims);
    fusion_.addOutput(tv);
    return tv;
  };
  const TensorView* all = along({0, 1, 2});
  const TensorView* one = along({2});
  const TensorView* two = along({1, 2});
  const TensorView* other = along({0});
  EXPECT_EQ(reduceFurtherWhatIsReduced(&fusion_), 2);
  EXPECT_EQ(all->definition()->input(0), two);
  EXPECT_EQ(two->definition()->input(0), one);
  EXPECT_EQ(one->definition()->input(0), x);
  EXPECT_EQ(other->definition()->input(0), x);
  EXPECT_EQ(two->logical().size(), 2);
  EXPECT_TRUE(two->logical()[1]->isReduction());
  EXPECT_EQ(reduceFurtherWhatIsReduced(&fusion_), 0);
}

TEST_F(PassesTest, SumsOf16BitsAreNotRoundedInBetween) {
  TensorView* x = input({8, 4}, DataType::BFloat16);
  fusion_.addOutput(ops::sum(x, std::vector<int64_t>{0, 1}));
  fusion_.addOutput(ops::sum(x, std::vector<int64_t>{1}));
  EXPECT_EQ(reduceFurtherWhatIsReduced(&fusion_), 0);
}

TEST_F(PassesTest, WhatKeepsDigitsIsComputedOfNarrowElements) {
  TensorView* x = input({8}, DataType::BFloat16);
  TensorView* y = input({8}, DataType::BFloat16);
  Val* number = fusion_.create<Val>(DataType::Double, PolymorphicValue(0.1));
  const auto narrowed = [&](Val* wide) { return ops::cast(wide->asTensor(), DataType::BFloat16); };
  TensorView* negated = narrowed(ops::unary(UnaryOpType::Neg, x));
  TensorView* larger = narrowed(ops::binary(BinaryOpType::Maximum, negated, y));
  TensorView* limited = ops::binary(BinaryOpType::Minimum, larger, number)->asTensor();
  TensorView* clamped = narrowed(ops::binary(BinaryOpType::Maximum, limited, number));
  // A sum has more digits.
  TensorView* sum = narrowed(ops::binary(Add, clamped, x));
  fusion_.addOutput(sum);
  EXPECT_EQ(computeWithoutConversions(&fusion_), 3);
  EXPECT_EQ(negated->definition()->inputs(), (std::vector<Val*>{x}));
  EXPECT_EQ(larger->definition()->inputs(), (std::vector<Val*>{negated, y}));
  const Val* unrounded = clamped->definition()->input(0);
  EXPECT_EQ(unrounded->dtype(), DataType::BFloat16);
  EXPECT_EQ(unrounded->definition()->inputs(), (std::vector<Val*>{larger, number}));
  EXPECT_EQ(sum->definition()->as<UnaryOp>()->type(), UnaryOpType::Cast);
  EXPECT_EQ(computeWithoutConversions(&fusion_), 0);
}

TEST_F(PassesTest, OnlyConversionsBackAreLeftOut) {
  TensorView* x = input({8}, DataType::BFloat16);
  fusion_.addOutput(ops::cast(ops::unary(UnaryOpType::Neg, x)->asTensor(), DataType::Half));
  // Which truncates.
  TensorView* integers = ops::cast(x, DataType::Int);
  fusion_.addOutput(
      ops::cast(ops::unary(UnaryOpType::Neg, integers)->asTensor(), DataType::BFloat16));
  EXPECT_EQ(computeWithoutConversions(&fusion_), 0);
}

TEST_F(PassesTest, TwoOutputsStayTwoTensors) {
  TensorView* x = input({4});
  TensorView* a = ops::unary(Exp, x);
  TensorView* b = ops::unary(Exp, x);
  fusion_.addOutput(a);
  fusion_.addOutput(b);
  fusion_.addOutput(ops::unary(Sin, b));
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 0);
  EXPECT_EQ(fusion_.outputs()[0].tv, a);
  EXPECT_EQ(fusion_.outputs()[1].tv, b);
  // What follows is computed from one of them.
  EXPECT_EQ(fusion_.outputs()[2].tv->definition()->input(0), a);
}

TEST_F(PassesTest, AnOutputStandsForAnEarlierIntermediate) {
  TensorView* x = input({4});
  TensorView* intermediate = ops::unary(Exp, x);
  TensorView* consumer = ops::unary(Sin, intermediate);
  TensorView* output = ops::unary(Exp, x);
  fusion_.addOutput(consumer);
  fusion_.addOutput(output);
  EXPECT_EQ(eliminateCommonSubexpressions(&fusion_), 1);
  EXPECT_EQ(consumer->definition()->input(0), output);
  EXPECT_EQ(output->definition()->input(0), x);
  EXPECT_EQ(count(), 2);
}

}  // namespace
}  // namespace nvfuser
