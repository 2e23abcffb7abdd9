#include "value/tensor.h"

#include <algorithm>

namespace nvfuser {

bool operator==(const Tensor& a, const Tensor& b) {
  return a.data == b.data && a.dtype == b.dtype && a.device == b.device &&
         std::ranges::equal(a.shape(), b.shape()) && std::ranges::equal(a.stride(), b.stride());
}

bool isRowMajor(std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] != 1 && strides[i] != stride) {
      return false;
    }
    stride *= sizes[i];
  }
  return true;
}

}  // namespace nvfuser
