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
