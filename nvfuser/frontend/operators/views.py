"""Operators on shapes: views, pieces, and what puts them together."""

from __future__ import annotations

from typing import Any

import torch

from nvfuser import DataType, Val, ops
from nvfuser.frontend.layouts import is_dense, order_of, owner_of
from nvfuser.frontend.operators.registry import Call, builder, cast
from nvfuser.frontend.sizes import constant_of, is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops


@builder("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default",
         "aten._reshape_alias.default", "aten.unflatten.int", "aten.flatten.using_ints",
         "prims.collapse_view.default")  # fmt: skip
def _view(call: Call, x: Any, *_: Any, **__: Any) -> Any:
    if call.result.dim() == call.fake(x).dim() and all(
        is_known(a == b) for a, b in zip(call.result.shape, call.fake(x).shape, strict=True)
    ):
        return x
    return _ops.reshape(x, call.shape())


@builder("aten.alias.default", "aten.detach.default", "aten.lift_fresh.default",
         "aten.contiguous.default", "prims.view_of.default", "aten.lift.default")  # fmt: skip
def _same(call: Call, x: Any, *_: Any, **__: Any) -> Any:
    return x


@builder("aten.permute.default", "prims.transpose.default")
def _permute(call: Call, x: Any, dims: Any) -> Any:
    return _ops.permute(x, list(dims)) if len(dims) else x


@builder("aten.transpose.int", "aten.swapaxes.default", "aten.swapdims.default")
def _transpose(call: Call, x: Any, dim0: int, dim1: int) -> Any:
    return _ops.transpose(x, dim0, dim1) if call.fake(x).dim() else x


@builder("aten.t.default")
def _t(call: Call, x: Any) -> Any:
    return _ops.t(x)


@builder("aten.expand.default", "prims.broadcast_in_dim.default")
def _expand(call: Call, x: Any, shape: Any, dims: Any = None, *, implicit: bool = False) -> Any:
    target = call.shape()
    source = call.fake(x)
    if isinstance(dims, (list, tuple)):
        flags = [dim not in dims for dim in range(len(target))]
        x = _ops.broadcast(x, flags) if any(flags) else x
        return _expanded(x, _placed(source.shape, dims, len(target)), call.result.shape, target)
    new = len(target) - source.dim()
    return _expanded(x, [1] * new + list(source.shape), call.result.shape, target)


def _placed(shape: Any, dims: Any, rank: int) -> list[Any]:
    sizes: list[Any] = [1] * rank
    for size, dim in zip(shape, dims, strict=True):
        sizes[dim] = size
    return sizes


def _expanded(x: Any, source: Any, result: Any, target: list[Any]) -> Any:
    same = [is_known(a == b) for a, b in zip(source, result, strict=True)]
    if all(same) and len(target) == x.ndim:
        return x
    new = len(target) - x.ndim
    sizes = [
        -1 if keeps and dim >= new else size
        for dim, (size, keeps) in enumerate(zip(target, same, strict=True))
    ]
    return _ops.expand(x, sizes)


@builder("aten.unsqueeze.default")
def _unsqueeze(call: Call, x: Any, dim: int) -> Any:
    return _ops.unsqueeze(x, dim)


@builder("aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims", "prims.squeeze.default")
def _squeeze(call: Call, x: Any, dims: Any = None) -> Any:
    shape = call.fake(x).shape
    rank = len(shape)
    if dims is None:
        dims = range(rank)
    elif isinstance(dims, int):
        dims = [dims]
    gone = sorted({dim % rank for dim in dims if is_known(shape[dim] == 1)}) if rank else []
    if rank - len(gone) != call.result.dim():
        return NotImplemented
    return _ops.squeeze(x, gone, True) if gone else x


# ------------------------------------------------------------------------------ pieces


def piece(call: Call, x: Any, dim: int, start: Any, length: Any) -> Any:
    """Return `length` elements of a dimension from `start` on, which are known to be there."""
    sizes = call.shape_of(x)
    starts: list[Any] = [0] * len(sizes)
    starts[dim] = start
    if isinstance(start, int) and start == 0:
        sizes[dim] = length
    elif isinstance(start, int) and isinstance(length, int):
        sizes[dim] = start + length
    else:
        sizes[dim] = _ops.add(start, length)
    # With bounds that are constants, or computed from the very sizes: nothing is to be limited.
    return _ops.slice(x, starts, sizes, None, True)


