"""Every approximating function stays within the ULP that `accuracy.json` states for it."""

from __future__ import annotations

import functools
import math
import re
from pathlib import Path

import accuracy_table
import math_oracles as oracles
import numpy as np
import pytest
from float_testing import all_floats, special_floats, ulp_errors
from llvm_harness import BASELINE, apply

from nvfuser.llvm import HostTarget, library

TABLE = accuracy_table.load("llvm")
UNARY = [op for op in TABLE if op not in ("pow", "atan2")]
NARROW = re.findall(r"^nvf\.(\w+)_narrow\.f32$", "\n".join(library.symbols()), re.MULTILINE)
TARGETS = [pytest.param(None, id="host"), pytest.param(BASELINE, id="baseline")]
DIRECTORY = Path(library.__file__).parent

# Close to zeros of a function, where a relative error is easily lost: the float32 nearest to a
# multiple of pi/2 among all, and floats around zeros of lgamma.
HARD = [
    16367173 * 2.0**72,
    math.pi,
    math.pi / 2,
    -2.4570247382208006,
    -2.7476826467274127,
    -3.1435808883499798,
    -3.9552942848585979,
    1.0 + 2.0**-23,
    2.0 - 2.0**-23,
]


@functools.cache
def float_inputs(stride: int) -> np.ndarray:
    """Float32 values over the whole range."""
    hard = np.array([*HARD, *[-x for x in HARD]], np.float32)
    around = [np.nextafter(hard, np.float32(s)) for s in (np.inf, -np.inf)]
    return np.concatenate([all_floats(stride), hard, *around])


@functools.cache
def double_inputs(count: int) -> np.ndarray:
    """Float64 values: all exponents, and more where functions are not constant."""
    random = np.random.default_rng(20240607)
    signs = random.choice([-1.0, 1.0], count)
    return np.concatenate(
        [
            random.integers(0, 1 << 64, count, dtype=np.uint64).view(np.float64),
            random.uniform(-1, 1, count),
            random.uniform(-50, 50, count),
            random.uniform(-760, 760, count),
            np.exp(random.uniform(-20, 20, count)) * signs,
            1 + random.standard_normal(count) * 1e-3,
            special_floats().astype(np.float64),
        ]
    )


def exact_inputs(op: str, count: int) -> np.ndarray:
    """Finite numbers in the domain of a function whose oracle takes long for each."""
    random = np.random.default_rng(20240608)
    if op == "erfinv":
        near_one = 1 - np.exp(random.uniform(-36, 0, count))
        x = np.concatenate([random.uniform(-1, 1, count), near_one, near_one - 1])
        return x[np.abs(x) < 1]
    if op == "erfcinv":
        small = np.exp(random.uniform(-744, 0, count))
        x = np.concatenate([random.uniform(0, 2, count), small, 2 - small, 1 - small])
        return x[(x > 0) & (x < 2)]
    x = double_inputs(count)
    x = x[random.permutation(x.size)[: 3 * count]]
    x = x[np.isfinite(x)]
    if op == "lgamma":
        return x[(np.abs(x) < 1e300) & (x > -1e6) & ~((x <= 0) & (x == np.floor(x)))]
    return np.concatenate([x, random.uniform(-40, 15, count)])


def check(op: str, type_: str, inputs: list[np.ndarray], actual: np.ndarray, exact: object) -> None:
    """Compare with the stated bound, and the signs of zeros."""
    exact = np.asarray(exact)
    errors = ulp_errors(actual, exact)
    worst = int(np.argmax(errors))
    bound = TABLE[op][type_]
    arguments = ", ".join(repr(float(x[worst])) for x in inputs)
    assert errors[worst] <= bound, (
        f"{op}({arguments}) = {float(actual[worst])!r}: {errors[worst]:.3f} ULP, stated {bound}"
    )
    zeros = (exact == 0) & (actual == 0)
    assert np.array_equal(np.signbit(exact[zeros]), np.signbit(actual[zeros]))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", [op for op in UNARY if op not in ("erfinv", "erfcinv")])
def test_float_over_the_whole_range(op: str, target: HostTarget | None) -> None:
    x = float_inputs(1499 if target is None else 50021)
    actual = apply(f"{op}.f32", x, types=["f32"], target=target)
    exact = (oracles.WIDE.get(op) or oracles.DOUBLE[op])(x.astype(np.float64))
    check(op, "f32", [x], actual, exact)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", NARROW)
def test_narrow_over_the_whole_range(op: str, target: HostTarget | None) -> None:
    """Relative errors up to 2^-13; what is below 2^-119 may be 0."""
    x = float_inputs(1499 if target is None else 50021)
    actual = apply(f"{op}_narrow.f32", x, types=["f32"], target=target).astype(np.float64)
    exact = (oracles.WIDE.get(op) or oracles.DOUBLE[op])(x.astype(np.float64)).astype(np.float64)
    largest = float(np.finfo(np.float32).max)
    exact[np.abs(exact) > largest] *= np.inf
    assert np.array_equal(np.isnan(actual), np.isnan(exact))
    assert np.array_equal(actual[np.isinf(exact)], exact[np.isinf(exact)])
    tiny = np.abs(exact) < 2.0**-119
    assert np.abs(actual[tiny]).max(initial=0.0) <= 2.0**-118
    # The sign of what has become 0 stays.
    assert np.array_equal(np.signbit(actual[tiny]), np.signbit(exact[tiny]))
    normal = np.isfinite(exact) & ~tiny
    errors = np.abs(actual[normal] - exact[normal]) / np.abs(exact[normal])
    worst = int(np.argmax(errors))
    assert errors[worst] <= 2.0**-13, f"{op}({x[normal][worst]!r}) = {actual[normal][worst]!r}"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", [op for op in UNARY if op in oracles.WIDE])
