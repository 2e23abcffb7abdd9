// Arguments for the tests of the runtime: tensors without contents.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/common.h"

namespace nvfuser::testing_support {

// Keeps what a Tensor borrows. Copies of it must not be used for what was borrowed from it.
struct TensorArgument {
  TensorArgument(Sizes shape, Sizes strideList, DataType type = DataType::Float)
      : sizes(std::move(shape)), strides(std::move(strideList)), dtype(type) {}
  explicit TensorArgument(Sizes shape, DataType type = DataType::Float)
      : TensorArgument(shape, contiguousStrides(shape), type) {}

  static Sizes contiguousStrides(const Sizes& shape) {
    Sizes strides(shape.size());
    int64_t next = 1;
    for (size_t i = shape.size(); i-- > 0;) {
      strides[i] = next;
      next *= shape[i];
    }
    return strides;
  }

  Tensor tensor() const {
    Tensor tensor;
    tensor.data = const_cast<std::byte*>(memory);
    tensor.sizes = sizes.data();
    tensor.strides = strides.data();
    tensor.ndim = static_cast<int32_t>(sizes.size());
    tensor.dtype = dtype;
    return tensor;
  }

  Sizes sizes;
  Sizes strides;
  DataType dtype;
  // Never read: an address of the alignment that torch gives.
  alignas(64) std::byte memory[64] = {};
};

}  // namespace nvfuser::testing_support
