// Arguments of a call: what is refused, what it binds, and which layouts make which class.

#include "runtime/argument_check.h"
#include "runtime/common.h"
#include "runtime/concretize.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;
using testing_support::TensorArgument;

class ArgumentsTest : public testing_support::FusionTest {
 protected:
  static Layout layout(const TensorView* declared, const Sizes& sizes, const Sizes& strides) {
    return layoutOf(declared, TensorGeometry{sizes, strides});
  }
  void bind(const std::vector<PolymorphicValue>& arguments) {
    evaluator_ = {};
    bindArguments(fusion_, arguments, extentEqualities(fusion_), evaluator_);
  }
  std::string refusal(const std::vector<PolymorphicValue>& arguments) {
    return errorOf([&] { bind(arguments); });
  }
  int64_t valueOf(const Val* val) { return evaluator_.evaluate(val).as<int64_t>(); }

  ExpressionEvaluator evaluator_;
};

using Flags = std::vector<bool>;

TEST_F(ArgumentsTest, LayoutOfDenseTensors) {
  const TensorView* x = tensor({-1, -1, -1});
  const Layout rowMajor = layout(x, {2, 3, 4}, {12, 4, 1});
  EXPECT_EQ(rowMajor.order, (Sizes{0, 1, 2}));
  EXPECT_EQ(rowMajor.contiguity, (Flags{true, true, true}));
  const Layout columnMajor = layout(x, {2, 3, 4}, {1, 2, 6});
  EXPECT_EQ(columnMajor.order, (Sizes{2, 1, 0}));
  EXPECT_EQ(columnMajor.contiguity, (Flags{true, true, true}));
  EXPECT_EQ(layout(x, {2, 3, 4}, {3, 1, 6}).order, (Sizes{2, 0, 1}));
  // Sizes do not count.
  EXPECT_EQ(rowMajor, layout(x, {5, 6, 7}, {42, 7, 1}));
  EXPECT_NE(rowMajor, columnMajor);
}

TEST_F(ArgumentsTest, LayoutOfTensorsWithGaps) {
  const TensorView* x = tensor({-1, -1});
  EXPECT_EQ(layout(x, {4, 8}, {16, 1}).contiguity, (Flags{false, true}));
  EXPECT_EQ(layout(x, {4, 8}, {16, 2}).contiguity, (Flags{true, false}));
  EXPECT_EQ(layout(x, {4, 8}, {20, 2}).contiguity, (Flags{false, false}));
  // In memory order, not in that of the dimensions.
  const Layout transposed = layout(x, {4, 8}, {1, 5});
  EXPECT_EQ(transposed.order, (Sizes{1, 0}));
  EXPECT_EQ(transposed.contiguity, (Flags{false, true}));
}

TEST_F(ArgumentsTest, StridesOfSizeOneAndOfEmptyTensorsDoNotCount) {
  const TensorView* x = tensor({-1, -1, -1});
  const Layout dense = layout(x, {2, 3, 4}, {12, 4, 1});
  EXPECT_EQ(layout(x, {2, 1, 4}, {4, 999, 1}), dense);
  EXPECT_EQ(layout(x, {1, 3, 4}, {1, 4, 1}), dense);
  EXPECT_EQ(layout(x, {2, 0, 4}, {1, 7, 3}), dense);
}

TEST_F(ArgumentsTest, DeclaredBroadcastDimensionsKeepTheirPlace) {
  const TensorView* x = tensor({-1, 1, -1});
  EXPECT_EQ(layout(x, {2, 1, 4}, {4, 0, 1}), layout(x, {2, 1, 4}, {4, 77, 1}));
  EXPECT_EQ(layout(x, {2, 1, 4}, {4, 0, 1}).order, (Sizes{0, 1, 2}));
}

