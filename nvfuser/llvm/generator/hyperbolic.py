"""Hyperbolic functions and their inverses, from expm1, exp and log1p."""

from __future__ import annotations

import mpmath as mp
from builder import Family, Function, Value
from exponential import F32, F64, Format, at_most, exp_polynomial, halves, reduce_exp, via_double
from logarithm import log1p

# Above this both functions overflow, and 2^(n - 2) is still a normal number.
OVERFLOW = 710.6


def sinh(b: Function, x: Value, f: Format) -> Value:
    """h + h/(2h + 1), h = expm1(|x|)/2."""
    a = at_most(x.abs(), OVERFLOW)
    r, t = reduce_exp(b, a, f)
    p = b.fma(r * r, b.polynomial(r, f.coefficients("expm1")), r)
    quarter = ((t << f.mantissa) + ((f.bias - 2) << f.mantissa)).as_float()
    e = b.fma(p, quarter, quarter - 0.25)
    h = e + e
    # Bounded, so that it is not inf/inf; the quotient does not matter there.
    rest = at_most(h, 2.0**200) / b.fma(e, 4.0, 1.0)
    return (h + rest).copysign(x)


def cosh(b: Function, x: Value, f: Format) -> Value:
    """2 q + 1/(8 q), q = exp(|x|)/4."""
    a = at_most(x.abs(), OVERFLOW)
    r, t = reduce_exp(b, a, f)
    s1, s2 = halves(t, f)
    q = exp_polynomial(b, r, f) * s1 * (s2 * 0.25)
    return b.fma(q, 2.0, 0.125 / q)


def _large(b: Function, a: Value, small: Value, f: Format) -> Value:
    """log1p(small), or log(2 a) where a^2 could overflow."""
    large = a > 2.0**60
    result = log1p(b, large.select(a, small), f)
    return result + large.select(float(mp.ln(2)), b.value(0.0, a.type))


def asinh(b: Function, x: Value, f: Format) -> Value:
    """log1p(a + a^2/(1 + sqrt(1 + a^2)))."""
    a = x.abs()
    square = a * a
    root = b.intrinsic("sqrt", square + 1.0)
    return _large(b, a, a + square / (root + 1.0), f).copysign(x)


def acosh(b: Function, x: Value, f: Format) -> Value:
    """log1p(t + sqrt(2 t + t^2)), t = x - 1; NaN below 1."""
    t = x - 1.0
    root = b.intrinsic("sqrt", b.fma(t, t, t + t))
    result = _large(b, x, t + root, f)
    return (x < 1.0).select(float("nan"), result)


def atanh(b: Function, x: Value, f: Format) -> Value:
    """log1p(2 a/(1 - a))/2."""
    a = x.abs()
    return (log1p(b, (a + a) / (1.0 - a), f) * 0.5).copysign(x)


UNARY = {"sinh": sinh, "cosh": cosh, "asinh": asinh, "acosh": acosh, "atanh": atanh}


def family() -> Family:
    """The functions of hyperbolic.ll."""
    result = Family("hyperbolic", "Hyperbolic functions and their inverses.")
    for op, body in UNARY.items():
        if op == "atanh":
            result.unary(op, "f32", lambda b, x, body=body: body(b, x, F32))
        else:
            result.unary(op, "f32", lambda b, x, body=body: via_double(b, body, x))
        result.unary(op, "f64", lambda b, x, body=body: body(b, x, F64))
    return result
