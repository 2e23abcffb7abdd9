// Binary operators other than comparisons, and compound assignment.
#include "common.h"

namespace dynamic_type_tests {
namespace {

// One test per operator: DT with DT, DT with a static type on either side, all in constant
// expressions and at run time, and the errors.
#define TEST_OPERATOR(Name, op, a, b)                                                              \
  template <typename A, typename B>                                                                \
  concept Can##Name = requires(A x, B y) { x op y; };                                              \
  TEST(Arithmetic, Name) {                                                                         \
    static_assert((Scalar(a) op Scalar(b)) == Scalar((a)op(b)));                                   \
    static_assert((Scalar(a) op(b)) == Scalar((a)op(b)));                                          \
    static_assert(((a)op Scalar(b)) == Scalar((a)op(b)));                                          \
    static_assert(std::is_same_v<decltype(Scalar(a) op Scalar(b)), Scalar>);                       \
    static_assert(std::is_same_v<decltype(Scalar(a) op(b)), Scalar>);                              \
    EXPECT_EQ(Nested(a) op Nested(b), Nested((a)op(b)));                                           \
    EXPECT_EQ(Nested(a) op(b), Nested((a)op(b)));                                                  \
    EXPECT_EQ((a)op Nested(b), Nested((a)op(b)));                                                  \
    EXPECT_EQ((Nested(a) op Nested(b)).type(), Scalar((a)op(b)).type());                           \
    expectError([] { return Nested(a) op Nested{}; }, notConvertible);                             \
    expectError(                                                                                   \
        [] {                                                                                       \
          return Nested {}                                                                         \
          op(b);                                                                                   \
        },                                                                                         \
        notConvertible);                                                                           \
    expectError([] { return Nested(std::vector<Nested>{1}) op Nested(b); }, notConvertible);       \
    expectError([] { return ScalarOrOpaque(Empty{}) op ScalarOrOpaque(b); }, notConvertible);      \
    static_assert(!Can##Name<DynamicType<NoContainers, Empty>, DynamicType<NoContainers, Empty>>); \
    static_assert(!Can##Name<DynamicType<NoContainers, Unconstructible>, int>);                    \
    static_assert(                                                                                 \
        !Can##Name<DynamicType<Containers<std::vector>>, DynamicType<Containers<std::vector>>>);   \
    static_assert(!Can##Name<Scalar, Empty>);                                                      \
    static_assert(!Can##Name<const Empty, const Scalar> && Can##Name<Scalar&, const Scalar&>);     \
  }

TEST_OPERATOR(Add, +, 2, 2.5)
TEST_OPERATOR(Subtract, -, 2, 2.5)
TEST_OPERATOR(Multiply, *, 3, 2.5)
TEST_OPERATOR(Divide, /, 7L, 2L)
TEST_OPERATOR(Modulo, %, 7L, 4L)
TEST_OPERATOR(BitAnd, &, 6L, 3L)
TEST_OPERATOR(BitOr, |, 6L, 3L)
TEST_OPERATOR(BitXor, ^, 6L, 3L)
TEST_OPERATOR(LogicalAnd, &&, 2L, 0L)
TEST_OPERATOR(LogicalOr, ||, 2L, 0L)
TEST_OPERATOR(ShiftLeft, <<, 3L, 2L)
TEST_OPERATOR(ShiftRight, >>, 64L, 2L)

template <typename A, typename B>
concept CanAddAssign = requires(A a, B b) { a += b; };
template <typename A, typename B>
concept CanModuloAssign = requires(A a, B b) { a %= b; };

TEST(Arithmetic, HeldTypesDecide) {
  static_assert((Scalar(1) + Scalar(2.5)).is<double>());
  static_assert((Scalar(7) / Scalar(2)).as<int64_t>() == 3);
  static_assert((Scalar(7) / 2.0).as<double>() == 3.5);
  static_assert((Scalar(true) + Scalar(true)).as<int64_t>() == 2);
  static_assert((Scalar(2.5) && Scalar(1)).is<bool>());
  expectError([] { return Scalar(2.5) % Scalar(2); }, notConvertible);
  expectError([] { return Scalar(2.5) << 1; }, notConvertible);
  static_assert(CanModulo<Scalar, Scalar> && !CanModulo<Scalar, double>);
  static_assert(!CanModulo<DynamicType<NoContainers, double>, DynamicType<NoContainers, double>>);
}

TEST(Arithmetic, LogicalOperatorsEvaluateBothSides) {
  int calls = 0;
  const auto value = [&calls](bool b) {
    ++calls;
    return Scalar(b);
  };
  EXPECT_EQ(value(false) && value(true), Scalar(false));
  EXPECT_EQ(value(true) || value(false), Scalar(true));
  EXPECT_EQ(calls, 4);
}

TEST(Arithmetic, ResultMustBeStorable) {
  static_assert(!CanAdd<IntOrFloat, double> && !CanAdd<double, IntOrFloat>);
  static_assert(CanAdd<IntOrFloat, float> && CanAdd<int, IntOrFloat>);
  static_assert((IntOrFloat(1) + 2.5f).as<float>() == 3.5f);
}

struct A {};
struct B {};
constexpr float operator+(A, B) { return 2.5f; }

TEST(Arithmetic, PairWithUnstorableResult) {
  using AB = DynamicType<NoContainers, A, B>;
  static_assert(!CanAdd<AB, AB> && !CanAdd<AB, B> && !CanAdd<A, AB>);
  using ABInt = DynamicType<NoContainers, A, B, int>;
  static_assert(CanAdd<ABInt, ABInt>);
  expectError([] { return ABInt(A{}) + ABInt(B{}); }, notConvertible);
  EXPECT_EQ((ABInt(1) + ABInt(2)).as<int>(), 3);
  using ABFloat = DynamicType<NoContainers, A, B, float>;
  static_assert((ABFloat(A{}) + B{}).as<float>() == 2.5f);
  static_assert((A{} + ABFloat(B{})).as<float>() == 2.5f);
}

struct T1 {};
struct T2 {};
struct T3 {
  constexpr T3(T1) {}
};
constexpr T1 operator+(T2, T2) { return {}; }

TEST(Arithmetic, ResultConvertsImplicitly) {
  using Value = DynamicType<NoContainers, T2, T3>;
  static_assert((Value(T2{}) + Value(T2{})).is<T3>());
  static_assert((Value(T2{}) + T2{}).is<T3>());
}

struct NoReturn {};
[[maybe_unused]] void operator+(NoReturn, NoReturn) {}

TEST(Arithmetic, VoidIsNoResult) {
  static_assert(!CanAdd<DynamicType<NoContainers, NoReturn>, NoReturn>);
  static_assert(!CanAdd<DynamicType<NoContainers, NoReturn, int>, NoReturn>);
}

struct ConvertsToScalar {
  constexpr operator Scalar() const { return Scalar(7); }
};
struct ConvertsExplicitly {
  constexpr explicit operator Scalar() const { return Scalar(7); }
};

TEST(Arithmetic, OperandWithConversionFunction) {
  static_assert(Scalar(1) + ConvertsToScalar{} == Scalar(8));
  static_assert(ConvertsToScalar{} - Scalar(1) == Scalar(6));
  static_assert(ConvertsExplicitly{} * Scalar(2) == 14);
  static_assert(Scalar(7) == ConvertsToScalar{} && ConvertsExplicitly{} >= Scalar(7));
  Scalar x = 1;
  x += ConvertsToScalar{};
  EXPECT_EQ(x, 8);
}

TEST(Arithmetic, StaticOperandsOfOtherTypes) {
  using Text = DynamicType<NoContainers, std::string, int64_t>;
  EXPECT_EQ((Text("a") + "bc").as<std::string>(), "abc");
  EXPECT_EQ(("a" + Text("bc")).as<std::string>(), "abc");
  EXPECT_EQ((Text("a") + std::string("bc")).as<std::string>(), "abc");
  EXPECT_EQ((Text(1) + short{2}).as<int64_t>(), 3);
  expectError([] { return Text(1) + std::string("a"); }, notConvertible);
}

TEST(Arithmetic, LvaluesAndConst) {
  Scalar x = 1;
  const Scalar y = 2.5;
  int one = 1;
  const int two = 2;
  EXPECT_EQ(x + y, 3.5);
  EXPECT_EQ(y - x, 1.5);
  EXPECT_EQ(x + one, 2);
  EXPECT_EQ(two * y, 5.0);
  static_assert(CanAdd<Scalar&, const Scalar&> && CanAdd<const int&, Scalar&&>);
}

TEST(Arithmetic, CompoundAssignment) {
  Scalar x = 7;
  static_assert(std::is_same_v<decltype(x += 1), Scalar&>);
  EXPECT_EQ(&(x += 1), &x);
  EXPECT_EQ(x, 8);
  EXPECT_EQ(x -= Scalar(3), 5);
  EXPECT_EQ(x *= 4, 20);
  EXPECT_EQ(x /= 3, 6);
  EXPECT_EQ(x %= 4, 2);
  EXPECT_EQ(x <<= 3, 16);
  EXPECT_EQ(x >>= 1, 8);
  EXPECT_EQ(x |= 3, 11);
  EXPECT_EQ(x &= 6, 2);
  EXPECT_EQ(x ^= 7, 5);
  x += 0.5;
  EXPECT_TRUE(x.is<double>());
  EXPECT_EQ(x, 5.5);
  expectError([&] { x %= 2; }, notConvertible);
  EXPECT_EQ(x, 5.5);
  x += x;
  EXPECT_EQ(x, 11.0);
  static_assert(CanAddAssign<Scalar&, double> && !CanAddAssign<const Scalar&, double>);
  static_assert(!CanAddAssign<IntOrFloat&, double> && !CanAddAssign<Scalar&, Empty>);
  static_assert(!CanModuloAssign<Scalar&, double> && !CanAddAssign<int&, Scalar>);
}

TEST(Arithmetic, ComplexNumbersKeepTheirOwnRules) {
  using Value = DynamicType<Containers<std::vector>, std::complex<double>, double, int64_t>;
  EXPECT_EQ((Value(std::complex<double>(1, 2)) * Value(2.0)).as<std::complex<double>>(),
            std::complex<double>(2, 4));
  // std::complex<double> has no operator with an integer.
  expectError([] { return Value(std::complex<double>(1, 2)) * Value(2); }, notConvertible);
}

TEST(Arithmetic, StreamsAreNotShifted) {
  std::ostringstream stream;
  stream << Scalar(1) << 2 << Scalar(2.5);
  EXPECT_EQ(stream.str(), "122.5");
  static_assert(
      std::is_same_v<decltype(std::declval<std::ostream&>() << Scalar(1)), std::ostream&>);
  static_assert(CanShiftLeft<std::ostringstream&, Scalar>);
  static_assert(!CanShiftLeft<std::ostream&, DynamicType<NoContainers, Empty>>);
  static_assert(!CanShiftRight<std::istream&, Scalar>);
}

struct Ordered {
  int id;
};
// The operands reach the operator in their order.
constexpr int operator-(const Ordered& a, const Ordered& b) { return a.id * 10 + b.id; }
constexpr int operator-(const Ordered& a, int b) { return a.id * 10 + b; }
constexpr int operator-(int a, const Ordered& b) { return a * 10 + b.id; }

TEST(Arithmetic, OrderOfOperands) {
  using Value = DynamicType<NoContainers, Ordered, int>;
  static_assert((Value(Ordered{1}) - Value(Ordered{2})).as<int>() == 12);
  static_assert((Value(Ordered{1}) - Value(2)).as<int>() == 12);
  static_assert((Value(1) - Value(Ordered{2})).as<int>() == 12);
  static_assert((1 - Value(Ordered{2})).as<int>() == 12);
  static_assert((Ordered{1} - Value(2)).as<int>() == 12);
}

TEST(Arithmetic, TwoDynamicTypes) {
  using Outer = DynamicType<NoContainers, Scalar, Empty>;
  EXPECT_TRUE((Outer(Scalar(1)) + Scalar(2)).as<Scalar>() == 3);
  EXPECT_TRUE((Scalar(1) + Outer(Scalar(2))).as<Scalar>() == 3);
  EXPECT_TRUE(Outer(Scalar(1)) == Scalar(1));
}

}  // namespace
}  // namespace dynamic_type_tests
