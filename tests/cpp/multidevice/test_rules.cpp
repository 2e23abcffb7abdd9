// Which dimensions may be divided together, and layouts through reshapes.

#include "multidevice/common.h"
#include "multidevice/propagate.h"
#include "multidevice/rules.h"

namespace nvfuser::multidevice {
namespace {

using testing_support::Sizes;

class RulesTest : public testing_support::MultideviceTest {
 protected:
  // "0.1 1.0 -> 0.1 by add": inputs and outputs of each class, as operand and dimension.
  static std::vector<std::string> classes(const TensorView* tv) {
    std::vector<std::string> result;
    for (const IndexClass& each : indexClasses(tv->definition())) {
      std::string text;
      for (const auto& dim : each.inputs) {
        text += std::to_string(dim.operand) + "." + std::to_string(dim.dim) + " ";
      }
      text += "->";
      for (const auto& dim : each.outputs) {
        text += " " + std::to_string(dim.operand) + "." + std::to_string(dim.dim);
      }
      result.push_back(text +
                       (each.reduction ? std::string(" by ") + info(*each.reduction).name : ""));
    }
    return result;
  }
  using Texts = std::vector<std::string>;

  std::string reshapedText(const Sizes& from, const Sizes& to, const std::vector<DimLayout>& dims,
                           const Mesh& where) {
    const auto result = reshaped(dims, constants(from), constants(to), *where);
    return result ? text(TensorLayout{where, *result, {}}) : "none";
  }
};

TEST_F(RulesTest, ElementWiseOperationsShareDimensions) {
  EXPECT_EQ(classes(add(tensor({4, 6}), tensor({4, 6}))),
            (Texts{"0.0 1.0 -> 0.0", "0.1 1.1 -> 0.1"}));
  // What is repeated is not divided.
  EXPECT_EQ(classes(add(tensor({4, 1}), tensor({4, 6}))), (Texts{"0.0 1.0 -> 0.0", "1.1 -> 0.1"}));
}

TEST_F(RulesTest, ReducedDimensionsEndInParts) {
  EXPECT_EQ(classes(sum(tensor({4, 6}), {1})), (Texts{"0.0 -> 0.0", "0.1 -> by add"}));
}

TEST_F(RulesTest, ProductsAreSumsOverTheirCommonDimension) {
  TensorView* product = ops::matmul(tensor({2, 4, 6}), tensor({6, 8}));
  EXPECT_EQ(classes(product),
            (Texts{"0.0 -> 0.0", "0.1 -> 0.1", "1.1 -> 0.2", "0.2 1.0 -> by add"}));
}

TEST_F(RulesTest, WhatCoversAPartOfItsOperandIsNotDividedWithIt) {
  TensorView* x = tensor({40, 7});
  TensorView* index = tensor({24, 11}, DataType::Int);
  EXPECT_EQ(classes(ops::gather(x, index, 1)), (Texts{"1.1 -> 0.1"}));
}

TEST_F(RulesTest, DigitsPassReshapes) {
  const Mesh two = mesh({2});
  const DimLayout outer4{onAxis(ParallelType::MeshX), {ParallelType::Serial, 4}};
  // [8, 3] to [24], divided at the front.
  EXPECT_EQ(reshapedText({8, 3}, {24}, {outer4, {}}, two), "x*12");
  EXPECT_EQ(
      reshapedText({24}, {8, 3}, {{onAxis(ParallelType::MeshX), {ParallelType::Serial, 12}}}, two),
      "x*4, -");
  // Within: the result is divided in pieces.
  EXPECT_EQ(reshapedText({3, 8}, {24}, {{}, outer4}, two), "3*x*4");
  EXPECT_EQ(
      reshapedText(
          {24}, {3, 8},
          {{{ParallelType::Serial, 3}, onAxis(ParallelType::MeshX), {ParallelType::Serial, 4}}},
          two),
      "-, x*4");
  // Halves of 6 are no rows of 4.
  EXPECT_EQ(reshapedText({2, 6}, {3, 4}, {{onAxis(ParallelType::MeshX)}, {}}, two), "none");
  // Dimensions beside those that change.
  EXPECT_EQ(reshapedText({8, 2, 3}, {8, 6}, {outer4, {}, {}}, two), "x*4, -");
}

TEST_F(RulesTest, LayoutsFollowFromTheUsers) {
  const Mesh two = mesh({2});
  TensorView* x = tensor({8, 16});
  TensorView* up = tensor({32, 16});
  TensorView* down = tensor({16, 32});
  x->setDeviceMesh(two);
  shard(up, two, 0);
  shard(down, two, 1);
  TensorView* hidden = ops::linear(x, up, nullptr);
  TensorView* active = exp(hidden);
  TensorView* y = output(ops::linear(active, down, nullptr));
  const auto layouts = propagateLayouts(fusion_);
  EXPECT_EQ(text(layouts.at(hidden)), "-, x*16");
  EXPECT_EQ(text(layouts.at(active)), "-, x*16");
  EXPECT_EQ(text(layouts.at(y)), "-, -");
}

}  // namespace
}  // namespace nvfuser::multidevice
