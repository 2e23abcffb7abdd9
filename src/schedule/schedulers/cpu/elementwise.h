// Element-wise parts of fusions: what every scheduler without reductions does with what it has no
// loops of its own for.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "schedule/scheduler.h"
#include "schedule/summary.h"

namespace nvfuser::heuristics {

struct ElementCount {
  int64_t total = 1;
  // Of the innermost dimension in memory.
  int64_t innermost = 1;
};
ElementCount sizeOf(const TensorView* tv, const ScheduleContext& context);

// Whether memory leaves no loops over the widest output apart.
bool isOneRun(const FusionSummary& summary);

// Of rows that are folded, see lower/fold_rows.h.
CpuNarrowParams narrowRows(const ScheduleContext& context);

CpuPointwiseParams pointwiseParams(const FusionSummary& summary, const ScheduleContext& context);

// Gives `reference` the loops [outer (parallel), inner] and its neighbours in `selected` (all, when
// empty) the same.
void schedulePointwiseAround(TensorView* reference, const CpuPointwiseParams& params,
                             const std::vector<TensorView*>& selected);

// Tensors that have to do with each other.
struct Part {
  // The widest output.
  TensorView* reference;
  std::vector<TensorView*> connected;
  // Has the widest output of all parts.
  bool isFirst;
  // How deep tensors may be inlined.
  std::unordered_map<const TensorView*, int64_t>& limits;
};
// Gives a tensor, and what it alone of the part is computed of, loops of their own over all
// elements.
void computeInFront(TensorView* tv, const std::vector<TensorView*>& own, Part& part);

// Schedules a part, or returns that it did not.
using SchedulePart = std::function<bool(Part& part)>;

// Schedules a fusion without reductions: outputs that have nothing to do with each other are
// scheduled on their own, those that `schedulePart` does not schedule by loops over all elements.
void scheduleParts(Fusion* fusion, const CpuPointwiseParams& params,
                   const SchedulePart& schedulePart);

}  // namespace nvfuser::heuristics
