"""Slices that are written into, functionalized: a tensor with other elements in some places."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import torch

from nvfuser import Val, ops
from nvfuser.frontend.operators.indexing import extended
from nvfuser.frontend.operators.registry import Call, builder, cast
from nvfuser.frontend.operators.views import SLICE, begin_of, normalized_start, number_of
from nvfuser.frontend.sizes import constant_of, is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops


_SLICE_SCATTER = torch.ops.aten.slice_scatter.default
_SELECT = torch.ops.aten.select.int
_COPIES = (
    torch.ops.aten.copy.default,
    torch.ops.aten.fill.Tensor,
    torch.ops.aten.fill.Scalar,
)


def _positions(call: Call, dim: int) -> Any:
    """Return the index along `dim` of each element of the result, to be broadcast."""
    rank = call.result.dim()
    index = _ops.iota(call.shape()[dim])
    return _ops.broadcast(index, [place != dim for place in range(rank)])


def _copied(source: Any) -> Any:
    """Return what is copied to make a node, and maybe repeated: another node, or a number.

    In front of the last copy only what has the dtype of its copies.
    """
    first = source
    while isinstance(source, torch.fx.Node) and source.target in _COPIES:
        copied = source.args[1]
        keeps = isinstance(copied, torch.fx.Node) and (
            getattr(copied.meta["val"], "dtype", None) == source.meta["val"].dtype
        )
        if source is not first and not keeps:
            break
        source = copied
    return source


@builder("aten.select_scatter.default")
def _select_scatter(call: Call, x: Any, source: Any, dim: int, index: Any) -> Any:
    dim %= call.result.dim()
    if isinstance(index, Val):
        return NotImplemented
    base, written = call.node.args[0], _copied(call.node.args[1])
    if isinstance(written, torch.fx.Node) and written.target is _SELECT:
        taken_dim, taken_index = written.args[1:3]
        same_dim = taken_dim % call.result.dim() == dim
        if written.args[0] is base and same_dim and taken_index == index:
            return _ops.set(x)
    place = index if index >= 0 else call.sizes.value(call.result.shape[dim] + index)
    here = _ops.eq(_positions(call, dim), place)
    return _ops.where(here, _ops.unsqueeze(cast(source, call.dtype), dim), x)


_UNDEFINED = (
    torch.ops.aten.new_empty.default,
    torch.ops.aten.empty.memory_format,
    torch.ops.aten.empty_like.default,
)


@dataclass(frozen=True)
class _Cut:
    """What a node cuts out of a tensor, or writes into."""

    dim: int
    start: Any
    end: Any
    step: Any


def _cut(node: torch.fx.Node, first: int) -> _Cut:
    """Return the slice of a node whose arguments from `first` on say it."""
    names = ("dim", "start", "end", "step")
    given = dict(zip(names, node.args[first:], strict=False)) | node.kwargs
    dim, start, end, step = (given.get(name) for name in names)
    return _Cut(
        (dim or 0) % node.meta["val"].dim(),
        0 if start is None else start,
        sys.maxsize if end is None else end,
        1 if step is None else step,
    )


def _nested_writes(node: torch.fx.Node) -> list[torch.fx.Node]:
    """Return the nodes that write into a slice of a slice of a tensor, the outermost first.

    ``x[1:, 2:] = y`` is a slice of x that is written into, and then written into x.
    """
    writes = [node]
    while True:
        base, source = writes[-1].args[:2]
        if not isinstance(source, torch.fx.Node) or source.target is not _SLICE_SCATTER:
            return writes
        part = source.args[0]
        if not isinstance(part, torch.fx.Node) or part.target is not SLICE:
            return writes
        if part.args[0] is not base or _cut(part, 1) != _cut(writes[-1], 2):
            return writes
        writes.append(source)


def _is_written_back(writes: list[torch.fx.Node]) -> bool:
    """Whether a slice is written where it is: ``x[1:] *= 2`` writes it, and then writes it back."""
    source = _copied(writes[-1].args[1])
    for write in reversed(writes):
        if not isinstance(source, torch.fx.Node) or source.target is not SLICE:
            return False
        if _cut(source, 1) != _cut(write, 2):
            return False
        source = source.args[0]
    return source is writes[0].args[0]


# ------------------------------------------------------- what is written around something


@dataclass
class _Interval:
    """Positions from one to another one, which is not among them."""

    first: Any
    end: Any

    def holds(self, other: _Interval) -> bool:
        return is_known(self.first <= other.first) and is_known(other.end <= self.end)

    def extend(self, other: _Interval) -> bool:
        """Add neighbouring positions; False where others would lie between."""
        if not is_known(other.first <= self.end) or not is_known(self.first <= other.end):
            return False
        if is_known(other.first <= self.first):
            self.first = other.first
        if is_known(self.end <= other.end):
            self.end = other.end
        return self.holds(other)


def _copied_along(write: torch.fx.Node) -> tuple[int, _Interval, _Interval] | None:
    """Return what a node copies along a dimension of a tensor, and where to; None for others."""
    base, source = write.args[0], _copied(write.args[1])
    if not isinstance(source, torch.fx.Node) or source.target is not SLICE:
        return None
    to, of = _cut(write, 2), _cut(source, 1)
    if source.args[0] is not base or to.dim != of.dim or (to.step, of.step) != (1, 1):
        return None
    size = write.meta["val"].shape[to.dim]
    length = source.meta["val"].shape[to.dim]
    begins = [normalized_start(size, number_of(cut.start)) for cut in (of, to)]
    if any(begin is None for begin in begins):
        return None
    copied, written = (_Interval(begin, begin + length) for begin in begins)
    return to.dim, copied, written


def _periodic(place: Any, size: Any) -> Any:
    """Return where a place beside a dimension is in it, if that goes on from its other end."""
    return _ops.remainder(place, size)


def _wrapped(call: Call) -> Any:
    """Return a tensor that goes on beside itself as at its other ends; None for other writes.

    That is what ``pad(x, …, mode="circular")`` does: x is written into an empty tensor, and slices
    of that beside it.
    """
    copies = []
    write = call.node
    while (copy := _copied_along(write)) is not None:
        copies.append(copy)
        write = write.args[0]
        if not isinstance(write, torch.fx.Node) or write.target is not _SLICE_SCATTER:
            return None
    writes = _nested_writes(write)
    base, source = writes[0].args[0], _copied(writes[-1].args[1])
    if not copies or not isinstance(base, torch.fx.Node) or not isinstance(source, torch.fx.Node):
        return None
    shape, inner = call.result.shape, source.meta["val"].shape
    if base.target not in _UNDEFINED or len(inner) != len(shape):
        return None
    written = [_Interval(0, size) for size in inner]
    for each in writes:
        cut = _cut(each, 2)
        begin = normalized_start(shape[cut.dim], number_of(cut.start))
        if begin is None or cut.step != 1:
            return None
        place = written[cut.dim]
        place.first, place.end = place.first + begin, place.end + begin
    firsts = [place.first for place in written]
    for dim, of, to in reversed(copies):
        is_around = is_known(of.first - to.first == inner[dim]) or is_known(
            to.first - of.first == inner[dim]
        )
        if not is_around or not written[dim].holds(of) or not written[dim].extend(to):
            return None
    if not all(place.holds(_Interval(0, size)) for place, size in zip(written, shape, strict=True)):
        return None
    widths: list[Any] = []
    for first, size, own in zip(firsts, shape, inner, strict=True):
        widths = [constant_of(first), constant_of(size - first - own), *widths]
    if any(width is None for width in widths):
        return None
    while widths[-2:] == [0, 0]:
        widths = widths[:-2]
    return extended(call, cast(call.value(source), call.dtype), widths, _periodic)


# ---------------------------------------------------------------------- any other slices


@builder("aten.slice_scatter.default")
def _slice_scatter(call: Call, x: Any, source: Any, *_: Any, **__: Any) -> Any:
    if call.dtype.is_complex:
        return NotImplemented
    if is_known(call.result.numel() == 0):
        return _ops.set(x)
    if (wrapped := _wrapped(call)) is not None:
        return wrapped
    rank = call.result.dim()
    writes = _nested_writes(call.node)
    if _is_written_back(writes):
        return _ops.set(x)
    # Where what is written begins along each dimension, and the steps between its elements.
    begins: dict[int, Any] = {}
    steps: dict[int, int] = {}
    for write in writes:
        cut = _cut(write, 2)
        begin = begin_of(write.meta["val"].shape[cut.dim], number_of(cut.start))
        if begin is None or not isinstance(cut.step, int):
            return NotImplemented
        if cut.dim in begins and (cut.step, steps[cut.dim]) != (1, 1):
            return NotImplemented
        begins[cut.dim] = begins.get(cut.dim, 0) + begin
        steps[cut.dim] = cut.step
    written: Any = writes[-1].args[1]
    shape, copied = written.meta["val"].shape, _copied(written)
    if isinstance(copied, torch.fx.Node) and isinstance(copied.meta["val"], torch.Tensor):
        own = list(copied.meta["val"].shape)
        source = cast(call.value(copied), call.dtype)
    else:
        own = []
        number = call.value(copied) if isinstance(copied, torch.fx.Node) else copied
        source = _ops.full([], call.in_dtype(number, call.dtype), call.data_type)
    new = rank - len(own)
    source = _ops.broadcast(source, [dim < new for dim in range(rank)]) if new else source
    own = [1] * new + own
    widths: list[Any] = [0, 0] * rank
    inside = None
    for dim, begin in begins.items():
        length, size, step = shape[dim], call.result.shape[dim], steps[dim]
        if is_known(length == size):
            continue
        if is_known(length == 0):
            return _ops.set(x)
        if step > 1 and not is_known(length > 0):
            return NotImplemented
        places = _positions(call, dim)
        first, end = call.sizes.value(begin), begin + step * (length - 1) + 1
        here = _ops.logical_and(_ops.ge(places, first), _ops.lt(places, call.sizes.value(end)))
        if step > 1:
            here = _ops.logical_and(here, _ops.eq(_ops.remainder(_ops.sub(places, first), step), 0))
        inside = here if inside is None else _ops.logical_and(inside, here)
        if is_known(own[dim] == 1):
            continue  # the one element is there for all places
        if step > 1:
            source = _spread(source, dim, first, step, *call.sizes.shape([length, size]))
        else:
            at = 2 * (rank - 1 - dim)
            widths[at : at + 2] = [first, call.sizes.value(size - end)]
    if any(isinstance(width, Val) or width != 0 for width in widths):
        source = _ops.pad(source, widths)
    if inside is None:
        return _ops.set(_ops.expand(source, call.shape()))
    return _ops.where(inside, source, x)


def _spread(source: Any, dim: int, first: Any, step: int, length: Any, size: Any) -> Any:
    """Repeat elements of a dimension until the next one is due, and those at its ends beside it."""
    place = _ops.floor_div(_ops.sub(_ops.iota(size), first), step)
    place = _ops.minimum(_ops.maximum(place, 0), _ops.sub(length, 1))
    return _ops.index_select(source, place, dim)
