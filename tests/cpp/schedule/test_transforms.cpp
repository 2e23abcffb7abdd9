// Transforms of loop domains, and the copies and partial reductions that a schedule inserts.

#include "ir/logical_map.h"
#include "schedule/common.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;
using TransformTest = testing_support::FusionTest;

TEST_F(TransformTest, SplitReplacesALoopByTwo) {
  TensorView* tv = exp(tensor({6, 100}));
  tv->split(1, 32);
  EXPECT_EQ(loops(tv), "i6 i4 i32");
  tv->split(-2, 3, false);
  EXPECT_EQ(loops(tv), "i6 i3 i2 i32");
  // The dimensions stay as they are.
  EXPECT_EQ(tv->logical().size(), 2u);
  const auto transforms = transformsBetween(tv->logical(), tv->loop());
  ASSERT_EQ(transforms.size(), 2u);
  EXPECT_TRUE(transforms[0]->as<Split>()->innerSplit());
  EXPECT_FALSE(transforms[1]->as<Split>()->innerSplit());
  EXPECT_EQ(transforms[0]->as<Split>()->in(), tv->logical()[1]);
}

TEST_F(TransformTest, SplitOfASymbolDividesItRoundingUp) {
  TensorView* tv = exp(tensor({-1}));
  tv->split(0, 4);
  EXPECT_EQ(loops(tv), "i? i4");
  Val* extent = tv->logical()[0]->extent();
  EXPECT_TRUE(
      scalar::same(tv->axis(0)->extent(), scalar::ceilDiv(extent, scalar::constant(&fusion_, 4))));
}

TEST_F(TransformTest, SplitKeepsTheKindOfLoop) {
  TensorView* reduced = sum(tensor({6, 100}), {1});
  reduced->split(1, 10);
  EXPECT_EQ(loops(reduced), "i6 r10 r10");
}

TEST_F(TransformTest, MergeMultipliesExtents) {
  TensorView* tv = exp(tensor({2, 3, 5}));
  tv->merge(1, 2);
  EXPECT_EQ(loops(tv), "i2 i15");
  tv->merge(0, -1);
  EXPECT_EQ(loops(tv), "i30");
}

TEST_F(TransformTest, MergeOfDistantLoopsStandsWhereTheOuterOneWas) {
  TensorView* tv = exp(tensor({2, 3, 5}));
  tv->merge(0, 2);
  EXPECT_EQ(loops(tv), "i10 i3");
}

TEST_F(TransformTest, MergeWithABroadcastTakesTheOtherKind) {
  TensorView* tv = exp(tensor({1, 8}));
  EXPECT_EQ(loops(tv->merge(0, 1)), "i8");
  TensorView* reduced = sum(tensor({1, 8}), {1});
  EXPECT_EQ(loops(reduced->merge(0, 1)), "r8");
}

TEST_F(TransformTest, ReorderMovesAndKeepsTheOrderOfTheRest) {
  TensorView* tv = exp(tensor({2, 3, 5, 7}));
  EXPECT_EQ(loops(tv->reorder({{0, -1}})), "i3 i5 i7 i2");
  EXPECT_EQ(loops(tv->reorder({{3, 0}, {0, 1}})), "i2 i3 i5 i7");
  EXPECT_EQ(loops(tv->reorder({{-1, 1}})), "i2 i7 i3 i5");
  EXPECT_EQ(loops(tv->reorder({})), "i2 i7 i3 i5");
}

TEST_F(TransformTest, ErrorsNameWhatIsWrong) {
  TensorView* tv = sum(tensor({6, 100}), {1});
  EXPECT_TRUE(contains(errorOf([&] { tv->split(2, 4); }), "out of boundary index 2"));
  EXPECT_TRUE(contains(errorOf([&] { tv->split(-3, 4); }), "out of boundary index -3"));
  EXPECT_TRUE(contains(errorOf([&] { tv->split(0, int64_t{0}); }), "positive split factor"));
  EXPECT_TRUE(contains(errorOf([&] { tv->merge(0, 1); }), "reduction with a non-reduction"));
  EXPECT_TRUE(contains(errorOf([&] { tv->merge(1, -1); }), "two different axes"));
  EXPECT_TRUE(contains(errorOf([&] { tv->reorder({{0, 1}, {1, 1}}); }), "Duplicate entries"));
  EXPECT_TRUE(contains(errorOf([&] { tv->reorder({{0, 1}, {-2, 0}}); }), "Duplicate entries"));
  EXPECT_TRUE(contains(errorOf([&] { tv->axis(2); }), "out of boundary index 2"));
  tv->axis(0)->parallelize(ParallelType::GridX);
  EXPECT_TRUE(contains(errorOf([&] { tv->split(0, 2); }), "parallelized domain"));
  TensorView* other = exp(tensor({4, 4}));
  other->axis(1)->parallelize(ParallelType::Vectorize);
  EXPECT_TRUE(contains(errorOf([&] { other->merge(0, 1); }), "parallelized domains"));
  // What was refused changed nothing.
  EXPECT_EQ(loops(tv), "i6 r100");
  EXPECT_EQ(loops(other), "i4 i4");
}

