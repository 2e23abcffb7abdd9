// The parameters of each scheduler for devices with threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fields.h"
#include "ir/fusion.h"

namespace nvfuser {

namespace fields {

inline void print(std::string& text, const char* name, Eviction value) {
  print(text, name,
        value == Eviction::Last    ? "leave the cache last"
        : value == Eviction::First ? "leave the cache first"
                                   : "leave the cache in turn");
}

}  // namespace fields

// X(type, name, default, meaning)
// clang-format off
#define NVF_GPU_VECTORS(X)                                                                        \
  X(int64_t, width, 1, "elements that a vectorized access moves")                                 \
  X(uint64_t, tensors, 0, "inputs and outputs accessed that way, a bit each")                     \
  X(bool, fitResizes, false, "slices and pads begin and end with whole vectors: so what is read " \
    "for one of them may be, too") \
  X(bool, sliceAnywhere, false, "those of inputs may not: where a slice begins in memory tells")  \
  X(bool, fitViews, false, "views, and slices and pads of these, begin with whole vectors")       \
  X(bool, alignsRows, false, "rows begin anywhere in memory: threads have its whole vectors, "    \
    "those at both ends of a row in part")                                                        \
  X(bool, mergesRows, false, "rows are one where they follow each other in tensors that have all " \
    "dimensions: in others each element is looked for by a division")                             \
  X(bool, mergesCut, false, "also where slices, pads and lookups cut them from others")

#define NVF_GPU_READ_ONCE(X)                                                                      \
  X(uint64_t, inputs, 0, "that are read about once, a bit each")                                  \
  X(Eviction, eviction, Eviction::InTurn, "when these leave the cache")

#define NVF_GPU_BLOCKS(X)                                                                         \
  X(int64_t, threadsX, 1, "threads along a row")                                                  \
  X(int64_t, threadsY, 1, "rows of a block")                                                      \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")                   \
  X(bool, unrollsRows, false, "these lie in one row, a block's width apart, rather than in as "   \
    "many rows")                                                                                  \
  X(bool, unrollsOutermost, false, "these lie in rows that differ in the outermost loop alone, "  \
    "and share what is loaded of tensors without it")                                             \
  X(bool, unrollsInnermost, false, "the rows of a block differ in the innermost loop of rows "    \
    "alone, and share what is loaded of tensors without it")                                      \
  X(bool, isColumnMajor, false, "blocks that follow each other, and so run at a time, have the "  \
    "same columns rather than the same rows")                                                     \
  X(bool, keepsPieces, false, "rows end where an input has parts of their dimensions elsewhere")   \
  X(bool, keepsInnermost, false, "rows are those of the innermost dimension")                      \
  X(bool, hasOuterAlongY, false, "the blocks of a row are counted along x and rows along y "      \
    "(columns and their rows where they are column-major), which saves a division")

#define NVF_GPU_UNFUSED_PARAMS(X)                                                                 \
  X(int64_t, threads, 1, "of a block")

#define NVF_GPU_POINTWISE_PARAMS(X)                                                               \
  X(GpuVectors, vectors, {}, "along the innermost dimensions")                                    \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(GpuBlocks, blocks, {}, "of rows and columns of the outputs")

#define NVF_GPU_LOOKUP_PARAMS(X)                                                                  \
  X(GpuVectors, vectors, {}, "along the innermost dimensions")                                    \
  X(GpuBlocks, blocks, {}, "of rows and columns of the outputs")

#define NVF_GPU_TRANSPOSE_PARAMS(X)                                                               \
  X(GpuVectors, vectors, {}, "along the innermost dimensions, and the crossing one")              \
  X(int64_t, side, 1, "elements of the square tiles in shared memory that transposed inputs "    \
    "pass through")                                                                               \
  X(int64_t, crossingDims, 1, "dimensions that are one along the rows of a tile, as the input "   \
    "has them")                                                                                   \
  X(bool, mergesColumns, false, "all dimensions behind the crossing one are its columns")         \
  X(bool, holdsResult, false, "tiles hold the result, which is computed as the inputs lie, rather " \
    "than each of these")                                                                         \
  X(int64_t, threads, 1, "that share a tile")                                                     \
  X(int64_t, rows, 1, "of a tile that a thread has side by side: elements of a word of shared "   \
    "memory")                                                                                     \
  X(int64_t, bankBytes, 1, "of a bank of shared memory: rows of a tile end in a gap of one")      \
  X(GpuBlocks, blocks, {}, "of outputs that have nothing to do with the tiles")

#define NVF_GPU_SCATTER_STEP(X)                                                                   \
  X(GpuVectors, vectors, {}, "along the innermost dimensions of what it accesses")                \
  X(GpuBlocks, blocks, {}, "of its rows and columns")

#define NVF_GPU_SCATTER_PARAMS(X)                                                                 \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(GpuScatterStep, copied, {}, "of what is written into")                                        \
  X(GpuScatterStep, written, {}, "of what is written there; vectors where all is read in these")  \
  X(bool, addsVectors, false, "rows are added to in vectors")                                     \
  X(GpuScatterStep, behind, {}, "of what is computed from the result")

#define NVF_GPU_SCATTER_IN_ROWS_PARAMS(X)                                                         \
  X(GpuVectors, vectors, {}, "as of a scatter")                                                   \
  X(int64_t, threads, 1, "of a block, which has a row in shared memory")                          \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")

#define NVF_GPU_SCAN_PARAMS(X)                                                                    \
  X(GpuVectors, vectors, {}, "of a row, or of columns")                                           \
  X(int64_t, threadsX, 1, "along a row, or along columns")                                        \
  X(int64_t, threadsY, 1, "rows of a block, or threads along columns")                            \
  X(int64_t, unroll, 1, "vectors of a chunk that a thread has")                                   \
  X(int64_t, parts, 1, "of a row or column that different blocks scan")                           \
  X(bool, isExact, false, "sizes are multiples of everything they are divided by: nothing is "    \
    "checked at run time")

#define NVF_GPU_INNER_REDUCTION_PARAMS(X)                                                         \
  X(GpuVectors, vectors, {}, "of a row")                                                          \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, threadsX, 1, "along a row")                                                          \
  X(int64_t, threadsY, 1, "rows of a block")                                                      \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")                   \
  X(bool, inputsLead, false, "rows are those of the inputs, where outputs lie otherwise")         \
  X(int64_t, parts, 1, "of a row that different blocks reduce")                                   \
  X(int64_t, combiningThreads, 1, "of a block that combines parts, at most")                    \
  X(bool, isExact, false, "as of a scan")

