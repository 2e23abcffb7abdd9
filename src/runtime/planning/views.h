// Outputs that are only views of an input: they are returned as such instead of being copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser {

// A tensor that looks at an input's memory.
struct View {
  const TensorView* input = nullptr;
  // In elements of the input.
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// Whether `tv` is a permutation, reshape, slice, expansion or the like of an input. Inputs that the
// fusion updates in place are not looked at: their values change.
bool isInputView(const TensorView* tv, const Fusion& fusion);

// The operations that make a tensor accepted by isInputView() of an input, from that one on.
using ViewChain = std::vector<const Expr*>;
ViewChain viewChain(const TensorView* tv);

// The view that a tensor is. `stridesOf` gives the strides of an input, `value` that of an extent
// or offset.
View inputView(const ViewChain& chain,
               const std::function<std::vector<int64_t>(const TensorView*)>& stridesOf,
               const std::function<int64_t(const Val*)>& value);

// The dimensions of `tv` from the largest stride to the smallest: those of a permutation of an
// input are where the input has them.
std::vector<size_t> strideOrderOf(const TensorView* tv, const Fusion& fusion);

}  // namespace nvfuser
