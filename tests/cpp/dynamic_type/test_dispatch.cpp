// DynamicType::dispatch.
#include "common.h"

namespace dynamic_type_tests {
namespace {

template <typename T, typename U>
constexpr bool holds = std::is_same_v<std::decay_t<T>, U>;

TEST(Dispatch, AllVoid) {
  std::string seen;
  auto note = [&](auto&& x) {
    if constexpr (holds<decltype(x), int64_t>) {
      seen = "int64_t";
    } else if constexpr (holds<decltype(x), std::monostate>) {
      seen = "null";
    }
  };
  static_assert(std::is_void_v<decltype(Scalar::dispatch(note, Scalar(1)))>);
  Scalar::dispatch(note, Scalar(1));
  EXPECT_EQ(seen, "int64_t");
  Scalar::dispatch(note, Scalar{});
  EXPECT_EQ(seen, "null");
  seen = "nothing";
  Scalar::dispatch(note, Scalar(2.5));
  EXPECT_EQ(seen, "nothing");
}

TEST(Dispatch, AllVoidMayChangeTheArgument) {
  auto increase = [](auto& x) {
    if constexpr (std::is_arithmetic_v<std::remove_reference_t<decltype(x)>> &&
                  !holds<decltype(x), bool>) {
      ++x;
    }
  };
  Scalar x = 1;
  Scalar::dispatch(increase, x);
  EXPECT_EQ(x, 2);
  const Scalar constant = 1;
  bool isConst = false;
  Scalar::dispatch(
      [&](auto& held) { isConst = std::is_const_v<std::remove_reference_t<decltype(held)>>; },
      constant);
  EXPECT_TRUE(isConst);
}

TEST(Dispatch, OneResultType) {
  constexpr auto size = [](auto x) -> int {
    return holds<decltype(x), std::monostate> ? 0 : static_cast<int>(sizeof(x));
  };
  static_assert(std::is_same_v<decltype(Scalar::dispatch(size, Scalar(1))), int>);
  static_assert(Scalar::dispatch(size, Scalar(true)) == 1);
  static_assert(Scalar::dispatch(size, Scalar{}) == 0);
}

TEST(Dispatch, VoidBranchAtRunTime) {
  constexpr auto onlyNumbers = [](auto x) {
    if constexpr (holds<decltype(x), double>) {
      return x * 2;
    }
  };
  static_assert(Scalar::dispatch(onlyNumbers, Scalar(2.5)) == 5.0);
  expectError([&] { return Scalar::dispatch(onlyNumbers, Scalar(1)); }, notConvertible);
  expectError([&] { return Scalar::dispatch(onlyNumbers, Scalar{}); }, notConvertible);
}

TEST(Dispatch, SeveralResultTypes) {
  constexpr auto twice = [](auto x) {
    if constexpr (!holds<decltype(x), std::monostate>) {
      return x + x;
    }
  };
  static_assert(std::is_same_v<decltype(Scalar::dispatch(twice, Scalar(1))), Scalar>);
  static_assert(Scalar::dispatch(twice, Scalar(2.5)) == 5.0);
  static_assert(Scalar::dispatch(twice, Scalar(2)).is<int64_t>());
  // A branch whose result does not fit.
  constexpr auto odd = [](auto x) {
    if constexpr (holds<decltype(x), bool>) {
      return Empty{};
    } else if constexpr (holds<decltype(x), double>) {
      return x;
    }
  };
  static_assert(std::is_same_v<decltype(Scalar::dispatch(odd, Scalar(1))), Scalar>);
  EXPECT_EQ(Scalar::dispatch(odd, Scalar(1.5)), 1.5);
  expectError([&] { return Scalar::dispatch(odd, Scalar(true)); }, notConvertible);
}

TEST(Dispatch, References) {
  std::vector<int> numbers{1, 2};
  const auto at = [](auto&& list, auto index) -> decltype(auto) {
    if constexpr (std::is_integral_v<decltype(index)>) {
      return list.at(index);
    }
  };
  static_assert(std::is_same_v<decltype(Scalar::dispatch(at, numbers, Scalar(1))), int&>);
  Scalar::dispatch(at, numbers, Scalar(1)) = 3;
  EXPECT_EQ(numbers[1], 3);
  EXPECT_THROW(Scalar::dispatch(at, numbers, Scalar(5)), std::out_of_range);
  const auto& constant = numbers;
  static_assert(std::is_same_v<decltype(Scalar::dispatch(at, constant, Scalar(1))), const int&>);
}

TEST(Dispatch, HeldValueIsConstWithAResult) {
  Scalar x = 1;
  EXPECT_TRUE(Scalar::dispatch(
      [](auto&& held) {
        return std::is_same_v<decltype(held), const std::decay_t<decltype(held)>&>;
      },
      x));
}

TEST(Dispatch, OtherArgumentsAreForwarded) {
  const auto take = [](std::unique_ptr<int> p, auto x, int& counter) {
    ++counter;
    return holds<decltype(x), int64_t> ? *p : -1;
  };
  int counter = 0;
  EXPECT_EQ(Scalar::dispatch(take, std::make_unique<int>(5), Scalar(1), counter), 5);
  EXPECT_EQ(Scalar::dispatch(take, std::make_unique<int>(5), Scalar(1.5), counter), -1);
  EXPECT_EQ(counter, 2);
  EXPECT_EQ(Scalar::dispatch([](int a, int b) { return a - b; }, 5, 3), 2);
  EXPECT_EQ(Scalar::dispatch([] { return 4; }), 4);
}

TEST(Dispatch, SeveralDynamicArguments) {
  constexpr auto describe = [](auto a, const std::string_view between, auto b) -> std::string_view {
    if constexpr (holds<decltype(a), int64_t> && holds<decltype(b), double>) {
      return between;
    } else if constexpr (holds<decltype(a), double> && holds<decltype(b), int64_t>) {
      return "reversed";
    } else {
      return "other";
    }
  };
  static_assert(Scalar::dispatch(describe, Scalar(1), "between", Scalar(1.5)) == "between");
  static_assert(Scalar::dispatch(describe, Scalar(1.5), "between", Scalar(1)) == "reversed");
  static_assert(Scalar::dispatch(describe, Scalar(1), "between", Scalar{}) == "other");
}

TEST(Dispatch, NestedResultRule) {
  // For a double first argument one type comes out, for an int64_t one two: DT and double make DT.
  constexpr auto f = [](auto a, auto b) {
    if constexpr (holds<decltype(a), double> && std::is_arithmetic_v<decltype(b)>) {
      return a + static_cast<double>(b);
    } else if constexpr (holds<decltype(a), int64_t> && std::is_arithmetic_v<decltype(b)>) {
      return a + b;
    }
  };
  static_assert(std::is_same_v<decltype(Scalar::dispatch(f, Scalar(1), Scalar(1))), Scalar>);
  static_assert(std::is_same_v<decltype(Scalar::dispatch(f, 1.5, Scalar(1))), double>);
  static_assert(Scalar::dispatch(f, Scalar(1.5), Scalar(true)) == 2.5);
  expectError([&] { return Scalar::dispatch(f, Scalar{}, Scalar(1)); }, notConvertible);
}

TEST(Dispatch, ResultWithoutDefaultConstructor) {
  struct NoDefault {
    explicit NoDefault(int n) : number(n) {}
    NoDefault(const NoDefault&) = delete;
    int number;
  };
  const auto make = [](auto x) { return NoDefault(sizeof(x)); };
  EXPECT_EQ(Scalar::dispatch(make, Scalar(true)).number, 1);
}

TEST(Dispatch, ExceptionsPass) {
  EXPECT_THROW(Scalar::dispatch([](auto) { throw std::logic_error("mine"); }, Scalar(1)),
               std::logic_error);
}

TEST(Dispatch, WithContainers) {
  const auto count = [](const auto& x) -> std::size_t {
    if constexpr (holds<decltype(x), std::vector<Nested>>) {
      return x.size();
    }
    return 0;
  };
  EXPECT_EQ(Nested::dispatch(count, Nested(std::vector<Nested>{1, 2})), 2u);
}

}  // namespace
}  // namespace dynamic_type_tests
