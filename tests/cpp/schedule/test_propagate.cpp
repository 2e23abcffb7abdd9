// Propagation of transforms, inlining, and which compute-at positions are legal.

#include "schedule/common.h"
#include "schedule/loop_tree.h"
#include "schedule/propagate.h"

namespace nvfuser {
namespace {

class PropagateTest : public testing_support::FusionTest {
 protected:
  std::string problem() { return LoopTree::check(fusion_.tensorExprs()); }
};

class InlineTest : public PropagateTest {};

TEST_F(PropagateTest, AlongElementwiseOperationsBothWays) {
  TensorView* x = tensor({6, 100});
  TensorView* a = exp(x);
  TensorView* b = neg(a);
  TensorView* c = output(exp(b));
  b->merge(0, 1);
  b->split(0, 32);
  b->reorder({{0, 1}});
  propagateTransforms(b);
  for (TensorView* tv : {x, a, c}) {
    EXPECT_EQ(loops(tv), "i32 i19") << tv->toString();
  }
  EXPECT_TRUE(loopsCorrespond(b->definition(), a, a->axis(1), b, b->axis(1)));
  EXPECT_FALSE(loopsCorrespond(b->definition(), a, a->axis(0), b, b->axis(1)));
}

TEST_F(PropagateTest, OnlyToSelectedTensors) {
  TensorView* x = tensor({100});
  TensorView* a = exp(x);
  TensorView* b = output(neg(a));
  b->split(0, 8);
  propagateTransforms(b, {a});
  EXPECT_EQ(loops(a), "i13 i8");
  EXPECT_EQ(loops(x), "i100");
}

TEST_F(PropagateTest, ABroadcastDimensionTakesPartInMerges) {
  TensorView* bias = tensor({100});
  TensorView* shifted = exp(bias);
  TensorView* broadcast = ops::broadcast(shifted, {true, false});
  TensorView* y = output(add(tensor({6, 100}), broadcast));
  y->merge(0, 1);
  y->split(0, 32);
  propagateTransforms(y);
  EXPECT_EQ(loops(broadcast), "i19 i32");
  // The dimension is missing in front of the broadcast; merged with one that is there, it still
  // gives the loops that all share.
  EXPECT_EQ(loops(shifted), "i19 i32");
  EXPECT_EQ(problem(), "");
  inlineMost(&fusion_);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(shifted->computeAt(), 2);
  EXPECT_EQ(broadcast->computeAt(), 2);
}

TEST_F(PropagateTest, AnUntouchedBroadcastDimensionStaysOne) {
  TensorView* broadcast = ops::broadcast(exp(tensor({6})), {false, true});
  TensorView* y = output(add(tensor({6, 100}), broadcast));
  y->split(0, 4);
  propagateTransforms(y);
  EXPECT_EQ(loops(y), "i2 i4 i100");
  ASSERT_EQ(broadcast->nLoops(), 3);
  EXPECT_EQ(loops(broadcast).substr(0, 5), "i2 i4");
  EXPECT_TRUE(broadcast->axis(2)->isBroadcast());
}

TEST_F(PropagateTest, ThroughAReshapeWhereTheDimensionsAreTheSame) {
  TensorView* a = exp(tensor({6, 4, 10}));
  TensorView* b = ops::reshape(a, constants({6, 40}));
  TensorView* y = output(neg(b));
  y->split(1, 8);
  propagateTransforms(y);
  EXPECT_EQ(loops(b), "i6 i5 i8");
  // Before the reshape the same loops are a split of the merged dimensions.
  EXPECT_EQ(loops(a), "i6 i5 i8");
  ASSERT_TRUE(a->axis(1)->definition()->is<Split>());
  EXPECT_TRUE(a->axis(1)->definition()->as<Split>()->in()->definition()->is<Merge>());
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 3);
  EXPECT_EQ(problem(), "");
}

TEST_F(PropagateTest, ForwardThroughAReshapeUpToItsOwnTransform) {
  TensorView* a = exp(tensor({6, 40}));
  TensorView* b = output(ops::reshape(a, constants({6, 4, 10})));
  a->split(0, 2);
  a->split(2, 7);
  propagateTransforms(a);
  // The dimension that the reshape splits is not the one that 7 divides.
  EXPECT_EQ(loops(b), "i3 i2 i4 i10");
}

TEST_F(PropagateTest, ASlicedDimensionWithOneUseIsComputedAsFarAsItIsNeeded) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* y = output(ops::slice(a, constants({0, 10}), constants({6, 50})));
  propagateTransforms(y);
  EXPECT_EQ(loops(a), "i6 i40");
  ASSERT_NE(a->axis(1)->definition(), nullptr);
  EXPECT_TRUE(a->axis(1)->definition()->is<Resize>());
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 2);
}

