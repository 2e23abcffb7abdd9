// In which order tensors that pass between kernels lie in memory.

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "ir/memory_orders.h"
#include "ops/ops.h"

namespace nvfuser {
namespace {

using BinaryOpType::Add, BinaryOpType::Mul;
using UnaryOpType::Cos, UnaryOpType::Exp;

class MemoryOrdersTest : public testing::Test {
 protected:
  using Dims = std::vector<int64_t>;

  // An input without gaps whose dimensions lie in this order, outermost first.
  TensorView* input(const Dims& shape, const Dims& order, DataType dtype = DataType::Float) {
    TensorView* tv = ops::defineTensor(shape, true, dtype);
    std::vector<IterDomain*> allocation;
    for (const int64_t dim : order) {
      allocation.push_back(tv->logical()[static_cast<size_t>(dim)]);
    }
    auto contiguity = TensorDomain::fullContiguity(allocation, true);
    tv->domain()->setAllocation(std::move(allocation), std::move(contiguity));
    fusion_.addInput(tv);
    return tv;
  }
  static Dims orderOf(const TensorView* tv) {
    Dims order;
    for (const IterDomain* id : tv->domain()->maybeAllocation()) {
      order.push_back(std::ranges::find(tv->logical(), id) - tv->logical().begin());
    }
    return order;
  }

  const Dims kRows{0, 1, 2, 3};
  const Dims kChannelsLast{0, 2, 3, 1};

  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

TEST_F(MemoryOrdersTest, WhatIsComputedLiesAsItsOperands) {
  TensorView* x = input({4, 8, 6, 5}, kChannelsLast);
  TensorView* y = ops::unary(Exp, x);
  TensorView* permuted = ops::permute(y, Dims{0, 2, 3, 1});
  TensorView* again = ops::unary(Cos, permuted);
  fusion_.addOutput(ops::sum(again, Dims{0, 1}, false));
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(y), kChannelsLast);
  // Rows of channels.
  EXPECT_EQ(orderOf(permuted), kRows);
  EXPECT_EQ(orderOf(again), kRows);
}

TEST_F(MemoryOrdersTest, OutputsOfAGivenOrderAreWantedSo) {
  TensorView* x = input({4, 8, 6, 5}, kChannelsLast);
  TensorView* y = ops::unary(Exp, x);
  TensorView* out = ops::unary(Cos, y);
  fusion_.addOutput(out);
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(out), kRows);
  EXPECT_EQ(orderOf(y), kRows);
}

TEST_F(MemoryOrdersTest, OutputsOfAnyOrderFollow) {
  TensorView* x = input({4, 8, 6, 5}, kChannelsLast);
  TensorView* out = ops::unary(Cos, ops::unary(Exp, x));
  fusion_.addOutputInAnyOrder(out);
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(out), kChannelsLast);
}

TEST_F(MemoryOrdersTest, WhatWasReducedIsNotTurned) {
  TensorView* x = input({4, 8, 6, 5}, kRows);
  TensorView* y = ops::softmax(x, 3);
  TensorView* out = ops::unary(Exp, ops::permute(y, Dims{3, 2, 1, 0}));
  fusion_.addOutput(out);
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(y), kRows);
  EXPECT_EQ(orderOf(out), kRows);
}

TEST_F(MemoryOrdersTest, TheFirstOfEqualOperandsDecides) {
  TensorView* x = input({4, 8, 6, 5}, kChannelsLast);
  TensorView* rows = input({4, 8, 6, 5}, kRows);
  TensorView* y = ops::binary(Add, x, rows);
  TensorView* z = ops::binary(Mul, rows, x);
  fusion_.addOutput(ops::sum(y, Dims{0}, false));
  fusion_.addOutput(ops::sum(z, Dims{0}, false));
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(y), kChannelsLast);
  EXPECT_EQ(orderOf(z), kRows);
}

TEST_F(MemoryOrdersTest, ReshapesKeepWhatLiesTogether) {
  TensorView* x = input({4, 8, 30}, {0, 2, 1});
  const auto constant = [&](int64_t value) {
    return fusion_.create<Val>(DataType::Index, PolymorphicValue(value));
  };
  TensorView* y = ops::unary(Exp, x);
  TensorView* images =
      ops::reshape(y, std::vector<Val*>{constant(4), constant(8), constant(6), constant(5)});
  fusion_.addOutput(ops::sum(ops::unary(Cos, images), Dims{0}, false));
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(y), (Dims{0, 2, 1}));
  EXPECT_EQ(orderOf(images), kChannelsLast);
}

TEST_F(MemoryOrdersTest, CopiesInTheSameOrderAreRemoved) {
  TensorView* x = input({4, 8, 6, 5}, kRows);
  TensorView* y = ops::unary(Exp, x);
  const Dims ranks{3, 0, 2, 1};
  TensorView* copy = ops::strideOrder(y, ranks);
  TensorView* out = ops::unary(Cos, copy);
  fusion_.addOutputInAnyOrder(out);
  TensorView* ofInput = ops::strideOrder(input({4, 8, 6, 5}, kChannelsLast), ranks);
  fusion_.addOutputInAnyOrder(ops::unary(Exp, ofInput));
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(out->definition()->input(0), y);
  EXPECT_EQ(orderOf(y), kChannelsLast);
  EXPECT_EQ(fusion_.tensorExprs().size(), 3u);
}

TEST_F(MemoryOrdersTest, ProductsLookAtTransposedOperands) {
  TensorView* x = input({8, 6}, {0, 1});
  TensorView* y = ops::unary(Exp, x);
  TensorView* transposed = ops::permute(y, Dims{1, 0});
  fusion_.addOutput(ops::matmul(transposed, ops::unary(Cos, y)));
  chooseMemoryOrders(&fusion_);
  EXPECT_EQ(orderOf(y), (Dims{0, 1}));
  EXPECT_EQ(orderOf(transposed), (Dims{1, 0}));
}

}  // namespace
}  // namespace nvfuser
