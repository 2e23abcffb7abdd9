// The dimensions of results: broadcasting, reductions, views, memory order.

#include "schedule/common.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;

class DomainsTest : public testing_support::FusionTest {
 protected:
  // "i4 b1 b1x8 r3": kind and extent of every logical dimension; "?" for a symbolic extent.
  static std::string describe(const TensorView* tv) {
    std::string text;
    for (const IterDomain* id : tv->logical()) {
      const auto extent = [](const Val* v) {
        return v->isConstInt() ? std::to_string(v->constInt()) : std::string("?");
      };
      text += text.empty() ? "" : " ";
      text += id->isBroadcast() ? "b" : id->isReduction() ? "r" : "i";
      text += extent(id->extent());
      text += id->hasExpandedExtent() ? "x" + extent(id->expandedExtent()) : "";
    }
    return text;
  }
};

TEST_F(DomainsTest, ConcreteExtentsWinOverBroadcastOnes) {
  EXPECT_EQ(describe(add(tensor({4, 1}), tensor({1, 8}))), "i4 i8");
  EXPECT_EQ(describe(add(tensor({8}), tensor({4, 1}))), "i4 i8");
  EXPECT_EQ(describe(add(tensor({1}), tensor({1, 1}))), "b1 b1");
  EXPECT_EQ(describe(add(tensor({-1}), tensor({4}))), "i4");
  EXPECT_EQ(describe(add(tensor({0}), tensor({1}))), "i0");
}

TEST_F(DomainsTest, ExpandedDimensionsStayBroadcastAmongThemselves) {
  TensorView* expanded = ops::expand(tensor({4, 1}), constants({4, 8}));
  EXPECT_EQ(describe(expanded), "i4 b1x8");
  EXPECT_EQ(describe(ops::unary(UnaryOpType::Exp, expanded)), "i4 b1x8");
  EXPECT_EQ(describe(add(expanded, tensor({4, 1}))), "i4 b1x8");
  EXPECT_EQ(describe(add(expanded, tensor({4, 8}))), "i4 i8");
  EXPECT_THROW(add(expanded, tensor({4, 9})), Error);
}

TEST_F(DomainsTest, MismatchIsReportedWithTheOperands) {
  TensorView* a = tensor({4, 3});
  TensorView* b = tensor({4, 5});
  try {
    add(a, b);
    FAIL() << "no error";
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("Expected sizes to match"), std::string::npos) << message;
    EXPECT_NE(message.find(a->toString()), std::string::npos) << message;
    EXPECT_NE(message.find(b->toString()), std::string::npos) << message;
  }
}

TEST_F(DomainsTest, LowerRanksGetABroadcastNode) {
  TensorView* sum = add(tensor({4, 8}), tensor({8}));
  const auto* broadcast = sum->definition()->input(1)->definition()->as<BroadcastOp>();
  ASSERT_NE(broadcast, nullptr);
  EXPECT_TRUE(broadcast->isBroadcastDim(0));
  EXPECT_FALSE(broadcast->isBroadcastDim(1));
}

TEST_F(DomainsTest, NewTensorsAreLocalAndContiguous) {
  TensorView* sum = add(tensor({4, 1}), tensor({4, 1}));
  EXPECT_EQ(sum->memoryType(), MemoryType::Local);
  EXPECT_EQ(sum->loop(), sum->logical());
  EXPECT_EQ(sum->domain()->contiguity(), (TensorDomain::Contiguity{true, std::nullopt}));
}

TEST_F(DomainsTest, ReductionsKeepTheReducedDomains) {
  TensorView* x = tensor({4, 5, 6});
  EXPECT_EQ(describe(ops::sum(x, Sizes{1})), "i4 r5 i6");
  EXPECT_EQ(describe(ops::sum(x, Sizes{-1, 0})), "r4 i5 r6");
  EXPECT_EQ(describe(ops::sum(x, Sizes{1}, true)), "i4 b1 i6");
  EXPECT_EQ(ops::sum(x, Sizes{0, 1, 2})->ndim(), 0);
}

TEST_F(DomainsTest, ReductionOfBroadcastDimensionsNeedsNoLoop) {
  TensorView* x = tensor({4, 1, 6});
  TensorView* squeezed = ops::sum(x, Sizes{1});
  EXPECT_EQ(describe(squeezed), "i4 i6");
  EXPECT_TRUE(squeezed->definition()->is<SqueezeOp>());
  EXPECT_EQ(describe(ops::sum(x, Sizes{1, 2})), "i4 r6");
  TensorView* expanded = ops::expand(x, constants({4, 5, 6}));
  TensorView* sum = ops::sum(expanded, Sizes{1});
  ASSERT_TRUE(sum->definition()->is<BinaryOp>());
  EXPECT_EQ(sum->definition()->as<BinaryOp>()->type(), BinaryOpType::Mul);
  EXPECT_EQ(sum->definition()->input(1)->value().as<double>(), 5.0);
}

TEST_F(DomainsTest, ReductionOfNothingIsTheIdentity) {
  TensorView* x = tensor({4, 0});
  TensorView* product = ops::reduce(ops::ReductionKind::Prod, x, Sizes{1});
  EXPECT_EQ(describe(product), "i4");
  const auto* full = product->definition()->as<FullOp>();
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(full->value()->value().as<double>(), 1.0);
}

TEST_F(DomainsTest, PermuteReordersTheRoot) {
  TensorView* x = tensor({4, 5, 6});
  TensorView* permuted = ops::permute(x, Sizes{2, 0, 1});
  EXPECT_EQ(describe(permuted), "i6 i4 i5");
  EXPECT_EQ(permuted->logical()[0], permuted->root()[2]);
  EXPECT_FALSE(ops::permute(x, Sizes{0, 1, 2})->domain()->hasRoot());
}

