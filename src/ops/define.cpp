#include "ops/define.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/tensor_builder.h"

namespace nvfuser::ops {

namespace {

// The dimensions by decreasing stride. Those of stride 0 have no place of their own: they stay
// where they are in the shape.
std::vector<int64_t> memoryOrder(std::span<const int64_t> strides) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] != 0) {
      order.push_back(static_cast<int64_t>(i));
    }
  }
  std::ranges::stable_sort(order, std::greater<>(), [&](int64_t dim) { return strides[dim]; });
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] == 0) {
      order.insert(order.begin() + static_cast<int64_t>(i), static_cast<int64_t>(i));
    }
  }
  return order;
}

}  // namespace

TensorDescriptor computeTensorDescriptor(std::span<const int64_t> sizes,
                                         std::span<const int64_t> strides) {
  NVF_CHECK(sizes.size() == strides.size(),
            "compute_tensor_descriptor: sizes and strides must have the same length, but have ",
            sizes.size(), " and ", strides.size());
  for (size_t i = 0; i < sizes.size(); ++i) {
    NVF_CHECK(sizes[i] >= 0, "compute_tensor_descriptor: size ", sizes[i], " at index ", i,
              " is negative");
    NVF_CHECK(strides[i] >= 0, "compute_tensor_descriptor: stride ", strides[i], " at index ", i,
              " is negative");
  }
  const std::vector<int64_t> order = memoryOrder(strides);
  const size_t rank = sizes.size();
  TensorDescriptor descriptor{Contiguity(rank), std::vector<int64_t>(rank)};
  // From the innermost dimension outwards: the stride that makes the next one contiguous.
  int64_t expected = 1;
  for (size_t i = rank; i-- > 0;) {
    const int64_t dim = order[i];
    descriptor.strideOrder[dim] = static_cast<int64_t>(rank - 1 - i);
    if (strides[dim] == 0 || sizes[dim] == 1) {
      descriptor.contiguity[i] = std::nullopt;
      continue;
    }
    descriptor.contiguity[i] = strides[dim] == expected;
    expected = strides[dim] * sizes[dim];
  }
  return descriptor;
}

