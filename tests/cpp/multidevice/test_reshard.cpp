// The steps from one way of being divided to another.

#include "multidevice/common.h"
#include "multidevice/localize.h"
#include "multidevice/reshard.h"

namespace nvfuser::multidevice {
namespace {

using testing_support::Sizes;

class ReshardTest : public testing_support::MultideviceTest {
 protected:
  static std::vector<ReshardStep::Kind> kinds(const TensorLayout& from, const TensorLayout& to) {
    std::vector<ReshardStep::Kind> result;
    for (const ReshardStep& step : reshardSteps(from, to)) {
      result.push_back(step.kind);
    }
    return result;
  }
  using Kinds = std::vector<ReshardStep::Kind>;
  using enum ReshardStep::Kind;
};

TEST_F(ReshardTest, OneStepWhereOneWillDo) {
  const Mesh two = mesh({2});
  TensorView* x = tensor({8, 8});
  const TensorLayout rows = dividedLayout(x, two, {{ParallelType::MeshX}, {}});
  const TensorLayout columns = dividedLayout(x, two, {{}, {ParallelType::MeshX}});
  const TensorLayout everywhere = replicated(two, 2);
  TensorLayout parts = everywhere;
  parts.partial[ParallelType::MeshX] = BinaryOpType::Add;
  EXPECT_EQ(kinds(rows, rows), (Kinds{}));
  EXPECT_EQ(kinds(rows, everywhere), (Kinds{AllGather}));
  EXPECT_EQ(kinds(everywhere, columns), (Kinds{Slice}));
  EXPECT_EQ(kinds(rows, columns), (Kinds{AllToAll}));
  EXPECT_EQ(kinds(parts, everywhere), (Kinds{AllReduce}));
  EXPECT_EQ(kinds(parts, columns), (Kinds{ReduceScatter}));
}

TEST_F(ReshardTest, WhatIsSentIsSmallFirst) {
  const Mesh square = mesh({2, 2});
  TensorView* x = tensor({8, 8});
  const TensorLayout before = dividedLayout(x, square, {{ParallelType::MeshX}, {}});
  const TensorLayout after = dividedLayout(x, square, {{}, {ParallelType::MeshY}});
  EXPECT_EQ(kinds(before, after), (Kinds{Slice, AllGather}));
}

TEST_F(ReshardTest, EveryChangeOfAMeshOfTwoDimensionsHasAWay) {
  const Mesh square = mesh({2, 2});
  TensorView* x = tensor({8, 8});
  const ParallelType axes[] = {ParallelType::MeshX, ParallelType::MeshY};
  std::vector<TensorLayout> all;
  for (const int64_t i : {-1, 0, 1}) {
    for (const int64_t j : {-1, 0, 1}) {
      for (const bool isSwapped : {false, true}) {
        std::vector<std::vector<ParallelType>> along(2);
        for (const size_t k : {isSwapped ? 1UL : 0UL, isSwapped ? 0UL : 1UL}) {
          if (const int64_t dim = k == 0 ? i : j; dim != -1) {
            along[static_cast<size_t>(dim)].push_back(axes[k]);
          }
        }
        all.push_back(dividedLayout(x, square, along));
      }
    }
  }
  for (const TensorLayout& from : all) {
    for (const TensorLayout& to : all) {
      const std::vector<ReshardStep> steps = reshardSteps(from, to);
      EXPECT_TRUE((steps.empty() ? from : steps.back().after) == to);
      EXPECT_LE(steps.size(), 4U);
    }
  }
}

TEST_F(ReshardTest, ADeviceRunsItsPart) {
  const Mesh two = mesh({2});
  TensorView* x = tensor({8, 16});
  shard(x, two, 0);
  TensorView* y = output(sum(exp(x), {0}));
  y->setDeviceMesh(two);
  const LocalFusion local = localize(fusion_, 1);
  const auto* input = local.fusion->inputs()[0]->asTensor();
  EXPECT_EQ(input->logical()[0]->extent()->constInt(), 4);
  ASSERT_EQ(local.communications.size(), 1U);
  EXPECT_TRUE(contains(local.communications[0], "all-reduce"));
  EXPECT_EQ(text(local.outputs.at(0)), "-");
  // What it adds up is its own.
  const std::string exprs = local.fusion->printMath();
  EXPECT_LT(exprs.find("reduction("), exprs.find("all_reduce("));
}

}  // namespace
}  // namespace nvfuser::multidevice
