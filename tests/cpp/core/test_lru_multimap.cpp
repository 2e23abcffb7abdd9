#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/lru_multimap.h"

namespace nvfuser {
namespace {

const auto is = [](const std::string& wanted) {
  return [wanted](const std::string& value) { return value == wanted; };
};

TEST(LruMultimap, DropsOneAtATime) {
  LruMultimap<std::string> map(2);
  map.add(1, "a");
  map.add(1, "b");
  map.add(2, "c");
  EXPECT_EQ(map.size(), 2);
  EXPECT_EQ(map.peek(1, is("a")), nullptr);
  ASSERT_NE(map.peek(1, is("b")), nullptr);
  ASSERT_NE(map.peek(2, is("c")), nullptr);
}

TEST(LruMultimap, UsesCountAndPeeksDoNot) {
  LruMultimap<std::string> map(2);
  map.add(1, "a");
  map.add(2, "b");
  ASSERT_NE(map.use(1, is("a")), nullptr);
  ASSERT_NE(map.peek(2, is("b")), nullptr);
  map.add(3, "c");
  EXPECT_EQ(map.peek(2, is("b")), nullptr);
  EXPECT_NE(map.peek(1, is("a")), nullptr);
  EXPECT_EQ(*map.search([](const std::string&) { return true; }), "c");
  map.clear();
  EXPECT_EQ(map.size(), 0);
  EXPECT_EQ(map.use(1, is("a")), nullptr);
}

// Beside a plain list that is sorted by use, with hashes that collide.
TEST(LruMultimap, KeepsWhatAListKeeps) {
  constexpr size_t kCapacity = 7;
  LruMultimap<int> map(kCapacity);
  std::vector<int> expected;
  std::mt19937 random(0);
  for (int step = 0; step < 20000; ++step) {
    const int value = static_cast<int>(random() % 20);
    const auto hash = static_cast<size_t>(value % 4);
    const int* found = map.use(hash, [&](int each) { return each == value; });
    const auto known = std::ranges::find(expected, value);
    ASSERT_EQ(found != nullptr, known != expected.end());
    if (found != nullptr) {
      ASSERT_EQ(*found, value);
      expected.erase(known);
    } else {
      map.add(hash, value);
    }
    expected.insert(expected.begin(), value);
    if (expected.size() > kCapacity) {
      expected.pop_back();
    }
    ASSERT_EQ(map.size(), expected.size());
  }
}

}  // namespace
}  // namespace nvfuser
