"""Neighbours of what is computed, at positions that are counted: computed again, not written."""

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


def neighbours(x: Any, dim: int, offset: int) -> Any:
    """Return the neighbours along a dimension, at its ends the last elements again."""
    size = x.shape[dim]
    index = torch.arange(offset, size + offset, device=x.device).clamp(0, size - 1)
    return x.index_select(dim, index)


def blurred(x: Any) -> Any:
    rows = sum(c * neighbours(x.float(), 3, i - 1) for i, c in enumerate((0.25, 0.5, 0.25)))
    return sum(c * neighbours(rows, 2, i - 1) for i, c in enumerate((0.25, 0.5, 0.25)))


def blurred_padded(x: Any) -> Any:
    p = F.pad(x, (1, 1, 0, 0), mode="replicate")
    rows = 0.25 * p[..., :-2] + 0.5 * p[..., 1:-1] + 0.25 * p[..., 2:]
    p = F.pad(rows, (0, 0, 1, 1), mode="replicate")
    return 0.25 * p[..., :-2, :] + 0.5 * p[..., 1:-1, :] + 0.25 * p[..., 2:, :]


def reflected_scaled(x: Any) -> Any:
    x = x * (torch.arange(x.shape[1], device=x.device).view(1, -1, 1, 1) + 0.5)
    for dim in (2, 3):
        last = x.shape[dim] - 1
        index = torch.arange(-2, last + 3, device=x.device)
        x = x.index_select(dim, last - (last - index.abs()).abs())
    return x


def beside(x: Any) -> Any:
    """Return x with a row and a column more at each side, looked up in both dimensions at once."""
    height, width = x.shape[-2:]
    rows = torch.arange(-1, height + 1, device=x.device).clamp(0, height - 1)
    columns = torch.arange(-1, width + 1, device=x.device).clamp(0, width - 1)
    return x[..., rows[:, None], columns[None]]


def laplacian(x: Any) -> Any:
    p = beside(x)
    around = p[..., 1:-1, 2:] + p[..., 1:-1, :-2] + p[..., 2:, 1:-1] + p[..., :-2, 1:-1]
    return around - 4 * x


def laplacian_scaled(x: Any) -> Any:
    return laplacian(x * (torch.arange(x.shape[1], device=x.device).view(1, -1, 1, 1) + 0.5))


def slopes(x: Any) -> Any:
    p = beside(x)
    rows = p[..., :-2] + 2 * p[..., 1:-1] + p[..., 2:]
    columns = p[..., :-2, :] + 2 * p[..., 1:-1, :] + p[..., 2:, :]
    return (rows[..., 2:, :] - rows[..., :-2, :]).abs() + columns[..., 2:] - columns[..., :-2]


def largest_around(x: Any) -> Any:
    p = beside(x)
    height, width = x.shape[-2:]
    return torch.stack(
        [p[..., i : i + height, j : j + width] for i in range(3) for j in range(3)]
    ).amax(0)


def beside_and_whole(x: Any) -> Any:
    p = beside(x)
    return p, p[..., 2:, 1:-1] - p[..., :-2, 1:-1]


def across(x: Any) -> Any:
    """Return what is contiguous, whatever the order of x."""
    return (beside(x) + beside(x * 2)).contiguous()


def enlarged(x: Any) -> Any:
    return F.interpolate(F.relu(x + 1), scale_factor=2, mode="bilinear", align_corners=False)


def along_and_across(x: Any) -> Any:
    """Return the lower half of square matrices beside the transposed upper half."""
    square = x[..., :9, :9]
    return torch.tril(square, -1) + torch.triu(square, 1).transpose(-1, -2)


def written_into_slices(x: Any) -> Any:
    out = torch.zeros_like(x)
    out[:, :1, :, 1:] = x[:, :1, :, :-1]
    out[:, 1:2, :, :-1] = x[:, 1:2, :, 1:]
    out[:, 2:, 2:][:, :, 1:4] = x[:, 2:, 3:6] * 2
    return out


def beyond_the_other_end(x: Any) -> Any:
    height, width = x.shape[-2:]
    rows = torch.arange(-1, height + 1, device=x.device) % height
    columns = torch.arange(-1, width + 1, device=x.device) % width
    p = x[..., rows[:, None], columns[None]]
    return p[..., 1:-1, 2:] - p[..., 2:, 1:-1] * x


def every_other_written(x: Any) -> Any:
    out = x * 2
    out[..., ::2] = x[..., ::2].relu() + 1
    return out


def checkered(x: Any) -> Any:
    out = x * 2
    out[..., ::2, 1::2] *= 3
    return out


def sums_of_pairs(x: Any) -> Any:
    rows = (x[..., 1::2, :] + x[..., 0:-1:2, :]) / 2
    return torch.cat([rows[..., ::2], rows[..., 1::2]], -1) if x.shape[-1] % 2 == 0 else rows


def normalized_images(x: Any) -> Any:
    x = x[..., :-1, :] if x.shape[-2] % 2 else x
    return F.instance_norm(x) * (1 + x.sigmoid())


def gradients(x: Any) -> Any:
    y = x * 2 + 1
    return neighbours(y, 2, 1) - y


def of_two_dimensions_apart(x: Any) -> Any:
    return neighbours(neighbours(x + 1, 1, 1), 3, -1)


def of_functions(x: Any) -> Any:
    y = torch.erf(torch.erf(torch.erf(x)).sin()).cos()
    return neighbours(y, 2, 1) - neighbours(y, 2, -1)


