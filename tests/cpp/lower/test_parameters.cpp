// The scalars that kernels are given: sizes, what the host computes from them, and divisors.

#include <algorithm>
#include <random>
#include <vector>

#include "lower/common.h"
#include "ops/ops.h"
#include "schedule/propagate.h"

namespace nvfuser {
namespace {

TEST(PackedDivisorTest, DividesLikeADivision) {
  const auto quotient = [](uint64_t n, uint64_t packed) {
    return n * (packed & 0xffffffffu) >> (packed >> 32);
  };
  constexpr int64_t kMost = (int64_t{1} << 31) - 1;
  std::vector<int64_t> values{0, 1, 2, 3, 5, 7, 8, 641, 65535, 65536, 65537, kMost - 1, kMost};
  std::mt19937_64 random(7);
  for (int i = 0; i < 200; ++i) {
    values.push_back(static_cast<int64_t>(random() % kMost) >> (random() % 31));
  }
  for (const int64_t divisor : values) {
    const uint64_t packed = kir::packedDivisor(divisor);
    const int64_t by = std::max<int64_t>(divisor, 1);
    for (const int64_t n : values) {
      // Around a multiple, where rounding would show.
      for (const int64_t dividend : {n, n / by * by, std::max<int64_t>(n / by * by - 1, 0)}) {
        ASSERT_EQ(quotient(static_cast<uint64_t>(dividend), packed), dividend / by)
            << dividend << " / " << divisor;
      }
    }
  }
}

class ParametersTest : public testing_support::KernelTest {
 protected:
  static int64_t count(const kir::Kernel& kernel, kir::Parameter::Kind kind, bool isComputed) {
    return std::ranges::count_if(kernel.parameters, [&](const kir::Parameter& parameter) {
      return parameter.kind == kind && (parameter.value->definition() != nullptr) == isComputed;
    });
  }
  // A tensor whose loop over everything is divided back into its dimensions.
  void defineMerged() {
    TensorView* x = ops::defineTensor(std::vector<int64_t>{-1, -1, -1}, false, DataType::Float);
    fusion_.addInput(x);
    TensorView* y = ops::unary(UnaryOpType::Exp, x);
    fusion_.addOutput(y);
    y->merge(0, 1);
    y->merge(0, 1);
    y->split(0, 128);
    y->axis(0)->parallelize(ParallelType::GridX);
    y->axis(1)->parallelize(ParallelType::BlockX);
    inlineMost(&fusion_);
  }
};

TEST_F(ParametersTest, TheHostComputesWhatSizesTellAndDivisors) {
  defineMerged();
  const auto kernel = nvfuser::lower(&fusion_, "kernel", gpuTarget({}));
  EXPECT_GT(count(*kernel, kir::Parameter::Kind::Scalar, true), 0);
  EXPECT_GT(count(*kernel, kir::Parameter::Kind::Divisor, false), 0);
}

TEST_F(ParametersTest, WithoutThreadsItDoesNot) {
  defineMerged();
  const auto kernel = nvfuser::lower(&fusion_, "kernel", cpuTarget({}));
  EXPECT_EQ(count(*kernel, kir::Parameter::Kind::Scalar, true), 0);
  EXPECT_TRUE(std::ranges::none_of(kernel->parameters, [](const kir::Parameter& parameter) {
    return parameter.kind == kir::Parameter::Kind::Divisor;
  }));
}

}  // namespace
}  // namespace nvfuser
