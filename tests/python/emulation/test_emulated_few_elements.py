"""Dimensions of few elements, repeated tables, and numbers that are counted: one kernel each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import phases_of, planned
from torch.nn import functional

import nvfuser


def squares(x: torch.Tensor) -> torch.Tensor:
    return (x[None] - x[:, None]).square().sum(-1)


def nearest(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    far = squares(x) + 1e9 * torch.eye(x.shape[0])
    return far.amin(1), far.argmin(1)


def overlaps(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = x[:, None], x[None, :40]
    low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
    sides = (high - low).clamp(min=0)
    inner = sides[..., 0] * sides[..., 1]
    return inner.amax(1), inner.argmax(1)


def state_space(x: torch.Tensor) -> torch.Tensor:
    steps = functional.softplus(x[:, :32])
    inner = steps[..., None] * x[:, None, 32:48]
    return (inner * x[:, None, 48:64]).sum(-1)


def laplacian(x: torch.Tensor) -> torch.Tensor:
    p = functional.pad(x[None], (1, 1, 1, 1, 1, 1))[0]
    near = p[2:, 1:-1, 1:-1] + p[:-2, 1:-1, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, :-2, 1:-1]
    return near + p[1:-1, 1:-1, 2:] + p[1:-1, 1:-1, :-2] - 6 * p[1:-1, 1:-1, 1:-1]


def diffusion(x: torch.Tensor) -> torch.Tensor:
    around = x.roll(1, 1) + x.roll(-1, 1) + x.roll(1, 2) + x.roll(-1, 2)
    return x + 0.1 * (around - 4 * x)


def inverse(a: torch.Tensor) -> torch.Tensor:
    def cross(u: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        pairs = ((1, 2), (2, 0), (0, 1))
        return torch.stack([u[:, i] * v[:, k] - u[:, k] * v[:, i] for i, k in pairs], -1)

    x, y, z = a.unbind(1)
    normal = cross(y, z)
    determinant = (x * normal).sum(-1)
    columns = [normal, cross(z, x), cross(x, y)]
    return torch.stack(columns, -1) / (determinant[:, None, None].abs() + 1)


def stacked_sums(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    parts = torch.stack([x, x.exp(), x * 2], 1)
    total = parts.sum(1)
    return parts * total[:, None], (parts[:, 1] - 1) * x, parts.square().amax(1, keepdim=True)


def halves(x: torch.Tensor) -> torch.Tensor:
    even = x[..., :6, :6]
    return even[..., ::2, ::2] + even[..., 1::2, ::2] + even[..., 1::2, 1::2]


def windows_back(x: torch.Tensor) -> torch.Tensor:
    image = x.view(2, 2, 3, 4, 4, 8).permute(0, 1, 3, 2, 4, 5).reshape(2, 8, 12, 8)
    return torch.roll(image, (2, 3), (1, 2)) + 1


def windows_of_cut(x: torch.Tensor) -> torch.Tensor:
    image = x.view(2, 6, 16, 8).permute(0, 2, 1, 3)[:, 3:, 1:].float()
    return image.reshape(2, 13 * 5, 8).flip(1) * 2


def discounted(x: torch.Tensor) -> torch.Tensor:
    weights = 0.9 ** torch.arange(x.shape[1], device=x.device)
    return (x * weights).flip(1).cumsum(1)


def halves_of_all(x: torch.Tensor) -> torch.Tensor:
    rows = x[..., ::2, ::2] + x[..., 1::2, ::2]
    return rows + x[..., ::2, 1::2] + x[..., 1::2, 1::2]


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "distances": (lambda x: torch.sqrt(squares(x) + 1e-12), (70, 3)),
    "nearest": (nearest, (70, 3)),
    "largest of coordinates": (lambda x: (x[None] - x[:, None]).abs().amax(-1), (70, 3)),
    "kept dimension": (lambda x: (x[None] * x[:, None]).prod(-1, keepdim=True) * 2, (70, 3)),
    "overlaps": (overlaps, (70, 4)),
    "state space": (state_space, (8, 64)),
    "sums of what is stacked": (stacked_sums, (5, 30)),
    "laplacian": (laplacian, (5, 12, 9)),
    "diffusion of squares": (diffusion, (2, 16, 16)),
    "halves": (halves, (3, 4, 7, 7)),
    "rolled windows": (windows_back, (12, 16, 8)),
    "turned windows of a part": (windows_of_cut, (12, 16, 8)),
    "rolled products": (lambda x: torch.roll(x * 3 + 1, 3, -1) + x, (6, 40)),
    "sums from the end": (discounted, (6, 40)),
    "traces": (lambda x: x.diagonal(dim1=-2, dim2=-1).sum(-1), (70, 3, 3)),
    "flipped crop": (lambda x: x[..., 1:-1, 2:-1].flip(-1) * 0.5, (3, 4, 7, 7)),
}


# Their sums are none, but what is joined of them is more than one kernel should compute again.
PROGRAMS_OF_TWO: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "inverse": (inverse, (70, 3, 3)),
}


@pytest.mark.parametrize("name", PROGRAMS_OF_TWO)
def test_two_kernels(name: str, kernels: list[str]) -> None:
    function, shape = PROGRAMS_OF_TWO[name]
    assert len(planned(kernels, function, torch.zeros(shape))) == 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_kernel(name: str, kernels: list[str]) -> None:
    function, shape = PROGRAMS[name]
    assert len(planned(kernels, function, torch.zeros(shape))) == 1


@pytest.mark.parametrize("name", [*PROGRAMS, *PROGRAMS_OF_TWO])
def test_values(name: str, device: str) -> None:
    function, shape = {**PROGRAMS, **PROGRAMS_OF_TWO}[name]
    x = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    torch._dynamo.reset()
    with torch.no_grad():
        result = torch.compile(function, backend="nvfuser", dynamic=False)(x)
        torch.testing.assert_close(result, function(x), rtol=1e-4, atol=1e-4)


def test_positions_beyond_what_is_computed_are_an_error() -> None:
    def beyond(x: torch.Tensor) -> torch.Tensor:
        return (x * 2 + 1)[:, torch.arange(4, 12)]

    with pytest.raises((IndexError, RuntimeError)):
        nvfuser.jit(beyond)(torch.zeros(3, 8))


def test_shared_operands_are_looked_at_once(kernels: list[str]) -> None:
    """As many ways lead to them as two to the power of how long the chain is."""

    def chain(x: torch.Tensor, table: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        places, values = torch.arange(64), torch.stack([x, x * 2], 1)
        for _ in range(60):
            places, values = (places * places + places) & 63, values * values + values
        return table[:, places].sum(1), values.sum(1)

    assert planned(kernels, chain, torch.zeros(100), torch.zeros(8, 64))


def test_a_long_function_is_not_repeated(kernels: list[str]) -> None:
    """Sines of each row of a batch are computed once, not for each element of a sequence."""

    def embedded(x: torch.Tensor, times: torch.Tensor) -> torch.Tensor:
        angles = times[:, None] * torch.arange(32)
        return x + torch.cat([torch.sin(angles), torch.cos(angles)], -1)[:, None]

    table, addition = planned(kernels, embedded, torch.zeros(256, 100, 64), torch.zeros(256))
    assert "sin" in table
    assert "sin" not in addition
    # A launch would take longer than that.
    assert len(planned(kernels, embedded, torch.zeros(8, 100, 64), torch.zeros(8))) == 1


def test_a_short_function_is_repeated(kernels: list[str]) -> None:
    def gated(x: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
        return x * torch.sigmoid(gate)[:, None]

    assert len(planned(kernels, gated, torch.zeros(8, 100, 64), torch.zeros(8, 64))) == 1


def test_a_small_reduction_does_not_carry_a_large_tensor(kernels: list[str]) -> None:
    """Its blocks would each compute all of that."""

    def response(x: torch.Tensor) -> torch.Tensor:
        size = x.square().sum((2, 3), keepdim=True).sqrt()
        return x * (size / (size.mean(1, keepdim=True) + 1e-6)) + x

    texts = planned(kernels, response, torch.zeros(128, 16, 7, 7))
    *_, last = texts
    assert len(texts) == 3
    assert "reduction(" not in last


def test_all_threads_of_a_block_compute_results_of_fewer_dimensions(kernels: list[str]) -> None:
    """A tensor of one element for each matrix has the blocks of one of rows and columns."""
    for text in phases_of("".join(planned(kernels, inverse, torch.zeros(4096, 3, 3)))):
        assert "thread_x" in text
        assert "thread_y" in text


def test_threads_of_short_rows_have_several_elements(kernels: list[str]) -> None:
    (text,) = planned(kernels, lambda x: x.square().sum(-1), torch.zeros(65536, 9))
    assert re.search(r"float T\d+\[3\];", text)
    assert "block_reduce<nvf::Threads<4, " in text


@pytest.mark.parametrize(("columns", "threads"), [(5, 1), (13, 16)])
def test_threads_scan_rows_of_few_elements_alone(
    columns: int, threads: int, kernels: list[str]
) -> None:
    (text,) = planned(kernels, lambda x: x.cumsum(-1) * 2, torch.zeros(200_000, columns))
    assert f"block_scan<nvf::Threads<{threads}, " in text


def test_threads_of_single_elements_have_several(kernels: list[str]) -> None:
    """Also where these take longer than memory: of a row that no vector fits."""

    def normalized(x: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        return ((x.permute(0, 3, 1, 2).float() / 255 - mean) / (mean + 4)).half().contiguous()

    images = torch.zeros(32, 227, 227, 3, dtype=torch.uint8)
    (text,) = planned(kernels, normalized, images, torch.zeros(3, 1, 1))
    assert re.search(r"unsigned char T\d+\[4\];", text)


def test_neighbours_read_every_second_element(kernels: list[str]) -> None:
    """Vectors of results would have the lanes of a warp in a row of its own each."""
    (text,) = planned(kernels, halves_of_all, torch.zeros(64, 256, 16, 16).half())
    assert not re.search(r"(copy|load_vector\w*)<", text)
