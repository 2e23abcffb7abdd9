"""Parts of rows that are normalized, cut out and put together again: in the kernel of the rows."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import phases_of, planned
from torch.nn import functional as F  # noqa: N812

import nvfuser

Function = Callable[..., Any]


def rms_norm(x: Any, weight: Any) -> Any:
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * weight


def turned(x: Any) -> Any:
    half = x.shape[-1] // 2
    return torch.cat([-x[..., half:], x[..., :half]], -1)


def rotated(x: Any, weight: Any) -> Any:
    y = rms_norm(x, weight).transpose(1, 2)
    return y * weight + turned(y) * (1 - weight)


def rotated_halves(x: Any, weight: Any) -> Any:
    y = rms_norm(x, weight)
    half = y.shape[-1] // 2
    a, b, cos, sin = y[..., :half], y[..., half:], weight[:half], weight[half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def shifted(x: Any, weight: Any) -> Any:
    y = F.layer_norm(x, x.shape[-1:], weight, weight * 2)
    return F.pad(y, (1, -1)) + y


def swapped(x: Any, weight: Any) -> Any:
    y = torch.softmax(x * weight, -1)
    third = y.shape[-1] // 3
    return torch.cat([y[..., third:], y[..., :third]], -1)


def rolled(x: Any, weight: Any) -> Any:
    y = torch.softmax(x * weight, -1)
    return torch.roll(y, 1, -1) + y


def in_place(x: Any, weight: Any) -> Any:
    """Update what other threads of the row read."""
    return (x * 1).copy_(swapped(x, weight))


def updated(x: Any, weight: Any) -> Any:
    return x.copy_(swapped(x, weight)) * 1


def groups_scaled(x: Any, weight: Any) -> Any:
    """Return a norm of groups, scaled and gated as they are merged."""
    groups = x.float().view(*x.shape[:-1], 4, -1)
    groups = groups * torch.rsqrt(groups.pow(2).mean(-1, keepdim=True) + 1e-5)
    return groups.view_as(x) * weight.float() * F.silu(x)


def gated(x: Any, weight: Any) -> Any:
    """Return shorter rows, which are not those of the norm."""
    a, b = rms_norm(x, weight).chunk(2, -1)
    return a * b.sigmoid()


def longer(x: Any, weight: Any) -> Any:
    return torch.cat([torch.softmax(x, -1), x * weight], -1)


def rows_shifted(x: Any, weight: Any) -> Any:
    """Return what needs the norm of another row."""
    y = rms_norm(x, weight)
    return F.pad(y, (0, 0, 1, -1)) - y


def columns_swapped(x: Any, weight: Any) -> Any:
    y = (x - x.mean(0)) / x.std(0) * weight
    return torch.cat([y[..., 4:], y[..., :4]], -1)


ONE: list[Function] = [
    rotated, rotated_halves, shifted, swapped, rolled, in_place, groups_scaled,
]  # fmt: skip
OTHERS: list[Function] = [updated, gated, longer, rows_shifted, columns_swapped]


@pytest.mark.parametrize("function", ONE)
@pytest.mark.parametrize("size", [128, 4096])
def test_one_kernel(kernels: list[str], function: Function, size: int) -> None:
    (text,) = planned(kernels, function, torch.empty(4, 64, 8, size), torch.empty(size))
    (phase,) = phases_of(text)
    # Each thread has its part of the row, and no other thread's.
    assert not re.search(rf"i\d+ < {size // 2}; \+\+", phase)


@pytest.mark.parametrize("function", OTHERS)
def test_what_is_no_whole_row_is_in_memory(kernels: list[str], function: Function) -> None:
    texts = planned(kernels, function, torch.empty(4, 64, 8, 512), torch.empty(512))
    assert sum(len(phases_of(text)) for text in texts) == 2
    for text in texts:
        assert not re.search(r"i\d+ < (256|508|512); \+\+", text)


@pytest.mark.parametrize("function", [*ONE, *OTHERS])
@pytest.mark.parametrize("size", [36, 128, 1028])
def test_values(device: str, function: Function, size: int) -> None:
    x, weight = torch.randn(3, 5, 2, size), torch.randn(size)
    expected = function(x.clone(), weight)
    result = nvfuser.jit(function)(x.clone().to(device), weight.to(device))
    torch.testing.assert_close(result, expected)


@pytest.mark.parametrize("function", [*ONE, *OTHERS])
def test_values_on_the_cpu(function: Function) -> None:
    x, weight = torch.randn(3, 5, 2, 72), torch.randn(72)
    expected = function(x.clone(), weight)
    for dynamic in (False, True):
        result = nvfuser.jit(function, dynamic=dynamic)(x.clone(), weight)
        torch.testing.assert_close(result, expected)


def any_parts(seed: int) -> Function:
    """Return a function of a norm, parts of its rows, and sums of these."""
    draw = random.Random(seed)
    steps = [
        (draw.choice(("turn", "shift", "swap", "scale", "flip", "add", "cut", "rows")),
         draw.randrange(1, 4))
        for _ in range(draw.randrange(2, 5))
    ]  # fmt: skip
    norm = draw.choice((rms_norm, lambda x, w: torch.softmax(x * w, -1)))

    def function(x: Any, weight: Any) -> Any:
        y = norm(x, weight)
        first = y
        for kind, by in steps:
            if kind == "turn":
                y = turned(y) * weight[..., : y.shape[-1]]
            elif kind == "shift":
                y = F.pad(y, (by, -by))
            elif kind == "swap":
                y = torch.cat([y[..., by:], y[..., :by]], -1)
            elif kind == "scale":
                y = y * weight[..., : y.shape[-1]] + 1
            elif kind == "flip":
                y = y.flip(-1)
            elif kind == "add":
                y = y + first[..., : y.shape[-1]]
            elif kind == "cut":
                y = y[..., 2 * by :]
            else:
                y = y - F.pad(y, (0, 0, by, -by))
        return y

    return function


@pytest.mark.parametrize("seed", range(40))
def test_values_of_any_parts(device: str, seed: int) -> None:
    function = any_parts(seed)
    x, weight = torch.randn(3, 7, 64), torch.randn(64)
    result = nvfuser.jit(function)(x.to(device), weight.to(device))
    torch.testing.assert_close(result, function(x, weight))


def boxes(x: Any) -> Any:
    """Return parts of what is permuted, each computed in another way."""
    y = x.view(4, 3, 17, 8, 8).permute(0, 1, 3, 4, 2).sigmoid()
    parts = [y[..., :2] * 2 + 1, y[..., 2:4] ** 2, y[..., 4:]]
    return torch.cat(parts, -1).view(4, -1, 17)


def waves(x: Any) -> Any:
    """Return sines and cosines in turn of two halves, behind one another."""

    def pairs(y: Any) -> Any:
        return torch.stack([y.sin(), y.cos()], -1).flatten(-2)

    x = x.view(4, 51, 64)
    return torch.cat([pairs(x), pairs(x * 2)], -1)


def to_the_last(x: Any) -> Any:
    """Return x in parts of its last column."""
    x = x.view(4, 51, 64)
    return x / (x[..., -1:].abs() + 1) + x[:, -1:]


def projected(x: Any) -> Any:
    points = x.view(-1, 3)
    moved = (points[:, None, :] * points[:3]).sum(-1) + points[3]
    return moved[:, :2] / (moved[:, 2:].abs() + 1), moved[:, 2] > 0


@pytest.mark.parametrize("function", [boxes, waves, to_the_last, projected])
def test_no_thread_has_a_whole_dimension(kernels: list[str], function: Function) -> None:
    texts = planned(kernels, function, torch.empty(4, 51, 8, 8))
    assert sum(len(phases_of(text)) for text in texts) <= 2
    for text in texts:
        assert not re.search(r"i\d+ < (17|51|64|128); \+\+", text)


@pytest.mark.parametrize("function", [boxes, waves, to_the_last, projected])
def test_values_of_parts(device: str, function: Function) -> None:
    x = torch.randn(4, 51, 8, 8)
    torch.testing.assert_close(nvfuser.jit(function)(x.to(device)), function(x))
