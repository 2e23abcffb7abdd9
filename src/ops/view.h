// Operations on the shape of a tensor: broadcasting, reshaping, permuting, slicing, padding, and
// how the result lies in memory. Shapes are lists of integer scalars; a constant -1 stands for "as
// it is" or "what is left", see each operation.
#pragma once

#include <span>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::ops {

// broadcast.cpp

// Inserts a size-1 dimension where a flag is true; the flags number the dimensions of the result.
TensorView* broadcast(TensorView* x, const std::vector<bool>& isBroadcastDim);
// Places dimension i of `x` at position broadcastDims[i] of a tensor of the given shape.
TensorView* broadcastInDim(TensorView* x, std::span<Val* const> shape,
                           std::span<const int64_t> broadcastDims);
// Size-1 dimensions get the extents of `shape`, leading ones are added; -1 keeps an extent.
TensorView* expand(TensorView* x, std::span<Val* const> shape);
// Removes dimensions of size 1; symbolic ones are checked when the fusion runs.
TensorView* squeeze(TensorView* x, std::span<const int64_t> dims, bool squeezeExpanded = false);
TensorView* unsqueeze(TensorView* x, int64_t dim);

// reshape.cpp

// The same elements in another shape; one entry may be -1.
TensorView* reshape(TensorView* x, std::span<Val* const> shape);

// layout.cpp

TensorView* permute(TensorView* x, std::span<const int64_t> dims);
TensorView* transpose(TensorView* x, int64_t dim0, int64_t dim1);
// A copy whose dimension i has the strideOrder[i]-th smallest stride.
TensorView* strideOrder(TensorView* x, std::span<const int64_t> strideOrder);
// A copy that another kernel reads: ends a segment.
Val* segmentSet(Val* x);
Val* size(TensorView* x, int64_t dim);
std::vector<Val*> shape(TensorView* x);

// resize.cpp

// `index`, counted from the end of `extent` where it is negative.
Val* wrapIndex(Val* index, Val* extent);
// Empty strides are ones. With manual normalization, other than 0 <= start <= end <= extent is an
// error, here or in the run that shows it.
TensorView* slice(TensorView* x, std::span<Val* const> starts, std::span<Val* const> ends,
                  std::span<Val* const> strides = {}, bool manualNormalization = false);
// Widths are (left, right) pairs, innermost dimension first; negative ones crop. A null value is 0.
TensorView* pad(TensorView* x, std::span<Val* const> padWidths, Val* value = nullptr);
// The tensors one behind another along `dim`. With manual padding each of them is the result of a
// pad to the extent of the whole.
TensorView* cat(std::span<TensorView* const> tensors, int64_t dim, bool manualPadding = false);

}  // namespace nvfuser::ops
