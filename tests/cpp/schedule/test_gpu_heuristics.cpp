// Steps of the schedulers for CUDA: what they make of the fusion's expressions.

#include <algorithm>

#include "lower/lower.h"
#include "ops/ops.h"
#include "schedule/common.h"
#include "schedule/heuristics/gpu/reduction.h"
#include "schedule/heuristics/gpu/unfused.h"
#include "schedule/heuristics/moments.h"

namespace nvfuser {
namespace {

class MomentsTest : public testing_support::FusionTest {
 protected:
  std::vector<BinaryOpType> reductions() const {
    std::vector<BinaryOpType> types;
    for (const Expr* expr : fusion_.tensorExprs()) {
      if (const auto* reduction = expr->as<ReductionOp>()) {
        types.push_back(reduction->type());
      }
    }
    return types;
  }
  TensorView* meanOf(TensorView* x, bool keepDim = false) {
    const std::vector<int64_t> dims{0};
    return ops::mean(x, dims, keepDim, DataType::Null);
  }
  static TensorView* squared(TensorView* x) { return ops::binary(BinaryOpType::Mul, x, x); }
  static TensorView* difference(TensorView* x, TensorView* y) {
    return ops::binary(BinaryOpType::Sub, x, y);
  }
};

constexpr auto kAdd = BinaryOpType::Add;
constexpr auto kMerge = BinaryOpType::MergeMoments;
using OpTypes = std::vector<BinaryOpType>;

TEST_F(MomentsTest, AVarianceTakesOnePass) {
  TensorView* x = tensor({100, 8});
  const std::vector<int64_t> dims{0};
  const auto [var, mean] = ops::varMean(x, dims, 1, true);
  output(difference(x, mean));
  output(var);
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd}));
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), OpTypes{kMerge});
}

TEST_F(MomentsTest, SoDoesOneThatIsComposed) {
  TensorView* x = tensor({100, 8});
  output(sum(squared(difference(x, meanOf(x, true))), {0}, false));
  heuristics::combineMoments(&fusion_);
  // The sum itself is an output, which is not computed anew.
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd}));
  TensorView* y = tensor({100, 8});
  output(exp(sum(squared(difference(y, meanOf(y, true))), {0}, false)));
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), (OpTypes{kAdd, kAdd, kMerge}));
}

TEST_F(MomentsTest, WhatIsNoVarianceStays) {
  TensorView* x = tensor({100, 8});
  TensorView* y = tensor({100, 8});
  TensorView* other = tensor({1, 8});
  // Of another tensor, around what is computed from no sum, not squared, a maximum.
  output(exp(sum(squared(difference(y, meanOf(x, true))), {0}, false)));
  output(exp(sum(squared(difference(y, other)), {0}, false)));
  output(exp(sum(difference(y, meanOf(y, true)), {0}, false)));
  const OpTypes before = reductions();
  heuristics::combineMoments(&fusion_);
  EXPECT_EQ(reductions(), before);
}

using PartsTest = testing_support::FusionTest;

TEST_F(PartsTest, ThreadsCombineThoseOfEveryReduction) {
  TensorView* x = tensor({65536, 512});
  TensorView* y = tensor({65536, 512});
  // Once their parts are in memory, the sums of x and of x + y have nothing in common; that of z
  // has nothing in common with them to begin with.
  output(exp(sum(x, {0}, false)));
  output(exp(sum(add(x, y), {0}, false)));
  output(exp(sum(tensor({65536, 512}), {0}, false)));
  const GpuParams params{.vectorWidth = 4,
                         .vectorized = 0b11,
                         .unroll = 4,
                         .threadsX = 32,
                         .threadsY = 8,
                         .splits = 16,
                         .isOuterReduction = true};
  heuristics::scheduleGpuReduction(&fusion_, params);
  int64_t combined = 0;
  for (const Expr* expr : fusion_.tensorExprs()) {
    if (expr->is<ReductionOp>()) {
      const auto& loop = expr->output(0)->asTensor()->loop();
      EXPECT_TRUE(std::ranges::any_of(loop, [](const IterDomain* id) {
        return id->isReduction() && id->parallelType() == ParallelType::BlockY;
      })) << expr->toString();
      ++combined;
    }
  }
  EXPECT_EQ(combined, 6);
}

using UnfusedTest = testing_support::FusionTest;

TEST_F(UnfusedTest, EveryElementHasAThread) {
  TensorView* x = tensor({10, 30});
  TensorView* a = exp(x);
  TensorView* total = sum(a, {0}, false);
  output(total);
  heuristics::scheduleGpuUnfused(&fusion_);
  EXPECT_EQ(loops(a), "i3 i128");
  EXPECT_EQ(loops(total), "i1 i128 r10");
  EXPECT_EQ(a->axis(0)->parallelType(), ParallelType::GridX);
  EXPECT_EQ(total->axis(1)->parallelType(), ParallelType::BlockX);
  const auto kernel = nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  EXPECT_EQ(kernel->phases.size(), 2u);
}

}  // namespace
}  // namespace nvfuser