TEST_F(TransformTest, SwizzleNeedsEqualPowersOfTwo) {
  TensorView* tv = exp(tensor({8, 8, 6, 6}));
  tv->swizzle(0, 1);
  EXPECT_EQ(loops(tv), "i8 i8 i6 i6");
  EXPECT_TRUE(tv->axis(0)->definition()->is<Swizzle>());
  EXPECT_THROW(tv->swizzle(2, 3), Error);
  EXPECT_THROW(tv->swizzle(0, 2), Error);
  EXPECT_THROW(tv->swizzle(0, 0), Error);
}

TEST_F(TransformTest, AlignedRowsHaveTheirPlaceInAVectorMore) {
  TensorView* tv = exp(tensor({6, 100}));
  tv->alignRows(0, 1, 8);
  EXPECT_EQ(loops(tv), "i6 i107");
  EXPECT_TRUE(tv->axis(1)->definition()->is<Align>());
  EXPECT_THROW(tv->alignRows(0, 1, 6), Error);
  EXPECT_THROW(tv->alignRows(0, 0, 8), Error);
}

TEST_F(TransformTest, RFactorReducesInTwoSteps) {
  TensorView* x = tensor({6, 100});
  TensorView* total = output(sum(x, {1}));
  total->split(1, 8);
  TensorView* partial = total->rFactor({2});
  EXPECT_EQ(loops(partial), "i6 i13 r8");
  EXPECT_EQ(loops(total), "i6 r13");
  EXPECT_EQ(partial->ndim(), 2);
  EXPECT_EQ(total->ndim(), 1);
  ASSERT_TRUE(partial->definition()->is<ReductionOp>());
  ASSERT_TRUE(total->definition()->is<ReductionOp>());
  EXPECT_EQ(partial->definition()->input(0), x);
  EXPECT_EQ(total->definition()->input(0), partial);
  EXPECT_EQ(partial->definition()->as<ReductionOp>()->init(),
            total->definition()->as<ReductionOp>()->init());
  // The partial result has the split as part of its own operation.
  EXPECT_EQ(partial->root().size(), 2u);
  EXPECT_TRUE(partial->logical()[1]->isRFactor());
}

TEST_F(TransformTest, RFactorOfAWholeDimension) {
  TensorView* total = output(sum(tensor({6, 5, 4}), {0, 2}));
  TensorView* partial = total->rFactor({0});
  EXPECT_EQ(loops(partial), "r6 i5 i4");
  EXPECT_EQ(loops(total), "i5 r4");
}

TEST_F(TransformTest, RFactorKeepsTransformsOfOtherLoops) {
  TensorView* total = output(sum(tensor({6, 5, 64}), {2}));
  total->merge(0, 1);
  total->split(0, 4);
  total->split(2, 8);
  total->axis(0)->parallelize(ParallelType::GridX);
  TensorView* partial = total->rFactor({-1});
  EXPECT_EQ(loops(partial), "i8 i4 i8 r8");
  EXPECT_EQ(loops(total), "i8 i4 r8");
  EXPECT_EQ(partial->axis(0)->parallelType(), ParallelType::GridX);
  EXPECT_EQ(total->axis(0)->parallelType(), ParallelType::GridX);
}

