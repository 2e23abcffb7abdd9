"""sin, cos, tan and their inverses.

The argument is reduced by multiples of pi/2 in two ways, of which one is selected: Cody-Waite in
floating point for arguments that are not large, and for all others Payne-Hanek in integers: the
product of the mantissa and those bits of 2/pi that matter modulo 4, picked from constants by
selects and funnel shifts. Both are straight-line code. The usual functions have the first way only.
"""

from __future__ import annotations

import mpmath as mp
from builder import Family, Function, Value, literal
from exponential import F32, F32X, F64, Format, split, via_double

mp.mp.dps = 420

CODY_WAITE_LIMIT = 2.0**17


def two_over_pi_words(padding: int, count: int) -> list[int]:
    """2/pi * 2^-padding in 32-bit words, most significant first."""
    scaled = int(mp.floor(mp.mpf(2) / mp.pi * mp.mpf(2) ** (32 * count - padding)))
    return [(scaled >> (32 * (count - 1 - k))) & 0xFFFFFFFF for k in range(count)]


def reduce_large(b: Function, a: Value) -> tuple[Value, Value]:
    """Quadrant (i32, modulo 4) and remainder (double) of a float >= `CODY_WAITE_LIMIT`.

    a = m 2^e with a 24-bit integer m. Bits of 2/pi above 2^(2 - e) give multiples of 4 and are
    left out; the 96 bits that follow leave an absolute error of 2^-70, and no float is closer to a
    multiple of pi/2 than 2^-31.
    """
    bits = a.bits()
    m = (bits & 0x7FFFFF) | 0x800000
    # The first bit of the window: e - 2, + 8 for the padding that keeps it positive.
    start = bits.lshr(23) - (127 + 23 + 2 - 8)
    words = two_over_pi_words(8, 7)
    odd = (start & 32).differs(0)
    pairs = [odd.select(b.value(words[k + 1], "i32"), b.value(words[k], "i32")) for k in range(6)]
    upper = (start & 64).differs(0)
    window = [upper.select(pairs[k + 2], pairs[k]) for k in range(4)]
    w1, w2, w3 = (b.intrinsic("fshl", window[k], window[k + 1], start) for k in range(3))
    wide = m.cast("zext", "i64")
    top = (m * w1).cast("zext", "i64") << 32
    middle = wide * w2.cast("zext", "i64")
    bottom = (wide * w3.cast("zext", "i64")).lshr(32)
    turns = top + middle + bottom  # in units of 2^-62 quadrants, modulo 4 quadrants
    quadrant = (turns.lshr(61) + 1).lshr(1).cast("trunc", "i32")
    remainder = (turns << 2).cast("sitofp", "double") * float(mp.pi / 2 / mp.mpf(2) ** 64)
    return quadrant, remainder


WORDS = "two_over_pi"
DOUBLE_LIMIT = 2.0**28
MASK = 0xFFFFFFFF


def reduce_large_double(b: Function, a: Value) -> tuple[Value, Value]:
    """Quadrant (i64, modulo 4) and remainder of a double >= `DOUBLE_LIMIT`.

    As for floats, with 192 bits of 2/pi, whose words come from a table: the exponents reach too far
    for selects. The upper 128 bits of the product are summed from products of 32-bit halves.
    """
    bits = a.bits()
    m = (bits & ((1 << 52) - 1)) | (1 << 52)
    start = bits.lshr(52) - (1023 + 52 + 2 - 32)
    # The mask keeps arguments that are not large within the table; their result is not used.
    index = start.lshr(6) & 15
    words = [b.lookup(WORDS, index + k if k else index, "i64") for k in range(4)]
    window = [b.intrinsic("fshl", words[k], words[k + 1], start) for k in range(3)]
    (a1, a0), (b1, b0), (c1, c0) = ((w.lshr(32), w & MASK) for w in window)
    m1, m0 = m.lshr(32), m & MASK

    def column(carry: Value, first: Value, second: Value) -> tuple[Value, Value]:
        """32 bits of the product at one position, and what is carried to the next."""
        low = m0 * first + carry
        high = m1 * second + (low & MASK)
        return high & MASK, low.lshr(32) + high.lshr(32)

    _, carry = column((m0 * c0).lshr(32), c1, c0)
    third, carry = column(carry, b0, c1)
    second, carry = column(carry, b1, b0)
    low = third | (second << 32)
    high = m0 * a0 + m1 * b1 + carry + ((m0 * a1 + m1 * a0) << 32)
    quadrant = (high.lshr(61) + 1).lshr(1)
    # The signed fraction of a quadrant in 2^-64 and below. It is rounded to 52 bits and a rest, and
    # both are made floating by adding them to the bits of a constant.
    fraction = (high << 2) | low.lshr(62)
    upper = (fraction + 0x800).ashr(12)
    rest = fraction - (upper << 12)
    magic = 1.5 * 2.0**52
    magic_bits = 0x4338000000000000
    upper_float = (upper + magic_bits).as_float() - magic
    rest_float = (rest + magic_bits).as_float() - magic
    below = ((low << 2).lshr(12) | 0x3FF0000000000000).as_float() - 1.0
    scale = split(mp.pi / 2 / mp.mpf(2) ** 52, 53)
    tail = (rest_float + below) * float(mp.pi / 2 / mp.mpf(2) ** 64)
    return quadrant, b.fma(upper_float, scale[0], b.fma(upper_float, scale[1], tail))


