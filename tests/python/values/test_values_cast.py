"""Casts between every pair of dtypes, fp8 and fp4 storage, triu."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    NVFUSER_DTYPES,
    assert_matches,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

ALL = [torch.bool, *INTEGERS, *FLOATS, *COMPLEX]
FP8 = [torch.float8_e4m3fn, torch.float8_e5m2]
EVERY_BYTE = list(range(256))


def cast(x: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    return run_one(lambda fd, t: fd.ops.cast(t, NVFUSER_DTYPES[dtype]), [x])


@pytest.mark.parametrize("target", ALL, ids=dtype_id)
@pytest.mark.parametrize("source", ALL, ids=dtype_id)
def test_every_pair(source: torch.dtype, target: torch.dtype, device: str) -> None:
    x = make_tensor((5, 37), source, device, -9, 9)
    x[0, 0] = 0
    reference = x
    if source.is_complex and not target.is_complex and target is not torch.bool:
        reference = x.real
        with pytest.warns(UserWarning, match="discards the imaginary part"):
            output = cast(x, target)
    else:
        output = cast(x, target)
    assert output.dtype == target
    assert torch.equal(output, reference.to(target))


@pytest.mark.parametrize("target", [torch.float16, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("source", [torch.float32, torch.float64], ids=dtype_id)
def test_rounding_of_halfway_cases_and_overflow(
    source: torch.dtype, target: torch.dtype, device: str
) -> None:
    eps = torch.finfo(target).eps
    info = torch.finfo(target)
    x = torch.tensor(
        [
            *(1 + eps / 2, 1 + 3 * eps / 2, 1 + eps * 0.51, -1 - eps / 2),
            *(info.max, info.max * 1.01, -info.max * 1.01),
            *(info.tiny, info.tiny / 2, info.tiny / 3, info.tiny * 2**-12),
            *(0.0, -0.0, float("inf"), float("-inf"), float("nan")),
        ],
        dtype=source,
        device=device,
    )
    output = cast(x, target)
    torch.testing.assert_close(output, x.to(target), rtol=0, atol=0, equal_nan=True)
    assert torch.equal(torch.signbit(output[:-1]), torch.signbit(x[:-1]))


def every_pattern(dtype: torch.dtype, device: str) -> torch.Tensor:
    return torch.arange(-(2**15), 2**15, dtype=torch.int16, device=device).view(dtype)


@pytest.mark.parametrize("source", [torch.float16, torch.bfloat16], ids=dtype_id)
def test_every_16_bit_pattern_widens_exactly(source: torch.dtype, device: str) -> None:
    x = every_pattern(source, device)
    output = cast(x, torch.float32)
    torch.testing.assert_close(output, x.float(), rtol=0, atol=0, equal_nan=True)
    back = cast(output, source)
    torch.testing.assert_close(back, x, rtol=0, atol=0, equal_nan=True)


def assert_same_numbers(output: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(output, expected, rtol=0, atol=0, equal_nan=True)
    is_number = ~expected.isnan()
    assert torch.equal(torch.signbit(output)[is_number], torch.signbit(expected)[is_number])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("name", ["abs", "ceil", "floor", "neg", "round", "trunc"])
def test_what_keeps_digits_of_every_16_bit_pattern(
    name: str, dtype: torch.dtype, device: str
) -> None:
    x = every_pattern(dtype, device)

    def body(fd: Any, t: Any) -> Any:
        wide = fd.ops.cast(t, NVFUSER_DTYPES[torch.float32])
        return fd.ops.cast(getattr(fd.ops, name)(wide), NVFUSER_DTYPES[dtype])

    assert_same_numbers(run_one(body, [x]), getattr(torch, name)(x.float()).to(dtype))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=dtype_id)
def test_extremes_of_16_bit_patterns(dtype: torch.dtype, device: str) -> None:
    x = every_pattern(dtype, device)
    y = x.roll(12345)

    def body(fd: Any, x: Any, y: Any) -> list[Any]:
        narrow = NVFUSER_DTYPES[dtype]
        a = fd.ops.cast(x, NVFUSER_DTYPES[torch.float32])
        b = fd.ops.cast(y, NVFUSER_DTYPES[torch.float32])
        # 0.1 is no number of 16 bits.
        results = [fd.ops.maximum(a, b), fd.ops.minimum(a, b), fd.ops.maximum(a, 0.1)]
        return [fd.ops.cast(result, narrow) for result in results]

    results = run(body, [x, y])
    a, b, number = x.float(), y.float(), torch.tensor(0.1, device=device)
    expected = [torch.maximum(a, b), torch.minimum(a, b), torch.maximum(a, number)]
    for result, wide in zip(results, expected, strict=True):
        torch.testing.assert_close(result, wide.to(dtype), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("source", [*FP8, torch.float8_e8m0fnu], ids=dtype_id)
@pytest.mark.parametrize("target", [torch.float32, torch.bfloat16, torch.float64], ids=dtype_id)
def test_every_fp8_pattern_widens_exactly(
    source: torch.dtype, target: torch.dtype, device: str
) -> None:
    x = torch.tensor(EVERY_BYTE, dtype=torch.uint8, device=device).view(source)
    output = cast(x, target)
    torch.testing.assert_close(output, x.to(target), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("source", [torch.float32, torch.float16, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("target", FP8, ids=dtype_id)
def test_narrowing_to_fp8_rounds_like_torch(
    source: torch.dtype, target: torch.dtype, device: str
) -> None:
    values = torch.tensor(EVERY_BYTE, dtype=torch.uint8, device=device).view(target).float()
    finite = values[torch.isfinite(values)].sort().values
    middles = (finite[1:] + finite[:-1]) / 2
    x = torch.cat([finite, middles, middles * 1.001, middles * 0.999]).to(source)
    output = cast(x, target)
    assert torch.equal(output.float(), x.to(target).float())


@pytest.mark.parametrize(
    ("target", "values"),
    [(torch.float8_e4m3fn, [448.0, -448.0]), (torch.float8_e5m2, [float("inf"), -float("inf")])],
    ids=["e4m3-saturates", "e5m2-overflows"],
)
def test_fp8_overflow(target: torch.dtype, values: list[float], device: str) -> None:
    x = torch.tensor([1e6, -1e6], device=device)
    assert cast(x, target).float().tolist() == values


@pytest.mark.parametrize("target", FP8, ids=dtype_id)
def test_fp8_nan(target: torch.dtype, device: str) -> None:
    x = torch.tensor([float("nan"), 1.0], device=device)
    output = cast(x, target).float()
    assert torch.isnan(output).tolist() == [True, False]


@pytest.mark.parametrize("dtype", FP8, ids=dtype_id)
def test_arithmetic_of_fp8_is_in_float(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((5, 9), torch.float32, device).to(dtype)
    y = make_tensor((5, 9), torch.float32, device, seed=1).to(dtype)
    output = run_one(lambda fd, a, b: fd.ops.add(a, b), [x, y])
    assert_matches(output, x.double() + y.double(), torch.float32)


@pytest.mark.parametrize("dtype", FP8, ids=dtype_id)
def test_fp8_passes_through(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((5, 9), torch.float32, device).to(dtype)
    output = run_one(lambda fd, a: fd.ops.permute(fd.ops.set(a), [1, 0]), [x])
    assert output.dtype == dtype
    assert torch.equal(output.view(torch.uint8), x.view(torch.uint8).T)


def test_float_to_integer_truncates(device: str) -> None:
    x = torch.tensor([2.7, -2.7, 0.5, -0.5, 1e9], device=device)
    assert cast(x, torch.int64).tolist() == [2, -2, 0, 0, 1_000_000_000]
    assert cast(x, torch.int32).tolist() == [2, -2, 0, 0, 1_000_000_000]


def test_integers_beyond_the_precision_of_float(device: str) -> None:
    x = torch.tensor([2**53 + 1, -(2**53) - 1, 2**62 + 1], device=device)
    output = run_one(lambda fd, t: fd.ops.add(t, 1), [x])
    assert torch.equal(output, x + 1)


def test_uint64_round_trip(device: str) -> None:
    x = torch.tensor([0, 1, 2**63, 2**64 - 1], dtype=torch.uint64, device=device)
    assert cast(x, torch.int64).tolist() == [0, 1, -(2**63), -1]
    assert cast(x, torch.float64).tolist() == [0.0, 1.0, 2.0**63, 2.0**64]
    y = torch.tensor([0.0, 3.9, 2.0**63], dtype=torch.float64, device=device)
    assert cast(y, torch.uint64).tolist() == [0, 3, 2**63]


def test_bool_is_one_byte_of_zero_or_one(device: str) -> None:
    x = make_tensor((100,), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.gt(t, 0.0), [x])
    assert set(output.view(torch.uint8).tolist()) <= {0, 1}


def test_cast_of_scalars(device: str) -> None:
    x = make_tensor((5,), torch.float64, device)
    output = run_one(
        lambda fd, t, s: fd.ops.mul(t, fd.ops.cast(s, NVFUSER_DTYPES[torch.int64])), [x, 2.7]
    )
    assert_matches(output, x * 2, torch.float64)


def test_chain_of_casts_rounds_in_between(device: str) -> None:
    x = make_tensor((300,), torch.float32, device)
    output = run_one(
        lambda fd, t: fd.ops.cast(
            fd.ops.cast(t, NVFUSER_DTYPES[torch.bfloat16]), NVFUSER_DTYPES[torch.float32]
        ),
        [x],
    )
    assert torch.equal(output, x.bfloat16().float())


@pytest.mark.parametrize("is_constant", [True, False])
def test_unsigned_scalars_beyond_int64(is_constant: bool, device: str) -> None:
    """They are held in the bits of int64, and are not negative as real numbers."""
    unsigned, double = NVFUSER_DTYPES[torch.uint64], NVFUSER_DTYPES[torch.float64]
    complex_double = NVFUSER_DTYPES[torch.complex128]
    x = make_tensor((5,), torch.float64, device)

    def define(fd: Any, t: Any, *s: Any) -> Any:
        value = fd.define_scalar(-1, dtype=unsigned) if is_constant else fd.ops.cast(s[0], unsigned)
        real = fd.ops.add(
            fd.ops.cast(value, double), fd.ops.real(fd.ops.cast(value, complex_double))
        )
        # A size that is computed on the host: 2**64 / 2**62 + 1.
        count = fd.ops.cast(
            fd.ops.div(fd.ops.cast(value, double), 2.0**62), NVFUSER_DTYPES[torch.int64]
        )
        zeros = fd.ops.full([fd.ops.add(count, 1)], 0.0, double)
        return [fd.ops.mul(t, real), zeros]

    scaled, zeros = run(define, [x] if is_constant else [x, -1])
    assert_matches(scaled, x * 2.0**65, torch.float64)
    assert zeros.shape == (5,)


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, torch.bool], ids=dtype_id)
@pytest.mark.parametrize("diagonal", [-3, -1, 0, 1, 9])
def test_triu(dtype: torch.dtype, diagonal: int, device: str) -> None:
    x = make_tensor((2, 5, 7), dtype, device)
    output = run_one(lambda fd, t: fd.ops.triu(t, diagonal), [x])
    assert output.dtype == dtype
    assert torch.equal(output, torch.triu(x, diagonal))


def test_triu_needs_two_dimensions(device: str) -> None:
    x = make_tensor((5,), torch.float32, device)
    with pytest.raises(RuntimeError, match="input tensor for triu must have 2 or more dims"):
        run(lambda fd, t: fd.ops.triu(t), [x])


def test_widen_is_exact(device: str) -> None:
    # The reference's own step: what the tests above rely on.
    x = make_tensor((5,), torch.float16, device)
    assert torch.equal(widen(x).half(), x)
