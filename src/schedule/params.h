// ScheduleParams: the numbers of a schedule, which a scheduler chose for the sizes of a run.
// Kernels are compiled once for each set of them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "schedule/schedulers/gpu/params.h"

namespace nvfuser {

class Scheduler;

struct CpuParams {
  // Every stage (a reduction with what it needs) runs to its end before the next begins, instead of
  // row by row.
  bool separateStages = false;
  // Reductions are computed in parts of this many elements that are then combined; 0: in one part.
  int64_t reductionChunk = 0;
  // Columns that are computed together where the reduced dimension is not the innermost one; lines
  // that are written together by a scatter.
  int64_t columnTile = 0;
  // Such columns are computed for a few rows at once.
  bool jamsRows = false;
  // Variances of columns are computed in one pass over memory.
  bool mergesMoments = false;
  // The innermost loop is divided into parts of this many elements to have enough of them; 0: it is
  // not.
  int64_t innerChunk = 0;
  // Loops around the innermost one that are not merged into the parallel one: to find the indices
  // of merged loops takes divisions, which short rows of many dimensions do not make up for.
  int64_t serialLoops = 0;
  // Inputs whose innermost dimension is not that of the output are read in square tiles of this
  // side; 0: element by element.
  int64_t transposeTile = 0;
  // The largest outputs are written past the caches.
  bool streamsOutputs = false;

  friend bool operator==(const CpuParams&, const CpuParams&) = default;
  friend auto operator<=>(const CpuParams&, const CpuParams&) = default;
};

struct ScheduleParams {
  // Null: as the user scheduled the fusion.
  const Scheduler* scheduler = nullptr;
  std::variant<std::monostate, CpuParams, GpuUnfusedParams, GpuPointwiseParams, GpuLookupParams,
               GpuTransposeParams, GpuScatterParams, GpuScatterInRowsParams, GpuScanParams,
               GpuInnerReductionParams, GpuOuterReductionParams, GpuInnerPersistentParams,
               GpuInnerStagesParams, GpuOuterStagesParams>
      values;
  // Indices in 64 bits.
  bool hasWideIndex = true;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// All parameters, one a line.
std::string toString(const ScheduleParams& params);

}  // namespace nvfuser
