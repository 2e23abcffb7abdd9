"""Functions of float for results that are rounded to 16 bits in the end: right to 2^-13.

Results below 2^-119 may be 0. Each has about half the instructions of the precise function.
"""

from __future__ import annotations

from collections.abc import Callable

from builder import Family, Function, Value, coefficients
from exponential import F32, LOG2E, at_least, at_most, power_of_two


def exp2(b: Function, x: Value) -> Value:
    """2^x: infinite from 128 on, 0 up to -126."""
    t = at_most(at_least(x, -126.0), 128.0)
    magic = t + F32.magic
    r = t - (magic - F32.magic)
    # 2^(r + 1) 2^(n - 1), because 2^128 is no float.
    p = b.polynomial(r, [2.0, *(2.0 * c for c in coefficients("exp2_narrow_f32"))])
    return p * power_of_two(magic.bits(), F32, -1)


def exp(b: Function, x: Value) -> Value:
    """exp(x)."""
    return exp2(b, x * LOG2E)


def sigmoid(b: Function, x: Value) -> Value:
    """1 / (1 + exp(-x))."""
    return 1.0 / (exp2(b, x * -LOG2E) + 1.0)


def silu(b: Function, x: Value) -> Value:
    """x / (1 + exp(-x)); far below 0 that is 0, where the product is NaN only for -inf."""
    return x * sigmoid(b, x)


def tanh(b: Function, x: Value) -> Value:
    """1 - 2 / (1 + exp(2 x)), and near 0, where that cancels, x - x^3/3."""
    far = 1.0 - 2.0 / (exp2(b, x * (2.0 * LOG2E)) + 1.0)
    near = x * b.fma(x * x, -1.0 / 3.0, 1.0)
    return (x.abs() < 0.06).select(near, far)


def gelu(b: Function, x: Value) -> Value:
    """x Phi(x), with Phi(-a) = 2^-(1 + a p(a)), a = |x|; p grows beyond its range."""
    a = x.abs()
    exponent = b.polynomial(a, [-c for c in coefficients("gelu_narrow_f32")])
    tail = exp2(b, b.fma(a, exponent, -1.0))
    return x * (x > 0.0).select(1.0 - tail, tail)


def gelu_tanh(b: Function, x: Value) -> Value:
    """x / (1 + exp(-v)), v = 2 sqrt(2/pi) (x + 0.044715 x^3)."""
    scale = -2.0 * (2.0 / 3.141592653589793) ** 0.5 * LOG2E
    factor = b.fma(x * x, scale * 0.044715, scale)
    return x * (1.0 / (exp2(b, x * factor) + 1.0))


UNARY: dict[str, Callable[[Function, Value], Value]] = {
    "exp": exp,
    "exp2": exp2,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "sigmoid": sigmoid,
    "silu": silu,
    "tanh": tanh,
}


def family() -> Family:
    """The functions of narrow.ll."""
    result = Family("narrow", "Functions of float for results of 16 bits.")
    for op, body in UNARY.items():
        result.unary(f"{op}_narrow", "f32", body)
    return result
