// slice, pad and cat: dimensions that lose or gain elements at their ends.

#include <algorithm>

#include "core/error.h"
#include "ir/scalar.h"
#include "ops/elementwise.h"
#include "ops/promotion.h"
#include "ops/tensor_builder.h"
#include "ops/view.h"

namespace nvfuser::ops {

Val* wrapIndex(Val* index, Val* extent) {
  if (index->isConstInt() && index->constInt() >= 0) {
    return index;
  }
  if (index->isConstInt()) {
    return scalar::add(extent, index);
  }
  Val* isNegative = binary(BinaryOpType::Lt, index, extent->fusion()->zero());
  return where(isNegative, scalar::add(extent, index), index);
}

namespace {

struct Bounds {
  Val* start;
  Val* end;
};

void checkBounds(const TensorView* x, size_t dim, const Val* start, const Val* end,
                 const Val* stride) {
  NVF_CHECK(!start->isConstInt() || start->constInt() >= 0,
            "Slice operation start_indices must be greater than or equal to 0. Start of dimension ",
            dim, " is ", start->toString(), " for ", x->toString());
  NVF_CHECK(!start->isConstInt() || !end->isConstInt() || end->constInt() >= start->constInt(),
            "Slice operation end_indices must be greater than or equal to start_indices. "
            "Dimension ",
            dim, " of ", x->toString(), " is sliced from ", start->toString(), " to ",
            end->toString());
  NVF_CHECK(stride == nullptr || stride->isConstInt(1),
            "nvFuser Limitation: All slice operation strides must be of const size 1. Stride of "
            "dimension ",
            dim, " is ", stride->toString(), " for ", x->toString());
}

// Positions that are used as they are, as far as they are known: what is not is checked in each
// run.
void checkNormalized(const TensorView* x, size_t dim, const Bounds& bounds, const Val* extent) {
  const auto isBetween = [](const Val* low, const Val* high) {
    return !low->isConstInt() || !high->isConstInt() || low->constInt() <= high->constInt();
  };
  const Val* zero = extent->fusion()->zero();
  NVF_CHECK(isBetween(zero, bounds.end) && isBetween(bounds.start, extent) &&
                isBetween(bounds.end, extent),
            "slice with manual_normalization=True: Expected 0 <= start <= end <= size in each "
            "dimension, but dimension ",
            dim, " of ", x->toString(), " has size ", extent->toString(), " and is sliced from ",
            bounds.start->toString(), " to ", bounds.end->toString());
}

// Limits start to [0, extent] and end to [start, extent], counting negative positions from the end.
Bounds normalize(Val* start, Val* end, Val* extent) {
  Val* zero = extent->fusion()->zero();
  const bool isConstant = start->isConstInt();
  if (!start->isConstInt(0)) {
    start = scalar::min(wrapIndex(start, extent), extent);
    start = isConstant ? start : scalar::max(start, zero);
  }
  if (!scalar::same(end, extent)) {
    // Constants are in order, and stay so when both are limited to the extent.
    const bool isAfterStart = isConstant && end->isConstInt() && end->constInt() >= 0;
    end = scalar::min(wrapIndex(end, extent), extent);
    end = isAfterStart ? end : scalar::max(end, start);
  }
  return {start, end};
}

// A dimension of which [start, end) is left; `in` itself where that is all of it.
IterDomain* sliced(IterDomain* in, const Bounds& bounds) {
  Fusion* fusion = in->fusion();
  Val* extent = in->visibleExtent();
  if (bounds.start->isConstInt(0) && scalar::same(bounds.end, extent)) {
    return in;
  }
  Val* left = scalar::sub(fusion->zero(), bounds.start);
  Val* right = scalar::sub(bounds.end, extent);
  Val* remaining = scalar::sub(bounds.end, bounds.start);
  IterDomain::Options options;
  options.isRFactor = true;
  IterDomain* out = nullptr;
  if (in->hasExpandedExtent() && !remaining->isConstInt(1)) {
    // All elements are one: what is left of it is as expanded as before.
    options.iterType = IterType::Broadcast;
    options.expandedExtent = remaining;
    out = fusion->create<IterDomain>(fusion->one(), options);
  } else {
    out = newDimension(fusion, remaining, true);
  }
  fusion->create<Resize>(out, in, left, right);
  return out;
}

}  // namespace

TensorView* slice(TensorView* x, std::span<Val* const> starts, std::span<Val* const> ends,
                  std::span<Val* const> strides, bool manualNormalization) {
  Fusion* fusion = fusionOf("slice", {x});
  for (const auto& indices : {starts, ends, strides}) {
    fusionOf("slice", indices);
  }
  const size_t rank = x->visible().size();
  NVF_CHECK(strides.empty() || strides.size() == starts.size(),
            "Slice start_indices and strides don't match! Got ", starts.size(), " and ",
            strides.size(), " for ", x->toString());
  NVF_CHECK(starts.size() == rank,
            "Number of tensor dimensions does not match slice dimensions! Tensor-dims: ", rank,
            " Slice-dims: ", starts.size(), " for ", x->toString());
  NVF_CHECK(starts.size() == ends.size(),
            "Slice indexing attribute dimensions don't match! Start indices: ", starts.size(),
            " End indices: ", ends.size(), " for ", x->toString());
  std::vector<Bounds> bounds;
  bool isChanged = false;
  for (size_t i = 0; i < rank; ++i) {
    Val* start = checkExtent("slice", starts[i]);
    Val* end = checkExtent("slice", ends[i]);
    checkBounds(x, i, start, end, strides.empty() ? nullptr : strides[i]);
    Val* extent = x->visible()[i]->visibleExtent();
    if (manualNormalization) {
      checkNormalized(x, i, {start, end}, extent);
    }
    bounds.push_back(manualNormalization ? Bounds{start, end} : normalize(start, end, extent));
    isChanged =
        isChanged || !bounds[i].start->isConstInt(0) || !scalar::same(bounds[i].end, extent);
  }
  if (!isChanged) {
    return set(x);
  }
  std::vector<IterDomain*> root = cloneVisible(x);
  std::vector<IterDomain*> logical;
  std::vector<Val*> startsAndEnds;
  for (size_t i = 0; i < rank; ++i) {
    logical.push_back(sliced(root[i], bounds[i]));
    startsAndEnds.push_back(bounds[i].start);
  }
  for (const Bounds& bound : bounds) {
    startsAndEnds.push_back(bound.end);
  }
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype(), std::move(root));
  fusion->create<SliceOp>(out, x, std::move(startsAndEnds));
  return out;
}