#define NVF_GPU_OUTER_REDUCTION_PARAMS(X)                                                         \
  X(GpuVectors, vectors, {}, "of columns")                                                        \
  X(GpuVectors, across, {}, "of inputs whose innermost dimension is the reduced one")             \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, threadsX, 1, "along columns, each of which accumulates a vector of results")         \
  X(bool, acrossRows, false, "whose threads may have columns of several of what else is kept")    \
  X(int64_t, threadsY, 1, "along what is reduced")                                                \
  X(int64_t, unroll, 1, "vectors that a thread loads before it uses the first")                   \
  X(int64_t, parts, 1, "of columns that different blocks reduce")                                 \
  X(int64_t, combiningThreads, 1, "of a block that combines parts, at most")                    \
  X(int64_t, combiningColumns, 1, "vectors of columns of such a block")                           \
  X(int64_t, minBlocks, 0, "blocks that a multiprocessor runs at a time at least, so that all "   \
    "parts are computed at once; it bounds the registers of a thread; 0: any number")             \
  X(bool, isExact, false, "as of a scan")

#define NVF_GPU_INNER_PERSISTENT_PARAMS(X)                                                        \
  X(GpuVectors, vectors, {}, "of a row")                                                          \
  X(GpuReadOnce, readOnce, {}, "in the L2 cache")                                                 \
  X(int64_t, threadsX, 1, "along a row, at most")                                                 \
  X(int64_t, threadsY, 1, "rows of a block")                                                      \
  X(int64_t, batches, 1, "vectors of a row that a thread keeps in registers until the row's "     \
    "reductions are known")                                                                       \
  X(int64_t, unroll, 1, "rows that a thread loads before it uses the first")                      \
  X(int64_t, recomputedOps, 0, "cheap operations that a later stage computes again at most, "     \
    "rather than to keep what they computed")                                                     \
  X(int64_t, warpSize, 1, "threads: rows with fewer have a part of a warp, others whole warps")  \
  X(bool, isExact, false, "the number of such short rows, or the length of others, is a multiple "\
    "of everything it is divided by")                                                             \
  X(int64_t, minBlocks, 0, "blocks that a multiprocessor runs at a time at least, which bounds "  \
    "the registers of a thread; 0: any number")                                                   \
  X(bool, hasConstantThreads, false, "there are so many threads along x that the code may know "  \
    "it, idle ones included")                                                                     \
  X(bool, readsEarly, false, "what only the last stage needs is read before the first one waits")

