// Marks of schedules: what they ask of the code beyond its loops. Defaults are those of the tables.

#include "ir/marks.h"

#include <bit>

#include "bindings/support/nodes.h"
#include "core/error.h"
#include "schedule/tuning/cpu.h"

namespace nvfuser {

namespace {

void checkAtLeast(const char* mark, const char* name, int64_t value, int64_t least) {
  NVF_CHECK(value >= least, mark, ": Expected ", name, " to be ", least, " or more but got ",
            value);
}

// The compiler is told so by name.
void checkVectors(const char* mark, int64_t vectors) {
  NVF_CHECK(vectors == 1 || vectors == 2 || vectors == 4, mark,
            ": Expected vectors to be 1, 2 or 4 but got ", vectors);
}

void checkGroup(const char* mark, int64_t group) {
  NVF_CHECK(group > 1 && std::has_single_bit(static_cast<uint64_t>(group)), mark,
            ": Expected group to be a power of two, 2 or more, but got ", group);
}

// What a user asks for takes the place of what a scheduler chose.
template <typename Node, typename Set>
void mark(Node& node, const Set& set) {
  auto marks = node.marks();
  if (!marks.isRequired) {
    marks = {};
  }
  marks.isRequired = true;
  set(marks);
  node.setMarks(marks);
}

template <typename Set>
std::shared_ptr<TensorView> markTensor(TensorView& tv, const Set& set) {
  mark(tv, set);
  return share(&tv);
}

void unrollAndJam(IterDomain& id, int64_t rows, int64_t vectors, int64_t aheadBytes,
                  int64_t aheadMost) {
  checkAtLeast("unroll_and_jam", "rows", rows, 2);
  checkVectors("unroll_and_jam", vectors);
  checkAtLeast("unroll_and_jam", "ahead_bytes", aheadBytes, 0);
  checkAtLeast("unroll_and_jam", "ahead_most", aheadMost, 1);
  mark(id, [&](LoopMarks& marks) { marks.jam = {rows, vectors, aheadBytes, aheadMost}; });
}

void fold(IterDomain& id, int64_t rows) {
  checkAtLeast("fold", "rows", rows, 2);
  mark(id, [&](LoopMarks& marks) { marks.fold = {rows}; });
}

void prefetchResults(IterDomain& id, int64_t bytesLeast, int64_t bytesMost) {
  checkAtLeast("prefetch_results", "bytes_least", bytesLeast, 0);
  checkAtLeast("prefetch_results", "bytes_most", bytesMost, bytesLeast + 1);
  mark(id, [&](LoopMarks& marks) { marks.results = {bytesMost, bytesLeast}; });
}

void prefetchNext(IterDomain& id, int64_t elementsLeast, int64_t bytesMost, int64_t group,
                  int64_t vectors) {
  checkAtLeast("prefetch_next", "elements_least", elementsLeast, 0);
  checkAtLeast("prefetch_next", "bytes_most", bytesMost, 1);
  checkGroup("prefetch_next", group);
  checkVectors("prefetch_next", vectors);
  mark(id, [&](LoopMarks& marks) { marks.next = {bytesMost, elementsLeast, group, vectors}; });
}

}  // namespace

void bindMarks(nb::class_<IterDomain, Val>& iterDomain) {
  const CpuTuning tuning;
  iterDomain
      .def("unroll_and_jam", &unrollAndJam, nb::arg("rows") = tuning.jamRows,
           nb::arg("vectors") = tuning.jamVectors, nb::arg("ahead_bytes") = tuning.jamAheadBytes,
           nb::arg("ahead_most") = tuning.jamAheadMost,
           R"(Mark a loop over rows: the loop over columns inside does several rows at once.

What belongs to the columns is then read and written once for these rows. Counts on the CPU.

Parameters
----------
rows : int
    Done at once, at least 2.
vectors : int
    Of columns that an iteration in machine code computes: 1, 2 or 4.
ahead_bytes : int
    Of rows that are requested before they are read; 0: none are.
ahead_most : int
    Times `rows` that are requested ahead, at most.

Raises
------
RuntimeError
    If a number is not as described; when the fusion is run, if there is anything else than one loop
    over columns inside, or the order of what it reads and writes would change.)")
      .def("fold", &fold, nb::arg("rows") = tuning.foldRows,
           R"(Mark a loop over rows of few columns: some of these are accumulated as one long row.

Where rows do not lie one behind the other in memory, which is found out when it runs, each is
accumulated for itself. Counts on the CPU.

Parameters
----------
rows : int
    That are one row, at least 2.

Raises
------
RuntimeError
    If there are not as many; when the fusion is run, if there is anything else inside than one loop
    over few columns that accumulates columns of inputs in local memory, as in front of
    ``cache_before``.)")
      .def(
          "prefetch_results", &prefetchResults, nb::arg("bytes_least") = tuning.resultRowBytesLeast,
          nb::arg("bytes_most") = tuning.resultRowBytesMost,
          R"(Mark the loop that workers share: the row of a result is requested before it is written.

A processor reads memory before it writes into it. Of several loops over a row, the last of which
writes the result, the others run in the cache meanwhile. Counts on the CPU.

Parameters
----------
bytes_least : int
    Shorter rows are not requested.
bytes_most : int
    Rows that are as long or longer are not.

Raises
------
RuntimeError
    If `bytes_most` is not above `bytes_least`, neither negative; when the fusion is run, if there
    are no such loops.)")
      .def(
          "prefetch_next", &prefetchNext, nb::arg("elements_least") = tuning.nextRowElements,
          nb::arg("bytes_most") = tuning.nextRowBytes, nb::arg("group") = tuning.nextRowGroup,
          nb::arg("vectors") = tuning.nextRowVectors,
          R"(Mark the loop that workers share: what the next iteration reads is requested by this one.

It is requested with the rows of transposed tiles or, of several loops over a row, by one behind the
first that evaluates a function or streams its result. Counts on the CPU.

Parameters
----------
elements_least : int
    Of rows that are known to be shorter nothing is requested.
bytes_most : int
    Of an iteration that reads more nothing is requested.
group : int
    Elements of a row for which requests are made together, a power of two.
vectors : int
    Of such a group that an iteration in machine code computes: 1, 2 or 4.

Raises
------
RuntimeError
    If a number is not as described; when the fusion is run, if there are no such loops.)");
}

void bindMarks(nb::class_<TensorView, Val>& tensorView) {
  const CpuTuning tuning;
  tensorView
      .def(
          "stream",
          [](TensorView& tv, int64_t group) {
            checkGroup("stream", group);
            return markTensor(tv, [&](TensorMarks& marks) { marks.stream = {group}; });
          },
          nb::arg("group") = tuning.streamGroup,
          R"(Mark an output that is a copy: it is stored past the caches, in whole lines of memory.

So memory is not read before it is overwritten. Counts on the CPU.

Parameters
----------
group : int
    Elements that are computed before they are stored, a power of two that fills lines of memory.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If `group` is not as described; when the fusion is run, if the tensor is no copy to global
    memory, or no innermost loop runs along its memory.)")
      .def(
          "transpose_tile",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.isTransposedTile = true; });
          },
          R"(Mark a copy whose two innermost loops are a tile: it is transposed in registers.

Counts on the CPU.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the innermost loop is not along the memory of the tensor, the other
    one not along that of its operand, or elements do not have 1, 2, 4 or 8 bytes.)")
      .def(
          "evict_first",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.eviction = Eviction::First; });
          },
          R"(Mark a copy of what is in global memory: what it reads leaves the cache first.

Counts on CUDA.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the tensor is no such copy.)")
      .def(
          "evict_last",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.eviction = Eviction::Last; });
          },
          R"(Mark a copy of what is in global memory: what it reads leaves the cache last.

Counts on CUDA.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the tensor is no such copy.)");
}

}  // namespace nvfuser
