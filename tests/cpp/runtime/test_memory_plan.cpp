// Memory between kernels: buffers in use at the same time are apart, others share.

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "runtime/planning/memory_plan.h"

namespace nvfuser {
namespace {

constexpr int64_t kUnit = MemoryPlan::kAlignment;

TEST(MemoryPlan, NothingNeedsNothing) {
  MemoryPlan plan;
  plan.place();
  EXPECT_EQ(plan.bytes(), 0);
}

TEST(MemoryPlan, BuffersOfOneLaunchAreApart) {
  MemoryPlan plan;
  const size_t a = plan.add(1, 0);
  const size_t b = plan.add(kUnit + 1, 0);
  plan.place();
  EXPECT_EQ(plan.bytes(), 3 * kUnit);
  EXPECT_NE(plan.offset(a), plan.offset(b));
}

TEST(MemoryPlan, ABufferWithoutBytesHasAnAddressOfItsOwn) {
  MemoryPlan plan;
  const size_t a = plan.add(0, 0);
  const size_t b = plan.add(0, 0);
  plan.place();
  EXPECT_NE(plan.offset(a), plan.offset(b));
}

TEST(MemoryPlan, LaterBuffersTakeThePlaceOfEarlierOnes) {
  // Written by one launch and read by the next, in a chain.
  MemoryPlan plan;
  std::vector<size_t> buffers;
  for (size_t launch = 0; launch < 6; ++launch) {
    buffers.push_back(plan.add(10 * kUnit, launch));
    plan.extend(buffers.back(), launch + 1);
  }
  plan.place();
  EXPECT_EQ(plan.bytes(), 20 * kUnit);
  EXPECT_EQ(plan.offset(buffers[0]), plan.offset(buffers[2]));
  EXPECT_NE(plan.offset(buffers[0]), plan.offset(buffers[1]));
}

TEST(MemoryPlan, GapsAreFilled) {
  MemoryPlan plan;
  const size_t early = plan.add(8 * kUnit, 0);
  const size_t lasting = plan.add(4 * kUnit, 0);
  plan.extend(lasting, 9);
  const size_t late = plan.add(2 * kUnit, 5);
  const size_t later = plan.add(6 * kUnit, 5);
  plan.place();
  EXPECT_EQ(plan.bytes(), 12 * kUnit);
  EXPECT_EQ(plan.offset(early), 0);
  EXPECT_LT(plan.offset(late), 8 * kUnit);
  EXPECT_LT(plan.offset(later), 8 * kUnit);
}

TEST(MemoryPlan, NoTwoLiveBuffersOverlap) {
  std::mt19937 random(1);
  const auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  for (int round = 0; round < 200; ++round) {
    struct Buffer {
      size_t number;
      int64_t bytes;
      size_t first;
      size_t last;
    };
    MemoryPlan plan;
    std::vector<Buffer> buffers;
    for (int64_t i = pick(1, 20); i > 0; --i) {
      Buffer buffer{0, pick(0, 3000), static_cast<size_t>(pick(0, 9)), 0};
      buffer.last = static_cast<size_t>(pick(static_cast<int64_t>(buffer.first), 9));
      buffer.number = plan.add(buffer.bytes, buffer.first);
      plan.extend(buffer.number, buffer.last);
      buffers.push_back(buffer);
    }
    plan.place();
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Buffer& a = buffers[i];
      EXPECT_EQ(plan.offset(a.number) % kUnit, 0);
      EXPECT_LE(plan.offset(a.number) + a.bytes, plan.bytes());
      for (size_t k = 0; k < i; ++k) {
        const Buffer& b = buffers[k];
        const bool liveTogether = a.first <= b.last && b.first <= a.last;
        const bool apart = plan.offset(a.number) + a.bytes <= plan.offset(b.number) ||
                           plan.offset(b.number) + b.bytes <= plan.offset(a.number);
        EXPECT_TRUE(!liveTogether || apart);
      }
    }
  }
}

}  // namespace
}  // namespace nvfuser
