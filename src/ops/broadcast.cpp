// Broadcasting operations: broadcast, broadcast_in_dim, expand, squeeze, unsqueeze.

#include <algorithm>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

TensorView* broadcast(TensorView* x, const std::vector<bool>& isBroadcastDim) {
  Fusion* fusion = fusionOf("broadcast", {x});
  const auto nKept = std::ranges::count(isBroadcastDim, false);
  NVF_CHECK(nKept == x->ndim(),
            "Invalid broadcast, number of false entries in is_broadcast_dim expected to be ",
            x->ndim(), " but received ", nKept, " for ", x->toString());
  if (static_cast<size_t>(nKept) == isBroadcastDim.size()) {
    return x;
  }
  const std::vector<IterDomain*> in = x->visible();
  std::vector<IterDomain*> logical;
  std::vector<int64_t> flags;
  size_t next = 0;
  for (const bool isBroadcast : isBroadcastDim) {
    logical.push_back(isBroadcast ? newBroadcast(fusion) : in[next++]->cloneWithoutRFactor());
    flags.push_back(isBroadcast);
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<BroadcastOp>(out, x, std::move(flags));
  return out;
}

TensorView* unsqueeze(TensorView* x, int64_t dim) {
  fusionOf("unsqueeze", {x});
  const int64_t rank = x->ndim() + 1;
  std::vector<bool> flags(rank, false);
  flags[wrapDim(dim, rank, "unsqueeze", x)] = true;
  return broadcast(x, flags);
}

TensorView* broadcastInDim(TensorView* x, std::span<Val* const> shape,
                           std::span<const int64_t> broadcastDims) {
  fusionOf("broadcast_in_dim", {x});
  fusionOf("broadcast_in_dim", shape);
  const auto rank = static_cast<int64_t>(shape.size());
  NVF_CHECK(rank >= x->ndim(),
            "The new shape is expected to be greater-then-or-equal to the input: ", rank,
            " dimensions for ", x->toString());
  NVF_CHECK(static_cast<int64_t>(broadcastDims.size()) == x->ndim(),
            "The broadcast dimensions should match the input dimensions. Got ",
            broadcastDims.size(), " for ", x->toString());
  std::vector<bool> isBroadcast(rank, true);
  // (output position, input dimension)
  std::vector<std::pair<int64_t, int64_t>> placed;
  for (const int64_t dim : broadcastDims) {
    const int64_t position = dim < 0 ? dim + rank : dim;
    NVF_CHECK(position >= 0 && position < rank, "Invalid broadcast_dims value. ", dim,
              ": Tried to access out of boundary index of a shape of ", rank, " dimensions, for ",
              x->toString());
    NVF_CHECK(isBroadcast[position], "Invalid broadcast_dims value. ", dim, " appears twice, for ",
              x->toString());
    isBroadcast[position] = false;
    placed.emplace_back(position, static_cast<int64_t>(placed.size()));
  }
  if (!std::ranges::is_sorted(placed)) {
    std::ranges::sort(placed);
    std::vector<int64_t> order;
    for (const auto& [position, dim] : placed) {
      order.push_back(dim);
    }
    x = permute(x, order);
  }
  return expand(broadcast(x, isBroadcast), shape);
}

namespace {

// The dimension of an expand's result; null where the input's dimension stays as it is.
IterDomain* expandedDomain(const TensorView* x, const IterDomain* in, Val* extent,
                           size_t position) {
  Fusion* fusion = x->fusion();
  Val* current = in->visibleExtent();
  if (extent->isConstInt(-1) || scalar::same(extent, current)) {
    return nullptr;
  }
  NVF_CHECK(!extent->isConstInt() || extent->constInt() >= 0, "Invalid extent ", extent->toString(),
            " at index ", position, " of the shape to expand ", x->toString(), " to");
  if (in->isBroadcast() && !in->hasExpandedExtent()) {
    return newBroadcast(fusion, extent);
  }
  // A computed size that must be 1.
  const bool isOne = in->iterType() == IterType::Symbolic && current->isConstInt(1);
  NVF_CHECK(isOne || !current->isConstInt() || !extent->isConstInt(),
            "Expected sizes to match: dimension ", position, " of ", x->toString(), " is ",
            current->toString(), " and cannot be expanded to ", extent->toString());
  if (in->isBroadcast()) {
    // Expanded already: to the same extent, or to the 1 that shows at run time.
    return extent->isConstInt(1) ? newBroadcast(fusion) : newBroadcast(fusion, extent);
  }
  // Whether this dimension is 1 and is expanded, or has the extent already, shows at run time; one
  // that is known not to be 1 must have it.
  IterDomain::Options options;
  options.iterType = current->isConstInt() && !isOne ? IterType::Iteration : IterType::Symbolic;
  return fusion->create<IterDomain>(extent, options);
}

}  // namespace

TensorView* expand(TensorView* x, std::span<Val* const> shape) {
  Fusion* fusion = fusionOf("expand", {x});
  fusionOf("expand", shape);
  const auto rank = static_cast<int64_t>(shape.size());
  NVF_CHECK(rank >= x->ndim(), "expand: the shape must have at least the ", x->ndim(),
            " dimensions of ", x->toString(), " but has ", rank);
  if (rank > x->ndim()) {
    std::vector<bool> isLeading(rank, false);
    std::fill_n(isLeading.begin(), rank - x->ndim(), true);
    x = broadcast(x, isLeading);
  }
  const std::vector<IterDomain*> in = x->visible();
  std::vector<IterDomain*> logical;
  std::vector<Val*> extents;
  bool isChanged = false;
  for (size_t i = 0; i < in.size(); ++i) {
    Val* extent = checkExtent("expand", shape[i]);
    IterDomain* id = expandedDomain(x, in[i], extent, i);
    isChanged = isChanged || id != nullptr;
    logical.push_back(id != nullptr ? id : in[i]->cloneWithoutRFactor());
    extents.push_back(logical.back()->visibleExtent());
  }
  if (!isChanged) {
    return x;
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<ExpandOp>(out, x, std::move(extents));
  return out;
}

TensorView* squeeze(TensorView* x, std::span<const int64_t> dims, bool squeezeExpanded) {
  Fusion* fusion = fusionOf("squeeze", {x});
  const int64_t rank = x->ndim();
  NVF_CHECK(static_cast<int64_t>(dims.size()) <= rank,
            "The dims to squeeze must be <= the number of dims of the input tensor: got ",
            dims.size(), " for ", x->toString());
  if (dims.empty()) {
    return set(x);
  }
  std::vector<int64_t> flags(rank, 0);
  for (const int64_t dim : dims) {
    const int64_t position = dim < 0 ? dim + rank : dim;
    NVF_CHECK(position >= 0 && position < rank, "Squeeze dim is outside of Tensor size! Got ", dim,
              " for ", x->toString());
    flags[position] = 1;
  }
  const std::vector<IterDomain*> in = x->visible();
  std::vector<IterDomain*> logical;
  for (int64_t i = 0; i < rank; ++i) {
    if (flags[i] == 0) {
      logical.push_back(in[i]->cloneWithoutRFactor());
      continue;
    }
    NVF_CHECK(!in[i]->hasExpandedExtent() || squeezeExpanded,
              "Refusing to squeeze expanded IterDomain ", in[i]->toString(), " of ", x->toString(),
              " without squeeze_expanded=True");
    const Val* extent = in[i]->extent();
    NVF_CHECK(in[i]->isBroadcast() || !extent->isConstInt() || extent->isConstInt(1),
              "Can not squeeze non-broadcasting dimension(s). Dimension ", i, " of ", x->toString(),
              " has the size ", extent->toString());
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype());
  fusion->create<SqueezeOp>(out, x, std::move(flags));
  return out;
}

}  // namespace nvfuser::ops
