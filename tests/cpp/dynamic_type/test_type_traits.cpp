// type_traits.h, included alone.
#include <dynamic_type/type_traits.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace dynamic_type;

TEST(TypeTraits, CanUseArgs) {
  auto takesInt = [](int) {};
  auto takesIntAndString = [](int, const std::string&) {};
  static_assert(can_use_args<decltype(takesInt), int>);
  static_assert(can_use_args<decltype(takesInt), double>);
  static_assert(!can_use_args<decltype(takesInt), std::string>);
  static_assert(!can_use_args<decltype(takesInt)>);
  static_assert(!can_use_args<decltype(takesInt), int, int>);
  static_assert(can_use_args<decltype(takesIntAndString), int, const char*>);
  static_assert(!can_use_args<int, int>);
}

TEST(TypeTraits, ForAllTypesCallsInOrderAndCollects) {
  std::vector<std::size_t> sizes;
  auto result = ForAllTypes<char, int16_t, int32_t>{}([&]<typename T>(std::type_identity<T>) {
    sizes.push_back(sizeof(T));
    if constexpr (std::is_same_v<T, int16_t>) {
      return 2.5;
    }
  });
  EXPECT_EQ(sizes, (std::vector<std::size_t>{1, 2, 4}));
  static_assert(std::is_same_v<decltype(result), std::tuple<Void, double, Void>>);
  EXPECT_EQ(std::get<1>(result), 2.5);
  static_assert(std::is_same_v<decltype(ForAllTypes<>{}([](auto) {})), std::tuple<>>);
  constexpr auto flags = ForAllTypes<int, float>{}(
      []<typename T>(std::type_identity<T>) { return std::is_integral_v<T>; });
  static_assert(std::get<0>(flags) && !std::get<1>(flags));
}

TEST(TypeTraits, AllAndAny) {
  static_assert(all() && !any());
  static_assert(all(true, true) && !all(true, false));
  static_assert(any(false, true) && !any(false, false));
  static_assert(all(std::tuple(true, std::true_type{})));
  static_assert(!all(std::tuple(true, false)) && any(std::tuple(true, false)));
  static_assert(all(std::tuple<>{}) && !any(std::tuple<>{}));
}

TEST(TypeTraits, RemoveVoidKeepsTheOrder) {
  constexpr std::tuple<Void, int, Void, double, Void> mixed{{}, 1, {}, 2.5, {}};
  constexpr auto cleaned = remove_void_from_tuple(mixed);
  static_assert(std::is_same_v<decltype(cleaned), const std::tuple<int, double>>);
  static_assert(cleaned == std::tuple(1, 2.5));
  static_assert(
      std::is_same_v<decltype(remove_void_from_tuple(std::tuple<Void, Void>{})), std::tuple<>>);
  static_assert(std::is_same_v<decltype(remove_void_from_tuple(std::tuple<>{})), std::tuple<>>);
}

// Numbers that no smaller number but 1 divides, found at compile time.
template <int... Numbers>
struct NumbersUpTo;

template <int candidate, typename Divisors>
struct IsPrime;
template <int candidate, int... offsets>
struct IsPrime<candidate, std::integer_sequence<int, offsets...>> {
  static constexpr bool value = all(ForAllTypes<std::integral_constant<int, offsets + 2>...>{}(
      [](auto divisor) { return candidate % decltype(divisor)::type::value != 0; }));
};

template <int... offsets>
constexpr auto primesBelow(std::integer_sequence<int, offsets...>) {
  return remove_void_from_tuple(
      ForAllTypes<std::integral_constant<int, offsets + 2>...>{}([](auto number) {
        constexpr int n = decltype(number)::type::value;
        if constexpr (IsPrime<n, std::make_integer_sequence<int, n - 2>>::value) {
          return std::integral_constant<int, n>{};
        }
      }));
}

template <int... values>
using Constants = std::tuple<std::integral_constant<int, values>...>;

TEST(TypeTraits, Sieve) {
  static_assert(std::is_same_v<decltype(primesBelow(std::make_integer_sequence<int, 30>{})),
                               Constants<2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31>>);
}

TEST(TypeTraits, BelongsTo) {
  static_assert(belongs_to<int, float, int>);
  static_assert(!belongs_to<int, float, const int, int&>);
  static_assert(!belongs_to<int>);
}

TEST(TypeTraits, CartesianProduct) {
  constexpr auto product =
      cartesian_product(std::tuple(1, 2.5), std::tuple(true), std::tuple('a', 7L, 'c'));
  static_assert(product == std::tuple(std::tuple(1, true, 'a'), std::tuple(1, true, 7L),
                                      std::tuple(1, true, 'c'), std::tuple(2.5, true, 'a'),
                                      std::tuple(2.5, true, 7L), std::tuple(2.5, true, 'c')));
  static_assert(cartesian_product(std::tuple(1, 'b')) ==
                std::tuple(std::tuple(1), std::tuple('b')));
  static_assert(cartesian_product(std::tuple(1, 2), std::tuple<>{}) == std::tuple<>{});
}

TEST(TypeTraits, AnyCheck) {
  constexpr auto sumIsSeven = [](auto... values) { return (values + ...) == 7; };
  static_assert(any_check(sumIsSeven, std::tuple(1, 2), std::tuple(3, 5L)));
  static_assert(!any_check(sumIsSeven, std::tuple(1, 2), std::tuple(3, 4L)));
  static_assert(any_check(sumIsSeven, std::tuple(1, 7)));
  static_assert(!any_check(sumIsSeven, std::tuple(7), std::tuple<>{}));
}

TEST(TypeTraits, AllSame) {
  static_assert(are_all_same<std::tuple<int>> && are_all_same<std::tuple<int, int>>);
  static_assert(are_all_same<const std::tuple<int, int, int>>);
  static_assert(!are_all_same<std::tuple<int, const int>> && !are_all_same<std::tuple<>>);
  static_assert(!are_all_same<int> && !are_all_same<std::pair<int, int>>);
  static_assert(all_same_type(std::tuple(1, 2)) && !all_same_type(std::tuple(1, 2.0)));
  static_assert(!all_same_type(std::tuple<>{}) && !all_same_type(1));
}

TEST(TypeTraits, FirstOrVoid) {
  static_assert(std::is_same_v<first_or_void<std::tuple<float, int>>::type, float>);
  static_assert(std::is_same_v<first_or_void<std::tuple<int&>>::type, int&>);
  static_assert(std::is_void_v<first_or_void<std::tuple<>>::type>);
  static_assert(std::is_void_v<first_or_void<int>::type>);
}

TEST(TypeTraits, WrapReference) {
  static_assert(std::is_same_v<wrap_reference_t<int&>, std::reference_wrapper<int>>);
  static_assert(std::is_same_v<wrap_reference_t<const int&>, std::reference_wrapper<const int>>);
  static_assert(std::is_same_v<wrap_reference_t<int>, int>);
  static_assert(std::is_same_v<wrap_reference<int&&>::type, int&&>);
}

}  // namespace
