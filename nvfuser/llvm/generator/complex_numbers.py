"""Complex functions: arithmetic inline, the others by C's functions of double complex.

A pair of doubles has the calling convention of C's double complex on x86-64 (System V) and AArch64,
so that libm can be called without a wrapper; a pair of floats has not, and is computed in double.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
from builder import TYPES, Family, Function, Value

LIBM = {
    "exp": "cexp",
    "log": "clog",
    "sqrt": "csqrt",
    "sin": "csin",
    "cos": "ccos",
    "tan": "ctan",
    "asin": "casin",
    "acos": "cacos",
    "atan": "catan",
    "sinh": "csinh",
    "cosh": "ccosh",
    "tanh": "ctanh",
    "asinh": "casinh",
    "acosh": "cacosh",
    "atanh": "catanh",
}
PAIR = TYPES["c128"]
INF = float("inf")
NAN = float("nan")


def parts(z: Value) -> tuple[Value, Value]:
    """Real and imaginary part."""
    return z.part(0), z.part(1)


def libm(b: Function, name: str, *arguments: Value) -> Value:
    """A function of double complex numbers."""
    flat = [part for z in arguments for part in parts(z)]
    return b.libm(name, *flat, result=PAIR)


def widen(b: Function, z: Value) -> Value:
    """Float pair to double pair."""
    re, im = (part.cast("fpext", "double") for part in parts(z))
    return b.complex(re, im)


def narrow(b: Function, z: Value) -> Value:
    """Double pair to float pair."""
    re, im = (part.cast("fptrunc", "float") for part in parts(z))
    return b.complex(re, im)


def multiply(b: Function, z: Value, w: Value) -> Value:
    """(a + ib)(c + id)."""
    (x, y), (u, v) = parts(z), parts(w)
    return b.complex(x * u - y * v, x * v + y * u)


def divide(b: Function, z: Value, w: Value) -> Value:
    """Smith's method: scaled by the larger part of the divisor."""
    (x, y), (u, v) = parts(z), parts(w)
    zero = u.equals(0.0) & v.equals(0.0)
    wide = u.abs() >= v.abs()
    large, small = wide.select(u, v), wide.select(v, u)
    ratio = small / large
    scale = b.fma(small, ratio, large)
    re = wide.select(b.fma(y, ratio, x), b.fma(x, ratio, y)) / scale
    im = wide.select(b.fma(-x, ratio, y), b.fma(y, ratio, -x)) / scale
    return b.complex(zero.select(x / u.abs(), re), zero.select(y / u.abs(), im))


def magnitude(b: Function, z: Value) -> Value:
    """Hypotenuse; infinite if either part is.

    Both parts are scaled by a power of two that makes the larger one a number of [1, 4), so that
    neither square overflows, or vanishes where it matters.
    """
    re, im = z.part(0).abs(), z.part(1).abs()
    larger = (re > im).select(re, im)
    # 2^e and 2^-e, of which neither may be denormal.
    one = 1 << 52
    exponent = larger.bits() & (2047 * one)
    exponent = (exponent < one).select(one, exponent)
    exponent = (exponent > 2045 * one).select(2045 * one, exponent)
    up = (2046 * one - exponent).as_float()
    down = exponent.as_float()
    x, y = re * up, im * up
    size = b.intrinsic("sqrt", b.fma(x, x, y * y)) * down
    infinite = re.equals(INF) | im.equals(INF)
    return infinite.select(INF, size)


def magnitude_of_floats(b: Function, z: Value) -> Value:
    """Hypotenuse of a float pair: no square of a float overflows a double."""
    re, im = parts(widen(b, z))
    size = b.intrinsic("sqrt", b.fma(re, re, im * im)).cast("fptrunc", "float")
    infinite = re.abs().equals(INF) | im.abs().equals(INF)
    return infinite.select(INF, size)


def reciprocal(b: Function, z: Value) -> Value:
    """1/z."""
    zero = b.value(0.0, "double")
    return divide(b, b.complex(1.0, zero), z)


def scaled_log(base: int) -> Callable[[Function, Value], Value]:
    """log(z)/log(base)."""

    def body(b: Function, z: Value) -> Value:
        re, im = parts(libm(b, "clog", z))
        factor = float(1 / mp.ln(base))
        return b.complex(re * factor, im * factor)

    return body


def exp2(b: Function, z: Value) -> Value:
    """2^x (cos(y ln 2) + i sin(y ln 2))."""
    x, y = parts(z)
    argument = y * float(mp.ln(2))
    scale = b.call("exp2.f64", "double", x)
    # Without an angle, an infinite or vanishing magnitude is the one of cexp.
    angle = y.abs() < INF
    known = y.equals(0.0) | (~angle & (scale.equals(0.0) | scale.equals(INF)))
    im = angle.select(scale * b.libm("sin", argument), scale.equals(0.0).select(scale, y - y))
    re = known.select(scale, scale * b.libm("cos", argument))
    return b.complex(re, y.equals(0.0).select(y, im))


def expm1(b: Function, z: Value) -> Value:
    """(expm1(x) cos(y) - 2 sin(y/2)^2) + i exp(x) sin(y)."""
    x, y = parts(z)
    half = b.libm("sin", y * 0.5)
    growth = b.call("expm1.f64", "double", x)
    re = growth * b.libm("cos", y) - half * half * 2.0
    im = b.call("exp.f64", "double", x) * b.libm("sin", y)
    real = y.equals(0.0)
    return b.complex(real.select(growth, re), real.select(y, im))


