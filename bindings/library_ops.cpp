// Operations that torch computes.

#include <nanobind/stl/optional.h>

#include "nodes.h"
#include "ops/ops.h"

namespace nvfuser {

void bindLibraryOps(nb::module_& ops) {
  ops.def(
      "matmul", [](TensorView* a, TensorView* b) { return share(ops::matmul(a, b)); },
      nb::arg("arg1"), nb::arg("arg2"),
      R"(Matrix product, as ``torch.matmul``, by which it is computed.

Parameters
----------
arg1, arg2 : TensorView
    Of rank 1 or more and equal dtype. [m, k] and [k, n]; a 1-D `arg1` is a row and a 1-D `arg2` a
    column, whose dimension the result lacks; dimensions before the last two broadcast.

Returns
-------
TensorView
    Of the dtype of the operands.

Raises
------
RuntimeError
    For different dtypes, a 0-dim operand, or sizes that do not match.)");
  ops.def(
      "linear",
      [](TensorView* input, TensorView* weight, TensorView* bias) {
        return share(ops::linear(input, weight, bias));
      },
      nb::arg("arg1"), nb::arg("arg2"), nb::arg("bias") = nb::none(),
      R"(Product with a transposed weight, as ``torch.nn.functional.linear``, by which it is computed.

Parameters
----------
arg1 : TensorView
    [*, k].
arg2 : TensorView
    [n, k], of the dtype of `arg1`.
bias : TensorView, optional
    [n], of the same dtype.

Returns
-------
TensorView
    [*, n], of the dtype of `arg1`.

Raises
------
RuntimeError
    For different dtypes, other ranks, or sizes that do not match.)");
  auto tensor = nb::borrow<nb::class_<TensorView>>(nb::type<TensorView>());
  tensor.def(
      "__matmul__", [](TensorView* a, TensorView* b) { return share(ops::matmul(a, b)); },
      nb::is_operator());
}

}  // namespace nvfuser
