// Which scheduler fits what, and where a fusion is cut into segments.

#include <algorithm>
#include <set>

#include "schedule/common.h"
#include "schedule/scheduler.h"
#include "schedule/schedulers/registry.h"
#include "schedule/segmentation.h"

namespace nvfuser {
namespace {

class SchedulerTest : public testing_support::FusionTest {
 protected:
  // The types that do not reject the whole fusion.
  std::set<SchedulerType> accepted() {
    std::set<SchedulerType> types;
    for (int i = 0; i <= static_cast<int>(SchedulerType::Resize); ++i) {
      const auto type = static_cast<SchedulerType>(i);
      if (reason(type).empty()) {
        types.insert(type);
      }
    }
    return types;
  }
  std::string reason(SchedulerType type) {
    return rejectionReason(type, FusionSummary(fusion_.tensorExprs()), cpuTarget({}));
  }
  SchedulerType proposed() {
    return proposeScheduler(FusionSummary(fusion_.tensorExprs()), cpuTarget({}));
  }
};

using Types = std::set<SchedulerType>;

TEST_F(SchedulerTest, ElementwiseIsPointwiseOnly) {
  output(exp(add(tensor({6, 100}), tensor({6, 100}))));
  EXPECT_EQ(accepted(), Types{SchedulerType::Pointwise});
  EXPECT_EQ(proposed(), SchedulerType::Pointwise);
  EXPECT_TRUE(contains(reason(SchedulerType::Reduction),
                       "Scheduler _reduction_ ***rejected*** because : no reduction op"));
}

TEST_F(SchedulerTest, SumAndExpIsReductionOnly) {
  output(exp(sum(tensor({6, 100}), {1})));
  EXPECT_EQ(accepted(), Types{SchedulerType::Reduction});
  EXPECT_EQ(proposed(), SchedulerType::Reduction);
  EXPECT_TRUE(
      contains(reason(SchedulerType::Pointwise),
               "Scheduler _pointwise_ ***rejected*** because : cannot find reference tensor"));
  EXPECT_TRUE(contains(reason(SchedulerType::InnerPersistent), "along the reduced dimensions"));
}

TEST_F(SchedulerTest, LayerNormIsInnerPersistentOnly) {
  output(layerNorm(tensor({6, 100}), 100));
  EXPECT_EQ(accepted(), Types{SchedulerType::InnerPersistent});
  EXPECT_EQ(proposed(), SchedulerType::InnerPersistent);
  EXPECT_TRUE(contains(reason(SchedulerType::Reduction), "used along the reduced dimensions"));
}

TEST_F(SchedulerTest, SoftmaxOverTheOuterDimensionIsOuterPersistent) {
  output(ops::softmax(tensor({100, 6}), 0));
  EXPECT_EQ(accepted(), Types{SchedulerType::OuterPersistent});
}

TEST_F(SchedulerTest, DifferentReductionsFitNone) {
  TensorView* x = tensor({6, 100});
  output(sum(x, {0}));
  output(sum(x, {1}));
  EXPECT_EQ(accepted(), Types{});
  EXPECT_EQ(proposed(), SchedulerType::None);
  EXPECT_TRUE(contains(reason(SchedulerType::Reduction), "reduce different dimensions"));
}

TEST_F(SchedulerTest, HeuristicsKeepSmallWorkWhole) {
  output(sum(tensor({6, 100}), {1}));
  ScheduleContext context(cpuTarget({.workers = 4}));
  context.extent = [](const Val* extent) { return extent->constInt(); };
  const ScheduleParams params = computeHeuristics(&fusion_, SchedulerType::Reduction, context);
  EXPECT_EQ(typeOf(params), SchedulerType::Reduction);
  EXPECT_EQ(std::get<CpuReductionParams>(params.values).part, 0);
  EXPECT_THROW(computeHeuristics(&fusion_, SchedulerType::Matmul, context), Error);
}

TEST_F(SchedulerTest, WhatHasNoTilesIsForTheNextScheduler) {
  output(ops::binary(BinaryOpType::Add, tensor({256, 256}),
                     ops::permute(tensor({256, 256}), std::vector<int64_t>{1, 0})));
  ScheduleContext context(cpuTarget({}));
  context.extent = [](const Val* extent) { return extent->constInt(); };
  const ScheduleParams tiles = computeHeuristics(&fusion_, SchedulerType::Pointwise, context);
  EXPECT_EQ(std::get<CpuTransposeParams>(tiles.values).tile.along, 16);
  EXPECT_TRUE(contains(toString(tiles), "tile(across=16, along=16, inOrder=no, inRegisters=yes)"));
  context.extent = [](const Val* /*extent*/) { return 3; };
  const ScheduleParams none = computeHeuristics(&fusion_, SchedulerType::Pointwise, context);
  EXPECT_TRUE(std::holds_alternative<CpuPointwiseParams>(none.values));
  EXPECT_NE(tiles, none);
}

TEST_F(SchedulerTest, ScansAndScattersHaveSchedulersOfTheirOwn) {
  TensorView* x = tensor({16, 1000});
  output(ops::scan(BinaryOpType::Add, x, 1));
  ScheduleContext context(cpuTarget({}));
  context.extent = [](const Val* extent) { return extent->constInt(); };
  const ScheduleParams params = computeHeuristics(&fusion_, SchedulerType::Pointwise, context);
  EXPECT_EQ(params.scheduler, schedulers::cpuScan());
  EXPECT_EQ(std::get<CpuScanParams>(params.values).columns, context.tuning.cpu.scanColumns);
  EXPECT_EQ(typeOf(params), SchedulerType::Pointwise);
}

class SegmentationTest : public SchedulerTest {
 protected:
  std::vector<SchedulerType> schedulers() {
    std::vector<SchedulerType> types;
    for (const Segment& segment : segmentFusion(&fusion_, cpuTarget({}))) {
      types.push_back(segment.scheduler);
    }
    return types;
  }
};

TEST_F(SegmentationTest, ElementwiseChainsAreOneGroup) {
  output(exp(add(neg(tensor({6, 100})), tensor({6, 100}))));
  const auto groups = groupExprs(&fusion_, cpuTarget({}));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].size(), 3u);
}

