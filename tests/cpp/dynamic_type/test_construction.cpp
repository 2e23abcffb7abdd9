// What a DynamicType is, and how one comes to be.
#include <array>
#include <list>

#include "common.h"

namespace dynamic_type_tests {
namespace {

using dynamic_type::is_dynamic_type;
using dynamic_type::is_dynamic_type_v;

TEST(Construction, Names) {
  static_assert(is_dynamic_type_v<Scalar> && is_dynamic_type<Nested>::value);
  static_assert(!is_dynamic_type_v<const Scalar> && !is_dynamic_type_v<Scalar&>);
  static_assert(!is_dynamic_type_v<int> && !is_dynamic_type<std::vector<Scalar>>::value);
  static_assert(std::is_same_v<NoContainers, Containers<>>);
  static_assert(
      std::is_same_v<Nested::VariantType, std::variant<std::monostate, double, int64_t, bool,
                                                       Unconstructible, std::vector<Nested>>>);
  static_assert(std::is_same_v<decltype(Nested::value), Nested::VariantType>);
  static_assert(
      std::is_same_v<Scalar::TypeIdentitiesAsTuple,
                     std::tuple<std::type_identity<std::monostate>, std::type_identity<double>,
                                std::type_identity<int64_t>, std::type_identity<bool>>>);
  static_assert(std::tuple_size_v<decltype(Scalar::type_identities_as_tuple)> == 4);
  static_assert(std::is_same_v<Scalar::ForAllTypes,
                               dynamic_type::ForAllTypes<std::monostate, double, int64_t, bool>>);
  static_assert(Scalar::num_types == 4 && Nested::num_types == 6);
  int count = 0;
  Nested::for_all_types([&](auto) { ++count; });
  EXPECT_EQ(count, 6);
}

TEST(Construction, CandidateTypes) {
  static_assert(Nested::is_candidate_type<double> && Nested::is_candidate_type<std::monostate>);
  static_assert(Nested::is_candidate_type<std::vector<Nested>>);
  static_assert(Nested::is_candidate_type<Unconstructible>);
  static_assert(!Nested::is_candidate_type<float> && !Nested::is_candidate_type<const double>);
  static_assert(!Nested::is_candidate_type<double&> && !Nested::is_candidate_type<Nested>);
}

TEST(Construction, Null) {
  constexpr Scalar null;
  static_assert(null.isNull() && !null.hasValue());
  static_assert(null.is<std::monostate>());
  static_assert(Scalar(std::monostate{}).isNull());
  Scalar x = 1;
  EXPECT_TRUE(x.hasValue());
  x = {};
  EXPECT_TRUE(x.isNull());
}

TEST(Construction, FollowsTheVariant) {
  static_assert(Scalar(1).is<int64_t>() && Scalar(1).as<int64_t>() == 1);
  static_assert(Scalar(1.5f).is<double>() && Scalar(true).is<bool>());
  static_assert(!std::is_constructible_v<IntOrFloat, double>);
  static_assert(!std::is_constructible_v<IntOrFloat, int64_t>);
  static_assert(std::is_constructible_v<DynamicType<NoContainers, int>, bool>);
  static_assert(DynamicType<NoContainers, int>(true).as<int>() == 1);
  static_assert(!std::is_constructible_v<Scalar, std::string>);
  static_assert(!std::is_constructible_v<Scalar, Empty>);
  using WithString = DynamicType<NoContainers, int64_t, std::string>;
  const WithString text = "text";
  EXPECT_EQ(text.as<std::string>(), "text");
  // Implicit, also as an argument.
  static_assert(std::is_convertible_v<int, Scalar> && std::is_convertible_v<Scalar&, Scalar>);
}

struct ConvertsToScalar {
  constexpr operator Scalar() const { return Scalar(7); }
};

struct ExplicitlyConvertsToScalar {
  constexpr explicit operator Scalar() const { return Scalar(8); }
};

struct ConvertsToNested {
  operator Nested() const { return std::vector<Nested>{1, 2.5}; }
};

TEST(Construction, FromConversionFunction) {
  using dynamic_type::has_explicit_conversion;
  using dynamic_type::has_explicit_conversion_v;
  static_assert(has_explicit_conversion_v<ConvertsToScalar, Scalar>);
  static_assert(has_explicit_conversion<ExplicitlyConvertsToScalar, Scalar>::value);
  static_assert(!has_explicit_conversion_v<ConvertsToScalar, Nested>);
  static_assert(!has_explicit_conversion_v<int, Scalar> &&
                !has_explicit_conversion_v<Empty, Scalar>);
  constexpr ConvertsToScalar a;
  constexpr Scalar x = a;
  static_assert(x.as<int64_t>() == 7);
  static_assert(((Scalar)a).as<int64_t>() == 7 && Scalar(a).as<int64_t>() == 7);
  static_assert(static_cast<Scalar>(ExplicitlyConvertsToScalar{}).as<int64_t>() == 8);
  static_assert(!std::is_convertible_v<ExplicitlyConvertsToScalar, Scalar>);
  const Nested nested = ConvertsToNested{};
  EXPECT_EQ(nested.as<std::vector>().size(), 2u);
}

TEST(Construction, ContainersOfOtherItems) {
  const Nested x = std::vector<int>{1, 2};
  ASSERT_TRUE(x.is<std::vector>());
  EXPECT_EQ(x[1].as<int64_t>(), 2);
  const std::vector<std::vector<std::vector<float>>> deep{{{1.5f}, {}}, {}};
  const Nested y = deep;
  EXPECT_EQ(y[0][0][0].as<double>(), 1.5);
  EXPECT_EQ(y[0][1].as<std::vector>().size(), 0u);
  const Nested bools = std::vector<bool>{true, false};
  EXPECT_TRUE(bools[0].is<bool>());
  static_assert(std::is_constructible_v<Nested, std::vector<std::vector<std::vector<int>>>>);
  static_assert(!std::is_constructible_v<Scalar, std::vector<int>>);
  static_assert(!std::is_constructible_v<Nested, std::list<int>>);
}

TEST(Construction, SeveralContainers) {
  using Both = DynamicType<Containers<std::vector, std::list>, int, float>;
  const Both x = std::list<std::vector<int>>{{1, 2}, {3}};
  ASSERT_TRUE(x.is<std::list>());
  EXPECT_EQ(x.as<std::list>().front()[1].as<int>(), 2);
  // Which of the two containers a braced list means is open.
  static_assert(!std::is_constructible_v<Both, std::initializer_list<Both>>);
}

TEST(Construction, MoveOnlyItems) {
  using Owner = DynamicType<Containers<std::vector>, std::shared_ptr<int>>;
  std::vector<std::unique_ptr<int>> pointers;
  pointers.push_back(std::make_unique<int>(5));
  int* const address = pointers[0].get();
  const Owner x = std::move(pointers);
  EXPECT_EQ(x.as<std::vector>()[0].as<std::shared_ptr<int>>().get(), address);
}

TEST(Construction, BracedLists) {
  using Value = DynamicType<Containers<std::vector>, int, float>;
  const Value x({{1, 2}, {3, {4, 5.0f, {6}}}});
  ASSERT_TRUE(x.is<std::vector>());
  ASSERT_EQ(x.as<std::vector>().size(), 2u);
  EXPECT_EQ(x[0][1].as<int>(), 2);
  EXPECT_EQ(x[1][0].as<int>(), 3);
  EXPECT_EQ(x[1][1].as<std::vector>().size(), 3u);
  EXPECT_EQ(x[1][1][1].as<float>(), 5.0f);
  ASSERT_TRUE(x[1][1][2].is<std::vector>());
  ASSERT_EQ(x[1][1][2].as<std::vector>().size(), 1u);
  EXPECT_EQ(x[1][1][2][0].as<int>(), 6);
  static_assert(std::is_constructible_v<Value, std::initializer_list<Value>>);
  static_assert(!std::is_constructible_v<Scalar, std::initializer_list<Scalar>>);
}

struct MoveOnly {
  explicit MoveOnly(int v) : number(v) {}
  MoveOnly(MoveOnly&&) noexcept = default;
  MoveOnly& operator=(MoveOnly&&) noexcept = default;
  int number;
};

struct ThrowingMove {
  ThrowingMove(ThrowingMove&&) noexcept(false) {}
  ThrowingMove& operator=(ThrowingMove&&) noexcept(false) { return *this; }
};

TEST(Construction, CopyAndMoveFollowTheAlternatives) {
  using Mover = DynamicType<NoContainers, int, MoveOnly>;
  static_assert(!std::is_copy_constructible_v<Mover> && !std::is_copy_assignable_v<Mover>);
  static_assert(std::is_nothrow_move_constructible_v<Mover>);
  static_assert(std::is_nothrow_move_assignable_v<Mover>);
  using Thrower = DynamicType<NoContainers, ThrowingMove>;
  static_assert(std::is_move_constructible_v<Thrower>);
  static_assert(!std::is_nothrow_move_constructible_v<Thrower>);
  static_assert(std::is_trivially_copyable_v<Scalar>);
  static_assert(std::is_copy_constructible_v<Nested> &&
                std::is_nothrow_move_constructible_v<Nested>);
  Mover x = MoveOnly(3);
  Mover y = std::move(x);
  EXPECT_EQ(y.as<MoveOnly>().number, 3);
  y = 4;
  EXPECT_EQ(y.as<int>(), 4);
}

TEST(Construction, AssignmentReplacesTheAlternative) {
  Nested x = 1;
  x = 2.5;
  EXPECT_TRUE(x.is<double>());
  x = std::vector<Nested>{1};
  EXPECT_TRUE(x.is<std::vector>());
  x = Nested(x[0]);
  EXPECT_EQ(x.as<int64_t>(), 1);
}

TEST(Construction, Swap) {
  Nested x = 1;
  Nested y = std::vector<Nested>{1, 2};
  swap(x, y);
  EXPECT_TRUE(x.is<std::vector>());
  EXPECT_EQ(y.as<int64_t>(), 1);
  std::swap(x, y);
  EXPECT_EQ(x.as<int64_t>(), 1);
  static_assert(noexcept(swap(x, y)));
}

template <typename DT, typename T>
concept CanAs = requires(DT& x) { x.template as<T>(); };

TEST(Construction, Queries) {
  Nested x = 1;
  const Nested& constant = x;
  static_assert(std::is_same_v<decltype(x.as<double>()), double&>);
  static_assert(std::is_same_v<decltype(constant.as<double>()), const double&>);
  static_assert(std::is_same_v<decltype(constant.as<std::vector>()), const std::vector<Nested>&>);
  static_assert(CanAs<Nested, double> && !CanAs<Nested, float> && !CanAs<const Nested, int>);
  EXPECT_THROW(x.as<double>(), std::bad_variant_access);
  EXPECT_THROW(constant.as<std::vector>(), std::bad_variant_access);
  EXPECT_EQ(Nested(2.5).as<double>(), 2.5);
  x.as<int64_t>() = 5;
  EXPECT_EQ(constant.as<int64_t>(), 5);
  EXPECT_EQ(x.type(), typeid(int64_t));
  EXPECT_EQ(Nested{}.type(), typeid(std::monostate));
  EXPECT_EQ(Nested(std::vector<Nested>{}).type(), typeid(std::vector<Nested>));
}

}  // namespace
}  // namespace dynamic_type_tests
