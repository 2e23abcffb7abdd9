"""What the device library adds to CUDA's functions stays within the ULP that are stated.

The hardware's approximate instructions are off by as much as CUDA allows, in either direction; in
place of CUDA's functions of double stand those of the C library. All functions as they are on a
GPU: tests/python/cuda/test_cuda_accuracy.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import accuracy_table
import emulation
import math_oracles as oracles
import numpy as np
import pytest
from accuracy_testing import (
    check_bound,
    check_narrow,
    computed,
    double_inputs,
    float_inputs,
    narrow_functions,
    narrow_inputs,
    wide_oracle,
)

TABLE = accuracy_table.load("cuda")
OWN = [op for op, entry in TABLE.items() if entry.get("own")]
STRIDE = 200_003


@pytest.fixture(autouse=True)
def without_warnings() -> Iterator[None]:
    """Oracles and inputs overflow, and are NaN, where functions do and are."""
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def inaccuracies() -> Iterator[Iterator[float]]:
    """Make the approximate instructions as inaccurate as they may be, one way and the other."""

    def each() -> Iterator[float]:
        for part in (-1.0, 0.0, 1.0):
            emulation.set_inaccuracy(part)
            yield part

    yield each()
    emulation.set_inaccuracy(0.0)


@pytest.mark.parametrize("op", OWN)
def test_float_over_the_whole_range(op: str, device: str, inaccuracies: Iterator[float]) -> None:
    x = float_inputs(STRIDE)
    exact = wide_oracle(op)(x.astype(np.float64))
    for part in inaccuracies:
        actual = computed(op, [x], device)
        check_bound(TABLE[op], f"{op}, {part:+g},", "f32", [x], actual, exact)


def test_instructions_are_as_inaccurate_as_asked(
    device: str, inaccuracies: Iterator[float]
) -> None:
    x = np.linspace(-20, 20, 1001, dtype=np.float32)
    results = [computed("sigmoid", [x], device) for _ in inaccuracies]
    assert not np.array_equal(results[0], results[1])
    assert not np.array_equal(results[1], results[2])


@pytest.mark.parametrize("op", [op for op in OWN if op in oracles.WIDE])
def test_double(op: str, device: str) -> None:
    x = double_inputs(4_000)
    exact = oracles.WIDE[op](x.astype(np.longdouble))
    check_bound(TABLE[op], op, "f64", [x], computed(op, [x], device), exact)


def test_double_gelu_tanh(device: str) -> None:
    random = np.random.default_rng(20240610)
    x = np.concatenate([random.uniform(-30, 30, 300), random.uniform(-1, 1, 100)])
    actual = computed("gelu_tanh", [x], device)
    exact = oracles.exact("gelu_tanh", x)
    check_bound(TABLE["gelu_tanh"], "gelu_tanh", "f64", [x], actual, exact)


def test_narrow_over_the_whole_range(device: str, inaccuracies: Iterator[float]) -> None:
    for _ in inaccuracies:
        for op in narrow_functions():
            x = narrow_inputs(op, STRIDE)
            actual = computed(op, [x], device, narrow=True)
            # In the end rounded to bfloat16, which adds up to 2^-8.
            check_narrow(op, x, actual.astype(np.float64), 2.0**-8 + 2.0**-13)


@pytest.mark.parametrize("type_", ["f32", "f64"])
def test_powers_by_multiplication(type_: str, device: str) -> None:
    dtype = np.float32 if type_ == "f32" else np.float64
    x = np.exp(np.random.default_rng(5).uniform(-20, 20, 2000)).astype(dtype)
    x = np.concatenate([x, -x])
    wide = np.float64 if type_ == "f32" else np.longdouble
    for exponent in (2.0, 3.0):
        y = np.full(x.shape, exponent, dtype)
        exact = x.astype(wide) ** wide(exponent)
        check_bound(TABLE["pow"], "pow", type_, [x, y], computed("pow", [x, y], device), exact)


@pytest.mark.parametrize("op", ["gelu", "gelu_tanh", "silu"])
def test_activations_at_the_ends(op: str, device: str) -> None:
    x = np.array([math.inf, -math.inf, math.nan, 0.0, -0.0], np.float32)
    actual = computed(op, [x], device)
    np.testing.assert_array_equal(actual, [math.inf, math.nan, math.nan, 0.0, -0.0])
    assert list(np.signbit(actual[3:])) == [False, True]
