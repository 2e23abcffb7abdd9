// Operations of the submodule ops that reduce: reductions, statistics and normalizations.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

namespace {

using Dims = std::vector<int64_t>;

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
      [kind](TensorView* x, int64_t dim, Flag keepDim, DataType dtype) {
        return share(ops::reduce(kind, x, std::span<const int64_t>(&dim, 1), keepDim, dtype));
      },
      nb::arg("arg"), nb::arg("dim"), nb::arg("keepdim") = false,
      nb::arg("dtype") = DataType::Null);
  ops.def(
      name,
      [kind](TensorView* x, const Dims& dims, Flag keepDim, DataType dtype) {
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
      [](TensorView* x, const Dims& dims, int64_t correction, Flag keepDim) {
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
      [](TensorView* x, const Dims& dims, int64_t correction, Flag keepDim) {
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
      [](TensorView* x, const std::optional<Dims>& dims, Flag keepDim, DataType dtype) {
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
      [](TensorView* x, int64_t dim, Flag keepDim, DataType dtype) {
        return share(ops::mean(x, std::span<const int64_t>(&dim, 1), keepDim, dtype));
      },
      nb::arg("x"), nb::arg("dim"), nb::arg("keepdim") = false, nb::arg("dtype") = DataType::Null);
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
      [](TensorView* x, const Shape& normalizedShape, const OptionalTensor& weight,
         const OptionalTensor& bias, const Operand& eps) {
        return share(ops::layerNorm(x, normalizedShape.get(), tensorOrNull(weight),
                                    tensorOrNull(bias), eps.get()));
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
      [](TensorView* x, const Shape& normalizedShape, const OptionalTensor& weight,
         const std::optional<Operand>& eps) {
        return share(ops::rmsNorm(x, normalizedShape.get(), tensorOrNull(weight), valOrNull(eps)));
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

void bindReductionOps(nb::module_& ops) {
  bindReductions(ops);
  bindStatistics(ops);
  bindNormalizations(ops);
}

}  // namespace nvfuser
