"""Functions without approximation: floats against NumPy, integers against Python's integers."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from llvm_harness import BASELINE, TYPES, apply

from nvfuser.llvm import HostTarget

TARGETS = [pytest.param(None, id="host"), pytest.param(BASELINE, id="baseline")]
FLOATS = ["f32", "f64"]
INTEGERS = ["i32", "i64", "u64"]


def float_values(type_: str) -> np.ndarray:
    """Specials, halves, and random bit patterns."""
    dtype = TYPES[type_][1]
    info = np.finfo(dtype)
    specials = [0.0, math.inf, math.nan, info.max, info.tiny, info.smallest_subnormal]
    numbers = [*specials, *np.arange(0.5, 8, 0.5), 1e9, 12345678.5, 2.0**23 + 1, 2.0**52 + 1]
    integers = np.uint32 if type_ == "f32" else np.uint64
    random = np.random.default_rng(11).integers(0, np.iinfo(integers).max, 400, dtype=integers)
    values = np.array(numbers, dtype)
    return np.concatenate([values, -values, random.view(dtype)])


def same(actual: np.ndarray, expected: np.ndarray) -> None:
    """Assert equal values, NaN and the signs of zeros included."""
    np.testing.assert_array_equal(actual, expected)
    if actual.dtype.kind == "f":
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(actual[number]), np.signbit(expected[number]))


FLOAT_UNARY: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "abs": np.abs,
    "neg": np.negative,
    "ceil": np.ceil,
    "floor": np.floor,
    "trunc": np.trunc,
    "round": np.rint,
    "frac": lambda x: x - np.trunc(x),
    "sqrt": np.sqrt,
    "relu": lambda x: np.where(x < 0, 0, x).astype(x.dtype),
    "sign": lambda x: np.where(np.isnan(x), 0, np.sign(x)).astype(x.dtype) + 0,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "isposinf": np.isposinf,
    "isneginf": np.isneginf,
    "isreal": lambda x: np.ones(x.shape, bool),
    "signbit": np.signbit,
    "logical_not": np.logical_not,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", FLOATS)
@pytest.mark.parametrize("op", list(FLOAT_UNARY))
def test_float_unary(op: str, type_: str, target: HostTarget | None) -> None:
    x = float_values(type_)
    expected = FLOAT_UNARY[op](x)
    result = "i1" if expected.dtype == np.bool_ else type_
    same(apply(f"{op}.{type_}", x, types=[type_], result=result, target=target), expected)


def _with_nan(choose: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    def reference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return np.where(np.isnan(x), x, np.where(np.isnan(y), y, choose(x, y)))

    return reference


FLOAT_BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "truediv": np.divide,
    "fmod": np.fmod,
    "mod": np.fmod,
    "nextafter": np.nextafter,
    # Of equal zeros the first one, as PyTorch's clamp and relu have it.
    "maximum": _with_nan(lambda x, y: np.where(y > x, y, x)),
    "minimum": _with_nan(lambda x, y: np.where(y < x, y, x)),
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", FLOATS)
@pytest.mark.parametrize("op", list(FLOAT_BINARY))
def test_float_binary(op: str, type_: str, target: HostTarget | None) -> None:
    x, y = (g.ravel() for g in np.meshgrid(float_values(type_)[:100], float_values(type_)))
    expected = FLOAT_BINARY[op](x, y)
    result = "i1" if expected.dtype == np.bool_ else type_
    actual = apply(f"{op}.{type_}", x, y, types=[type_, type_], result=result, target=target)
    same(actual, expected)


@pytest.mark.parametrize("type_", FLOATS)
def test_float_remainder_has_the_sign_of_the_divisor(type_: str) -> None:
    x, y = (g.ravel() for g in np.meshgrid(float_values(type_)[:100], float_values(type_)[:100]))
    rest = np.fmod(x, y)
    expected = np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)
    same(apply(f"remainder.{type_}", x, y, types=[type_, type_]), expected)


@pytest.mark.parametrize("target", TARGETS)
def test_float_modulo_of_any_exponents(target: HostTarget | None) -> None:
    bits = np.random.default_rng(13).integers(0, 1 << 32, (2, 200_000), dtype=np.uint64)
    x, y = bits.astype(np.uint32).view(np.float32)
    same(apply("fmod.f32", x, y, types=["f32", "f32"], target=target), np.fmod(x, y))


@pytest.mark.parametrize("type_", FLOATS)
def test_float_floor_division(type_: str) -> None:
    x, y = (g.ravel() for g in np.meshgrid(float_values(type_)[:100], float_values(type_)[:100]))
    expected = np.where(y == 0, x / y, np.floor_divide(x, y))
    actual = apply(f"floor_div.{type_}", x, y, types=[type_, type_])
    # NumPy gives NaN for infinite quotients of finite numbers; ours, as PyTorch's, is infinite.
    overflow = np.isfinite(x) & np.isfinite(y) & np.isinf(x / y)
    same(actual[~overflow], expected[~overflow])


def integer_values(type_: str) -> list[int]:
    """Bounds, small numbers, powers of two and random ones."""
    info = np.iinfo(TYPES[type_][1])
    low, high = int(info.min), int(info.max)
    values = {low, low + 1, high, high - 1, *range(-5, 8), 31, 32, 33, 63, 64, 65, 100, -100}
    values |= {sign * (1 << k) for k in range(0, info.bits, 7) for sign in (1, -1)}
    random = np.random.default_rng(12)
    values |= set(random.integers(low, high, 40, dtype=TYPES[type_][1]).tolist())
    return sorted(v for v in values if low <= v <= high)


def wrap(value: int, type_: str) -> int:
    """The value modulo 2^bits, in the type's range."""
    info = np.iinfo(TYPES[type_][1])
    value %= 1 << info.bits
    return value - (1 << info.bits) if value > int(info.max) else value


