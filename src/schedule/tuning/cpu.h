// The numbers that schedules for workers without threads of their own were tuned with.
//
// Benches were run on x86-64 with 256-bit vectors; those without a figure are what the first
// schedule had, or follow from the size of a cache. Figures of bench_tuning.py are how long the
// kernels that it changes take with half the number and with twice as much.
#pragma once

#include <cstdint>

namespace nvfuser {

// X(type, name, value, unit, meaning, evidence) as in gpu.h.
// clang-format off
#define NVF_CPU_TUNING(X)                                                                         \
  /* Division among workers. */                                                                   \
  X(int64_t, smallWork, 32 * 1024, "elements", "fewer are the work of one worker",                \
    "bench/bench_sizes.py: starting workers takes as long")                                       \
  X(int64_t, workElements, 32 * 1024, "elements", "of the largest tensor of a kernel that are "   \
    "worth a worker of their own when it is launched, where they are only loaded and stored",     \
    "as smallWork; relu(x + y) of 32 K elements by two workers: 0.81 of the time of one, of 16 K "\
    "1.05")                                                                                       \
  X(int64_t, functionElements, 3, "elements", "that are loaded and stored while a function of "   \
    "one is evaluated",                                                                           \
    "one worker, relu(x + y): 0.15 ns an element, gelu(x) + y 0.66, softmax of rows of 512 0.4")  \
  X(int64_t, loopElements, 20, "elements", "while a loop begins and ends",                        \
    "softmax of rows of 10: 16 ns a row, layer norm 9; 16384 elements of both by two workers: "   \
    "0.57 and 0.61 of the time of one")                                                           \
  X(int64_t, statementElements, 6, "elements", "while one value is computed outside of loops",    \
    "log probabilities of 10 classes: 27 ns a row")                                               \
  X(int64_t, coreBytes, 8, "bytes per ns", "that memory delivers to a core, roughly: runs that "  \
    "take long by this estimate release the interpreter's lock",                                  \
    "a copy: 33 (64 MB), 83 (8 MB); fusions are slower")                                          \
  X(int64_t, partsPerWorker, 4, "parts", "of reductions and long rows, so that workers end at "   \
    "about the same time",                                                                        \
    "bench_tuning.py: twice 1.02 times as long")                                                  \
  X(int64_t, tilesPerWorker, 2, "tiles", "of columns at least, before tiles get narrower",        \
    "bench_tuning.py: twice 1.33 times as long")                                                  \
  X(int64_t, longRowPart, 8 * 1024, "elements", "of a row that workers share",                    \
    "bench_tuning.py: half 1.00, twice 1.01 times as long")                                       \
  X(int64_t, longRowParts, 4, "parts", "of a row that workers share, at least",                   \
    "bench_tuning.py, 150 fusions: half and twice change no kernel")                              \
  X(int64_t, fewLoops, 2, "loops", "are merged whatever their sizes",                             \
    "x[..., 2:, 1:-1] + x[..., :-2, 1:-1] of padded 2 x 256 x 28 x 28 float32: 3 loops take 3.3 " \
    "times as long")                                                                              \
  X(int64_t, indexedRow, 256, "elements",                                                         \
    "rows as long make up for the divisions that merged loops take",                              \
    "bench_tuning.py, 250 fusions: a quarter 0.93 (one changes), four times none")                \
  X(int64_t, rowsPerWorker, 32, "rows", "are enough for all workers: loops inside are not merged",\
    "as fewLoops: 512, as many as 1024 for two workers, 3.3 times as long; of fewer, as of heads, " \
    "the last loop is divided: heads of 1 x 2048 x 16 x 32 float32 from 1.3 to 1 times the time of " \
    "torch.compile")                                                                              \
  X(int64_t, repeatedFunctions, 8 * 1024, "elements", "for which loops would repeat a function "  \
    "of fewer, at least, before it is computed in front of them",                                 \
    "x * sigmoid(gate) over 32 x 16 x 28 x 28 channels-last float16: from 5.4 to 1 times the "    \
    "time of torch.compile")                                                                      \
  /* Transposed operands. */                                                                      \
  X(int64_t, transposeSideMost, 128, "elements", "of a tile: long lines of memory are read fast", \
    "bench/bench_kernels.py, 4096 x 4096 float32: from 1.56 times the time of torch.compile to "  \
    "less than that, with shuffles")                                                              \
  X(int64_t, transposeSideOfLines, 64, "elements", "of a tile, at most, where rows begin with "   \
    "lines of memory: what is transposed stays in the L1 cache",                                  \
    "4096 x 4096 float32 from 11.6 to 10.5 ms, 512 x 768 from 96 to 86 us; rows of 1000 from 2.2 "\
    "to 2.4 ms, of 4095 bfloat16 from 11 to 17")                                                  \
  X(int64_t, transposeStreams, 16, "lines", "that a processor requests by itself while they are "  \
    "read or written side by side",                                                               \
    "channels-last 8 x 64 x 56 x 56 float32 to contiguous: 16 streams 270, 32 and more 380 us; "  \
    "permute(0, 3, 2, 1) of 1 x 32 x 2048 x 64 float32 with all 32 read to their ends 2.4 ms, "   \
    "otherwise 4.5")                                                                              \
  X(int64_t, transposeShortRows, 512, "elements", "of an input that lie together, at most, for "  \
    "such tiles", "as before: 24 to 512 channels 0.7 to 0.95, 768 and 1024 1.05, 3136 1.5 times " \
    "the time of large tiles")                                                                    \
  X(int64_t, transposeAliasBytes, 2048, "bytes", "rows that lie a multiple of this apart have few "\
    "places in the L1 cache", "a transposed 512 x 512 float32 70 us by such tiles, 58 by others; "\
    "4096 x 512 900 and 650")                                                                    \
  X(int64_t, transposeSideLeast, 32, "elements", "of a tile",                                     \
    "bench_tuning.py, 250 fusions: four times 1.01, a quarter none")                              \
  X(int64_t, transposeSideInOrder, 16, "elements", "across tiles that follow each other as the "  \
    "output lies in memory, at most: lines that are written at a time",                           \
    "permute(0, 3, 2, 1) of 1 x 8 x 2048 x 64 bfloat16: from 1.9 to 0.5 times the time of "       \
    "torch.compile, half the same, twice 1.9; of 4 x 12 x 197 x 64 from 0.7 to 0.9")              \
  X(int64_t, transposeExtentLeast, 4, "elements", "of a loop for which there are tiles",          \
    "permute(0, 3, 2, 1) of 1 x 16 x 1024 x 32 bfloat16: from 5 to 1.3 times the time of "        \
    "torch.compile")                                                                              \
  X(int64_t, transposeTilesPerWorker, 4, "tiles", "at least, before they get smaller",            \
    "bench_tuning.py: half 1.10, twice 1.11 times as long")                                       \
  /* Scans and scatters. */                                                                       \
  X(int64_t, scanColumns, 256, "columns", "that a worker scans side by side: a few lines of "     \
    "memory of each row",                                                                         \
    "bench_tuning.py: half 1.01, twice 0.98 times as long")                                       \
  X(int64_t, scanPart, 64, "elements", "of a row whose operands are computed, by vectors, before "\
    "they are scanned", "cumsum of sigmoids of 64 x 2048 float32: from 2.5 times to less than "   \
    "the time of eager torch; of 20000 x 7, which is scanned at once, from 2.2 to 0.4 times, of "  \
    "20000 x 31 from 1.7 to 0.8, cumsum of 20000 x 48 0.87, at once 1.1")                         \
  X(int64_t, scatterTileBytes, 512 * 1024, "bytes", "of lines that are written in the cache",     \
    "half of the L2 cache of a core; "                                                            \
    "bench_tuning.py: half 1.29, twice 1.09 times as long")                                       \
  X(int64_t, scatterColumns, 256, "lines", "that are written in memory side by side",             \
    "bench_tuning.py: half 1.03, twice 1.04 times as long")                                       \
  X(int64_t, scatterColumnsLeast, 64, "lines", "side by side, before workers share them",         \
    "index_add of 16000 x 64 float32 to 2000 rows: half 1.6 times as long on one thread")         \
  /* Reductions. */                                                                               \
  X(int64_t, cachedElements, 256 * 1024, "elements",                                              \
    "of a row that is read again, or of columns of which functions would be evaluated again, at " \
    "most: it must be in the cache of the core still",                                            \
    "1 MB of float32, the L2 cache of a core; softmax of rows of 200,000 float32: with a quarter "\
    "1.3 times as long, with twice as much the same")                                             \
  X(int64_t, cachedColumnElements, 64 * 1024, "elements", "of a tile of columns that is read "    \
    "again, at most, where no function is evaluated again",                                       \
    "batch norm of 30 shapes of channels-last images, forward and backward: with four times as "  \
    "much up to 2.8 times as long, with half or a quarter the same")                              \
  X(int64_t, cachedColumnsLeast, 64, "columns", "of such a tile",                                 \
    "the same: half up to 1.9 times as long, twice the same")                                     \
  X(int64_t, nearColumnElements, 8 * 1024, "elements", "of a tile of columns that stays in the L1 "  \
    "cache, for which tiles are as narrow as nearColumnsLeast",                                     \
    "layer norm over 16 channels of 224 x 224 float32: 116 us, of tiles of 4096 columns 159")       \
  X(int64_t, nearColumnsLeast, 512, "columns", "see nearColumnElements",                            \
    "layer norm over 320 channels of 28 x 28 bfloat16: 59 us with 784 columns, 100 with 128")       \
  X(int64_t, sumPart, 16 * 1024, "elements",                                                      \
    "of a long sum that are summed apart: the error stays small, and workers share them",         \
    "bench_tuning.py: half 1.00, twice 1.00 times as long")                                       \
  X(int64_t, sumParts, 4, "parts", "of a long sum, at least, where rows are enough for all "      \
    "workers",                                                                                    \
    "bench_tuning.py, 250 fusions: a quarter 0.99, four times 0.98 (one each)")                   \
  X(int64_t, sumRows, 256, "rows", "of long columns that are summed apart",                       \
    "the error of a sum over (3000, 8) falls from 8e-7 to 2e-7 at the same speed")                \
  X(int64_t, sharedRows, 16, "rows", "that are a part of a sum for a worker, at least",           \
    "bench_tuning.py: half 1.01, twice 0.95 times as long (two of 150 fusions)")                  \
  X(int64_t, tileColumnsMost, 4096, "columns", "whose accumulators stay in the L1 cache",         \
    "16 KB of float32; "                                                                          \
    "bench_tuning.py: half 1.11, twice 0.94 times as long")                                       \
  X(int64_t, tileVectorsLeast, 2, "vectors", "of float, of a tile",                               \
    "bench_tuning.py, 250 fusions: half 1.01, twice 1.05, four times 1.02")                       \
  X(int64_t, persistentColumnsLeast, 32, "columns", "of a tile of which functions would be "      \
    "evaluated again",                                                                            \
    "x - mean of gelu(x) along 8192 x 128 and 4096 x 64 bfloat16: twice 1.2 and 1.5 times as long")\
  X(int64_t, sharedColumnsLeast, 64, "columns", "of a tile where workers share columns, as rows " \
    "are few",                                                                                    \
    "bench_tuning.py, 250 fusions: a quarter to four times as much change no kernel")             \
  X(int64_t, recomputedOps, 4, "operations", "that are cheap and computed again in a later stage "\
    "at most, rather than to read what they computed",                                            \
    "bench_tuning.py: half 1.00, twice 1.00 times as long")                                       \
  /* Several rows at once, see lower/unroll_and_jam.h. */                                         \
  X(int64_t, jamWork, 64 * 1024, "elements", "fewer do not make up for twice the code",           \
    "bench_tuning.py, 250 fusions: a quarter of a million 0.92 (0.33 to 1.16) of the time of a "  \
    "million; sums of channels, 8 x 56 x 56 x 32: 103 to 46 us")                                  \
  X(int64_t, jamRowsLeast, 64, "rows", "of a sum over rows",                                      \
    "bench_tuning.py, 250 fusions: a quarter to four times as much change no kernel")             \
  X(int64_t, jamColumnsLeast, 32, "columns", "of a tile",                                         \
    "bench_tuning.py: twice 1.18 times as long")                                                  \
  X(int64_t, jamRows, 4, "rows", "at once",                                                       \
    "bench/bench_kernels.py: batch norm of bfloat16 at 4096 x 4096 from 1.3 to 0.7 times the "    \
    "time of eager torch")                                                                        \
  X(int64_t, jamVectors, 4, "vectors", "of columns that an iteration computes: the processor "    \
    "finds streams that advance by whole lines",                                                  \
    "bench_tuning.py: half 1.01, twice 2.23 times as long")                                       \
  X(int64_t, jamAccesses, 2, "accesses", "of columns that jamming saves, at least",               \
    "bench_tuning.py: half 0.99, twice 1.03 times as long")                                       \
  X(int64_t, jamStatements, 16, "statements", "at most: more would not fit the registers",        \
    "bench_tuning.py: half 1.00, twice 1.01 times as long")                                       \
  X(int64_t, jamAheadBytes, 8 * 1024, "bytes", "that jammed rows request ahead",                  \
    "bench/bench_kernels.py: batch norm of 32768 x 512 from 1.0 to 0.71 times the time of eager " \
    "torch, with moments in one pass")                                                            \
  X(int64_t, jamAheadMost, 8, "times the rows", "that are requested ahead at most",               \
    "as jamAheadBytes")                                                                           \
  /* Narrow rows, see lower/fold_rows.h. */                                                       \
  X(int64_t, foldRows, 16, "rows", "of few columns that are accumulated as one",                  \
    "sum over the rows of 1,000,000 x 3: from 2.65 to 0.25 ms")                                   \
  X(int64_t, foldRowsLeast, 64, "rows", "for which it pays to repeat what is read of columns",    \
    "bench_tuning.py, 250 fusions: a quarter 0.84 (one changes), four times none")                \
  X(int64_t, foldPart, 1024, "rows", "for which it is repeated once",                             \
    "backward of batch norm of 11 x 3 x 112 x 112 channels-last: quarter 1.21 times as long")     \
  X(int64_t, foldVectors, 2, "vectors", "of float that such rows have, at most",                  \
    "as foldRows")                                                                                \
  /* Reductions over rows of few elements, see lower/apart_totals.h. */                           \
  X(int64_t, apartElementsMost, 256, "elements", "of a row that have an accumulator each",        \
    "maximum and sum over dimensions 1 and 3: 0.25 times as long with rows of 8, 0.6 of 16 and "  \
    "32, 0.85 of 196, as long of 256 and 512; 1.1 to 3 times of 1024 to 4096")                    \
  X(int64_t, apartVector, 8, "elements", "of which such a row has a multiple",                    \
    "a vector of 256 bits of float")                                                              \
  X(int64_t, apartRaggedElements, 320, "elements", "reduced together, at least, of rows of any "  \
    "number",                                                                                     \
    "sums and maxima over 0 and 2, 512 rows of 3 to 99 elements: 0.37 to 1.05 times as long, 64 " \
    "rows 0.27 to 1.09, 16 rows of 20 or more 0.38 to 0.64, of 9 and 13 up to 1.45; two rows of " \
    "196 0.85 to 1.16, of 13 up to 5.8")                                                          \
  /* Functions, see lower/interleave.h. */                                                        \
  X(int64_t, functionVectors, 2, "vectors", "of a loop that evaluates functions in flight",       \
    "bench_tuning.py: half 1.02, twice 0.97 times as long, for twice the code")                   \
  /* Rows that are no whole vectors, see lower/mask_rests.h. */                                   \
  X(int64_t, maskedLanes, 16, "elements", "of a vector of which some lanes are masked, at most",  \
    "a vector of 512 bits of float")                                                              \
  X(int64_t, maskedRest, 3, "elements", "beside whole vectors, at least: fewer are computed one "  \
    "by one",                                                                                     \
    "gelu(x + bias) + y: rows of 33 and 65 in 1.2 to 1.5 times the time with masks, of 3 in 0.4 " \
    "to 0.5")                                                                                     \
  X(int64_t, maskedRow, 1024, "elements", "of rows whose rest is computed by masked vectors, at " \
    "most",                                                                                       \
    "gelu(x + bias) + y: rows of 7 in 0.3, of 31 in 0.35, of 127 in 0.7, of 1023 in 0.9 to 1 "    \
    "times the time without masks")                                                               \
  X(int64_t, maskedWork, 2048, "elements", "fewer take no longer than their launch", "derived")   \
  /* Results past the caches, see lower/stream_results.h. */                                      \
  X(int64_t, streamBytes, 512, "bytes", "of a line of a result at least: what is at its ends is " \
    "read all the same",                                                                          \
    "bench_tuning.py, 250 fusions: a quarter to four times as much change no kernel")             \
  X(int64_t, streamGroup, 64, "elements", "that are computed between two copies: four vectors "   \
    "of float, which stay in registers",                                                          \
    "a scaled slice from 3.1 or 5.2 ms to 2.5 ms, against parts of 4 KB in memory")               \
  X(int64_t, streamPart, 4096, "elements", "of a loop that workers share where it is the only "   \
    "one", "silu(x) * y from 0.68 to 0.57 times the time of eager torch")                         \
  X(int64_t, streamRow, 1024, "elements", "of a row whose reductions are waited for: behind it "  \
    "the processor may wait until memory has taken it",                                           \
    "bench_tuning.py, 250 fusions: a quarter to four times as much change no kernel")             \
  X(int64_t, streamColumns, 128, "columns", "of a row that a stage of its own writes",            \
    "batch norm of 32768 x 512 from 6.4 to 5.6 ms")                                               \
  /* Memory that is requested ahead, see lower/prefetch.h. */                                     \
  X(int64_t, resultRowBytesLeast, 16 * 1024, "bytes", "of a row of the result that is requested " \
    "ahead: loops over a shorter one are over before memory has answered",                        \
    "layer norm of 4096 x 4096 in float32 from 5.1 to 4.0 ms; shorter rows lose")                 \
  X(int64_t, resultRowBytesMost, 32 * 1024, "bytes", "of such a row; longer ones take the place " \
    "of what is read", "as resultRowBytesLeast: rows of 32 KB lose")                              \
  X(int64_t, nextRowElements, 1024, "elements", "of the next row that is requested: the "         \
    "processor finds shorter ones by itself",                                                     \
    "bench_tuning.py: half 1.01 times as long, twice changes no kernel")                          \
  X(int64_t, nextRowBytes, 256 * 1024, "bytes", "of all that is read of a row, at most: a longer "\
    "one would take the place of this one",                                                       \
    "a quarter of the L2 cache of a core; bench_tuning.py: half 0.99, twice 1.00 times as long")  \
  X(int64_t, nextRowGroup, 64, "elements", "for which requests are made together, and whose "     \
    "accumulators stay in registers",                                                             \
    "bench_tuning.py: half 1.02, twice 0.99 times as long")                                       \
  X(int64_t, nextRowVectors, 4, "vectors", "that an iteration computes meanwhile",                \
    "bench_tuning.py: half 0.99, twice 1.01 times as long")                                       \
  X(int64_t, farRowStride, 2 * 1024, "bytes", "from one short row to the next, at least: nearer "  \
    "ones the processor finds by itself",                                                         \
    "heads of 64 bfloat16 split from rows of 12 to 16 of them: from 6.5 to 1.4 and from 8.3 to "  \
    "1.9 ms")                                                                                     \
  X(int64_t, farRowBytes, 1024, "bytes", "of such a row at most: in a longer one the processor "  \
    "finds a stream", "derived: 16 lines of memory")                                              \
  X(int64_t, farRowsAheadBytes, 8 * 1024, "bytes", "of such rows that are requested ahead",       \
    "as jamAheadBytes")                                                                           \
  X(int64_t, farRowsAheadMost, 8, "rows", "ahead, at most",                                       \
    "heads of 64 bfloat16: 1.62 ms with one, 1.35 with 2, 1.32 with 4 and 8")                     \
  /* Products in steps beside their communication, see multidevice/steps.h. */                    \
  X(double, stepTeraoperations, 1, "10^12 operations per second", "of a large product",           \
    "derived: without a link, steps are never chosen")                                            \
  X(double, stepLinkGigabytes, 0, "10^9 bytes per second", "that a process sends to the next one; "\
    "0: steps are never chosen", "derived: gloo sends by threads that products have a use for")   \
  X(double, stepMemoryGigabytes, 20, "10^9 bytes per second", "that are read and written to put " \
    "parts together and to add them",                                                             \
    "derived: without a link, steps are never chosen")                                            \
  X(double, stepMicroseconds, 200, "us", "of each step of a ring more than of the work at once",  \
    "derived: without a link, steps are never chosen")
// clang-format on

#define NVF_FIELD(type, name, value, unit, meaning, evidence) type name = value;
struct CpuTuning {
  NVF_CPU_TUNING(NVF_FIELD)
};
#undef NVF_FIELD

}  // namespace nvfuser
