// Explicit casts to types and to containers.
#include <map>

#include "common.h"

namespace dynamic_type_tests {
namespace {

template <typename DT, typename T>
concept CanCast = requires(DT x) { (T) x; };

TEST(Casts, NumbersCrossFreely) {
  static_assert((int)Scalar(true) == 1);
  static_assert((double)Scalar(3) == 3.0);
  static_assert((float)Scalar(3) == 3.0f);
  static_assert((int64_t)Scalar(2.9) == 2);
  static_assert((bool)Scalar(0.5) && !(bool)Scalar(0));
  static_assert(static_cast<int64_t>(IntOrFloat(2.5f)) == 2);
  static_assert((double)(const Scalar&)Scalar(1.5) == 1.5);
  EXPECT_EQ((std::complex<double>)Nested(2.5), std::complex<double>(2.5));
}

TEST(Casts, WhatCannotBeCast) {
  static_assert(Scalar::can_cast_to<int> && Scalar::can_cast_to<float>);
  static_assert(!Scalar::can_cast_to<std::string> && !Scalar::can_cast_to<Empty>);
  static_assert(ScalarOrOpaque::can_cast_to<Empty>);
  static_assert(CanCast<Scalar, int> && !CanCast<Scalar, Empty>);
  static_assert(!CanCast<DynamicType<NoContainers, Empty>, int>);
  static_assert(CanCast<const ScalarOrOpaque, Empty>);
  // Explicit only.
  static_assert(!std::is_convertible_v<Scalar, int> && std::is_constructible_v<int, Scalar>);
  expectError([] { return (int)Scalar{}; }, notConvertible);
  expectError([] { return (int)ScalarOrOpaque(Empty{}); }, notConvertible);
  expectError([] { return (double)Nested(std::vector<Nested>{1}); }, notConvertible);
}

TEST(Casts, InConditions) {
  EXPECT_TRUE(Scalar(2) ? true : false);
  EXPECT_FALSE(Scalar(false) ? true : false);
}

struct FromDouble {
  explicit FromDouble(double v) : number(v) {}
  double number;
};

TEST(Casts, ToClasses) {
  EXPECT_EQ(((FromDouble)Scalar(2)).number, 2.0);
  EXPECT_EQ(static_cast<FromDouble>(Scalar(2.5)).number, 2.5);
}

TEST(Casts, Containers) {
  const Nested x = std::vector<double>{1.5, 2.5};
  EXPECT_EQ((std::vector<double>)x, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ((std::vector<int>)x, (std::vector<int>{1, 2}));
  EXPECT_EQ(((std::vector<bool>)x), (std::vector<bool>{true, true}));
  using Deep = std::vector<std::vector<std::vector<std::vector<double>>>>;
  const Deep deep{{{{1, 2}, {3}}}, {}, {{}, {{}}}};
  EXPECT_EQ((Deep)Nested(deep), deep);
  EXPECT_EQ((std::vector<Nested>)x, x.as<std::vector>());
  // An element that does not fit.
  const Nested ragged = std::vector<Nested>{1, std::vector<Nested>{}};
  expectError([&] { return (std::vector<int>)ragged; }, notConvertible);
  expectError([] { return (Deep)Nested(std::vector<Nested>{1}); }, "Cannot cast from ");
}

TEST(Casts, ContainerIsNotASize) {
  // std::vector<double>(3) exists; casting the number 3 to a vector is an error all the same.
  expectError([] { return (std::vector<double>)Nested(3); }, "Cannot cast from ");
  expectError([] { return (std::vector<double>)Nested{}; }, "Cannot cast from ");
}

TEST(Casts, ContainersWithoutNumbers) {
  using Texts = DynamicType<Containers<std::vector>, std::string>;
  using Lists = std::vector<std::vector<std::string>>;
  EXPECT_EQ((Lists)Texts(Lists{{"a"}, {}}), (Lists{{"a"}, {}}));
  static_assert(!CanCast<Texts, std::vector<int*>>);
}

struct Base {
  int number = 1;
};
struct Derived : Base {};

TEST(Casts, PointersAndReferences) {
  using Pointers = DynamicType<NoContainers, Derived*, int64_t>;
  Derived d;
  const Pointers x = &d;
  EXPECT_EQ((Base*)x, &d);
  EXPECT_EQ((Derived*)x, &d);
  using Values = DynamicType<NoContainers, Derived, int64_t>;
  EXPECT_EQ(static_cast<Base>(Values(d)).number, 1);
}

}  // namespace
}  // namespace dynamic_type_tests
