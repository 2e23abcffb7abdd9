// The submodule ops: shapes, reductions, creation, normalizations, and the names of what is to
// come.

#include "ops/ops.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>

#include "core/error.h"
#include "nodes.h"

namespace nvfuser {

namespace {

using Dims = std::vector<int64_t>;

Val* optional(const std::optional<Operand>& operand) {
  return operand.has_value() ? operand->get() : nullptr;
}

void bindBroadcasts(nb::module_& ops) {
  ops.def(
      "broadcast",
      [](TensorView* x, const std::vector<bool>& flags) { return share(ops::broadcast(x, flags)); },
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
      [](TensorView* x, const Dims& dims, bool squeezeExpanded) {
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
         bool manualNormalization) {
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
    Whether 0 <= start <= end <= extent is certain, so that nothing is limited.

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
        return share(ops::pad(x, widths.get(), optional(value)));
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

constexpr const char* kSumDoc = R"(

Three forms::

    op(arg, dtype=DataType.Null)                       # all dimensions
    op(arg, dim: int, keepdim=False, dtype=DataType.Null)
    op(arg, dims: sequence of int, keepdim=False, dtype=DataType.Null)

Parameters
----------
arg : TensorView
dim, dims : int or sequence of int
    What to reduce; negative ones count from the end.
keepdim : bool
    Whether reduced dimensions stay with size 1.
dtype : DataType
    What `arg` is converted to first. Without one, Bool and integers become Int; reduced
    precision is accumulated in Float and returned as it came.

Returns
-------
TensorView

Raises
------
RuntimeError
    If a dimension is out of range or none is given.)";

constexpr const char* kExtremumDoc = R"(

Three forms::

    op(arg, dtype=DataType.Null)                       # all dimensions
    op(arg, dim: int, keepdim=False, dtype=DataType.Null)
    op(arg, dims: sequence of int, keepdim=False, dtype=DataType.Null)

Parameters
----------
arg : TensorView
    NaN in a reduced element gives NaN.
dim, dims : int or sequence of int
    What to reduce; negative ones count from the end.
keepdim : bool
    Whether reduced dimensions stay with size 1.
dtype : DataType
    Null.

Returns
-------
TensorView
    Of the dtype of `arg`. An empty dimension gives the lowest (max) or highest (min) value.

Raises
------
RuntimeError
    If a dimension is out of range or none is given, for a dtype other than Null, or a complex
    `arg`.)";

void bindReduction(nb::module_& ops, const char* name, ops::ReductionKind kind,
                   const std::string& doc) {
  ops.def(
      name,
      [kind](TensorView* x, DataType dtype) {
        return share(ops::reduce(kind, x, std::nullopt, false, dtype));
      },
      nb::arg("arg"), nb::arg("dtype") = DataType::Null, doc.c_str());
  ops.def(
      name,
      [kind](TensorView* x, int64_t dim, bool keepDim, DataType dtype) {
        return share(ops::reduce(kind, x, std::span<const int64_t>(&dim, 1), keepDim, dtype));
      },
      nb::arg("arg"), nb::arg("dim"), nb::arg("keepdim") = false,
      nb::arg("dtype") = DataType::Null);
  ops.def(
      name,
      [kind](TensorView* x, const Dims& dims, bool keepDim, DataType dtype) {
        return share(ops::reduce(kind, x, dims, keepDim, dtype));
      },
      nb::arg("arg"), nb::arg("dims"), nb::arg("keepdim") = false,
      nb::arg("dtype") = DataType::Null);
}

void bindReductions(nb::module_& ops) {
  const std::string docs[] = {std::string("Sum over dimensions.") + kSumDoc,
                              std::string("Product over dimensions.") + kSumDoc,
                              std::string("Largest value over dimensions.") + kExtremumDoc,
                              std::string("Smallest value over dimensions.") + kExtremumDoc};
  bindReduction(ops, "sum", ops::ReductionKind::Sum, docs[0]);
  bindReduction(ops, "prod", ops::ReductionKind::Prod, docs[1]);
  bindReduction(ops, "max", ops::ReductionKind::Max, docs[2]);
  bindReduction(ops, "min", ops::ReductionKind::Min, docs[3]);
}

void bindStatistics(nb::module_& ops) {
  ops.def(
      "var",
      [](TensorView* x, const Dims& dims, int64_t correction, bool keepDim) {
        return share(ops::variance(x, dims, correction, keepDim));
      },
      nb::arg("arg"), nb::arg("dims"), nb::arg("correction") = 1, nb::arg("keepdim") = false,
      R"(Variance over dimensions: squared deviations summed, over max(0, n - correction).

Parameters
----------
arg : TensorView
dims : sequence of int
correction : int
    Not negative.
keepdim : bool
    Whether reduced dimensions stay with size 1.

Returns
-------
TensorView
    Real. Reduced precision and integers give Float.

Raises
------
RuntimeError
    If a dimension is out of range, none is given, or `correction` is negative.)");
  ops.def(
      "var_mean",
      [](TensorView* x, const Dims& dims, int64_t correction, bool keepDim) {
        const ops::VarMean result = ops::varMean(x, dims, correction, keepDim);
        return std::make_tuple(share(result.var), share(result.mean));
      },
      nb::arg("arg"), nb::arg("dims"), nb::arg("correction") = 1, nb::arg("keepdim") = false,
      R"(Variance and mean over dimensions.

Parameters
----------
arg : TensorView
dims : sequence of int
correction : int
    Not negative; what is subtracted from the number of elements for the variance.
keepdim : bool
    Whether reduced dimensions stay with size 1.

Returns
-------
var, mean : TensorView
    Of a complex input the variance is real.

Raises
------
RuntimeError
    For an input of reduced precision, a dimension that is out of range, no dimension, or a
    negative `correction`.)");
  ops.def(
      "welford",
      [](TensorView* x, const Dims& dims) {
        const ops::WelfordResult result = ops::welford(x, dims);
        return std::make_tuple(share(result.mean), share(result.m2), share(result.n));
      },
      nb::arg("arg"), nb::arg("dims"),
      R"(Mean, sum of squared deviations, and number of elements over dimensions.

Parameters
----------
arg : TensorView
dims : sequence of int

Returns
-------
mean, m2, n : TensorView
    `mean` and `m2` have the dtype of `arg`, `n` is Index.

Raises
------
RuntimeError
    For a 0-dim input, a dimension that is out of range, or no dimension.)");
  constexpr const char* meanDoc = R"(Mean over dimensions.

Parameters
----------
x : TensorView
dims : int, sequence of int or None
    None is all.
keepdim : bool
    Whether reduced dimensions stay with size 1.
dtype : DataType
    What `x` is converted to first.

Returns
-------
TensorView
    Of `dtype`, or that of `x`; reduced precision is accumulated in Float.

Raises
------
RuntimeError
    For integers without a `dtype`, or a dimension that is out of range.)";
  ops.def(
      "mean",
      [](TensorView* x, const std::optional<Dims>& dims, bool keepDim, DataType dtype) {
        std::optional<std::span<const int64_t>> axes;
        if (dims.has_value()) {
          axes = *dims;
        }
        return share(ops::mean(x, axes, keepDim, dtype));
      },
      nb::arg("x"), nb::arg("dims") = nb::none(), nb::arg("keepdim") = false,
      nb::arg("dtype") = DataType::Null, meanDoc);
  ops.def(
      "mean",
      [](TensorView* x, int64_t dim, bool keepDim, DataType dtype) {
        return share(ops::mean(x, std::span<const int64_t>(&dim, 1), keepDim, dtype));
      },
      nb::arg("x"), nb::arg("dim"), nb::arg("keepdim") = false, nb::arg("dtype") = DataType::Null);
}

void bindCreation(nb::module_& ops) {
  ops.def(
      "full",
      [](const Shape& shape, const Operand& fill, DataType dtype) {
        return share(ops::full(shape.get(), fill.get(), dtype));
      },
      nb::arg("shape"), nb::arg("fill_value"), nb::arg("dtype"),
      R"(Make a tensor of equal elements.

Parameters
----------
shape : list or tuple of int or Val
fill_value : Val, bool, int, float or complex
    Converted to `dtype`.
dtype : DataType

Returns
-------
TensorView

Raises
------
RuntimeError
    For a negative extent.)");
  ops.def(
      "iota",
      [](const Operand& length, const std::optional<Operand>& start,
         const std::optional<Operand>& step, DataType dtype) {
        return share(ops::iota(length.get(), optional(start), optional(step), dtype));
      },
      nb::arg("length"), nb::arg("start") = nb::none(), nb::arg("step") = nb::none(),
      nb::arg("dtype") = DataType::Int,
      R"(Make a 1-D tensor of evenly spaced values: start + i * step.

Parameters
----------
length : Val or int
start, step : Val, int or float, optional
    Of the kind of `dtype`, finite; `step` is not 0. 0 and 1 if not given.
dtype : DataType

Returns
-------
TensorView

Raises
------
RuntimeError
    If `length` is no integer, or `start` or `step` is of another kind than `dtype`, not
    finite, or a step of 0.)");
  ops.def(
      "triu", [](TensorView* x, int64_t diagonal) { return share(ops::triu(x, diagonal)); },
      nb::arg("arg"), nb::arg("diagonal") = 0,
      R"(Keep the upper triangle of the last two dimensions; elsewhere the result is 0.

Parameters
----------
arg : TensorView
    Of rank 2 or more.
diagonal : int
    The lowest diagonal that is kept; 0 is the main one, positive ones lie above it.

Returns
-------
TensorView

Raises
------
RuntimeError
    If the rank is below 2.)");
}

void bindNormalizations(nb::module_& ops) {
  constexpr const char* softmaxDoc = R"(

Parameters
----------
x : TensorView
    Real floating-point.
dim : int
    The dimension that is normalized; a negative one counts from the end.
dtype : DataType
    What `x` is converted to first, and the dtype of the result; that of `x` if not given.

Returns
-------
TensorView
    Computed in Float where the dtype is of reduced precision.

Raises
------
RuntimeError
    If `dim` is out of range or the dtype is not real floating-point.)";
  const std::string docs[] = {
      std::string("exp(x) over its sum along a dimension.") + softmaxDoc,
      std::string("The logarithm of softmax, computed without overflow.") + softmaxDoc};
  ops.def(
      "softmax",
      [](TensorView* x, int64_t dim, DataType dtype) { return share(ops::softmax(x, dim, dtype)); },
      nb::arg("x"), nb::arg("dim"), nb::arg("dtype") = DataType::Null, docs[0].c_str());
  ops.def(
      "log_softmax",
      [](TensorView* x, int64_t dim, DataType dtype) {
        return share(ops::logSoftmax(x, dim, dtype));
      },
      nb::arg("x"), nb::arg("dim"), nb::arg("dtype") = DataType::Null, docs[1].c_str());
  ops.def(
      "layer_norm",
      [](TensorView* x, const Shape& normalizedShape, TensorView* weight, TensorView* bias,
         const Operand& eps) {
        return share(ops::layerNorm(x, normalizedShape.get(), weight, bias, eps.get()));
      },
      nb::arg("x"), nb::arg("normalized_shape"), nb::arg("weight") = nb::none(),
      nb::arg("bias") = nb::none(), nb::arg("eps") = 1e-5,
      R"(Layer normalization over the last dimensions: (x - mean) / sqrt(var + eps) * weight + bias.

Parameters
----------
x : TensorView
    Real floating-point.
normalized_shape : list or tuple of int or Val
    The extents of the last dimensions of `x`.
weight, bias : TensorView, optional
    Of the shape `normalized_shape`.
eps : Val or float

Returns
-------
TensorView
    Of the shape and dtype of `x`, computed in Float where that is of reduced precision.

Raises
------
RuntimeError
    If the shapes do not fit or `x` is not real floating-point.)");
  ops.def(
      "rms_norm",
      [](TensorView* x, const Shape& normalizedShape, TensorView* weight,
         const std::optional<Operand>& eps) {
        return share(ops::rmsNorm(x, normalizedShape.get(), weight, optional(eps)));
      },
      nb::arg("x"), nb::arg("normalized_shape"), nb::arg("weight") = nb::none(),
      nb::arg("eps") = nb::none(),
      R"(Root-mean-square normalization over the last dimensions.

That is x / sqrt(mean(x * x) + eps) * weight.

Parameters
----------
x : TensorView
    Real floating-point.
normalized_shape : list or tuple of int or Val
    The extents of the last dimensions of `x`.
weight : TensorView, optional
    Of the shape `normalized_shape`.
eps : Val or float, optional
    If not given the machine epsilon of the dtype that is computed in, Float or Double.

Returns
-------
TensorView
    Of the shape and dtype of `x`, computed in Float where that is of reduced precision.

Raises
------
RuntimeError
    If the shapes do not fit or `x` is not real floating-point.)");
}

}  // namespace

void bindOps(nb::module_& module) {
  nb::module_ ops = module.def_submodule(
      "ops",
      "The operations: functions that append to the active fusion, and return the new value.");
  bindElementwiseOps(ops);
  bindBroadcasts(ops);
  bindLayouts(ops);
  bindResizes(ops);
  bindIndexingOps(ops);
  bindLibraryOps(ops);
  bindReductions(ops);
  bindStatistics(ops);
  bindCreation(ops);
  bindRandomOps(ops);
  bindScans(ops);
  bindNormalizations(ops);
  bindOperators();
}

}  // namespace nvfuser
