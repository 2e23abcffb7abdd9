"""Complex functions against NumPy and mpmath, relative to the magnitude of the result."""

from __future__ import annotations

import cmath
from collections.abc import Callable

import mpmath as mp
import numpy as np
import pytest
from llvm_harness import TYPES, apply

# Largest error relative to the magnitude of the result.
BOUNDS = {"c64": 2.0**-22, "c128": 2.0**-48}
PARTS = {"c64": "f32", "c128": "f64"}


def numbers(type_: str, count: int = 120, seed: int = 3) -> np.ndarray:
    """Numbers of all directions and a few magnitudes."""
    random = np.random.default_rng(seed)
    size = np.exp(random.uniform(-4, 2, count))
    values = size * np.exp(1j * random.uniform(-np.pi, np.pi, count))
    return values.astype(TYPES[type_][1])


def _sigmoid(z: mp.mpc) -> mp.mpc:
    return 1 / (1 + mp.exp(-z))


UNARY: dict[str, Callable[[mp.mpc], mp.mpc]] = {
    "exp": mp.exp,
    "exp2": lambda z: mp.power(2, z),
    "expm1": mp.expm1,
    "log": mp.log,
    "log2": lambda z: mp.log(z) / mp.ln(2),
    "log10": lambda z: mp.log(z) / mp.ln(10),
    "log1p": mp.log1p,
    "sqrt": mp.sqrt,
    "rsqrt": lambda z: 1 / mp.sqrt(z),
    "reciprocal": lambda z: 1 / z,
    "sigmoid": _sigmoid,
    "silu": lambda z: z * _sigmoid(z),
    "sign": lambda z: z / abs(z),
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
}


@pytest.mark.parametrize("type_", list(BOUNDS))
@pytest.mark.parametrize("op", list(UNARY))
def test_unary(op: str, type_: str) -> None:
    z = numbers(type_)
    actual = apply(f"{op}.{type_}", z, types=[type_])
    exact = np.array([complex(UNARY[op](mp.mpc(v))) for v in z.tolist()])
    errors = np.abs(actual - exact) / np.abs(exact)
    worst = int(np.argmax(errors))
    assert errors[worst] <= BOUNDS[type_], f"{op}({z[worst]}) = {actual[worst]}, {exact[worst]}"


BINARY: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "truediv": np.divide,
    "pow": np.power,
}


@pytest.mark.parametrize("type_", list(BOUNDS))
@pytest.mark.parametrize("op", list(BINARY))
def test_binary(op: str, type_: str) -> None:
    z, w = numbers(type_), numbers(type_, seed=4)
    actual = apply(f"{op}.{type_}", z, w, types=[type_, type_])
    exact = BINARY[op](z.astype(np.clongdouble), w.astype(np.clongdouble))
    scale = np.abs(z) + np.abs(w) if op in ("add", "sub") else np.abs(exact)
    assert (np.abs(actual - exact) <= BOUNDS[type_] * scale).all()


def test_division_does_not_overflow_early() -> None:
    z = np.array([1e300 + 1e300j, 1e-300 + 1e-300j, 1e308 + 0j])
    actual = apply("div.c128", z, z, types=["c128", "c128"])
    np.testing.assert_allclose(actual, [1, 1, 1], rtol=1e-15)


def test_power_zero_is_one() -> None:
    z = np.array([0, 2 + 1j, complex(np.inf, 0), complex(np.nan, 0)])
    actual = apply("pow.c128", z, np.zeros(4, complex), types=["c128", "c128"])
    np.testing.assert_array_equal(actual, np.ones(4))


GRID = np.array(
    [complex(a, b) for a in (0.0, -0.0, 1.5, -2, np.inf, np.nan) for b in (0.0, -1, np.inf, np.nan)]
)
PREDICATES: dict[str, Callable[[complex], bool]] = {
    "isnan": cmath.isnan,
    "isinf": cmath.isinf,
    "isfinite": cmath.isfinite,
    "isreal": lambda z: z.imag == 0,
    "logical_not": lambda z: z == 0,
}


@pytest.mark.parametrize("type_", list(BOUNDS))
@pytest.mark.parametrize("op", list(PREDICATES))
def test_predicates(op: str, type_: str) -> None:
    actual = apply(f"{op}.{type_}", GRID, types=[type_], result="i1")
    np.testing.assert_array_equal(actual, [PREDICATES[op](z) for z in GRID.tolist()])


@pytest.mark.parametrize("type_", list(BOUNDS))
def test_equality(type_: str) -> None:
    z, w = (g.ravel() for g in np.meshgrid(GRID, GRID))
    equal = apply(f"eq.{type_}", z, w, types=[type_, type_], result="i1")
    np.testing.assert_array_equal(equal, z == w)
    differ = apply(f"ne.{type_}", z, w, types=[type_, type_], result="i1")
    np.testing.assert_array_equal(differ, z != w)


@pytest.mark.parametrize("type_", list(BOUNDS))
def test_parts_and_magnitude(type_: str) -> None:
    z = np.concatenate([numbers(type_), GRID.astype(TYPES[type_][1])])
    part = PARTS[type_]
    real, imag = (apply(f"{op}.{type_}", z, types=[type_], result=part) for op in ("real", "imag"))
    np.testing.assert_array_equal(real, z.real)
    np.testing.assert_array_equal(imag, z.imag)
    size = apply(f"abs.{type_}", z, types=[type_], result=part)
    expected = np.hypot(z.real.astype(np.float64), z.imag.astype(np.float64))
    np.testing.assert_allclose(size, expected, rtol=BOUNDS[type_])
    negated = apply(f"neg.{type_}", z, types=[type_])
    np.testing.assert_array_equal(negated, -z)


def test_overflowing_exponentials_keep_their_limits() -> None:
    actual = apply("sigmoid.c128", np.array([-800 + 1j, 800 + 1j]), types=["c128"])
    np.testing.assert_array_equal(actual, [0, 1])


def test_zero_has_sign_zero() -> None:
    assert apply("sign.c128", np.array([0j]), types=["c128"])[0] == 0