def kept(x: Any) -> Any:
    y = x * 2
    return y, neighbours(y, 2, 1) - neighbours(y, 2, -1)


ALL: list[Function] = [
    blurred,
    blurred_padded,
    reflected_scaled,
    laplacian,
    laplacian_scaled,
    slopes,
    largest_around,
    beside_and_whole,
    across,
    along_and_across,
    written_into_slices,
    enlarged,
    beyond_the_other_end,
    every_other_written,
    checkered,
    sums_of_pairs,
    normalized_images,
    gradients,
    of_two_dimensions_apart,
    of_functions,
    kept,
]


@pytest.mark.parametrize(
    "function",
    [
        blurred,
        reflected_scaled,
        laplacian,
        laplacian_scaled,
        slopes,
        largest_around,
        enlarged,
        gradients,
        written_into_slices,
        beyond_the_other_end,
        every_other_written,
        checkered,
        sums_of_pairs,
        normalized_images,
    ],
)
def test_what_takes_few_instructions_is_not_written(kernels: list[str], function: Function) -> None:
    (text,) = planned(kernels, function, torch.empty(16, 32, 64, 60))
    assert len(phases_of(text)) == 1


@pytest.mark.parametrize("function", [of_functions, kept])
def test_what_takes_many_instructions_or_is_a_result_is_computed_once(
    kernels: list[str], function: Function
) -> None:
    texts = planned(kernels, function, torch.empty(16, 32, 64, 60))
    assert sum(text.count("erff(") for text in texts) <= 3
    assert sum(len(phases_of(text)) for text in texts) == 2


def test_tiles_hold_the_only_result_of_inputs_that_lie_across(kernels: list[str]) -> None:
    """One tile rather than one for each; each lookup is along memory."""
    x = torch.empty(16, 64, 56, 56).to(memory_format=torch.channels_last)
    for function in (across, lambda x: sum(y.contiguous() for y in (x, x * 2))):
        (text,) = planned(kernels, function, x)
        (phase,) = phases_of(text)
        assert phase.count("(float*)shared") + phase.count("(float*)(shared") == 1
        assert re.search(r"nvf::copy<4>\(&?T\d+(\[\w+\])?, &T0\[", phase)


def test_an_input_is_read_along_and_across_in_one_kernel(kernels: list[str]) -> None:
    def function(x: Any) -> Any:
        return torch.tril(x, -1) + torch.triu(x, 1).T

    (text,) = planned(kernels, function, torch.empty(1024, 1024))
    (phase,) = phases_of(text)
    assert "shared_vectors" in phase


def test_threads_do_not_repeat_what_is_divided_after_it_is_looked_up(kernels: list[str]) -> None:
    """Whatever keeps slices from being looked up: no thread has a whole image."""

    def many(x: Any) -> Any:
        p = torch.erf(beside(torch.erf(x).sin()).cos())
        return sum(p[..., i : i + 56, j : j + 56].tanh() for i in range(3) for j in range(3))

    for text in planned(kernels, many, torch.empty(16, 64, 56, 56)):
        assert not re.search(r"i\d+ < 5[68]; \+\+", text)


def memory_formats() -> list[torch.Tensor]:
    x = torch.randn(2, 3, 9, 12)
    return [
        x,
        x.to(memory_format=torch.channels_last),
        torch.randn(2, 3, 12, 9).transpose(2, 3),
        torch.randn(2, 3, 10, 14)[..., 1:, 1:13],
        torch.randn(2, 1, 9, 12).expand(2, 3, 9, 12),
    ]


@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("order", range(len(memory_formats())))
def test_values(device: str, function: Function, order: int) -> None:
    x = memory_formats()[order]
    torch.testing.assert_close(nvfuser.jit(function)(x.to(device)), function(x))


def any_views(seed: int) -> Function:
    """Return a function of slices, lookups, pads and sums, one behind another."""
    draw = random.Random(seed)
    steps = [
        (draw.choice(("slice", "clamp", "flip", "roll", "pad", "add", "scale", "cos")),
         draw.randrange(3), draw.randrange(-2, 3))
        for _ in range(draw.randrange(3, 8))
    ]  # fmt: skip

    def function(x: Any, y: Any) -> Any:
        taps = []
        for kind, dim, by in steps:
            size = x.shape[dim]
            if kind == "slice" and size > 3:
                x = x.narrow(dim, abs(by), size - abs(by))
            elif kind == "clamp":
                x = neighbours(x, dim, by) if by else neighbours(x, dim, 1) - neighbours(x, dim, -1)
            elif kind == "flip":
                x = x.flip(dim)
            elif kind == "roll":
                x = torch.roll(x, by, dim)
            elif kind == "pad":
                widths = [0] * 6
                widths[2 * (2 - dim)] = abs(by)
                x = F.pad(x, widths, value=1.5)
            elif kind == "add":
                x = x + y[: x.shape[0], : x.shape[1], : x.shape[2]]
            elif kind == "cos":
                taps.append(x.cos().sum(0))
            else:
                x = x * (torch.arange(size, device=x.device).view([-1] + [1] * (2 - dim)) + 0.25)
        return x, *taps

    return function


@pytest.mark.parametrize("seed", range(40))
def test_values_of_any_views(device: str, seed: int) -> None:
    function = any_views(seed)
    x, y = torch.randn(5, 6, 7), torch.randn(16, 17, 18)
    result = nvfuser.jit(function)(x.to(device), y.to(device))
    torch.testing.assert_close(result, function(x, y))
