"""Random numbers: Philox4x32-10, a function of seed, offset and the number of the element.

The counter is (offset, element / elements of a block), each 64 bits wide; a block of four words
serves four floats or two doubles. The device library computes the same.
"""

from __future__ import annotations

import math

from builder import TYPES, Family, Function, Value
from exponential import FORMATS, Format

MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
KEY_STEPS = (0x9E3779B9, 0xBB67AE85)
ROUNDS = 10


def halves(value: Value) -> tuple[Value, Value]:
    """The low and the high word of 64 bits."""
    return value.cast("trunc", "i32"), value.lshr(32).cast("trunc", "i32")


def philox(b: Function, seed: Value, offset: Value, block: Value) -> list[Value]:
    """The four words of a block."""
    counter = [*halves(offset), *halves(block)]
    key = list(halves(seed))
    for number in range(ROUNDS):
        if number > 0:
            key = [word + step for word, step in zip(key, KEY_STEPS, strict=True)]
        products = [
            counter[2 * i].cast("zext", "i64") * b.value(MULTIPLIERS[i], "i64") for i in range(2)
        ]
        (low0, high0), (low1, high1) = (halves(product) for product in products)
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0]
    return counter


def fractions(
    b: Function, f: Format, words: list[Value], index: Value, pair: bool
) -> tuple[Value, Value]:
    """Uniform integers below 2^digits for the element, or the pair of them that it belongs to."""
    if f.type == "float":
        upper = (index & 2).differs(0)
        first = upper.select(words[2], words[0]).lshr(8)
        second = upper.select(words[3], words[1]).lshr(8)
    else:
        wide = [word.cast("zext", "i64") for word in words]
        first = ((wide[1] << 32) | wide[0]).lshr(11)
        second = ((wide[3] << 32) | wide[2]).lshr(11)
    if pair:
        return first, second
    own = (index & 1).differs(0).select(second, first)
    return own, own


def bits(b: Function, f: Format, index: Value, seed: Value, offset: Value, pair: bool) -> tuple:
    """The fractions of an element."""
    block = index.lshr(2 if f.type == "float" else 1)
    return fractions(b, f, philox(b, seed, offset, block), index, pair)


def scaled(value: Value, f: Format) -> Value:
    """An integer below 2^digits as a number below 1: exact."""
    return value.cast("sitofp", f.type) * 2.0 ** -(f.mantissa + 1)


def uniform(
    b: Function, low: Value, high: Value, index: Value, seed: Value, offset: Value, f: Format
) -> Value:
    """From low up to, but not, high."""
    number = scaled(bits(b, f, index, seed, offset, pair=False)[0], f)
    value = low + number * (high - low)
    return (value >= high).select(low, value)


def normal(
    b: Function, mean: Value, std: Value, index: Value, seed: Value, offset: Value, f: Format
) -> Value:
    """By Box and Muller: two uniform numbers make two normal ones."""
    suffix = "f32" if f.type == "float" else "f64"
    first, second = bits(b, f, index, seed, offset, pair=True)
    logarithm = b.call(f"log.{suffix}", f.type, scaled(first + 1, f))
    radius = b.intrinsic("sqrt", logarithm * -2.0)
    angle = scaled(second, f) * (2.0 * math.pi)
    cosine = b.call(f"cos.{suffix}", f.type, angle)
    sine = b.call(f"sin.{suffix}", f.type, angle)
    value = radius * (index & 1).differs(0).select(sine, cosine)
    return mean + std * value


def family() -> Family:
    """The functions of random_numbers.ll."""
    result = Family("random_numbers", "Random numbers.")
    for suffix, f in FORMATS.items():
        for name, body, names in (
            ("uniform", uniform, ("low", "high")),
            ("normal", normal, ("mean", "std")),
        ):
            parameters = [(TYPES[suffix], each) for each in names]
            parameters += [("i64", each) for each in ("index", "seed", "offset")]
            result.define(
                f"{name}.{suffix}",
                parameters,
                TYPES[suffix],
                lambda b, *arguments, body=body, f=f: body(b, *arguments, f),
            )
    return result
