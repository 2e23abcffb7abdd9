// Owning alternatives: destroyed once, at the assignment; never copied behind the client's back.
#include "common.h"

namespace dynamic_type_tests {
namespace {

struct Tracked {
  explicit Tracked(int* counter) : destroyed(counter) {}
  ~Tracked() { ++*destroyed; }
  int* destroyed;
};

TEST(Ownership, AssignmentDestroysOnce) {
  using Owner = DynamicType<NoContainers, std::shared_ptr<Tracked>, std::unique_ptr<Tracked>, int>;
  int first = 0;
  int second = 0;
  int third = 0;
  {
    Owner x = std::make_shared<Tracked>(&first);
    EXPECT_EQ(x->destroyed, &first);
    EXPECT_EQ(first, 0);
    x = std::make_unique<Tracked>(&second);
    EXPECT_EQ(first, 1);
    EXPECT_EQ(x->destroyed, &second);
    x = std::make_unique<Tracked>(&third);
    EXPECT_EQ(second, 1);
    EXPECT_EQ(third, 0);
    x = 1;
    EXPECT_EQ(third, 1);
  }
  EXPECT_EQ(first + second + third, 3);
}

TEST(Ownership, SharedIsCounted) {
  using Owner = DynamicType<Containers<std::vector>, std::shared_ptr<int>>;
  auto pointer = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = pointer;
  Owner x = std::move(pointer);
  Owner list = std::vector<Owner>{x, x};
  EXPECT_EQ(watch.use_count(), 3);
  x = {};
  EXPECT_EQ(watch.use_count(), 2);
  list[0] = list[1];
  EXPECT_EQ(watch.use_count(), 2);
  list = Owner(list[0]);
  EXPECT_EQ(watch.use_count(), 1);
  list = {};
  EXPECT_TRUE(watch.expired() || list.is<std::vector>());
}

struct ThrowsOnCopy {
  ThrowsOnCopy() = default;
  ThrowsOnCopy(const ThrowsOnCopy&) { throw std::logic_error("copied"); }
  ThrowsOnCopy(ThrowsOnCopy&&) noexcept {}
  ThrowsOnCopy& operator=(const ThrowsOnCopy&) = default;
  int operator+(const ThrowsOnCopy&) const { return 1; }
  int operator-() const { return 2; }
  bool operator==(const ThrowsOnCopy&) const { return true; }
  int number = 3;
};

TEST(Ownership, OperatorsDoNotCopy) {
  using Value = DynamicType<Containers<std::vector>, ThrowsOnCopy, int>;
  const Value x = ThrowsOnCopy{};
  EXPECT_EQ(x + x, 1);
  EXPECT_EQ(-x, 2);
  EXPECT_TRUE(x == x);
  EXPECT_EQ(x->*&ThrowsOnCopy::number, 3);
  EXPECT_TRUE(Value::dispatch([](const auto&) { return true; }, x));
  EXPECT_THROW(Value{x}, std::logic_error);
}

}  // namespace
}  // namespace dynamic_type_tests
