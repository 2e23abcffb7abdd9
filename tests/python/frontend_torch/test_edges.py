"""Neighbours of pixels beyond the edges, what is written into slices, and matrices across."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

import nvfuser
from nvfuser.frontend.operators.writes import _cut

Function = Callable[..., Any]


def laplacian(x: Any) -> Any:
    p = F.pad(x, (1, 1, 1, 1), mode="replicate")
    around = p[..., 1:-1, 2:] + p[..., 1:-1, :-2] + p[..., 2:, 1:-1] + p[..., :-2, 1:-1]
    return around - 4 * x


def slopes(x: Any) -> Any:
    p = F.pad(x * 2, (1, 1, 1, 1), mode="reflect")
    rows = p[..., :-2] + 2 * p[..., 1:-1] + p[..., 2:]
    return (rows[..., 2:, :] - rows[..., :-2, :]).abs().sqrt()


def around(x: Any) -> Any:
    p = F.pad(x, (1, 1, 1, 1), mode="circular")
    return p[..., 1:-1, 2:] - p[..., 2:, 1:-1]


def shifted(x: Any) -> Any:
    out = torch.zeros_like(x)
    out[:, :1, :, 1:] = x[:, :1, :, :-1]
    out[:, 1:2, :, :-1] = x[:, 1:2, :, 1:]
    out[:, 2:, 2:][:, :, 1:4] = x[:, 2:, 3:6] * 2
    return out


def shifted_in_place(x: Any) -> Any:
    x = x.clone()
    x[..., 1:, 1:] = x[..., :-1, :-1].clone()
    x[:1, 1:][..., ::2, :] = 3
    x[1:][:, 3:] += 1
    return x


def halves(x: Any) -> Any:
    square = x[..., :9, :9]
    lower = torch.tril(square, -1).cos()
    return lower + torch.triu(square * 2, 1).transpose(-1, -2), lower.sum()


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("function", [laplacian, slopes, around, shifted, shifted_in_place, halves])
def test_values(function: Function, dtype: torch.dtype, channels_last: bool) -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 5, 9, 12).to(dtype)
    if channels_last:
        x = x.to(memory_format=torch.channels_last)
    for door in (nvfuser.jit(function), torch.compile(function, backend="nvfuser")):
        torch.testing.assert_close(door(x), function(x), rtol=2e-3, atol=2e-3)


def test_slices_of_slices_are_written_once() -> None:
    """Each write is one choice for each element, not one for each slice around it."""
    explanation = str(nvfuser.explain(shifted, torch.randn(2, 5, 9, 12)))
    assert "1 kernel" in explanation


def test_arguments_of_writes_may_have_names() -> None:
    graph = torch.fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    write = torch.ops.aten.slice_scatter.default
    node = graph.call_function(write, (x, y), {"dim": -1, "start": 2})
    node.meta["val"] = torch.empty(4, 5)
    cut = _cut(node, 2)
    assert (cut.dim, cut.start) == (1, 2)
