// Whether tensors share memory.
#pragma once

#include <cstdint>

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

// Whether both are the same elements in the same order, of the same size in bytes.
bool isSameView(const Tensor& a, const Tensor& b);

// Whether some byte belongs to both tensors, which are on the same device. Interleaved tensors,
// like columns or blocks of one tensor of any rank, are told apart; in intricate cases the answer
// may be true without any such byte, but never false with one.
bool mayOverlap(const Tensor& a, const Tensor& b);

}  // namespace nvfuser