def normalized_start(size: Any, start: Any) -> Any:
    """Return where a slice of so many elements begins; None where that is not known."""
    start = 0 if start is None else start
    if is_known(start < 0):
        return start + size if is_known(start + size >= 0) else None
    if is_known(start >= size):
        return size
    return start if is_known(start >= 0) and is_known(start <= size) else None


def number_of(argument: Any) -> Any:
    """Return an argument of a node, a number that may be computed from sizes."""
    return argument.meta["val"] if isinstance(argument, torch.fx.Node) else argument


def begin_of(size: Any, start: Any) -> Any:
    """Return where a slice from a number on begins; None where that is not known."""
    start = 0 if start is None else start
    begin = normalized_start(size, start)
    if begin is None and is_known(start >= 0):
        return torch.sym_min(start, size)
    if begin is None and is_known(start < 0):
        return torch.sym_max(start + size, 0)
    return begin


SLICE = torch.ops.aten.slice.Tensor
_PAD = torch.ops.aten.constant_pad_nd.default


def _slice_of_padded(call: Call) -> Any:
    """Return slices of what is padded, as what is left of both; None where that is not known.

    A slice that takes away what was padded along a dimension leaves that as it was: its elements
    are read in vectors then.
    """
    shape = list(call.result.shape)
    begins = [0] * len(shape)
    node: Any = call.node
    while node.target is SLICE:
        operands: list[Any] = [*node.args]
        source, dim, start, _, step = operands + [0, None, None, 1][len(operands) - 1 :]
        if step != 1:
            return None
        begin = normalized_start(source.meta["val"].shape[dim], number_of(start))
        if not isinstance(begin, int):
            return None
        begins[dim] += begin
        node = source
    if node.target is not _PAD or not all(isinstance(width, int) for width in node.args[1]):
        return None
    base = node.args[0]
    starts: list[int] = []
    ends: list[Any] = []
    widths: list[int] = []
    for dim, size in enumerate(base.meta["val"].shape):
        # The widths of the last dimension come first.
        place = 2 * (len(shape) - 1 - dim)
        start = begins[dim] - (node.args[1][place] if place < len(node.args[1]) else 0)
        end = start + shape[dim]
        behind = constant_of(end - size)
        if behind is None or not (
            is_known(start < size) and is_known(end > 0) and is_known(start < end)
        ):
            return None
        starts.append(max(start, 0))
        ends.append(call.sizes.value(size + min(behind, 0)))
        widths = [max(-start, 0), max(behind, 0), *widths]
    part = _ops.slice(call.value(base), starts, ends, None, True)
    return _padded(call, part, widths, *node.args[2:]) if any(widths) else part


