// Overlap of tensors, against looking at every byte.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <vector>

#include "value/overlap.h"

namespace nvfuser {
namespace {

std::array<std::byte, 4096> memory;

struct View {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
  int64_t offset;
  DataType dtype = DataType::Float;

  Tensor tensor() const {
    Tensor tensor;
    tensor.dtype = dtype;
    tensor.data = memory.data() + 2048 + offset * (info(dtype).bits / 8);
    tensor.sizes = sizes.data();
    tensor.strides = strides.data();
    tensor.ndim = static_cast<int32_t>(sizes.size());
    return tensor;
  }

  std::set<int64_t> bytes() const {
    std::set<int64_t> starts{offset};
    for (size_t d = 0; d < sizes.size(); ++d) {
      std::set<int64_t> next;
      for (int64_t i = 0; i < sizes[d]; ++i) {
        for (const int64_t start : starts) {
          next.insert(start + i * strides[d]);
        }
      }
      starts = next;
    }
    std::set<int64_t> bytes;
    const int64_t size = info(dtype).bits / 8;
    for (const int64_t start : starts) {
      for (int64_t byte = 0; byte < size; ++byte) {
        bytes.insert(start * size + byte);
      }
    }
    return bytes;
  }
};

bool trulyOverlap(const View& a, const View& b) {
  const std::set<int64_t> bytes = b.bytes();
  for (const int64_t byte : a.bytes()) {
    if (bytes.contains(byte)) {
      return true;
    }
  }
  return false;
}

TEST(Overlap, IsExactForCommonViews) {
  const std::vector<View> views{
      {{}, {}, 0},
      {{}, {}, 5},
      {{12}, {1}, 0},
      {{12}, {1}, 12},
      {{12}, {1}, 11},
      {{0}, {1}, 3},
      {{6}, {8}, 0},  // columns
      {{6}, {8}, 7},
      {{6}, {-8}, 41},
      {{6, 3}, {8, 1}, 0},  // blocks of columns
      {{6, 3}, {8, 1}, 3},
      {{6, 2}, {8, 1}, 6},
      {{3, 6}, {1, 8}, 5},
      {{2, 8}, {8, 1}, 0},  // rows
      {{2, 8}, {8, 1}, 16},
      {{3, 8}, {16, 1}, 8},  // every other row
      {{3, 8}, {16, 1}, 0},
      {{2, 3, 4}, {32, 8, 2}, 0},
      {{2, 3, 4}, {32, 8, 2}, 1},
      {{2, 2, 3}, {40, 8, 1}, 0},  // blocks of three dimensions
      {{2, 2, 3}, {40, 8, 1}, 3},
      {{2, 3, 2}, {40, 8, 1}, 17},
      {{4, 6}, {0, 1}, 20},  // expanded
      {{1, 6}, {99, 1}, 26},
      {{6}, {1}, 0, DataType::Double},
      {{12}, {1}, 12, DataType::Half},
  };
  for (const View& a : views) {
    for (const View& b : views) {
      EXPECT_EQ(mayOverlap(a.tensor(), b.tensor()), trulyOverlap(a, b))
          << "offsets " << a.offset << " and " << b.offset << ", ranks " << a.sizes.size()
          << " and " << b.sizes.size();
    }
  }
}

TEST(Overlap, RangesThatIntersectAreFoundAmongMany) {
  std::mt19937 random(0);
  const auto draw = [&](uintptr_t most) {
    return std::uniform_int_distribution<uintptr_t>(0, most)(random);
  };
  for (const uintptr_t longest : {3, 40, 1000}) {
    std::vector<ByteRange> ranges(200);
    for (ByteRange& range : ranges) {
      range.begin = 1 + draw(1000);
      range.end = range.begin + draw(longest);
    }
    ranges[7] = {};
    const ByteRanges all(ranges);
    for (const ByteRange& range : ranges) {
      std::vector<size_t> expected;
      for (size_t i = 0; i < ranges.size(); ++i) {
        if (intersect(ranges[i], range)) {
          expected.push_back(i);
        }
      }
      EXPECT_EQ(all.intersecting(range), expected);
    }
  }
}

TEST(Overlap, IsNeverOverlooked) {
  std::mt19937 random(0);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const auto drawView = [&] {
    View view{{}, {}, draw(-40, 40)};
    const std::array<DataType, 3> dtypes{DataType::Float, DataType::Double, DataType::Half};
    view.dtype = dtypes[static_cast<size_t>(draw(0, 2))];
    for (int64_t rank = draw(0, 3); rank > 0; --rank) {
      view.sizes.push_back(draw(0, 4));
      view.strides.push_back(draw(-12, 12));
    }
    return view;
  };
  int disjoint = 0;
  int recognized = 0;
  for (int round = 0; round < 20000; ++round) {
    const View a = drawView();
    const View b = drawView();
    const bool expected = trulyOverlap(a, b);
    const bool actual = mayOverlap(a.tensor(), b.tensor());
    ASSERT_TRUE(actual || !expected);
    ASSERT_EQ(actual, mayOverlap(b.tensor(), a.tensor()));
    disjoint += expected ? 0 : 1;
    recognized += actual ? 0 : 1;
  }
  // Random strides are as intricate as it gets.
  EXPECT_GT(recognized, disjoint * 3 / 4);
}

TEST(Overlap, SameViewIgnoresStridesThatDoNotMatter) {
  const View view{{3, 1, 4}, {4, 4, 1}, 2};
  EXPECT_TRUE(isSameView(view.tensor(), View{{3, 1, 4}, {4, 99, 1}, 2}.tensor()));
  EXPECT_TRUE(isSameView(view.tensor(), View{{3, 1, 4}, {4, 4, 1}, 2, DataType::Int32}.tensor()));
  EXPECT_FALSE(isSameView(view.tensor(), View{{3, 1, 4}, {4, 4, 1}, 3}.tensor()));
  EXPECT_FALSE(isSameView(view.tensor(), View{{3, 1, 4}, {5, 4, 1}, 2}.tensor()));
  EXPECT_FALSE(isSameView(view.tensor(), View{{3, 4}, {4, 1}, 2}.tensor()));
  EXPECT_FALSE(isSameView(view.tensor(), View{{3, 1, 4}, {4, 4, 1}, 1, DataType::Double}.tensor()));
}

}  // namespace
}  // namespace nvfuser