#define NVF_GPU_LAST_STAGE_PARAMS(X)                                                              \
  X(GpuVectors, vectors, {}, "along the innermost dimensions")                                    \
  X(GpuBlocks, blocks, {}, "of rows and columns")                                                 \
  X(GpuTransposeParams, tiles, {}, "that turn inputs, instead of such blocks; of one element: "   \
    "none")

#define NVF_GPU_INNER_STAGES_PARAMS(X)                                                            \
  X(GpuInnerReductionParams, reduction, {}, "of each stage that reduces")                         \
  X(GpuLastStageParams, last, {}, "of a stage that does not")

#define NVF_GPU_OUTER_STAGES_PARAMS(X)                                                            \
  X(GpuOuterReductionParams, reduction, {}, "of each stage that reduces")                         \
  X(GpuLastStageParams, last, {}, "of a stage that does not")
// clang-format on

struct GpuVectors {
  NVF_FIELDS_OF(GpuVectors, NVF_GPU_VECTORS)
};
struct GpuReadOnce {
  NVF_FIELDS_OF(GpuReadOnce, NVF_GPU_READ_ONCE)
};
struct GpuBlocks {
  NVF_FIELDS_OF(GpuBlocks, NVF_GPU_BLOCKS)
};
struct GpuUnfusedParams {
  NVF_FIELDS_OF(GpuUnfusedParams, NVF_GPU_UNFUSED_PARAMS)
};
struct GpuPointwiseParams {
  NVF_FIELDS_OF(GpuPointwiseParams, NVF_GPU_POINTWISE_PARAMS)
};
struct GpuLookupParams {
  NVF_FIELDS_OF(GpuLookupParams, NVF_GPU_LOOKUP_PARAMS)
};
struct GpuTransposeParams {
  NVF_FIELDS_OF(GpuTransposeParams, NVF_GPU_TRANSPOSE_PARAMS)
};
// A kernel of a scatter.
struct GpuScatterStep {
  NVF_FIELDS_OF(GpuScatterStep, NVF_GPU_SCATTER_STEP)
};
struct GpuScatterParams {
  NVF_FIELDS_OF(GpuScatterParams, NVF_GPU_SCATTER_PARAMS)
};
struct GpuScatterInRowsParams {
  NVF_FIELDS_OF(GpuScatterInRowsParams, NVF_GPU_SCATTER_IN_ROWS_PARAMS)
};
struct GpuScanParams {
  NVF_FIELDS_OF(GpuScanParams, NVF_GPU_SCAN_PARAMS)
};
struct GpuInnerReductionParams {
  NVF_FIELDS_OF(GpuInnerReductionParams, NVF_GPU_INNER_REDUCTION_PARAMS)
};
struct GpuOuterReductionParams {
  NVF_FIELDS_OF(GpuOuterReductionParams, NVF_GPU_OUTER_REDUCTION_PARAMS)
};
// Rows in registers.
struct GpuInnerPersistentParams {
  NVF_FIELDS_OF(GpuInnerPersistentParams, NVF_GPU_INNER_PERSISTENT_PARAMS)
};
// Of a normalization in stages, where that reduces nothing.
struct GpuLastStageParams {
  NVF_FIELDS_OF(GpuLastStageParams, NVF_GPU_LAST_STAGE_PARAMS)
};
// Every stage (a reduction with what it needs) runs to its end before the next begins.
struct GpuInnerStagesParams {
  NVF_FIELDS_OF(GpuInnerStagesParams, NVF_GPU_INNER_STAGES_PARAMS)
};
struct GpuOuterStagesParams {
  NVF_FIELDS_OF(GpuOuterStagesParams, NVF_GPU_OUTER_STAGES_PARAMS)
};

}  // namespace nvfuser