TEST_F(DomainsTest, StrideOrderIsTheOrderOfTheAllocation) {
  TensorView* x = tensor({2, 1, 3, 4});
  TensorView* copy = ops::strideOrder(x, Sizes{0, 1, 2, 3});
  const auto& logical = copy->logical();
  EXPECT_EQ(copy->domain()->allocation(),
            (std::vector<IterDomain*>{logical[3], logical[2], logical[1], logical[0]}));
  EXPECT_EQ(copy->domain()->contiguity(),
            (TensorDomain::Contiguity{true, true, std::nullopt, true}));
}

TEST_F(DomainsTest, SliceResizesTheRoot) {
  TensorView* x = tensor({10, 5, -1});
  TensorView* part = ops::slice(x, constants({2, 0, 1}), constants({6, 9, 3}));
  EXPECT_EQ(describe(part), "i4 i5 i?");
  const auto* resize = part->logical()[0]->definition()->as<Resize>();
  ASSERT_NE(resize, nullptr);
  EXPECT_EQ(resize->left()->constInt(), -2);
  EXPECT_EQ(resize->right()->constInt(), -4);
  // All of it is left.
  EXPECT_EQ(part->logical()[1], part->root()[1]);
  EXPECT_EQ(describe(ops::slice(tensor({5, 5}), constants({6, 6}), constants({8, 8}))), "i0 i0");
  EXPECT_EQ(describe(ops::slice(tensor({5}), constants({1}), constants({2}))), "b1");
  EXPECT_TRUE(
      ops::slice(tensor({5}), constants({0}), constants({7}))->definition()->is<LoadStoreOp>());
}

TEST_F(DomainsTest, PadListsTheInnermostDimensionFirst) {
  TensorView* x = tensor({4, 6});
  TensorView* padded = ops::pad(x, constants({1, -2, 3, 0}));
  EXPECT_EQ(describe(padded), "i7 i5");
  EXPECT_EQ(padded->definition()->as<PadOp>()->left(0)->constInt(), 3);
  EXPECT_EQ(padded->definition()->as<PadOp>()->right(1)->constInt(), -2);
  EXPECT_EQ(describe(ops::pad(tensor({1}), constants({0, 3}))), "i4");
  EXPECT_THROW(ops::pad(x, constants({-4, -3})), Error);
}

TEST_F(DomainsTest, BroadcastInDimPlacesDimensions) {
  TensorView* x = tensor({4, 1});
  EXPECT_EQ(describe(ops::broadcastInDim(x, constants({3, 4, 5}), Sizes{1, 2})), "b1x3 i4 b1x5");
  EXPECT_EQ(describe(ops::broadcastInDim(x, constants({1, 4}), Sizes{1, 0})), "b1 i4");
  EXPECT_EQ(ops::broadcastInDim(x, constants({-1, -1}), Sizes{0, 1}), x);
}

TEST_F(DomainsTest, SqueezeChecksItsDimensions) {
  TensorView* x = tensor({4, 1, -1});
  EXPECT_EQ(describe(ops::squeeze(x, Sizes{1})), "i4 i?");
  EXPECT_EQ(describe(ops::squeeze(x, Sizes{-1})), "i4 b1");
  EXPECT_THROW(ops::squeeze(x, Sizes{0}), Error);
  TensorView* expanded = ops::expand(x, constants({4, 5, -1}));
  EXPECT_THROW(ops::squeeze(expanded, Sizes{1}), Error);
  EXPECT_EQ(describe(ops::squeeze(expanded, Sizes{1}, true)), "i4 i?");
}

TEST_F(DomainsTest, OperandsMustBelongToTheActiveFusion) {
  TensorView* x = tensor({4});
  Fusion other;
  FusionGuard guard(&other);
  EXPECT_THROW(ops::unary(UnaryOpType::Exp, x), Error);
  EXPECT_THROW(ops::sum(x, Sizes{0}), Error);
  EXPECT_THROW(ops::reshape(x, std::vector<Val*>{other.one()}), Error);
}

TEST(TensorDescriptor, DescribesStrides) {
  using Contiguity = ops::Contiguity;
  struct Case {
    Sizes sizes;
    Sizes strides;
    Contiguity contiguity;
    Sizes order;
  };
  const auto none = std::nullopt;
  const Case cases[] = {
      {{2, 2, 2, 2}, {8, 4, 2, 1}, {true, true, true, true}, {3, 2, 1, 0}},
      {{2, 3, 1, 5, 4}, {28, 4, 14, 0, 1}, {false, none, true, none, true}, {4, 2, 3, 1, 0}},
      {{2, 2, 1, 2, 4, 2},
       {2, 32, 1, 8, 0, 4},
       {false, true, true, false, none, none},
       {2, 5, 0, 4, 1, 3}},
      {{2, 1, 3, 1, 4}, {24, 4, 8, 4, 2}, {true, true, none, none, false}, {4, 2, 3, 1, 0}}};
  for (const Case& c : cases) {
    const ops::TensorDescriptor descriptor = ops::computeTensorDescriptor(c.sizes, c.strides);
    EXPECT_EQ(descriptor.contiguity, c.contiguity);
    EXPECT_EQ(descriptor.strideOrder, c.order);
  }
  EXPECT_THROW(ops::computeTensorDescriptor(Sizes{2}, Sizes{-1}), Error);
  EXPECT_THROW(ops::computeTensorDescriptor(Sizes{2}, Sizes{1, 1}), Error);
}

}  // namespace
}  // namespace nvfuser
