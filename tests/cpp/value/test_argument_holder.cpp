// KernelArgumentHolder: order and lifetime of what it holds, inline and beyond.

#include <gtest/gtest.h>

#include <memory>

#include "value/argument_holder.h"

namespace nvfuser {
namespace {

TEST(KernelArgumentHolder, KeepsOrderAndKindBeyondItsInlineCapacity) {
  KernelArgumentHolder holder;
  EXPECT_TRUE(holder.empty());
  const int64_t count = 3 * KernelArgumentHolder::kInlineCapacity + 1;
  for (int64_t i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      holder.push(i);
    } else {
      holder.push(static_cast<double>(i));
    }
  }
  ASSERT_EQ(holder.size(), static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if (i % 2 == 0) {
      EXPECT_EQ(holder[i].as<int64_t>(), i);
    } else {
      EXPECT_EQ(holder.values()[i].as<double>(), static_cast<double>(i));
    }
  }
}

TEST(KernelArgumentHolder, ReleasesOwnersOnce) {
  const auto owner = std::make_shared<int>(1);
  {
    KernelArgumentHolder holder;
    for (size_t i = 0; i < 2 * KernelArgumentHolder::kInlineCapacity; ++i) {
      Tensor tensor;
      tensor.owner = owner;
      holder.push(std::move(tensor));
      EXPECT_EQ(owner.use_count(), static_cast<int64_t>(i) + 2);
    }
  }
  EXPECT_EQ(owner.use_count(), 1);
}

}  // namespace
}  // namespace nvfuser