TEST_F(PropagateTest, ASlicedDimensionWithAnotherUseIsComputedWhole) {
  TensorView* a = exp(tensor({6, 100}));
  output(neg(a));
  TensorView* y = output(ops::slice(a, constants({0, 10}), constants({6, 50})));
  propagateTransforms(y);
  EXPECT_EQ(loops(a), "i6 i100");
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 1);
}

TEST_F(PropagateTest, ReductionsAndTheirOperands) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* total = sum(a, {1});
  TensorView* y = output(neg(total));
  total->split(1, 8);
  total->split(0, 2);
  propagateTransforms(total);
  EXPECT_EQ(loops(total), "i3 i2 r13 r8");
  EXPECT_EQ(loops(a), "i3 i2 i13 i8");
  EXPECT_EQ(loops(y), "i3 i2");
}

TEST_F(PropagateTest, ParallelTypesFollowEqualLoops) {
  TensorView* x = tensor({6, 100});
  TensorView* a = exp(x);
  TensorView* b = output(neg(a));
  b->axis(0)->parallelize(ParallelType::GridX);
  b->axis(1)->parallelize(ParallelType::Vectorize);
  propagateParallelTypes(b, {}, {ParallelType::GridX});
  EXPECT_EQ(a->axis(0)->parallelType(), ParallelType::GridX);
  EXPECT_EQ(a->axis(1)->parallelType(), ParallelType::Serial);
  EXPECT_EQ(x->axis(0)->parallelType(), ParallelType::Serial);
  propagateParallelTypes(b);
  EXPECT_EQ(a->axis(1)->parallelType(), ParallelType::Vectorize);
}

TEST_F(InlineTest, ElementwiseOperationsShareAllLoops) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* b = output(neg(a));
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 2);
  EXPECT_EQ(b->computeAt(), 0);
  EXPECT_EQ(b->produceAt(), 2);
}

TEST_F(InlineTest, ResultsOfReductionsStayOutsideTheirReductionLoops) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* total = sum(a, {1});
  TensorView* y = output(neg(total));
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 2);
  EXPECT_EQ(total->computeAt(), 1);
  EXPECT_EQ(y->produceAt(), 1);
  EXPECT_EQ(problem(), "");
}

TEST_F(InlineTest, AnOperandThatIsUsedAfterTheReductionIsKept) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* total = sum(a, {1}, true);
  output(add(a, total));
  inlineMost(&fusion_);
  EXPECT_EQ(problem(), "");
  // Within a row, but not within an element of it.
  EXPECT_EQ(a->computeAt(), 1);
}

TEST_F(InlineTest, LimitsSelectionAndGroupedLoops) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* b = neg(a);
  TensorView* c = output(exp(b));
  inlineMost(&fusion_, {}, {{a, 1}});
  EXPECT_EQ(a->computeAt(), 1);
  EXPECT_EQ(b->computeAt(), 2);
  b->setComputeAt(0);
  inlineMost(&fusion_, {a});
  EXPECT_EQ(a->computeAt(), 2);
  EXPECT_EQ(b->computeAt(), 0);
  c->axis(1)->parallelize(ParallelType::Vectorize);
  inlineMost(&fusion_);
  EXPECT_EQ(b->computeAt(), 1);
}

TEST_F(InlineTest, LoopsThatDifferAreNotShared) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* b = output(neg(a));
  b->split(1, 8);
  inlineMost(&fusion_);
  EXPECT_EQ(a->computeAt(), 1);
  TensorView* c = exp(tensor({6, 100}));
  TensorView* d = output(neg(c));
  d->split(1, 8);
  d->reorder({{0, 2}});
  inlineMost(&fusion_);
  EXPECT_EQ(c->computeAt(), 0);
}

