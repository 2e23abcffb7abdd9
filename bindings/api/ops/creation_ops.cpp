// Operations of the submodule ops that make tensors from scalars.

#include <nanobind/stl/optional.h>

#include <optional>

#include "bindings/support/nodes.h"
#include "ops/ops.h"

namespace nvfuser {

void bindCreationOps(nb::module_& ops) {
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
        return share(ops::iota(length.get(), valOrNull(start), valOrNull(step), dtype));
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

}  // namespace nvfuser
