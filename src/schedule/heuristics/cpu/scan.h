// Scans on the CPU, which the pointwise scheduler takes along: their dimension is a serial loop.
#pragma once

#include <vector>

#include "ir/fusion.h"

namespace nvfuser::heuristics {

// Gives `reference`, the result of a scan, and its neighbours in `selected` (all, when empty) the
// loops [others (parallel), scan, columns] where the innermost dimension is another one than that
// of the scans, [others (parallel), scan] where it is that.
void scheduleScanAround(TensorView* reference, const std::vector<TensorView*>& selected);

}  // namespace nvfuser::heuristics
