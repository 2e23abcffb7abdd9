"""Element-wise operators."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from nvfuser import TensorView, Val, ops
from nvfuser.frontend.operators.registry import BUILDERS, PROMOTION, Call, builder, cast

# Untyped: what fits is checked where users call.
_ops: Any = ops

_DEFAULT = PROMOTION.DEFAULT
_FLOAT = PROMOTION.INT_TO_FLOAT
_BOOL = PROMOTION.ALWAYS_BOOL
_REAL = PROMOTION.COMPLEX_TO_FLOAT


def _elementwise(
    name: str,
    function: Callable[..., Any],
    kind: PROMOTION,
    takes_complex: bool,
    overloads: tuple[str, ...],
) -> None:
    def build(call: Call, *operands: Any) -> Any:
        dtype, operands_ = call.promoted(operands, kind)
        if dtype.is_complex and not takes_complex:
            return NotImplemented
        if kind is _BOOL:
            operands_ = [rounded(operand, dtype) for operand in operands_]
        return function(*operands_)

    for overload in overloads:
        BUILDERS[f"aten.{name}.{overload}"] = build


def rounded(number: Any, dtype: torch.dtype) -> Any:
    """Return a number as a floating-point dtype holds it, to be compared with its elements."""
    if isinstance(number, (int, float)) and dtype.is_floating_point:
        return torch.tensor(number, dtype=dtype).item()
    return number


# What torch calls it, our name if it is another one, how dtypes are promoted, whether of complex
# numbers, too.
_UNARY = [
    ("abs", None, _REAL, True),
    ("acos", None, _FLOAT, True),
    ("acosh", None, _FLOAT, True),
    ("asin", None, _FLOAT, True),
    ("asinh", None, _FLOAT, True),
    ("atan", None, _FLOAT, True),
    ("atanh", None, _FLOAT, True),
    ("bitwise_not", None, _DEFAULT, False),
    ("ceil", None, _DEFAULT, False),
    ("cos", None, _FLOAT, True),
    ("cosh", None, _FLOAT, True),
    ("erf", None, _FLOAT, False),
    ("erfc", None, _FLOAT, False),
    ("erfinv", None, _FLOAT, False),
    ("exp", None, _FLOAT, True),
    ("exp2", None, _FLOAT, True),
    ("expm1", None, _FLOAT, True),
    ("floor", None, _DEFAULT, False),
    ("isinf", None, _BOOL, True),
    ("isnan", None, _BOOL, True),
    ("lgamma", None, _FLOAT, False),
    ("log", None, _FLOAT, True),
    ("log10", None, _FLOAT, True),
    ("log1p", None, _FLOAT, True),
    ("log2", None, _FLOAT, True),
    ("logical_not", None, _BOOL, True),
    ("neg", None, _DEFAULT, True),
    ("reciprocal", None, _FLOAT, True),
    ("relu", None, _DEFAULT, False),
    ("round", None, _DEFAULT, False),
    ("rsqrt", None, _FLOAT, True),
    ("sigmoid", None, _FLOAT, True),
    ("sign", None, _DEFAULT, False),
    ("signbit", None, _BOOL, False),
    ("silu", None, _DEFAULT, False),
    ("sin", None, _FLOAT, True),
    ("sinh", None, _FLOAT, True),
    ("sqrt", None, _FLOAT, True),
    ("tan", None, _FLOAT, True),
    ("tanh", None, _FLOAT, True),
    ("trunc", None, _DEFAULT, False),
]

_BINARY = [
    ("atan2", None, _FLOAT, False, ("default",)),
    ("bitwise_and", None, _DEFAULT, False, ("Tensor", "Scalar", "Scalar_Tensor")),
    ("bitwise_or", None, _DEFAULT, False, ("Tensor", "Scalar", "Scalar_Tensor")),
    ("bitwise_xor", None, _DEFAULT, False, ("Tensor", "Scalar", "Scalar_Tensor")),
    ("eq", None, _BOOL, True, ("Tensor", "Scalar")),
    ("fmod", None, _DEFAULT, False, ("Tensor", "Scalar")),
    ("gcd", None, _DEFAULT, False, ("default",)),
    ("ge", None, _BOOL, False, ("Tensor", "Scalar")),
    ("gt", None, _BOOL, False, ("Tensor", "Scalar")),
    ("lcm", None, _DEFAULT, False, ("default",)),
    ("le", None, _BOOL, False, ("Tensor", "Scalar")),
    ("logical_and", None, _BOOL, True, ("default",)),
    ("logical_or", None, _BOOL, True, ("default",)),
    ("logical_xor", None, _BOOL, True, ("default",)),
    ("lt", None, _BOOL, False, ("Tensor", "Scalar")),
    ("maximum", None, _DEFAULT, False, ("default",)),
    ("minimum", None, _DEFAULT, False, ("default",)),
    ("mul", None, _DEFAULT, True, ("Tensor", "Scalar")),
    ("ne", None, _BOOL, True, ("Tensor", "Scalar")),
    ("remainder", None, _DEFAULT, False, ("Tensor", "Scalar", "Scalar_Tensor")),
]

for _name, _ours, _kind, _takes_complex in _UNARY:
    _elementwise(_name, getattr(_ops, _ours or _name), _kind, _takes_complex, ("default",))
for _name, _ours, _kind, _takes_complex, _overloads in _BINARY:
    _elementwise(_name, getattr(_ops, _ours or _name), _kind, _takes_complex, _overloads)


# ------------------------------------------------------------------------------ sums


def _scaled(call: Call, x: Any, alpha: Any) -> Any:
    return x if alpha == 1 and not isinstance(alpha, Val) else _ops.mul(x, alpha)


@builder("aten.add.Tensor", "aten.add.Scalar")
def _add(call: Call, x: Any, other: Any, alpha: Any = 1) -> Any:
    _, (x, other) = call.promoted((x, other), _DEFAULT)
    return _ops.add(x, _scaled(call, other, alpha))


@builder("aten.sub.Tensor", "aten.sub.Scalar")
def _sub(call: Call, x: Any, other: Any, alpha: Any = 1) -> Any:
    _, (x, other) = call.promoted((x, other), _DEFAULT)
    return _ops.sub(x, _scaled(call, other, alpha))


@builder("prims.fma.default")
def _fma(call: Call, a: Any, b: Any, c: Any) -> Any:
    # Rounded once in torch.
    return NotImplemented


# --------------------------------------------------------------------------- quotients


@builder("aten.div.Tensor", "aten.div.Scalar")
def _div(call: Call, x: Any, other: Any) -> Any:
    _, (x, other) = call.promoted((x, other), _FLOAT)
    return _ops.truediv(x, other)


@builder("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def _div_rounded(call: Call, x: Any, other: Any, *, rounding_mode: str | None) -> Any:
    if rounding_mode is None:
        return _div(call, x, other)
    dtype, (x, other) = call.promoted((x, other), _DEFAULT)
    if dtype.is_complex:
        return NotImplemented
    if not dtype.is_floating_point:
        if dtype is torch.bool:
            return NotImplemented
        return (_ops.div if rounding_mode == "trunc" else _ops.floor_div)(x, other)
    if rounding_mode == "trunc":
        return _ops.trunc(cast(_ops.truediv(x, other), dtype))
    return _floor_quotient(x, other)


@builder("aten.floor_divide.default", "aten.floor_divide.Scalar")
def _floor_divide(call: Call, x: Any, other: Any) -> Any:
    return _div_rounded(call, x, other, rounding_mode="floor")


def _floor_quotient(a: Any, b: Any) -> Any:
    """The quotient of floating-point numbers rounded down: exact, as Python's ``//``."""
    mod = _ops.fmod(a, b)
    quotient = _ops.truediv(_ops.sub(a, mod), b)
    is_past = _ops.logical_and(_ops.ne(mod, 0), _ops.ne(_ops.lt(b, 0), _ops.lt(mod, 0)))
    quotient = _ops.where(is_past, _ops.sub(quotient, 1.0), quotient)
    whole = _ops.floor(quotient)
    whole = _ops.where(_ops.gt(_ops.sub(quotient, whole), 0.5), _ops.add(whole, 1.0), whole)
    plain = _ops.truediv(a, b)
    zero = _ops.where(_ops.signbit(plain), -0.0, 0.0)
    result = _ops.where(_ops.eq(quotient, 0), zero, whole)
    return _ops.where(_ops.eq(b, 0), plain, result)


