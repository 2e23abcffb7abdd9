// Order of dimensions and of strides, copies, and the extents of a tensor.

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

TensorView* permute(TensorView* x, std::span<const int64_t> dims) {
  Fusion* fusion = fusionOf("permute", {x});
  const int64_t rank = x->ndim();
  NVF_CHECK(static_cast<int64_t>(dims.size()) == rank,
            "permute expects its dims argument to have the same length as input: got ", dims.size(),
            " for ", x->toString());
  std::vector<int64_t> order;
  std::vector<bool> isUsed(rank, false);
  for (const int64_t dim : dims) {
    const int64_t position = dim < 0 ? dim + rank : dim;
    NVF_CHECK(position >= 0 && position < rank,
              "permute: dims argument is out of range, expects entries from ", -rank, " to ",
              rank - 1, " but got ", dim, " for ", x->toString());
    NVF_CHECK(!isUsed[position], "permute: duplicated dimension entries: ", dim, " for ",
              x->toString());
    isUsed[position] = true;
    order.push_back(position);
  }
  if (std::ranges::is_sorted(order)) {
    return set(x);
  }
  std::vector<IterDomain*> root = cloneVisible(x);
  std::vector<IterDomain*> logical;
  for (const int64_t position : order) {
    logical.push_back(root[position]);
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype(), std::move(root));
  fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, out, x);
  return out;
}

TensorView* transpose(TensorView* x, int64_t dim0, int64_t dim1) {
  fusionOf("transpose", {x});
  const int64_t rank = x->ndim();
  if (rank == 0) {
    return set(x);
  }
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[wrapDim(dim0, rank, "transpose", x)], order[wrapDim(dim1, rank, "transpose", x)]);
  return permute(x, order);
}

TensorView* strideOrder(TensorView* x, std::span<const int64_t> strideOrder) {
  fusionOf("stride_order", {x});
  if (strideOrder.empty()) {
    return set(x);
  }
  const int64_t rank = x->ndim();
  NVF_CHECK(static_cast<int64_t>(strideOrder.size()) == rank,
            "stride_order must have an entry for each dimension: got ", strideOrder.size(), " for ",
            x->toString());
  TensorView* out = set(x);
  std::vector<IterDomain*> allocation(rank, nullptr);
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t position = strideOrder[i] < 0 ? strideOrder[i] + rank : strideOrder[i];
    NVF_CHECK(position >= 0 && position < rank,
              "stride_order argument is out of range: ", strideOrder[i], " for ", x->toString());
    IterDomain*& place = allocation[rank - 1 - position];
    NVF_CHECK(place == nullptr, "duplicated stride_order entries: ", strideOrder[i], " for ",
              x->toString());
    place = out->logical()[i];
  }
  auto contiguity = TensorDomain::fullContiguity(allocation, true);
  out->domain()->setAllocation(std::move(allocation), std::move(contiguity));
  return out;
}

Val* segmentSet(Val* x) {
  Fusion* fusion = fusionOf("segment_set", {x});
  if (!x->isTensor()) {
    return x;
  }
  TensorView* out = newLike(x->asTensor(), x->dtype());
  fusion->create<LoadStoreOp>(LoadStoreOpType::Set, CacheOp::Unspecified, out, x, true);
  return out;
}

Val* size(TensorView* x, int64_t dim) {
  fusionOf("size", {x});
  return x->visible()[wrapDim(dim, x->ndim(), "size", x)]->visibleExtent();
}

std::vector<Val*> shape(TensorView* x) {
  fusionOf("shape", {x});
  std::vector<Val*> extents;
  for (const IterDomain* id : x->visible()) {
    extents.push_back(id->visibleExtent());
  }
  return extents;
}

}  // namespace nvfuser::ops
