// Unary operators, increments, dereference, printing.
#include "common.h"

namespace dynamic_type_tests {
namespace {

#define DEFINE_CONCEPT(Name, expression) \
  template <typename T>                  \
  concept Name = requires(T x) { expression; };
DEFINE_CONCEPT(CanPlus, +x)
DEFINE_CONCEPT(CanMinus, -x)
DEFINE_CONCEPT(CanBitNot, ~x)
DEFINE_CONCEPT(CanNot, !x)
DEFINE_CONCEPT(CanPreIncrement, ++x)
DEFINE_CONCEPT(CanPostIncrement, x++)
DEFINE_CONCEPT(CanPreDecrement, --x)
DEFINE_CONCEPT(CanPostDecrement, x--)
DEFINE_CONCEPT(CanDereference, *x)
DEFINE_CONCEPT(CanPrint, std::declval<std::ostream&>() << x)
#undef DEFINE_CONCEPT

// Nothing is defined for these; `!` has no meaning through a cast to bool either.
using Opaque = DynamicType<NoContainers, Empty, Unconstructible>;

TEST(Unary, ResultTypes) {
  static_assert((-Scalar(2)).as<int64_t>() == -2 && (-Scalar(2.5)).as<double>() == -2.5);
  static_assert((+Scalar(true)).as<int64_t>() == 1);
  static_assert(std::is_same_v<decltype(-Scalar(1)), Scalar>);
  // One distinct result type stays that type.
  static_assert(std::is_same_v<decltype(!Scalar(1)), bool> && !Scalar(0) && !!Scalar(2.5));
  static_assert(std::is_same_v<decltype(~DynamicType<NoContainers, int, double>(1)), int>);
  static_assert(~DynamicType<NoContainers, int, double>(1) == -2);
  const Nested x = 2;
  EXPECT_EQ(-x, -2);
  EXPECT_EQ(+x, 2);
  EXPECT_EQ(~x, -3);
  EXPECT_EQ(!x, false);
}

struct T1 {
  int number = 0;
};
struct T2 {};
constexpr T1 operator+(T2) { return {3}; }
struct Self {
  int number = 1;
  constexpr const Self& operator+() const { return *this; }
};

TEST(Unary, UnstorableResults) {
  using Value = DynamicType<NoContainers, T2, Empty>;
  static_assert(std::is_same_v<decltype(+Value(T2{})), T1>);
  static_assert((+Value(T2{})).number == 3);
  expectError([] { +Value(Empty{}); }, notConvertible);
  // With a second result type the result is dynamic and T1 does not fit.
  using IntToo = DynamicType<NoContainers, T2, int>;
  static_assert(std::is_same_v<decltype(+IntToo(1)), IntToo> && (+IntToo(1)).as<int>() == 1);
  expectError([] { return +IntToo(T2{}); }, notConvertible);
  // References count.
  using Referring = DynamicType<NoContainers, Self>;
  Referring x = Self{5};
  static_assert(std::is_same_v<decltype(+x), const Self&>);
  EXPECT_EQ(&+x, &x.as<Self>());
}

TEST(Unary, UnsupportedValues) {
  expectError([] { return -Nested{}; }, notConvertible);
  expectError([] { return ~Nested(2.5); }, notConvertible);
  expectError([] { return !Nested(std::vector<Nested>{}); }, notConvertible);
  static_assert(!CanPlus<Opaque> && !CanMinus<Opaque> && !CanBitNot<Opaque>);
  static_assert(!CanNot<Opaque>);
  static_assert(!CanBitNot<DynamicType<NoContainers, double>>);
  static_assert(CanMinus<const Scalar&> && CanMinus<Scalar&> && CanMinus<Scalar>);
}

TEST(Unary, Increments) {
  Scalar x = 1;
  static_assert(std::is_same_v<decltype(++x), Scalar&> && std::is_same_v<decltype(x++), Scalar>);
  EXPECT_EQ(&++x, &x);
  EXPECT_EQ(x, 2);
  EXPECT_EQ(x++, 2);
  EXPECT_EQ(x, 3);
  EXPECT_EQ(--x, 2);
  EXPECT_EQ(x--, 2);
  EXPECT_EQ(x, 1);
  x = 1.5;
  EXPECT_EQ((x++).as<double>(), 1.5);
  EXPECT_EQ(x.as<double>(), 2.5);
  x = {};
  expectError([&] { ++x; }, "Cannot compute ");
  expectError([&] { x--; }, "Cannot compute ");
  x = true;
  expectError([&] { x++; }, "Cannot compute ");
  static_assert(CanPreIncrement<Scalar&> && CanPostDecrement<Nested&>);
  static_assert(!CanPreIncrement<Opaque&> && !CanPostIncrement<Opaque&>);
  static_assert(!CanPreIncrement<const Scalar&> && !CanPostDecrement<const Scalar&>);
  static_assert(!CanPreDecrement<DynamicType<NoContainers, bool>&>);
}

// ++ that gives no reference to itself, and a postfix result that is not storable.
struct Odd {
  Odd operator++() { return *this; }
  T1 operator++(int) { return {}; }
};

TEST(Unary, OddIncrements) {
  using Value = DynamicType<NoContainers, Odd>;
  static_assert(!CanPreIncrement<Value&> && !CanPostIncrement<Value&>);
  using WithT1 = DynamicType<NoContainers, Odd, T1>;
  static_assert(!CanPreIncrement<WithT1&> && CanPostIncrement<WithT1&>);
  WithT1 x = Odd{};
  EXPECT_TRUE((x++).is<T1>());
}

template <typename T>
using SharedPointer = std::shared_ptr<T>;

TEST(Unary, Dereference) {
  using Value = DynamicType<Containers<SharedPointer>, int>;
  const Value x = std::make_shared<Value>(3);
  static_assert(std::is_same_v<decltype(*x), Value&>);
  EXPECT_EQ((*x).as<int>(), 3);
  *x = 4;
  EXPECT_EQ(*x, 4);
  expectError([] { return *Value(1); }, "Cannot dereference ");
  expectError([] { return *Value{}; }, "Cannot dereference ");
  static_assert(CanDereference<const Value&> && CanDereference<Value>);
  static_assert(!CanDereference<Scalar> && !CanDereference<Nested&>);
  static_assert(!CanDereference<DynamicType<NoContainers, int*>>);
}

std::string print(const auto& value) {
  std::ostringstream stream;
  stream << value;
  return stream.str();
}

struct Printable {};
std::ostream& operator<<(std::ostream& os, const Printable&) { return os << "printable"; }
struct PrintsNothing {};
[[maybe_unused]] void operator<<(std::ostream&, const PrintsNothing&) {}

TEST(Unary, Printing) {
  EXPECT_EQ(print(Nested(12)), "12");
  EXPECT_EQ(print(Nested(2.5)), "2.5");
  EXPECT_EQ(print(Nested(true)), "1");
  using Value = DynamicType<NoContainers, Printable, PrintsNothing, std::string>;
  EXPECT_EQ(print(Value(Printable{})), "printable");
  EXPECT_EQ(print(Value("text")), "text");
  expectError([] { print(Nested{}); }, "Can not print ");
  expectError([] { print(Nested(std::vector<Nested>{1})); }, "Can not print ");
  expectError([] { print(Value(PrintsNothing{})); }, "Can not print ");
  static_assert(CanPrint<Scalar> && CanPrint<const Nested&>);
  static_assert(!CanPrint<Opaque> && !CanPrint<DynamicType<NoContainers, PrintsNothing>>);
}

}  // namespace
}  // namespace dynamic_type_tests