# ------------------------------------------------------------------------------ powers


def _most_factors(dtype: torch.dtype, exponent: float) -> int:
    """Return how many factors a whole power has that is computed as their product, at most.

    Of single and double precision six, whose three products are each rounded; of others as many as
    torch multiplies, too. Integers have no reciprocals.
    """
    if dtype in (torch.float32, torch.float64):
        return 6
    if exponent > 0:
        return 3
    return 2 if dtype.is_floating_point else 0


def _product(x: Any, factors: int) -> Any:
    """Return the product of so many equal factors, by squaring."""
    if factors == 1:
        return x
    half = _product(x, factors // 2)
    square = _ops.mul(half, half)
    return square if factors % 2 == 0 else _ops.mul(square, x)


@builder("aten.pow.Tensor_Scalar", "aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def _pow(call: Call, x: Any, exponent: Any) -> Any:
    dtype, (x, exponent) = call.promoted((x, exponent), _DEFAULT)
    if dtype.is_complex or dtype is torch.bool:
        return NotImplemented
    if isinstance(exponent, (int, float)):
        # The first power is what gradients of squares are made of; it is another tensor than its
        # operand.
        if exponent == 1:
            return _ops.set(x)
        # As torch computes them, too.
        if dtype.is_floating_point and exponent == 0.5:
            return _ops.sqrt(x)
        if dtype.is_floating_point and exponent == -0.5:
            return _ops.rsqrt(x)
        factors = abs(exponent)
        if 0 < factors <= _most_factors(dtype, exponent) and float(factors).is_integer():
            power = _product(x, int(factors))
            return power if exponent > 0 else _ops.reciprocal(power)
    if isinstance(x, (int, float)) and x == 2 and dtype.is_floating_point:
        return _ops.exp2(exponent)
    return _ops.pow(x, exponent)


# ----------------------------------------------------------------------------- choices


@builder("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def _where(call: Call, condition: Any, x: Any, other: Any) -> Any:
    _, (x, other) = call.promoted((x, other), _DEFAULT)
    return _ops.where(cast(condition, torch.bool), x, other)


@builder("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(call: Call, x: Any, mask: Any, value: Any) -> Any:
    fill = call.in_dtype(value, call.dtype_of(x))
    return _ops.where(cast(mask, torch.bool), fill, x)


@builder("aten.clamp.default", "aten.clamp.Tensor")
def _clamp(call: Call, x: Any, min: Any = None, max: Any = None) -> Any:  # noqa: A002
    given = tuple(bound for bound in (min, max) if bound is not None)
    if any(isinstance(bound, float) and math.isnan(bound) for bound in given):
        return NotImplemented
    _, operands = call.promoted((x, *given), _DEFAULT)
    bounds = iter(operands[1:])
    low = None if min is None else next(bounds)
    high = None if max is None else next(bounds)
    x = operands[0]
    if low is not None:
        x = _ops.maximum(x, low)
    if high is not None:
        x = _ops.minimum(x, high)
    return x


@builder("aten.clamp_min.default", "aten.clamp_min.Tensor")
def _clamp_min(call: Call, x: Any, min: Any) -> Any:  # noqa: A002
    return _clamp(call, x, min, None)


@builder("aten.clamp_max.default", "aten.clamp_max.Tensor")
def _clamp_max(call: Call, x: Any, max: Any) -> Any:  # noqa: A002
    return _clamp(call, x, None, max)


@builder("aten.hardtanh.default")
def _hardtanh(call: Call, x: Any, min_val: Any = -1, max_val: Any = 1) -> Any:
    return _clamp(call, x, min_val, max_val)


@builder("aten.relu6.default")
def _relu6(call: Call, x: Any) -> Any:
    return _clamp(call, x, 0, 6)


@builder("aten.fmax.default")
def _fmax(call: Call, x: Any, other: Any) -> Any:
    dtype, (x, other) = call.promoted((x, other), _DEFAULT)
    return _ops.fmax(x, other) if dtype.is_floating_point else _ops.maximum(x, other)


@builder("aten.fmin.default")
def _fmin(call: Call, x: Any, other: Any) -> Any:
    dtype, (x, other) = call.promoted((x, other), _DEFAULT)
    return _ops.fmin(x, other) if dtype.is_floating_point else _ops.minimum(x, other)


@builder("aten.copysign.Tensor", "aten.copysign.Scalar")
def _copysign(call: Call, x: Any, other: Any) -> Any:
    _, (x, other) = call.promoted((x, other), _FLOAT)
    size = _ops.abs(x)
    if not isinstance(other, TensorView):
        return _ops.neg(size) if math.copysign(1.0, other) < 0 else size
    return _ops.where(_ops.signbit(other), _ops.neg(size), size)


@builder("aten.leaky_relu.default")
def _leaky_relu(call: Call, x: Any, negative_slope: float = 0.01) -> Any:
    return _ops.where(_ops.gt(x, 0), x, _ops.mul(x, negative_slope))


@builder("aten.gelu.default")
def _gelu(call: Call, x: Any, *, approximate: str = "none") -> Any:
    return _ops.gelu(x, approximate)


# ------------------------------------------------------------------------------- bits


def _shift(name: str, method: str, function: Callable[..., Any]) -> None:
    @builder(f"aten.{name}.Tensor", f"aten.{name}.Tensor_Scalar", f"aten.{name}.Scalar_Tensor",
             f"aten.{method}.Tensor", f"aten.{method}.Scalar")  # fmt: skip
    def build(call: Call, x: Any, other: Any) -> Any:
        dtype, (x, other) = call.promoted((x, other), _DEFAULT)
        if dtype.is_floating_point:
            return NotImplemented
        return function(x, other)


_shift("bitwise_left_shift", "__lshift__", _ops.bitwise_left_shift)
_shift("bitwise_right_shift", "__rshift__", _ops.bitwise_right_shift)


# ---------------------------------------------------------------------- complex numbers


@builder("aten.real.default")
def _real(call: Call, x: Any) -> Any:
    return _ops.real(x)


@builder("aten.imag.default")
def _imag(call: Call, x: Any) -> Any:
    return _ops.imag(x)


@builder("aten.complex.default")
def _complex(call: Call, real: Any, imag: Any) -> Any:
    if call.dtype is torch.complex32:
        return NotImplemented
    return _ops.complex(*_same_shape(call, real, imag))


def _same_shape(call: Call, *tensors: Any) -> list[Any]:
    shape = call.shape()
    return [_ops.expand(x, shape) for x in tensors]


@builder("aten.conj.default", "aten._conj.default", "aten._conj_physical.default")
def _conj(call: Call, x: Any) -> Any:
    return _ops.complex(_ops.real(x), _ops.neg(_ops.imag(x)))


@builder("aten.conj_physical.default")
def _conj_physical(call: Call, x: Any) -> Any:
    return _conj(call, x) if call.dtype.is_complex else _ops.set(x)


@builder("aten.angle.default")
def _angle(call: Call, x: Any) -> Any:
    if call.dtype_of(x).is_complex:
        return _ops.atan2(_ops.imag(x), _ops.real(x))
    return NotImplemented


@builder("aten.view_as_real.default")
def _view_as_real(call: Call, x: Any) -> Any:
    last = len(call.result.shape) - 1
    return _ops.cat([_ops.unsqueeze(part, last) for part in (_ops.real(x), _ops.imag(x))], last)


@builder("aten.view_as_complex.default")
def _view_as_complex(call: Call, x: Any) -> Any:
    last = len(call.fake(x).shape) - 1
    return _ops.complex(_ops.select(x, 0, last), _ops.select(x, 1, last))


# ------------------------------------------------------------------------------ copies


@builder("prims.convert_element_type.default")
def _convert(call: Call, x: Any, dtype: torch.dtype) -> Any:
    converted = cast(x, dtype)
    return _ops.set(x) if converted is x else converted


@builder("aten._to_copy.default")
def _to_copy(call: Call, x: Any, *, dtype: torch.dtype | None = None, **_: Any) -> Any:
    # Where it lies in memory is said where it leaves the fusion, on which device where it enters.
    return _convert(call, x, dtype or call.dtype)


@builder("aten.clone.default", "aten.lift_fresh_copy.default", "prims.clone.default")
def _clone(call: Call, x: Any, *, memory_format: torch.memory_format | None = None) -> Any:
    return _ops.set(x)


@builder("aten.copy.default")
def _copy(call: Call, x: Any, source: Any, non_blocking: bool = False) -> Any:
    value = cast(source, call.dtype)
    value = _ops.expand(value, call.shape())
    return _ops.set(value)


@builder("aten.fill.Scalar", "aten.fill.Tensor")
def _fill(call: Call, x: Any, value: Any) -> Any:
    if isinstance(value, TensorView):
        return _ops.expand(cast(value, call.dtype), call.shape())
    return _ops.full(call.shape(), call.in_dtype(value, call.dtype), call.data_type)
