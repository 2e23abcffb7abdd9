"""Element-wise operations that are formulas in others."""

from __future__ import annotations

from typing import Any

from nvfuser import _C
from nvfuser._C import DataType, TensorView, Val
from nvfuser.ops._common import Operand, Scalar, as_dtype, is_integer, like, promoted, real, wide

# Untyped: what fits is checked where users call.
_n: Any = _C.ops

__all__ = [
    "addcdiv", "clamp", "clamp_max", "clamp_min", "deg2rad", "fmax", "fmin", "heaviside", "hypot",
    "isclose", "logaddexp", "logical_xor", "logit", "masked_fill", "nan_to_num", "rad2deg",
    "rsub", "sgn", "square", "xlogy",
]  # fmt: skip


def clamp(x: Operand, min: Scalar | None = None, max: Scalar | None = None) -> TensorView | Val:
    """Element-wise: the nearest value that is not below `min` and not above `max`.

    Parameters
    ----------
    x : TensorView, Val, bool, int or float
    min, max : Val, bool, int, float or None
        Scalars, converted to the dtype of `x`. None is no bound.

    Returns
    -------
    TensorView or Val
        Of the shape and dtype of `x`; NaN stays NaN.

    Raises
    ------
    RuntimeError
        If a bound is a tensor or `x` is complex.
    """
    return _n.clamp(x, min, max)


def clamp_min(x: Operand, min: Scalar) -> TensorView | Val:
    """`x`, or `min` where that is larger."""
    return _n.clamp(x, min, None)


def clamp_max(x: Operand, max: Scalar) -> TensorView | Val:
    """`x`, or `max` where that is smaller."""
    return _n.clamp(x, None, max)


def square(x: TensorView) -> TensorView:
    """X * x, in the dtype of `x`."""
    return like(x, _n.mul(x, x))


def rsub(x: TensorView, other: Operand) -> TensorView:
    """Other - x."""
    return _n.sub(other, x)


def addcdiv(x: TensorView, a: TensorView, b: TensorView, value: Scalar = 1) -> TensorView:
    """X + value * a / b."""
    return _n.add(x, _n.mul(_n.truediv(a, b), value))


def hypot(a: TensorView, b: Operand) -> TensorView:
    """sqrt(a * a + b * b), without overflow of the squares."""
    dtype = promoted(a, b)
    first, second = _n.abs(wide(a)), _n.abs(wide(b) if isinstance(b, TensorView) else b)
    large, small = _n.maximum(first, second), _n.minimum(first, second)
    ratio = _n.where(_n.eq(large, 0), 0.0, _n.truediv(small, large))
    length = _n.mul(large, _n.sqrt(_n.add(_n.mul(ratio, ratio), 1.0)))
    infinite = _n.logical_or(_n.isinf(first), _n.isinf(second))
    return as_dtype(_n.where(infinite, float("inf"), length), dtype)


def logaddexp(a: TensorView, b: TensorView) -> TensorView:
    """log(exp(a) + exp(b)), computed without overflow."""
    dtype = promoted(a, b)
    first, second = wide(a), wide(b)
    large = _n.maximum(first, second)
    tail = _n.log1p(_n.exp(_n.neg(_n.abs(_n.sub(first, second)))))
    same = _n.logical_and(_n.eq(first, second), _n.isinf(first))
    return as_dtype(_n.where(same, large, _n.add(large, tail)), dtype)


def xlogy(x: TensorView, y: TensorView) -> TensorView:
    """X * log(y); 0 where `x` is 0 and `y` is no NaN."""
    zero = _n.logical_and(_n.eq(x, 0), _n.logical_not(_n.isnan(real(y))))
    product = _n.mul(real(x), _n.log(real(y)))
    return as_dtype(_n.where(zero, 0.0, product), promoted(x, y))


def logit(x: TensorView, eps: float | None = None) -> TensorView:
    """log(x / (1 - x)); with `eps`, of `x` within eps and 1 - eps."""
    inside = wide(x) if eps is None else _n.clamp(wide(x), eps, 1.0 - eps)
    return like(x, _n.log(_n.truediv(inside, _n.sub(1.0, inside))))


def deg2rad(x: TensorView) -> TensorView:
    """Degrees as radians."""
    return like(real(x), _n.mul(x, 0.017453292519943295))


def rad2deg(x: TensorView) -> TensorView:
    """Radians as degrees."""
    return like(real(x), _n.mul(x, 57.29577951308232))


def sgn(x: TensorView) -> TensorView:
    """The sign: -1, 0 or 1."""
    return like(x, _n.sign(x))


def fmax(a: TensorView, b: TensorView) -> TensorView:
    """The larger one; of a NaN and a number the number."""
    number = _n.where(_n.isnan(b), a, _n.maximum(a, b))
    return as_dtype(_n.where(_n.isnan(a), b, number), promoted(a, b))


def fmin(a: TensorView, b: TensorView) -> TensorView:
    """The smaller one; of a NaN and a number the number."""
    number = _n.where(_n.isnan(b), a, _n.minimum(a, b))
    return as_dtype(_n.where(_n.isnan(a), b, number), promoted(a, b))


def heaviside(x: TensorView, values: TensorView) -> TensorView:
    """0 where `x` is negative, `values` where it is 0, 1 where it is positive."""
    step = _n.where(_n.gt(x, 0), 1.0, 0.0)
    return like(x, _n.where(_n.eq(x, 0), wide(values), step))


def logical_xor(a: Operand, b: Operand) -> TensorView | Val:
    """Whether exactly one operand is not 0."""
    return _n.ne(_n.cast(a, DataType.Bool), _n.cast(b, DataType.Bool))


_LARGEST = {
    DataType.Half: 65504.0,
    DataType.BFloat16: 3.3895313892515355e38,
    DataType.Float: 3.4028234663852886e38,
    DataType.Double: 1.7976931348623157e308,
}


def nan_to_num(
    x: TensorView, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> TensorView:
    """`x` with numbers in place of NaN and infinities.

    Parameters
    ----------
    x : TensorView
    nan : float
        In place of NaN.
    posinf, neginf : float, optional
        In place of infinities; the largest and the lowest number of the dtype if not given.

    Returns
    -------
    TensorView
        Of the dtype of `x`.
    """
    if is_integer(x):
        return _n.set(x)
    largest = _LARGEST[x.dtype()]
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    value = wide(x)
    finite = _n.where(_n.isposinf(value), high, _n.where(_n.isneginf(value), low, value))
    return like(x, _n.where(_n.isnan(value), nan, finite))


def masked_fill(x: TensorView, mask: TensorView, value: Scalar) -> TensorView:
    """`value` where `mask` is True, `x` elsewhere, in the dtype of `x`."""
    return like(x, _n.where(mask, _n.cast(value, x.dtype()), x))


def isclose(
    a: TensorView, b: TensorView, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> TensorView:
    """Whether abs(a - b) <= atol + rtol * abs(b), or both are the same infinity."""
    difference = _n.abs(_n.sub(a, b))
    near = _n.le(difference, _n.add(_n.mul(_n.abs(b), rtol), atol))
    close = _n.logical_or(_n.eq(a, b), _n.logical_and(near, _n.isfinite(real(difference))))
    if not equal_nan or is_integer(a):
        return close
    return _n.logical_or(close, _n.logical_and(_n.isnan(a), _n.isnan(b)))
