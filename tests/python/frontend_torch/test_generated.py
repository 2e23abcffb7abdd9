"""Operators that programs use beside their models are generated, not left to torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional

import nvfuser

BYTES = torch.arange(60, dtype=torch.uint8).reshape(5, 12) * 7
IMAGE = torch.linspace(-2, 2, 3 * 8 * 6 * 10).reshape(3, 8, 6, 10).sin()


def stacked(x: torch.Tensor) -> list[torch.Tensor]:
    parts = [x, x * 2, x.exp()]
    return [
        torch.stack(parts, 1).sum(1),
        torch.stack(parts).mean(0),
        torch.stack(parts, -1).amax(-1, keepdim=True),
        torch.stack(parts).amin(0),
        torch.stack(parts).prod(0),
        torch.stack([x.sum(), x.amax()]).sum(),
        torch.stack([x > 0, x < 1]).sum(0),
        torch.stack([x.half(), x.half() * 2]).sum(0),
        torch.stack([x]).sum(0),
        torch.stack(parts).sum((0, 1)),
    ]


def counted(x: torch.Tensor) -> list[torch.Tensor]:
    """Numbers that fit 32 bits and such that do not, and positions at the ends."""
    i = torch.arange(7)
    near = (i[:, None] * 3 - i[None] * 5).abs()
    places = ((torch.arange(14) + 0.5) * 0.5 - 0.5).clamp(min=0).long()
    return [
        (i * 3_000_000_000 > 9_000_000_000).float() + x[0, 0, 0, :7],
        torch.where((i - 3) % 3 == 1, (i - 3) // 2, -i).float() * 2.5,
        (i << 40).float() + (i * 2**31 - 2**33).float(),
        near.float().sum(1) + (near < 7).float().sum(0),
        x[0, :, :, 9 - torch.arange(10)],
        x[0, places % 8],
        x[0, torch.minimum(places + 1, torch.tensor(6))],
        x[0, -torch.arange(1, 5)],
        (i * i * 70_000 * 70_000).float(),
        torch.where(i < 3, i, i + 2**31).double(),
    ]


FUNCTIONS: dict[str, tuple[Callable[..., Any], torch.Tensor]] = {
    "numbers of few and many bits": (counted, IMAGE),
    "shifts by operators": (lambda x: (x >> 4, x << 1, x.int() >> 2), BYTES),
    "shifts by tensors": (lambda x: x.int() << (x % 5).int(), BYTES),
    "numbers of steps of 0.5": (lambda x: x[:, 0, 0, :7] + torch.arange(0, 3.5, 0.5), IMAGE),
    "from false": (
        lambda x: x[0, 0, 0, :1] + torch.arange(False, True, True, dtype=x.dtype),
        IMAGE,
    ),
    "floating numbers": (lambda x: x * torch.arange(10, dtype=torch.float32), IMAGE),
    "half numbers": (lambda x: x.half() * torch.arange(1, 11, dtype=torch.float16), IMAGE),
    "numbers of an interval": (lambda x: x * torch.linspace(2, 6, 10), IMAGE),
    "one number": (lambda x: x * torch.linspace(2, 6, 1), IMAGE),
    "bilinear": (lambda x: functional.interpolate(x, scale_factor=2, mode="bilinear"), IMAGE),
    "bilinear corners": (
        lambda x: functional.interpolate(x, size=(9, 7), mode="bilinear", align_corners=True),
        IMAGE.contiguous(memory_format=torch.channels_last),
    ),
    "rows and columns": (
        lambda x: x[:, :, torch.tensor([[0], [-1]]), torch.tensor([3, 1, -2])],
        IMAGE,
    ),
    "stacked and reduced": (stacked, IMAGE),
    "turned along two dimensions": (lambda x: x.relu().roll((-2, 3), (1, 2)) + x, IMAGE),
    "turned in another order": (lambda x: x.roll((1, 2), (2, 1)), IMAGE),
    "turned twice": (lambda x: x.roll((1, 2), (1, 1)), IMAGE),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name: str, compiled: Callable[..., Any]) -> None:
    function, x = FUNCTIONS[name]
    with torch.no_grad():
        for way in (compiled(function), nvfuser.jit(function)):
            torch.testing.assert_close(way(x), function(x), rtol=1e-3, atol=1e-4)


def test_positions_of_both_dimensions_are_put(compiled: Callable[..., Any]) -> None:
    def put(x: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        y[:, :, rows, columns] = 5.0
        return y

    rows, columns = torch.tensor([[0], [4]]), torch.tensor([3, 1, 7])
    with torch.no_grad():
        result = compiled(put)(IMAGE, rows, columns)
    torch.testing.assert_close(result, put(IMAGE, rows, columns))


def test_a_reduced_stack_is_not_written() -> None:
    def smallest(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([x[:, i : i + 3] for i in range(3)]).amin(0)

    explanation = str(nvfuser.explain(smallest, torch.randn(4, 5)))
    assert explanation.startswith("1 kernel")
    assert "cat" not in explanation


# ------------------------------------------------------------------ steps, and turned slices

VIEWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "flip of a slice": lambda x: x[..., 1:-1, 2:-1].flip(-1) * 0.5,
    "every second": lambda x: x.relu()[..., ::2],
    "every second from 1": lambda x: x.relu()[..., 1::2] + 1,
    "every third row": lambda x: x.relu()[..., ::3, :],
    "both": lambda x: x.relu()[:, :, ::2, ::2],
    "of a slice": lambda x: x[..., :4, :][..., ::2, ::2] + x[..., :4, :][..., 1::2, 1::2],
    "turned slices": lambda x: x[..., 1:, :][..., ::2, 1:].flip(2),
    "turned twice": lambda x: x.relu().flip(-1, -2),
    "steps of steps": lambda x: x[:, 1:5, ::2][..., 3:][..., ::2],
    "reduced": lambda x: (x[..., ::2] * 2).sum(-1),
    "difference": lambda x: x.relu()[..., ::2] - x.relu()[..., 1::2],
}


@pytest.mark.parametrize("name", VIEWS)
def test_steps_and_flips(name: str, compiled: Callable[..., Any]) -> None:
    function = VIEWS[name]
    with torch.no_grad():
        for way in (compiled(function), nvfuser.jit(function)):
            for shape in ((3, 6, 9, 8), (2, 6, 8, 10), (5, 6, 4, 14)):
                x = torch.randn(shape)
                for image in (x, x.contiguous(memory_format=torch.channels_last)):
                    torch.testing.assert_close(way(image), function(image))


def test_positions_beyond_a_slice_are_an_error() -> None:
    def beyond(x: torch.Tensor) -> torch.Tensor:
        return x[:, :4].index_select(1, torch.arange(8)) + 1

    # The input has eight columns, the slice has four.
    with pytest.raises((RuntimeError, IndexError)):
        torch.compile(beyond, backend="nvfuser", dynamic=False)(torch.randn(3, 8))


def test_bytes_that_wrap_around_are_checked_as_positions() -> None:
    """What is known of counted numbers of 64 bits does not hold for these."""

    def looked_up(x: torch.Tensor) -> torch.Tensor:
        return x[(torch.arange(8, dtype=torch.uint8) - 5).long().clamp(min=0)] * 2

    with pytest.raises(RuntimeError, match="Index out of range"):
        nvfuser.jit(looked_up)(IMAGE.flatten()[:20])
    x = IMAGE.flatten()[:256]
    torch.testing.assert_close(nvfuser.jit(looked_up)(x), looked_up(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64])
def test_running_extremes_without_positions_are_generated(dtype: torch.dtype) -> None:
    def extremes(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.cummax(1).values - x, (x * 2).cummin(0).values

    def positions(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = x.cummax(-1)
        return values + 1, indices

    x = (torch.randn(6, 50, generator=torch.Generator().manual_seed(3)) * 20).to(dtype)
    if dtype.is_floating_point:
        x[2, 7] = float("nan")
        x[3, 9] = float("inf")
    for function in (extremes, positions):
        for ours, torchs in zip(nvfuser.jit(function)(x), function(x), strict=True):
            torch.testing.assert_close(ours, torchs, equal_nan=True)
    assert "by torch" not in str(nvfuser.explain(extremes, x))


def test_powers_of_two_are_torchs() -> None:
    x = torch.linspace(-30, 30, 301)
    for dtype in (torch.float32, torch.float64):
        torch.testing.assert_close(nvfuser.jit(lambda x: 2.0**x)(x.to(dtype)), 2.0 ** x.to(dtype))


@pytest.mark.parametrize("exponent", [-7, -6, -5.0, -4, -3, 4, 5.0, 6, 7, math.inf, -math.inf])
def test_whole_powers_are_torchs(exponent: float) -> None:
    """Of what is small, large, negative, no number and nothing; a few factors are multiplied."""
    values = [0.0, -0.0, 1e-30, -1e-7, 0.3, -1.0, 1.7, -12.5, 1e7, 3e38, math.inf, math.nan]
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = torch.tensor(values, dtype=dtype)
        function = nvfuser.jit(lambda x: torch.pow(x, exponent))
        torch.testing.assert_close(function(x), torch.pow(x, exponent), equal_nan=True)
