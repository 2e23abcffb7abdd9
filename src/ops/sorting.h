// Sorting, which torch does.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

struct TopK {
  TensorView* values;
  TensorView* indices;
};
// The `k` largest or smallest elements along a dimension, in order if `isSorted`. A 0-dim tensor
// has one.
TopK topk(TensorView* x, Val* k, int64_t dim, bool isLargest, bool isSorted);
// The positions that sort a dimension.
TensorView* argsort(TensorView* x, int64_t dim, bool isDescending, bool isStable);

}  // namespace nvfuser::ops
