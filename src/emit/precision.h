// Which tensors are only needed to as many bits as results of 16 bits have.
#pragma once

#include <unordered_map>

#include "ir/fusion.h"

namespace nvfuser {

// Which variant of a function is called: that of the dtype, or one that is cheaper and right to as
// many bits as results of 16 bits need.
enum class Precision : uint8_t { Full, Narrow };

class NarrowResults {
 public:
  Precision precisionOf(const TensorView* tv) {
    return contains(tv) ? Precision::Narrow : Precision::Full;
  }
  // Whether every use of a Float tensor rounds it to Half, BFloat16 or less in the end, its
  // relative error passing on unchanged until then.
  bool contains(const TensorView* tv);

 private:
  bool isNarrowUse(const Expr* use, const TensorView* tv);

  std::unordered_map<const TensorView*, bool> known_;
};

}  // namespace nvfuser
