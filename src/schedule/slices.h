// Slices that vectors are read through.
#pragma once

#include <algorithm>

#include "ir/fusion.h"

namespace nvfuser {

// Where a slice begins along the innermost dimension that its operand has in memory; null where all
// of these are broadcast.
inline Val* startAlongMemory(const SliceOp* slice) {
  const auto* in = slice->input(0)->asTensor();
  const std::vector<IterDomain*> dims = in->visible();
  const auto& allocation = in->domain()->maybeAllocation();
  for (auto id = allocation.rbegin(); id != allocation.rend(); ++id) {
    if (!(*id)->isReduction() && !(*id)->isBroadcast()) {
      return slice->start(static_cast<size_t>(std::ranges::find(dims, *id) - dims.begin()));
    }
  }
  return nullptr;
}

// Whether vectors that a copy reads of global memory may begin at any element: those of a slice,
// put together from aligned words where its elements are smaller than these, unless the schedule
// takes for granted that the slice begins with a whole vector.
inline bool readsUnaligned(const Expr* copy) {
  const auto* slice = copy->as<SliceOp>();
  const int64_t bits = slice == nullptr ? 0 : info(slice->input(0)->dtype()).bits;
  if (bits != 8 && bits != 16) {
    return false;
  }
  const Val* start = startAlongMemory(slice);
  return std::ranges::none_of(
      slice->fusion()->assumedDivisible(),
      [&](const Fusion::Divisibility& known) { return known.extent == start; });
}

}  // namespace nvfuser
