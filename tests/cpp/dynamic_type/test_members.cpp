// Pointers to members, other operands of ->*, and ->.
#include <string_view>

#include "common.h"

namespace dynamic_type_tests {
namespace {

template <typename X, typename M>
concept CanAccess = requires(X x, M m) { x->*m; };

struct Point {
  int x = 1;
  int y = 2;
  const int z = 3;

  constexpr int sum() const { return x + y; }
  constexpr int scaled(int factor, int offset) const noexcept { return factor * x + offset; }
  int set(int v) { return x = v; }
  int plain() { return x; }
  int constVolatile() const volatile { return 4; }
  int volatileOnly() volatile { return 5; }
  int lvalue() & { return 6; }
  int constLvalue() const& noexcept { return 7; }
  int constVolatileLvalue() const volatile& noexcept { return 8; }
  int volatileLvalueNoexcept() volatile& noexcept { return 9; }
  int& reference() { return x; }
  std::unique_ptr<int> take(std::unique_ptr<int> p) const { return p; }
};
struct Stranger {
  int x = 0;
};

template <typename X>
concept CanCallSet = requires(X x) { (x->*&Point::set)(1); };

using Value = DynamicType<NoContainers, Point, int>;

TEST(Members, Data) {
  Value v = Point{};
  const Value& constant = v;
  static_assert(std::is_same_v<decltype(v->*&Point::x), int&>);
  static_assert(std::is_same_v<decltype(constant->*&Point::x), const int&>);
  static_assert(std::is_same_v<decltype(v->*&Point::z), const int&>);
  v->*& Point::y = 5;
  EXPECT_EQ(constant->*&Point::y, 5);
  static_assert((Value(Point{})->*&Point::x) == 1);
  EXPECT_THROW(Value(1)->*&Point::x, std::bad_variant_access);
  EXPECT_THROW(Value{}->*&Point::x, std::bad_variant_access);
  static_assert(!CanAccess<Value, int Stranger::*>);
}

TEST(Members, Functions) {
  static_assert((Value(Point{})->*&Point::sum)() == 3);
  static_assert((Value(Point{})->*&Point::scaled)(10, 1) == 11);
  Value v = Point{};
  const Value& constant = v;
  EXPECT_EQ((v->*&Point::set)(4), 4);
  EXPECT_EQ((v->*&Point::plain)(), 4);
  EXPECT_EQ((constant->*&Point::sum)(), 6);
  EXPECT_EQ((v->*&Point::constVolatile)(), 4);
  EXPECT_EQ((constant->*&Point::constVolatile)(), 4);
  EXPECT_EQ((v->*&Point::volatileOnly)(), 5);
  EXPECT_EQ((v->*&Point::lvalue)(), 6);
  EXPECT_EQ((constant->*&Point::constLvalue)(), 7);
  EXPECT_EQ((constant->*&Point::constVolatileLvalue)(), 8);
  EXPECT_EQ((v->*&Point::volatileLvalueNoexcept)(), 9);
  (v->*&Point::reference)() = 11;
  EXPECT_EQ(v->*&Point::x, 11);
  EXPECT_EQ(*(v->*&Point::take)(std::make_unique<int>(3)), 3);
  EXPECT_THROW((Value(1)->*&Point::sum)(), std::bad_variant_access);
  static_assert(!CanAccess<Value, int (Stranger::*)()>);
  static_assert(CanCallSet<Value&> && !CanCallSet<const Value&>);
}

struct IntSetter {
  int* target;
  int operator()(int v) const { return *target = v; }
};

// Overloads ->* itself.
struct ByName {
  int a = 1;
  constexpr int& operator->*(std::string_view) { return a; }
  constexpr const int& operator->*(std::string_view) const { return a; }
  IntSetter operator->*(double) { return {&a}; }
  int operator->*(int Stranger::*) const { return 12; }
};
struct ByName2 {
  int b = 2;
  constexpr int& operator->*(std::string_view) { return b; }
  constexpr int operator->*(std::string_view) const { return b; }
};

TEST(Members, OwnOperators) {
  using One = DynamicType<NoContainers, ByName, int>;
  One x = ByName{};
  const One& constant = x;
  static_assert(std::is_same_v<decltype(x->*"a"), int&>);
  static_assert(std::is_same_v<decltype(constant->*"a"), const int&>);
  x->*"a" = 4;
  EXPECT_EQ(constant->*"a", 4);
  EXPECT_EQ(&(x->*"a"), &x.as<ByName>().a);
  EXPECT_EQ((x->*2.5)(7), 7);
  EXPECT_EQ(x.as<ByName>().a, 7);
  static_assert(!CanAccess<const One&, double>);
  EXPECT_EQ(x->*&Stranger::x, 12);
  static_assert((One(ByName{})->*std::string_view("a")) == 1);
  expectError([] { return One(1)->*"a"; }, "Cannot access member with type ");
  expectError([] { return One{}->*&Stranger::x; }, "Cannot access member with type ");
  static_assert(!CanAccess<One, Empty> && !CanAccess<Scalar, int>);
}

TEST(Members, ResultsMustAgree) {
  using Two = DynamicType<NoContainers, ByName, ByName2>;
  Two x = ByName2{};
  x->*"b" = 3;
  EXPECT_EQ(x.as<ByName2>().b, 3);
  // const int& and int: only the non-const operator exists.
  static_assert(CanAccess<Two&, const char*> && !CanAccess<const Two&, const char*>);
}

struct Counted {
  int calls = 0;
  int number() { return ++calls; }
};

TEST(Members, ArrowOnPointers) {
  using Pointers =
      DynamicType<NoContainers, Counted*, std::shared_ptr<Counted>, std::unique_ptr<Counted>>;
  Counted counted;
  Pointers x = &counted;
  static_assert(std::is_same_v<decltype(x.operator->()), Counted*>);
  EXPECT_EQ(x->number(), 1);
  EXPECT_EQ(counted.calls, 1);
  const auto shared = std::make_shared<Counted>();
  x = shared;
  EXPECT_EQ(x->number(), 1);
  EXPECT_EQ(shared.use_count(), 2);
  x = std::make_unique<Counted>();
  x->number();
  EXPECT_EQ(x->number(), 2);
  x = std::monostate{};
  expectError([&] { x->number(); }, notConvertible);
}

TEST(Members, ArrowIsAlwaysDeclared) {
  Scalar x = 1;
  static_assert(std::is_void_v<decltype(x.operator->())>);
  expectError([&] { x.operator->(); }, notConvertible);
}

}  // namespace
}  // namespace dynamic_type_tests
