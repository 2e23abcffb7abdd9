"""Operators that slide a window over the last dimensions."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import torch

from nvfuser import DataType, ops
from nvfuser.frontend.operators.indexing import look_up
from nvfuser.frontend.operators.registry import Call, builder, cast
from nvfuser.frontend.sizes import constant_of, is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops

# Of operators the dimensions that windows slide over.
_DIMENSIONS = {
    torch.ops.aten.avg_pool1d.default: 1,
    torch.ops.aten.avg_pool2d.default: 2,
    torch.ops.aten.avg_pool3d.default: 3,
    torch.ops.aten._adaptive_avg_pool2d.default: 2,
    torch.ops.aten._adaptive_avg_pool3d.default: 3,
    torch.ops.aten.max_pool2d_with_indices.default: 2,
    torch.ops.aten.max_pool3d_with_indices.default: 3,
}

# Elements of a window that are read one by one, at most.
_MOST_ELEMENTS = 25


def _each(values: Any, count: int) -> list[int]:
    """Return one number for each dimension; one that is given stands for all."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    return listed * count if len(listed) == 1 else listed


@dataclass(frozen=True)
class _Windows:
    """Windows over the last dimensions of a tensor.

    Attributes
    ----------
    shape, sizes : list
        Of the tensor, and of the result.
    sides : list of tuple of int
        Of each of these dimensions the size of a window, the distance of two, and how far the first
        one begins in front of the dimension.
    """

    shape: list[Any]
    sizes: list[Any]
    sides: list[tuple[int, int, int]]

    @property
    def first(self) -> int:
        """The first of these dimensions."""
        return len(self.sizes) - len(self.sides)

    @property
    def count(self) -> int:
        """Elements of a window."""
        return math.prod(size for size, _, _ in self.sides)

    @property
    def begin_outside(self) -> bool:
        """Whether some begin in front of a dimension."""
        return any(padding for _, _, padding in self.sides)

    @property
    def are_side_by_side(self) -> bool:
        """Whether an element is part of one of them at most."""
        return all(size == step and padding == 0 for size, step, padding in self.sides)

    @property
    def are_next(self) -> bool:
        """Whether each element begins one."""
        return all(step == 1 for _, step, _ in self.sides)

    def reduced(
        self,
        x: Any,
        outside: float,
        along: Callable[[Any, list[int]], Any],
        both: Callable[[Any, Any], Any],
    ) -> Any:
        """Reduce each window of x, `along` dimensions or two elements after the other by `both`."""
        if self.are_side_by_side:
            return along(*self.divided(x))
        return reduce(both, self.elements(x, outside))

    def divided(self, x: Any) -> tuple[Any, list[int]]:
        """Return x with dimensions for the elements of windows side by side, and which these are.

        What is left over at the ends is no part of a window.
        """
        ends, parts = [*self.shape[: self.first]], [*self.shape[: self.first]]
        for (size, _, _), count in zip(self.sides, self.sizes[self.first :], strict=True):
            ends.append(_ops.mul(count, size))
            parts += [count, size]
        x = _ops.reshape(_ops.slice(x, [0] * len(ends), ends, None, True), parts)
        return x, [self.first + 2 * place + 1 for place in range(len(self.sides))]

    def elements(self, x: Any, outside: float) -> Iterator[Any]:
        """Yield the elements in each place of all windows; `outside` is what lies beside x."""
        if self.are_next and self.begin_outside:
            widths = [width for _, _, padding in reversed(self.sides) for width in [padding] * 2]
            x = _ops.pad(x, widths, outside)
        for place in itertools.product(*(range(size) for size, _, _ in self.sides)):
            if self.are_next:
                begins = [0] * self.first + list(place)
                ends = [_ops.add(size, k) for size, k in zip(self.sizes, begins, strict=True)]
                yield _ops.slice(x, begins, ends, None, True)
            else:
                yield self._looked_up(x, place, outside)

    def _looked_up(self, x: Any, place: Sequence[int], outside: float) -> Any:
        indices, inside = [], []
        for dim, (begin, (_, step, padding)) in enumerate(zip(place, self.sides, strict=True)):
            index = _ops.iota(self.sizes[self.first + dim], begin - padding, step)
            index = _ops.broadcast(index, [other != dim for other in range(len(self.sides))])
            if padding:
                last = _ops.sub(self.shape[self.first + dim], 1)
                inside.append(_ops.logical_and(_ops.ge(index, 0), _ops.le(index, last)))
                index = _ops.minimum(_ops.maximum(index, 0), last)
            indices.append(index)
        found = look_up(x, self.shape, self.first, indices, self.sizes[self.first :])
        # The extreme of a window has the one at its end twice instead.
        if not inside or math.isinf(outside):
            return found
        is_inside = reduce(_ops.logical_and, inside)
        flags = [True] * self.first + [False] * len(self.sides)
        return _ops.where(_ops.broadcast(is_inside, flags), found, outside)

    def count_inside(self) -> Any:
        """Return how many elements of each lie inside, to be broadcast to the result."""
        counts = []
        for dim, (size, step, padding) in enumerate(self.sides, self.first):
            begin = _ops.iota(self.sizes[dim], -padding, step)
            end = _ops.minimum(_ops.add(begin, size), self.shape[dim])
            inside = _ops.sub(end, _ops.maximum(begin, 0))
            counts.append(_ops.broadcast(inside, [k != dim for k in range(len(self.sizes))]))
        return reduce(_ops.mul, counts)


