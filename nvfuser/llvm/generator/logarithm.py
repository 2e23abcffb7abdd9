"""Logarithms: x = 2^e m with m in [sqrt(1/2), sqrt(2)), and a polynomial in m - 1."""

from __future__ import annotations

import mpmath as mp
from builder import Family, Function, Value
from exponential import FORMATS, Format

SQRT_HALF_BITS = {"float": 0x3F3504F3, "double": 0x3FE6A09E667F3BCD}


def split_exponent(b: Function, bits: Value, f: Format) -> tuple[Value, Value]:
    """Integer e and float m from the bits of a positive normal number."""
    e = (bits - SQRT_HALF_BITS[f.type]).ashr(f.mantissa)
    return e, (bits - (e << f.mantissa)).as_float()


def normalize(b: Function, x: Value, f: Format) -> tuple[Value, Value]:
    """Bits of x, scaled up if it is denormal, and the exponent that the scaling added."""
    denormal = x < 2.0 ** (1 - f.bias)
    scaled = denormal.select(x * 2.0**f.mantissa, x)
    return scaled.bits(), denormal.select(float(-f.mantissa), b.value(0.0, f.type))


def log1p_polynomial(b: Function, r: Value, f: Format) -> tuple[Value, Value]:
    """log(1 + r) as r and what is to be added to it."""
    z = r * r
    if f.type == "float":
        p = b.polynomial(r, f.coefficients("log"))
        return r, b.fma(z * r, p, z * -0.5)
    # log((1 + s)/(1 - s)) with s = r/(2 + r) needs half the terms.
    half = z * 0.5
    s = r / (r + 2.0)
    square = s * s
    p = b.polynomial(square, f.coefficients("log"))
    return r, b.fma(s, b.fma(square, p, half), -half)


def exponent_to_float(e: Value, f: Format) -> Value:
    """The exponent as a float; by way of i32, for hosts that cannot convert i64 vectors."""
    return e.cast("trunc", "i32").cast("sitofp", f.type)


def special_cases(b: Function, x: Value, result: Value, at: float = 0.0) -> Value:
    """log's limits: +inf at +inf, -inf at `at`, NaN below it and for NaN."""
    result = (x < float("inf")).select(result, x)
    result = x.equals(at).select(float("-inf"), result)
    return (x < at).select(float("nan"), result)


def log(b: Function, x: Value, f: Format) -> Value:
    """Natural logarithm."""
    bits, offset = normalize(b, x, f)
    e, m = split_exponent(b, bits, f)
    n = exponent_to_float(e, f) + offset
    high, low = log1p_polynomial(b, m - 1.0, f)
    result = b.fma(n, f.ln2[0], high + b.fma(n, f.ln2[1], low))
    return special_cases(b, x, result)


def log1p(b: Function, x: Value, f: Format) -> Value:
    """log(1 + x): the reduced argument x 2^-e + (2^-e - 1) is exact but for one rounding."""
    large = x > 2.0 ** (f.mantissa + 8)
    scaled = large.select(x * 2.0**-64, x)
    one = large.select(b.value(0.0, f.type), b.value(1.0, f.type))
    e, _ = split_exponent(b, (scaled + one).bits(), f)
    inverse = (((0 - e) << f.mantissa) + (f.bias << f.mantissa)).as_float()
    r = b.fma(scaled, inverse, b.fma(one, inverse, -1.0))
    n = exponent_to_float(e, f) + large.select(64.0, b.value(0.0, f.type))
    high, low = log1p_polynomial(b, r, f)
    result = b.fma(n, f.ln2[0], high + b.fma(n, f.ln2[1], low))
    # -0 and denormals.
    result = (x.abs() < 2.0 ** -(f.mantissa + 2)).select(x, result)
    return special_cases(b, x, result, -1.0)


def log_base(name: str, base: int, x: Value, b: Function, f: Format) -> Value:
    """log2 and log10, by 1/ln(base) to twice the precision."""
    bits, offset = normalize(b, x, f)
    e, m = split_exponent(b, bits, f)
    n = exponent_to_float(e, f) + offset
    r = m - 1.0
    first = f.split(1 / mp.ln(base))
    if f.type == "float":
        low = r * b.fma(r, b.polynomial(r, f.coefficients(name)), first[1])
    else:
        _, rest = log1p_polynomial(b, r, f)
        low = b.fma(rest, first[0], r * first[1])
    if base == 2:
        result = n + b.fma(r, first[0], low)
    else:
        step = LOG10_2[f.type]
        result = b.fma(n, step[0], b.fma(r, first[0], b.fma(n, step[1], low)))
    return special_cases(b, x, result)


def _split_log10_2(bits: int) -> tuple[float, float]:
    scale = mp.mpf(2) ** (bits + 1)
    high = mp.nint(mp.log10(2) * scale) / scale
    return float(high), float(mp.log10(2) - high)


LOG10_2 = {"float": _split_log10_2(15), "double": _split_log10_2(41)}

UNARY = {
    "log": log,
    "log1p": log1p,
    "log2": lambda b, x, f: log_base("log2", 2, x, b, f),
    "log10": lambda b, x, f: log_base("log10", 10, x, b, f),
}


def family() -> Family:
    """The functions of logarithm.ll."""
    result = Family("logarithm", "Logarithms.")
    for op, body in UNARY.items():
        for suffix, f in FORMATS.items():
            result.unary(op, suffix, lambda b, x, body=body, f=f: body(b, x, f))
    return result
