// Reduction and normalization schedulers for the CPU: fusions with reductions over one set of
// dimensions.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// Empty when all reductions are over the same dimensions; otherwise why they cannot share loops.
std::string reductionMismatch(const std::vector<Expr*>& exprs);
// Whether results of reductions are used again along the reduced dimensions.
bool isPersistent(const std::vector<Expr*>& exprs);
// Whether the innermost dimension of what is reduced is reduced itself.
bool isInnerReduction(const std::vector<Expr*>& exprs);

ScheduleParams reductionParams(Fusion* fusion, SchedulerType type, const ScheduleContext& context);
void scheduleReduction(Fusion* fusion, const ScheduleParams& params);

}  // namespace nvfuser::heuristics
