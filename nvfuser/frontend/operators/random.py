"""Random numbers: those of Philox, made in the kernels that use them."""

from __future__ import annotations

from typing import Any

import torch

from nvfuser import DataType, ops
from nvfuser.frontend.operators.registry import Call, builder

# Untyped: what fits is checked where users call.
_ops: Any = ops


def _below(call: Call, probability: Any, result: Any) -> Any:
    """Return tensors of Bool that are true with a probability, a number or tensor."""
    return _ops.lt(_ops.uniform(0.0, 1.0, call.shape(result)), probability)


@builder("aten.rand.default", "aten.rand_like.default")
def _rand(call: Call, *_: Any, **__: Any) -> Any:
    if call.dtype.is_complex:
        return NotImplemented
    return _ops.uniform(0.0, 1.0, call.shape(), dtype=call.data_type)


@builder("aten.randn.default", "aten.randn_like.default")
def _randn(call: Call, *_: Any, **__: Any) -> Any:
    if call.dtype.is_complex:
        return NotImplemented
    return _ops.normal(0.0, 1.0, call.shape(), dtype=call.data_type)


@builder("prims.inductor_random.default")
def _by_seed(call: Call, shape: Any, seed: Any, mode: str) -> Any:
    draw = {"rand": _ops.uniform, "randn": _ops.normal}[mode]
    return draw(0.0, 1.0, call.shape(), rng_seed=seed, rng_offset=0, dtype=call.data_type)


@builder("aten.bernoulli.p")
def _bernoulli_p(call: Call, x: Any, p: Any = 0.5, *, generator: Any = None) -> Any:
    return NotImplemented if generator is not None else _below(call, p, call.result)


@builder("aten.bernoulli.default")
def _bernoulli(call: Call, x: Any, *, generator: Any = None) -> Any:
    if generator is not None or call.dtype is torch.float64:
        return NotImplemented
    return _below(call, x, call.result)


@builder("aten.native_dropout.default")
def _native_dropout(call: Call, x: Any, p: float, train: bool | None) -> Any:
    output, _ = call.result
    if train is False:
        return _ops.set(x), _ops.full(call.shape(output), True, DataType.Bool)
    if p >= 1.0:
        zeros = _ops.full(call.shape(output), 0.0, x.dtype())
        return zeros, _ops.full(call.shape(output), False, DataType.Bool)
    kept = _below(call, 1.0 - p, output)
    scaled = _ops.mul(_ops.mul(x, _ops.cast(kept, DataType.Float)), 1.0 / (1.0 - p))
    return scaled, kept
