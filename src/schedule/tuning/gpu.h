// The numbers that schedules for devices with threads were tuned with.
//
// Figures were measured on an H200 by bench/bench_kernels.py --device cuda, at 8192 x 8192 elements
// where no size is given. "bench_tuning.py, H100: half 1.02 of 3, twice none" says that half of a
// number takes 1.02 times as long, the geometric mean of the 3 kernels of that bench which it
// changes, and that twice as much changes none. Numbers whose evidence is "not measured" are as
// they were first chosen.
#pragma once

#include <cstdint>

namespace nvfuser {

// X(type, name, value, unit, meaning, evidence): the evidence is the command of a bench and what
// the value gained there, or what it is derived from.
// clang-format off
#define NVF_GPU_TUNING(X)                                                                         \
  /* Accesses of memory. */                                                                       \
  X(int64_t, vectorBytes, 16, "bytes", "of the widest access, with elements of the narrowest "    \
    "type", "derived from the widest load of sm_90 and earlier")                                  \
  X(int64_t, accessesOfVector, 2, "accesses", "at most that elements of the widest type take for "\
    "such a vector", "bench_tuning.py, H100: half 1.00 of 27, twice 1.03 of 10")                  \
  X(int64_t, storesOfVector, 1, "accesses", "the same of what is written, of which each would be "  \
    "half of the sectors that it touches", "bench_tuning.py, H100: twice 1.09 of 17")              \
  X(int64_t, alignedVectors, 8, "vectors", "that rows have at least whose elements threads have "  \
    "in the vectors of memory, where no vector fits a row", "bench_tuning.py, H100: single "       \
    "elements 1.04 of the time of 32 such kernels, the most 1.80, the least 0.77; rows of 17 "     \
    "0.90 to 0.96")                                                                                \
  X(int64_t, alignedOthers, 1, "tensors", "along such rows that begin elsewhere, at most: their "  \
    "elements are loaded one by one", "bench_tuning.py, H100: two 0.96 of the time of 4 kernels, " \
    "from 0.81 to 1.13")                                                                          \
  X(int64_t, alignedOthersWidth, 4, "elements", "of such rows that are vectors, for each element " \
    "of others at most, where there are more of these", "H200: with four of two bytes, and the "  \
    "same of two and of four bytes, sums and layer norms with weights of 8192 x 2047 to 4096 x "  \
    "16383 take 0.45 to 0.88 of the time; with two of two bytes 1.04 to 1.2")                     \
  X(int64_t, alignedOthersRow, 2000, "elements", "of such rows at least then", "of 16384 x 1025 " \
    "float32, layer norm: 41.2 to 44.6 us, of 8192 x 2047 44.2 to 42.2")                          \
  X(int64_t, elementsOfVector, 16, "elements", "of a vector at most",                             \
    "bench_tuning.py, H100: half 1.02 of 7, twice none")                                          \
  X(int64_t, lineBytes, 128, "bytes", "of a line of memory that threads of a warp read together", \
    "derived from the architecture")                                                              \
  X(int64_t, sectorBytes, 32, "bytes", "of a line that memory transfers at least",                 \
    "quantize of columns of 71 x 64 bfloat16, H200: 8.0 us with whole lines, torch.compile 5.4")  \
  X(int64_t, fewColumnShare, 32, "share", "of the L2 cache that tensors have at most whose blocks " \
    "have less than a sector of each row", "statistics of 32 x 16 x 112 x 112 float32 "            \
    "channels-last, H200: 16 us more with 8 bytes")                                                \
  X(int64_t, fewColumnBytes, 8, "bytes", "of a row that these have at least", "quantize of columns of 2086 x 64 float32, H200: 15.1 us with "  \
    "8 blocks of 32 bytes, torch.compile with three kernels 9.5")                                  \
  X(int64_t, fewColumnRows, 4096, "rows", "of such columns in registers at most, if most of the "  \
    "device has none", "estimated: a multiprocessor reads about a sector of a row in a cycle, so " \
    "that these take 2.5 us, as two more launches do")                                             \
  X(int64_t, bankBytes, 4, "bytes", "of a bank of shared memory", "derived from the architecture")\
  X(double, keptTimes, 4, "times the L2 cache", "moved by a kernel whose inputs are the last to " \
    "leave the cache, which has more of them next time",                                          \
    "1 % faster at four times the cache, 3 % at eight, up to 5 % slower at its size; cat 130.6 "  \
    "to 128.3 us")                                                                                \
  X(double, keptTimesOfShortRows, 3, "times the L2 cache", "as keptTimes, of persistent rows "    \
    "shorter than a warp; below that they leave it first",                                        \
    "first is 3 % faster up to the size of the cache; bench_tuning.py, H100, with 1.5: twice "    \
    "0.92 of 2")                                                                                  \
  X(double, streamedTimes, 5, "times the L2 cache", "moved by a reduction of columns, below which"\
    " these leave the cache first",                                                               \
    "10 to 12 % faster up to twice the cache, 2 % at four times, 2 to 4 % slower at eight; rows " \
    "always: 1 % faster, 12 % without vectors")                                                   \
  X(int64_t, sharedCacheShare, 16, "share", "of the L2 cache that an input has at least, read "    \
    "several times, beside which others are not the last to leave it",                            \
    "softmax of 10 x 12 x 512 x 512 with a bias from 85.5 to 78.2 us, of bfloat16 at 48 x 16 x "  \
    "512 x 512 from 225 to 214; 8 x 4 Mi elements plus a row from 95 to 88.6, H200")              \
  X(int64_t, readOnceShare, 16, "share", "inputs with so small a part of the elements of the "    \
    "largest tensor are read again and again",                                                    \
    "bench_tuning.py, H100: half none, twice 1.00 of 1")                                          \
  /* What runs at a time. */                                                                      \
  X(int64_t, registersOfThread, 64, "registers", "of a thread that loads several vectors, which " \
    "bounds the blocks of a multiprocessor",                                                      \
    "derived: the 8 blocks of 128 threads and 4 of 256 that kernels were tuned with")             \
  X(int64_t, registersWithoutVectors, 40, "registers", "of a thread without vectors",             \
    "bench_tuning.py, H100: 32 rather than 40 1.02 of 11, 48 1.05 of 6; a bias gradient of "      \
    "21133 x 511 in one wave of blocks rather than two, 99 to 49 us")                             \
  X(int64_t, groupedBytes, 32 << 20, "bytes", "that a kernel moves at most to share a launch "    \
    "with others", "bench_tuning.py, H100: half and twice change no kernel of its 196 fusions")   \
  /* Element-wise operations. */                                                                  \
  X(int64_t, unfusedThreads, 128, "threads", "of a block of an expression with a kernel of its "  \
    "own", "bench_tuning.py: changes none of its kernels")                                        \
  X(int64_t, pointwiseThreads, 128, "threads", "of a block of element-wise operations",           \
    "bench_tuning.py, H100: half 1.01 of 72, twice 1.00 of 71")                                   \
  X(int64_t, manyBlocks, 2, "blocks", "of these for each multiprocessor from which on a block has "  \
    "twice as many", "H200: bands of 236 x 192 x 3 positions 11.1 to 10.0 us, 213 others 0.996, "  \
    "from 0.93 to 1.03")                                   \
  X(int64_t, rowThreadsStep, 8, "threads", "of which blocks along short rows have a multiple at "  \
    "most, if that is no power of two; an eighth of a row where that is less",                    \
    "bench_tuning.py, H100: 12 rather than 16 threads for 96 channels of float16 0.75 of one, "   \
    "twice 1.02 of one")                                                                          \
  X(double, rowThreadsGain, 0.02, "share", "of the threads that must have work more for a number "  \
    "that is no power of two", "not measured")                                                     \
  X(int64_t, pointwiseBytesInFlight, 32, "bytes", "that a thread should have on its way from or "  \
    "to memory to hide the latency",                                                              \
    "32 rather than 64: a slice from 1.01 to 1.00 of the time of torch.compile, cat from 1.03 to "\
    "1.016; what is stored counted, too: bytes of 4096 x 3072 with scales of rows 20.5 to 19.7 us, "\
    "two results of 4096 x 4096 float32 55.6 to 53.6, but bytes as bfloat16 16.2 to 16.7")         \
  X(int64_t, pointwiseUnroll, 4, "vectors", "that a thread loads at once, at most; a row must "   \
    "have so many times more to be unrolled itself",                                              \
    "reads of one row are up to 1 % faster than of several")                                      \
  X(int64_t, dividedTensors, 3, "tensors", "whose elements are each found by a division, at most, "\
    "so that vectors fit rows that are merged", "not measured")                                  \
  X(int64_t, pointwiseBusyShare, 8, "share", "of the threads that a device runs have a vector of "\
    "elementsOfNarrowVector before each has more", "172 fusions of up to 8 MB, H200: vectors of 4 "\
    "rather than 8 elements 0.86 to 1.00 of the time below this, 1.00 to 1.06 above it")           \
  X(int64_t, elementsOfNarrowVector, 4, "elements", "see pointwiseBusyShare",                     \
    "as that; two elements 0.79 to 1.05")                                                         \
  X(int64_t, singleElementShare, 16, "share", "of the threads that a device runs, below which each "\
    "has a single element", "adamw of 64 x 7, H200: 4.8 to 4.1 us (torch.compile "   \
    "3.9); fusions of up to 0.4 MB: 1.03 of the time of 8 without, from 0.98 to 1.24; half and "  \
    "twice 0.99 of 3 and 2")                                                                \
  X(int64_t, longElement, 24, "instructions", "of an element, about, from which on a thread has "  \
    "as many elements as the square root of what a longElementShare of the threads that a device "   \
    "runs would have each",        \
    "H200: overlaps of 300 and 100 boxes in float16 4.8 to 4.0 us, sines added to 16 x 17 x 512 "  \
    "6.2 to 5.1; an inference batch norm of 16 x 64 x 7 x 7 4.8 to 4.6")                           \
  X(int64_t, longElementShare, 8, "share", "as longElement",                                       \
    "H200: prices of 512 x 1024 options 9.6 us with four elements, 8.9 with two; a chain of 196608 "  \
    "bfloat16 4.80 with one, 4.67 with two, 4.77 with four; frequencies of 73728 rays 4.16, 4.35 "    \
    "and 4.58, of 349200 5.28, 5.02 and 5.25")                                                      \
  X(double, instructionsOfByte, 6, "instructions", "of a device while memory moves a byte, above "   \
    "which threads of elements have one vector", "derived: 132 x 128 at 1.7 GHz, 4.8 TB/s")           \
  X(int64_t, elementsOfComputingThread, 8, "elements", "of a thread at most, where its elements "  \
    "take longer than memory", "H200: images of 32 x 227 x 227 bytes as bfloat16 15.6 us with one, "  \
    "10.8 with two, 9.2 with four and eight; of 64 x 256 x 256 15.3 with four, 13.6 with eight")   \
  X(double, fewLoadsApart, 1, "loads", "as loadsOfByte, for which vectors stay as they are",       \
    "H200: pads and differences of rows were at their best with whole vectors; of two loads, gates " \
    "and what they scale in turn take 14.9 us with narrower ones, 17.7 with whole ones, and 28 "     \
    "others of any kind the same")                                                                 \
  X(double, loadsOfByte, 1.7, "loads", "of single elements of a vector, of which a warp finds each "  \
    "of its threads' in another part of memory, that take as long as a byte of an element",        \
    "derived: a line for each cycle of a multiprocessor, 4.2 TB/s; H200: seven-point stencil of "  \
    "8 x 1000 x 1024 float32 37.1 us with vectors of four, 30.9 with two, 26.5 with one")          \
  X(int64_t, slicesAnywhere, 2, "slices", "of an input at most that are read in vectors of narrow "   \
    "elements wherever they begin", "H200: medians of three neighbours of 47 x 320 x 38 x 38 "        \
    "bfloat16 46.3 us with three, torch.compile, which loads single elements, 34.5; a slice of "    \
    "8192 x 8192 68.6 with one, 83.9 with single elements")                                           \
  X(int64_t, elementsReadAcross, 4, "elements", "of a vector at most, where an input does not lie "\
    "along it: each of these is in another line", "H200: 16 take 1.00 of the time of 10 upsamplings "\
    "and shuffles, from 0.98 to 1.03, but 15.0 us rather than 9.7 for a shuffle of 190 x 24 x 32 x "\
    "32 float16")                                                                                 \
  X(int64_t, lookupThreads, 1024, "threads", "of a block whose rows are looked up: what they "    \
    "share of a row comes from the cache", "bench_tuning.py, H100: half 1.05 of 4, twice none")   \
  X(int64_t, lookupCacheShare, 4, "share", "of the L2 cache that rows read at positions of a "    \
    "tensor have, beside all the rest", "bench_tuning.py: changes none of its kernels")           \
  X(int64_t, anyRowColumns, 32, "columns", "of a block whose elements are each in any row: as "   \
    "many as lie in a line of memory", "derived from lineBytes and elements of 4 bytes")          \
  /* Tiles of transposed inputs. */                                                               \
  X(int64_t, tileSide, 64, "elements", "of a tile",                                               \
    "bench_tuning.py, H100: half 1.02 of 5, twice 1.18 of 5")                                     \
  X(int64_t, smallTileSide, 32, "elements", "of a tile of elements without vectors, or wider "    \
    "than wideElementBytes: more blocks are busy",                                                \
    "without vectors, 4095 x 4097: 43.8 to 40.6 us")                                              \
  X(int64_t, wideElementBytes, 4, "bytes", "wider elements have small tiles",                     \
    "bench_tuning.py, H100: half 1.00 of 3, twice none")                                          \
  X(int64_t, tileThreads, 1024, "threads", "of a tile: as many as it has vectors, at most",       \
    "relu(x.t() + y) 195.8 to 191.3 us; with words of two elements a transpose of bfloat16 "      \
    "111.7 to 101.5 us")                                                                          \
  X(int64_t, smallTileThreads, 256, "threads", "of a small tile, each of which has four elements",\
    "relu(x.t() + y) of 4095 x 4097: 62.5 to 59.4 us")                                            \
  /* Scatters into rows in shared memory. */                                                      \
  X(int64_t, scatterRowThreads, 256, "threads", "that copy a row, write into it and copy it back",\
    "bench_tuning.py, H100: twice 1.06 of 3")                                                     \
  X(int64_t, scatterRowBytes, 48 * 1024, "bytes", "of a row at most",                             \
    "derived: what a kernel has without asking for more")                                         \
  /* Scans. */                                                                                    \
  X(int64_t, scanThreads, 512, "threads", "of a block where there are blocks enough",             \
    "bench_tuning.py, H100: half 0.99 of 2, twice 1.01 of 1")                                     \
  X(int64_t, scanShortRowThreads, 128, "threads", "of a block that scans several rows",           \
    "bench_tuning.py, H100: half none, twice 1.02 of 3")                                          \
  X(int64_t, elementsOfScanningThread, 9, "elements", "of a row that one thread scans alone, at "   \
    "most", "H200: 200000 x 5 float32 11.6 to 6.3 us, 1000000 x 9 float16 79 to 40; 40000 x 13 "     \
    "float32 7.0 to 7.6")                                                                          \
  X(int64_t, scanningThreadsShare, 8, "share", "of the threads that a device runs, for which there " \
    "are rows at least that threads scan alone", "not measured")                                    \
  X(int64_t, scanBytes, 128, "bytes", "of a chunk that a thread keeps in registers",              \
    "bench_tuning.py, H100: half 1.04 of 5, twice 1.03 of 4")                                     \
  X(int64_t, scanVectors, 16, "vectors", "of a chunk that a thread keeps, at most",               \
    "bench_tuning.py, H100: half 1.14 of 3, twice 1.01 of 2")                                     \
  X(int64_t, scanPartElements, 4096, "elements", "of a part of a row that is worth a block",      \
    "cumsum of 4M elements by blocks that share it: 1043 to 22.7 us")                             \
  X(int64_t, scanPartsLeast, 8, "parts", "fewer are not worth the kernels that they need",        \
    "bench_tuning.py, H100: half 1.01 of 1, twice none")                                          \
  /* Reductions. */                                                                               \
  X(int64_t, innerReductionThreads, 512, "threads", "of a block that reduces rows, at most",      \
    "sum of rows 70.5 to 69.2 us, of 4095 x 4097 22.2 to 21.4, in bfloat16 18.1 to 15.3, with "   \
    "equal rounds")                                                                               \
  X(int64_t, innerReductionThreadsLeast, 128, "threads", "of such a block",                       \
    "bench_tuning.py, H100: half 1.00 of 3, twice 1.00 of 6")                                     \
  X(double, idleLanes, 0.1, "share", "of the threads of warps that have no vector of a row, from "  \
    "which on a part of a warp has it, where what is computed takes longer than memory", "H200: "  \
    "likelihoods of 52428 x 320 bfloat16 119.6 to 75.1 us, float32 88.2 to 72.7, of 50382 x 333 "   \
    "bfloat16 121.7 to 87.9; argmax of 52428 x 320 24.4 to 18.4, of 32832 x 511 22.3 to 23.4; dot " \
    "products, which wait for memory, of 511 22.0 to 24.5")                                        \
  X(int64_t, roundsOfOneBlock, 2, "rounds", "of a row that one block reduces rather than several " \
    "and another kernel", "H200: a potential of all pairs of 64 points 6.9 to 5.6 us")                                                                 \
  X(double, oneRoundSlack, 1.25, "share", "of what a thread loads at once that one round of the " \
    "largest block may be, rather than several rounds", "as innerReductionThreads")               \
  X(int64_t, vectorsOfOneThread, 4, "vectors", "that are reduced by one thread rather than by "   \
    "several", "sums of 2 x 2 windows of 155 x 512 x 14 x 14, maxima of 64 x 320 x 28 x 28 in "   \
    "bfloat16: by two threads 132 and 85 us, torch.compile 27 and 19")                            \
  X(int64_t, elementsOfOneThread, 8, "elements", "of a row that one thread reduces: a warp has a "  \
    "line of all its rows for each, which takes no longer than memory", "argmax of 32768 x 7 "      \
    "float16 with eight threads a row, H200: 5.2 us, 4.1 with one, of 2048 x 6 float32 with four "   \
    "4.5 and 4.1")                                                                                  \
  X(int64_t, outerReductionThreads, 256, "threads", "of a block that reduces columns, or of one " \
    "between reductions", "bench_tuning.py, H100: half 1.02 of 17, twice 1.04 of 16")             \
  X(int64_t, reductionUnroll, 4, "vectors", "that a thread loads at once, of wide ones",          \
    "bench_tuning.py, H100: half 1.03 of 19, twice 1.03 of 16")                                   \
  X(int64_t, longReductionUnroll, 1, "vectors", "that a thread loads at once of rows whose "       \
    "elements take long (longElement)", "H200: likelihoods of 27691 x 1024 135 to 104.5 us (two "  \
    "107.5), a focal loss of 18000 10.4 to 7.5")                                                  \
  X(int64_t, exponentialsUnroll, 8, "vectors", "that a thread loads at once where it sums up "    \
    "exponentials", "H200, cross-entropy of 134 M elements: 2670 x 50257 bfloat16 93.5 to 81 us, "\
    "512 x 262144 92 to 74")                                                                      \
  X(int64_t, wholeColumnRows, 16, "rows", "of columns that threads have alone, at most", "H200: "\
    "mean and deviation of windows of 10 of 32 x 4000 float32 14.6 to 6.3 us, weighted windows "  \
    "of 16 of 32 x 1024 7.1 to 6.6; with 32 rows 1.005 of 35")                                    \
  X(int64_t, wholeColumnRowsOfMany, 64, "rows", "of columns that threads have alone, at most, where "  \
    "there are wavesOfWholeColumns times as many columns as a device runs threads", "H200: mean and "  \
    "deviation of windows of 20 of 256 x 4096 float32 100.9 to 10.6 us, means of windows of 25 of "    \
    "32 x 336 x 321 88.9 to 52.6 with what pads them, 28 others of any kind as before")                \
  X(int64_t, wavesOfWholeColumns, 2, "waves", "see wholeColumnRowsOfMany", "not measured")             \
  X(int64_t, rowsOfColumnThread, 4, "rows", "of a thread that shares columns with others, at least, "  \
    "where there are many more blocks than a device runs, and the times as many that these are",       \
    "H200: 32768 rays of 64 colors 50.0 to 35.0 us, 29 others of any kind as before")                  \
  X(int64_t, fewBlocksShare, 3, "share", "of the multiprocessors that have blocks of columns, below "  \
    "which these are of narrower vectors", "H200: gradient of a gelu and its bias of 128 x 1024 "  \
    "float16 with 16 blocks 7.7 us, 32 7.1, 64 5.5, 128 5.4")                                      \
  X(int64_t, columnThreads, 256, "threads", "of a block of threads that have whole columns, at "  \
    "least", "sums and maxima of windows, H200: half 1.08 of 7")                                  \
  X(int64_t, outerReductionUnroll, 8, "vectors",                                                  \
    "that a thread loads at once of columns, at most",                                            \
    "bench_tuning.py, H100: half 0.98 of 4, twice 1.05 of 4")                                     \
  X(int64_t, reductionBytesInFlight, 32, "bytes",                                                 \
    "that a thread loads at once, of narrow vectors",                                             \
    "sums of 4095 x 4097: rows 29 to 25.8 us, in bfloat16 22.4 to 18.8; columns 36.7 to 30.4, "   \
    "29.2 to 23.1")                                                                               \
  X(int64_t, unrollOfNarrowElements, 16, "vectors", "that it loads at once then, at most",        \
    "as reductionBytesInFlight")                                                                  \
  X(int64_t, rowsOfOneBlock, 256, "rows", "of a column that one block reduces rather than several"\
    " and another kernel", "sum of columns of 128 x 128: 6.5 to 4.4 us")                          \
  X(int64_t, rowsOfPairs, 4096, "rows", "of these at most: more take longer than another launch, "   \
    "and a multiprocessor has a quarter of its threads", "estimated")                              \
  X(int64_t, columnsOfPairs, 4, "columns", "of a block that reduces all of what is computed of "  \
    "pairs, at least", "H200: nearest of 2048 points 12.4 to 10.3 us, of 1000 8.4 to 8.7; half "   \
    "and twice 1.00 of 16")                                                            \
  X(int64_t, reductionParts, 1024, "parts", "of a row or column that blocks reduce, at most",      \
    "H200: 22 sums and moments of long columns and of all take 0.95 of the time with 256, from "  \
    "0.71 (moments of 546865 x 96 bfloat16, 82 to 58 us) to 1.01")                                     \
  X(int64_t, reductionWaves, 4, "waves", "of blocks that parts of rows make: so that multi"       \
    "processors end at about the same time", "derived: the 8 blocks for each that it was tuned "  \
    "with")                                                                                       \
  X(int64_t, combiningShare, 4, "parts", "for each vector of columns that a block which combines "\
    "them has fewer: so there are as many blocks as computed the parts",                          \
    "statistics of batch_norm were combined in 11 us by four blocks")                             \
  /* Rows in registers. */                                                                        \
  X(int64_t, persistentBytesInFlight, 128, "bytes",                                               \
    "of a row that a thread reads before it waits",                                               \
    "128 rather than 64, bfloat16: softmax 75.6 to 71.0 us, layer_norm 73.2 to 71.7, rms_norm "   \
    "70.4 to 69.4")                                                                               \
  X(int64_t, busyShare, 2, "share", "of the threads that a device runs have one vector of a row " \
    "before each has more", "bench_tuning.py, H100: half 1.01 of 19, twice 1.01 of 13")           \
  X(int64_t, persistentVectors, 8, "vectors", "that these are at most",                           \
    "bench_tuning.py, H100: half 0.97 of 15, twice 0.93 of 1")                                    \
  X(int64_t, idleRowShare, 64, "share", "of the threads that a device runs, up to which more of "    \
    "them have a part of rows shorter than a warp",                                               \
    "H200: cosines of 100 x 64 float32 4.6 us without, 4.2 with 64 and with four; norms of 136 "  \
    "heads of 32 4.42, 4.22 and 4.34")                                                            \
  X(int64_t, idleColumnShare, 4, "share", "of the threads, up to which more have a part of columns", \
    "H200: softmax over 24 channels of 11 x 14 x 14 float32 5.3 us with 16, 5.1 with eight, 4.9 " \
    "with four")                                                                                  \
  X(int64_t, elementsOfRowThread, 4, "elements", "of a row for each thread, at least, where vectors " \
    "are of fewer", "H200: embedding and layer norm of 1024 x 257 float32 6.5 to 5.4 us (eight: "  \
    "5.4), rms norm of 1502 x 511 5.98 to 5.95 (eight: 6.11)")                                     \
  X(int64_t, vectorsOfWarpRows, 2, "vectors", "of a row for each thread of a warp, at most, that "  \
    "one warp has rather than several, where rows are enough", "not measured")                     \
  X(int64_t, warpRowsShare, 8, "share", "of the threads that a device runs that have such rows at "  \
    "least", "H200: layer norms of 2048 to 4000 x 256 to 512 0.98 to 0.93 of the time of 2, softmax "  \
    "0.98, cosine similarity 0.97, RMS norms 1.01; of 1024 rows all the same")                       \
  X(double, heldShare, 0.7, "share", "of the elements that threads have registers for that a row "\
    "has, below which its vectors are half as wide, if that is at least half of vectorBytes",     \
    "H200: softmax backward of 16384 x 127 float32, 0.50 with vectors of four, 15.7 to 12.5 us "  \
    "with two; softmax of 30000 x 333 bfloat16, 0.65, 19.9 to 17.7; of 16384 x 1023, 0.80, 25.6 " \
    "to 27.8")                                                                                    \
  X(int64_t, fewFunctions, 1, "functions", "of each element; with more, what the threads compute "\
    "takes longer than memory", "as heldShareOfFunctions")                                        \
  X(double, heldShareOfFunctions, 0.85, "share", "the same with more than fewFunctions",          \
    "kl_div of the softmax of 16384 x 1023 bfloat16, 0.80, H200: 83.4 to 78.7 us")                \
  X(int64_t, vectorsOfShortRows, 4, "vectors", "of a thread of a row shorter than a warp, at most",\
    "layer norm of 54738 x 31 float16, H200: 10.8 us with one, 8.3 with two, 7.4 with four; 21 "  \
    "norms and softmax of 7 to 65 elements: 0.61 to 1.04 of the time of torch.compile")           \
  X(int64_t, wavesOfWarps, 2, "waves", "of blocks of one warp that a device runs at a time, below "\
    "which a block has several rows", "rms norm of 6343 x 384, instance norm of 6144 x 1024 "      \
    "float16, H200: 0.94 of the time with four rows; layer norm of 16384 x 384 float32 1.03")      \
  X(int64_t, earlyWaves, 1, "waves", "of blocks of rows, below which what only the last stage needs "\
    "is read before the first one", "layer norm of 1024 x 1023 float32, H200: 9.2 to 6.9 "    \
    "us; four waves and all 1.00 of one")                                                        \
  X(int64_t, rowAccessesOfVector, 1, "accesses", "as accessesOfVector, of rows that are longer "  \
    "than a warp", "bench_tuning.py of accessesOfVector: softmax of 32x2048x2048 float32 under a "\
    "mask of bool 0.77 of the time with 1")                                                       \
  X(int64_t, persistentBytes, 384, "bytes", "that a thread may keep in registers",                \
    "derived: 96 of the 128 registers that a thread of 512 has")                                  \
  X(int64_t, persistentBytesOfLargeBlock, 128, "bytes", "that a thread of a block of more than "  \
    "half of the largest may keep", "derived: 32 of the 64 registers that a thread of 1024 has")  \
  X(int64_t, persistentColumnBytes, 384, "bytes", "of columns that a thread keeps in registers, " \
    "with a value in single precision for each element", "derived: 96 of the 128 registers that " \
    "a thread of 512 has; H200: layer norm over the channels of 8 x 512 x 56 x 56 float16 33.3 us "  \
    "in stages, 21.7 with 384")                                                                    \
  X(int64_t, elementsOfColumnVector, 4, "elements", "of a vector of such columns at most: threads "  \
    "exchange a value for each", "H200: the same 21.7 us with eight, 20.5 with four, 23.7 with two; " \
    "l2 norm of 32 x 128 x 56 x 56 bfloat16 19.1, 16.5 and 17.0")                                  \
  X(int64_t, wholeColumnThreads, 128, "threads", "of a block of threads that read whole columns "   \
    "along memory, if there are enough for a busyShare of the device", "H200: softmax over the "    \
    "channels of 64 x 32 x 64 x 64 float32 channels-last 26.9 to 24.1 us, of 16 channels 16.3 to "  \
    "12.4; half and twice 1.00")                                                                   \
  X(double, runSlack, 1.125, "share", "of the rows that share what was reduced of them that their "\
    "blocks may have threads for", "bench_tuning.py, H100: half (none of it) 1.02 of 1; a thread "\
    "of an instance norm of 32 x 512 x 28 x 28 channels-last needs 45 registers rather than 102") \
  X(int64_t, acrossElements, 1 << 20, "elements", "of an input that a normalization in one kernel "\
    "reads across memory, at most: more are read along it by several", "bench_tuning.py, H100: "\
    "half and twice change no kernel of 300 fusions; estimated: a warp has a line for each of 32 "\
    "elements, which takes a device 4 us then, as two more launches do")                          \
  /* Rows in shared memory, into which they are copied without registers. */                       \
  X(int64_t, heldElements, 16384, "elements", "of a row at most that one block has in registers, " \
    "if several blocks of a multiprocessor can have one in shared memory",                         \
    "H200: softmax of 4096 x 32768 bfloat16 163.9 to 129.9 us, rms norm 137.9 to 130.1; with half " \
    "layer norm of 8192 x 16384 bfloat16 151.4 rather than 135.9")                                 \
  X(int64_t, sharedRowsShare, 2, "share", "of the multiprocessors that have a row, or a part, at "\
    "least", "H200, times of separate stages over it: 1.20, 1.26, 0.96 and 1.20 for 66 and 100 "   \
    "rows; with 33 rows 0.93 and 1.00")                                                            \
  X(int64_t, sharedRowBlocks, 3, "blocks", "of a multiprocessor that have rows in shared memory, " \
    "if clusters let these be small enough", "H200, softmax, rms and layer norm of 2048 x 65536 "  \
    "bfloat16: 141, 143 and 172 us; with two 160, 153 and 186, with four 165, 179 and 188")        \
  X(int64_t, sharedRowWaves, 2, "blocks", "of clusters for each multiprocessor at least, where it "  \
    "runs one at a time", "H200: layer norm of 16 x 262144 float32 with one 25.2 us, separate stages 19.7; of "  \
    "100 x 262144 88.8 and 90.0")                                                                  \
  X(int64_t, sharedRowThreads, 512, "threads", "of one of several such blocks",                    \
    "H200, as sharedRowBlocks: half 142, 152 and 175 us")                                          \
  X(int64_t, sharedRowUnroll, 2, "vectors", "that its threads read at once of what is not in "     \
    "shared memory, if these are wide", "H200: layer norm of 4473 x 30000 bfloat16 148 us, half "  \
    "159, twice 400; of 1046 x 128256 float32, whose vectors are narrow, 541 and with one 349")    \
  X(int64_t, aheadRowThreads, 1024, "threads", "of all blocks of a multiprocessor that go from "   \
    "row to row, a power of two for each block", "H200, rms norm of 2048 x 65536 float32, of the "  \
    "speed of a copy: three blocks of 256 0.94, two of 512 0.87, one of 1024 0.90, a row for each " \
    "block 0.81")                                                                                  \
  X(int64_t, aheadRegisters, 16, "registers", "of their threads at least beside what they have of " \
    "weights", "H200: layer norm of 1365 x 98304 float32, with 48 words of weights and 64 "         \
    "registers, 0.91 of the speed of a copy, 0.71 with a row for each block")                       \
  X(int64_t, aheadRowBytes, 64 << 10, "bytes", "of rows in the shared memory of a multiprocessor, " \
    "that such blocks are to have more than", "H200: with 64 KB layer norm of 512 x 262144 float32 " \
    "0.65 of the speed of a copy, a row for each block 0.70; with 80 KB 0.94 and 0.72")             \
  /* Rows in registers, and sums over them. */                                                    \
  X(int64_t, sumsOfThread, 48, "sums", "of columns that a thread accumulates while it goes from " \
    "row to row, at most", "derived: as many of the 128 registers that a thread of 512 has")      \
  X(int64_t, columnRowThreads, 256, "threads", "of a row whose columns are summed, where these "  \
    "are enough for its sums", "bench_tuning.py: changes none of its kernels")                    \
  X(int64_t, columnBlockThreads, 1024, "threads",                                                 \
    "of all blocks of a multiprocessor that go from "                                             \
    "row to row", "bench_tuning.py, H100: half 1.06 of 2, twice 0.88 of 2")                       \
  X(int64_t, columnBytesInFlight, 64 << 10, "bytes", "that the threads of a multiprocessor read "  \
    "before they reduce their rows, where more threads or registers do not win any more",          \
    "H200, 56 norms' backward passes: all together 0.90 of the time that most threads alone take, " \
    "least 0.70, most 1.15")                                                                       \
  X(int64_t, columnBytesStep, 8 << 10, "bytes", "of these that clearly are more",                  \
    "derived: a quarter of what 1024 threads read with a vector of two tensors each")              \
  X(int64_t, aheadRows, 4, "rows", "of a block at least of which the next one is copied to shared " \
    "memory while one is computed, where registers are too few for rows or one block has those of "\
    "a multiprocessor", "H200, layer norm backward: 8192 x 12288 float32 550 to 308 us, bfloat16 " \
    "201 to 164, 2048 x 16384 bfloat16 124 to 66, 4096 x 8192 81 to 67")                           \
  X(int64_t, aheadRowsOfSeveral, 12, "rows", "the same where a multiprocessor has several blocks, " \
    "of elements that are converted", "H200, layer norm backward in bfloat16: 4096 x 5120 51 to " \
    "44 us, 6000 x 6144 74 to 67; of 2048 x 3072, where a block has 8, 23 to 32")                  \
  X(int64_t, aheadStages, 2, "stages", "that read such rows, unless registers are too few for them", \
    "H200, rms norm backward with its reciprocal computed anew: of 6000 x 6144 bfloat16 69 to 97 " \
    "us with three")                                                                               \
  X(int64_t, aheadThreads, 512, "threads", "of all such blocks of a multiprocessor, if these are " \
    "several: more have too few registers to have much under way", "H200, layer norm backward of " \
    "16384 x 2048 bfloat16: 62.8 us, with 768 64.5, with 1024 75.7")                               \
  X(int64_t, rowRegisters, 20, "registers",                                                       \
    "of a thread that goes from row to row, beside what it "                                      \
    "has of a row and its sums", "read from machine code: 41 of 40, 59 of 61, 53 of 51 in all")    \
  X(int64_t, lackingRegisters, 4, "registers",                                                    \
    "that a thread which goes from row to row may have too few: with fewer, another kernel reads " \
    "the rows again for their sums", "layer norm backward of 512 x 11008 float32, 8 too few, "     \
    "H200: 180 us; two kernels of torch.compile 36")                                              \
  X(double, rowWordsOfChecks, 1.0, "words", "of an element, beside those that are loaded and "     \
    "summed, where a thread checks what lies within a row", "read from machine code: 0.8")         \
  X(double, rowWordsOfNarrowChecks, 2.5, "words", "the same of elements that are converted",       \
    "as rowWordsOfChecks: 2 to 3; where these spill they take 1.5 to 4 times as long")             \
  X(double, rowRegistersOfWord, 1.3, "registers", "that each word of these takes, with what is "  \
    "computed from it", "as rowRegisters")                                                        \
  X(int64_t, combiningRows, 32, "threads", "that combine the sums of blocks for a column, where " \
    "a block has as many columns as a warp has threads, and more of fewer columns",               \
    "bench_tuning.py, H100: half 1.21 of 2")                                                      \
  X(int64_t, combiningColumns, 8, "columns", "of a block that combines sums, at least",           \
    "bench_tuning.py, H100: half 1.01 of 4, twice 0.99 of 7, four times 1.03 of 9")               \
  X(int64_t, recomputedOps, 4, "operations", "that are cheap and computed again in a later stage "\
    "at most, rather than to keep what they computed",                                            \
    "bench_tuning.py, H100: half 1.00 of 1, twice 1.16 of 1")                                     \
  X(int64_t, persistentRowThreads, 128, "threads", "of a block that holds several rows of whole " \
    "warps",                                                                                      \
    "a row of a warp as a block of its own, softmax of 32768 x 1024 in bfloat16: 39.9 to "        \
    "37.0 us")                                                                                    \
  X(int64_t, shortRowThreads, 128, "threads", "of a block that holds rows of known length shorter"\
    " than a warp", "bench_tuning.py, H100: half 1.00 of 14, twice 1.00 of 14")                   \
  X(int64_t, shortRowsOfThread, 2, "rows", "of these that a thread reads before it waits, where " \
    "there are blocks enough",                                                                    \
    "quantization to nvfp4 from 0.49 to 0.48 of the time of torch.compile, to mxfp8 from 1.028 "  \
    "to 1.024")                                                                                   \
  X(int64_t, shortRowWaves, 4, "times", "the blocks that a device runs at a time are such blocks, " \
    "at least", "H200: softmax of 17920 x 128 float32 under a causal mask 9.7 us with one (1.06 "  \
    "times as many), 8.9 without; of 12608 x 197 bfloat16 with a bias 10.3 and 9.2")                                                                                   \
  /* Products in steps beside their communication, see multidevice/steps.h. All devices of a */   \
  /* mesh have to decide alike: no architecture has numbers of its own here. */                   \
  X(double, stepTeraoperations, 600, "10^12 operations per second", "of a large product of 16 "   \
    "bits; wider ones take longer and hide as much",                                              \
    "bench/bench_multidevice.py: three of 8192 x 4096 x 7168 in about 2200 us")                   \
  X(double, stepLinkGigabytes, 220, "10^9 bytes per second",                                      \
    "that a device sends to the next one "                                                        \
    "of a ring", "with stepMicroseconds from layers of Llama-3-8B on two H200, without steps and " \
    "with them, the middle of three runs: feed-forward of 8192 tokens 2500 and 2410 us, of 2048 "  \
    "637 and 690, attention of 8192 1382 and 1336, of 2048 456 and 579")                                                   \
  X(double, stepMemoryGigabytes, 3000, "10^9 bytes per second", "that are read and written to "   \
    "put parts together and to add them", "derived from the data sheet")                          \
  X(double, stepMicroseconds, 40, "us", "of each step of a ring more than of the work at once: "  \
    "launches, waiting, and products that share the device with a transfer",                      \
    "as stepLinkGigabytes")
// clang-format on

#define NVF_FIELD(type, name, value, unit, meaning, evidence) type name = value;
struct GpuTuning {
  NVF_GPU_TUNING(NVF_FIELD)
};
#undef NVF_FIELD

}  // namespace nvfuser
