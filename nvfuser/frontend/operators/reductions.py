"""Reductions and scans."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import torch

from nvfuser import DataType, ops
from nvfuser.frontend.operators.registry import Call, builder, cast

# Untyped: what fits is checked where users call.
_ops: Any = ops

_REDUCED = (torch.float16, torch.bfloat16)


def _dims(call: Call, x: Any, dims: Any) -> list[int]:
    rank = call.fake(x).dim()
    if dims is None or dims == []:
        return list(range(rank))
    return [dim % max(rank, 1) for dim in ([dims] if isinstance(dims, int) else dims)]


def wide(call: Call, x: Any) -> Any:
    """Return `x` in what sums of it are computed in."""
    return cast(x, torch.float32) if call.dtype_of(x) in _REDUCED else x


# Tensors that are stacked to be reduced: more than these are a dimension like others.
_FEW_STACKED = 16


def _stacked(call: Call, axes: list[int]) -> list[Any]:
    """Return the tensors that are stacked along what is reduced; none where that is another one."""
    node = call.node.args[0]
    if getattr(node, "target", None) is not torch.ops.aten.stack.default:
        return []
    tensors = node.args[0]
    dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
    is_reduced = axes == [dim % node.meta["val"].dim()]
    return [call.value(part) for part in tensors] if is_reduced else []


def _reduced(
    call: Call,
    x: Any,
    axes: list[int],
    keepdim: bool,
    function: Callable[..., Any],
    dtype: torch.dtype,
) -> Any:
    """Reduce `x` in some dtype; of a few tensors that are stacked, each with the next one."""
    parts = _stacked(call, axes)
    if not 0 < len(parts) <= _FEW_STACKED:
        return function(cast(x, dtype), axes, keepdim)
    combine = _OF_TWO[function]
    wide_parts = (cast(cast(part, call.dtype_of(x)), dtype) for part in parts)
    total = functools.reduce(combine, wide_parts)
    if len(parts) == 1:
        total = _ops.set(total)
    return _ops.unsqueeze(total, axes[0]) if keepdim else total


_OF_TWO = {
    _ops.sum: _ops.add,
    _ops.prod: _ops.mul,
    _ops.max: _ops.maximum,
    _ops.min: _ops.minimum,
}


def _total(
    call: Call, x: Any, dims: Any, keepdim: bool, dtype: torch.dtype, function: Callable[..., Any]
) -> Any:
    # What is summed has the dtype of the result; of reduced precision Float, rounded at the end.
    dtype = torch.float32 if dtype in _REDUCED else dtype
    axes = _dims(call, x, dims)
    if call.fake(x).dim() == 0:
        return _ops.set(cast(x, dtype))
    return _reduced(call, x, axes, keepdim, function, dtype)


@builder("aten.sum.dim_IntList", "aten.sum.default")
def _sum(call: Call, x: Any, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _total(call, x, dims, keepdim, call.dtype, _ops.sum)


@builder("aten.prod.dim_int", "aten.prod.default")
def _prod(call: Call, x: Any, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    return _total(call, x, dims, keepdim, call.dtype, _ops.prod)


@builder("aten.mean.dim", "aten.mean.default")
def _mean(call: Call, x: Any, dims: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    total = _sum(call, x, dims, keepdim)
    count: Any = 1
    shape = call.shape_of(x)
    for axis in _dims(call, x, dims) if shape else []:
        count = (
            shape[axis] if isinstance(count, int) and count == 1 else _ops.mul(count, shape[axis])
        )
    if isinstance(count, int):
        if count == 0:
            return _ops.mul(total, float("nan"))
        return _ops.truediv(total, float(count))
    return _ops.truediv(total, _ops.cast(count, DataType.Double))


@builder("aten.amax.default")
def _amax(call: Call, x: Any, dims: Any = (), keepdim: bool = False) -> Any:
    return _extreme(call, x, list(dims), keepdim, _ops.max)


@builder("aten.amin.default")
def _amin(call: Call, x: Any, dims: Any = (), keepdim: bool = False) -> Any:
    return _extreme(call, x, list(dims), keepdim, _ops.min)


@builder("aten.max.default")
def _max(call: Call, x: Any) -> Any:
    return _extreme(call, x, None, False, _ops.max)


@builder("aten.min.default")
def _min(call: Call, x: Any) -> Any:
    return _extreme(call, x, None, False, _ops.min)


def _extreme(call: Call, x: Any, dims: Any, keepdim: bool, function: Callable[..., Any]) -> Any:
    if call.fake(x).dim() == 0:
        return _ops.set(x)
    return _reduced(call, x, _dims(call, x, dims), keepdim, function, call.dtype_of(x))


@builder("aten.max.dim")
def _max_dim(call: Call, x: Any, dim: int, keepdim: bool = False) -> Any:
    return _extreme(call, x, dim, keepdim, _ops.max), _ops.argmax(x, dim, keepdim)


@builder("aten.min.dim")
def _min_dim(call: Call, x: Any, dim: int, keepdim: bool = False) -> Any:
    return _extreme(call, x, dim, keepdim, _ops.min), _ops.argmin(x, dim, keepdim)


@builder("aten.argmax.default")
def _argmax(call: Call, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _ops.argmax(x, dim, keepdim)


@builder("aten.argmin.default")
def _argmin(call: Call, x: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    return _ops.argmin(x, dim, keepdim)


@builder("aten.any.default", "aten.any.dim", "aten.any.dims")
def _any(call: Call, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _ops.any(x, _dims(call, x, dim) if call.fake(x).dim() else None, keepdim)


@builder("aten.all.default", "aten.all.dim", "aten.all.dims")
def _all(call: Call, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _ops.all(x, _dims(call, x, dim) if call.fake(x).dim() else None, keepdim)


@builder("aten.linalg_vector_norm.default")
def _vector_norm(
    call: Call,
    x: Any,
    order: float = 2,
    dims: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    if call.dtype_of(x).is_complex:
        return NotImplemented
    summed = torch.float32 if call.dtype in _REDUCED else call.dtype
    value = cast(x, summed)
    size = _ops.abs(value)
    if call.fake(x).dim() == 0:
        return cast(_ops.ne(value, 0.0), call.dtype) if order == 0 else size
    axes = _dims(call, x, dims)
    if order == 2:
        return _ops.sqrt(_ops.sum(_ops.mul(value, value), axes, keepdim))
    if math.isinf(order):
        return (_ops.max if order > 0 else _ops.min)(size, axes, keepdim)
    if order == 0:
        return _ops.sum(cast(_ops.ne(value, 0.0), summed), axes, keepdim)
    if order == 1:
        return _ops.sum(size, axes, keepdim)
    return _ops.pow(_ops.sum(_ops.pow(size, float(order)), axes, keepdim), 1.0 / order)


def _moments(call: Call, x: Any, dims: Any, correction: Any, keepdim: bool) -> Any:
    correction = 1 if correction is None else correction
    if (
        not isinstance(correction, (int, float))
        or correction != int(correction)
        or correction < 0
        or call.fake(x).dim() == 0
        or call.dtype_of(x).is_complex
    ):
        return None
    return _ops.var_mean(wide(call, x), _dims(call, x, dims), int(correction), keepdim)


@builder("aten.var.correction")
def _var(
    call: Call, x: Any, dims: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    moments = _moments(call, x, dims, correction, keepdim)
    return NotImplemented if moments is None else moments[0]


@builder("aten.var_mean.correction")
def _var_mean(
    call: Call, x: Any, dims: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    moments = _moments(call, x, dims, correction, keepdim)
    return NotImplemented if moments is None else moments


# ------------------------------------------------------------------------------- scans


def _scanned(call: Call, x: Any, dim: int, function: Callable[..., Any]) -> Any:
    value = cast(x, call.dtype)
    return _ops.set(value) if call.fake(x).dim() == 0 else function(value, dim)


@builder("aten.cumsum.default")
def _cumsum(call: Call, x: Any, dim: int, *, dtype: Any = None) -> Any:
    return _scanned(call, x, dim, _ops.cumsum)


@builder("aten.cumprod.default")
def _cumprod(call: Call, x: Any, dim: int, *, dtype: Any = None) -> Any:
    return _scanned(call, x, dim, _ops.cumprod)


def _running(call: Call, x: Any, dim: int, function: Callable[..., Any]) -> Any:
    """Return running extremes where nothing asks at which positions they were found."""
    asks = any(user.args[1] == 1 for user in call.node.users)
    dtype = call.dtype_of(x)
    if asks or dtype is torch.bool or dtype.is_complex:
        return NotImplemented
    values = _ops.set(x) if call.fake(x).dim() == 0 else function(x, dim)
    # Nothing reads the positions.
    return values, _ops.full(call.shape(call.result[1]), 0, DataType.Int)


@builder("aten.cummax.default")
def _cummax(call: Call, x: Any, dim: int) -> Any:
    return _running(call, x, dim, _ops.cummax)


@builder("aten.cummin.default")
def _cummin(call: Call, x: Any, dim: int) -> Any:
    return _running(call, x, dim, _ops.cummin)
