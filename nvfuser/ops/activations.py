"""Activations of ``torch.nn.functional``: the result has the dtype of `x`, NaN stays NaN."""

from __future__ import annotations

from typing import Any

from nvfuser import _C
from nvfuser._C import TensorView
from nvfuser.ops._common import along, dim_of, extents, floating, like, over, part, wide

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "celu", "elu", "glu", "hardshrink", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu",
    "logsigmoid", "mish", "prelu", "relu6", "selu", "softmin", "softplus", "softshrink",
    "softsign", "tanhshrink",
]  # fmt: skip


def softplus(x: TensorView, beta: float = 1.0, threshold: float = 20.0) -> TensorView:
    """log(1 + exp(beta * x)) / beta; `x` itself where beta * x is above `threshold`."""
    scaled = _n.mul(floating("softplus", x), beta)
    smooth = _n.div(_n.log1p(_n.exp(scaled)), beta)
    return like(x, _n.where(_n.gt(scaled, threshold), wide(x), smooth))


def leaky_relu(x: TensorView, negative_slope: float = 0.01) -> TensorView:
    """`x` where it is positive, `negative_slope` times `x` elsewhere."""
    floating("leaky_relu", x)
    return like(x, _n.where(_n.gt(x, 0), wide(x), _n.mul(x, negative_slope)))


def prelu(x: TensorView, weight: TensorView) -> TensorView:
    """leaky_relu whose slopes are `weight`: of one element, or one for each of dimension 1."""
    floating("prelu", x)
    slope = along(weight, x.ndim, 1) if weight.ndim == 1 and x.ndim > 1 else weight
    return like(x, _n.where(_n.gt(x, 0), wide(x), _n.mul(x, slope)))


def elu(x: TensorView, alpha: float = 1.0) -> TensorView:
    """`x` where it is positive, alpha * (exp(x) - 1) elsewhere."""
    floating("elu", x)
    return like(x, _n.where(_n.gt(x, 0), wide(x), _n.mul(_n.expm1(x), alpha)))


def celu(x: TensorView, alpha: float = 1.0) -> TensorView:
    """`x` where it is positive, alpha * (exp(x / alpha) - 1) elsewhere."""
    floating("celu", x)
    return like(x, _n.where(_n.gt(x, 0), wide(x), _n.mul(_n.expm1(_n.div(x, alpha)), alpha)))


def selu(x: TensorView) -> TensorView:
    """Scaled :func:`elu` with the constants of self-normalizing networks."""
    return like(
        x, _n.mul(elu(wide(x), 1.6732632423543772848170429916717), 1.0507009873554804934193)
    )


def mish(x: TensorView) -> TensorView:
    """x * tanh(softplus(x))."""
    return like(x, _n.mul(x, _n.tanh(softplus(wide(x)))))


def relu6(x: TensorView) -> TensorView:
    """`x` within 0 and 6."""
    return hardtanh(x, 0.0, 6.0)


def hardtanh(x: TensorView, min_val: float = -1.0, max_val: float = 1.0) -> TensorView:
    """`x` within `min_val` and `max_val`."""
    return like(x, _n.clamp(x, min_val, max_val))


def hardsigmoid(x: TensorView) -> TensorView:
    """clamp(x + 3, 0, 6) / 6."""
    return like(x, _n.div(_n.clamp(_n.add(floating("hardsigmoid", x), 3.0), 0.0, 6.0), 6.0))


def hardswish(x: TensorView) -> TensorView:
    """x * clamp(x + 3, 0, 6) / 6."""
    gate = _n.clamp(_n.add(floating("hardswish", x), 3.0), 0.0, 6.0)
    return like(x, _n.div(_n.mul(x, gate), 6.0))


def hardshrink(x: TensorView, lambd: float = 0.5) -> TensorView:
    """0 where `x` is within -lambd and lambd, `x` elsewhere."""
    floating("hardshrink", x)
    return like(x, _n.where(_n.le(_n.abs(x), lambd), 0.0, wide(x)))


def softshrink(x: TensorView, lambd: float = 0.5) -> TensorView:
    """0 where `x` is within -lambd and lambd, nearer to 0 by `lambd` elsewhere."""
    wide_x = wide(floating("softshrink", x))
    moved = _n.sub(wide_x, _n.mul(_n.sign(wide_x), lambd))
    return like(x, _n.where(_n.le(_n.abs(wide_x), lambd), 0.0, moved))


def logsigmoid(x: TensorView) -> TensorView:
    """The logarithm of sigmoid, computed without overflow."""
    wide_x = wide(floating("logsigmoid", x))
    tail = _n.log1p(_n.exp(_n.neg(_n.abs(wide_x))))
    return like(x, _n.sub(_n.minimum(wide_x, 0.0), tail))


def tanhshrink(x: TensorView) -> TensorView:
    """X - tanh(x)."""
    return like(x, _n.sub(x, _n.tanh(wide(floating("tanhshrink", x)))))


def softsign(x: TensorView) -> TensorView:
    """X / (1 + abs(x))."""
    return like(x, _n.div(x, _n.add(_n.abs(wide(floating("softsign", x))), 1.0)))


def softmin(x: TensorView, dim: int) -> TensorView:
    """Softmax of -x along a dimension."""
    return like(x, _n.softmax(_n.neg(wide(x)), dim))


def glu(x: TensorView, dim: int = -1) -> TensorView:
    """The first half of a dimension times the sigmoid of its second half."""
    dim = dim_of("glu", x, dim)
    size = extents(floating("glu", x))[dim]
    if isinstance(size, int) and size % 2:
        raise RuntimeError(f"glu: dimension {dim} of {x} must be even, but is {size}")
    half = over(size, 2)
    gate = _n.sigmoid(wide(part(x, dim, half, size)))
    return like(x, _n.mul(part(x, dim, 0, half), gate))
