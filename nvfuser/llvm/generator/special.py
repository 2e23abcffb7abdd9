"""erfc, the inverses of erf and erfc, lgamma, and pow."""

from __future__ import annotations

from fractions import Fraction

import mpmath as mp
from builder import Family, Function, Value
from exponential import (
    F32X,
    F64,
    LOG2E,
    Format,
    at_least,
    at_most,
    erf,
    exp,
    exp2,
    exp_parts,
    via_double,
)
from logarithm import exponent_to_float, log, log1p_polynomial, split_exponent
from trigonometric import kernels

# Center of the fit of erfcx, and where erfc has become 0.
ERFC = {"f32x": (2.0, 10.2), "f64": (3.5, 27.5)}
INF = float("inf")
NAN = float("nan")


def erfcx(b: Function, a: Value, f: Format) -> Value:
    """exp(a^2) erfc(a) for a from 0 to the bound of the fit."""
    center, _ = ERFC[f.suffix]
    y = 1.0 / (a + center)
    return b.polynomial(b.fma(y, -2.0 * center, 1.0), f.coefficients("erfcx")) * y


def erfc(b: Function, x: Value, f: Format) -> Value:
    """exp(-a^2) erfcx(a), a = |x|; from 2 for negative x."""
    _, bound = ERFC[f.suffix]
    a = at_most(x.abs(), bound)
    square = a * a
    # The rounding of a^2 becomes a relative error of its exponential.
    low = -b.exact_fma(a, a, -square) if f.suffix == "f64" else None
    p, s1, s2 = exp_parts(b, -square, f, low)
    tail = erfcx(b, a, f) * p * s1 * s2
    result = (x < 0.0).select(2.0 - tail, tail)
    if f.suffix == "f64":
        return (a < 0.5).select(1.0 - erf(b, x, f), result)
    return result


def erfinv_parts(b: Function, x: Value, rest: Value, f: Format) -> Value:
    """|erfinv(x)| to 2^-33, `rest` = 1 - x^2 given separately, as it may be tiny."""
    w = -log(b, rest, f)
    middle = w - 3.0
    center = x.abs() * b.polynomial(middle, F32X.coefficients("erfinv_center"))
    s = b.intrinsic("sqrt", w)
    u = (s - 2.0) / (s + 2.0)
    tail = s * b.polynomial(u, F32X.coefficients("erfinv_tail"))
    return (w < 6.0).select(center, tail)


def improve(b: Function, t: Value, a: Value, y: Value, f: Format) -> Value:
    """One step of Newton's iteration for erf(t) = a or, beyond 0.7, log(erfc(t)) = log(y)."""
    root = float(mp.sqrt(mp.pi) / 2)
    center = (erf(b, t, f) - a) * exp(b, t * t, f) * root
    scaled = erfcx(b, at_most(t, ERFC[f.suffix][1]), f)
    square = t * t
    square_low = b.exact_fma(t, t, -square)
    tail = ((log(b, y, f) - log(b, scaled, f)) + square + square_low) * scaled * root
    step = (a < 0.7).select(center, tail)
    # Where the result is infinite the step is not a number.
    return (t < 30.0).select(t - step, t)


def erfinv(b: Function, x: Value, f: Format) -> Value:
    """Inverse of erf: +-inf at +-1, NaN beyond."""
    a = x.abs()
    y = 1.0 - a
    t = erfinv_parts(b, x, y * (a + 1.0), f)
    if f.suffix == "f64":
        t = improve(b, t, a, y, f)
    t = a.equals(1.0).select(INF, t)
    return (a > 1.0).select(NAN, t).copysign(x)


def erfcinv(b: Function, x: Value, f: Format) -> Value:
    """Inverse of erfc: inf at 0, -inf at 2, NaN beyond."""
    reflected = 2.0 - x
    y = (x < 1.0).select(x, reflected)
    a = 1.0 - y
    t = erfinv_parts(b, a, x * reflected, f)
    if f.suffix == "f64":
        t = improve(b, t, a, y, f)
    t = y.equals(0.0).select(INF, t)
    t = (y < 0.0).select(NAN, t)
    return (x > 1.0).select(-t, t)