TEST_F(TransformTest, RFactorErrors) {
  TensorView* x = tensor({6, 100});
  TensorView* total = output(sum(x, {1}));
  EXPECT_TRUE(contains(errorOf([&] { total->rFactor({1}); }), "one to leave"));
  EXPECT_TRUE(contains(errorOf([&] { total->rFactor({0}); }), "takes reduction axes"));
  total->split(1, 8);
  EXPECT_TRUE(contains(errorOf([&] { total->rFactor({}); }), "at least one reduction axis"));
  EXPECT_TRUE(contains(errorOf([&] { exp(x)->rFactor({0}); }), "result of a reduction"));
  EXPECT_TRUE(contains(errorOf([&] { x->rFactor({0}); }), "result of a reduction"));
}

TEST_F(TransformTest, CacheAfterStandsBetweenATensorAndItsConsumers) {
  TensorView* x = tensor({6, 100});
  TensorView* a = output(exp(x));
  TensorView* b = output(neg(x));
  TensorView* cache = x->cacheAfter();
  EXPECT_EQ(cache->definition()->input(0), x);
  EXPECT_TRUE(cache->definition()->is<LoadStoreOp>());
  EXPECT_EQ(a->definition()->input(0), cache);
  EXPECT_EQ(b->definition()->input(0), cache);
  EXPECT_EQ(x->uses().size(), 1u);
  EXPECT_EQ(cache->uses().size(), 2u);
  EXPECT_EQ(loops(cache), "i6 i100");
  EXPECT_EQ(cache->memoryType(), MemoryType::Local);
}

TEST_F(TransformTest, CacheAfterForSomeConsumersOnly) {
  TensorView* x = tensor({6});
  TensorView* a = output(exp(x));
  TensorView* b = output(neg(x));
  TensorView* cache = x->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, {b->definition()});
  EXPECT_EQ(a->definition()->input(0), x);
  EXPECT_EQ(b->definition()->input(0), cache);
  TensorView* c = output(exp(a));
  EXPECT_THROW(x->cacheAfter(LoadStoreOpType::Set, CacheOp::Unspecified, {c->definition()}), Error);
  EXPECT_THROW(c->cacheAfter(), Error);
}

TEST_F(TransformTest, CacheOfAReductionHasNoReducedDimensions) {
  TensorView* reduced = sum(tensor({6, 100}), {1});
  TensorView* y = output(exp(reduced));
  EXPECT_EQ(loops(reduced->cacheAfter()), "i6");
  EXPECT_EQ(loops(y), "i6");
}

TEST_F(TransformTest, CacheBeforeTakesOverTheComputation) {
  TensorView* x = tensor({6, 100});
  TensorView* total = output(sum(x, {1}));
  total->split(1, 8);
  TensorView* cache = total->cacheBefore();
  EXPECT_EQ(loops(cache), "i6 r13 r8");
  EXPECT_EQ(loops(total), "i6");
  EXPECT_TRUE(cache->definition()->is<ReductionOp>());
  EXPECT_EQ(cache->definition()->input(0), x);
  ASSERT_TRUE(total->definition()->is<LoadStoreOp>());
  EXPECT_EQ(total->definition()->input(0), cache);
  EXPECT_EQ(fusion_.outputs()[0].tv, total);
  EXPECT_FALSE(cache->isFusionOutput());
  EXPECT_THROW(x->cacheBefore(), Error);
}

TEST_F(TransformTest, CacheBeforeLeavesTheMemoryOrderWithTheOutput) {
  TensorView* y = output(ops::strideOrder(tensor({2, 3, 4}), Sizes{0, 1, 2}));
  TensorView* cache = y->cacheBefore();
  EXPECT_FALSE(cache->domain()->hasAllocation());
  const auto& logical = y->logical();
  EXPECT_EQ(y->domain()->allocation(),
            (std::vector<IterDomain*>{logical[2], logical[1], logical[0]}));
}

TEST_F(TransformTest, CacheBeforeOrdersWhatAReductionLeavesInMemory) {
  TensorView* total = output(sum(tensor({2, 3, 4}), {2}));
  const std::vector<IterDomain*> reduced = total->logical();
  total->domain()->setAllocation({reduced[1], reduced[0], reduced[2]}, {true, true, std::nullopt});
  TensorView* cache = total->cacheBefore();
  EXPECT_FALSE(cache->domain()->hasAllocation());
  const auto& logical = total->logical();
  ASSERT_EQ(logical.size(), 2);
  EXPECT_EQ(total->domain()->allocation(), (std::vector<IterDomain*>{logical[1], logical[0]}));
}

}  // namespace
}  // namespace nvfuser
