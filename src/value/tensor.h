// Tensor: a strided view of memory that torch, NumPy or this library owns.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "value/data_type.h"
#include "value/device.h"

namespace nvfuser {

// Sizes and strides are counted in elements of `dtype` and borrowed with the data: they stay valid
// as long as the object they were read from, or, where `owner` is set, as long as that.
struct Tensor {
  void* data = nullptr;
  const int64_t* sizes = nullptr;
  const int64_t* strides = nullptr;
  int32_t ndim = 0;
  DataType dtype = DataType::Null;
  Device device;
  std::shared_ptr<const void> owner;

  std::span<const int64_t> shape() const { return {sizes, static_cast<size_t>(ndim)}; }
  std::span<const int64_t> stride() const { return {strides, static_cast<size_t>(ndim)}; }
  int64_t numel() const {
    int64_t count = 1;
    for (int32_t i = 0; i < ndim; ++i) {
      count *= sizes[i];
    }
    return count;
  }
  // Two views are the same value when they look at the same bytes in the same way.
  friend bool operator==(const Tensor& a, const Tensor& b);
};

// Whether elements lie one after the other, the last dimension innermost; what a size of 1 says of
// its stride does not count.
bool isRowMajor(std::span<const int64_t> sizes, std::span<const int64_t> strides);

}  // namespace nvfuser
