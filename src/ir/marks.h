// Marks: what a schedule asks of the code beyond its loops and where tensors live.
//
// A mark is data of the schedule, like a parallel type: it has all numbers that it is obeyed with,
// and no result depends on it. Schedulers choose marks from the target and the tables of tuning;
// lowering obeys them, and has no numbers of its own. A mark of which the first number is 0 asks
// for nothing. docs/scheduling.md says what each of them asks for.
//
// Whether a mark can be obeyed is sometimes seen in kernel IR only. Those of a user are required:
// then that is an error. Those of a scheduler have no effect there.
#pragma once

#include <cstdint>
#include <string>

#include "core/fields.h"

namespace nvfuser {

// X(type, name, default, meaning)
// clang-format off
// Unroll and jam: the loop over columns inside of this one, over rows, does several rows at once.
#define NVF_JAM_MARK(X)                                                                           \
  X(int64_t, rows, 0, "at once; 0: one by one")                                                   \
  X(int64_t, vectors, 1, "of columns that an iteration in machine code computes")                 \
  X(int64_t, aheadBytes, 0, "of rows that are requested before they are read; 0: none are")       \
  X(int64_t, aheadMost, 1, "times the rows at once that are requested ahead, at most")

// Rows of few columns, one behind the other in memory, are accumulated as one long row.
#define NVF_FOLD_MARK(X)                                                                          \
  X(int64_t, rows, 0, "that are one row; 0: each is one for itself")

// What rows have beside whole groups of vectors is computed by vectors of which some lanes are masked,
// instead of element by element.
#define NVF_MASK_MARK(X)                                                                          \
  X(int64_t, lanes, 0, "elements of such a vector; 0: the compiler decides what is done")         \
  X(int64_t, group, 0, "elements of which whole ones take no mask; 0: there are none")

// The row of a result that the last of several loops writes is requested behind the first of them.
#define NVF_RESULTS_AHEAD_MARK(X)                                                                 \
  X(int64_t, bytesMost, 0, "longer rows are not requested; 0: none are")                          \
  X(int64_t, bytesLeast, 0, "shorter ones are not")

// What the next iteration reads is requested while this one is computed.
#define NVF_NEXT_AHEAD_MARK(X)                                                                    \
  X(int64_t, bytesMost, 0, "that an iteration reads: of longer ones nothing is requested; 0: of " \
    "none")                                                                                       \
  X(int64_t, elementsLeast, 0, "of a row; of shorter ones nothing is requested")                  \
  X(int64_t, group, 0, "elements of a row for which requests are made together")                  \
  X(int64_t, vectors, 1, "of such a group that an iteration in machine code computes")

// Short rows that a loop inside reads, far from each other, are requested before they are read.
#define NVF_FAR_ROWS_MARK(X)                                                                      \
  X(int64_t, strideBytes, 0, "from one row to the next, at least; 0: nothing is requested")       \
  X(int64_t, rowBytes, 0, "of a row, at most")                                                    \
  X(int64_t, aheadBytes, 0, "of rows that are requested before they are read")                    \
  X(int64_t, aheadMost, 1, "rows ahead, at most")

// Reductions over rows of few elements have an accumulator for each of them.
#define NVF_APART_MARK(X)                                                                         \
  X(int64_t, elementsMost, 0, "of a row; 0: there is one accumulator")                            \
  X(int64_t, vector, 1, "elements of which rows have a multiple")                                 \
  X(int64_t, raggedElements, 0, "that are reduced together, at least, of rows of any number")

// The loop that computes a tensor has several vectors in flight.
#define NVF_INTERLEAVE_MARK(X)                                                                    \
  X(int64_t, vectors, 0, "that an iteration in machine code computes; 0: the compiler decides")

// A result is stored past the caches, in whole lines of memory.
#define NVF_STREAM_MARK(X)                                                                        \
  X(int64_t, group, 0, "elements that are computed before they are stored; 0: it is not")
// clang-format on

struct JamMark {
  NVF_FIELDS_OF(JamMark, NVF_JAM_MARK)
  explicit operator bool() const { return rows > 0; }
};
struct FoldMark {
  NVF_FIELDS_OF(FoldMark, NVF_FOLD_MARK)
  explicit operator bool() const { return rows > 0; }
};
struct MaskMark {
  NVF_FIELDS_OF(MaskMark, NVF_MASK_MARK)
  explicit operator bool() const { return lanes > 0; }
};
struct ResultsAheadMark {
  NVF_FIELDS_OF(ResultsAheadMark, NVF_RESULTS_AHEAD_MARK)
  explicit operator bool() const { return bytesMost > 0; }
};
struct NextAheadMark {
  NVF_FIELDS_OF(NextAheadMark, NVF_NEXT_AHEAD_MARK)
  explicit operator bool() const { return bytesMost > 0; }
};
struct FarRowsMark {
  NVF_FIELDS_OF(FarRowsMark, NVF_FAR_ROWS_MARK)
  explicit operator bool() const { return strideBytes > 0; }
};
struct ApartMark {
  NVF_FIELDS_OF(ApartMark, NVF_APART_MARK)
  explicit operator bool() const { return elementsMost > 0; }
};
struct InterleaveMark {
  NVF_FIELDS_OF(InterleaveMark, NVF_INTERLEAVE_MARK)
  explicit operator bool() const { return vectors > 0; }
};
struct StreamMark {
  NVF_FIELDS_OF(StreamMark, NVF_STREAM_MARK)
  explicit operator bool() const { return group > 0; }
};

// X(type, name, default, what it is called in schedules)
#define NVF_LOOP_MARKS(X)                              \
  X(JamMark, jam, {}, "unroll_and_jam")                \
  X(FoldMark, fold, {}, "fold")                        \
  X(MaskMark, mask, {}, "mask_rest")                   \
  X(ResultsAheadMark, results, {}, "prefetch_results") \
  X(NextAheadMark, next, {}, "prefetch_next")          \
  X(FarRowsMark, farRows, {}, "prefetch_far_rows")     \
  X(ApartMark, apart, {}, "accumulate_apart")

// Of a loop.
struct LoopMarks {
  NVF_LOOP_MARKS(NVF_DECLARE_FIELD)
  bool isRequired = false;

  friend bool operator==(const LoopMarks&, const LoopMarks&) = default;
  friend auto operator<=>(const LoopMarks&, const LoopMarks&) = default;

  // " jam(rows=4, ...)" for each of them that asks for something.
  std::string toString() const;
};

// When the lines that a copy reads leave the cache that all blocks share.
enum class Eviction : uint8_t { InTurn, First, Last };

// Of a tensor.
struct TensorMarks {
  StreamMark stream{};
  InterleaveMark interleave{};
  // The two innermost loops of a copy are a rectangle that is transposed in registers.
  bool isTransposedTile = false;
  // The loop that computes it makes the requests of the loop that is marked prefetch_next.
  bool hostsPrefetch = false;
  Eviction eviction = Eviction::InTurn;
  // What is copied to shared memory has two buffers there in turn: the next iteration's copy is on
  // its way while this one computes.
  bool copiesAhead = false;
  bool isRequired = false;

  std::string toString() const;
};

}  // namespace nvfuser