TEST_F(SegmentationTest, TwoDifferentReductionsAreTwoGroups) {
  TensorView* x = exp(tensor({6, 100}));
  TensorView* a = output(sum(x, {0}));
  TensorView* b = output(sum(x, {1}));
  const auto groups = groupExprs(&fusion_, cpuTarget({}));
  ASSERT_EQ(groups.size(), 2u);
  const auto groupOf = [&](const TensorView* tv) {
    for (size_t g = 0; g < groups.size(); ++g) {
      if (std::ranges::find(groups[g], tv->definition()) != groups[g].end()) {
        return g;
      }
    }
    return groups.size();
  };
  EXPECT_NE(groupOf(a), groupOf(b));
  EXPECT_EQ(schedulers(), (std::vector{SchedulerType::Reduction, SchedulerType::Reduction}));
}

TEST_F(SegmentationTest, ReductionsOfOneDimensionAreOneGroup) {
  TensorView* x = tensor({6, 100});
  output(sum(x, {1}));
  output(sum(exp(x), {1}));
  EXPECT_EQ(schedulers(), std::vector{SchedulerType::Reduction});
}

TEST_F(SegmentationTest, LayerNormIsOnePersistentGroup) {
  output(layerNorm(tensor({6, 100}), 100));
  EXPECT_EQ(schedulers(), std::vector{SchedulerType::InnerPersistent});
}

TEST_F(SegmentationTest, SegmentSetSplits) {
  TensorView* boundary = ops::segmentSet(exp(tensor({6, 100})))->asTensor();
  TensorView* y = output(neg(boundary));
  const auto segments = segmentFusion(&fusion_, cpuTarget({}));
  ASSERT_EQ(segments.size(), 2u);
  // Or a copy of the exponential.
  ASSERT_EQ(segments[0].outputs.size(), 1u);
  TensorView* a = segments[0].outputs[0];
  const auto* definition = a->definition()->as<UnaryOp>();
  ASSERT_NE(definition, nullptr);
  EXPECT_EQ(definition->type(), UnaryOpType::Exp);
  EXPECT_EQ(segments[1].inputs, std::vector<Val*>{a});
  EXPECT_EQ(segments[1].outputs, std::vector<TensorView*>{y});
}

TEST_F(SegmentationTest, SegmentsAreFusionsOfTheirOwn) {
  TensorView* x = tensor({-1, -1});
  TensorView* rows = sum(exp(x), {1});
  TensorView* total = output(sum(rows, {0}));
  const auto segments = segmentFusion(&fusion_, cpuTarget({}));
  ASSERT_EQ(segments.size(), 2u);
  for (const Segment& segment : segments) {
    EXPECT_NE(segment.scheduler, SchedulerType::None);
    ASSERT_EQ(segment.fusion->inputs().size(), segment.inputs.size());
    ASSERT_EQ(segment.fusion->outputs().size(), segment.outputs.size());
    for (const auto& [copy, original] : segment.scalars) {
      EXPECT_EQ(copy->fusion(), segment.fusion.get());
      EXPECT_EQ(original->fusion(), &fusion_);
    }
  }
  // What passes between them has no trace of how it was computed.
  EXPECT_EQ(segments[0].inputs, std::vector<Val*>{x});
  EXPECT_EQ(segments[1].inputs, std::vector<Val*>{rows});
  EXPECT_EQ(segments[1].outputs, std::vector<TensorView*>{total});
  const TensorView* passed = segments[1].fusion->inputs()[0]->asTensor();
  EXPECT_EQ(loops(passed), "i?");
  EXPECT_EQ(passed->definition(), nullptr);
  // Its size is the first one of x.
  EXPECT_EQ(segments[1].scalars.at(passed->logical()[0]->extent()), x->logical()[0]->extent());
}