def quotient(x: int, y: int) -> int:
    """Truncated; all bits set for a zero divisor."""
    if y == 0:
        return -1
    magnitude = abs(x) // abs(y)
    return magnitude if (x < 0) == (y < 0) else -magnitude


def modulo(x: int, y: int) -> int:
    """Sign of the dividend; the dividend for a zero divisor."""
    return x if y == 0 else x - y * quotient(x, y)


def power(x: int, y: int) -> int:
    """Wrapping is left to the caller; negative exponents give 0 but for 1 and -1."""
    if y >= 0:
        return pow(x, y, 1 << 64)
    return (1 if y % 2 == 0 else x) if x in (1, -1) else 0


INTEGER_BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": quotient,
    "floor_div": lambda x, y: -1 if y == 0 else x // y,
    "mod": modulo,
    "fmod": modulo,
    "remainder": lambda x, y: x if y == 0 else x % y,
    "gcd": math.gcd,
    "lcm": math.lcm,
    "pow": power,
    "maximum": max,
    "minimum": min,
    "bitwise_and": lambda x, y: x & y,
    "bitwise_or": lambda x, y: x | y,
    "bitwise_xor": lambda x, y: x ^ y,
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize("op", list(INTEGER_BINARY))
def test_integer_binary(op: str, type_: str, target: HostTarget | None) -> None:
    pairs = [(x, y) for x in integer_values(type_) for y in integer_values(type_)]
    expected = [wrap(INTEGER_BINARY[op](x, y), type_) for x, y in pairs]
    dtype = TYPES[type_][1]
    x, y = (np.array([pair[k] for pair in pairs], dtype) for k in (0, 1))
    actual = apply(f"{op}.{type_}", x, y, types=[type_, type_], target=target)
    np.testing.assert_array_equal(actual, np.array(expected, dtype))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize("op", ["bitwise_left_shift", "bitwise_right_shift", "logical_right_shift"])