def log1p(b: Function, z: Value) -> Value:
    """log1p(x (2 + x) + y^2)/2 + i atan2(y, 1 + x) near 0, log|1 + z| elsewhere."""
    x, y = parts(z)
    one = x + 1.0
    near = b.call("log1p.f64", "double", b.fma(x, x + 2.0, y * y)) * 0.5
    far = b.call("log.f64", "double", b.libm("hypot", one, y))
    small = (x.abs() < 0.5) & (y.abs() < 0.5)
    return b.complex(small.select(near, far), b.call("atan2.f64", "double", y, one))


def rsqrt(b: Function, z: Value) -> Value:
    """1/sqrt(z)."""
    return reciprocal(b, libm(b, "csqrt", z))


def sigmoid(b: Function, z: Value) -> Value:
    """1/(1 + exp(-z))."""
    re, im = parts(z)
    e_re, e_im = parts(libm(b, "cexp", b.complex(-re, -im)))
    # Where exp(-z) overflows its parts may be NaN; the limit is 0.
    result_re, result_im = parts(reciprocal(b, b.complex(e_re + 1.0, e_im)))
    vanishes = re < -709.0
    return b.complex(vanishes.select(0.0, result_re), vanishes.select(0.0, result_im))


def silu(b: Function, z: Value) -> Value:
    """z sigmoid(z)."""
    return multiply(b, z, sigmoid(b, z))


def sign(b: Function, z: Value) -> Value:
    """z/|z|, 0 at 0."""
    re, im = parts(z)
    size = magnitude(b, z)
    zero = size.equals(0.0)
    return b.complex(zero.select(re, re / size), zero.select(im, im / size))


def power(b: Function, z: Value, w: Value) -> Value:
    """cpow; 1 for the exponent 0."""
    re, im = parts(libm(b, "cpow", z, w))
    x, y = parts(w)
    one = x.equals(0.0) & y.equals(0.0)
    return b.complex(one.select(1.0, re), one.select(0.0, im))


UNARY: dict[str, Callable[[Function, Value], Value]] = {
    **{
        op: (lambda b, z, name=name: libm(b, name, z))  # type: ignore[misc]
        for op, name in LIBM.items()
    },
    "log2": scaled_log(2),
    "log10": scaled_log(10),
    "exp2": exp2,
    "expm1": expm1,
    "log1p": log1p,
    "reciprocal": reciprocal,
    "rsqrt": rsqrt,
    "sigmoid": sigmoid,
    "silu": silu,
    "sign": sign,
}
BINARY = {"div": divide, "truediv": divide, "pow": power}


def _simple(family: Family, suffix: str) -> None:
    """What needs no wider type."""
    element = "float" if suffix == "c64" else "double"

    def map_parts(operation: Callable[[Value, Value], Value]) -> Callable[..., Value]:
        def body(b: Function, z: Value, w: Value) -> Value:
            (x, y), (u, v) = parts(z), parts(w)
            return b.complex(operation(x, u), operation(y, v))

        return body

    family.binary("add", suffix, map_parts(lambda p, q: p + q))
    family.binary("sub", suffix, map_parts(lambda p, q: p - q))
    family.binary("mul", suffix, multiply)
    family.unary("neg", suffix, lambda b, z: b.complex(-z.part(0), -z.part(1)))
    family.unary("real", suffix, lambda b, z: z.part(0), element)
    family.unary("imag", suffix, lambda b, z: z.part(1), element)
    family.unary("isnan", suffix, lambda b, z: z.part(0).compare("uno", z.part(1)), "i1")
    family.unary(
        "isinf",
        suffix,
        lambda b, z: z.part(0).abs().equals(INF) | z.part(1).abs().equals(INF),
        "i1",
    )
    family.unary(
        "isfinite", suffix, lambda b, z: (z.part(0).abs() < INF) & (z.part(1).abs() < INF), "i1"
    )
    family.unary("isreal", suffix, lambda b, z: z.part(1).equals(0.0), "i1")
    family.unary(
        "logical_not", suffix, lambda b, z: z.part(0).equals(0.0) & z.part(1).equals(0.0), "i1"
    )

    def equal(b: Function, z: Value, w: Value) -> Value:
        return z.part(0).equals(w.part(0)) & z.part(1).equals(w.part(1))

    family.binary("eq", suffix, equal, "i1")
    family.binary("ne", suffix, lambda b, z, w: ~equal(b, z, w), "i1")


def family() -> Family:
    """The functions of complex.ll."""
    result = Family("complex", "Complex functions.")
    for suffix in ("c64", "c128"):
        _simple(result, suffix)
    result.unary("abs", "c128", magnitude, "double")
    result.unary("abs", "c64", magnitude_of_floats, "float")
    for op, body in UNARY.items():
        result.unary(op, "c128", body)
        result.unary(op, "c64", lambda b, z, body=body: narrow(b, body(b, widen(b, z))))
    for op, binary_body in BINARY.items():
        result.binary(op, "c128", binary_body)
        result.binary(
            op,
            "c64",
            lambda b, z, w, body=binary_body: narrow(b, body(b, widen(b, z), widen(b, w))),
        )
    return result