TEST_F(SegmentationTest, GroupsNeverWaitForEachOther) {
  // The sum over rows is needed by one that shares its input with the sum over columns.
  TensorView* x = tensor({6, 100});
  TensorView* rows = sum(x, {1}, true);
  TensorView* columns = output(sum(add(x, rows), {0}));
  output(sum(ops::binary(BinaryOpType::Mul, x, columns), {1}));
  const auto groups = groupExprs(&fusion_, cpuTarget({}));
  std::set<const Val*> known;
  size_t count = 0;
  for (const auto& group : groups) {
    for (const Expr* expr : group) {
      for (const Val* in : expr->inputs()) {
        EXPECT_TRUE(!in->isTensor() || in->isFusionInput() || known.contains(in))
            << expr->toString();
      }
      known.insert(expr->outputs().begin(), expr->outputs().end());
      ++count;
    }
    EXPECT_NE(proposeScheduler(FusionSummary(group), cpuTarget({})), SchedulerType::None);
  }
  EXPECT_EQ(count, fusion_.tensorExprs().size());
  EXPECT_GT(groups.size(), 1u);
}

// What a segment computes again for itself is one with what it is a copy of. That does not make it
// another segment.
TEST_F(SegmentationTest, RefusedSegmentsAreNotMadeAgain) {
  const auto define = [](Fusion& fusion) {
    const FusionGuard guard(&fusion);
    TensorView* x = ops::defineTensor(testing_support::Sizes{6, 100}, true, DataType::Half);
    fusion.addInput(x);
    TensorView* wide = ops::cast(x, DataType::Float);
    TensorView* rows = sum(ops::binary(BinaryOpType::Mul, exp(wide), wide), {1});
    fusion.addOutput(rows);
    fusion.addOutput(sum(wide, {0}));
  };
  Fusion first;
  define(first);
  for (const Segment& segment : segmentFusion(&first, cpuTarget({}))) {
    Refusals refused;
    const Segment* refusedOne = &segment;
    ASSERT_TRUE(refused.add({&refusedOne, 1}, "it is refused"));
    Fusion second;
    define(second);
    for (const Segment& other : segmentFusion(&second, cpuTarget({}), {}, refused)) {
      EXPECT_NE(other.names, segment.names);
    }
  }
}

// Only what is refused is cut into smaller and smaller pieces.
TEST_F(SegmentationTest, RefusalsOfSomeSegmentsLeaveOthersWhole) {
  Refusals refused;
  Segment segment;
  segment.fusion = std::make_unique<Fusion>();
  const FusionGuard guard(segment.fusion.get());
  TensorView* x = ops::defineTensor(testing_support::Sizes{6}, true, DataType::Float);
  segment.fusion->addInput(x);
  segment.fusion->addOutput(exp(exp(exp(exp(x)))));
  const Segment* one = &segment;
  for (size_t i = 0; i < limits::kRefusals; ++i) {
    segment.names = {static_cast<int64_t>(i)};
    EXPECT_TRUE(refused.areRepeated());
    EXPECT_TRUE(refused.add({&one, 1}, "at first it is cut anyhow"));
    EXPECT_FALSE(refused.contains({static_cast<int64_t>(i), 100}, 50));
  }
  EXPECT_FALSE(refused.areRepeated());
  segment.names = {10, 11, 12, 13};
  EXPECT_TRUE(refused.add({&one, 1}, "then into halves"));
  EXPECT_TRUE(refused.contains({11, 12, 13}, 3));
  EXPECT_FALSE(refused.contains({11, 12}, 2));
  segment.names = {11, 12};
  EXPECT_TRUE(refused.add({&one, 1}, "of halves"));
  EXPECT_TRUE(refused.contains({12, 13}, 2));
  EXPECT_FALSE(refused.contains({12}, 1));
  EXPECT_FALSE(refused.contains({20, 21, 22, 23}, 4));
  segment.names = {12};
  EXPECT_FALSE(refused.add({&one, 1}, "and one expression is left"));
}

TEST_F(SegmentationTest, SegmentsKnowWhoAcceptsThemAndWhatTheyAre) {
  output(sum(exp(tensor({6, 100})), {1}));
  const std::vector<Segment> segments = segmentFusion(&fusion_, cpuTarget({}));
  ASSERT_EQ(segments.size(), 1u);
  const Segment& segment = segments.front();
  ASSERT_FALSE(segment.schedulers.empty());
  for (const Scheduler* scheduler : segment.schedulers) {
    EXPECT_EQ(scheduler->type(), segment.scheduler);
  }
  ASSERT_NE(segment.summary, nullptr);
  EXPECT_EQ(segment.summary->fusion(), segment.fusion.get());
  EXPECT_EQ(segment.summary->exprs(), segment.fusion->tensorExprs());
}

}  // namespace
}  // namespace nvfuser
