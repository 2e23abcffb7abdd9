"""Lookups and scatter."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from nvfuser import Val, ops
from nvfuser.frontend.operators.registry import Call, builder, cast, data_type
from nvfuser.frontend.sizes import hint_of, is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops


_INDICES = (torch.int64, torch.int32)

# What is added up at positions; reduced precision in Float.
_ADDED = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.int32,
    torch.int64,
)


def _is_added(call: Call) -> bool:
    """Whether elements of the result's dtype may be added up: on CUDA the order is not defined."""
    if call.result.device.type == "cuda" and torch.are_deterministic_algorithms_enabled():
        return False
    return call.dtype in _ADDED


def _may_be_put(call: Call) -> bool:
    """Whether elements may be put in any order: of several at one position any may stay."""
    return call.result.device.type != "cuda" or not torch.are_deterministic_algorithms_enabled()


def _vector(index: Any) -> Any:
    rank = index.ndim
    return index if rank == 1 else _ops.reshape(index, [-1] if rank else [1])


@builder("aten.gather.default")
def _gather(call: Call, x: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    if call.fake(x).dim() == 0 or call.fake(x).dim() != call.fake(index).dim():
        return NotImplemented
    if call.dtype_of(index) not in _INDICES:
        return NotImplemented
    return _ops.gather(x, index, dim)


@builder("aten.index_select.default")
def _index_select(call: Call, x: Any, dim: int, index: Any) -> Any:
    if call.fake(x).dim() == 0 or is_known(call.result.numel() == 0):
        return NotImplemented
    if call.dtype_of(index) not in _INDICES:
        return NotImplemented
    return _ops.index_select(x, _vector(index), dim)


@builder("aten.embedding.default")
def _embedding(call: Call, weight: Any, indices: Any, *_: Any) -> Any:
    if is_known(call.result.numel() == 0) or call.dtype_of(indices) not in _INDICES:
        return NotImplemented
    rows = _ops.index_select(weight, _vector(indices), 0)
    return rows if call.fake(indices).dim() == 1 else _ops.reshape(rows, call.shape())


@builder("aten.index.Tensor")
def _index(call: Call, x: Any, indices: Any) -> Any:
    return _found(call, x, _looked_up(call, call.shape_of(x), indices))


def _found(call: Call, x: Any, looked: _Looked | None) -> Any:
    if looked is None or is_known(call.result.numel() == 0):
        return NotImplemented
    found = _selected(x, looked.shape, looked.dim, looked.index)
    return found if looked.index.ndim == 1 else _ops.reshape(found, call.shape())


def _selected(x: Any, shape: list[Any], dim: int, index: Any) -> Any:
    """Look up positions in one dimension of x, seen as of `shape`, those of the index in a row."""
    rows = x if len(shape) == x.ndim else _ops.reshape(x, shape)
    return _ops.index_select(rows, _vector(index), dim)


class _Looked(NamedTuple):
    """Positions in dimensions that are neighbours, as those in one dimension that they are.

    Attributes
    ----------
    shape : list
        Of what is looked up in, with that one dimension.
    dim : int
    index : TensorView
    sizes : list of int or torch.SymInt
        Those of the index.
    """

    shape: list[Any]
    dim: int
    index: Any
    sizes: list[Any]


def _broadcast(shapes: list[Any], rank: int) -> list[Any] | None:
    """Return the sizes that shapes are broadcast to; None where that is not known of each."""
    result = []
    for dim in range(-rank, 0):
        sizes = [shape[dim] for shape in shapes if len(shape) >= -dim]
        size = next((size for size in sizes if not is_known(size == 1)), 1)
        if not all(is_known(other == 1) or is_known(other == size) for other in sizes):
            return None
        result.append(size)
    return result


def _looked_up(
    call: Call, shape: list[Any], indices: Any, *, may_be_negative: bool = True
) -> _Looked | None:
    """Return what indices of neighbouring dimensions look up; None for others."""
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if not given or any(call.dtype_of(index) not in _INDICES for _, index in given):
        return None
    dim, end = given[0][0], given[-1][0] + 1
    if end - dim != len(given):
        return None
    rank = max(call.fake(index).dim() for _, index in given)
    sizes = _broadcast([call.fake(index).shape for _, index in given], rank)
    if sizes is None:
        return None
    indices = []
    for position, index in given:
        if may_be_negative:
            size = shape[position]
            index = _ops.where(_ops.lt(index, 0), _ops.add(index, size), index)
        if index.ndim < rank:
            index = _ops.broadcast(index, [i < rank - index.ndim for i in range(rank)])
        indices.append(index)
    return _Looked(*_merged(shape, dim, indices), sizes)


def _merged(shape: list[Any], dim: int, indices: list[Any]) -> tuple[list[Any], int, Any]:
    """Return positions in neighbouring dimensions as those in one, with the shape that has it."""
    end = dim + len(indices)
    place, count = indices[0], shape[dim]
    for size, index in zip(shape[dim + 1 : end], indices[1:], strict=True):
        place = _ops.add(_ops.mul(place, size), index)
        count = count * size
    return [*shape[:dim], count, *shape[end:]], dim, place


def look_up(x: Any, shape: list[Any], dim: int, indices: list[Any], sizes: list[Any]) -> Any:
    """Look up positions in neighbouring dimensions, from `dim` on.

    Parameters
    ----------
    x : TensorView
    shape : list
        Of x.
    dim : int
    indices : list of TensorView
        The positions in each of the dimensions, which broadcast to `sizes`.
    sizes : list
        Of what takes the place of these dimensions.

    Returns
    -------
    TensorView
    """
    merged, dim, index = _merged(shape, dim, indices)
    found = _selected(x, merged, dim, index)
    if index.ndim == 1:
        return found
    return _ops.reshape(found, [*shape[:dim], *sizes, *shape[dim + len(indices) :]])


def _reflected(place: Any, size: Any) -> Any:
    """Return where positions beside a dimension are in it, counted back from its ends."""
    last = _ops.sub(size, 1)
    return _ops.sub(last, _ops.abs(_ops.sub(last, _ops.abs(place))))


def _replicated(place: Any, size: Any) -> Any:
    """Return the ends of a dimension for positions beside it."""
    return _ops.minimum(_ops.maximum(place, 0), _ops.sub(size, 1))


_Position = Callable[[Any, Any], Any]


def extended(call: Call, x: Any, widths: list[int], position: _Position) -> Any:
    """Look up what lies beside the last dimensions in them; `widths` of the last one come first.

    `position` is where in a dimension of a size that is what lies at a place beside it.
    """
    rank = call.result.dim()
    if is_known(call.result.numel() == 0):
        return NotImplemented
    padded = {rank - 1 - k: (widths[2 * k], widths[2 * k + 1]) for k in range(len(widths) // 2)}
    dims = [dim for dim, width in padded.items() if not is_known(width[0] == 0 == width[1])]
    if not dims:
        return _ops.set(x)
    dims = list(range(min(dims), max(dims) + 1))
    shape, sizes = call.shape_of(x), call.shape()
    if call.result.device.type != "cpu" or not is_known(call.fake(x).stride(dims[-1]) == 1):
        return _looked_up_beside(x, shape, sizes, {dim: padded[dim] for dim in dims}, position)
    # On CPUs whole rows are copied, and then copied between their ends: both by vectors.
    for dim in dims[:-1]:
        x = _looked_up_beside(x, shape, sizes, {dim: padded[dim]}, position)
        shape[dim] = sizes[dim]
    last = dims[-1]
    before, after = padded[last]
    if not all(isinstance(width, int) and width >= 0 for width in (before, after)):
        return _looked_up_beside(x, shape, sizes, {last: padded[last]}, position)
    parts = [x]
    if before:
        ends = position(_ops.iota(before, -before, 1), shape[last])
        parts.insert(0, _ops.index_select(x, ends, last))
    if after:
        ends = position(_ops.iota(after, shape[last], 1), shape[last])
        parts.append(_ops.index_select(x, ends, last))
    return _ops.cat(parts, last)


def _looked_up_beside(
    x: Any,
    shape: list[Any],
    sizes: list[Any],
    padded: dict[int, tuple[Any, Any]],
    position: _Position,
) -> Any:
    """Look up what lies beside neighbouring dimensions of x, of `shape`, that get these `sizes`."""
    indices = []
    for place, (dim, (before, _)) in enumerate(padded.items()):
        index = position(_ops.iota(sizes[dim], _ops.neg(before), 1), shape[dim])
        indices.append(_ops.broadcast(index, [other != place for other in range(len(padded))]))
    return look_up(x, shape, min(padded), indices, [sizes[dim] for dim in padded])


@builder("aten.reflection_pad1d.default", "aten.reflection_pad2d.default",
         "aten.reflection_pad3d.default")  # fmt: skip
def _reflection_pad(call: Call, x: Any, widths: Any) -> Any:
    return extended(call, x, widths, _reflected)


@builder("aten.replication_pad1d.default", "aten.replication_pad2d.default",
         "aten.replication_pad3d.default")  # fmt: skip
def _replication_pad(call: Call, x: Any, widths: Any) -> Any:
    return extended(call, x, widths, _replicated)


@builder("aten.scatter.src", "aten.scatter.value")
def _scatter(
    call: Call, x: Any, dim: int, index: Any, source: Any, *, accumulate: bool = False
) -> Any:
    if call.fake(x).dim() == 0 or call.fake(index).dim() != call.fake(x).dim():
        return NotImplemented
    if is_known(call.fake(index).numel() == 0):
        return _ops.set(x)
    if call.dtype_of(index) not in _INDICES:
        return NotImplemented
    return _ops.scatter(x, index, call.in_dtype(source, call.dtype), dim, accumulate)


@builder("aten.scatter_add.default")
def _scatter_add(call: Call, x: Any, dim: int, index: Any, source: Any) -> Any:
    if not _is_added(call):
        return NotImplemented
    return _scatter(call, x, dim, index, source, accumulate=True)


@builder("aten.scatter_reduce.two")
def _scatter_reduce(
    call: Call,
    x: Any,
    dim: int,
    index: Any,
    source: Any,
    reduction: str,
    *,
    include_self: bool = True,
) -> Any:
    if reduction != "sum" or not include_self:
        return NotImplemented
    return _scatter_add(call, x, dim, index, source)


def _put_slices(call: Call, shape: Sequence[Any], x: Any, dim: int, index: Any, slices: Any) -> Any:
    """Put slices along a dimension of a tensor, of some shape, at positions of a vector."""
    return _ops.scatter(x, _along(index, shape, dim), cast(slices, call.dtype), dim, False)


def _along(index: Any, shape: Sequence[Any], dim: int) -> Any:
    """Return the positions of a vector, repeated along all dimensions but one."""
    sizes = list(shape)
    sizes[dim] = -1
    return _ops.expand(_ops.broadcast(index, [i != dim for i in range(len(sizes))]), sizes)


# How many additions to one address, about, a table takes: threads of a GPU add to it one behind the
# other, at some 20 ns each.
_ADDED_TO_ONE = 64


def tables(count: Any, size: Any, device: torch.device) -> int:
    """Return how many tables slices are added to, each to one, which are summed up then.

    Parameters
    ----------
    count : int or torch.SymInt
        Of slices that are added.
    size : int or Val
        Of slices of the result.
    device : torch.device
        Where they are.
    """
    hint = count if isinstance(count, int) else count.node.hint
    if device.type != "cuda" or hint is None or not isinstance(size, int) or size == 0:
        return 1
    number = min(1 << (hint // size // _ADDED_TO_ONE).bit_length() >> 1, 256)
    # To add them up is a kernel more.
    return number if number >= 4 else 1


def _add_slices(
    call: Call,
    shape: Sequence[Any],
    x: Any,
    dim: int,
    index: Any,
    slices: Any,
    count: Any,
    *,
    is_rounded_once: bool = True,
) -> Any:
    """Add slices, of some count, along a dimension of a tensor at positions of a vector.

    Where many are added to few, neighbours are added to different tables. Sums of 16 bits may be
    rounded with each addition where eager mode does so, too: not if they `is_rounded_once`.
    """
    slices, size = cast(slices, call.dtype), shape[dim]
    number = tables(count, size, call.result.device)
    if number == 1:
        dtype = _sum_dtype(call) if is_rounded_once else call.dtype
        index = _along(index, shape, dim)
        added = _ops.scatter(cast(x, dtype), index, cast(slices, dtype), dim, True)
        return cast(added, call.dtype)
    all_sizes = [*shape[:dim], number * size, *shape[dim + 1 :]]
    table = _ops.remainder(_ops.iota(_ops.size(index, 0)), number)
    # What lies outside of the result is in none of them.
    is_inside = _ops.logical_and(_ops.ge(index, 0), _ops.lt(index, size))
    index = _ops.where(is_inside, _ops.add(index, _ops.mul(table, size)), number * size)
    dtype = _sum_dtype(call)
    zeros = _ops.full(all_sizes, call.in_dtype(0, dtype), data_type(dtype))
    slices = cast(slices, dtype)
    added = _ops.scatter(zeros, _along(index, all_sizes, dim), slices, dim, True)
    apart = _ops.reshape(added, [*shape[:dim], number, size, *shape[dim + 1 :]])
    return cast(_ops.add(x, _ops.sum(apart, [dim])), call.dtype)


def _sum_dtype(call: Call) -> torch.dtype:
    """Return the dtype in which what is added up is rounded once, in the end."""
    is_narrow = call.dtype.itemsize == 2 and call.dtype.is_floating_point
    return torch.float32 if is_narrow else call.dtype


def _has_slices(call: Call, index: Any, source: Any) -> bool:
    """Whether what is added or put are slices of the result, at positions."""
    rank = call.result.dim()
    return 0 < rank == call.fake(source).dim() and call.dtype_of(index) in _INDICES


@builder("aten.index_add.default")
def _index_add(call: Call, x: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    if not _has_slices(call, index, source) or not _is_added(call):
        return NotImplemented
    if is_known(call.fake(source).numel() == 0):
        return _ops.set(x)
    if isinstance(alpha, Val) or alpha != 1:
        source = _ops.mul(cast(source, call.dtype), call.in_dtype(alpha, call.dtype))
    count = call.fake(index).numel()
    index = _vector(index)
    return _add_slices(
        call, call.shape(), x, dim % x.ndim, index, source, count, is_rounded_once=False
    )


@builder("aten.index_copy.default")
def _index_copy(call: Call, x: Any, dim: int, index: Any, source: Any) -> Any:
    if not _has_slices(call, index, source) or not _may_be_put(call):
        return NotImplemented
    if is_known(call.fake(source).numel() == 0):
        return _ops.set(x)
    index = _vector(index)
    return _put_slices(call, call.shape(), x, dim % x.ndim, index, source)


@builder("aten.index_put.default", "aten._unsafe_index_put.default")
def _index_put(call: Call, x: Any, indices: Any, values: Any, accumulate: bool = False) -> Any:
    if not (_is_added(call) if accumulate else _may_be_put(call)):
        return NotImplemented
    if is_known(call.fake(values).numel() == 0):
        return NotImplemented
    looked = _looked_up(call, call.shape(), indices)
    if looked is None:
        return NotImplemented
    shape, dim, index, sizes = looked
    written = [*shape[:dim], *call.sizes.shape(sizes), *shape[dim + 1 :]]
    missing = len(written) - call.fake(values).dim()
    if missing:
        values = _ops.broadcast(values, [i < missing for i in range(len(written))])
    values = _ops.expand(values, written)
    if len(written) != len(shape):
        values = _ops.reshape(values, [*shape[:dim], -1, *shape[dim + 1 :]])
    rows = x if len(shape) == x.ndim else _ops.reshape(x, shape)
    if accumulate:
        count = math.prod(sizes)
        put = _add_slices(call, shape, rows, dim, _vector(index), values, count)
    else:
        put = _put_slices(call, shape, rows, dim, _vector(index), values)
    return put if len(shape) == x.ndim else _ops.reshape(put, call.shape())


@builder("aten.embedding_dense_backward.default")
def _embedding_backward(
    call: Call, slopes: Any, indices: Any, _: int, padding: int, is_scaled: bool
) -> Any:
    if is_scaled or call.dtype_of(indices) not in _INDICES or not _is_added(call):
        return NotImplemented
    zeros = _ops.full(call.shape(), 0.0, call.data_type)
    if is_known(call.fake(indices).numel() == 0):
        return zeros
    index = _vector(indices)
    if call.fake(indices).dim() != 1:
        slopes = _ops.reshape(slopes, [-1, call.shape()[1]])
    if padding >= 0:
        is_padding = _ops.broadcast(_ops.eq(index, padding), [False, True])
        slopes = _ops.where(is_padding, 0.0, slopes)
    count = call.fake(indices).numel()
    return _add_slices(call, call.shape(), zeros, 0, index, slopes, count)


# ------------------------------------------------------------------- nearest upsampling


@builder("aten._unsafe_index.Tensor")
def _unsafe_index(call: Call, x: Any, indices: Any) -> Any:
    """Repeat elements where that is what is looked up in each dimension, else look them up."""
    fake = call.fake(x)
    factors = repeats(call.node.args[1], fake.shape, call.result.shape)
    if factors is None:
        looked = _looked_up(call, call.shape_of(x), indices, may_be_negative=False)
        return _found(call, x, looked)
    apart: list[Any] = []
    repeated: list[Any] = []
    for size, factor in zip(call.shape_of(x), factors, strict=True):
        apart += [size] if factor == 1 else [size, 1]
        repeated += [-1] if factor == 1 else [-1, factor]
    if len(apart) == fake.dim():
        return _ops.set(x)
    return _ops.reshape(_ops.expand(_ops.reshape(x, apart), repeated), call.shape())


def repeats(
    nodes: Sequence[torch.fx.Node | None], shape: Sequence[Any], result: Sequence[Any]
) -> list[int] | None:
    """Return how often each element is repeated by what is looked up at some positions.

    Parameters
    ----------
    nodes : sequence
        The positions along each dimension, None for those where all are looked up.
    shape, result : sequence
        The sizes of what is looked up in, and of what is found.

    Returns
    -------
    list of int, optional
        For each dimension; None where elements are not repeated one after another.
    """
    factors = [
        1 if node is None else _factor(node, shape[dim], result[dim])
        for dim, node in enumerate(nodes)
    ]
    # Positions of other dimensions than the last ones, or not one behind another, move them.
    first = next((dim for dim, node in enumerate(nodes) if node is not None), len(shape))
    ranks = [node.meta["val"].dim() for node in nodes[first:] if node is not None]
    if len(nodes) != len(shape) or ranks != list(range(len(ranks), 0, -1)):
        return None
    known = [factor for factor in factors if factor is not None]
    return known if len(known) == len(factors) else None


def _factor(node: Any, size: Any, result: Any) -> int | None:
    """Return how often positions repeat each of `size` elements, None where that is not known.

    Torch computes them in Float: those of a factor that is a power of two are exact.
    """
    factor = hint_of(result) // max(hint_of(size), 1)
    if factor < 1 or factor & (factor - 1) or not is_known(result == size * factor):
        return None
    while _name(node) == "unsqueeze" and node.args[1] == -1:
        node = node.args[0]
    if _name(node) != "_to_copy" or node.meta["val"].dtype != torch.int64:
        return None
    node = node.args[0]
    if _name(node) != "mul" or not _is_one_over(node.args[1], factor):
        return None
    node = node.args[0]
    if _name(node) == "add" and node.args[1] in (0.0, 0.5):
        node = node.args[0]
    counts = _name(node) == "arange" and len(node.args) == 2 and node.args[0] == 0
    return factor if counts and is_known(node.meta["val"].shape[0] == result) else None


def _name(node: Any) -> str | None:
    return getattr(getattr(node, "target", None), "_opname", None)


def _is_one_over(scale: Any, factor: int) -> bool:
    """Whether a number, or a quotient of symbolic sizes, is the reciprocal of a factor."""
    value = _number(scale)
    is_number = value is not None and getattr(value, "is_number", True)
    return is_number and float(value) * factor == 1


def _number(value: Any) -> Any:
    """Return a number, a size or a tensor of one element that is computed of such as an expression.

    None where that is not known.
    """
    if isinstance(value, torch.fx.Node):
        if not isinstance(value.meta["val"], torch.Tensor):
            return _number(value.meta["val"])
        combine = _OF_TENSORS.get(_name(value))
        operands = [_number(arg) for arg in value.args[:2]] if combine else [None]
        return None if combine is None or operands[0] is None else combine(*operands)
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        expression = value.node.expr
        for name, meaning in _OF_QUOTIENTS.items():
            expression = expression.replace(lambda x, name=name: type(x).__name__ == name, meaning)
        return expression
    return value if isinstance(value, (int, float)) else None


def _product(a: Any, b: Any) -> Any:
    return None if b is None else a * b


def _quotient(a: Any, b: Any) -> Any:
    return None if b is None or b == 0 else a / b


_OF_TENSORS: dict[str | None, Any] = {
    "scalar_tensor": lambda a, *_: a,
    "convert_element_type": lambda a, *_: a,
    "_to_copy": lambda a, *_: a,
    "mul": _product,
    "true_divide": _quotient,
    "div": _quotient,
}


# Torch's functions of symbols are opaque to sympy.
_OF_QUOTIENTS: dict[str, Any] = {
    "ToFloat": lambda x: x.args[0],
    "FloatTrueDiv": lambda x: x.args[0] / x.args[1],
}
