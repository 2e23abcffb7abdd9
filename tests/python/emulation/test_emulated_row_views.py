"""Rows that are normalized, and then moved as a whole: computed where they lie in the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from test_emulated_positions import plan
from torch.nn import functional as F  # noqa: N812

import nvfuser


def windows(x: torch.Tensor, size: int) -> torch.Tensor:
    batch, height, width, channels = x.shape
    cells = x.view(batch, height // size, size, width // size, size, channels)
    return cells.permute(0, 1, 3, 2, 4, 5).reshape(-1, size * size, channels)


def norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.layer_norm(x, x.shape[-1:], weight, weight * 2)


def kept(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x, windows(x, 4)


CASES: dict[str, tuple[Callable[..., Any], int]] = {
    "windows": (lambda x, w: windows(norm(x, w), 4), 1),
    "shifted": (lambda x, w: windows(torch.roll(norm(x, w), (-2, -1), (1, 2)), 4), 1),
    "permuted": (lambda x, w: norm(x, w).permute(2, 0, 1, 3).contiguous(), 1),
    "softmax": (lambda x, w: torch.softmax(x * w, -1).transpose(0, 1).contiguous(), 1),
    "narrow": (lambda x, w: windows(norm(x, w).bfloat16(), 2), 1),
    # Rows that are divided afterwards are computed first.
    "heads": (lambda x, w: windows(norm(x, w), 4).view(-1, 16, 4, 8).transpose(1, 2) * 1.5, 2),
    "looked up": (lambda x, w: norm(x.view(-1, 32), w)[torch.arange(60) * 3 % 60], 1),
    # What others read as well stays where it is.
    "kept": (lambda x, w: kept(norm(x, w)), 2),
}


@pytest.mark.parametrize("name", CASES)
def test_kernels(name: str, kernels: list[str]) -> None:
    function, most = CASES[name]
    texts = plan(kernels, function, torch.ones(2, 8, 12, 32), torch.ones(32))
    assert len(texts) == most


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_values_on_the_cpu(name: str, dtype: torch.dtype) -> None:
    function, _ = CASES[name]
    x, weight = torch.randn(2, 8, 12, 32).to(dtype), torch.randn(32).to(dtype)
    for dynamic in (False, True):
        result = nvfuser.jit(function, dynamic=dynamic)(x, weight)
        torch.testing.assert_close(result, function(x, weight))


def test_rows_that_are_looked_up_more_often_are_normalized_first(kernels: list[str]) -> None:
    places = torch.arange(4000) % 60
    texts = plan(kernels, lambda x: torch.softmax(x, -1)[places], torch.ones(60, 512))
    assert len(texts) == 2


# What rows are computed of beside the image: a tensor of the given shape, which is looked at in the
# same way as the image, stays as it is, or keeps the rows where they are.
BESIDE = [
    (2, 8, 12, 32),
    (2, 8, 12, 1),
    (2, 1, 1, 32),
    (1, 8, 12, 32),
    (8, 12, 32),
    (12, 32),
    (1, 1, 1, 32),
    (1, 1, 1, 1),
    (2, 8, 1, 32),
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("shape", BESIDE)
def test_what_is_beside_the_image(shape: tuple[int, ...], dynamic: bool) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        rows = torch.softmax(x * y, -1) + F.layer_norm(x - y, (32,))
        return windows(torch.roll(rows, (-3, 2), (1, 2)), 4)

    x, y = torch.randn(2, 8, 12, 32), torch.randn(shape)
    torch.testing.assert_close(nvfuser.jit(function, dynamic=dynamic)(x, y), function(x, y))


@pytest.mark.parametrize("batch", [1, 2])
@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.flip(1).reshape(-1, 32),
        lambda x: x.permute(0, 2, 1, 3).reshape(x.shape[0], -1, 32),
        lambda x: x[:, torch.tensor([3, 0, 7])].permute(1, 0, 2, 3).reshape(3, -1),
        lambda x: x.permute(0, 3, 1, 2).reshape(-1, 32, 96),
        lambda x: x.permute(1, 0, 2, 3).reshape(8, -1, 4, 8).sum(-1),
        lambda x: x.reshape(-1, 32)[torch.arange(0, 90, 7)].view(-1, 4, 8).transpose(0, 1),
        lambda x: x.roll(5, 3).permute(0, 2, 1, 3).reshape(-1, 8, 32),
    ],
)
def test_other_views(view: Callable[[torch.Tensor], torch.Tensor], batch: int) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        return view(x / (x.square().sum(-1, keepdim=True) + 1).sqrt()) * 2

    def of_columns(x: torch.Tensor) -> torch.Tensor:
        return view(x - x.mean((1, 2), keepdim=True))

    x = torch.randn(batch, 8, 12, 32)
    for of in (function, of_columns):
        for dynamic in (False, True):
            torch.testing.assert_close(nvfuser.jit(of, dynamic=dynamic)(x), of(x))
