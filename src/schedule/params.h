// ScheduleParams: the numbers of a schedule, which a scheduler chose for the sizes of a run.
// Kernels are compiled once for each set of them.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "ir/fusion.h"

namespace nvfuser {

class Scheduler;

struct GpuParams {
  // Elements that a vectorized access moves, and the inputs and outputs accessed that way: bit i
  // stands for globalTensors()[i] of the unscheduled fusion.
  int64_t vectorWidth = 1;
  uint64_t vectorized = 0;
  // Vectors that a thread loads before it uses the first.
  int64_t unroll = 1;
  int64_t threadsX = 1;
  int64_t threadsY = 1;
  // Vectors of a row that a thread keeps in registers until the row's reductions are known; 0:
  // none.
  int64_t batches = 0;
  // These lie in one row, a block's width apart, rather than in as many rows.
  bool unrollsRows = false;
  // Blocks that follow each other, and so run at a time, have the same columns rather than the same
  // rows.
  bool isColumnMajor = false;
  // The blocks of a row are counted along x and rows along y (columns and their rows where they are
  // column-major), which saves a division.
  bool hasOuterAlongY = false;
  // Parts of a reduction or scan that different blocks compute.
  int64_t splits = 1;
  // Sizes are multiples of everything they are divided by: nothing is checked at run time.
  bool isExact = false;
  // Rows that leave most of the device idle, where what counts is how long one takes: the number of
  // threads along x is constant, and what the last stage needs is read first, too.
  bool isLatencyBound = false;
  // Inputs that are read about once, in bits as above, and how they are.
  uint64_t readOnce = 0;
  CacheOp ofReadOnce = CacheOp::Unspecified;
  // Every stage (a reduction with what it needs) runs to its end before the next begins, instead of
  // row by row.
  bool separateStages = false;
  // The reduced dimension is not the innermost one.
  bool isOuterReduction = false;
  // Inputs whose innermost dimension is not that of the output are read in square tiles of this
  // side; 0: element by element.
  int64_t transposeTile = 0;
  // A scatter writes into rows in shared memory.
  bool scattersInRows = false;

  friend bool operator==(const GpuParams&, const GpuParams&) = default;
  friend auto operator<=>(const GpuParams&, const GpuParams&) = default;
};

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
  std::variant<std::monostate, CpuParams, GpuParams> values;
  // Indices in 64 bits.
  bool hasWideIndex = true;

  friend bool operator==(const ScheduleParams&, const ScheduleParams&) = default;
  friend auto operator<=>(const ScheduleParams&, const ScheduleParams&) = default;
};

// All parameters, one a line.
std::string toString(const ScheduleParams& params);

}  // namespace nvfuser
