"""Conversions between float and the storage types are PyTorch's, bit for bit."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch
from float_testing import all_floats
from llvm_harness import BASELINE, TYPES, apply

from nvfuser.llvm import HostTarget

TARGETS = [pytest.param(None, id="host"), pytest.param(BASELINE, id="baseline")]
DTYPES = {
    "half": (torch.float16, "i16"),
    "bfloat16": (torch.bfloat16, "i16"),
    "float8_e4m3fn": (torch.float8_e4m3fn, "i8"),
    "float8_e5m2": (torch.float8_e5m2, "i8"),
    "float8_e8m0fnu": (torch.float8_e8m0fnu, "i8"),
}
E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)


@functools.cache
def inputs() -> np.ndarray:
    """Floats over the whole range, and those about every value of the 16-bit types and midway."""
    codes = torch.arange(65536, dtype=torch.int32).to(torch.int16)
    values = [codes.view(dtype).float().numpy() for dtype in (torch.float16, torch.bfloat16)]
    bits = np.concatenate(values).view(np.uint32).astype(np.int64)
    offsets = (-1, 0, 1, 0x0FFF, 0x1000, 0x1001, 0x7FFF, 0x8000, 0x8001)
    around = np.concatenate([bits + offset for offset in offsets]).astype(np.uint32)
    return np.concatenate([around.view(np.float32), all_floats(4999)])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", list(DTYPES))
def test_rounding_is_pytorchs(name: str, target: HostTarget | None) -> None:
    dtype, integer = DTYPES[name]
    x = inputs()
    actual = apply(f"to_{name}.f32", x, types=["f32"], result=integer, target=target)
    # Beyond float8_e4m3fn, older versions of torch make NaN, the library its largest value.
    reference = np.clip(x, -448, 448) if name == "float8_e4m3fn" else x
    expected = torch.from_numpy(reference).to(dtype)
    expected = expected.view(torch.uint8 if integer == "i8" else torch.uint16)
    nan = np.isnan(x)
    np.testing.assert_array_equal(actual[~nan], expected.numpy()[~nan])
    back = torch.from_numpy(actual[nan]).view(dtype).float()
    assert back.isnan().all()


@pytest.mark.parametrize("target", TARGETS)
def test_rounding_of_what_is_computed_of_narrow_elements(target: HostTarget | None) -> None:
    codes = torch.arange(65536, dtype=torch.int32)
    narrow = [
        codes.to(torch.int16).view(torch.bfloat16).float().numpy(),
        codes[:256].to(torch.uint8).view(torch.float8_e5m2).float().numpy(),
    ]
    numbers = inputs()[~np.isnan(inputs())]
    # What processors make where no operand is a NaN.
    made = np.array([0x7FC00000, 0xFFC00000], np.uint32).view(np.float32)
    x = np.concatenate([*narrow, numbers, made])
    actual = apply("to_bfloat16_unchecked.f32", x, types=["f32"], result="i16", target=target)
    nan = np.isnan(x)
    expected = torch.from_numpy(x).to(torch.bfloat16).view(torch.uint16).numpy()
    np.testing.assert_array_equal(actual[~nan], expected[~nan])
    assert torch.from_numpy(actual[nan]).view(torch.bfloat16).isnan().all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", list(DTYPES))
def test_widening_is_exact(name: str, target: HostTarget | None) -> None:
    dtype, integer = DTYPES[name]
    codes = np.arange(65536 if integer == "i16" else 256).astype(TYPES[integer][1])
    actual = apply(f"from_{name}.f32", codes, types=[integer], result="f32", target=target)
    expected = torch.from_numpy(codes).view(dtype).float().numpy()
    nan = np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(actual), nan)
    np.testing.assert_array_equal(actual.view(np.uint32)[~nan], expected.view(np.uint32)[~nan])


@pytest.mark.parametrize("target", TARGETS)
def test_float4_widening(target: HostTarget | None) -> None:
    codes = np.arange(256, dtype=np.uint8)
    actual = apply("from_float4_e2m1fn.f32", codes, types=["i8"], result="f32", target=target)
    expected = np.where(codes & 8, -1, 1).astype(np.float32) * E2M1[codes & 7]
    np.testing.assert_array_equal(actual.view(np.uint32), expected.view(np.uint32))


@pytest.mark.parametrize("target", TARGETS)
def test_float4_rounding(target: HostTarget | None) -> None:
    dense = np.arange(-8, 8, 2.0**-10, dtype=np.float32)
    x = np.concatenate([dense, inputs()])
    actual = apply("to_float4_e2m1fn.f32", x, types=["f32"], result="i8", target=target)
    finite = np.minimum(np.abs(np.where(np.isnan(x), 6, x)), 6).astype(np.float64)
    upper = np.searchsorted(E2M1, finite)
    lower = np.maximum(upper - 1, 0)
    below, above = finite - E2M1[lower], E2M1[upper] - finite
    nearest = np.where((below < above) | ((below == above) & (lower % 2 == 0)), lower, upper)
    expected = nearest | np.where(np.signbit(x) & ~np.isnan(x), 8, 0)
    np.testing.assert_array_equal(actual, expected.astype(np.uint8))


@pytest.mark.parametrize("name", [*DTYPES, "float4_e2m1fn"])
def test_double_goes_through_float(name: str) -> None:
    integer = "i8" if name == "float4_e2m1fn" else DTYPES[name][1]
    random = np.random.default_rng(5)
    # Just off the middle between two halves: double rounding is visible.
    ties = (1 + 2.0**-11) * (1 + random.choice([-1, 1], 200) * 2.0**-40)
    x = np.concatenate([ties, random.standard_normal(2000) * 10, [np.nan, np.inf, -np.inf, 1e300]])
    single = x.astype(np.float32)
    actual = apply(f"to_{name}.f64", x, types=["f64"], result=integer)
    through = apply(f"to_{name}.f32", single, types=["f32"], result=integer)
    np.testing.assert_array_equal(actual, through)
    wide = apply(f"from_{name}.f64", actual, types=[integer], result="f64")
    narrow = apply(f"from_{name}.f32", actual, types=[integer], result="f32")
    np.testing.assert_array_equal(wide, narrow.astype(np.float64))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("type_", ["f32", "f64"])
@pytest.mark.parametrize("integer", ["i32", "i64", "u64"])
def test_to_integers_saturates(integer: str, type_: str, target: HostTarget | None) -> None:
    dtype = TYPES[integer][1]
    info = np.iinfo(dtype)
    values = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 2147483520.0, 1e9, -1e9, 1e18, 1e30, -1e30]
    x = np.array([*values, np.inf, -np.inf, np.nan], dtype=TYPES[type_][1])
    actual = apply(f"to_{integer}.{type_}", x, types=[type_], result=integer, target=target)
    expected = []
    for value in x.tolist():
        if value != value:
            expected.append(0)
        elif value in (np.inf, -np.inf):
            expected.append(int(info.max) if value > 0 else int(info.min))
        else:
            expected.append(min(max(int(value), int(info.min)), int(info.max)))
    np.testing.assert_array_equal(actual, np.array(expected, dtype=dtype))
