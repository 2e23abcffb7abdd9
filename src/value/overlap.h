// Whether tensors share memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "value/tensor.h"

namespace nvfuser {

// The bytes from the first to behind the last element of a tensor; empty for a tensor without
// elements.
struct ByteRange {
  uintptr_t begin = 0;
  uintptr_t end = 0;
  friend bool intersect(ByteRange a, ByteRange b) { return a.begin < b.end && b.begin < a.end; }
};
ByteRange byteRangeOf(const Tensor& tensor);

// Ranges among which those that intersect another one are found without looking at all others.
class ByteRanges {
 public:
  explicit ByteRanges(const std::vector<ByteRange>& ranges);
  // Their numbers, in order.
  std::vector<size_t> intersecting(ByteRange range) const;

 private:
  struct Entry {
    ByteRange range;
    size_t number;
    // The last end of this one and of those that begin before it.
    uintptr_t reach;
  };
  // By where they begin.
  std::vector<Entry> entries_;
};

// Whether both are the same elements in the same order, of the same size in bytes.
bool isSameView(const Tensor& a, const Tensor& b);

// Whether some byte belongs to both tensors, which are on the same device. Interleaved tensors,
// like columns or blocks of one tensor of any rank, are told apart; in intricate cases the answer
// may be true without any such byte, but never false with one.
bool mayOverlap(const Tensor& a, const Tensor& b);

}  // namespace nvfuser
