"""What the outputs of a fusion will be: their dtypes, sizes and strides, from those of the inputs.

Sizes may be torch's symbols: then those of the outputs are expressions of these. Operations that
torch's symbols do not have fix their operands to the numbers that these are at the moment, with a
guard, as torch's own functions do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser import _C
from nvfuser.pytorch_utils import nvfuser_dtype_to_torch_dtype

__all__ = ["OutputGeometry"]


def _ceiling(a: Any, b: Any) -> Any:
    return -(-a // b)


def _truncated(a: Any, b: Any) -> Any:
    if isinstance(a, (float, torch.SymFloat)) or isinstance(b, (float, torch.SymFloat)):
        return a / b
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


def _remainder(a: Any, b: Any) -> Any:
    return a - _truncated(a, b) * b


# On symbols; the names are those of the operations.
_SYMBOLIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "div": _truncated,
    "truediv": operator.truediv,
    "floor_div": operator.floordiv,
    "ceil_div": _ceiling,
    "mod": _remainder,
    "remainder": operator.mod,
    "maximum": torch.sym_max,
    "minimum": torch.sym_min,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "where": lambda condition, a, b: a if condition else b,
}
_SYMBOLS = (torch.SymInt, torch.SymFloat, torch.SymBool)


def _cast(value: Any, dtype: _C.DataType) -> Any:
    if dtype == _C.DataType.Bool:
        return value != 0
    if dtype in (_C.DataType.Int, _C.DataType.Index):
        return torch.sym_int(value)
    if dtype == _C.DataType.Double:
        return torch.sym_float(value)
    return None


def _number(value: Any) -> Any:
    for symbol, number in zip(_SYMBOLS, (int, float, bool), strict=True):
        if isinstance(value, symbol):
            return number(value)
    return value


def _compute(name: str, operands: list[Any], val: _C.Val) -> Any:
    if any(isinstance(operand, _SYMBOLS) for operand in operands):
        if name == "cast":
            value = _cast(operands[0], val.dtype())
            if value is not None:
                return value
        elif name in _SYMBOLIC and not any(isinstance(o, (bool, complex)) for o in operands[1:]):
            return _SYMBOLIC[name](*operands)
    return _C.evaluate_operation(val, [_number(operand) for operand in operands])


class OutputGeometry:
    """Of all outputs that a run of a fusion returns.

    Parameters
    ----------
    fusion : Fusion
        A finished definition.
    """

    def __init__(self, fusion: _C.Fusion) -> None:
        self._instructions, self._outputs = _C.output_geometry(fusion)

    def __call__(self, inputs: Sequence[Any]) -> list[tuple[list[Any], list[Any], torch.dtype]]:
        """Return sizes, strides and dtype of each output.

        Parameters
        ----------
        inputs : sequence of torch.Tensor or number
            All inputs, in order. Tensors need no values.
        """
        values: list[Any] = []
        for name, *rest in self._instructions:
            if name == "constant":
                values.append(rest[0])
            elif name == "input":
                values.append(inputs[rest[0]])
            elif name == "size":
                position, dim, factor = rest
                values.append(inputs[position].shape[dim] * factor)
            else:
                positions, val = rest
                values.append(_compute(name, [values[i] for i in positions], val))
        return [
            _output(dtype, [values[i] for i in sizes], order, is_packed)
            for dtype, sizes, order, is_packed in self._outputs
        ]


def _output(
    dtype: _C.DataType, sizes: list[Any], order: list[int], is_packed: bool
) -> tuple[list[Any], list[Any], torch.dtype]:
    strides: list[Any] = [1] * len(sizes)
    stride: Any = 1
    # torch gives strides of a tensor without elements as if every size were at least 1.
    for dim in reversed(order):
        strides[dim] = stride
        is_empty = not isinstance(sizes[dim], torch.SymInt) and sizes[dim] == 0
        stride = stride * (1 if is_empty else sizes[dim])
    if is_packed:
        packed = next(i for i, s in enumerate(strides) if s == 1)
        sizes[packed] = sizes[packed] // 2
        strides = [1 if i == packed else s // 2 for i, s in enumerate(strides)]
    return sizes, strides, nvfuser_dtype_to_torch_dtype(dtype)
