// Marks of schedules: code that they request beyond loops. Defaults come from the tuning tables.

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

void checkGroup(const char* mark, const char* name, int64_t value) {
  NVF_CHECK(value > 1 && std::has_single_bit(static_cast<uint64_t>(value)), mark, ": Expected ",
            name, " to be a power of two, 2 or more, but got ", value);
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

void maskRest(IterDomain& id, int64_t lanes, int64_t group) {
  checkGroup("mask_rest", "lanes", lanes);
  checkAtLeast("mask_rest", "group", group, 0);
  mark(id, [&](LoopMarks& marks) { marks.mask = {lanes, group}; });
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
  checkGroup("prefetch_next", "group", group);
  checkVectors("prefetch_next", vectors);
  mark(id, [&](LoopMarks& marks) { marks.next = {bytesMost, elementsLeast, group, vectors}; });
}

void prefetchFarRows(IterDomain& id, int64_t strideBytes, int64_t rowBytes, int64_t aheadBytes,
                     int64_t aheadMost) {
  checkAtLeast("prefetch_far_rows", "stride_bytes", strideBytes, 1);
  checkAtLeast("prefetch_far_rows", "row_bytes", rowBytes, 1);
  checkAtLeast("prefetch_far_rows", "ahead_bytes", aheadBytes, 0);
  checkAtLeast("prefetch_far_rows", "ahead_most", aheadMost, 1);
  mark(id,
       [&](LoopMarks& marks) { marks.farRows = {strideBytes, rowBytes, aheadBytes, aheadMost}; });
}

void accumulateApart(IterDomain& id, int64_t elementsMost, int64_t vector, int64_t raggedElements) {
  checkAtLeast("accumulate_apart", "elements_most", elementsMost, 1);
  checkAtLeast("accumulate_apart", "vector", vector, 1);
  checkAtLeast("accumulate_apart", "ragged_elements", raggedElements, 0);
  mark(id, [&](LoopMarks& marks) { marks.apart = {elementsMost, vector, raggedElements}; });
}

}  // namespace

void bindMarks(nb::class_<IterDomain, Val>& iterDomain) {
  const CpuTuning tuning;
  iterDomain
      .def(
          "unroll_and_jam", &unrollAndJam, nb::arg("rows") = tuning.jamRows,
          nb::arg("vectors") = tuning.jamVectors, nb::arg("ahead_bytes") = tuning.jamAheadBytes,
          nb::arg("ahead_most") = tuning.jamAheadMost,
          R"(Unroll and jam: the loop over columns inside this loop over rows processes several rows at once.

Values of columns are then read and written once for these rows. Has an effect on the CPU.

Parameters
----------
rows : int
    Rows that are processed at once, at least 2.
vectors : int
    Vectors of columns in an iteration of the machine code: 1, 2 or 4.
ahead_bytes : int
    Bytes of the next rows that are prefetched; 0 for no prefetch.
ahead_most : int
    Maximum distance of the prefetch, in multiples of `rows`.

Raises
------
RuntimeError
    If a number is out of range. When the fusion is run, if the loop contains anything but one loop
    over columns, or if the order of its reads and writes would change.)")
      .def("fold", &fold, nb::arg("rows") = tuning.foldRows,
           R"(Accumulate several rows of few columns as one long row. Marks the loop over rows.

Rows that are not adjacent in memory, which is checked at run time, are accumulated one by one.
Has an effect on the CPU.

Parameters
----------
rows : int
    Rows that form one long row, at least 2.

Raises
------
RuntimeError
    If `rows` is less than 2. When the fusion is run, if the loop contains anything but one loop
    over few columns that accumulates columns of inputs in local memory, as with ``cache_before``.)")
      .def(
          "mask_rest", &maskRest, nb::arg("lanes") = tuning.maskedLanes, nb::arg("group") = 0,
          R"(Compute what is left of a row behind whole vectors by masked vectors. Marks the innermost loop.

Otherwise it is computed element by element, which takes longer than all vectors of a short row.
Has an effect on CPUs with masks for elements of all sizes (AVX-512).

Parameters
----------
lanes : int
    Elements of a masked vector, a power of two.
group : int
    Elements that are computed without masks as long as there are as many; 0: all vectors are
    masked.

Raises
------
RuntimeError
    If a number is out of range. When the fusion is run, if the loop is the parallel one or contains
    loops, conditions or scans.)")
      .def("prefetch_results", &prefetchResults,
           nb::arg("bytes_least") = tuning.resultRowBytesLeast,
           nb::arg("bytes_most") = tuning.resultRowBytesMost,
           R"(Prefetch the row of a result before it is written. Marks the parallel loop.

The parallel loop must contain several loops over a row, the last of which writes the result. The
row is prefetched after the first of them, because a processor reads memory before it writes to it.
Has an effect on the CPU.

Parameters
----------
bytes_least : int
    Length of the shortest rows that are prefetched.
bytes_most : int
    Rows of this length or more are not prefetched.

Raises
------
RuntimeError
    If a number is negative, or `bytes_most` is not greater than `bytes_least`. When the fusion is
    run, if there are no such loops.)")
      .def("prefetch_next", &prefetchNext, nb::arg("elements_least") = tuning.nextRowElements,
           nb::arg("bytes_most") = tuning.nextRowBytes, nb::arg("group") = tuning.nextRowGroup,
           nb::arg("vectors") = tuning.nextRowVectors,
           R"(Prefetch the operands of the next iteration. Marks the parallel loop.

Transposed tiles issue the prefetches with their rows. If the parallel loop contains several loops
over a row, one after the first issues them: the loop that computes a tensor marked `host_prefetch`
if there is one, otherwise the first that can, or the last if it streams its result. Has an effect
on the CPU.

Parameters
----------
elements_least : int
    Rows that are known to be shorter are not prefetched.
bytes_most : int
    Iterations that read more bytes are not prefetched.
group : int
    Elements of a row whose prefetches are issued together, a power of two.
vectors : int
    Vectors of such a group in an iteration of the machine code: 1, 2 or 4.

Raises
------
RuntimeError
    If a number is out of range. When the fusion is run, if there are no such loops.)")
      .def("prefetch_far_rows", &prefetchFarRows, nb::arg("stride_bytes") = tuning.farRowStride,
           nb::arg("row_bytes") = tuning.farRowBytes,
           nb::arg("ahead_bytes") = tuning.farRowsAheadBytes,
           nb::arg("ahead_most") = tuning.farRowsAheadMost,
           R"(Prefetch short rows that lie far apart. Marks the parallel loop.

A loop over rows that contains a loop over columns and nothing else prefetches rows of global memory
before it reads them. A processor does not find a stream in the few cache lines of each. Has an effect
on the CPU.

Parameters
----------
stride_bytes : int
    Smallest distance of a row from the next one.
row_bytes : int
    Length of the longest rows that are prefetched.
ahead_bytes : int
    Bytes of rows that are prefetched before they are read; one row at least.
ahead_most : int
    Maximum distance of the prefetch, in rows.

Raises
------
RuntimeError
    If a number is out of range. When the fusion is run, if there is no such loop, or its strides are
    not known when it is compiled.)")
      .def(
          "accumulate_apart", &accumulateApart, nb::arg("elements_most") = tuning.apartElementsMost,
          nb::arg("vector") = tuning.apartVector,
          nb::arg("ragged_elements") = tuning.apartRaggedElements,
          R"(Reduce rows of few elements with an accumulator for each element. Marks the parallel loop.

A reduction over a loop over rows and a loop over their elements, with nothing between the two, then
adds up the lanes of vectors once instead of for each row. Has an effect on the CPU.

Parameters
----------
elements_most : int
    Longer rows are reduced to one accumulator.
vector : int
    Rows whose length is no multiple of it, too,
ragged_elements : int
    unless so many elements or more are reduced together.

Raises
------
RuntimeError
    If a number is out of range. When the fusion is run, if there is no such reduction to
    floating-point numbers, or the length of the rows is not known when it is compiled.)");
}

