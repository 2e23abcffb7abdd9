"""Slices that are written into: with steps, back where they were, and around a tensor."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

import nvfuser

Function = Callable[..., Any]


def every_other(x: Any) -> Any:
    out = x * 2
    out[..., ::2] = x[..., ::2] + 1
    return out


def rotated(x: Any) -> Any:
    out = torch.empty_like(x[..., :8])
    a, b = x[..., 0:8:2], x[..., 1:8:2]
    out[..., ::2] = a.cos() - b
    out[..., 1::2] = a + b.sin()
    return out


def checkered(x: Any) -> Any:
    out = x.clone()
    out[..., ::2, ::2] *= 2
    out[..., 1::2, 1::3] = 3
    out[1:, :, ::4] = x[1:, :, :1] - 1
    return out


def written_back(x: Any) -> Any:
    out = x.clone()
    out[:, 1:] += 1
    out[0] *= 3
    out[..., 2] -= 1
    out[:, ::3, 1:-1] /= 2
    return out


def of_other_dtypes(x: Any) -> Any:
    out = (x * 3).to(torch.int32)
    out[..., ::2] = x[..., ::2].double()
    out[:, 1:2] = True
    return out, x.bool()


def rounded_between(x: Any) -> Any:
    narrow = torch.empty_like(x[..., ::2], dtype=torch.float16)
    narrow.copy_(x[..., ::2] * 1.001)
    out = x * 2
    out[..., ::2] = narrow
    return out


DOORS = [nvfuser.jit, lambda f: torch.compile(f, backend="nvfuser", dynamic=True)]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "function", [every_other, rotated, checkered, written_back, of_other_dtypes, rounded_between]
)
def test_values(function: Function, door: Callable[[Function], Function]) -> None:
    torch.manual_seed(0)
    compiled = door(function)
    for sizes in ((2, 5, 9), (3, 6, 12), (2, 4, 11)):
        x = torch.randn(sizes)
        torch.testing.assert_close(compiled(x), function(x))


@pytest.mark.parametrize("seed", range(30))
def test_values_of_any_writes(seed: int) -> None:
    draw = random.Random(seed)

    def cut() -> tuple[slice, ...]:
        starts = [draw.choice((None, 0, 1, 2, -3)) for _ in range(3)]
        ends = [draw.choice((None, 4, 5, -1)) for _ in range(3)]
        steps = [draw.choice((None, 1, 1, 2, 3)) for _ in range(3)]
        return tuple(map(slice, starts, ends, steps))

    cuts = [(cut(), draw.choice(("fill", "row", "scale", "other"))) for _ in range(3)]

    def function(x: Any, y: Any) -> Any:
        x = x + 1
        for where, kind in cuts:
            if kind == "fill":
                x[where] = 2.5
            elif kind == "row":
                x[where] = y[where][:, :1] * 2
            elif kind == "scale":
                x[where] *= 3
            else:
                x[where] = y[where].cos()
        return x

    torch.manual_seed(seed)
    x, y = torch.randn(2, 6, 7, 8)
    torch.testing.assert_close(nvfuser.jit(function)(x, y), function(x, y))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("rank", "widths"),
    [
        (3, (2, 1)),
        (3, (0, 3)),
        (4, (1, 1, 1, 1)),
        (4, (2, 0, 0, 3)),
        (4, (5, 6, 4, 5)),
        (4, (1, -1, 2, 1)),
        (4, (1, 1, -1, -1)),
        (5, (1, 2, 0, 1, 2, 1)),
    ],
)
def test_values_of_what_goes_on_at_the_other_end(
    rank: int, widths: tuple[int, ...], door: Callable[[Function], Function]
) -> None:
    def function(x: Any) -> Any:
        return F.pad(x * 2, widths, mode="circular") + 1

    compiled = door(function)
    for last in (6, 9):
        x = torch.randn(*(2, 3, 4, 5, last)[5 - rank :])
        torch.testing.assert_close(compiled(x), function(x))


def test_nothing_goes_on_where_nothing_is() -> None:
    x = torch.empty(0, 3, 5)
    explanation = nvfuser.explain(lambda x: F.pad(x, (1, 2), mode="circular"), x)
    assert all(part.kind == "kernel" for part in explanation.parts)
    result = nvfuser.jit(lambda x: F.pad(x, (1, 2), mode="circular") + 1)(x)
    assert result.shape == (0, 3, 8)


def test_halos_are_values_of_the_moment() -> None:
    """What was written before is written on: no halo of what the tensor was."""

    def function(x: Any) -> Any:
        x = x.clone()
        x[:, 0] = x[:, -2]
        x[:, -1] = x[:, 1]
        x[0] = x[-2]
        x[:, :1] = x[:, 2:3]
        return x

    x = torch.randn(6, 7)
    torch.testing.assert_close(nvfuser.jit(function)(x), function(x))


@pytest.mark.parametrize("function", [every_other, checkered, written_back])
def test_writes_are_no_calls_of_torch(function: Function) -> None:
    explanation = nvfuser.explain(function, torch.randn(2, 6, 12))
    assert {part.kind for part in explanation.parts} == {"kernel"}
