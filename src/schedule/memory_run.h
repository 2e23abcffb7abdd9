// Runs of elements that follow each other in memory, along dimensions that loops merge.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/nodes.h"

namespace nvfuser {

// A concrete dimension of a tensor in memory, by the domain that stands for it in the loops.
struct MemoryDimension {
  const IterDomain* id;
  // Whether the next dimension inside follows without a gap.
  bool isContiguousWithNext;
};

// Goes on with a run of elements, whose outermost dimension is number `first` of those given
// outermost first, along what `outer` is merged of, from the inside. Returns whether all of that is
// part of the run.
bool prolongRun(const IterDomain* outer, const std::vector<MemoryDimension>& dimensions,
                size_t& first);

}  // namespace nvfuser
