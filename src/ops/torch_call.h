// Any operator of torch, called between generated kernels.
#pragma once

#include <optional>
#include <vector>

#include "ir/fusion.h"
#include "ir/library_table.h"

namespace nvfuser::ops {

// A result of the operator.
struct TorchResult {
  std::vector<Val*> shape;
  DataType dtype = DataType::Null;
  // As that of define_tensor; empty for row-major.
  std::vector<int64_t> strideOrder;
};

// The results of an operator that are wanted, null for the others. Two calls are never taken for
// one, whatever they are given.
std::vector<TensorView*> torchCall(std::string target, std::string arguments,
                                   const std::vector<TensorView*>& tensors,
                                   const std::vector<Val*>& scalars,
                                   const std::vector<std::optional<TorchResult>>& results);

}  // namespace nvfuser::ops
