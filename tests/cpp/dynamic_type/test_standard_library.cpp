// Use inside the standard library's own class templates, which probe constructors and operators.
#include <algorithm>
#include <any>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "common.h"

namespace dynamic_type_tests {
namespace {

TEST(StandardLibrary, Holders) {
  std::optional<Nested> maybe = Nested(1);
  maybe = 2.5;
  EXPECT_EQ(*maybe, 2.5);
  const std::pair<Nested, Nested> pair{1, 2};
  EXPECT_TRUE(pair == std::make_pair(Nested(1.0), Nested(2)));
  const std::any any = Nested(3);
  EXPECT_EQ(std::any_cast<Nested>(any), 3);
  const std::variant<int, Nested> variant = Nested(4);
  EXPECT_EQ(std::get<Nested>(variant), 4);
}

TEST(StandardLibrary, Containers) {
  const std::set<Scalar> set{1, 2.5, true};
  EXPECT_EQ(set.size(), 2u);
  EXPECT_TRUE(set.contains(2.5));
  std::map<Scalar, Nested> map;
  map[1] = std::vector<Nested>{2};
  EXPECT_EQ(map.at(Scalar(true))[0], 2);
  std::vector<Nested> vector{1, 2.5};
  vector.emplace_back(true);
  vector.push_back(4);
  EXPECT_EQ(*std::max_element(vector.begin(), vector.end()), 4);
}

// Alternatives that convert from nearly everything.
TEST(StandardLibrary, GreedyAlternatives) {
  using WithAny = DynamicType<NoContainers, std::any, int>;
  EXPECT_TRUE(WithAny(3).is<int>());
  EXPECT_TRUE(WithAny(std::any(2.5)).is<std::any>());
  const WithAny copy = WithAny(3);
  EXPECT_TRUE(WithAny(copy).is<int>());
  using WithFunction = DynamicType<NoContainers, std::function<int(int)>, int>;
  const WithFunction f = [](int i) { return i + 1; };
  EXPECT_EQ(f.as<std::function<int(int)>>()(2), 3);
}

}  // namespace
}  // namespace dynamic_type_tests
