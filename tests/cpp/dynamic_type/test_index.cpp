// Square brackets.
#include <map>

#include "common.h"

namespace dynamic_type_tests {
namespace {

template <typename X, typename I>
concept CanIndex = requires(X x, I i) { x[i]; };

TEST(Index, StaticIndex) {
  Nested x = std::vector<Nested>{1, 2.5};
  const Nested& constant = x;
  static_assert(std::is_same_v<decltype(x[0]), Nested&>);
  static_assert(std::is_same_v<decltype(constant[0]), const Nested&>);
  EXPECT_EQ(x[0], 1);
  x[1] = std::vector<Nested>{7};
  EXPECT_EQ(constant[1][0], 7);
  EXPECT_EQ(x[std::size_t{0}], 1);
  expectError([] { return Nested(1)[0]; }, "Cannot index ");
  expectError([] { return Nested{}[0]; }, "Cannot index ");
  static_assert(Nested::has_square_bracket<int> && !Nested::has_square_bracket<Empty>);
  static_assert(!Scalar::has_square_bracket<int>);
  static_assert(CanIndex<Nested, int> && CanIndex<const Nested&, int64_t>);
  static_assert(!CanIndex<Nested, Empty> && !CanIndex<Scalar, int>);
  static_assert(!CanIndex<DynamicType<NoContainers, std::vector<int>>, int>);
}

TEST(Index, DynamicIndex) {
  Nested x = std::vector<Nested>{1, 2.5};
  const Nested& constant = x;
  const Nested zero = 0;
  Nested one = 1;
  static_assert(std::is_same_v<decltype(x[zero]), Nested&>);
  static_assert(std::is_same_v<decltype(constant[one]), const Nested&>);
  EXPECT_EQ(x[zero], 1);
  EXPECT_EQ(constant[one], 2.5);
  x[one] = 4;
  EXPECT_EQ(constant[Nested(true)], 4);
  expectError([&] { return x[Nested{}]; }, "Cannot index ");
  expectError([&] { return x[x]; }, "Cannot index ");
  expectError([&] { return one[zero]; }, "Cannot index ");
  static_assert(Nested::has_any_square_bracket && !Scalar::has_any_square_bracket);
}

TEST(Index, NothingToIndexWith) {
  using OnlyContainers = DynamicType<Containers<std::vector>>;
  using X = OnlyContainers;
  static_assert(!X::has_any_square_bracket && X::has_square_bracket<int>);
  static_assert(!CanIndex<X&, X&> && !CanIndex<const X&, X&>);
  static_assert(!CanIndex<X&, const X&> && !CanIndex<const X&, const X&>);
  X x = std::vector<X>{X{}};
  EXPECT_TRUE(x[0].isNull());
}

template <typename T>
using Dictionary = std::map<std::string, T>;

TEST(Index, OtherContainers) {
  using Value = DynamicType<Containers<std::vector, Dictionary>, int, std::string>;
  Value x = Dictionary<Value>{{"a", 1}};
  x["b"] = std::vector<Value>{5, "c"};
  EXPECT_EQ(x["b"][0], 5);
  EXPECT_EQ(x[Value("a")], 1);
  EXPECT_EQ(x[x["b"][1]], Value{});
  const Value& constant = x;
  EXPECT_EQ(constant["a"], 1);
  expectError([&] { return x[0]; }, "Cannot index ");
}

}  // namespace
}  // namespace dynamic_type_tests
