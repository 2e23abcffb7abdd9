// Operations of the submodule ops that change shapes: broadcasts, layouts, slices and pads.

#include <nanobind/stl/optional.h>

#include <optional>
#include <vector>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

namespace {

using Dims = std::vector<int64_t>;

void bindBroadcasts(nb::module_& ops) {
  ops.def(
      "broadcast",
      [](TensorView* x, const std::vector<Flag>& flags) {
        return share(ops::broadcast(x, {flags.begin(), flags.end()}));
      },
      nb::arg("arg"), nb::arg("is_broadcast_dim"),
      R"(Insert dimensions of size 1.

Parameters
----------
arg : TensorView
    Of rank n.
is_broadcast_dim : list of bool
    One flag a dimension of the result, n of them False.

Returns
-------
TensorView
    `arg` itself if no flag is True.

Raises
------
RuntimeError
    If the number of False entries is not the rank of `arg`.)");
  ops.def(
      "broadcast_in_dim",
      [](TensorView* x, const Shape& shape, const Dims& dims) {
        return share(ops::broadcastInDim(x, shape.get(), dims));
      },
      nb::arg("arg"), nb::arg("shape"), nb::arg("broadcast_dims"),
      R"(Place the dimensions of a tensor in a larger shape and expand it to that.

Parameters
----------
arg : TensorView
    Of rank n.
shape : list or tuple of int or Val
    The shape of the result, of at least n entries; -1 keeps the extent of the input.
broadcast_dims : sequence of int
    Entry i is the position of dimension i of `arg` in `shape`; negative ones count from the end.

Returns
-------
TensorView

Raises
------
RuntimeError
    If there are fewer entries in `shape` than dimensions, not n `broadcast_dims`, or one that
    is out of range or appears twice.)");
  ops.def(
      "expand",
      [](TensorView* x, const Shape& shape) { return share(ops::expand(x, shape.get())); },
      nb::arg("arg"), nb::arg("shape"),
      R"(Repeat dimensions of size 1 without copying.

Parameters
----------
arg : TensorView
shape : list or tuple of int or Val
    At least as many entries as dimensions; missing leading dimensions are added. -1 keeps an
    extent.

Returns
-------
TensorView

Raises
------
RuntimeError
    If a constant extent other than 1 differs from the entry of `shape`. Symbolic extents are
    compared when the fusion runs.)");
  ops.def(
      "squeeze",
      [](TensorView* x, const Dims& dims, Flag squeezeExpanded) {
        return share(ops::squeeze(x, dims, squeezeExpanded));
      },
      nb::arg("arg"), nb::arg("dims"), nb::arg("squeeze_expanded") = false,
      R"(Remove dimensions of size 1.

Parameters
----------
arg : TensorView
dims : sequence of int
    Negative ones count from the end. Symbolic dimensions are checked when the fusion runs.
squeeze_expanded : bool
    Whether expanded dimensions may be removed.

Returns
-------
TensorView

Raises
------
RuntimeError
    If a dimension is out of range, has another size than 1, or is expanded and
    `squeeze_expanded` is False.)");
  ops.def(
      "unsqueeze", [](TensorView* x, int64_t dim) { return share(ops::unsqueeze(x, dim)); },
      nb::arg("x"), nb::arg("dim"),
      R"(Insert a dimension of size 1.

Parameters
----------
x : TensorView
    Of rank n.
dim : int
    The position in the result, from -n-1 to n.

Returns
-------
TensorView

Raises
------
RuntimeError
    If `dim` is out of range.)");
}

void bindLayouts(nb::module_& ops) {
  ops.def(
      "reshape",
      [](TensorView* x, const Shape& shape) { return share(ops::reshape(x, shape.get())); },
      nb::arg("arg"), nb::arg("new_shape"),
      R"(Return the same elements in another shape.

Parameters
----------
arg : TensorView
new_shape : list or tuple of int or Val
    At most one entry is -1: what is left for it.

Returns
-------
TensorView

Raises
------
RuntimeError
    If the numbers of elements differ (for symbolic extents when the fusion runs), or two
    entries are -1.)");
  ops.def(
      "permute", [](TensorView* x, const Dims& dims) { return share(ops::permute(x, dims)); },
      nb::arg("arg"), nb::arg("dims"),
      R"(Reorder the dimensions.

Parameters
----------
arg : TensorView
dims : sequence of int
    Entry i is the dimension of `arg` that becomes dimension i; negative ones count from the end.

Returns
-------
TensorView

Raises
------
RuntimeError
    If `dims` is no permutation of the dimensions.)");
  ops.def(
      "transpose",
      [](TensorView* x, int64_t dim0, int64_t dim1) {
        return share(ops::transpose(x, dim0, dim1));
      },
      nb::arg("x"), nb::arg("dim0"), nb::arg("dim1"),
      R"(Exchange two dimensions.

Parameters
----------
x : TensorView
dim0, dim1 : int
    Negative ones count from the end.

Returns
-------
TensorView

Raises
------
RuntimeError
    If a dimension is out of range.)");
  ops.def(
      "stride_order",
      [](TensorView* x, const Dims& order) { return share(ops::strideOrder(x, order)); },
      nb::arg("arg"), nb::arg("stride_order"),
      R"(Copy with a chosen order of strides.

Parameters
----------
arg : TensorView
stride_order : sequence of int
    Entry i is the rank of dimension i by stride, 0 the smallest. Empty makes a plain copy.

Returns
-------
TensorView

Raises
------
RuntimeError
    If `stride_order` is no permutation of the dimensions.)");
  ops.def(
      "size", [](TensorView* x, int64_t dim) { return share(ops::size(x, dim)); }, nb::arg("arg"),
      nb::arg("dim"),
      R"(Return the extent of a dimension.

Parameters
----------
arg : TensorView
dim : int
    A negative one counts from the end.

Returns
-------
Val
    The expanded extent of an expanded dimension.

Raises
------
RuntimeError
    If `dim` is out of range.)");
  ops.def(
      "shape", [](TensorView* x) { return share(ops::shape(x)); },
      R"(Return the extents of all dimensions.

Parameters
----------
arg : TensorView
    By position only.

Returns
-------
list of Val)");
}

void bindResizes(nb::module_& ops) {
  ops.def(
      "slice",
      [](TensorView* x, const Shape& starts, const Shape& ends, const std::optional<Shape>& strides,
         Flag manualNormalization) {
        return share(ops::slice(x, starts.get(), ends.get(),
                                strides.has_value() ? strides->get() : std::vector<Val*>{},
                                manualNormalization));
      },
      nb::arg("arg"), nb::arg("start_indices"), nb::arg("end_indices"),
      nb::arg("strides") = nb::none(), nb::arg("manual_normalization") = false,
      R"(Take the elements from a start to an end in every dimension.

Parameters
----------
arg : TensorView
start_indices, end_indices : list or tuple of int or Val
    One entry a dimension. Constant starts are not negative and not above the end; symbolic
    positions below 0 count from the end, and all are limited to the dimension.
strides : list or tuple of int, optional
    Ones.
manual_normalization : bool
    Whether 0 <= start <= end <= extent holds already, so that nothing is limited: where it does
    not, that is an error.

Returns
-------
TensorView

Raises
------
RuntimeError
    For lists of the wrong length, a negative start, an end before the start, or a stride
    other than 1.)");
  ops.def(
      "pad",
      [](TensorView* x, const Shape& widths, const std::optional<Operand>& value) {
        return share(ops::pad(x, widths.get(), valOrNull(value)));
      },
      nb::arg("arg"), nb::arg("pad_widths"), nb::arg("value") = nb::none(),
      R"(Extend, or crop, a tensor at its borders.

Parameters
----------
arg : TensorView
pad_widths : list or tuple of int or Val
    Left and right width of the innermost dimension, then of the one before it, and so on as in
    ``torch.nn.functional.pad``. Negative widths crop.
value : Val, bool, int, float or complex, optional
    Of the kind of `arg`; 0 or False if not given.

Returns
-------
TensorView

Raises
------
RuntimeError
    For an odd number of widths, more than two a dimension, a `value` of another kind, or a
    dimension that would be left with a negative size.)");
}

}  // namespace

void bindViewOps(nb::module_& ops) {
  bindBroadcasts(ops);
  bindLayouts(ops);
  bindResizes(ops);
}

}  // namespace nvfuser