void bindMarks(nb::class_<TensorView, Val>& tensorView) {
  const CpuTuning tuning;
  tensorView
      .def(
          "stream",
          [](TensorView& tv, int64_t group) {
            checkGroup("stream", "group", group);
            return markTensor(tv, [&](TensorMarks& marks) { marks.stream = {group}; });
          },
          nb::arg("group") = tuning.streamGroup,
          R"(Write an output that is a copy with streaming stores, past the caches, in whole cache lines.

Memory is then not read before it is overwritten. Has an effect on the CPU.

Parameters
----------
group : int
    Elements that are computed before they are stored, a power of two that fills cache lines.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If `group` is out of range. When the fusion is run, if the tensor is not a copy to global
    memory, or no innermost loop runs along its memory.)")
      .def(
          "interleave",
          [](TensorView& tv, int64_t vectors) {
            checkVectors("interleave", vectors);
            return markTensor(tv, [&](TensorMarks& marks) { marks.interleave = {vectors}; });
          },
          nb::arg("vectors") = tuning.functionVectors,
          R"(Let the loop that computes this tensor process several vectors in each iteration.

This fills the pipelines where each element is a long chain of dependent operations, such as an
exponential function. Has an effect on the CPU.

Parameters
----------
vectors : int
    Vectors in an iteration of the machine code: 1, 2 or 4.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    If `vectors` is out of range. When the fusion is run, if the tensor is not computed by an
    innermost loop without conditions that accumulates nothing.)")
      .def(
          "transpose_tile",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.isTransposedTile = true; });
          },
          R"(Transpose the tile of the two innermost loops of a copy in registers.

Has an effect on the CPU.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the innermost loop does not run along the memory of the tensor, the
    other one does not run along the memory of its operand, or elements do not have 1, 2, 4 or 8
    bytes.)")
      .def(
          "host_prefetch",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.hostsPrefetch = true; });
          },
          R"(Let the loop that computes this tensor issue the prefetches of `prefetch_next`.

The best choice is a loop that computes for a long time, such as one that evaluates a function. Its
sums are added up in parts. Has an effect on the CPU.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the parallel loop is not marked `prefetch_next`.)")
      .def(
          "evict_first",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.eviction = Eviction::First; });
          },
          R"(Read global memory evict-first: the lines that this copy reads leave the L2 cache first.

Has an effect on CUDA.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the tensor is not a copy of global memory.)")
      .def(
          "evict_last",
          [](TensorView& tv) {
            return markTensor(tv, [](TensorMarks& marks) { marks.eviction = Eviction::Last; });
          },
          R"(Read global memory evict-last: the lines that this copy reads leave the L2 cache last.

Has an effect on CUDA.

Returns
-------
TensorView
    The tensor itself.

Raises
------
RuntimeError
    When the fusion is run, if the tensor is not a copy of global memory.)");
}

}  // namespace nvfuser