std::vector<int64_t> dimsInMemoryOrder(std::span<const int64_t> strideOrder, size_t rank) {
  NVF_CHECK(strideOrder.empty() || strideOrder.size() == rank, "Length of stride_order argument (",
            strideOrder.size(), ") must match that of shape argument (", rank, ")");
  std::vector<int64_t> order(rank, -1);
  for (size_t dim = 0; dim < strideOrder.size(); ++dim) {
    const auto count = static_cast<int64_t>(rank);
    const int64_t position = strideOrder[dim] < 0 ? strideOrder[dim] + count : strideOrder[dim];
    NVF_CHECK(position >= 0 && position < count,
              "stride_order argument is out of range: ", strideOrder[dim], " at index ", dim);
    int64_t& place = order[count - 1 - position];
    NVF_CHECK(place == -1, "duplicated stride_order entries: ", strideOrder[dim], " at index ",
              dim);
    place = static_cast<int64_t>(dim);
  }
  if (strideOrder.empty()) {
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

namespace {

IterDomain* inputDimension(Fusion* fusion, int64_t extent, bool isExpanded) {
  if (extent == 1) {
    return newBroadcast(fusion);
  }
  Val* value =
      extent == -1 ? fusion->create<Val>(DataType::Index) : scalar::constant(fusion, extent);
  if (isExpanded) {
    return newBroadcast(fusion, value);
  }
  return fusion->create<IterDomain>(value, IterDomain::Options{});
}

void checkShape(std::span<const int64_t> shape, DataType dtype, bool isCpu) {
  for (size_t i = 0; i < shape.size(); ++i) {
    NVF_CHECK(shape[i] >= -1, "The value ", shape[i], " at index ", i,
              " was neither symbolic(-1), zero_element(0), broadcast(1), or static(>1)");
  }
  NVF_CHECK(!isCpu || shape.empty(), "CPU non-scalar tensor is not supported! Got ", shape.size(),
            " dimensions");
  NVF_CHECK(dtype != DataType::Null && dtype != DataType::Float4_e2m1fn_x2,
            "define_tensor: a tensor cannot have the dtype ", dtype,
            "; packed fp4 is declared as Float4_e2m1fn of twice the extent");
}

}  // namespace

TensorView* defineTensor(std::span<const int64_t> shape, const Contiguity& contiguity,
                         DataType dtype, bool isCpu, std::span<const int64_t> strideOrder) {
  Fusion* fusion = activeFusion();
  const size_t rank = shape.size();
  NVF_CHECK(contiguity.size() == rank, "Length of contiguity argument (", contiguity.size(),
            ") must match that of shape argument (", rank, ")");
  checkShape(shape, dtype, isCpu);
  const std::vector<int64_t> order = dimsInMemoryOrder(strideOrder, rank);
  std::vector<bool> isExpanded(rank);
  for (size_t i = 0; i < rank; ++i) {
    isExpanded[order[i]] = !contiguity[i].has_value();
  }
  std::vector<IterDomain*> logical;
  for (size_t dim = 0; dim < rank; ++dim) {
    logical.push_back(inputDimension(fusion, shape[dim], isExpanded[dim]));
  }
  std::vector<IterDomain*> allocation;
  Contiguity adjusted = contiguity;
  for (size_t i = 0; i < rank; ++i) {
    allocation.push_back(logical[order[i]]);
    if (allocation[i]->isBroadcast()) {
      adjusted[i] = std::nullopt;
    }
  }
  if (std::ranges::is_sorted(order)) {
    allocation.clear();
  }
  auto* domain = fusion->create<TensorDomain>(std::vector<IterDomain*>{}, logical,
                                              std::move(allocation), logical, std::move(adjusted));
  auto* tv = fusion->create<TensorView>(domain, dtype, MemoryType::Global);
  tv->setCpuScalar(isCpu);
  return tv;
}

TensorView* defineTensor(std::span<const int64_t> shape, bool contiguity, DataType dtype,
                         bool isCpu, std::span<const int64_t> strideOrder) {
  const std::vector<int64_t> order = dimsInMemoryOrder(strideOrder, shape.size());
  Contiguity each;
  for (const int64_t dim : order) {
    each.push_back(shape[dim] == 1 ? std::nullopt : std::optional<bool>(contiguity));
  }
  return defineTensor(shape, each, dtype, isCpu, strideOrder);
}

TensorView* defineTensorLike(std::span<const int64_t> sizes, std::span<const int64_t> strides,
                             DataType dtype, bool staticSizes, bool isCpu) {
  const TensorDescriptor descriptor = computeTensorDescriptor(sizes, strides);
  std::vector<int64_t> shape(sizes.begin(), sizes.end());
  if (!staticSizes) {
    std::ranges::replace_if(shape, [](int64_t size) { return size != 1; }, -1);
  }
  return defineTensor(shape, descriptor.contiguity, dtype, isCpu, descriptor.strideOrder);
}

Val* defineScalar(DataType dtype) {
  NVF_CHECK(dtype != DataType::Null, "define_scalar: a scalar needs a dtype");
  return activeFusion()->create<Val>(dtype);
}

Val* defineScalar(const PolymorphicValue& value, std::optional<DataType> dtype) {
  Fusion* fusion = activeFusion();
  const DataType type = dtype.value_or(DataType::Null);
  NVF_CHECK(isInRange(value, type), "define_scalar: ", toString(value),
            " is out of the range of dtype ", type);
  return type == DataType::Null ? constantOf(fusion, value)
                                : fusion->create<Val>(type, castScalar(value, type));
}

}  // namespace nvfuser::ops
