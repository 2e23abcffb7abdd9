"""Floating-point values that are worth a test, and errors in units in the last place."""

from __future__ import annotations

import numpy as np


def all_floats(stride: int = 1499) -> np.ndarray:
    """Float32 values over all bit patterns in a prime stride, and every special one."""
    bits = np.arange(0, 1 << 32, stride, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([bits.view(np.float32), special_floats()])


def special_floats() -> np.ndarray:
    """Zeros, infinities, NaN, and the neighbourhoods of powers of two and of small integers."""
    powers = np.array([2.0**k for k in range(-149, 128)])
    integers = np.arange(0.0, 300.0, 0.5)
    base = np.concatenate([powers, powers * 1.5, integers, [np.finfo(np.float32).max]])
    base = np.concatenate([base, [0.0, np.inf, np.nan]]).astype(np.float32)
    up = np.nextafter(base, np.float32(np.inf))
    down = np.nextafter(base, np.float32(-np.inf))
    values = np.concatenate([base, up, down])
    return np.concatenate([values, -values])


def ulp_errors(actual: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors in units in the last place of `actual`'s type against a wider `exact`.

    NaN where NaN is expected and infinities that `exact` rounds to count 0; any other
    disagreement about NaN or infinity counts as infinite.
    """
    info = np.finfo(actual.dtype)
    wide = exact.dtype.type
    with np.errstate(all="ignore"):
        magnitude = np.abs(exact)
        _, exponent = np.frexp(np.where(np.isfinite(magnitude), magnitude, 1))
        lowest = int(info.minexp) + 1
        unit = np.ldexp(wide(1), np.maximum(exponent, lowest) - 1 - info.nmant)
        errors = np.abs(actual.astype(exact.dtype) - exact) / unit
        overflow = magnitude >= wide(info.max) + np.ldexp(wide(1), info.maxexp - info.nmant - 2)
        infinite = np.isinf(actual) | overflow
        right = np.sign(exact) * np.where(overflow, np.inf, 1)
        errors = np.where(infinite, np.where(actual == right, 0.0, np.inf), errors)
    both = np.isnan(actual) & np.isnan(exact)
    either = np.isnan(actual) | np.isnan(exact)
    return np.where(both, 0.0, np.where(either, np.inf, errors)).astype(np.float64)
