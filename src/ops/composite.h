// Operations that are formulas in other operations.
//
// Reduced precision is computed in Float and the result has the dtype of the input, as in PyTorch.
#pragma once

#include <span>
#include <string_view>

#include "ir/fusion.h"

namespace nvfuser::ops {

// `approximate` is "none" (by erf) or "tanh".
Val* gelu(Val* x, std::string_view approximate = "none");
TensorView* softmax(TensorView* x, int64_t dim, DataType dtype = DataType::Null);
TensorView* logSoftmax(TensorView* x, int64_t dim, DataType dtype = DataType::Null);
// Normalize over the last dimensions, whose extents are `normalizedShape`; weight, bias may be
// null.
TensorView* layerNorm(TensorView* x, std::span<Val* const> normalizedShape, TensorView* weight,
                      TensorView* bias, Val* eps);
// A null `eps` is the machine epsilon of the dtype that it is computed in, as in PyTorch.
TensorView* rmsNorm(TensorView* x, std::span<Val* const> normalizedShape, TensorView* weight,
                    Val* eps);

}  // namespace nvfuser::ops
