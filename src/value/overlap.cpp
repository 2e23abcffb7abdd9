#include "value/overlap.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace nvfuser {

namespace {

int64_t itemSize(DataType dtype) { return info(dtype).bits / 8; }

// A tensor as blocks of bytes that repeat: all of it once, its inner dimensions with the period of
// the outermost stride, or a single element with that of all strides together.
struct Blocks {
  int64_t low;
  int64_t high;
  int64_t period;  // 0 where there is only one
};

std::array<Blocks, 3> blocksOf(const Tensor& tensor) {
  const int64_t size = itemSize(tensor.dtype);
  int64_t divisor = 0;
  int32_t outer = -1;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    if (tensor.sizes[d] > 1) {
      divisor = std::gcd(divisor, tensor.strides[d] * size);
      if (outer < 0 || std::abs(tensor.strides[d]) > std::abs(tensor.strides[outer])) {
        outer = d;
      }
    }
  }
  Blocks whole{0, size, 0};
  Blocks inner{0, size, outer < 0 ? 0 : std::abs(tensor.strides[outer] * size)};
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    const int64_t reach = (tensor.sizes[d] - 1) * tensor.strides[d] * size;
    (reach < 0 ? whole.low : whole.high) += reach;
    if (d != outer) {
      (reach < 0 ? inner.low : inner.high) += reach;
    }
  }
  return {whole, inner, Blocks{0, size, divisor}};
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
  for (const Blocks& blockA : blocksOf(a)) {
    for (const Blocks& blockB : blocksOf(b)) {
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
