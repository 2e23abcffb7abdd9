// Signatures: which calls one plan serves.

#include "runtime/common.h"
#include "runtime/signature.h"

namespace nvfuser {
namespace {

using testing_support::Sizes;
using testing_support::TensorArgument;

Signature signatureOf(const std::vector<PolymorphicValue>& arguments, bool isFixed = false) {
  return {arguments, [=](size_t) { return isFixed; }};
}

Tensor shifted(Tensor tensor, int64_t bytes) {
  tensor.data = static_cast<std::byte*>(tensor.data) + bytes;
  return tensor;
}

Tensor onCuda(Tensor tensor, int32_t index = 0) {
  tensor.device = {DeviceType::CUDA, index};
  return tensor;
}

bool matches(const Signature& signature, const std::vector<PolymorphicValue>& arguments) {
  return signature.matches(arguments);
}

TEST(Signature, SizesStridesDtypesAndDevicesCount) {
  const TensorArgument a({4, 8});
  const TensorArgument same({4, 8});
  const Signature signature = signatureOf({a.tensor()});
  EXPECT_TRUE(matches(signature, {same.tensor()}));
  EXPECT_FALSE(matches(signature, {TensorArgument({4, 9}).tensor()}));
  EXPECT_FALSE(matches(signature, {TensorArgument({8, 4}).tensor()}));
  EXPECT_FALSE(matches(signature, {TensorArgument({4, 8}, {1, 4}).tensor()}));
  EXPECT_FALSE(matches(signature, {TensorArgument({4, 8, 1}).tensor()}));
  EXPECT_FALSE(matches(signature, {TensorArgument({4, 8}, DataType::Int32).tensor()}));
  EXPECT_FALSE(matches(signature, {onCuda(a.tensor())}));
  EXPECT_FALSE(matches(signature, {}));
  EXPECT_FALSE(matches(signature, {a.tensor(), a.tensor()}));
  EXPECT_FALSE(matches(signature, {PolymorphicValue(1.0)}));
  EXPECT_FALSE(matches(signatureOf({onCuda(a.tensor())}), {onCuda(a.tensor(), 1)}));
}

TEST(Signature, ScalarsCountByKindAndWhereFixedByValue) {
  const std::vector<PolymorphicValue> two{PolymorphicValue(int64_t{2})};
  const std::vector<PolymorphicValue> three{PolymorphicValue(int64_t{3})};
  EXPECT_TRUE(matches(signatureOf(two), three));
  EXPECT_FALSE(matches(signatureOf(two), {PolymorphicValue(2.0)}));
  EXPECT_FALSE(matches(signatureOf(two), {PolymorphicValue(true)}));
  EXPECT_FALSE(matches(signatureOf(two, true), three));
  EXPECT_TRUE(matches(signatureOf(two, true), two));
}

TEST(Signature, OnTheCpuAddressesNeedTheAlignmentOfTheElements) {
  const TensorArgument a({4, 8});
  const Signature signature = signatureOf({a.tensor()});
  EXPECT_EQ(signature.alignment(0), 4);
  EXPECT_TRUE(matches(signature, {shifted(a.tensor(), 4)}));
  EXPECT_FALSE(matches(signature, {shifted(a.tensor(), 2)}));
}

TEST(Signature, OnCudaAddressesCountUpToTheWidestAccess) {
  const TensorArgument a({4, 8}, DataType::Half);
  const Tensor tensor = onCuda(a.tensor());
  for (const int64_t made : {0, 2, 4, 6, 8, 10, 12, 14, 16, 32}) {
    const Signature signature = signatureOf({shifted(tensor, made)});
    EXPECT_EQ(signature.alignment(0), std::min<int64_t>(lowestBit(made | 16), 16));
    for (const int64_t called : {0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 48}) {
      EXPECT_EQ(matches(signature, {shifted(tensor, called)}),
                lowestBit(made | 16) == lowestBit(called | 16))
          << made << " and " << called;
    }
  }
}

TEST(Signature, HashesOfMatchingArgumentsAreEqual) {
  const TensorArgument a({4, 8});
  const TensorArgument b({4, 8});
  const std::vector<PolymorphicValue> first{a.tensor(), PolymorphicValue(1.0)};
  const std::vector<PolymorphicValue> second{shifted(b.tensor(), 4), PolymorphicValue(2.0)};
  ASSERT_TRUE(matches(signatureOf(first), second));
  EXPECT_EQ(Signature::hash(first), Signature::hash(second));
}

}  // namespace
}  // namespace nvfuser
