// What is only a view of something else in memory: it is looked at instead of being copied.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "ir/fusion.h"
#include "ir/views.h"

namespace nvfuser {

// Where a tensor lies in the memory of another one.
struct View {
  // In elements of that one.
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

// Whether `tv` is a permutation, reshape, slice, expansion or the like of an input. Inputs that the
// fusion updates in place are not looked at: their values change.
bool isInputView(const TensorView* tv, const Fusion& fusion);

// The operations that make a tensor of what has no definition, from that on.
using ViewChain = std::vector<const Expr*>;
ViewChain viewChain(const TensorView* tv);

// What a chain makes of a tensor of these strides; nothing if it copies. `value` gives that of an
// extent or offset.
std::optional<View> viewAlong(const ViewChain& chain, std::vector<int64_t> strides,
                              const std::function<int64_t(const Val*)>& value);

// The dimensions of `tv` from the largest stride to the smallest: those of a permutation of an
// input, or of the result of a library call, are where that has them.
std::vector<size_t> strideOrderOf(const TensorView* tv, const Fusion& fusion);

}  // namespace nvfuser
