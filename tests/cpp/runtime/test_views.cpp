// Outputs that are views of inputs: which are, and where they look.

#include "runtime/common.h"
#include "runtime/planning/views.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;
using testing_support::TensorArgument;

class ViewsTest : public testing_support::FusionTest {
 protected:
  bool isView(const TensorView* tv) { return isInputView(tv, fusion_); }
  // With all extents constant and dense inputs.
  static View viewOf(const TensorView* tv) {
    const ViewChain chain = viewChain(tv);
    Sizes sizes;
    for (const IterDomain* id : chain.front()->input(0)->asTensor()->logical()) {
      sizes.push_back(id->visibleExtent()->constInt());
    }
    return viewAlong(chain, TensorArgument::contiguousStrides(sizes),
                     [](const Val* val) { return val->constInt(); })
        .value();
  }
};

TEST_F(ViewsTest, InputsAndTheirPermutations) {
  TensorView* x = tensor({2, 3, 4});
  EXPECT_TRUE(isView(x));
  TensorView* permuted = ops::permute(x, Sizes{2, 0, 1});
  ASSERT_TRUE(isView(permuted));
  const View view = viewOf(permuted);
  EXPECT_EQ(view.offset, 0);
  EXPECT_EQ(view.strides, (Sizes{1, 12, 4}));
}

TEST_F(ViewsTest, SlicesStartFurtherOn) {
  TensorView* x = tensor({6, 100});
  TensorView* part = ops::slice(x, constants({2, 10}), constants({5, 50}));
  ASSERT_TRUE(isView(part));
  EXPECT_EQ(viewOf(part).offset, 210);
  EXPECT_EQ(viewOf(part).strides, (Sizes{100, 1}));
  // Of a transposed one.
  TensorView* both = ops::slice(ops::transpose(x, 0, 1), constants({10, 2}), constants({50, 5}));
  ASSERT_TRUE(isView(both));
  EXPECT_EQ(viewOf(both).offset, 210);
  EXPECT_EQ(viewOf(both).strides, (Sizes{1, 100}));
}

TEST_F(ViewsTest, ReshapesOfContiguousInputsOnly) {
  TensorView* x = tensor({6, 4});
  TensorView* flat = ops::reshape(x, constants({3, 8}));
  ASSERT_TRUE(isView(flat));
  EXPECT_EQ(viewOf(flat).strides, (Sizes{8, 1}));
  EXPECT_FALSE(isView(ops::reshape(tensor({6, 4}, DataType::Float, false), constants({24}))));
  EXPECT_FALSE(isView(ops::reshape(ops::transpose(x, 0, 1), constants({24}))));
  TensorView* part = ops::slice(x, constants({0, 0}), constants({6, 2}));
  EXPECT_FALSE(isView(ops::reshape(part, constants({12}))));
}

TEST_F(ViewsTest, BroadcastAndSqueeze) {
  TensorView* x = tensor({6, 4});
  TensorView* broadcast = ops::broadcast(x, {false, true, false});
  ASSERT_TRUE(isView(broadcast));
  const View view = viewOf(broadcast);
  ASSERT_EQ(view.strides.size(), 3u);
  EXPECT_EQ(view.strides[0], 4);
  EXPECT_EQ(view.strides[2], 1);
  TensorView* squeezed = ops::squeeze(broadcast, Sizes{1});
  ASSERT_TRUE(isView(squeezed));
  EXPECT_EQ(viewOf(squeezed).strides, (Sizes{4, 1}));
}

TEST_F(ViewsTest, WhatIsComputedOrCopiedIsNone) {
  TensorView* x = tensor({6, 4});
  EXPECT_FALSE(isView(exp(x)));
  EXPECT_FALSE(isView(ops::set(x)));
  EXPECT_FALSE(isView(ops::segmentSet(x)->asTensor()));
  EXPECT_FALSE(isView(ops::strideOrder(x, Sizes{0, 1})));
  EXPECT_FALSE(isView(ops::permute(exp(x), Sizes{1, 0})));
  EXPECT_FALSE(isView(ops::pad(x, constants({1, 1}))));
  EXPECT_FALSE(isView(sum(x, {0})));
  EXPECT_FALSE(isView(ops::full(constants({4}), fusion_.one(), DataType::Float)));
}

TEST_F(ViewsTest, InputsThatAreUpdatedAreNotLookedAt) {
  TensorView* x = tensor({6, 4});
  TensorView* permuted = ops::permute(x, Sizes{1, 0});
  EXPECT_TRUE(isView(permuted));
  fusion_.addOutput(exp(x), x);
  EXPECT_FALSE(isView(permuted));
  EXPECT_FALSE(isView(x));
}

}  // namespace
}  // namespace nvfuser
