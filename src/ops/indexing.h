// Operations that read at positions given by an index: a scalar, or a tensor of integers.
//
// A position that a dimension does not have is reported as an error where the fusion runs on the
// CPU; on CUDA it reads as 0.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

// Without dimension `dim`: what lies at `index`, an integer scalar that counts from the end where
// it is negative.
TensorView* select(TensorView* x, Val* index, int64_t dim);
// Replaces a SelectOp by operations that compute its result: a slice and a squeeze.
void expandSelect(SelectOp* select);

// The slices of `x` along `dim` at the positions in `index`, which is of rank 1, or 0 for one of
// them.
TensorView* indexSelect(TensorView* x, TensorView* index, int64_t dim);
// Both of the same rank; out[i][j] = x[index[i][j]][j] for dim 0. `index` may be smaller than `x`
// in the other dimensions.
TensorView* gather(TensorView* x, TensorView* index, int64_t dim);
// Like gather, but the other dimensions broadcast.
TensorView* takeAlongAxis(TensorView* x, TensorView* index, int64_t dim);

// A copy of `x` in which out[index[i][j]][j] = src[i][j] for dim 0, by torch; all of the same rank.
// `index` may be smaller than `x`, in the other dimensions, and than `src`, which may be a scalar.
// Which of several elements for one position is written is not defined.
//
// If it accumulates, `src` is added to what is there: of all elements for one position. Sums of
// reduced precision are rounded once.
TensorView* scatter(TensorView* x, TensorView* index, Val* src, int64_t dim,
                    bool accumulates = false);

// The rows of `weight`, of rank 2, at the positions in `input`, of rank 1 or more. Rows whose
// `normType`-norm is above `maxNorm` (if given) are scaled down to it.
TensorView* embedding(TensorView* input, TensorView* weight, Val* maxNorm, Val* normType);

}  // namespace nvfuser::ops
