// Tensors made from scalars.
#pragma once

#include <span>

#include "ir/fusion.h"

namespace nvfuser::ops {

// A tensor of the given shape, every element of which is `value` converted to `dtype`. The active
// fusion owns it.
TensorView* full(std::span<Val* const> shape, Val* value, DataType dtype);
// A 1-D tensor of `length` elements start + i * step; a null start is 0, a null step 1.
TensorView* iota(Val* length, Val* start, Val* step, DataType dtype = DataType::Int);
// Ones in the upper triangle of the last two dimensions: elsewhere the result is 0.
TensorView* triu(TensorView* x, int64_t diagonal = 0);

}  // namespace nvfuser::ops