TEST_F(ArgumentsTest, BindsSizesAndScalars) {
  TensorView* x = tensor({-1, -1});
  Val* scale = fusion_.create<Val>(DataType::Double);
  fusion_.addInput(scale);
  output(ops::binary(BinaryOpType::Mul, x, scale));
  const TensorArgument a({4, 8});
  bind({a.tensor(), PolymorphicValue(int64_t{3})});
  EXPECT_EQ(valueOf(x->logical()[0]->extent()), 4);
  EXPECT_EQ(valueOf(x->logical()[1]->extent()), 8);
  // An integer stands for a floating-point number, as its value.
  EXPECT_EQ(evaluator_.evaluate(scale).as<double>(), 3.0);
}

TEST_F(ArgumentsTest, TheNumberOfArgumentsMustFit) {
  output(exp(tensor({-1})));
  EXPECT_TRUE(contains(refusal({}), "Expected 1 inputs, as the fusion has, but got 0"));
  const TensorArgument a({4});
  EXPECT_TRUE(contains(refusal({a.tensor(), a.tensor()}), "but got 2"));
  EXPECT_EQ(refusal({a.tensor()}), "");
}

TEST_F(ArgumentsTest, KindRankAndDtypeMustFit) {
  TensorView* x = tensor({-1, 8});
  Val* n = fusion_.create<Val>(DataType::Int);
  fusion_.addInput(n);
  output(ops::binary(BinaryOpType::Mul, x, n));
  const PolymorphicValue two(int64_t{2});
  const TensorArgument good({4, 8});
  EXPECT_EQ(refusal({good.tensor(), two}), "");
  const TensorArgument flat({32});
  const TensorArgument wide({4, 8}, DataType::Double);
  const TensorArgument narrow({4, 7});
  EXPECT_TRUE(contains(refusal({two, two}), "Expected input 0"));
  EXPECT_TRUE(contains(refusal({two, two}), "to be an at::Tensor but got scalar 2"));
  EXPECT_TRUE(contains(refusal({good.tensor(), good.tensor()}), "to be a scalar but got"));
  EXPECT_TRUE(contains(refusal({good.tensor(), PolymorphicValue(0.5)}), "not compatible"));
  EXPECT_TRUE(contains(refusal({flat.tensor(), two}), "rank 2, but got a tensor of rank 1"));
  EXPECT_TRUE(contains(refusal({wide.tensor(), two}), "got a tensor of dtype"));
  EXPECT_TRUE(
      contains(refusal({narrow.tensor(), two}), "to have size 8 in dimension 1 but got size 7"));
}

TEST_F(ArgumentsTest, SizesThatMustAgreeAreCompared) {
  output(add(tensor({-1}), tensor({-1})));
  const TensorArgument a({4});
  const TensorArgument b({5});
  EXPECT_EQ(refusal({a.tensor(), a.tensor()}), "");
  EXPECT_TRUE(
      contains(refusal({a.tensor(), b.tensor()}), "a conflict was found with 2 different sizes"));
}

TEST_F(ArgumentsTest, BroadcastAndContiguityAreChecked) {
  output(exp(tensor({-1, 1})));
  const TensorArgument expanded({4, 8}, {1, 0});
  EXPECT_TRUE(contains(refusal({expanded.tensor()}), "declared as broadcast, but got size 8"));
  const TensorArgument strided({4, 1}, {2, 1});
  EXPECT_TRUE(contains(refusal({strided.tensor()}), "to be contiguous in dimension 0"));
  const TensorArgument empty({0, 1}, {2, 1});
  EXPECT_EQ(refusal({empty.tensor()}), "");
}

TEST_F(ArgumentsTest, NonContiguousDeclarationsTakeAnyStrides) {
  output(exp(tensor({-1, -1}, DataType::Float, false)));
  const TensorArgument strided({4, 8}, {20, 2});
  EXPECT_EQ(refusal({strided.tensor()}), "");
}

