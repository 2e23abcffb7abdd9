// The parameters of schedulers for workers without threads of their own that others know, too. What
// only one of them knows is in its file.
#pragma once

#include <cstdint>

#include "core/fields.h"
#include "ir/marks.h"

namespace nvfuser {

// X(type, name, default, meaning)
// clang-format off
// The largest outputs are written past the caches.
#define NVF_CPU_STREAM_PARAMS(X)                                                                  \
  X(int64_t, group, 0, "elements that are computed between two copies; 0: nothing is streamed")   \
  X(int64_t, part, 0, "elements of a part of the loop, where it is the only one")

// What is requested ahead, and what is in flight meanwhile.
#define NVF_CPU_AHEAD_PARAMS(X)                                                                   \
  X(ResultsAheadMark, results, {}, "rows of these")                                               \
  X(NextAheadMark, next, {}, "what the next iteration reads")                                     \
  X(FarRowsMark, farRows, {}, "short rows that lie far apart")                                    \
  X(ApartMark, apart, {}, "of rows that are reduced")                                             \
  X(InterleaveMark, functions, {}, "of loops that evaluate functions")                            \
  X(MaskMark, rests, {}, "of rows: what is computed by one vector an iteration")                  \
  X(MaskMark, functionRests, {}, "the same by as many vectors as functions")

// Rows that are narrower than a few vectors, see lower/fold_rows.h.
#define NVF_CPU_NARROW_PARAMS(X)                                                                  \
  X(int64_t, columns, 0, "of a tile, all that a row has; 0: rows are not narrow")                 \
  X(int64_t, rows, 0, "of a part, for which what is read of columns is repeated once")            \
  X(FoldMark, fold, {}, "of the rows of a part")

#define NVF_CPU_POINTWISE_PARAMS(X)                                                               \
  X(int64_t, innerPart, 0, "elements of a part of the innermost loop, which is divided to have "  \
    "enough of them; 0: it is not")                                                               \
  X(int64_t, serialLoops, 0, "loops around the innermost one that are not merged into the "       \
    "parallel one: to find the indices of merged loops takes divisions, which short rows of many "\
    "dimensions do not make up for")                                                              \
  X(int64_t, serialPart, 0, "elements of a part of the last loop of those that are merged, a loop "\
    "inside of the parallel one; 0: it is merged whole")                                          \
  X(bool, functionsInFront, false, "functions of tensors that lack a dimension outside of one "   \
    "that they have are computed before the loops that would repeat them")                        \
  X(CpuNarrowParams, narrow, {}, "of the widest output")                                          \
  X(CpuStreamParams, stream, {}, "of the largest outputs")                                        \
  X(CpuAheadParams, ahead, {}, "by the loop that workers share")

// Inputs whose innermost dimension is not that of the output are read in tiles.
#define NVF_CPU_TILE_PARAMS(X)                                                                    \
  X(int64_t, across, 0, "elements along what is innermost in the inputs; 0: what lies across is " \
    "read element by element")                                                                    \
  X(int64_t, along, 0, "elements along what is innermost in the output")                          \
  X(bool, inOrder, false, "tiles follow each other as the output lies in memory")                 \
  X(bool, inRegisters, false, "tiles are transposed in registers, where elements fit lanes")

#define NVF_CPU_TRANSPOSE_PARAMS(X)                                                               \
  X(CpuPointwiseParams, pointwise, {}, "of what has nothing to do with the tiles")                \
  X(CpuTileParams, tile, {}, "of what lies across")

#define NVF_CPU_SCAN_PARAMS(X)                                                                    \
  X(CpuTransposeParams, others, {}, "of what has nothing to do with the scans")                   \
  X(int64_t, columns, 0, "that a worker scans side by side")                                      \
  X(int64_t, part, 1, "elements of a row whose operands are computed before they are scanned; " \
    "0: rows are scanned at once")                                                                \
  X(bool, operandsInFront, false, "all operands are: rows are short")

// Columns that are computed together are computed for a few rows at once, where that pays.
#define NVF_CPU_JAM_PARAMS(X)                                                                     \
  X(JamMark, mark, {}, "of the loops over rows")                                                  \
  X(int64_t, accesses, 0, "of columns that it saves, at least")                                   \
  X(int64_t, statements, 0, "of a row, at most")                                                  \
  X(bool, ofAll, false, "not only where moments are merged")

#define NVF_CPU_REDUCTION_PARAMS(X)                                                               \
  X(int64_t, part, 0, "elements of the parts of reductions that are combined; 0: in one part")    \
  X(int64_t, runs, 0, "of elements that follow each other in memory, that are such a part "       \
    "together, where they are shorter; 0: a part is one of a run")                                \
  X(int64_t, columns, 0, "that are computed together; 0: the reduction is an inner one")          \
  X(bool, rowsOfResults, false, "few elements are reduced for each result: the loop inside the "  \
    "parallel one is over results")                                                               \
  X(CpuJamParams, jam, {}, "of such columns")                                                     \
  X(CpuNarrowParams, narrow, {}, "of such columns, and of what is computed behind them")          \
  X(bool, mergesMoments, false, "variances of columns are computed in one pass over memory")      \
  X(int64_t, recomputedOps, 0, "cheap operations that a later stage computes again at most, "     \
    "rather than to read what they computed")                                                     \
  X(CpuStreamParams, stream, {}, "of the largest outputs")                                        \
  X(CpuAheadParams, ahead, {}, "by the loop that workers share")

#define NVF_CPU_PERSISTENT_PARAMS(X)                                                              \
  X(CpuReductionParams, reduction, {}, "of each stage")                                           \
  X(bool, separateStages, false, "every stage (a reduction with what it needs) runs to its end "  \
    "before the next begins, instead of row by row")
// clang-format on

struct CpuStreamParams {
  NVF_FIELDS_OF(CpuStreamParams, NVF_CPU_STREAM_PARAMS)
};
struct CpuAheadParams {
  NVF_FIELDS_OF(CpuAheadParams, NVF_CPU_AHEAD_PARAMS)
};
struct CpuNarrowParams {
  NVF_FIELDS_OF(CpuNarrowParams, NVF_CPU_NARROW_PARAMS)
};
struct CpuPointwiseParams {
  NVF_FIELDS_OF(CpuPointwiseParams, NVF_CPU_POINTWISE_PARAMS)
};
struct CpuTileParams {
  NVF_FIELDS_OF(CpuTileParams, NVF_CPU_TILE_PARAMS)
};
struct CpuTransposeParams {
  NVF_FIELDS_OF(CpuTransposeParams, NVF_CPU_TRANSPOSE_PARAMS)
};
struct CpuScanParams {
  NVF_FIELDS_OF(CpuScanParams, NVF_CPU_SCAN_PARAMS)
};
struct CpuJamParams {
  NVF_FIELDS_OF(CpuJamParams, NVF_CPU_JAM_PARAMS)
};
struct CpuReductionParams {
  NVF_FIELDS_OF(CpuReductionParams, NVF_CPU_REDUCTION_PARAMS)
};
struct CpuPersistentParams {
  NVF_FIELDS_OF(CpuPersistentParams, NVF_CPU_PERSISTENT_PARAMS)
};

}  // namespace nvfuser
