// std::hash and cross-type equality.
#include <unordered_map>
#include <unordered_set>

#include "common.h"

namespace dynamic_type_tests {

using IntOrText = DynamicType<NoContainers, int64_t, std::string>;
using Number = DynamicType<NoContainers, double, int64_t>;

static_assert(dynamic_type::has_cross_type_equality<Number>);

}  // namespace dynamic_type_tests

// Allowed after has_cross_type_equality was asked.
template <>
struct std::hash<dynamic_type_tests::Number> {
  std::size_t operator()(const dynamic_type_tests::Number& x) const {
    return x.isNull() ? 0 : std::hash<double>{}(static_cast<double>(x));
  }
};

namespace dynamic_type_tests {
namespace {

using dynamic_type::has_cross_type_equality;

TEST(Hash, CrossTypeEquality) {
  static_assert(has_cross_type_equality<Scalar> && has_cross_type_equality<Nested>);
  static_assert(!has_cross_type_equality<IntOrText>);
  static_assert(!has_cross_type_equality<DynamicType<Containers<std::vector>, int64_t>>);
  static_assert(!has_cross_type_equality<DynamicType<NoContainers, Empty, int>>);
}

TEST(Hash, OfTheHeldValue) {
  std::unordered_map<IntOrText, int> map{{1, 10}, {"one", 20}, {{}, 30}};
  EXPECT_EQ(map.at(1), 10);
  EXPECT_EQ(map.at("one"), 20);
  EXPECT_EQ(map.at(std::monostate{}), 30);
  EXPECT_EQ(std::hash<IntOrText>{}(7), std::hash<IntOrText::VariantType>{}(int64_t{7}));
}

TEST(Hash, OfAClient) {
  const std::unordered_set<Number> set{0, 2.5};
  EXPECT_TRUE(set.contains(0.0));
  EXPECT_TRUE(set.contains(int64_t{0}));
  EXPECT_TRUE(set.contains(2.5));
  EXPECT_FALSE(set.contains(2));
}

}  // namespace
}  // namespace dynamic_type_tests
