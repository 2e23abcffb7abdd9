"""Cross-entropies and the like: the maximum and the sum of exponentials in one pass over memory."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import emulation
import pytest
import torch
from test_emulated_positions import plan
from torch.nn import functional

import nvfuser

Function = Callable[..., Any]
INFINITY = float("inf")


def cross_entropy(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return functional.cross_entropy(x.float(), y, reduction="none")


def logsumexp(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(x.float(), -1)


def without_bounds(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Of infinite elements it has no value, unlike logsumexp."""
    maximum = x.float().amax(-1, keepdim=True)
    return (x - maximum).exp().sum(-1).log() + maximum[:, 0]


def masked(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    mask = torch.arange(x.shape[1])[None, :] < y[:, None]
    return torch.logsumexp(torch.where(mask, x.float() * 2 + 1, -INFINITY), -1)


def of_columns(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(x.float(), 0)


def of_all(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.logsumexp(x.float(), (0, 1))


def beside_others(x: torch.Tensor, y: torch.Tensor) -> Any:
    wide = x.float()
    return torch.logsumexp(wide, -1), wide.abs().sum(-1), (wide * wide).amax(-1)


FUNCTIONS = [
    cross_entropy,
    logsumexp,
    without_bounds,
    masked,
    of_columns,
    of_all,
    beside_others,
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("shape", [(3, 7), (5, 64), (4, 1000), (3, 5003), (2, 16400), (300, 3)])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values(
    planning_device: str,
    function: Function,
    shape: tuple[int, int],
    dtype: torch.dtype,
    special: bool,
    dynamic: bool,
) -> None:
    x = (torch.randn(shape) * 10).to(dtype)
    if special:
        x[0] = -INFINITY
        x[1, 1] = INFINITY
        x[-1, 0] = -INFINITY
        if shape[0] > 3:
            x[2, 2] = float("nan")
    y = torch.randint(shape[1], (shape[0],))
    with emulation.emulated_device(), torch.no_grad():
        output = nvfuser.jit(function, dynamic=dynamic)(x, y)
    torch.testing.assert_close(output, function(x, y), rtol=3e-6, atol=3e-6, equal_nan=True)


def test_far_apart_values_do_not_overflow(planning_device: str) -> None:
    x = torch.tensor([[1e4, -1e4, 3e38, 0.0], [-3e38, -3e38, -1e30, -3e38], [88.0, 89.0, 0.0, 1.0]])
    x = x.repeat_interleave(700, 1)
    with emulation.emulated_device(), torch.no_grad():
        output = nvfuser.jit(lambda x: torch.logsumexp(x, -1))(x)
    torch.testing.assert_close(output, torch.logsumexp(x, -1))


@pytest.mark.parametrize("columns", [1000, 16384, 50257, 262144])
def test_rows_are_read_once(kernels: list[str], columns: int) -> None:
    x = torch.zeros(600, columns, dtype=torch.bfloat16)
    (text,) = plan(kernels, cross_entropy, x, torch.zeros(600, dtype=torch.int64))
    assert "nvf::merge_exponentials_of<8>(" in text
    assert len(re.findall(r"nvf::load_\w+_streaming<8>", text)) == 1
    # No row is kept, and no thread waits twice for the others.
    assert "copy_async" not in text
    assert text.count("nvf::block_reduce<") == 1


def test_the_element_of_a_class_is_on_its_way_early(kernels: list[str]) -> None:
    x = torch.zeros(15000, 4096, dtype=torch.bfloat16)
    (text,) = plan(kernels, cross_entropy, x, torch.zeros(15000, dtype=torch.int64))
    lookup = re.search(r"T\d+(?:\[0\])? = T1\[i\d+\];", text)
    assert lookup is not None
    # In front of what it does with the row, for which it would wait otherwise.
    assert lookup.start() < text.index("merge_exponentials_of") < text.index("nvf::block_reduce<")


@pytest.mark.parametrize("function", [torch.softmax, torch.log_softmax])
def test_what_keeps_its_rows_needs_no_second_pass(kernels: list[str], function: Function) -> None:
    (text,) = plan(kernels, lambda x: function(x, -1), torch.zeros(150, 4096))
    assert "exponentials" not in text


def test_only_vectors_at_the_ends_of_rows_have_conditions(kernels: list[str]) -> None:
    x = torch.zeros(150, 5003, dtype=torch.bfloat16)
    (text,) = plan(kernels, lambda x: x.float().sum(-1), x)
    whole, _, partial = text.partition("else {")
    assert re.search(r"if \(i\d+ >= 0 && i\d+ < 5003\) \{\s+#pragma unroll", whole)
    assert "(unsigned)i" not in whole
    assert partial.count("< (unsigned)5003") == 1