def test_shifts_by_any_count(op: str, type_: str, target: HostTarget | None) -> None:
    dtype = TYPES[type_][1]
    bits = np.iinfo(dtype).bits

    def reference(x: int, count: int) -> int:
        outside = not 0 <= count < bits
        if op == "bitwise_left_shift":
            return 0 if outside else x << count
        if op == "bitwise_right_shift":
            return x >> (bits if outside else count)
        return 0 if outside else (x % (1 << bits)) >> count

    pairs = [(x, y) for x in integer_values(type_) for y in integer_values(type_)]
    expected = [wrap(reference(x, y), type_) for x, y in pairs]
    x, y = (np.array([pair[k] for pair in pairs], dtype) for k in (0, 1))
    actual = apply(f"{op}.{type_}", x, y, types=[type_, type_], target=target)
    np.testing.assert_array_equal(actual, np.array(expected, dtype))


INTEGER_UNARY: dict[str, Callable[[int], int]] = {
    "abs": abs,
    "neg": lambda x: -x,
    "relu": lambda x: max(x, 0),
    "sign": lambda x: (x > 0) - (x < 0),
    "bitwise_not": lambda x: ~x,
    "ceil": lambda x: x,
    "floor": lambda x: x,
    "round": lambda x: x,
    "trunc": lambda x: x,
    "frac": lambda x: 0,
}
PREDICATES: dict[str, Callable[[int], bool]] = {
    "logical_not": lambda x: x == 0,
    "signbit": lambda x: x < 0,
    "isnan": lambda x: False,
    "isinf": lambda x: False,
    "isposinf": lambda x: False,
    "isneginf": lambda x: False,
    "isfinite": lambda x: True,
    "isreal": lambda x: True,
}


@pytest.mark.parametrize("type_", INTEGERS)
@pytest.mark.parametrize("op", [*INTEGER_UNARY, *PREDICATES])
def test_integer_unary(op: str, type_: str) -> None:
    values = integer_values(type_)
    dtype = TYPES[type_][1]
    x = np.array(values, dtype)
    if op in PREDICATES:
        actual = apply(f"{op}.{type_}", x, types=[type_], result="i1")
        np.testing.assert_array_equal(actual, [PREDICATES[op](v) for v in values])
    else:
        expected = np.array([wrap(INTEGER_UNARY[op](v), type_) for v in values], dtype)
        np.testing.assert_array_equal(apply(f"{op}.{type_}", x, types=[type_]), expected)


COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


@pytest.mark.parametrize("type_", [*INTEGERS, "i1"])
@pytest.mark.parametrize("op", list(COMPARISONS))
def test_comparisons(op: str, type_: str) -> None:
    values = [0, 1] if type_ == "i1" else integer_values(type_)
    pairs = [(x, y) for x in values for y in values]
    x, y = (np.array([pair[k] for pair in pairs], TYPES[type_][1]) for k in (0, 1))
    actual = apply(f"{op}.{type_}", x, y, types=[type_, type_], result="i1")
    np.testing.assert_array_equal(actual, [COMPARISONS[op](*pair) for pair in pairs])


@pytest.mark.parametrize("op", list(INTEGER_BINARY))
def test_boolean_binary_is_that_of_zero_and_one(op: str) -> None:
    x, y = np.array([False, False, True, True]), np.array([False, True, False, True])
    actual = apply(f"{op}.i1", x, y, types=["i1", "i1"])
    expected = [INTEGER_BINARY[op](int(p), int(q)) != 0 for p, q in zip(x, y, strict=True)]
    np.testing.assert_array_equal(actual, expected)


BOOLEAN_UNARY = {
    **dict.fromkeys(["logical_not", "bitwise_not"], (True, False)),
    **dict.fromkeys(
        ["abs", "ceil", "floor", "neg", "round", "trunc", "relu", "sign"], (False, True)
    ),
    **dict.fromkeys(["isnan", "isinf", "isposinf", "isneginf", "signbit"], (False, False)),
    **dict.fromkeys(["isfinite", "isreal"], (True, True)),
}


@pytest.mark.parametrize("op", list(BOOLEAN_UNARY))
def test_boolean_unary(op: str) -> None:
    actual = apply(f"{op}.i1", np.array([False, True]), types=["i1"])
    np.testing.assert_array_equal(actual, BOOLEAN_UNARY[op])
