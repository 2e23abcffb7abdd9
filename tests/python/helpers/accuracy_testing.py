"""Where functions are sampled, and how results are compared with the bounds of `accuracy.json`."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import math_oracles as oracles
import numpy as np
from float_testing import all_floats, special_floats, ulp_errors

BINARY = {"pow": np.power, "atan2": np.arctan2}

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


def binary_inputs(type_: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of operands: any bits, moderate and whole numbers, special ones with each other."""
    random = np.random.default_rng(20240609)
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
    return x, y


def wide_oracle(op: str) -> Callable[[np.ndarray], np.ndarray]:
    """What computes the exact results for arguments of float32."""
    return oracles.WIDE.get(op) or oracles.DOUBLE[op]


def check_bound(
    entry: dict[str, Any],
    op: str,
    type_: str,
    inputs: list[np.ndarray],
    actual: np.ndarray,
    exact: np.ndarray,
) -> None:
    """Compare with the bound that the entry of a table states, and the signs of zeros.

    Where the entry says that results are 0 below some argument, they are that, or right.
    """
    vanishing = np.zeros(actual.shape, bool)
    if type_ in entry.get("zero_below", {}):
        vanishing = (inputs[0] < entry["zero_below"][type_]) & (actual == 0) & (inputs[0] > -np.inf)
    errors = np.where(vanishing, 0.0, ulp_errors(actual, exact))
    worst = int(np.argmax(errors))
    arguments = ", ".join(repr(float(x[worst])) for x in inputs)
    assert errors[worst] <= entry[type_], (
        f"{op}({arguments}) = {float(actual[worst])!r}, not {float(exact[worst])!r}: "
        f"{errors[worst]:.3f} ULP, stated {entry[type_]}"
    )
    zeros = (exact == 0) & (actual == 0)
    assert np.array_equal(np.signbit(exact[zeros]), np.signbit(actual[zeros]))


def check_narrow(op: str, x: np.ndarray, actual: np.ndarray, bound: float) -> None:
    """Compare relative errors with a bound; what is below 2^-119 may be 0."""
    exact = wide_oracle(op)(x.astype(np.float64)).astype(np.float64)
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
    assert errors[worst] <= bound, f"{op}({x[normal][worst]!r}) = {actual[normal][worst]!r}"


# ---------------------------------------------------------------- the CUDA device library


def computed(
    op: str, arguments: list[np.ndarray], device: str, *, narrow: bool = False
) -> np.ndarray:
    """Apply an operation by a fusion; with `narrow` the result is rounded to bfloat16 in it."""
    import torch
    from fusion_testing import run_one

    from nvfuser import DataType

    def body(fd: Any, *tensors: Any) -> Any:
        if op == "gelu_tanh":
            result = fd.ops.gelu(*tensors, approximate="tanh")
        else:
            result = getattr(fd.ops, op)(*tensors)
        return fd.ops.cast(result, DataType.BFloat16) if narrow else result

    output = run_one(body, [torch.from_numpy(x).to(device) for x in arguments])
    return np.asarray((output.float() if narrow else output).cpu().numpy())


def narrow_functions() -> list[str]:
    """The functions that have a cheaper form for results of 16 bits."""
    from nvfuser.cuda import library

    ending = "_narrow_f32"
    names = [name.removesuffix(ending) for name in library.names() if name.endswith(ending)]
    return [name for name in names if name != "div"]


def narrow_inputs(op: str, stride: int) -> np.ndarray:
    """Float32 values over the range, but where rounding to bfloat16 decides what overflows."""
    x = float_inputs(stride)
    with np.errstate(all="ignore"):
        size = np.abs(wide_oracle(op)(x.astype(np.float64)).astype(np.float64))
    return x[~((size > 3.3e38) & (size < 3.5e38))]