TEST_F(ArgumentsTest, MisalignedDataIsRefused) {
  output(exp(tensor({-1})));
  const TensorArgument a({4});
  Tensor tensor = a.tensor();
  tensor.data = static_cast<std::byte*>(tensor.data) + 2;
  EXPECT_TRUE(contains(refusal({tensor}), "aligned to 4 bytes"));
}

TEST_F(ArgumentsTest, ClassesDifferByLayoutAndNotBySizes) {
  TensorView* x = tensor({-1, -1}, DataType::Float, false);
  output(exp(x));
  const auto key = [&](const Sizes& sizes, const Sizes& strides) {
    const TensorArgument a(sizes, strides);
    bind({a.tensor()});
    const std::vector<Layout> layouts{layoutOf(x, geometryOf(x, a.tensor()))};
    return classKey(fusion_, layouts, evaluator_);
  };
  const ClassKey dense = key({4, 8}, {8, 1});
  EXPECT_EQ(dense, key({5, 9}, {9, 1}));
  EXPECT_NE(dense, key({4, 8}, {1, 4}));
  EXPECT_NE(dense, key({4, 8}, {16, 1}));
  EXPECT_NE(key({4, 8}, {16, 1}), key({4, 8}, {16, 2}));
}

TEST_F(ArgumentsTest, ClassesDifferByTheStructureOfReshapes) {
  TensorView* x = tensor({-1, -1});
  Val* n = fusion_.create<Val>(DataType::Int);
  Val* m = fusion_.create<Val>(DataType::Int);
  fusion_.addInput(n);
  fusion_.addInput(m);
  output(exp(ops::reshape(x, std::vector<Val*>{n, m})));
  const auto key = [&](const Sizes& sizes, int64_t rows, int64_t columns) {
    const TensorArgument a(sizes);
    bind({a.tensor(), PolymorphicValue(rows), PolymorphicValue(columns)});
    const std::vector<Layout> layouts{layoutOf(x, geometryOf(x, a.tensor()))};
    return classKey(fusion_, layouts, evaluator_);
  };
  // Kept as it is, whatever the sizes are, against one that mixes the dimensions.
  EXPECT_EQ(key({6, 4}, 6, 4), key({10, 3}, 10, 3));
  EXPECT_NE(key({6, 4}, 6, 4), key({6, 4}, 8, 3));
}

TEST_F(ArgumentsTest, ConcretizedInputsHaveTheirLayout) {
  TensorView* x = tensor({-1, -1}, DataType::Float, false);
  output(exp(x));
  const TensorArgument a({4, 8}, {1, 4});
  bind({a.tensor()});
  const std::vector<Layout> layouts{layoutOf(x, geometryOf(x, a.tensor()))};
  const ConcreteFusion concrete = concretize(fusion_, layouts, evaluator_, Target{});
  const TensorView* copy = concrete.fusion->inputs()[0]->asTensor();
  EXPECT_EQ(copy->domain()->allocation(),
            (std::vector<IterDomain*>{copy->logical()[1], copy->logical()[0]}));
  EXPECT_EQ(copy->domain()->contiguity(), (TensorDomain::Contiguity{true, true}));
  EXPECT_EQ(concrete.original.at(copy->logical()[0]->extent()), x->logical()[0]->extent());
  // The definition itself stays as it is.
  EXPECT_FALSE(x->domain()->hasAllocation());
}

TEST_F(ArgumentsTest, ConditionsOnSizesAreChecked) {
  TensorView* x = tensor({-1, -1});
  output(ops::squeeze(x, Sizes{1}));
  const TensorArgument one({4, 1});
  bind({one.tensor()});
  EXPECT_EQ(errorOf([&] { checkConditions(fusion_, evaluator_); }), "");
  const TensorArgument two({4, 2});
  bind({two.tensor()});
  EXPECT_TRUE(contains(errorOf([&] { checkConditions(fusion_, evaluator_); }),
                       "Can not squeeze non-broadcasting"));
}

}  // namespace
}  // namespace nvfuser
