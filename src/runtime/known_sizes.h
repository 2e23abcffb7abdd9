// KnownSizes: sizes of inputs that kernels take for constants, until they change.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "ir/clone.h"
#include "ir/evaluator.h"
#include "ir/fusion.h"

namespace nvfuser {

// The scalars that sizes, the offsets of slices and pads, and library calls depend on.
std::unordered_set<const Val*> usedInExtents(const Fusion& fusion);

// All of a fusion that is determined by the known sizes.
KnownScalars determinedBy(const Fusion& fusion, const KnownScalars& sizes);

class KnownSizes {
 public:
  explicit KnownSizes(const Fusion& fusion);

  // The sizes of a call, which the evaluator is bound to, that were the same in all calls so far.
  // What has changed once stays open, so that a program of many sizes has few sets of kernels.
  KnownScalars ofCall(ExpressionEvaluator& evaluator);

 private:
  struct Size {
    const Val* symbol;
    std::optional<int64_t> value;
    bool isOpen = false;
  };
  std::vector<Size> sizes_;
};

}  // namespace nvfuser
