// Matrix products, which torch computes.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

// The shape rules of torch.matmul: 1-D operands are rows and columns, dimensions before the last
// two broadcast.
TensorView* matmul(TensorView* a, TensorView* b);
// input @ weight^T + bias, of [*, k], [n, k] and [n]; `bias` may be null.
TensorView* linear(TensorView* input, TensorView* weight, TensorView* bias);

}  // namespace nvfuser::ops
