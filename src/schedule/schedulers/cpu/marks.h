// The marks that schedulers without threads choose: see ir/marks.h.
#pragma once

#include "schedule/scheduler.h"

namespace nvfuser::heuristics {

// Of the loop that workers share: what is requested ahead, where the target can. Of loops that
// evaluate functions: what is in flight.
CpuAheadParams aheadParams(const ScheduleContext& context);
// Of innermost loops, which run over `row` of all elements: what they have beside whole vectors.
void chooseRests(CpuAheadParams& params, int64_t elements, int64_t row,
                 const ScheduleContext& context);
// Tensors are inlined.
void requestAhead(Fusion* fusion, const CpuAheadParams& params);

// Numbers for jamming rows.
CpuJamParams jamParams(const ScheduleContext& context);
// Jams rows where that saves enough accesses, and where functions do not take longer than the
// memory that a row less needs. Tensors are inlined.
void jamRows(Fusion* fusion, const CpuJamParams& params);

FoldMark foldMark(const ScheduleContext& context);
// Columns of the rows that are folded, at most.
int64_t foldedColumns(const ScheduleContext& context);
// Folds the loops over rows around those of the columns of a tile.
void foldRows(Fusion* fusion, const FoldMark& mark);

}  // namespace nvfuser::heuristics
