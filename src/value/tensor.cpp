#include "value/tensor.h"

#include <algorithm>

#include "core/error.h"

namespace nvfuser {

std::string toString(Device device) {
  switch (device.type) {
    case DeviceType::CPU:
      return "cpu";
    case DeviceType::CUDA:
      return concatenate("cuda:", device.index);
    case DeviceType::Meta:
      return "meta";
  }
  return "unknown";
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.data == b.data && a.dtype == b.dtype && a.device == b.device &&
         std::ranges::equal(a.shape(), b.shape()) && std::ranges::equal(a.stride(), b.stride());
}

}  // namespace nvfuser