def test_double(op: str, target: HostTarget | None) -> None:
    x = double_inputs(60_000 if target is None else 5_000)
    actual = apply(f"{op}.f64", x, types=["f64"], target=target)
    exact = oracles.WIDE[op](x.astype(np.longdouble))
    check(op, "f64", [x], actual, exact)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", list(oracles.EXACT))
def test_double_against_mpmath(op: str, target: HostTarget | None) -> None:
    x = exact_inputs(op, 600 if target is None else 150)
    actual = apply(f"{op}.f64", x, types=["f64"], target=target)
    check(op, "f64", [x], actual, oracles.exact(op, x))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ["erfinv", "erfcinv"])
def test_float_inverses(op: str, target: HostTarget | None) -> None:
    x = exact_inputs(op, 600 if target is None else 150).astype(np.float32)
    x = x[(np.abs(x) < 1) if op == "erfinv" else (x > 0) & (x < 2)]
    actual = apply(f"{op}.f32", x, types=["f32"], target=target)
    check(op, "f32", [x], actual, oracles.exact(op, x.astype(np.float64)).astype(np.float64))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", ["sin", "cos"])
def test_double_reduction_of_hard_arguments(op: str, target: HostTarget | None) -> None:
    # The double nearest to a multiple of pi/2 among all, the ends of the ranges, and ordinary ones.
    nearest = 6381956970095103 * 2.0**797
    x = np.array([nearest, 2.0**28, np.nextafter(2.0**28, 0), 2.0**1023, 1e22, *HARD[:3], 355.0])
    x = np.concatenate([x, -x, np.arange(1, 400) * (math.pi / 2)])
    with oracles.mp.workdps(400):
        exact = np.array([float(getattr(oracles.mp, op)(v)) for v in x.tolist()], np.longdouble)
    actual = apply(f"{op}.f64", x, types=["f64"], target=target)
    # The reference is rounded to double: half a unit more.
    assert ulp_errors(actual, exact).max() <= TABLE[op]["f64"] + 0.5


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_inverses_at_the_ends(type_: str) -> None:
    inf, nan = math.inf, math.nan
    x = np.array([0.0, -0.0, 1.0, -1.0, 1.5, -2.0, inf, -inf, nan])
    expected = np.array([0.0, -0.0, inf, -inf, nan, nan, nan, nan, nan])
    np.testing.assert_array_equal(apply(f"erfinv.{type_}", x, types=[type_]), expected)
    x = np.array([0.0, 2.0, 1.0, -1.0, 2.5, inf, -inf, nan])
    expected = np.array([inf, -inf, 0.0, nan, nan, nan, nan, nan])
    np.testing.assert_array_equal(apply(f"erfcinv.{type_}", x, types=[type_]), expected)


@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("op", ["gelu", "gelu_tanh", "silu"])
def test_activations_at_the_ends(op: str, type_: str) -> None:
    x = np.array([math.inf, -math.inf, math.nan, 0.0, -0.0])
    actual = apply(f"{op}.{type_}", x, types=[type_])
    np.testing.assert_array_equal(actual, [math.inf, math.nan, math.nan, 0.0, -0.0])
    assert list(np.signbit(actual[3:])) == [False, True]


BINARY = {"pow": np.power, "atan2": np.arctan2}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", list(BINARY))
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_binary(op: str, type_: str, target: HostTarget | None) -> None:
    random = np.random.default_rng(20240609)
    count = 200_000 if target is None and type_ == "f32" else 20_000
    narrow = np.float32 if type_ == "f32" else np.float64
    integers = np.uint32 if type_ == "f32" else np.uint64
    bits = [
        random.integers(0, np.iinfo(integers).max, count, dtype=integers).view(narrow)
        for _ in range(2)
    ]
    positive = np.exp(random.uniform(-80, 80, count)).astype(narrow)
    moderate = random.uniform(-1.2, 1.2, count).astype(narrow)
    whole = random.integers(-12, 12, count).astype(narrow)
    specials = [0.0, -0.0, math.inf, -math.inf, math.nan, 1, -1, 2, -2, 3, 0.5, -0.5, 1e30, 1e-40]
    grid = [g.ravel().astype(narrow) for g in np.meshgrid(specials, specials)]
    x = np.concatenate([bits[0], positive, -positive, moderate + 1, grid[0]])
    y = np.concatenate([bits[1], moderate, whole, random.permutation(whole * 10), grid[1]])
    actual = apply(f"{op}.{type_}", x, y, types=[type_, type_], target=target)
    wide = np.float64 if type_ == "f32" else np.longdouble
    exact = BINARY[op](x.astype(wide), y.astype(wide))
    check(op, type_, [x, y], actual, exact)


def test_the_table_covers_every_approximation() -> None:
    # Random numbers have tests of their own: test_values_random.py.
    exact = {"arithmetic.ll", "complex.ll", "conversion.ll", "narrow.ll", "random_numbers.ll"}
    names = {"sqrt", "rsqrt", "reciprocal"}
    for path in DIRECTORY.glob("*.ll"):
        if path.name not in exact:
            names |= set(
                re.findall(r"^define .*@nvf\.(\w+)\.f\d\d\(", path.read_text(), re.MULTILINE)
            )
    # Multiplication by a power of two, which others call.
    assert names - {"scale", "scale_native"} == set(TABLE)
    assert all(set(bounds) >= {"f32", "f64"} for bounds in TABLE.values())


def test_the_document_is_current() -> None:
    assert accuracy_table.DOCUMENT.read_text() == accuracy_table.render(), (
        "docs/accuracy.md is not what the tables say: run tests/python/accuracy_table.py"
    )
