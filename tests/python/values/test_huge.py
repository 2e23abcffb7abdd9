"""Fusions much larger than usual: right values, and kernels that do not outgrow them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import make_tensor, run_one


@pytest.mark.parametrize("parts", [40, 100])
def test_cat_of_many(parts: int, device: str) -> None:
    tensors = [make_tensor((3, 1 + k % 4), torch.float32, device, seed=k) for k in range(parts)]

    def body(fd: Any, *inputs: Any) -> Any:
        return fd.ops.cat([fd.ops.mul(x, float(k)) for k, x in enumerate(inputs)], 1)

    expected = torch.cat([x * float(k) for k, x in enumerate(tensors)], 1)
    torch.testing.assert_close(run_one(body, tensors), expected, rtol=0, atol=0)


def test_cat_of_many_along_two_dimensions(device: str) -> None:
    rows = [
        [make_tensor((2, 1 + (j + k) % 3), torch.float32, device, seed=9 * j + k) for k in range(9)]
        for j in range(9)
    ]

    def body(fd: Any, *inputs: Any) -> Any:
        wide = [fd.ops.cat(list(inputs[9 * j : 9 * j + 9]), 1) for j in range(9)]
        return fd.ops.neg(fd.ops.cat(wide, 0))

    expected = -torch.cat([torch.cat(row, 1) for row in rows], 0)
    result = run_one(body, [x for row in rows for x in row])
    torch.testing.assert_close(result, expected, rtol=0, atol=0)


def test_hundreds_of_functions(device: str) -> None:
    x = make_tensor((5, 37), torch.float32, device)

    def apply(ops: Any, start: Any) -> Any:
        value = start
        for _ in range(60):
            # No step is steeper than 1: errors do not grow.
            value = ops.tanh(ops.add(ops.sin(value), start))
        return value

    result = run_one(lambda fd, value: apply(fd.ops, value), [x])
    torch.testing.assert_close(result, apply(torch, x), rtol=1e-4, atol=1e-5)


def test_parts_of_one_tensor_in_another_order(device: str) -> None:
    x = make_tensor((3, 80), torch.float32, device)
    starts = [2 * ((7 * k) % 40) for k in range(40)]

    def body(fd: Any, value: Any) -> Any:
        return fd.ops.cat(
            [fd.ops.neg(fd.ops.slice(value, [0, start], [3, start + 2])) for start in starts], 1
        )

    expected = -torch.cat([x[:, start : start + 2] for start in starts], 1)
    torch.testing.assert_close(run_one(body, [x]), expected, rtol=0, atol=0)


def test_reshapes_of_reshapes(device: str) -> None:
    # Each splits and merges what the one before did: there are 2^40 ways back.
    x = make_tensor((8, 6), torch.float32, device)

    def body(fd: Any, value: Any) -> Any:
        for k in range(40):
            value = fd.ops.neg(fd.ops.reshape(value, [6, 8] if k % 2 == 0 else [8, 6]))
        return value

    torch.testing.assert_close(run_one(body, [x]), x, rtol=0, atol=0)


def test_diamonds_of_diamonds(device: str) -> None:
    x = make_tensor((2, 5), torch.float32, device)

    def body(fd: Any, value: Any) -> Any:
        for _ in range(60):
            value = fd.ops.mul(fd.ops.add(fd.ops.neg(value), fd.ops.abs(value)), 0.5)
        return value

    expected = x
    for _ in range(60):
        expected = (-expected + expected.abs()) * 0.5
    torch.testing.assert_close(run_one(body, [x]), expected, rtol=0, atol=0)
