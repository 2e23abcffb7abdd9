"""Lookups and scatter."""

from __future__ import annotations

from typing import Any

import torch

from nvfuser import TensorView, ops
from nvfuser.frontend.operators.registry import Call, builder, cast
from nvfuser.frontend.sizes import hint_of, is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops


_INDICES = (torch.int64, torch.int32)


def _vector(call: Call, index: Any) -> Any:
    rank = call.fake(index).dim()
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
    return _ops.index_select(x, _vector(call, index), dim)


@builder("aten.embedding.default")
def _embedding(call: Call, weight: Any, indices: Any, *_: Any) -> Any:
    if is_known(call.result.numel() == 0) or call.dtype_of(indices) not in _INDICES:
        return NotImplemented
    rows = _ops.index_select(weight, _vector(call, indices), 0)
    return rows if call.fake(indices).dim() == 1 else _ops.reshape(rows, call.shape())


@builder("aten.index.Tensor")
def _index(call: Call, x: Any, indices: Any) -> Any:
    given = [(dim, index) for dim, index in enumerate(indices) if index is not None]
    if len(given) != 1 or is_known(call.result.numel() == 0):
        return NotImplemented
    dim, index = given[0]
    if call.dtype_of(index) not in _INDICES:
        return NotImplemented
    size = call.shape_of(x)[dim]
    index = _ops.where(_ops.lt(index, 0), _ops.add(index, size), index)
    flat = index
    rank = len(call.result.shape) - call.fake(x).dim() + 1
    if rank != 1:
        flat = _ops.reshape(index, [-1] if rank else [1])
    found = _ops.index_select(x, flat, dim)
    return found if rank == 1 else _ops.reshape(found, call.shape())


@builder("aten.scatter.src", "aten.scatter.value")
def _scatter(call: Call, x: Any, dim: int, index: Any, source: Any) -> Any:
    index_shape = call.fake(index).shape
    if call.fake(x).dim() == 0 or len(index_shape) != call.fake(x).dim():
        return NotImplemented
    if is_known(call.fake(index).numel() == 0):
        return _ops.set(x)
    if call.dtype_of(index) not in _INDICES:
        return NotImplemented
    if isinstance(source, TensorView):
        shape = call.fake(source).shape
        if not all(is_known(a == b) for a, b in zip(shape, index_shape, strict=True)):
            return NotImplemented
        return _ops.scatter(x, index, cast(source, call.dtype), dim)
    return _ops.scatter(x, index, call.in_dtype(source, call.dtype), dim)


# ------------------------------------------------------------------- nearest upsampling


@builder("aten._unsafe_index.Tensor")
def _unsafe_index(call: Call, x: Any, indices: Any) -> Any:
    """Repeat elements where that is what is looked up in each dimension."""
    nodes = list(call.node.args[1])
    fake = call.fake(x)
    factors = [
        1 if node is None else _factor(node, fake.shape[dim], call.result.shape[dim])
        for dim, node in enumerate(nodes)
    ]
    # Positions of other dimensions than the last ones, or not one behind another, move them.
    first = next((dim for dim, node in enumerate(nodes) if node is not None), fake.dim())
    ranks = [node.meta["val"].dim() for node in nodes[first:] if node is not None]
    if len(nodes) != fake.dim() or None in factors or ranks != list(range(len(ranks), 0, -1)):
        return NotImplemented
    apart: list[Any] = []
    repeated: list[Any] = []
    for size, factor in zip(call.shape_of(x), factors, strict=True):
        apart += [size] if factor == 1 else [size, 1]
        repeated += [-1] if factor == 1 else [-1, factor]
    if len(apart) == fake.dim():
        return _ops.set(x)
    return _ops.reshape(_ops.expand(_ops.reshape(x, apart), repeated), call.shape())


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
    value = scale.meta["val"] if isinstance(scale, torch.fx.Node) else scale
    if isinstance(value, torch.SymFloat):
        quotient = value.node.expr
        for name, meaning in _OF_QUOTIENTS.items():
            quotient = quotient.replace(lambda x, name=name: type(x).__name__ == name, meaning)
        if not quotient.is_number:
            return False
        value = float(quotient)
    return isinstance(value, (int, float)) and value * factor == 1


# Torch's functions of symbols are opaque to sympy.
_OF_QUOTIENTS: dict[str, Any] = {
    "ToFloat": lambda x: x.args[0],
    "FloatTrueDiv": lambda x: x.args[0] / x.args[1],
}