def stirling_terms(count: int) -> list[float]:
    """B_2k/(2k (2k - 1)), k = 1, 2...: coefficients of 1/x^(2k - 1) in lgamma."""
    numbers = [Fraction(1)]
    for m in range(1, 2 * count + 1):
        total = Fraction(0)
        binomial = 1
        for k in range(m):
            total += binomial * numbers[k]
            binomial = binomial * (m + 1 - k) // (k + 1)
        numbers.append(-total / (m + 1))
    return [float(numbers[2 * k] / (2 * k * (2 * k - 1))) for k in range(1, count + 1)]


def lgamma(b: Function, x: Value, f: Format) -> Value:
    """Stirling's series from 8 on, the recurrence below, the reflection below 1/2.

    Near the zeros 1 and 2 it is (x - 1)(x - 2) times a polynomial.
    """
    reflect = x < 0.5
    z = reflect.select(1.0 - x, x)
    small = z < 8.0
    y = small.select(z + 8.0, z)
    product = z
    for k in range(1, 8):
        product = product * (z + float(k))
    product = small.select(product, b.value(1.0, "double"))
    inverse = 1.0 / y
    series = b.polynomial(inverse * inverse, stirling_terms(9)) * inverse
    stirling = b.fma(y - 0.5, log(b, y, F64) - 1.0, series)
    stirling = stirling + float(mp.log(2 * mp.pi) / 2 - mp.mpf(1) / 2)
    # |sin(pi x)|
    v = (x - b.intrinsic("rint", x)).abs()
    flip = v > 0.25
    sine, cosine = kernels(b, flip.select(0.5 - v, v) * float(mp.pi), F64)
    s = flip.select(cosine, sine)
    quotient = reflect.select(product * float(mp.pi) / s, product)
    correction = log(b, quotient, F64)
    value = reflect.select(correction - stirling, stirling - correction)
    # Adding 0 makes the zeros positive.
    near = b.fma((x - 1.0) * (x - 2.0), b.polynomial(x - 1.5, f.coefficients("lgamma")), 0.0)
    value = ((x > 0.9) & (x < 2.2)).select(near, value)
    return x.abs().equals(INF).select(INF, value)


def power(b: Function, x: Value, y: Value, f: Format) -> Value:
    """2^(y log2|x|) in double, with C's special cases."""
    a = x.abs()
    e, m = split_exponent(b, a.bits(), f)
    high, low = log1p_polynomial(b, m - 1.0, f)
    log2 = b.fma(high + low, LOG2E, exponent_to_float(e, f))
    log2 = a.equals(0.0).select(-INF, log2)
    log2 = (a < INF).select(log2, a)
    exponent = y * log2
    exponent = a.equals(1.0).select((y.abs() <= INF).select(0.0, y), exponent)
    result = exp2(b, at_most(at_least(exponent, -200.0), 200.0), f)
    integer = b.intrinsic("trunc", y).equals(y)
    half = y * 0.5
    odd = integer & b.intrinsic("trunc", half).differs(half)
    result = (odd & (x.bits() < 0)).select(-result, result)
    invalid = (x < 0.0) & (a < INF) & integer.__invert__()
    result = (invalid & (y.abs() < INF)).select(NAN, result)
    return (y.equals(0.0) | x.equals(1.0)).select(1.0, result)


def power_f32(b: Function, x: Value, y: Value) -> Value:
    """pow with the exponents that kernels write as constants done by multiplication.

    The selects cost little, and with a constant exponent everything else is removed.
    """
    square = x * x
    general = via_double(b, power, x, y)
    return y.equals(2.0).select(square, y.equals(3.0).select(square * x, general))


def family() -> Family:
    """The functions of special.ll."""
    result = Family("special", "erfc, inverse error functions, lgamma, pow.")
    for op, body in {"erfc": erfc, "erfinv": erfinv, "erfcinv": erfcinv}.items():
        result.unary(op, "f32", lambda b, x, body=body: via_double(b, body, x))
        result.unary(op, "f64", lambda b, x, body=body: body(b, x, F64))
    result.unary("lgamma", "f32", lambda b, x: via_double(b, lgamma, x))
    result.unary("lgamma", "f64", lambda b, x: b.libm("lgamma", x))
    result.binary("pow", "f32", power_f32)
    result.binary("pow", "f64", lambda b, x, y: b.intrinsic("pow", x, y))
    return result
