// What an iteration of the loop that workers share computes.

#include "lower/common.h"
#include "runtime/work.h"

namespace nvfuser {
namespace {

using WorkTest = testing_support::KernelTest;

TEST_F(WorkTest, TheWorkOfAnIterationIsCounted) {
  TensorView* y = output(exp(tensor({100})));
  y->axis(0)->parallelize(ParallelType::GridX);
  const Work ofElements = workOf(lower()->phases[0]);
  EXPECT_EQ(ofElements.functions, 1);
  EXPECT_EQ(ofElements.loops, 0);
  EXPECT_EQ(ofElements.statements, 0);
}

TEST_F(WorkTest, TheWorkOfARowIsThatOfItsLoopsAndWhatIsBesideThem) {
  TensorView* total = sum(exp(tensor({100, 30})), {1});
  output(ops::unary(UnaryOpType::Log, total));
  const Work ofRows = workOf(scheduleAndLower(SchedulerType::Reduction)->phases[0]);
  EXPECT_EQ(ofRows.functions, 1);
  // The loop over the row, and the logarithm.
  EXPECT_EQ(ofRows.loops, 2);
  // The first value of the sum.
  EXPECT_EQ(ofRows.statements, 1);
}

TEST_F(WorkTest, WhatIsDividedCountsOnce) {
  // The loop over columns has a part for each operand.
  const std::array parts{tensor({60, 128}), tensor({60, 64})};
  output(exp(ops::cat(parts, 1)));
  const Work work = workOf(scheduleAndLower(SchedulerType::Pointwise)->phases[0]);
  EXPECT_EQ(work.functions, 1);
  EXPECT_EQ(work.loops, 2);
}

}  // namespace
}  // namespace nvfuser
