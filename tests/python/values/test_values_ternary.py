"""Ternary operations against torch in double precision."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import (
    FLOATS,
    INTEGERS,
    as_default,
    assert_matches,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import FusionDefinition


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("weight", ["tensor", "input", "constant"])
def test_lerp(dtype: torch.dtype, weight: str, device: str) -> None:
    a, b = make_tensor((5, 7), dtype, device), make_tensor((5, 7), dtype, device, seed=1)
    if weight == "tensor":
        w = make_tensor((5, 7), dtype, device, 0, 1, seed=2)
        output = run_one(lambda fd, x, y, z: fd.ops.lerp(x, y, z), [a, b, w])
    elif weight == "input":
        w = 0.3
        output = run_one(lambda fd, x, y, z: fd.ops.lerp(x, y, z), [a, b, w])
    else:
        w = 0.3
        output = run_one(lambda fd, x, y: fd.ops.lerp(x, y, 0.3), [a, b])
    a, b, w = widen(a), widen(b), widen(w)
    assert_matches(output, a + w * (b - a), as_default(dtype), atol=2e-6)


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGERS, *FLOATS, torch.complex64], ids=dtype_id)
def test_where(dtype: torch.dtype, device: str) -> None:
    condition = make_tensor((5, 7), torch.bool, device)
    a, b = make_tensor((5, 7), dtype, device), make_tensor((5, 7), dtype, device, seed=1)
    output = run_one(lambda fd, c, x, y: fd.ops.where(c, x, y), [condition, a, b])
    assert output.dtype == dtype
    assert torch.equal(output, torch.where(condition, a, b))


def test_where_promotes_without_widening_half(device: str) -> None:
    condition = make_tensor((8,), torch.bool, device)
    a = make_tensor((8,), torch.float16, device)
    b = make_tensor((8,), torch.int64, device)
    output = run_one(lambda fd, c, x, y: fd.ops.where(c, x, y), [condition, a, b])
    assert_matches(output, torch.where(condition, a.double(), b), torch.float16)


def test_where_of_two_constants(device: str) -> None:
    condition = make_tensor((8,), torch.bool, device)
    output = run_one(lambda fd, c: fd.ops.where(c, 1.5, -2.0), [condition])
    assert_matches(output, torch.where(condition, 1.5, -2.0).double(), torch.float64)


def test_where_discards_what_is_not_chosen(device: str) -> None:
    a = torch.tensor([1.0, 0.0, float("nan")], device=device)
    output = run_one(lambda fd, x: fd.ops.where(fd.ops.gt(x, 0.0), fd.ops.log(x), 7.0), [a])
    assert output.tolist() == [0.0, 7.0, 7.0]


@pytest.mark.parametrize("shape", [(7, 7), (3, 20), (20, 3), (2, 6, 9), (4, 0)], ids=str)
@pytest.mark.parametrize("compare", ["lt", "le", "gt", "ge", "eq"])
def test_where_of_indices(compare: str, shape: tuple[int, ...], device: str) -> None:
    """Conditions that are lines through the indices, anywhere beside and across the tensor."""
    x = make_tensor(shape, torch.float32, device)
    rows, columns = shape[-2:]
    row = torch.arange(rows, device=device)[:, None].expand(shape)
    column = torch.arange(columns, device=device).expand(shape)
    flags = [True] * (len(shape) - 2)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        ops = fd.ops
        outputs = []
        for offset in (-30, -2, 0, 1, 30):
            i = ops.broadcast(ops.iota(rows, offset), [*flags, False, True])
            j = ops.broadcast(ops.iota(columns), [*flags, True, False])
            outputs.append(ops.where(getattr(ops, compare)(i, ops.add(j, 1)), ops.exp(t), -1.0))
        i = ops.broadcast(ops.iota(rows), [*flags, False, True])
        j = ops.broadcast(ops.iota(columns, 0, 2), [*flags, True, False])
        inside = getattr(ops, compare)(i, j)
        return [*outputs, ops.where(inside, t, ops.neg(t)), ops.where(inside, 2.0, t), inside]

    outputs = run(body, [x])
    for offset, output in zip((-30, -2, 0, 1, 30), outputs, strict=False):
        inside = getattr(torch, compare)(row + offset, column + 1)
        torch.testing.assert_close(output, torch.where(inside, x.exp(), -1.0))
    inside = getattr(torch, compare)(row, 2 * column)
    assert torch.equal(outputs[5], torch.where(inside, x, -x))
    assert torch.equal(outputs[6], torch.where(inside, 2.0, x))
    assert torch.equal(outputs[7].expand(shape), inside)


def test_where_needs_a_bool_condition(device: str) -> None:
    a = make_tensor((5,), torch.float32, device)
    with pytest.raises(RuntimeError, match="Condition should be of DataType Bool"):
        run_one(lambda fd, x: fd.ops.where(x, x, x), [a])


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=dtype_id)
@pytest.mark.parametrize("bounds", [(-1, 2), (None, 2), (-1, None), (None, None), (2, -1)])
def test_clamp(dtype: torch.dtype, bounds: tuple[int | None, int | None], device: str) -> None:
    a = make_tensor((5, 7), dtype, device)
    if dtype is torch.uint8:  # -1 is none of its values
        bounds = tuple(1 if bound == -1 else bound for bound in bounds)
    low, high = bounds
    output = run_one(lambda fd, x: fd.ops.clamp(x, low, high), [a])
    reference = a if bounds == (None, None) else torch.clamp(a, low, high)
    assert output.dtype == dtype
    assert torch.equal(output, reference)


def test_clamp_keeps_nan_and_limits_infinity(device: str) -> None:
    a = torch.tensor([float("nan"), float("inf"), float("-inf"), 0.5], device=device)
    output = run_one(lambda fd, x: fd.ops.clamp(x, -1.0, 1.0), [a])
    torch.testing.assert_close(output, torch.clamp(a, -1.0, 1.0), equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("bounds", [(-0.3, 0.7), (1 + 2**-8, 1 + 3 * 2**-8), (3e38, 3.4e38)])
def test_clamp_rounds_its_limits(
    dtype: torch.dtype, bounds: tuple[float, float], device: str
) -> None:
    a = torch.arange(-(2**15), 2**15, dtype=torch.int16, device=device).view(dtype)
    output = run_one(lambda fd, x: fd.ops.clamp(x, *bounds), [a])
    expected = torch.clamp(a.float(), *bounds).to(dtype)
    torch.testing.assert_close(output, expected, rtol=0, atol=0, equal_nan=True)


def test_clamp_with_scalar_inputs(device: str) -> None:
    a = make_tensor((9,), torch.float32, device)
    output = run_one(lambda fd, x, low, high: fd.ops.clamp(x, low, high), [a, -1.0, 1.5])
    assert torch.equal(output, torch.clamp(a, -1.0, 1.5))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=dtype_id)
def test_threshold(dtype: torch.dtype, device: str) -> None:
    a = make_tensor((5, 7), dtype, device)
    output = run_one(lambda fd, x: fd.ops.threshold(x, 1, 20), [a])
    assert output.dtype == dtype
    assert torch.equal(output, torch.nn.functional.threshold(a, 1, 20))


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS], ids=dtype_id)
@pytest.mark.parametrize("alpha", [2, 0.5], ids=["int", "float"])
def test_addcmul(dtype: torch.dtype, alpha: float, device: str) -> None:
    if not dtype.is_floating_point and isinstance(alpha, float):
        alpha = 3
    a, b, c = (make_tensor((5, 7), dtype, device, seed=seed) for seed in range(3))
    output = run_one(lambda fd, x, y, z: fd.ops.addcmul(x, y, z, alpha), [a, b, c])
    reference = widen(a) + alpha * widen(b) * widen(c)
    assert_matches(output, reference, as_default(dtype), atol=4e-6)


def test_ternary_of_mixed_ranks(device: str) -> None:
    condition = make_tensor((4, 1), torch.bool, device)
    a, b = make_tensor((3, 1, 5), torch.float32, device), make_tensor((5,), torch.float32, device)
    output = run_one(lambda fd, c, x, y: fd.ops.where(c, x, y), [condition, a, b])
    assert torch.equal(output, torch.where(condition, a, b))
