// Scans: all elements along a dimension combined up to each.
#pragma once

#include "ir/fusion.h"

namespace nvfuser::ops {

// `type` is Add, Mul, Minimum or Maximum. A null `init` is the identity of the operation. Of the
// dtype of `x`.
TensorView* scan(BinaryOpType type, TensorView* x, int64_t dim, Val* init = nullptr);
// What a scan of tensors of that dtype begins with where nothing else is given.
Val* scanIdentity(Fusion* fusion, BinaryOpType type, DataType dtype);

}  // namespace nvfuser::ops