namespace {

IterDomain* padded(const TensorView* x, IterDomain* in, Val* left, Val* right) {
  if (left->isConstInt(0) && right->isConstInt(0)) {
    return in;
  }
  Fusion* fusion = x->fusion();
  Val* extent = scalar::add(scalar::add(in->visibleExtent(), left), right);
  NVF_CHECK(!extent->isConstInt() || extent->constInt() >= 0, "Invalid resized domain extent ",
            extent->toString(), ": ", in->toString(), " of ", x->toString(), " padded by ",
            left->toString(), " and ", right->toString());
  IterDomain* out = newDimension(fusion, extent, true);
  fusion->create<Resize>(out, in, left, right);
  return out;
}

Val* padValue(const TensorView* x, Val* value) {
  if (value == nullptr) {
    return zeroOf(x->fusion(), x->dtype());
  }
  NVF_CHECK(value->isScalar(), "pad: the value must be a scalar, but got ", value->toString());
  NVF_CHECK(kindOf(value->dtype()) == kindOf(x->dtype()),
            "Tensor arg and pad value must have the same dtype. Got the value ", value->toString(),
            " of dtype ", value->dtype(), " for ", x->toString());
  return value;
}

}  // namespace

TensorView* pad(TensorView* x, std::span<Val* const> padWidths, Val* value) {
  Fusion* fusion = fusionOf("pad", {x, value});
  fusionOf("pad", padWidths);
  const size_t rank = x->visible().size();
  NVF_CHECK(padWidths.size() % 2 == 0, "Invalid number of padding widths: ", padWidths.size(),
            " for ", x->toString(), "; they come in pairs of left and right");
  NVF_CHECK(padWidths.size() <= 2 * rank,
            "Number of pad widths must be at most twice the input dimension: got ",
            padWidths.size(), " for ", x->toString());
  Val* fill = padValue(x, value);
  std::vector<Val*> operands(2 * rank, fusion->zero());
  bool isChanged = false;
  for (size_t i = 0; i < padWidths.size(); ++i) {
    // Innermost dimension first, left before right.
    Val* width = checkExtent("pad", padWidths[i]);
    operands[2 * (rank - 1 - i / 2) + i % 2] = width;
    isChanged = isChanged || !width->isConstInt(0);
  }
  if (!isChanged) {
    return set(x);
  }
  std::vector<IterDomain*> root = cloneVisible(x);
  std::vector<IterDomain*> logical;
  for (size_t i = 0; i < rank; ++i) {
    logical.push_back(padded(x, root[i], operands[2 * i], operands[2 * i + 1]));
  }
  operands.push_back(fill);
  TensorView* out = newTensor(fusion, std::move(logical), x->dtype(), std::move(root));
  fusion->create<PadOp>(out, x, std::move(operands));
  return out;
}

