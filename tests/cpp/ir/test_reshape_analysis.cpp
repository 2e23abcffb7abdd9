// Reshapes: which dimensions belong together, and the transforms that connect them.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <unordered_map>

#include "core/error.h"
#include "ir/evaluator.h"
#include "ir/logical_map.h"
#include "ir/reshape_analysis.h"
#include "ir/scalar.h"
#include "ops/ops.h"

namespace nvfuser {
namespace {

using Sizes = std::vector<int64_t>;

std::vector<std::pair<std::vector<size_t>, std::vector<size_t>>> groupsOf(const Sizes& in,
                                                                          const Sizes& out) {
  std::vector<std::pair<std::vector<size_t>, std::vector<size_t>>> result;
  for (const ReshapeGroup& group : reshapeGroups(in, out)) {
    result.emplace_back(group.in, group.out);
  }
  return result;
}

using Groups = std::vector<std::pair<std::vector<size_t>, std::vector<size_t>>>;

TEST(ReshapeGroups, MinimalRunsOfEqualProducts) {
  EXPECT_EQ(groupsOf({2, 3, 4}, {2, 12}), (Groups{{{0}, {0}}, {{1, 2}, {1}}}));
  EXPECT_EQ(groupsOf({6, 4}, {2, 3, 4}), (Groups{{{0}, {0, 1}}, {{1}, {2}}}));
  EXPECT_EQ(groupsOf({6, 4}, {8, 3}), (Groups{{{0, 1}, {0, 1}}}));
  EXPECT_EQ(groupsOf({6, 6}, {6, 6}), (Groups{{{0}, {0}}, {{1}, {1}}}));
}

TEST(ReshapeGroups, SizeOneBelongsToNone) {
  EXPECT_EQ(groupsOf({1, 6, 1}, {2, 1, 3}), (Groups{{{1}, {0, 2}}}));
  EXPECT_EQ(groupsOf({1, 1}, {1}), Groups{});
  EXPECT_EQ(groupsOf({}, {1, 1}), Groups{});
}

TEST(ReshapeGroups, EmptyTensorsNeedNone) {
  EXPECT_EQ(groupsOf({0, 3}, {3, 0}), Groups{});
  EXPECT_EQ(groupsOf({2, 0}, {0}), Groups{});
}

class ReshapeTest : public testing::Test {
 protected:
  TensorView* tensor(const Sizes& shape) {
    TensorView* tv = ops::defineTensor(shape, true);
    fusion_.addInput(tv);
    return tv;
  }

  std::vector<Val*> constants(const Sizes& shape) {
    std::vector<Val*> vals;
    for (const int64_t size : shape) {
      vals.push_back(scalar::constant(&fusion_, size));
    }
    return vals;
  }

  TensorView* reshape(TensorView* x, const Sizes& shape) {
    return ops::reshape(x, constants(shape));
  }

  // The index into every root domain for one position in the logical domain, by the transforms.
  std::vector<int64_t> rootIndices(const TensorView* tv, const Sizes& position,
                                   ExpressionEvaluator& evaluator) {
    std::unordered_map<const Val*, int64_t> index;
    const auto& logical = tv->logical();
    for (size_t i = 0; i < logical.size(); ++i) {
      index[logical[i]] = position[i];
    }
    auto transforms = transformsBetween(tv->root(), logical);
    for (auto it = transforms.rbegin(); it != transforms.rend(); ++it) {
      if (const auto* split = (*it)->as<Split>()) {
        const int64_t factor = evaluator.evaluate(split->factor()).as<int64_t>();
        index[split->in()] = index.at(split->outer()) * factor + index.at(split->inner());
      } else if (const auto* merge = (*it)->as<Merge>()) {
        const int64_t inner = evaluator.evaluate(merge->inner()->extent()).as<int64_t>();
        index[merge->outer()] = index.at(merge->out()) / inner;
        index[merge->inner()] = index.at(merge->out()) % inner;
      }
    }
    std::vector<int64_t> indices;
    for (const IterDomain* id : tv->root()) {
      indices.push_back(index.contains(id) ? index.at(id) : 0);
    }
    return indices;
  }

