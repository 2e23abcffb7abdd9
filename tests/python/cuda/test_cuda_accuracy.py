"""Every function of the CUDA device library stays within the ULP that `accuracy.json` states.

What of it needs no GPU is in tests/python/emulation/test_emulated_accuracy.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import accuracy_table
import math_oracles as oracles
import numpy as np
import pytest
from accuracy_testing import (
    BINARY,
    binary_inputs,
    check_bound,
    check_narrow,
    computed,
    double_inputs,
    exact_inputs,
    float_inputs,
    narrow_functions,
    narrow_inputs,
    wide_oracle,
)

from nvfuser.cuda import library

TABLE = accuracy_table.load("cuda")
UNARY = [op for op in TABLE if op not in BINARY]
DIRECTORY = Path(library.__file__).parent / "library"
# Whose arguments are not all in the domain of the oracle.
INVERSES = ("erfinv", "erfcinv")


@pytest.fixture(autouse=True)
def without_warnings() -> Iterator[None]:
    """Oracles and inputs overflow, and are NaN, where functions do and are."""
    with np.errstate(all="ignore"):
        yield


def where_stated(op: str, x: np.ndarray) -> np.ndarray:
    """Leave out what the table makes no statement about."""
    low, high = TABLE[op].get("except", (0.0, 0.0))
    return x[~((x > low) & (x < high))]


@pytest.mark.cuda
@pytest.mark.parametrize("op", [op for op in UNARY if op not in INVERSES])
def test_float_over_the_whole_range(op: str, device: str) -> None:
    x = where_stated(op, float_inputs(1499))
    actual = computed(op, [x], device)
    check_bound(TABLE[op], op, "f32", [x], actual, wide_oracle(op)(x.astype(np.float64)))


@pytest.mark.cuda
@pytest.mark.parametrize("op", INVERSES)
def test_float_inverses(op: str, device: str) -> None:
    x = exact_inputs(op, 600).astype(np.float32)
    x = x[(np.abs(x) < 1) if op == "erfinv" else (x > 0) & (x < 2)]
    exact = oracles.exact(op, x.astype(np.float64)).astype(np.float64)
    check_bound(TABLE[op], op, "f32", [x], computed(op, [x], device), exact)


@pytest.mark.cuda
@pytest.mark.parametrize("op", [op for op in UNARY if op in oracles.WIDE])
def test_double(op: str, device: str) -> None:
    x = where_stated(op, double_inputs(60_000))
    exact = oracles.WIDE[op](x.astype(np.longdouble))
    check_bound(TABLE[op], op, "f64", [x], computed(op, [x], device), exact)


@pytest.mark.cuda
@pytest.mark.parametrize("op", list(oracles.EXACT))
def test_double_against_mpmath(op: str, device: str) -> None:
    x = where_stated(op, exact_inputs(op, 600))
    check_bound(TABLE[op], op, "f64", [x], computed(op, [x], device), oracles.exact(op, x))


@pytest.mark.cuda
@pytest.mark.parametrize("op", list(BINARY))
@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_binary(op: str, type_: str, device: str) -> None:
    x, y = binary_inputs(type_, 200_000 if type_ == "f32" else 20_000)
    wide = np.float64 if type_ == "f32" else np.longdouble
    exact = BINARY[op](x.astype(wide), y.astype(wide))
    check_bound(TABLE[op], op, type_, [x, y], computed(op, [x, y], device), exact)


@pytest.mark.cuda
@pytest.mark.parametrize("op", narrow_functions())
def test_narrow_over_the_whole_range(op: str, device: str) -> None:
    x = narrow_inputs(op, 1499)
    # In the end rounded to bfloat16, which adds up to 2^-8.
    actual = computed(op, [x], device, narrow=True).astype(np.float64)
    check_narrow(op, x, actual, 2.0**-8 + 2.0**-13)


def test_the_table_covers_every_function() -> None:
    text = "".join((DIRECTORY / f"math_{t}.cuh").read_text() for t in ("float", "double"))
    names = set(re.findall(r"\b(\w+)_f(?:32|64)\(\w+ \w+", text))
    approximate = {name for name in names if not name.endswith("_narrow")}
    assert approximate | {"sqrt", "reciprocal"} == set(TABLE)
    assert all(set(bounds) >= {"f32", "f64"} for bounds in TABLE.values())


def test_the_table_knows_the_librarys_own_functions() -> None:
    """A function that is more than a call of CUDA's is marked as the library's own."""
    text = (DIRECTORY / "math_float.cuh").read_text()
    names = re.findall(r"inline float (\w+)_f32\(float x\) \{\n?(.*?)\n?\}", text, re.DOTALL)
    own = {name for name, body in names if not re.fullmatch(r" ?return \w+f\(x\); ?", body)}
    marked = {op for op, entry in TABLE.items() if entry.get("own")}
    assert {name for name in own if not name.endswith("_narrow")} == marked
