"""Operations on numbers of 16 bits, which are rounded as such: to what eager torch rounds to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import planned

import nvfuser

Function = Callable[..., Any]
DTYPES = [torch.float16, torch.bfloat16]


def sums(x: Any, y: Any) -> Any:
    return (x + y) * x - y, x * 0.5 - 3, x * y


def extremes(x: Any, y: Any) -> Any:
    return torch.maximum(x * y, y - x), torch.minimum(x + y, x)


def broadcasts(x: Any, y: Any) -> Any:
    return x * y[0] + y[:, :1]


def all_of(dtype: torch.dtype) -> torch.Tensor:
    """Return the numbers of a dtype: all of them, denormal ones, infinities and NaN included."""
    return torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16).view(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [sums, extremes, broadcasts])
def test_values(device: str, function: Function, dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    numbers = all_of(dtype).view(256, 256)
    order = torch.randperm(numbers.numel())
    x, y = numbers, numbers.view(-1)[order].view(256, 256)
    results = nvfuser.jit(function)(x.to(device), y.to(device))
    torch.testing.assert_close(results, function(x, y), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [sums, extremes, broadcasts])
def test_each_is_one_instruction(
    kernels: list[str], function: Function, dtype: torch.dtype
) -> None:
    x = torch.empty(64, 64, dtype=dtype)
    (text,) = planned(kernels, function, x, x)
    name = str(dtype).removeprefix("torch.").replace("float16", "half").replace("bhalf", "bfloat16")
    assert f"_{name}(" in text
    assert not re.search(rf"nvf::from_{name}\(", text)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numbers_that_are_none_of_the_dtype_are_those_of_float(
    kernels: list[str], dtype: torch.dtype
) -> None:
    (text,) = planned(kernels, lambda x: x * 0.1 + 1e-9, torch.empty(64, 64, dtype=dtype))
    assert not re.search(r"nvf::(add|mul)_(half|bfloat16)\(", text)
    (text,) = planned(kernels, lambda x: (x.float() * x + 1).sum(1), torch.empty(64, 64).to(dtype))
    assert not re.search(r"nvf::(add|mul)_(half|bfloat16)\(", text)