namespace {

// Dimension `dim`, if it can be that of all `tensors`.
size_t checkCat(std::span<TensorView* const> tensors, int64_t dim) {
  NVF_CHECK(!tensors.empty(),
            "No input tensor given: cat: Attempting to concatenate empty list of tensors");
  const TensorView* first = tensors.front();
  const int64_t rank = first->ndim();
  const int64_t wrapped = dim < 0 ? dim + rank : dim;
  NVF_CHECK(wrapped >= 0 && wrapped < rank, "Invalid dimension to cat: ", dim, " for ",
            first->toString(), ", which has ", rank, " dimensions");
  for (const TensorView* tv : tensors) {
    NVF_CHECK(tv->ndim() == rank, "cat: Unexpected number of dimensions: ", tv->toString(), " has ",
              tv->ndim(), ", but ", first->toString(), " has ", rank);
    NVF_CHECK(tv->dtype() == first->dtype(), "cat: Expected tensors of one dtype, but ",
              tv->toString(), " has dtype ", tv->dtype(), " and ", first->toString(), " ",
              first->dtype());
    for (size_t i = 0; i < static_cast<size_t>(rank); ++i) {
      const Val* a = first->visible()[i]->visibleExtent();
      const Val* b = tv->visible()[i]->visibleExtent();
      NVF_CHECK(static_cast<int64_t>(i) == wrapped || !a->isConstInt() || !b->isConstInt() ||
                    a->constInt() == b->constInt(),
                "cat: Expected sizes to match in dimension ", i,
                ", but a conflict was found with 2 different sizes: ", a->toString(), " of ",
                first->toString(), " and ", b->toString(), " of ", tv->toString());
    }
  }
  return static_cast<size_t>(wrapped);
}

}  // namespace

TensorView* cat(std::span<TensorView* const> tensors, int64_t dim, bool manualPadding) {
  Fusion* fusion = fusionOf("cat", std::vector<Val*>(tensors.begin(), tensors.end()));
  const size_t place = checkCat(tensors, dim);
  std::vector<TensorView*> parts(tensors.begin(), tensors.end());
  if (!manualPadding) {
    // What is known to be empty adds nothing.
    std::erase_if(parts, [&](const TensorView* tv) {
      return tv->visible()[place]->visibleExtent()->isConstInt(0);
    });
  }
  if (parts.size() < 2) {
    return set(parts.empty() ? tensors.front() : parts.front());
  }
  // A kernel divides its loops at the end of each part, and compilers take far more than twice the
  // time for twice the loops. Copying the result once more takes less.
  constexpr size_t kMostParts = 32;
  if (!manualPadding && parts.size() > kMostParts) {
    std::vector<TensorView*> pieces;
    for (size_t begin = 0; begin < parts.size(); begin += kMostParts) {
      const size_t count = std::min(kMostParts, parts.size() - begin);
      pieces.push_back(cat(std::span(parts).subspan(begin, count), dim, false));
    }
    return cat(pieces, dim, false);
  }
  if (!manualPadding) {
    const auto extentOf = [&](const TensorView* tv) {
      return tv->visible()[place]->visibleExtent();
    };
    Val* zero = fusion->zero();
    std::vector<Val*> behind(parts.size() + 1, zero);
    for (size_t i = parts.size(); i-- > 0;) {
      behind[i] = scalar::add(extentOf(parts[i]), behind[i + 1]);
    }
    Val* before = zero;
    for (size_t i = 0; i < parts.size(); ++i) {
      Val* extent = extentOf(parts[i]);
      std::vector<Val*> widths(2 * (parts[i]->visible().size() - place), zero);
      widths[widths.size() - 2] = before;
      widths[widths.size() - 1] = behind[i + 1];
      parts[i] = pad(parts[i], widths);
      before = scalar::add(before, extent);
    }
  }
  std::vector<Val*> ends;
  for (const TensorView* part : parts) {
    const auto* padding = part->definition() == nullptr ? nullptr : part->definition()->as<PadOp>();
    NVF_CHECK(padding != nullptr,
              "cat: with manual_padding, every tensor must be the result of pad, "
              "but got ",
              part->toString());
    ends.push_back(
        scalar::add(padding->left(place), padding->in()->visible()[place]->visibleExtent()));
  }
  ends.pop_back();
  TensorView* out =
      newTensor(fusion, elementwiseDomain(fusion, parts, "cat", false), parts.front()->dtype());
  fusion->create<CatOp>(out, std::vector<Val*>(parts.begin(), parts.end()),
                        static_cast<int64_t>(place), std::move(ends));
  return out;
}

}  // namespace nvfuser::ops
