// Which tensors are only needed to as many bits as results of 16 bits have.
#pragma once

#include <unordered_map>

#include "ir/fusion.h"

namespace nvfuser::cuda {

class NarrowResults {
 public:
  // Whether every use of a Float tensor rounds it to Half, BFloat16 or less in the end, its
  // relative error passing on unchanged until then.
  bool contains(const TensorView* tv);

 private:
  bool isNarrowUse(const Expr* use, const TensorView* tv);

  std::unordered_map<const TensorView*, bool> known_;
};

}  // namespace nvfuser::cuda
