"""Every approximating function stays within the ULP that `accuracy.json` states for it."""

from __future__ import annotations

import math
import re
from pathlib import Path

import accuracy_table
import math_oracles as oracles
import numpy as np
import pytest
from accuracy_testing import (
    BINARY,
    HARD,
    binary_inputs,
    check_bound,
    check_narrow,
    double_inputs,
    exact_inputs,
    float_inputs,
    wide_oracle,
)
from float_testing import ulp_errors
from llvm_harness import BASELINE, apply

from nvfuser.llvm import HostTarget, library

TABLE = accuracy_table.load("llvm")
UNARY = [op for op in TABLE if op not in ("pow", "atan2")]
NARROW = re.findall(r"^nvf\.(\w+)_narrow\.f32$", "\n".join(library.symbols()), re.MULTILINE)
TARGETS = [pytest.param(None, id="host"), pytest.param(BASELINE, id="baseline")]
DIRECTORY = Path(library.__file__).parent


def check(op: str, type_: str, inputs: list[np.ndarray], actual: np.ndarray, exact: object) -> None:
    """Compare with the stated bound."""
    check_bound(TABLE[op], op, type_, inputs, actual, np.asarray(exact))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", [op for op in UNARY if op not in ("erfinv", "erfcinv")])
def test_float_over_the_whole_range(op: str, target: HostTarget | None) -> None:
    x = float_inputs(4999 if target is None else 50021)
    actual = apply(f"{op}.f32", x, types=["f32"], target=target)
    check(op, "f32", [x], actual, wide_oracle(op)(x.astype(np.float64)))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", NARROW)
def test_narrow_over_the_whole_range(op: str, target: HostTarget | None) -> None:
    """Relative errors up to 2^-13; what is below 2^-119 may be 0."""
    x = float_inputs(4999 if target is None else 50021)
    actual = apply(f"{op}_narrow.f32", x, types=["f32"], target=target).astype(np.float64)
    check_narrow(op, x, actual, 2.0**-13)


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


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("op", list(BINARY))
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_binary(op: str, type_: str, target: HostTarget | None) -> None:
    count = 200_000 if target is None and type_ == "f32" else 20_000
    x, y = binary_inputs(type_, count)
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
    names = {name for name in names if not name.endswith("_usual")}
    # Multiplication by a power of two, which others call.
    assert names - {"scale", "scale_native"} == set(TABLE)
    assert all(set(bounds) >= {"f32", "f64"} for bounds in TABLE.values())


def test_the_document_is_current() -> None:
    assert accuracy_table.DOCUMENT.read_text() == accuracy_table.render(), (
        "docs/accuracy.md is not what the tables say: run tests/python/helpers/accuracy_table.py"
    )
