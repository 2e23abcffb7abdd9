#include "value/overlap.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

namespace nvfuser {

namespace {

int64_t itemSize(DataType dtype) { return info(dtype).bits / 8; }

// A tensor as blocks of bytes that repeat: what its inner dimensions span, with the greatest common
// divisor of the strides of the others as the period.
struct Blocks {
  int64_t low = 0;
  int64_t high = 0;
  int64_t period = 0;  // 0 where there is only one
};

// For any number of inner dimensions, from none to all.
std::vector<Blocks> blocksOf(const Tensor& tensor) {
  const int64_t size = itemSize(tensor.dtype);
  std::vector<int32_t> dims;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.sizes[d] > 1) {
      dims.push_back(d);
    }
  }
  std::ranges::sort(dims, std::less{}, [&](int32_t d) { return std::abs(tensor.strides[d]); });
  std::vector<Blocks> blocks(dims.size() + 1, {0, size, 0});
  for (size_t inner = 0; inner < dims.size(); ++inner) {
    const int64_t stride = tensor.strides[dims[inner]] * size;
    const int64_t reach = (tensor.sizes[dims[inner]] - 1) * stride;
    for (size_t k = 0; k <= inner; ++k) {
      blocks[k].period = std::gcd(blocks[k].period, stride);
    }
    for (size_t k = inner + 1; k < blocks.size(); ++k) {
      (reach < 0 ? blocks[k].low : blocks[k].high) += reach;
    }
  }
  return blocks;
}

}  // namespace

ByteRange byteRangeOf(const Tensor& tensor) {
  int64_t low = 0;
  int64_t high = 0;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.sizes[d] == 0) {
      return {};
    }
    const int64_t reach = (tensor.sizes[d] - 1) * tensor.strides[d];
    (reach < 0 ? low : high) += reach;
  }
  const auto first = reinterpret_cast<uintptr_t>(tensor.data);
  const int64_t size = itemSize(tensor.dtype);
  return {first + static_cast<uintptr_t>(low * size),
          first + static_cast<uintptr_t>((high + 1) * size)};
}

ByteRanges::ByteRanges(const std::vector<ByteRange>& ranges) {
  for (size_t i = 0; i < ranges.size(); ++i) {
    entries_.push_back({ranges[i], i, 0});
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return entry.range.begin; });
  uintptr_t reach = 0;
  for (Entry& entry : entries_) {
    reach = std::max(reach, entry.range.end);
    entry.reach = reach;
  }
}

std::vector<size_t> ByteRanges::intersecting(ByteRange range) const {
  std::vector<size_t> numbers;
  auto entry = std::ranges::lower_bound(entries_, range.end, {},
                                        [](const Entry& each) { return each.range.begin; });
  while (entry != entries_.begin() && std::prev(entry)->reach > range.begin) {
    --entry;
    if (intersect(entry->range, range)) {
      numbers.push_back(entry->number);
    }
  }
  std::ranges::sort(numbers);
  return numbers;
}

bool isSameView(const Tensor& a, const Tensor& b) {
  if (a.data != b.data || itemSize(a.dtype) != itemSize(b.dtype) ||
      !std::ranges::equal(a.shape(), b.shape())) {
    return false;
  }
  for (int32_t d = 0; d < a.ndim; ++d) {
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) {
      return false;
    }
  }
  return true;
}

bool mayOverlap(const Tensor& a, const Tensor& b) {
  if (!intersect(byteRangeOf(a), byteRangeOf(b))) {
    return false;
  }
  const int64_t distance = static_cast<int64_t>(reinterpret_cast<uintptr_t>(b.data)) -
                           static_cast<int64_t>(reinterpret_cast<uintptr_t>(a.data));
  const std::vector<Blocks> blocksB = blocksOf(b);
  for (const Blocks& blockA : blocksOf(a)) {
    for (const Blocks& blockB : blocksB) {
      const int64_t period = std::gcd(blockA.period, blockB.period);
      if (period == 0) {
        continue;
      }
      // Modulo the period there is one block of each.
      const int64_t shift = (distance + blockB.low - blockA.low) % period;
      const int64_t offset = shift < 0 ? shift + period : shift;
      if (blockA.high - blockA.low <= offset && offset + blockB.high - blockB.low <= period) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace nvfuser
