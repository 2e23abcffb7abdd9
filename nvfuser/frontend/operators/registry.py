"""The table of what is generated: builders of torch's operators, and what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as PROMOTION
from torch._prims_common import elementwise_dtypes

from nvfuser import DataType, TensorView, Val, ops
from nvfuser.frontend.limits import Limit
from nvfuser.frontend.sizes import Sizes
from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype

__all__ = ["BUILDERS", "PROMOTION", "Call", "builder", "builder_of", "data_type"]

# Untyped: what fits is checked where users call.
_ops: Any = ops

# What has the elements of its argument in the same places, perhaps in another order of memory.
_COPIES = (torch.ops.aten.clone.default, torch.ops.aten._to_copy.default)

# By the name of an operator, ``aten.add.Tensor``, or of all its overloads, ``aten.add``.
BUILDERS: dict[str, Callable[..., Any]] = {}


def builder(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what builds operators.

    The function is called with a :class:`Call` and the arguments of the operator: tensors and
    scalars of the fusion in place of torch's. It returns the result or, of several, a sequence;
    and NotImplemented for arguments that are left to torch.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            assert name not in BUILDERS, name
            BUILDERS[name] = function
        return function

    return register


def builder_of(target: Any) -> Callable[..., Any] | None:
    """Return what builds an operator, None for one that is torch's."""
    if not isinstance(target, torch._ops.OpOverload):
        return None
    name = str(target)
    return BUILDERS.get(name) or BUILDERS.get(name.rpartition(".")[0])


def data_type(dtype: torch.dtype) -> DataType:
    """Return our dtype for one of torch."""
    try:
        return torch_dtype_to_nvfuser_dtype(dtype)
    except KeyError:
        raise Limit(f"tensors of {dtype} are no values of a fusion") from None


class Call:
    """One use of an operator in a graph.

    Attributes
    ----------
    node : torch.fx.Node
    result : object
        What the operator returned for fake tensors.
    sizes : Sizes
        What symbolic sizes are in the fusion.
    """

    def __init__(
        self,
        node: torch.fx.Node,
        sizes: Sizes,
        fakes: dict[TensorView, torch.Tensor],
        values: dict[torch.fx.Node, Any],
    ) -> None:
        self.node = node
        self.result = node.meta["val"]
        self.sizes = sizes
        self._fakes = fakes
        self._values = values

    @property
    def dtype(self) -> torch.dtype:
        """That of the result."""
        return self.result.dtype

    @property
    def data_type(self) -> DataType:
        """That of the result, as ours."""
        return data_type(self.dtype)

    def shape(self, result: Any = None) -> list[Any]:
        """Return that of the result, or of one of several."""
        return self.sizes.shape((self.result if result is None else result).shape)

    def fake(self, x: TensorView) -> torch.Tensor:
        """Return the fake tensor of an argument."""
        return self._fakes[x]

    def value(self, node: torch.fx.Node) -> Any:
        """Return what another node is in the fusion."""
        return self._values[node]

    def source(self, x: TensorView) -> torch.Tensor:
        """Return the fake tensor of what an argument is a copy of, itself where it is none.

        No kernel copies what others read: they read the source, as that lies in memory.
        """
        node = next(node for node in self.node.all_input_nodes if self._values[node] is x)
        while node.target in _COPIES:
            node = node.args[0]
        return node.meta["val"]

    def shape_of(self, x: TensorView) -> list[Any]:
        """Return the shape of an argument."""
        return self.sizes.shape(self.fake(x).shape)

    def dtype_of(self, x: TensorView) -> torch.dtype:
        """Return torch's dtype of an argument."""
        return self.fake(x).dtype

    def promoted(self, operands: tuple[Any, ...], kind: PROMOTION) -> tuple[torch.dtype, list[Any]]:
        """Return operands in the dtype that torch gives them in common, and that dtype.

        Numbers stay numbers, within what the dtype holds.
        """
        stand_ins = [self._stand_in(operand) for operand in operands]
        computed, returned = elementwise_dtypes(*stand_ins, type_promotion_kind=kind)
        # Reduced precision is computed in Float anyway: what counts is what it is rounded to.
        common = computed if kind is PROMOTION.ALWAYS_BOOL else returned
        if kind is PROMOTION.ALWAYS_BOOL:
            _, common = elementwise_dtypes(*stand_ins, type_promotion_kind=PROMOTION.DEFAULT)
        if kind is PROMOTION.COMPLEX_TO_FLOAT:
            _, common = elementwise_dtypes(*stand_ins, type_promotion_kind=PROMOTION.DEFAULT)
        return common, [self.in_dtype(operand, common) for operand in operands]

    def _stand_in(self, operand: Any) -> Any:
        if isinstance(operand, TensorView):
            return self.fake(operand)
        if isinstance(operand, Val):
            dtype = operand.dtype()
            return 1.0 if dtype == DataType.Double else dtype == DataType.Bool or 1
        return operand

    def in_dtype(self, operand: Any, dtype: torch.dtype) -> Any:
        """Return a tensor in a dtype, or a number as that dtype holds it."""
        if isinstance(operand, TensorView):
            return cast(operand, dtype)
        if isinstance(operand, Val):
            return (
                _ops.cast(operand, DataType.Int) if operand.dtype() == DataType.Index else operand
            )
        if (
            isinstance(operand, (bool, int))
            and not dtype.is_floating_point
            and not dtype.is_complex
        ):
            if dtype is torch.bool:
                return bool(operand)
            return wrapped(int(operand), dtype)
        return operand


def wrapped(number: int, dtype: torch.dtype) -> int:
    """Return an integer as torch stores it in a dtype: its low bits."""
    info = torch.iinfo(dtype)
    return (number - info.min) % (1 << info.bits) + info.min


def cast(x: Any, dtype: torch.dtype) -> Any:
    """Return a tensor in a dtype of torch, itself where it has that."""
    target = data_type(dtype)
    if x.dtype() == target:
        return x
    is_complex = x.dtype() in (DataType.ComplexFloat, DataType.ComplexDouble)
    if is_complex and not dtype.is_complex:
        if dtype is torch.bool:
            return _ops.ne(x, 0)
        x = _ops.real(x)
    return x if x.dtype() == target else _ops.cast(x, target)