  // The transforms are right if they keep the linear index of every element.
  void expectKeepsOrder(const TensorView* tv, const Sizes& inSizes, const Sizes& outSizes,
                        ExpressionEvaluator evaluator = {}) {
    const auto linear = [](const Sizes& position, const Sizes& sizes) {
      int64_t index = 0;
      for (size_t i = 0; i < sizes.size(); ++i) {
        index = index * sizes[i] + position[i];
      }
      return index;
    };
    const int64_t count =
        std::accumulate(outSizes.begin(), outSizes.end(), int64_t{1}, std::multiplies<>());
    for (int64_t element = 0; element < count; ++element) {
      Sizes position(outSizes.size());
      int64_t rest = element;
      for (size_t i = outSizes.size(); i-- > 0;) {
        position[i] = rest % outSizes[i];
        rest /= outSizes[i];
      }
      ASSERT_EQ(linear(rootIndices(tv, position, evaluator), inSizes), element);
    }
  }

  Fusion fusion_;
  FusionGuard guard_{&fusion_};
};

TEST_F(ReshapeTest, StaticReshapesKeepTheOrderOfElements) {
  const std::pair<Sizes, Sizes> cases[] = {
      {{2, 3, 4}, {6, 4}},       {{24}, {2, 3, 4}},      {{6, 4}, {8, 3}},
      {{4, 6}, {2, 2, 3, 2}},    {{1, 6, 1}, {2, 1, 3}}, {{5, 4, 3}, {5, 12}},
      {{2, 3, 5, 7}, {6, 5, 7}}, {{8, 9}, {9, 8}},       {{2, 2, 2, 2}, {16}}};
  for (const auto& [in, out] : cases) {
    TensorView* tv = reshape(tensor(in), out);
    EXPECT_EQ(tv->ndim(), static_cast<int64_t>(out.size()));
    expectKeepsOrder(tv, in, out);
  }
}

TEST_F(ReshapeTest, KeptDimensionIsTheRootDomainItself) {
  TensorView* tv = reshape(tensor({5, 4, 3}), {5, 12});
  EXPECT_EQ(tv->logical()[0], tv->root()[0]);
  EXPECT_EQ(tv->loop()[0], tv->root()[0]);
  ASSERT_NE(tv->logical()[1]->definition(), nullptr);
  EXPECT_TRUE(tv->logical()[1]->definition()->is<Merge>());
}

TEST_F(ReshapeTest, SizeOneIsBroadcastWithoutTransform) {
  TensorView* tv = reshape(tensor({6}), {2, 1, 3});
  EXPECT_TRUE(tv->logical()[1]->isBroadcast());
  EXPECT_EQ(tv->logical()[1]->definition(), nullptr);
}

TEST_F(ReshapeTest, ExpandedInputIsCountedThrough) {
  TensorView* x = ops::expand(tensor({3, 1}), constants({3, 4}));
  TensorView* tv = reshape(x, {12});
  EXPECT_TRUE(tv->root()[1]->isIteration());
  expectKeepsOrder(tv, {3, 4}, {12});
}

TEST_F(ReshapeTest, SymbolsThatCancelGiveTheStructureAtDefinition) {
  TensorView* x = tensor({-1, -1, 12});
  TensorView* tv = reshape(x, {-1, 3, 4});
  EXPECT_FALSE(fusion_.hasDynamicTransform());
  ExpressionEvaluator evaluator;
  evaluator.bind(x->logical()[0]->extent(), int64_t{2});
  evaluator.bind(x->logical()[1]->extent(), int64_t{5});
  EXPECT_EQ(evaluator.evaluate(tv->logical()[0]->extent()).as<int64_t>(), 10);
  expectKeepsOrder(tv, {2, 5, 12}, {10, 3, 4}, evaluator);
}

TEST_F(ReshapeTest, SplitOfOneSymbolNeedsNoSizes) {
  TensorView* x = tensor({-1, 7});
  TensorView* tv = reshape(x, {4, -1, 7});
  EXPECT_FALSE(fusion_.hasDynamicTransform());
  EXPECT_EQ(tv->logical()[2], tv->root()[1]);
  ExpressionEvaluator evaluator;
  evaluator.bind(x->logical()[0]->extent(), int64_t{12});
  expectKeepsOrder(tv, {12, 7}, {4, 3, 7}, evaluator);
}

TEST_F(ReshapeTest, IndependentSymbolsWaitForSizes) {
  TensorView* x = tensor({-1, -1});
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* m = fusion_.create<Val>(DataType::Int);
  TensorView* tv = ops::reshape(x, std::vector<Val*>{n, m});
  TensorView* consumer = ops::unary(UnaryOpType::Relu, tv);
  fusion_.addOutput(consumer);
  EXPECT_TRUE(fusion_.hasDynamicTransform());
  EXPECT_EQ(consumer->logical()[0]->iterType(), IterType::Symbolic);

  auto* node = tv->definition()->as<ReshapeOp>();
  EXPECT_THROW(attachReshapeTransforms(node, Sizes{6, 4}, Sizes{6, 5}), Error);
  attachReshapeTransforms(node, Sizes{6, 4}, Sizes{8, 3});
  resolveSymbolicDomains(&fusion_);
  EXPECT_FALSE(fusion_.hasDynamicTransform());
  EXPECT_TRUE(consumer->logical()[0]->isIteration());
  ExpressionEvaluator evaluator;
  evaluator.bind(x->logical()[0]->extent(), int64_t{6});
  evaluator.bind(x->logical()[1]->extent(), int64_t{4});
  evaluator.bind(n, int64_t{8});
  evaluator.bind(m, int64_t{3});
  expectKeepsOrder(tv, {6, 4}, {8, 3}, evaluator);
}

TEST_F(ReshapeTest, RunTimeSizesCanShowThatADimensionIsKept) {
  TensorView* x = tensor({-1, -1});
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* m = fusion_.create<Val>(DataType::Int);
  TensorView* tv = ops::reshape(x, std::vector<Val*>{n, m});
  attachReshapeTransforms(tv->definition()->as<ReshapeOp>(), Sizes{6, 4}, Sizes{6, 4});
  EXPECT_EQ(tv->logical(), tv->root());
}

TEST_F(ReshapeTest, ElementCountMustMatch) {
  EXPECT_THROW(reshape(tensor({2, 3}), {7}), Error);
  EXPECT_THROW(reshape(tensor({2, 3}), {4, -1}), Error);
  EXPECT_THROW(reshape(tensor({2, 3}), {-1, -1}), Error);
  EXPECT_THROW(reshape(tensor({0, 3}), {0, -1}), Error);
}

TEST_F(ReshapeTest, SymbolicExpandIsDecidedByTheSizes) {
  TensorView* x = tensor({-1, -1});
  Val* n = fusion_.create<Val>(DataType::Int);
  TensorView* tv = ops::expand(x, std::vector<Val*>{n, n});
  TensorView* consumer = ops::unary(UnaryOpType::Relu, tv);
  fusion_.addOutput(consumer);
  EXPECT_TRUE(fusion_.hasDynamicTransform());
  auto* node = tv->definition()->as<ExpandOp>();
  EXPECT_THROW(concretizeExpand(node, {3, 2}, {3, 3}), Error);
  concretizeExpand(node, {3, 1}, {3, 3});
  resolveSymbolicDomains(&fusion_);
  EXPECT_TRUE(consumer->logical()[0]->isIteration());
  EXPECT_TRUE(consumer->logical()[1]->isBroadcast());
  EXPECT_EQ(consumer->logical()[1]->expandedExtent(), n);
}

}  // namespace
}  // namespace nvfuser