def reduce_double(b: Function, a: Value, f: Format, usual: bool) -> tuple[Value, Value]:
    """Quadrant (i64, low two bits) and remainder of |x| for a double x; NaN for inf and NaN."""
    t = b.fma(a, float(2 / mp.pi), f.magic)
    n = t - f.magic
    p1 = float(mp.pi / 2)
    p2 = float(mp.pi / 2 - mp.mpf(p1))
    p3 = float(mp.pi / 2 - mp.mpf(p1) - mp.mpf(p2))
    r = b.exact_fma(n, -p2, b.exact_fma(n, -p1, a))
    r = b.fma(n, -p3, r)
    quadrant = t.bits()
    if usual:
        return quadrant, r
    large = a >= DOUBLE_LIMIT
    quadrant_large, remainder_large = reduce_large_double(b, a)
    quadrant = large.select(quadrant_large, quadrant)
    return quadrant, large.select(remainder_large, r) + (a - a)


def reduce_float(b: Function, a: Value, f: Format, usual: bool) -> tuple[Value, Value]:
    """Quadrant (i32, low two bits) and remainder of |x| for a float x; NaN for inf and NaN."""
    if f.type == "float":
        t = b.fma(a, float(2 / mp.pi), f.magic)
        n = t - f.magic
        p1, rest = split(mp.pi / 2, 24)
        p2, rest = split(mp.mpf(rest) + (mp.pi / 2 - mp.mpf(p1) - mp.mpf(rest)), 24)
        p3 = float(mp.pi / 2 - mp.mpf(p1) - mp.mpf(p2))
        r = b.exact_fma(n, -p1, a)
        r = b.exact_fma(n, -p2, r)
        r = b.fma(n, -p3, r)
        quadrant = t.bits()
        not_finite = a - a
    else:
        wide = a.cast("fpext", "double")
        t = b.fma(wide, float(2 / mp.pi), f.magic)
        n = t - f.magic
        p1, _ = split(mp.pi / 2, 33)
        p2 = float(mp.pi / 2 - mp.mpf(p1))
        r = b.fma(n, -p2, b.fma(n, -p1, wide))
        quadrant = t.bits().cast("trunc", "i32")
        not_finite = wide - wide
    if usual:
        return quadrant, r
    large = a >= CODY_WAITE_LIMIT
    quadrant_large, remainder_large = reduce_large(b, a)
    quadrant = large.select(quadrant_large, quadrant)
    return quadrant, large.select(remainder_large.cast("fptrunc", f.type), r) + not_finite


def reduce(b: Function, a: Value, f: Format, usual: bool) -> tuple[Value, Value]:
    """Quadrant and remainder of |x|, for a usual argument or any."""
    return (reduce_double if f is F64 else reduce_float)(b, a, f, usual)


def is_usual(b: Function, x: Value, f: Format) -> Value:
    """Whether Cody-Waite's way reduces the argument, or it is NaN."""
    return x.abs().compare("ult", DOUBLE_LIMIT if f is F64 else CODY_WAITE_LIMIT)


def kernels(b: Function, r: Value, f: Format) -> tuple[Value, Value]:
    """sin(r) and cos(r) for |r| <= pi/4."""
    z = r * r
    sine = b.fma(r * z, b.polynomial(z, f.coefficients("sin")), r)
    cosine = b.fma(z, b.fma(z, b.polynomial(z, f.coefficients("cos")), -0.5), 1.0)
    return sine, cosine


def sin(b: Function, x: Value, f: Format, usual: bool = False) -> Value:
    """Sine."""
    a = x.abs()
    quadrant, r = reduce(b, a, f, usual)
    sine, cosine = kernels(b, r, f)
    value = (quadrant & 1).differs(0).select(cosine, sine)
    width = 32 if f.type == "float" else 64
    sign = ((quadrant & 2) << (width - 2)) ^ (x.bits() & -(1 << (width - 1)))
    return (value.bits() ^ sign).as_float()


def cos(b: Function, x: Value, f: Format, usual: bool = False) -> Value:
    """Cosine."""
    a = x.abs()
    quadrant, r = reduce(b, a, f, usual)
    sine, cosine = kernels(b, r, f)
    value = (quadrant & 1).differs(0).select(sine, cosine)
    width = 32 if f.type == "float" else 64
    return (value.bits() ^ (((quadrant + 1) & 2) << (width - 2))).as_float()


def tan_f32(b: Function, x: Value, usual: bool = False) -> Value:
    """Tangent of a float, in double."""
    quadrant, r = reduce(b, x.abs(), F32X, usual)
    sine, cosine = kernels(b, r, F32X)
    odd = (quadrant & 1).differs(0)
    value = odd.select(-cosine, sine) / odd.select(sine, cosine)
    value = value.cast("fptrunc", "float")
    return (value.bits() ^ (x.bits() & -0x80000000)).as_float()


