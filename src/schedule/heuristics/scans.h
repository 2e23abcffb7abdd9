// What the schedulers ask of a fusion with scans, whatever the device.
#pragma once

#include <string>
#include <vector>

#include "ir/fusion.h"
#include "schedule/domain_classes.h"

namespace nvfuser::heuristics {

bool hasScan(const std::vector<Expr*>& exprs);
// Empty when all scans run along one dimension, in which everything else is computed at the same
// index; otherwise why they cannot share loops.
std::string scanMismatch(const std::vector<Expr*>& exprs, const DomainClasses& classes);
// What is computed from the result of a scan and has other dimensions, or one of them twice as
// x[None] - x[:, None] has: it cannot share all loops of the scan. Null for none.
const TensorView* unlikeScan(const std::vector<Expr*>& exprs, const DomainClasses& classes);

// The result of a scan, null for none.
TensorView* scanAmong(const std::vector<TensorView*>& tensors);

}  // namespace nvfuser::heuristics
