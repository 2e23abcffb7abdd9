// Comparison operators (bool) and named comparisons (DynamicType).
#include <algorithm>
#include <random>

#include "common.h"

namespace dynamic_type_tests {
namespace {

TEST(Comparisons, Numbers) {
  static_assert(Scalar(2) == Scalar(2.0) && Scalar(2) == 2 && 2.0 == Scalar(2));
  static_assert(Scalar(2) != Scalar(2.5) && Scalar(true) == Scalar(1) && Scalar(false) != 1);
  static_assert(Scalar(1) < Scalar(1.5) && 1 < Scalar(1.5) && !(Scalar(2) < 2));
  static_assert(Scalar(2) > Scalar(1.5) && Scalar(2) >= 2 && 2 <= Scalar(2.0));
  static_assert(!(Scalar(3) <= Scalar(2)) && !(Scalar(2) > 2) && Scalar(3) >= true);
  static_assert(std::is_same_v<decltype(Scalar(1) == 1), bool>);
  static_assert(std::is_same_v<decltype(Scalar(1) < Scalar(1)), bool>);
  const Scalar x = -1;
  EXPECT_FALSE(x == 1u);
  EXPECT_TRUE(Nested(2) == Nested(2.0));
  EXPECT_TRUE(Nested(2) <= 2.5);
}

TEST(Comparisons, Null) {
  constexpr Scalar null;
  constexpr std::monostate none;
  static_assert(null == null && null == none && none == null);
  static_assert(null <= none && none >= null && null >= null);
  static_assert(!(null != none) && !(null < null) && !(null > none) && !(none < null));
  expectError([] { return Scalar{} == Scalar(1); }, notConvertible);
  expectError([] { return Scalar(1) != std::monostate{}; }, notConvertible);
  expectError([] { return 1 < Scalar{}; }, notConvertible);
  expectError([] { return Nested{} == Nested(1); }, notConvertible);
}

TEST(Comparisons, AlwaysDefinedButMayFail) {
  static_assert(std::is_same_v<decltype(ScalarOrOpaque(1) == Empty{}), bool>);
  expectError([] { return ScalarOrOpaque(Empty{}) == ScalarOrOpaque(Empty{}); }, notConvertible);
  expectError([] { return ScalarOrOpaque(1) < Empty{}; }, notConvertible);
  expectError([] { return std::string("a") >= Scalar(1); }, notConvertible);
}

TEST(Comparisons, Containers) {
  const auto list = [](auto... items) { return Nested(std::vector<Nested>{items...}); };
  EXPECT_TRUE(list(1, 2) == list(1.0, 2));
  EXPECT_TRUE(list(1, 2) != list(1, 3));
  EXPECT_TRUE(list(1, 2) < list(1, 2.5));
  EXPECT_TRUE(list(1, 2, 3) > list(1, 2));
  EXPECT_TRUE(list(list(1), 2) <= list(list(1), 2));
  EXPECT_FALSE(list(list(1), 2) >= list(list(2), 2));
  EXPECT_TRUE(list(1) == std::vector<Nested>{1});
  expectError([&] { return list(1) == Nested(1); }, notConvertible);
  expectError([&] { return list(1) == list(list(1)); }, notConvertible);
}

struct NotBool {};
struct LikeBool {
  constexpr operator bool() const { return true; }
};
struct S {};
constexpr NotBool operator==(S, S) { return {}; }
constexpr LikeBool operator<(S, S) { return {}; }

TEST(Comparisons, ResultMustConvertToBool) {
  using Value = DynamicType<NoContainers, S, int>;
  expectError([] { return Value(S{}) == Value(S{}); }, notConvertible);
  static_assert(Value(S{}) < Value(S{}) && Value(S{}) < S{});
}

TEST(Comparisons, NamedOnes) {
  static_assert(std::is_same_v<decltype(eq(Scalar(1), 1)), Scalar>);
  static_assert(eq(Scalar(1), Scalar(1.0)).as<bool>() && !ne(Scalar(1), 1).as<bool>());
  static_assert(lt(1, Scalar(2)).as<bool>() && !gt(Scalar(1), Scalar(2)).as<bool>());
  static_assert(le(Scalar(1), 1.0).as<bool>() && ge(Scalar(1), Scalar(1)).as<bool>());
  static_assert(dynamic_type::eq(Scalar{}, std::monostate{}).as<bool>());
  // {int, float} holds what bool converts to.
  static_assert(eq(IntOrFloat(1), 1.0f).as<int>() == 1);
  EXPECT_EQ(lt(Nested(1), Nested(2.5)), true);
  expectError([] { return eq(Nested(1), Nested{}); }, notConvertible);
  expectError([] { return eq(ScalarOrOpaque(Empty{}), 1); }, notConvertible);
}

template <typename A, typename B>
concept CanEq = requires(A a, B b) { eq(a, b); };

TEST(Comparisons, NamedOnesAreConstrained) {
  static_assert(!CanEq<ScalarOrOpaque, Empty>);
  static_assert(!CanEq<DynamicType<NoContainers, Empty>, DynamicType<NoContainers, Empty>>);
  static_assert(CanEq<const Scalar&, int> && !CanEq<Scalar, std::string>);
  // A result that is an alternative, though no bool.
  using Value = DynamicType<NoContainers, S, NotBool>;
  static_assert(eq(Value(S{}), S{}).is<NotBool>());
}

TEST(Comparisons, StringLiterals) {
  using Text = DynamicType<NoContainers, std::string, int>;
  EXPECT_TRUE(Text("a") == "a");
  EXPECT_TRUE("a" < Text("b"));
  expectError([] { return Text(1) == "a"; }, notConvertible);
}

TEST(Comparisons, Sorting) {
  std::mt19937 random(1);
  std::vector<int64_t> plain(1000);
  for (auto& x : plain) {
    x = random() % 100;
  }
  std::vector<Nested> dynamic(plain.begin(), plain.end());
  std::sort(plain.begin(), plain.end());
  std::sort(dynamic.begin(), dynamic.end());
  EXPECT_EQ((std::vector<int64_t>)Nested(dynamic), plain);
}

}  // namespace
}  // namespace dynamic_type_tests