HALF_PI = split(mp.pi / 2, 53)
PI = split(mp.pi, 53)


def arcsine_parts(b: Function, x: Value, f: Format) -> tuple[Value, Value]:
    """Whether |x| > 1/2, and then asin(sqrt((1 - |x|)/2)), otherwise asin(|x|)."""
    a = x.abs()
    big = a > 0.5
    z = big.select(b.fma(a, -0.5, 0.5), a * a)
    s = big.select(b.intrinsic("sqrt", z), a)
    return big, b.fma(s * z, b.polynomial(z, f.coefficients("asin")), s)


def asin(b: Function, x: Value, f: Format) -> Value:
    """pi/2 - 2 asin(sqrt((1 - |x|)/2)) for |x| > 1/2."""
    big, t = arcsine_parts(b, x, f)
    return big.select(b.fma(t, -2.0, HALF_PI[0]) + HALF_PI[1], t).copysign(x)


def acos(b: Function, x: Value, f: Format) -> Value:
    """2 asin(sqrt((1 - |x|)/2)) for |x| > 1/2, from pi for negative x; pi/2 - asin(x) otherwise."""
    big, t = arcsine_parts(b, x, f)
    double = t + t
    outer = (x < 0.0).select((PI[0] - double) + PI[1], double)
    inner = (HALF_PI[0] - t.copysign(x)) + HALF_PI[1]
    return big.select(outer, inner)


def arctangent(b: Function, n: Value, d: Value, f: Format) -> Value:
    """atan(n/d) for 0 <= n <= d."""
    shifted = n > d * float(mp.tan(mp.pi / 8))
    t = shifted.select(n - d, n) / shifted.select(n + d, d)
    z = t * t
    value = b.fma(t * z, b.polynomial(z, f.coefficients("atan")), t)
    high, low = split(mp.pi / 4, 53)
    return shifted.select((value + low) + high, value)


def atan(b: Function, x: Value, f: Format) -> Value:
    """pi/2 - atan(1/|x|) for |x| > 1."""
    a = x.abs()
    big = a > 1.0
    one = b.value(1.0, x.type)
    value = arctangent(b, big.select(one, a), big.select(a, one), f)
    return big.select((HALF_PI[0] - value) + HALF_PI[1], value).copysign(x)


def atan2(b: Function, y: Value, x: Value, f: Format) -> Value:
    """The angle of (x, y), with C's results for zeros and infinities."""
    if f.suffix == "f64":
        # Keeps the sum of both finite; what is lost of the smaller one is not seen.
        huge = (x.abs() > 2.0**1000) | (y.abs() > 2.0**1000)
        scale = huge.select(2.0**-100, b.value(1.0, x.type))
        ax, ay = x.abs() * scale, y.abs() * scale
    else:
        ax, ay = x.abs(), y.abs()
    swap = ay > ax
    n, d = swap.select(ax, ay), swap.select(ay, ax)
    # 0/0 and inf/inf.
    d = d.equals(0.0).select(1.0, d)
    both = n.equals(float("inf")) & d.equals(float("inf"))
    n, d = both.select(1.0, n), both.select(1.0, d)
    value = arctangent(b, n, d, f)
    value = swap.select((HALF_PI[0] - value) + HALF_PI[1], value)
    negative = x.bits() < 0
    return negative.select((PI[0] - value) + PI[1], value).copysign(y)


UNARY = {"asin": asin, "acos": acos, "atan": atan}


def family() -> Family:
    """The functions of trigonometric.ll."""
    result = Family("trigonometric", "Trigonometric functions and their inverses.")
    words = two_over_pi_words(32, 40)
    pairs = [words[k] << 32 | words[k + 1] for k in range(0, 40, 2)]
    text = ", ".join(f"i64 {literal(word, 'i64')}" for word in pairs)
    result.constants.append(
        f"@nvf.{WORDS} = internal unnamed_addr constant [{len(pairs)} x i64] [{text}], align 64"
    )
    for op, body in {"sin": sin, "cos": cos}.items():
        for f in (F32, F64):
            result.unary(op, f.suffix, lambda b, x, body=body, f=f: body(b, x, f))
            result.usual(
                f"{op}.{f.suffix}",
                lambda b, x, body=body, f=f: body(b, x, f, usual=True),
                lambda b, x, f=f: is_usual(b, x, f),
            )
    result.unary("tan", "f32", tan_f32)
    result.usual(
        "tan.f32", lambda b, x: tan_f32(b, x, usual=True), lambda b, x: is_usual(b, x, F32)
    )
    result.unary("tan", "f64", lambda b, x: b.libm("tan", x))
    for op, body in UNARY.items():
        result.unary(op, "f32", lambda b, x, body=body: via_double(b, body, x))
        result.unary(op, "f64", lambda b, x, body=body: body(b, x, F64))
    result.binary("atan2", "f32", lambda b, y, x: via_double(b, atan2, y, x))
    result.binary("atan2", "f64", lambda b, y, x: atan2(b, y, x, F64))
    return result