@builder("aten.slice.Tensor")
def _slice(
    call: Call, x: Any, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Any:
    source = call.fake(x)
    dim %= source.dim()
    length = call.result.shape[dim]
    if is_known(length == source.shape[dim]) and step == 1:
        return x
    if (result := _slice_of_padded(call)) is not None:
        return result
    if isinstance(start, Val):
        start = number_of(call.node.args[2])
    begin = begin_of(source.shape[dim], start)
    if begin is None or not isinstance(step, int):
        return NotImplemented
    first = call.sizes.value(begin)
    count = call.sizes.value(length)
    if step == 1:
        return piece(call, x, dim, first, count)
    return _ops.index_select(x, _ops.iota(count, first, step), dim)


@builder("aten.narrow.default")
def _narrow(call: Call, x: Any, dim: int, start: Any, length: Any) -> Any:
    return _slice(call, x, dim, start)


@builder("aten.select.int")
def _select(call: Call, x: Any, dim: int, index: Any) -> Any:
    return _ops.select(x, index, dim)


@builder("aten.split.Tensor", "aten.split_with_sizes.default", "aten.chunk.default",
         "aten.unsafe_split.Tensor", "aten.unsafe_chunk.default",
         "aten.unsafe_split_with_sizes.default", "aten.split.sizes",
         "aten.split_with_sizes_copy.default", "aten.split_copy.Tensor")  # fmt: skip
def _split(call: Call, x: Any, sections: Any, dim: int = 0) -> Any:
    rank = call.fake(x).dim()
    dim %= rank
    pieces = []
    start: Any = 0
    for result in call.result:
        length = call.sizes.value(result.shape[dim])
        pieces.append(piece(call, x, dim, start, length))
        both = isinstance(start, int) and isinstance(length, int)
        start = start + length if both else _ops.add(start, length)
    return pieces


@builder("aten.unbind.int")
def _unbind(call: Call, x: Any, dim: int = 0) -> Any:
    return [_ops.select(x, i, dim) for i in range(len(call.result))]


@builder("aten.diagonal.default", "aten.diagonal_copy.default")
def _diagonal(call: Call, x: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    return _ops.diagonal(x, offset, dim1, dim2)


@builder("aten.unfold.default", "aten.unfold_copy.default")
def _unfold(call: Call, x: Any, dim: int, size: int, step: int) -> Any:
    if call.fake(x).dim() == 0 or not isinstance(size, int) or not isinstance(step, int):
        return NotImplemented
    return _ops.unfold(x, dim, size, step)


@builder("aten.as_strided.default", "aten.as_strided_copy.default")
def _as_strided(call: Call, x: Any, size: Any, stride: Any, offset: Any = None) -> Any:
    """Read at positions in the memory that torch's tensor would have.

    Only of tensors that lie there densely, from the first element on.
    """
    owner = owner_of(call.node.args[0])
    fake = owner.meta["val"]
    if owner.op == "placeholder" or not is_dense(fake) or not is_known(fake.storage_offset() == 0):
        return NotImplemented
    order = order_of(fake)
    outermost_first = sorted(range(fake.dim()), key=lambda dim: -order[dim])
    memory = call.value(owner)
    if outermost_first:
        memory = _ops.reshape(_ops.permute(memory, outermost_first), [-1])
    else:
        memory = _ops.reshape(memory, [1])
    start = call.sizes.value(call.fake(x).storage_offset() if offset is None else offset)
    places = _ops.full([1], start, DataType.Int)
    for count, step in zip(size, stride, strict=True):
        positions = _ops.mul(_ops.iota(count), step)
        places = _ops.add(_ops.unsqueeze(places, -1), positions)
    return _ops.reshape(_ops.index_select(memory, _ops.reshape(places, [-1]), 0), call.shape())


# --------------------------------------------------------------------- putting together


@builder("aten.cat.default", "aten.concat.default")
def _cat(call: Call, tensors: Any, dim: int = 0) -> Any:
    # Empty vectors are left out, whatever the rank of the others.
    parts = [x for x in tensors if not _is_empty_vector(call, x)] or tensors[:1]
    parts = [cast(x, call.dtype) for x in parts]
    return _ops.set(parts[0]) if len(parts) == 1 else _ops.cat(parts, dim)


def _is_empty_vector(call: Call, x: Any) -> bool:
    shape = call.fake(x).shape
    return len(shape) == 1 and is_known(shape[0] == 0)


@builder("aten.stack.default")
def _stack(call: Call, tensors: Any, dim: int = 0) -> Any:
    dim %= call.result.dim()
    return _ops.cat([_ops.unsqueeze(cast(x, call.dtype), dim) for x in tensors], dim)


@builder("aten.repeat.default")
def _repeat(call: Call, x: Any, repeats: Any) -> Any:
    return _ops.repeat(x, list(repeats)) if len(repeats) else _ops.set(x)


@builder("aten.flip.default", "prims.rev.default")
def _flip(call: Call, x: Any, dims: Any) -> Any:
    dims = [dim for dim in dims if call.fake(x).dim()]
    return _ops.flip(x, dims) if dims else _ops.set(x)


@builder("aten.roll.default")
def _roll(call: Call, x: Any, shifts: Any, dims: Any = ()) -> Any:
    if is_known(call.result.numel() == 0):
        return NotImplemented
    return _ops.roll(x, list(shifts), list(dims) or None)


@builder("aten.constant_pad_nd.default")
def _padded(call: Call, x: Any, widths: Any, value: Any = 0) -> Any:
    dtype = call.dtype
    if isinstance(value, Val) or dtype.is_complex:
        return NotImplemented
    if dtype is torch.bool:
        value = bool(value)
    elif dtype.is_floating_point:
        value = float(value)
    else:
        value = call.in_dtype(int(value), dtype)
    return _ops.pad(x, list(widths), value)


@builder("aten.tril.default")
def _tril(call: Call, x: Any, diagonal: int = 0) -> Any:
    return _ops.tril(x, diagonal)


@builder("aten.triu.default")
def _triu(call: Call, x: Any, diagonal: int = 0) -> Any:
    return _ops.triu(x, diagonal)
