// Containers of the value itself: deep recursion, sets, alias templates.
#include <unordered_set>

#include "common.h"

namespace dynamic_type_tests {
namespace {

struct SetHash;
template <typename T>
using Set = std::unordered_set<T, SetHash>;
using SetOfSets = DynamicType<Containers<Set>>;

struct SetHash {
  std::size_t operator()(const SetOfSets& value) const;
};

std::size_t SetHash::operator()(const SetOfSets& value) const {
  if (value.isNull()) {
    return 0;
  }
  std::size_t result = 1;
  for (const auto& element : value.as<Set>()) {
    result += 31 * (*this)(element) + 7;
  }
  return result;
}

TEST(Containers, SetTheory) {
  const SetOfSets empty = Set<SetOfSets>{};
  const SetOfSets one = Set<SetOfSets>{empty};
  const SetOfSets two = Set<SetOfSets>{empty, one};
  EXPECT_TRUE(empty == SetOfSets(Set<SetOfSets>{}));
  EXPECT_FALSE(empty == one);
  EXPECT_TRUE(two == SetOfSets(Set<SetOfSets>{one, empty, one}));
  EXPECT_EQ(two.as<Set>().count(one), 1u);
  EXPECT_EQ(one.as<Set>().count(two), 0u);
  // The von Neumann numbers, ten levels deep.
  SetOfSets number = empty;
  for (std::size_t n = 0; n < 10; ++n) {
    EXPECT_EQ(number.as<Set>().size(), n);
    SetOfSets next = number;
    next.as<Set>().insert(number);
    EXPECT_FALSE(next == number);
    EXPECT_TRUE(next.as<Set>().contains(number));
    number = next;
    EXPECT_TRUE(number == next);
  }
  // A braced list.
  const SetOfSets braced{empty, one};
  EXPECT_TRUE(braced == two);
}

TEST(Containers, DeepRecursion) {
  Nested x = 1;
  for (int i = 0; i < 100; ++i) {
    x = std::vector<Nested>{x, i};
  }
  const Nested copy = x;
  EXPECT_EQ(copy, x);
  Nested* inner = &x;
  for (int i = 99; i >= 0; --i) {
    EXPECT_EQ((*inner)[1], i);
    inner = &(*inner)[0];
  }
  EXPECT_EQ(*inner, 1);
  *inner = 2;
  EXPECT_NE(copy, x);
}

TEST(Containers, ValueHoldingItselfThroughAStruct) {
  struct Record;
  using Value = DynamicType<Containers<std::vector>, std::shared_ptr<Record>, int>;
  struct Record {
    Value field;
  };
  auto record = std::make_shared<Record>(Record{std::vector<Value>{1, 2}});
  const Value x = std::vector<Value>{record, 3};
  EXPECT_EQ(x[0].as<std::shared_ptr<Record>>()->field[1], 2);
}

}  // namespace
}  // namespace dynamic_type_tests
