// Operations that read at positions given by an index, and concatenation.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <vector>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

void bindIndexingOps(nb::module_& ops) {
  ops.def(
      "select",
      [](TensorView* x, const Operand& index, int64_t dim) {
        return share(ops::select(x, index.get(), dim));
      },
      nb::arg("arg"), nb::arg("index"), nb::arg("dim"),
      R"(Take what lies at one position of a dimension, and remove the dimension.

Parameters
----------
arg : TensorView
index : Val or int
    An integer; a negative one counts from the end. It is checked when the fusion runs.
dim : int
    A negative one counts from the end.

Returns
-------
TensorView

Raises
------
RuntimeError
    If `dim` or `index` is out of range, or `index` is no integer.)");
  ops.def(
      "index_select",
      [](TensorView* x, TensorView* index, int64_t dim) {
        return share(ops::indexSelect(x, index, dim));
      },
      nb::arg("arg"), nb::arg("index"), nb::arg("dim"),
      R"(Take the positions of a dimension that a tensor lists.

Parameters
----------
arg : TensorView
    Of rank 1 or more.
index : TensorView
    Of dtype Int or Int32 and rank 1, or 0 for one position. From 0 to the size of the dimension
    less 1: others raise when the fusion runs on the CPU, and give 0 on CUDA.
dim : int
    A negative one counts from the end.

Returns
-------
TensorView
    Of the shape of `arg` but for `dim`, which has the size of `index`, and of its dtype.

Raises
------
RuntimeError
    If `dim` is out of range, or `index` has another rank or dtype.)");
  ops.def(
      "gather",
      [](TensorView* x, TensorView* index, int64_t dim) {
        return share(ops::gather(x, index, dim));
      },
      nb::arg("arg"), nb::arg("index"), nb::arg("dim"),
      R"(Take, for every element, the position of a dimension that a tensor holds.

As ``torch.gather``: for `dim` 0, out[i, j] = arg[index[i, j], j].

Parameters
----------
arg : TensorView
index : TensorView
    Of dtype Int or Int32 and the rank of `arg`, and in other dimensions than `dim` not larger. From
    0 to the size of the dimension less 1: others raise when the fusion runs on the CPU, and give 0
    on CUDA.
dim : int
    A negative one counts from the end.

Returns
-------
TensorView
    Of the shape of `index` and the dtype of `arg`.

Raises
------
RuntimeError
    If `dim` is out of range, or `index` has another rank or dtype or is larger than `arg`.)");
  ops.def(
      "take_along_axis",
      [](TensorView* x, TensorView* index, int64_t dim) {
        return share(ops::takeAlongAxis(x, index, dim));
      },
      nb::arg("arg"), nb::arg("index"), nb::arg("dim"),
      R"(Take, for every element, the position of a dimension that a tensor holds.

As ``torch.take_along_dim``: like `gather`, but the other dimensions broadcast.

Parameters
----------
arg : TensorView
index : TensorView
    Of dtype Int or Int32 and the rank of `arg`; dimensions other than `dim` are equal, or of size 1
    in one of the two. From 0 to the size of the dimension less 1: others raise when the fusion runs
    on the CPU, and give 0 on CUDA. Floating-point numbers are truncated to Int.
dim : int
    A negative one counts from the end.

Returns
-------
TensorView
    Of the dtype of `arg`.

Raises
------
RuntimeError
    If `dim` is out of range, `index` has another rank or dtype, or sizes do not match.)");
  ops.def(
      "embedding_fwd",
      [](TensorView* input, TensorView* weight, const std::optional<Operand>& /*padding_idx*/,
         const std::optional<Operand>& maxNorm, const std::optional<Operand>& normType,
         const std::optional<Operand>& /*scale_grad_by_freq*/,
         const std::optional<Operand>& /*sparse*/) {
        return share(ops::embedding(input, weight, maxNorm.has_value() ? maxNorm->get() : nullptr,
                                    normType.has_value() ? normType->get() : nullptr));
      },
      nb::arg("input"), nb::arg("weight"), nb::arg("padding_idx") = nb::none(),
      nb::arg("max_norm") = nb::none(), nb::arg("norm_type") = nb::none(),
      nb::arg("scale_grad_by_freq") = nb::none(), nb::arg("sparse") = nb::none(),
      R"(Look up rows of a table, as ``torch.nn.functional.embedding``.

Parameters
----------
input : TensorView
    Of dtype Int or Int32 and rank 1 or more: numbers of rows. Those that do not exist raise when
    the fusion runs on the CPU, and give 0 on CUDA.
weight : TensorView
    Of rank 2.
padding_idx : Val or int, optional
    Without effect on the result.
max_norm : Val or float, optional
    Rows of a larger norm are scaled down to it in the result; `weight` itself stays as it is.
norm_type : Val or float, optional
    The exponent of the norm, 2 if not given.
scale_grad_by_freq, sparse : Val or bool, optional
    Without effect on the result.

Returns
-------
TensorView
    Of the shape of `input` and a last dimension of the size of a row, and of the dtype of `weight`.

Raises
------
RuntimeError
    If `weight` is not of rank 2, or `input` of rank 0 or another dtype.)");
  ops.def(
      "scatter",
      [](TensorView* x, TensorView* index, const Operand& src, int64_t dim, Flag accumulate) {
        return share(ops::scatter(x, index, src.get(), dim, accumulate));
      },
      nb::arg("arg"), nb::arg("index"), nb::arg("src"), nb::arg("dim"),
      nb::arg("accumulate") = false,
      R"(Write elements to the positions of a dimension that a tensor holds, in a copy.

As ``torch.scatter``: for `dim` 0, out[index[i, j], j] = src[i, j], elsewhere `arg`. With
`accumulate` as ``torch.scatter_add``: src[i, j] is added there.

Parameters
----------
arg : TensorView
index : TensorView
    Of dtype Int or Int32 and the rank of `arg`, and in other dimensions than `dim` not larger. From
    0 to the size of the dimension less 1: others raise when the fusion runs on the CPU, and are
    left out on CUDA. Of several elements for one position the last one along `dim` stays on the
    CPU; on CUDA it may be any of them.
src : TensorView, Val or number
    Of the dtype and rank of `arg` and not smaller than `index`, or a scalar.
dim : int
    A negative one counts from the end.
accumulate : bool
    Whether all elements for one position are added to what is there: on the CPU in their order
    along `dim`, on CUDA in any order. Half and BFloat16 are added in Float and rounded once.

Returns
-------
TensorView
    Of the shape and dtype of `arg`.

Raises
------
RuntimeError
    If `dim` is out of range, ranks, dtypes or sizes do not match, if what is accumulated is
    complex, Bool or of an integer dtype other than Int and Int32, or, when the fusion runs on the
    CPU, for a position that does not exist.)");
  ops.def(
      "cat",
      [](const std::vector<TensorView*>& tensors, int64_t dim, Flag manualPadding) {
        return share(ops::cat(tensors, dim, manualPadding));
      },
      nb::arg("tensors"), nb::arg("dim") = 0, nb::arg("manual_padding") = false,
      R"(Put tensors one behind another along a dimension.

Tensors that the fusion computes are computed in place: the concatenation is one kernel.

Parameters
----------
tensors : list of TensorView
    Of equal dtype and rank, and of equal sizes in all dimensions but `dim`. One tensor is copied.
dim : int
    A negative one counts from the end.
manual_padding : bool
    Whether every tensor is already the result of a `pad` to the size of the whole, as printed
    definitions write it.

Returns
-------
TensorView

Raises
------
RuntimeError
    For an empty list, a `dim` out of range, different ranks, dtypes or sizes, or, with
    `manual_padding`, a tensor that is not the result of `pad`.)");
}

}  // namespace nvfuser
