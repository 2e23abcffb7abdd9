"""Conversions between float and the storage types, and from floats to integers.

Bit for bit what PyTorch's CPU casts give, but for the payload of NaN. Types without a register of
their own travel as integers: i16 for half and bfloat16, i8 for the 8-bit types and the low nibble
of an i8 for float4_e2m1fn.
"""

from __future__ import annotations

from builder import Family, Function, Value

# Name, bits, exponent bits, mantissa bits, bias.
MINI_FLOATS = {
    "half": (16, 5, 10, 15),
    "float8_e5m2": (8, 5, 2, 15),
    "float8_e4m3fn": (8, 4, 3, 7),
    "float4_e2m1fn": (4, 2, 1, 1),
}


def to_small(b: Function, x: Value, name: str, finish: str) -> Value:
    """Round to nearest even by integer arithmetic; `finish` says what is beyond the largest value.

    inf: overflow gives infinity; saturate: it gives the largest finite value, also for infinity.
    """
    width, exponent_bits, mantissa, bias = MINI_FLOATS[name]
    bits = x.bits()
    magnitude = bits & 0x7FFFFFFF
    sign = bits.lshr(32 - width) & (1 << (width - 1))
    drop = 23 - mantissa
    # Normal results: rebias, add half of a unit less one and the lowest kept bit.
    odd = magnitude.lshr(drop) & 1
    rebias = ((bias - 127) << 23) + (1 << (drop - 1)) - 1
    normal = (magnitude + rebias + odd).lshr(drop)
    # Denormal results: a float addition whose unit in the last place is the smallest denormal.
    magic = 2.0 ** (1 - bias - mantissa + 23)
    magic_bits = (1 - bias - mantissa + 23 + 127) << 23
    denormal = (magnitude.as_float() + magic).bits() - magic_bits
    smallest_normal = (127 + 1 - bias) << 23
    result = magnitude.compare("ult", smallest_normal).select(denormal, normal)
    largest = (1 << (width - 1)) - 1
    if finish == "inf":
        infinity = ((1 << exponent_bits) - 1) << mantissa
        result = result.compare("ugt", infinity).select(infinity, result)
        nan = infinity | (1 << (mantissa - 1)) if width == 16 else largest
    else:
        maximum = largest - 1 if name == "float8_e4m3fn" else largest
        result = result.compare("ugt", maximum).select(maximum, result)
        nan = largest
    is_nan = magnitude.compare("ugt", 0x7F800000)
    if name == "float4_e2m1fn":
        # There is no NaN code; CUDA's cvt gives the largest positive value, and so do we.
        return is_nan.select(largest, result | sign).cast("trunc", "i8")
    result = is_nan.select(nan, result)
    return (result | sign).cast("trunc", "i16" if width == 16 else "i8")


def from_small(b: Function, x: Value, name: str) -> Value:
    """Widen exactly: place the bits in a float's and scale by the difference of the biases."""
    width, exponent_bits, mantissa, bias = MINI_FLOATS[name]
    wide = x.cast("zext", "i32")
    magnitude = wide & ((1 << (width - 1)) - 1)
    sign = (wide & (1 << (width - 1))) << (32 - width)
    # The exponent stays too small by 127 - bias: a multiplication corrects it, denormals too.
    scaled = (magnitude << (23 - mantissa)).as_float() * 2.0 ** (127 - bias)
    result = scaled.bits()
    if name in ("half", "float8_e5m2"):
        special = ((1 << exponent_bits) - 1) << mantissa
        payload = (magnitude << (23 - mantissa)) | 0x7F800000
        result = magnitude.compare("uge", special).select(payload, result)
    elif name == "float8_e4m3fn":
        result = magnitude.equals(0x7F).select(b.value(0x7FC00000, "i32"), result)
    return (result | sign).as_float()


def to_bfloat16(b: Function, x: Value) -> Value:
    """Round to nearest even; the hardware's own conversion would flush denormals."""
    bits = x.bits()
    rounded = (bits + 0x7FFF + (bits.lshr(16) & 1)).lshr(16)
    return x.is_nan().select(b.value(0x7FC0, "i32"), rounded).cast("trunc", "i16")


def to_bfloat16_unchecked(b: Function, x: Value) -> Value:
    """The same without a check for NaN, whose digits must not all be ones to round like numbers.

    Such a NaN is made by no arithmetic, and one with as few digits has zeros at its end.
    """
    bits = x.bits()
    return (bits + 0x7FFF + (bits.lshr(16) & 1)).lshr(16).cast("trunc", "i16")


