"""Normalizations that torch decomposes for its own compilers, not for fusions."""

from __future__ import annotations

import math
from typing import Any

from nvfuser import DataType, ops
from nvfuser.frontend.layouts import order_of
from nvfuser.frontend.operators.reductions import wide
from nvfuser.frontend.operators.registry import Call, builder, cast
from nvfuser.frontend.sizes import is_known

# Untyped: what fits is checked where users call.
_ops: Any = ops


@builder("aten.native_group_norm.default")
def _group_norm(
    call: Call, x: Any, weight: Any, bias: Any, batch: Any, channels: Any, area: Any, groups: int,
    eps: float,
) -> Any:  # fmt: skip
    out, *statistics = call.result
    if not isinstance(groups, int) or is_known(out.numel() == 0):
        return NotImplemented
    # On CUDA torch copies what lies in another order in front of it.
    has_channels_last = out.dim() > 2 and order_of(call.source(x))[1] == 0
    compute = _by_channels if has_channels_last else _by_groups
    value, mean, rstd = compute(call, x, weight, bias, groups, eps)
    kept = [dim for dim in range(mean.ndim) if dim > 1]
    results = [value, _ops.squeeze(mean, kept), _ops.squeeze(rstd, kept)]
    return [cast(y, fake.dtype) for y, fake in zip(results, (out, *statistics), strict=True)]


def _channels(call: Call, groups: int) -> list[Any]:
    """Return what the channels are divided into: groups, and channels of a group."""
    return [groups, call.sizes.value(call.result[0].shape[1] // groups)]


def _broadcast(vector: Any, dims: tuple[int, ...], rank: int) -> Any:
    return _ops.broadcast(vector, [dim not in dims for dim in range(rank)])


def _by_groups(call: Call, x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """Reduce groups that are rows of memory."""
    shape, divided = call.shape(call.result[0]), _channels(call, groups)
    rank = len(shape) + 1
    value = _ops.reshape(wide(call, x), [shape[0], *divided, *shape[2:]])
    variance, mean = _ops.var_mean(value, list(range(2, rank)), 0, True)
    rstd = scale = _ops.rsqrt(_ops.add(variance, eps))
    weight, bias = (
        None if y is None else _broadcast(_ops.reshape(wide(call, y), divided), (1, 2), rank)
        for y in (weight, bias)
    )
    if weight is not None:
        scale = _ops.mul(rstd, weight)
    value = _ops.mul(_ops.sub(value, mean), scale)
    if bias is not None:
        value = _ops.add(value, bias)
    return _ops.reshape(value, shape), mean, rstd


def _by_channels(call: Call, x: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """Reduce columns of memory, then the few channels of a group.

    What has as many elements as `x` has its channels as the innermost loop, not those of a group,
    which would be too few for vectors.
    """
    shape, divided = call.shape(call.result[0]), _channels(call, groups)
    rank = len(shape)
    value = wide(call, x)
    variances, means = (
        _ops.reshape(y, [shape[0], *divided])
        for y in _ops.var_mean(value, list(range(2, rank)), 0, False)
    )
    mean = _ops.mean(means, [2], True)
    # One sum of both: two sums of what has nothing in common would be two kernels.
    variance = _ops.mean(_ops.add(variances, _ops.square(_ops.sub(means, mean))), [2], True)
    rstd = scale = _ops.rsqrt(_ops.add(variance, eps))
    weight, bias = (
        None if y is None else _broadcast(_ops.reshape(wide(call, y), divided), (1, 2), 3)
        for y in (weight, bias)
    )
    if weight is not None:
        scale = _ops.mul(rstd, weight)
    elif divided[1] != 1:
        scale = _ops.expand(rstd, [-1, -1, divided[1]])
    shift = _ops.neg(_ops.mul(mean, scale))
    if bias is not None:
        shift = _ops.add(shift, bias)
    scale, shift = (_of_channels(y, shape) for y in (scale, shift))
    return _ops.add(_ops.mul(value, scale), shift), mean, rstd


def _of_channels(factor: Any, shape: list[Any]) -> Any:
    """Return what is known of groups and their channels as one of channels, to be broadcast.

    It is in memory: computed where it is used, it would have to be looked up by group.
    """
    factor = _ops.reshape(_ops.segment_set(factor), shape[:2])
    return _broadcast(factor, (0, 1), len(shape))


@builder("aten.native_group_norm_backward.default")
def _group_norm_backward(
    call: Call, gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any, batch: Any, channels: Any,
    area: Any, groups: int, output_mask: list[bool],
) -> Any:  # fmt: skip
    """Sum over rows or columns of memory first; all else but the result is small."""
    fake = call.fake(x)
    if not isinstance(groups, int) or fake.dim() < 3 or is_known(fake.numel() == 0):
        return NotImplemented
    shape = call.shape_of(x)
    divided = [shape[0], groups, call.sizes.value(fake.shape[1] // groups)]
    has_channels_last = all(order_of(call.source(y))[1] == 0 for y in (gradient, x))
    gradient, value, mean, rstd = (wide(call, y) for y in (gradient, x, mean, rstd))
    if not has_channels_last:
        gradient, value = (_ops.reshape(y, [*divided, *shape[2:]]) for y in (gradient, value))
    inner = list(range(gradient.ndim - len(shape) + 2, gradient.ndim))
    products, sums = (_ops.sum(y, inner) for y in (_ops.mul(gradient, value), gradient))
    if has_channels_last or not is_known(fake.shape[1] == groups):
        # In memory as they are: what reduces both further has them, not products of them, in
        # common. Where each channel is a group nothing does, and one kernel keeps its rows.
        products, sums = (_ops.segment_set(y) for y in (products, sums))
    if has_channels_last:
        products, sums = (_ops.reshape(y, divided) for y in (products, sums))
    mean, rstd = (_ops.unsqueeze(y, 2) for y in (mean, rstd))
    results: list[Any] = [None, None, None]
    if output_mask[0]:
        own, of_products, of_sums = rstd, products, sums
        if weight is not None:
            factor = _broadcast(_ops.reshape(wide(call, weight), divided[1:]), (1, 2), 3)
            own, of_products, of_sums = (_ops.mul(y, factor) for y in (rstd, products, sums))
        of_products, of_sums = (_ops.sum(y, [2], True) for y in (of_products, of_sums))
        elements = fake.shape[1] // groups * math.prod(fake.shape[2:])
        count = _ops.cast(call.sizes.value(elements), DataType.Double)
        part = _ops.truediv(rstd, count)
        slope = _ops.mul(
            _ops.sub(_ops.mul(of_sums, mean), of_products), _ops.mul(_ops.square(rstd), part)
        )
        shift = _ops.neg(_ops.add(_ops.mul(slope, mean), _ops.mul(of_sums, part)))
        own, slope, shift = (
            _of_channels(_ops.expand(y, divided), shape)
            if has_channels_last
            else _broadcast(y, (0, 1, 2), gradient.ndim)
            for y in (own, slope, shift)
        )
        results[0] = _ops.add(_ops.add(_ops.mul(gradient, own), _ops.mul(value, slope)), shift)
    if output_mask[1]:
        centered = _ops.mul(_ops.sub(products, _ops.mul(sums, mean)), rstd)
        results[1] = _ops.sum(centered, [0])
    if output_mask[2]:
        results[2] = _ops.sum(sums, [0])
    # Behind the cast a reshape is a view of what a kernel has written.
    return [
        None if y is None else _ops.reshape(cast(y, fake.dtype), call.shape(fake))
        for y, fake in zip(results, call.result, strict=True)
    ]
