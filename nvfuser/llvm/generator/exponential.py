"""exp, exp2, expm1 and what is built on one exponential: sigmoid, silu, gelu, tanh, erf.

All evaluate 2^n p(r) with |r| <= ln(2)/2. The rounding to n adds and subtracts 1.5 * 2^mantissa:
no float-to-integer conversion, so NaN passes through (LLVM's fptosi of NaN is poison).
2^n is applied in two factors so that overflow and denormal results are right, or by one instruction
where there is one (`scaled`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mpmath as mp
from builder import INTEGER_OF, Family, Function, Value, coefficients

mp.mp.dps = 60


def split(value: mp.mpf, bits: int) -> tuple[float, float]:
    """`value` as a sum of a number of at most `bits` bits and a rest."""
    scale = mp.mpf(2) ** (bits - 1 - int(mp.floor(mp.log(abs(value), 2))))
    high = mp.nint(value * scale) / scale
    return float(high), float(value - high)


@dataclass(frozen=True)
class Format:
    """What depends on the floating type."""

    type: str
    suffix: str  # of the coefficients: f32, f64, or f32x (double, as precise as float needs)
    mantissa: int
    bias: int
    exp_low: float  # exp(x) is 0 at and below
    exp_high: float  # exp(x) overflows at and above
    ln2: tuple[float, float]

    @property
    def magic(self) -> float:
        """Adding and subtracting this rounds to an integer."""
        return 1.5 * 2.0**self.mantissa

    @property
    def magic_bits(self) -> int:
        """The bits of `magic`."""
        return ((self.bias + self.mantissa) << self.mantissa) | (1 << (self.mantissa - 1))

    def coefficients(self, name: str) -> list[float]:
        """The coefficients for this format."""
        return coefficients(f"{name}_{self.suffix}")

    def split(self, value: mp.mpf) -> tuple[float, float]:
        """Nearest value of this format and the rest."""
        return split(value, self.mantissa + 1)


F32 = Format("float", "f32", 23, 127, -104.0, 89.0, split(mp.ln(2), 15))
F64 = Format("double", "f64", 52, 1023, -746.0, 710.0, split(mp.ln(2), 41))
F32X = Format("double", "f32x", 52, 1023, -746.0, 710.0, split(mp.ln(2), 41))
FORMATS = {"f32": F32, "f64": F64}
LOG2E = float(1 / mp.ln(2))


def at_least(x: Value, bound: float) -> Value:
    """max(x, bound) that lets NaN through."""
    return (x < bound).select(bound, x)


def at_most(x: Value, bound: float) -> Value:
    """min(x, bound) that lets NaN through."""
    return (x > bound).select(bound, x)


def reduce_exp(b: Function, x: Value, f: Format, low: Value | None = None) -> tuple[Value, Value]:
    """r and the bits of magic + n, with x (+ low) = n ln(2) + r."""
    t = b.fma(x, LOG2E, f.magic)
    n = t - f.magic
    r = b.fma(n, -f.ln2[0], x)
    if low is not None:
        r = r + low
    return b.fma(n, -f.ln2[1], r), t.bits()


def exp_polynomial(b: Function, r: Value, f: Format) -> Value:
    """exp(r) for |r| <= ln(2)/2."""
    return b.polynomial(r, [1.0, 1.0, *f.coefficients("exp")])


def power_of_two(t: Value, f: Format, offset: int = 0) -> Value:
    """2^(n + offset) from the bits of magic + n; n + offset must be a normal exponent."""
    return ((t << f.mantissa) + ((f.bias + offset) << f.mantissa)).as_float()


def halves(t: Value, f: Format) -> tuple[Value, Value]:
    """Factors 2^n1 and 2^n2, n1 + n2 = n, from the bits of magic + n."""
    even = 2 * f.bias  # makes n positive, so that a zero-filling shift halves it
    n = t - (f.magic_bits - even)
    n1 = n.lshr(1)
    n2 = n - n1
    return (n1 << f.mantissa).as_float(), (n2 << f.mantissa).as_float()


def scaled(b: Function, p: Value, t: Value, f: Format) -> Value:
    """p 2^n from the bits of magic + n; rounds once where the result is denormal."""
    return b.call(f"scale.{'f32' if f.type == 'float' else 'f64'}", f.type, p, t)


def scale(b: Function, p: Value, t: Value, f: Format) -> Value:
    """What `scaled` calls."""
    s1, s2 = halves(t, f)
    return p * s1 * s2


def native_scale(b: Function, p: Value, t: Value, f: Format) -> Value:
    """The same where one instruction does it."""
    n = t - f.magic_bits
    if n.type != "i32":
        n = n.cast("trunc", "i32")
    suffix = "f32" if f.type == "float" else "f64"
    b.declarations.add(f"declare {f.type} @llvm.ldexp.{suffix}.i32({f.type}, i32)")
    call = f"call {f.type} @llvm.ldexp.{suffix}.i32({f.type} {p.text}, i32 {n.text})"
    return b.emit("scaled", f.type, call)


def exp_parts(
    b: Function, x: Value, f: Format, low: Value | None = None
) -> tuple[Value, Value, Value]:
    """p, s1, s2 with exp(x + low) = p * s1 * s2; x must be within exp_low and exp_high."""
    r, t = reduce_exp(b, x, f, low)
    s1, s2 = halves(t, f)
    return exp_polynomial(b, r, f), s1, s2


def unless_zero(x: Value, low: float, high: float, body: Callable[[Value], Value]) -> Value:
    """What `body` computes of x up to `high`, 0 below `low`, where it computes something else.

    Results that are rounded to 0, as those of masked elements are, take some processors a hundred
    times as long.
    """
    is_zero = x < low
    return is_zero.select(0.0, body(at_most(is_zero.select(0.0, x), high)))


def exp(b: Function, x: Value, f: Format) -> Value:
    """exp over the whole range."""

    def within(x: Value) -> Value:
        r, t = reduce_exp(b, x, f)
        return scaled(b, exp_polynomial(b, r, f), t, f)

    return unless_zero(x, f.exp_low, f.exp_high, within)


def exp2(b: Function, x: Value, f: Format) -> Value:
    """2^x over the whole range."""
    lowest, highest = (-151.0, 128.0) if f.type == "float" else (-1076.0, 1024.0)

    def within(x: Value) -> Value:
        t = x + f.magic
        r = x - (t - f.magic)
        p = b.fma(r, b.polynomial(r, f.coefficients("exp2")), 1.0)
        return scaled(b, p, t.bits(), f)

    return unless_zero(x, lowest, highest, within)


def expm1_reduced(b: Function, x: Value, f: Format) -> Value:
    """expm1 where 2^n is a normal number."""
    r, t = reduce_exp(b, x, f)
    p = b.fma(r * r, b.polynomial(r, f.coefficients("expm1")), r)
    scale = power_of_two(t, f)
    return b.fma(p, scale, scale - 1.0)


def expm1(b: Function, x: Value, f: Format) -> Value:
    """expm1 over the whole range: half of it is computed, so that 2^n cannot overflow early."""
    lowest = -18.0 if f.type == "float" else -40.0
    clamped = at_most(at_least(x, lowest), f.exp_high)
    r, t = reduce_exp(b, clamped, f)
    p = b.fma(r * r, b.polynomial(r, f.coefficients("expm1")), r)
    half = power_of_two(t, f, -1)
    result = b.fma(p, half, half - 0.5)
    # -0 and denormals: the sum above loses them.
    return (x.abs() < 2.0 ** -(f.mantissa + 2)).select(x, result + result)


def tanh(b: Function, x: Value, f: Format) -> Value:
    """A polynomial for |x| < 0.55, 1 - 2/(exp(2|x|) + 1) beyond."""
    a = at_most(x.abs(), 10.0 if f.type == "float" else 20.0)
    z = a * a
    near = b.fma(a * z, b.polynomial(z, f.coefficients("tanh")), a)
    r, t = reduce_exp(b, a + a, f)
    e = exp_polynomial(b, r, f) * power_of_two(t, f)
    far = 1.0 - 2.0 / (e + 1.0)
    return (a < 0.55).select(near, far).copysign(x)


def sigmoid(b: Function, x: Value, f: Format) -> Value:
    """1 / (1 + exp(-|x|)), times exp(-|x|) for negative x: no overflow, no cancellation."""
    r, t = reduce_exp(b, -at_most(x.abs(), -f.exp_low), f)
    e = scaled(b, exp_polynomial(b, r, f), t, f)
    return (x < 0.0).select(e, b.value(1.0, f.type)) / (e + 1.0)


def times_sigmoid(b: Function, x: Value, a: Value, parts: Sequence[Value], f: Format) -> Value:
    """x / (1 + e), or -a e / (1 + e) for negative x, from the parts of e = exp(-|v|).

    `a` is |x| up to where the result has become 0. The last factor of e is applied at the end,
    so that an intermediate result does not underflow where the result does not.
    """
    p, s1, s2 = parts
    e = p * s1
    negative = x < 0.0
    quotient = negative.select(-a * e, x) / b.fma(e, s2, 1.0)
    result = quotient * negative.select(s2, b.value(1.0, f.type))
    # -inf * 0 as PyTorch has it.
    return x.equals(float("-inf")).select(float("nan"), result)


def silu(b: Function, x: Value, f: Format) -> Value:
    """x sigmoid(x)."""
    a = at_most(x.abs(), 110.0 if f.type == "float" else 755.0)
    return times_sigmoid(b, x, a, exp_parts(b, -a, f), f)


def gelu_tanh(b: Function, x: Value, f: Format) -> Value:
    """x sigmoid(v), v = 2 sqrt(2/pi) (x + 0.044715 x^3), with v to twice the precision.

    exp(-|v|) turns an absolute error of v into a relative one, and |v| goes up to 100 (750).
    """
    c1 = f.split(2 * mp.sqrt(2 / mp.pi))
    c3 = f.split(2 * mp.sqrt(2 / mp.pi) * mp.mpf("0.044715"))
    a = at_most(x.abs(), 11.0 if f.type == "float" else 21.8)
    square = a * a
    square_low = b.exact_fma(a, a, -square)
    product = square * c3[0]
    product_low = b.exact_fma(square, c3[0], -product)
    product_low = b.fma(square, c3[1], b.fma(square_low, c3[0], product_low))
    # Either term may be the larger one: the branch-free two-sum.
    factor = product + c1[0]
    part = factor - product
    factor_low = (product - (factor - part)) + (c1[0] - part)
    factor_low = factor_low + (product_low + c1[1])
    v = a * factor
    v_low = b.fma(a, factor_low, b.exact_fma(a, factor, -v))
    return times_sigmoid(b, x, a, exp_parts(b, -v, f, -v_low), f)


def gelu(b: Function, x: Value, f: Format) -> Value:
    """max(x, 0) - a Phi(-a), a = |x|, with Phi(-a) = exp(-a^2/2) times a polynomial."""
    center, bound = GELU_RANGE[f.suffix]
    a = at_most(x.abs(), bound)
    square = a * a * 0.5
    half = a * 0.5
    # What rounding took from a^2/2 matters: it is up to 100 (700), and an exponent.
    square_low = b.exact_fma(half, a, -square)
    r, t = reduce_exp(b, -square, f, -square_low)
    y = a / (a + center)
    u = y * 2.0 - 1.0
    ratio = b.polynomial(u, f.coefficients("mills"))
    tail = scaled(b, y * ratio * exp_polynomial(b, r, f), t, f)
    result = (x > 0.0).select(x, 0.0 * x) - tail
    # -inf * 0 as PyTorch has it.
    return x.equals(float("-inf")).select(float("nan"), result)


GELU_RANGE = {"f32": (3.53125, 14.8), "f64": (5.0, 39.0)}


def erf(b: Function, x: Value, f: Format) -> Value:
    """-expm1(-a t(a)), a = |x|: one polynomial serves the whole range."""
    bound = 4.0 if f.type == "float" else 6.0
    a = at_most(x.abs(), bound)
    first = f.split(2 / mp.sqrt(mp.pi))
    argument = a if f.type == "float" else 1.0 - 6.0 / (a + 3.0)
    q = b.polynomial(argument, f.coefficients("log_erfc"))
    t = b.fma(a, first[0], a * b.fma(a, q, first[1]))
    return (-expm1_reduced(b, -t, f)).copysign(x)


def via_double(b: Function, body: Callable[..., Value], *arguments: Value) -> Value:
    """A float function evaluated in double: nearly always correctly rounded."""
    wide = [a.cast("fpext", "double") for a in arguments]
    return body(b, *wide, F32X).cast("fptrunc", "float")


UNARY: dict[str, Callable[[Function, Value, Format], Value]] = {
    "exp": exp,
    "exp2": exp2,
    "expm1": expm1,
    "tanh": tanh,
    "sigmoid": sigmoid,
    "silu": silu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "erf": erf,
}


def family() -> Family:
    """The functions of exponential.ll."""
    result = Family("exponential", "exp and what is built on one exponential.")
    for name, body in (("scale", scale), ("scale_native", native_scale)):
        for suffix, f in FORMATS.items():
            bits = INTEGER_OF[f.type]
            result.define(
                f"{name}.{suffix}",
                [(f.type, "p"), (bits, "t")],
                f.type,
                lambda b, p, t, body=body, f=f: body(b, p, t, f),
            )
    for op, body in UNARY.items():
        for suffix, f in FORMATS.items():
            result.unary(op, suffix, lambda b, x, body=body, f=f: body(b, x, f))
    return result
