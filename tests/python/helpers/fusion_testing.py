"""Helpers of the value tests: define a fusion over given inputs, run it, compare with torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser import DataType, FusionDefinition

NVFUSER_DTYPES = {
    torch.float64: DataType.Double,
    torch.float32: DataType.Float,
    torch.float16: DataType.Half,
    torch.bfloat16: DataType.BFloat16,
    torch.int64: DataType.Int,
    torch.int32: DataType.Int32,
    torch.int16: DataType.Int16,
    torch.int8: DataType.Int8,
    torch.uint8: DataType.UInt8,
    torch.uint16: DataType.UInt16,
    torch.uint32: DataType.UInt32,
    torch.uint64: DataType.UInt64,
    torch.bool: DataType.Bool,
    torch.complex64: DataType.ComplexFloat,
    torch.complex128: DataType.ComplexDouble,
    torch.float8_e4m3fn: DataType.Float8_e4m3fn,
    torch.float8_e5m2: DataType.Float8_e5m2,
    torch.float8_e8m0fnu: DataType.Float8_e8m0fnu,
}
SCALAR_DTYPES = {
    bool: DataType.Bool,
    int: DataType.Int,
    float: DataType.Double,
    complex: DataType.ComplexDouble,
}

FLOATS = [torch.float64, torch.float32, torch.float16, torch.bfloat16]
# Those of indices, and all that torch computes with.
INDICES = [torch.int64, torch.int32]
INTEGERS = [*INDICES, torch.int16, torch.int8, torch.uint8]
COMPLEX = [torch.complex64, torch.complex128]
REDUCED = [torch.float16, torch.bfloat16]

# Relative error of one rounding of a result that was computed in at least Float.
RTOL = {
    torch.float64: 1e-13,
    torch.float32: 4e-6,
    torch.float16: 1e-3,
    torch.bfloat16: 8e-3,
    torch.complex64: 1e-5,
    torch.complex128: 1e-13,
}
ATOL = {
    torch.float64: 1e-14,
    torch.float32: 1e-6,
    torch.float16: 1e-6,
    torch.bfloat16: 1e-6,
    torch.complex64: 1e-6,
    torch.complex128: 1e-14,
}


def dtype_id(value: Any) -> str | None:
    """Return the short name of a dtype for the id of a test."""
    return str(value).removeprefix("torch.") if isinstance(value, torch.dtype) else None


def declare(fd: FusionDefinition, value: Any, static_sizes: bool = False) -> Any:
    """Declare an input like `value`."""
    if isinstance(value, torch.Tensor):
        return fd.define_tensor(
            sizes=list(value.size()),
            strides=list(value.stride()),
            dtype=NVFUSER_DTYPES[value.dtype],
            static_sizes=static_sizes,
        )
    return fd.define_scalar(dtype=SCALAR_DTYPES[type(value)])


def define(
    body: Callable[..., Any], inputs: Sequence[Any], static_sizes: bool = False
) -> FusionDefinition:
    """Return a fusion with an input for each of `inputs` and what `body(fd, *inputs)` returns."""
    with FusionDefinition() as fd:
        results = body(fd, *[declare(fd, value, static_sizes) for value in inputs])
        for result in results if isinstance(results, (list, tuple)) else [results]:
            fd.add_output(result)
    return fd


def run(
    body: Callable[..., Any], inputs: Sequence[Any], static_sizes: bool = False
) -> list[torch.Tensor]:
    """Define a fusion as `define` does and run it."""
    return define(body, inputs, static_sizes).execute(inputs)


def run_one(body: Callable[..., Any], inputs: Sequence[Any]) -> torch.Tensor:
    """As `run`, of a fusion with one output."""
    (output,) = run(body, inputs)
    return output


def widen(value: Any) -> Any:
    """Return a floating-point or complex tensor in double precision, anything else as it is."""
    if isinstance(value, torch.Tensor):
        if value.is_complex():
            return value.to(torch.complex128)
        if value.is_floating_point():
            return value.to(torch.float64)
    return value


def assert_matches(
    output: torch.Tensor,
    reference: torch.Tensor,
    dtype: torch.dtype,
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> None:
    """Compare an output, expected to be of `dtype`, with a reference in double precision.

    Both are compared in the reference's precision, after the reference was rounded to `dtype`;
    the tolerances default to one rounding of `dtype`. Other types must be equal.
    """
    assert output.dtype == dtype, f"expected {dtype}, got {output.dtype}"
    assert output.shape == reference.shape, f"expected {reference.shape}, got {output.shape}"
    reference = reference.to(output.device)
    if dtype not in RTOL:
        torch.testing.assert_close(output, reference.to(dtype), rtol=0, atol=0)
        return
    wide = torch.complex128 if dtype.is_complex else torch.float64
    torch.testing.assert_close(
        output.to(wide),
        reference.to(dtype).to(wide),
        rtol=RTOL[dtype] if rtol is None else rtol,
        atol=ATOL[dtype] if atol is None else atol,
        equal_nan=True,
    )


def make_tensor(
    shape: Sequence[int],
    dtype: torch.dtype,
    device: str,
    low: float = -4.0,
    high: float = 4.0,
    seed: int = 0,
) -> torch.Tensor:
    """Return a tensor of random values between `low` and `high`."""
    generator = torch.Generator().manual_seed(seed)
    if dtype is torch.bool:
        return torch.randint(0, 2, tuple(shape), generator=generator).to(device, dtype)
    if not (dtype.is_floating_point or dtype.is_complex):
        least = max(int(low), torch.iinfo(dtype).min)
        integers = torch.randint(least, int(high) + 1, tuple(shape), generator=generator)
        return integers.to(device, dtype)

    def real() -> torch.Tensor:
        values = torch.rand(tuple(shape), generator=generator, dtype=torch.float64)
        return values * (high - low) + low

    values = torch.complex(real(), real()) if dtype.is_complex else real()
    return values.to(device, dtype)


def whole_numbers(*shape: int) -> torch.Tensor:
    """Some of which sums are exact, in double precision."""
    generator = torch.Generator().manual_seed(0)
    return torch.randint(-4, 5, shape, generator=generator).double()


def as_default(dtype: torch.dtype) -> torch.dtype:
    """Return what arithmetic makes of `dtype`: reduced precision becomes Float."""
    return torch.float32 if dtype in REDUCED else dtype


def as_float(dtype: torch.dtype) -> torch.dtype:
    """Return what functions of real numbers make of `dtype`: also integers become Float."""
    is_wide = dtype.is_complex or dtype is torch.float64
    return dtype if is_wide else torch.float32