def _windows(
    call: Call, x: Any, result: torch.Tensor, kernel: Any, stride: Any, padding: Any
) -> _Windows | None:
    """Return the windows of an operator; None where they are left to torch."""
    dims = _DIMENSIONS[call.node.target]
    kernel = _each(kernel, dims)
    sides = zip(kernel, _each(stride or kernel, dims), _each(padding, dims), strict=True)
    windows = _Windows(call.shape_of(x), call.shape(result), list(sides))
    are_few = windows.are_side_by_side or windows.count <= _MOST_ELEMENTS
    is_there = result.dtype.is_floating_point and not is_known(result.numel() == 0)
    return windows if is_there and are_few else None


@builder("aten.avg_pool1d.default", "aten.avg_pool2d.default", "aten.avg_pool3d.default")
def _average(
    call: Call,
    x: Any,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor: int | None = None,
) -> Any:
    windows = _windows(call, x, call.result, kernel, stride, padding)
    if windows is None or ceil_mode:
        return NotImplemented
    is_reduced = call.dtype in (torch.float16, torch.bfloat16)
    x = cast(x, torch.float32) if is_reduced else x
    total = windows.reduced(x, 0.0, _ops.sum, _ops.add)
    count: Any = windows.count if divisor is None else divisor
    if divisor is None and not count_include_pad and windows.begin_outside:
        count = windows.count_inside()
    return cast(_ops.truediv(total, count), call.dtype)


@builder("aten._adaptive_avg_pool2d.default", "aten._adaptive_avg_pool3d.default")
def _adaptive_average(call: Call, x: Any, sizes: Any) -> Any:
    kernel = []
    for size, count in zip(call.fake(x).shape[-len(sizes) :], sizes, strict=True):
        whole, parts = constant_of(size), constant_of(count)
        if not whole or not parts or whole % parts:
            return NotImplemented
        kernel.append(whole // parts)
    return _average(call, x, kernel)


@builder("aten.max_pool2d_with_indices.default", "aten.max_pool3d_with_indices.default")
def _maximum(
    call: Call,
    x: Any,
    kernel: Any,
    stride: Any = (),
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
) -> Any:
    users = call.node.users
    asks_for_places = any(user.target is not operator.getitem or user.args[1] for user in users)
    values, places = call.result
    windows = _windows(call, x, values, kernel, stride, padding)
    is_dilated = any(step != 1 for step in _each(dilation, _DIMENSIONS[call.node.target]))
    if windows is None or asks_for_places or ceil_mode or is_dilated:
        return NotImplemented
    most = windows.reduced(x, -math.inf, _ops.max, _ops.maximum)
    # Nothing reads the places.
    return [most, _ops.full(call.shape(places), 0, DataType.Int)]
