// Scans, which the pointwise schedulers take along: their dimension is a serial loop.
#pragma once

#include <string>
#include <vector>

#include "ir/fusion.h"

namespace nvfuser::heuristics {

bool hasScan(const std::vector<Expr*>& exprs);
// Empty when all scans run along one dimension, in which everything else is computed at the same
// index; otherwise why they cannot share loops.
std::string scanMismatch(const std::vector<Expr*>& exprs);

// The result of a scan, null for none.
TensorView* scanAmong(const std::vector<TensorView*>& tensors);

// Gives `reference` and its neighbours in `selected` (all, when empty) the loops [others
// (parallel), scan, columns] where the innermost dimension is another one than that of the scans,
// [others (parallel), scan] where it is that.
void scheduleScanAround(TensorView* reference, const std::vector<TensorView*>& selected);

}  // namespace nvfuser::heuristics