TEST_F(InlineTest, LoopsThatAreSharedAreNotTransformed) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* b = output(neg(a));
  inlineMost(&fusion_, {}, {{a, 1}});
  EXPECT_TRUE(contains(errorOf([&] { b->split(0, 2); }), "before they are inlined"));
  EXPECT_TRUE(contains(errorOf([&] { a->merge(0, 1); }), "before they are inlined"));
  EXPECT_TRUE(contains(errorOf([&] { b->reorder({{0, 1}}); }), "before they are inlined"));
  EXPECT_EQ(loops(b->split(1, 10)), "i6 i10 i10");
}

using LoopTreeTest = PropagateTest;

TEST_F(LoopTreeTest, AConsumerInsideTheReductionLoopIsRejected) {
  TensorView* total = sum(tensor({6, 100}), {1}, false);
  TensorView* y = output(ops::broadcast(total, {false, true}));
  total->setComputeAt(1);
  EXPECT_EQ(problem(), "");
  total->setComputeAt(2);
  EXPECT_TRUE(contains(problem(), "reduction loop")) << problem();
  EXPECT_TRUE(contains(problem(), "shared with a consumer"));
  EXPECT_THROW(LoopTree::build(&fusion_), Error);
  EXPECT_EQ(y->nLoops(), 2);
}

TEST_F(LoopTreeTest, APositionDeeperThanTheConsumersLoopsIsRejected) {
  TensorView* a = sum(tensor({6, 100}), {1});
  output(neg(a));
  a->setComputeAt(2);
  EXPECT_TRUE(contains(problem(), "compute-at position is 2")) << problem();
}

TEST_F(LoopTreeTest, SharingThatFollowsFromOthersMustBeDeclared) {
  // a feeds b and c, and b feeds c: when a shares its loop with both, b shares it with c as well.
  TensorView* a = exp(tensor({100}));
  TensorView* b = neg(a);
  output(add(a, b));
  a->setComputeAt(1);
  EXPECT_TRUE(contains(problem(), "coincide 1 deep")) << problem();
  b->setComputeAt(1);
  EXPECT_EQ(problem(), "");
}

TEST_F(LoopTreeTest, LoopsThatWaitForEachOtherAreRejected) {
  // The sum needs all of x's loop; the loop that x shares with y needs the sum.
  TensorView* a = exp(tensor({6, 100}));
  TensorView* total = sum(a, {1}, true);
  output(add(a, total));
  for (TensorView* tv : fusion_.tensors()) {
    tv->setComputeAt(0);
  }
  EXPECT_EQ(problem(), "");
  a->setComputeAt(2);
  EXPECT_NE(problem(), "");
  EXPECT_TRUE(contains(errorOf([&] { LoopTree::build(&fusion_); }), "not legal"));
}

TEST_F(LoopTreeTest, NestsGroupWhatSharesLoops) {
  TensorView* a = exp(tensor({6, 100}));
  TensorView* total = sum(a, {1});
  TensorView* y = output(neg(total));
  inlineMost(&fusion_);
  const auto items = LoopTree::build(&fusion_);
  ASSERT_EQ(items.size(), 1u);
  const auto& rows = *std::get<std::unique_ptr<LoopNode>>(items[0]);
  EXPECT_EQ(rows.depth, 0);
  EXPECT_EQ(rows.members.size(), 3u);
  // In a row: the loop of the sum, then what uses its result.
  ASSERT_EQ(rows.body.size(), 2u);
  const auto& columns = *std::get<std::unique_ptr<LoopNode>>(rows.body[0]);
  ASSERT_EQ(columns.body.size(), 2u);
  EXPECT_EQ(std::get<Expr*>(columns.body[0]), a->definition());
  EXPECT_EQ(std::get<Expr*>(columns.body[1]), total->definition());
  EXPECT_EQ(std::get<Expr*>(rows.body[1]), y->definition());
}

TEST_F(LoopTreeTest, WithoutInliningEveryExpressionHasItsOwnNest) {
  TensorView* a = exp(tensor({6, 100}));
  output(neg(a));
  const auto items = LoopTree::build(&fusion_);
  EXPECT_EQ(items.size(), 2u);
}

}  // namespace
}  // namespace nvfuser
