// Slices that vectors are read through.
#pragma once

#include "ir/fusion.h"

namespace nvfuser {

// Whether vectors that a copy reads of global memory may begin at any element: those of a slice,
// put together from aligned words where its elements are smaller than these.
inline bool readsUnaligned(const Expr* copy) {
  const int64_t bits = copy->is<SliceOp>() ? info(copy->input(0)->dtype()).bits : 0;
  return bits == 8 || bits == 16;
}

}  // namespace nvfuser
