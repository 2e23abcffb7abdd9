"""Tensors that are made of numbers."""

from __future__ import annotations

from typing import Any

import torch

from nvfuser import TensorView, Val, ops
from nvfuser.frontend.operators.registry import Call, builder, cast

# Untyped: what fits is checked where users call.
_ops: Any = ops


def _full(call: Call, value: Any) -> Any:
    dtype = call.dtype
    if isinstance(value, TensorView):
        return _ops.expand(cast(value, dtype), call.shape())
    if isinstance(value, Val):
        return _ops.full(call.shape(), value, call.data_type)
    if dtype is torch.bool:
        value = bool(value)
    elif not dtype.is_complex and not dtype.is_floating_point:
        value = call.in_dtype(int(value), dtype)
    return _ops.full(call.shape(), value, call.data_type)


@builder("aten.full.default", "aten.full_like.default")
def _full_of(call: Call, _: Any, value: Any, **__: Any) -> Any:
    return _full(call, value)


@builder("aten.new_full.default")
def _new_full(call: Call, _: Any, __: Any, value: Any, **___: Any) -> Any:
    return _full(call, value)


@builder("aten.scalar_tensor.default")
def _scalar_tensor(call: Call, value: Any, **_: Any) -> Any:
    return _full(call, value)


@builder("aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default",
         "aten.zero.default", "aten._efficientzerotensor.default", "aten.empty.memory_format",
         "aten.empty_like.default", "aten.new_empty.default", "aten.empty_strided.default",
         "aten.new_empty_strided.default", "aten.empty_permuted.default")  # fmt: skip
def _zeros(call: Call, *_: Any, **__: Any) -> Any:
    # What is not initialized in torch may be anything.
    return _full(call, 0)


@builder("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def _ones(call: Call, *_: Any, **__: Any) -> Any:
    return _full(call, 1)


@builder("prims.iota.default")
def _iota(call: Call, length: Any, *, start: int, step: int, **_: Any) -> Any:
    return _ops.iota(length, start, step)


@builder("aten.arange.start_step", "aten.arange.start", "aten.arange.default")
def _arange(call: Call, start: Any, end: Any = None, step: Any = 1, **_: Any) -> Any:
    if end is None:
        start = 0
    (length,) = call.shape()
    if isinstance(step, Val):
        return NotImplemented
    start, step = (int(value) if isinstance(value, bool) else value for value in (start, step))
    is_integral = not any(isinstance(value, float) for value in (start, end, step))
    if is_integral and not call.dtype.is_floating_point:
        return _ops.iota(length, start, step)
    if isinstance(start, Val) or not call.dtype.is_floating_point:
        return NotImplemented
    if is_integral and step == 1:
        return cast(_ops.iota(length, start), call.dtype)
    return cast(_ops.add(_ops.mul(_counted(call, length), float(step)), float(start)), call.dtype)


def _counted(call: Call, length: Any) -> Any:
    """Return 0, 1, 2, ... as torch computes with them: in Float for narrower results."""
    is_narrow = call.dtype in (torch.float16, torch.bfloat16)
    return cast(_ops.iota(length), torch.float32 if is_narrow else call.dtype)


@builder("aten.linspace.default")
def _linspace(call: Call, start: Any, end: Any, steps: Any, **_: Any) -> Any:
    are_numbers = all(isinstance(value, (int, float)) for value in (start, end))
    if not are_numbers or not isinstance(steps, int) or not call.dtype.is_floating_point:
        return NotImplemented
    return _ops.linspace(float(start), float(end), steps, call.data_type)


@builder("aten.eye.default", "aten.eye.m")
def _eye(call: Call, *_: Any, **__: Any) -> Any:
    rows, columns = call.shape()
    return _ops.eye(rows, columns, call.data_type)
