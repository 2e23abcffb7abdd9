"""What inputs a tracing is valid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy
import torch

__all__ = ["Signature", "as_tensor"]


def as_tensor(value: Any) -> torch.Tensor:
    """Return a tensor, also for a NumPy array."""
    return value if isinstance(value, torch.Tensor) else torch.from_numpy(value)


def _expression(value: Any) -> Any:
    """Return a size: a number, or an expression of symbols."""
    if isinstance(value, int):
        return value
    expression = value.node.expr
    return int(expression) if expression.is_number else expression


class Signature:
    """Dtypes, devices, sizes and strides of inputs, as far as a tracing depends on them.

    Parameters
    ----------
    fakes : sequence of FakeTensor
        What the function was traced with: sizes are symbols unless they are 0 or 1, or were found
        to matter.
    environment : ShapeEnv
        Has what was assumed of the symbols.
    """

    def __init__(self, fakes: Sequence[torch.Tensor], environment: Any) -> None:
        self._tensors = [
            (
                fake.dtype,
                fake.device,
                [_expression(size) for size in fake.shape],
                [_expression(stride) for stride in fake.stride()],
            )
            for fake in fakes
        ]
        self._guards = [environment.simplify(guard.expr) for guard in environment.guards]
        self._ranges = dict(environment.var_to_range)

    def admits(self, inputs: Sequence[Any]) -> bool:
        """Whether inputs, further ones behind them aside, may be given to what was traced."""
        if len(inputs) < len(self._tensors):
            return False
        bound: dict[Any, int] = {}
        open_: list[tuple[Any, int]] = []
        for (dtype, device, sizes, strides), given in zip(self._tensors, inputs, strict=False):
            tensor = as_tensor(given)
            if (
                tensor.dtype != dtype
                or tensor.dim() != len(sizes)
                or tensor.device != device
                or tensor.layout is not torch.strided
            ):
                return False
            # The strides of dimensions with one element, and of tensors with none, are not used.
            is_empty = tensor.numel() == 0
            for size, actual in zip(sizes, tensor.shape, strict=True):
                if not self._admits(size, actual, bound, open_):
                    return False
            for size, stride, actual in zip(tensor.shape, strides, tensor.stride(), strict=True):
                if size > 1 and not is_empty and not self._admits(stride, actual, bound, open_):
                    return False
        values = {symbol: sympy.Integer(value) for symbol, value in bound.items()}
        return all(
            isinstance(value := expression.xreplace(values), sympy.Integer) and int(value) == actual
            for expression, actual in open_
        ) and all(guard.xreplace(values) == sympy.true for guard in self._guards)

    def _admits(
        self, expression: Any, actual: int, bound: dict[Any, int], open_: list[tuple[Any, int]]
    ) -> bool:
        if isinstance(expression, int):
            return actual == expression
        if isinstance(expression, sympy.Symbol) and expression not in bound:
            allowed = self._ranges.get(expression)
            bound[expression] = actual
            return allowed is None or (allowed.lower <= actual and actual <= allowed.upper)
        open_.append((expression, actual))
        return True
