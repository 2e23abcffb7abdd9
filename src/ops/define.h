// The inputs of a definition: tensors and scalars without a producer.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::ops {

using Contiguity = TensorDomain::Contiguity;

// How a tensor of the given sizes and strides lies in memory. The contiguity is listed in memory
// order, outermost first; strideOrder[i] is the rank of dimension i by stride, 0 the smallest.
struct TensorDescriptor {
  Contiguity contiguity;
  std::vector<int64_t> strideOrder;
};
TensorDescriptor computeTensorDescriptor(std::span<const int64_t> sizes,
                                         std::span<const int64_t> strides);

// Extents are -1 (symbolic), 0, 1 (broadcast) or larger (static). A dimension whose contiguity is
// none and whose extent is not 1 is an expanded broadcast one.
TensorView* defineTensor(std::span<const int64_t> shape, const Contiguity& contiguity,
                         DataType dtype = DataType::Float, bool isCpu = false,
                         std::span<const int64_t> strideOrder = {});
// The same contiguity for all dimensions but those of size 1.
TensorView* defineTensor(std::span<const int64_t> shape, bool contiguity,
                         DataType dtype = DataType::Float, bool isCpu = false,
                         std::span<const int64_t> strideOrder = {});
// From the sizes and strides of a tensor; sizes become symbolic unless staticSizes.
TensorView* defineTensorLike(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                             DataType dtype = DataType::Float, bool staticSizes = false,
                             bool isCpu = false);

// A symbolic scalar.
Val* defineScalar(DataType dtype = DataType::Double);
// A constant, converted to `dtype` where that is given.
Val* defineScalar(const PolymorphicValue& value, std::optional<DataType> dtype);

}  // namespace nvfuser::ops