def to_float8_e8m0fnu(b: Function, x: Value) -> Value:
    """The exponent of |x|, rounded to the nearest power of two; 255 for NaN and infinity."""
    bits = x.bits()
    exponent = bits.lshr(23) & 0xFF
    up = bits.lshr(22) & 1
    smallest = (bits & 0x7FFFFFFF).compare("ule", 0x400000)
    rounded = exponent + up
    rounded = smallest.select(b.value(0, "i32"), rounded)
    return exponent.equals(255).select(exponent, rounded).cast("trunc", "i8")


def from_float8_e8m0fnu(b: Function, x: Value) -> Value:
    """2^(x - 127); 0 is a denormal, 255 is NaN."""
    wide = x.cast("zext", "i32")
    bits = wide.equals(0).select(b.value(0x400000, "i32"), wide << 23)
    return wide.equals(255).select(b.value(0x7FC00000, "i32"), bits).as_float()


def saturating(b: Function, x: Value, integer: str, signed: bool) -> Value:
    """To an integer: NaN gives 0, values out of range the nearest bound.

    As llvm.fptosi.sat and llvm.fptoui.sat, of which vectors are computed element by element.
    """
    bits = int(integer[1:])
    least, beyond = (-(2.0 ** (bits - 1)), 2.0 ** (bits - 1)) if signed else (0.0, 2.0**bits)
    number = x.is_nan().select(0.0, x)
    bounded = (number < least).select(least, number)
    is_beyond = bounded >= beyond
    kind = "fptosi" if signed else "fptoui"
    inside = is_beyond.select(0.0, bounded).cast(kind, integer)
    most = 2 ** (bits - 1) - 1 if signed else -1
    return is_beyond.select(b.value(most, integer), inside)


def family() -> Family:
    """The functions of conversion.ll."""
    result = Family("conversion", "Conversions.")

    def both(name: str, integer: str, to: object, from_: object) -> None:
        result.define(f"to_{name}.f32", [("float", "x")], integer, to)  # type: ignore[arg-type]
        result.define(f"from_{name}.f32", [(integer, "x")], "float", from_)  # type: ignore[arg-type]
        # PyTorch converts double to float first, and so do we: both roundings are seen.
        result.define(
            f"to_{name}.f64",
            [("double", "x")],
            integer,
            lambda b, x: b.call(f"to_{name}.f32", integer, x.cast("fptrunc", "float")),
        )
        result.define(
            f"from_{name}.f64",
            [(integer, "x")],
            "double",
            lambda b, x: b.call(f"from_{name}.f32", "float", x).cast("fpext", "double"),
        )

    both(
        "half",
        "i16",
        lambda b, x: to_small(b, x, "half", "inf"),
        lambda b, x: from_small(b, x, "half"),
    )
    result.define(
        "to_half_native.f32",
        [("float", "x")],
        "i16",
        lambda b, x: x.cast("fptrunc", "half").cast("bitcast", "i16"),
        "Used in place of to_half.f32 where the host has the instruction.",
    )
    result.define(
        "from_half_native.f32",
        [("i16", "x")],
        "float",
        lambda b, x: x.cast("bitcast", "half").cast("fpext", "float"),
        "Used in place of from_half.f32 where the host has the instruction.",
    )
    both(
        "bfloat16",
        "i16",
        to_bfloat16,
        lambda b, x: (x.cast("zext", "i32") << 16).as_float(),
    )
    result.define(
        "to_bfloat16_unchecked.f32",
        [("float", "x")],
        "i16",
        to_bfloat16_unchecked,
        "Of what is computed of integers and of numbers with no more digits than the result.",
    )
    for name, finish in (
        ("float8_e4m3fn", "saturate"),
        ("float8_e5m2", "inf"),
        ("float4_e2m1fn", "saturate"),
    ):
        both(
            name,
            "i8",
            lambda b, x, name=name, finish=finish: to_small(b, x, name, finish),
            lambda b, x, name=name: from_small(b, x, name),
        )
    both("float8_e8m0fnu", "i8", to_float8_e8m0fnu, from_float8_e8m0fnu)
    for suffix, type_ in (("f32", "float"), ("f64", "double")):
        for name, integer, signed in (
            ("i64", "i64", True),
            ("i32", "i32", True),
            ("u64", "i64", False),
        ):
            result.define(
                f"to_{name}.{suffix}",
                [(type_, "x")],
                integer,
                lambda b, x, integer=integer, signed=signed: saturating(b, x, integer, signed),
            )
    return result
