// Lowering of lookups: the position that a tensor holds takes the place of an index.

#include "emit/cuda.h"
#include "emit/llvm.h"
#include "lower/common.h"
#include "schedule/segmentation.h"

namespace nvfuser {
namespace {

using testing_support::hasOperation;
using testing_support::statementsOf;

class LookupTest : public testing_support::KernelTest {
 protected:
  // What the kernel reads of the tensor that is looked up.
  static const kir::Access& read(const kir::Kernel& kernel) {
    for (const auto* compute : statementsOf<kir::Compute>(kernel.phases[0].body)) {
      if (compute->expr->is<LookupOp>()) {
        return std::get<kir::Access>(compute->inputs[0]);
      }
    }
    fail("the kernel has no lookup");
  }
};

TEST_F(LookupTest, ThePositionIsReadBeforeTheElement) {
  TensorView* x = tensor({10, 6});
  TensorView* index = tensor({4}, DataType::Int);
  TensorView* y = output(ops::indexSelect(x, index, 0));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  const auto loads = statementsOf<kir::LoadIndex>(kernel->phases[0].body);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(std::get<kir::Access>(loads[0]->index).tv, index);
  EXPECT_TRUE(loads[0]->extent->isConstInt(10));
  ExpressionEvaluator evaluator;
  evaluator.bind(loads[0]->position, int64_t{7});
  for (const auto* loop : statementsOf<kir::Loop>(kernel->phases[0].body)) {
    evaluator.bind(loop->index, int64_t{2});
  }
  EXPECT_EQ(evaluate(evaluator, read(*kernel).index), 7 * 6 + 2);
  EXPECT_EQ(writesOf(*kernel, y), once(24));
  // Reported on the CPU.
  ASSERT_EQ(kernel->lookups.size(), 1u);
  EXPECT_EQ(kernel->parameters.back().kind, kir::Parameter::Kind::Misses);
  EXPECT_TRUE(contains(emitLlvm(*kernel), "atomicrmw or"));
}

TEST_F(LookupTest, DimensionsAroundTheOneLookedUpAreNotAdjacent) {
  TensorView* x = tensor({3, 10, 5});
  TensorView* index = tensor({4}, DataType::Int);
  TensorView* y = output(ops::indexSelect(x, index, 1));
  y->merge(0, 1)->merge(0, 1);
  const auto kernel = lower();
  ExpressionEvaluator evaluator;
  evaluator.bind(statementsOf<kir::LoadIndex>(kernel->phases[0].body)[0]->position, int64_t{7});
  // Element [2, 3, 4] of the result.
  evaluator.bind(statementsOf<kir::Loop>(kernel->phases[0].body)[0]->index,
                 int64_t{2 * 20 + 3 * 5 + 4});
  EXPECT_EQ(evaluate(evaluator, read(*kernel).index), 2 * 50 + 7 * 5 + 4);
}

TEST_F(LookupTest, AGatherOfAPartUsesTheStridesOfTheWhole) {
  TensorView* x = tensor({8, 9, 10});
  TensorView* index = tensor({4, 5, 6}, DataType::Int);
  TensorView* y = output(ops::gather(x, index, 0));
  y->merge(1, 2);
  const auto kernel = lower();
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ExpressionEvaluator evaluator;
  evaluator.bind(statementsOf<kir::LoadIndex>(kernel->phases[0].body)[0]->position, int64_t{7});
  evaluator.bind(loops[0]->index, int64_t{1});
  evaluator.bind(loops[1]->index, int64_t{2 * 6 + 3});
  EXPECT_EQ(evaluate(evaluator, read(*kernel).index), 7 * 90 + 2 * 10 + 3);
}

TEST_F(LookupTest, AFlipKnowsThePositions) {
  TensorView* x = tensor({10, 6});
  Val* first = scalar::constant(&fusion_, 5);
  Val* length = scalar::constant(&fusion_, 6);
  Val* step = scalar::constant(&fusion_, -1);
  TensorView* y = output(ops::indexSelect(x, ops::iota(length, first, step), 1));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  EXPECT_TRUE(statementsOf<kir::LoadIndex>(kernel->phases[0].body).empty());
  EXPECT_TRUE(kernel->lookups.empty());
  ExpressionEvaluator evaluator;
  const auto loops = statementsOf<kir::Loop>(kernel->phases[0].body);
  ASSERT_EQ(loops.size(), 2u);
  evaluator.bind(loops[0]->index, int64_t{7});
  evaluator.bind(loops[1]->index, int64_t{1});
  EXPECT_EQ(evaluate(evaluator, read(*kernel).index), 7 * 6 + 4);
  EXPECT_EQ(writesOf(*kernel, y), once(60));
}

TEST_F(LookupTest, PositionsThatMayBeOutsideAreChecked) {
  // The last one, and then down to -1.
  TensorView* x = tensor({10, 6});
  Val* first = scalar::constant(&fusion_, 5);
  Val* length = scalar::constant(&fusion_, 7);
  Val* step = scalar::constant(&fusion_, -1);
  output(ops::indexSelect(x, ops::iota(length, first, step), 1));
  const auto kernel = scheduleAndLower(SchedulerType::Pointwise);
  EXPECT_EQ(statementsOf<kir::LoadIndex>(kernel->phases[0].body).size(), 1u);
}

TEST_F(LookupTest, WhatIsLookedUpComesFromAnEarlierKernel) {
  TensorView* x = exp(tensor({10, 6}));
  TensorView* index = neg(tensor({4}, DataType::Int));
  output(exp(ops::indexSelect(x, index, 0)));
  const auto groups = groupExprs(&fusion_, cpuTarget({}));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].size(), 1u);
  EXPECT_EQ(groups[1].size(), 3u);
  // In one kernel it is complete before, too.
  const auto kernel = lower();
  EXPECT_EQ(x->memoryType(), MemoryType::Global);
}

TEST_F(LookupTest, WhatIsLookedUpCannotBeInlined) {
  TensorView* x = exp(tensor({10, 6}));
  output(
      ops::indexSelect(ops::permute(x, std::vector<int64_t>{1, 0}), tensor({4}, DataType::Int), 1));
  TensorView* permuted = x->uses()[0]->output(0)->asTensor();
  permuted->setComputeAt(1);
  EXPECT_TRUE(contains(errorOf([&] { lower(); }), "to be complete before it is read"));
}

TEST_F(LookupTest, OnCudaAPositionThatDoesNotExistIsZero) {
  TensorView* y = output(ops::indexSelect(tensor({10, 6}), tensor({4}, DataType::Int32), 0));
  y->axis(0)->parallelize(ParallelType::GridX);
  y->axis(1)->parallelize(ParallelType::BlockX);
  const auto kernel = nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  EXPECT_EQ(statementsOf<kir::If>(kernel->phases[0].body).size(), 1u);
  EXPECT_EQ(statementsOf<kir::Assign>(kernel->phases[0].body).size(), 1u);
  const std::string text = emitCuda(*kernel);
  EXPECT_TRUE(contains(text, "< (unsigned long long)10")) << text;
}

TEST_F(LookupTest, EqualOperandsStayApart) {
  TensorView* x = tensor({10}, DataType::Int);
  TensorView* y = ops::gather(x, x, 0);
  EXPECT_NE(y->definition()->input(0), y->definition()->input(1));
}

}  // namespace
}  // namespace nvfuser
