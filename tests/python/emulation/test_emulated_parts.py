"""What is cut out, joined, or looked up at counted positions is computed where it is needed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import planned
from torch.nn import functional

import nvfuser


def held(text: str) -> int:
    """Return the elements of the largest array of a thread."""
    return max(map(int, re.findall(r" T\d+\[(\d+)\];", text)), default=1)


def with_sink(x: torch.Tensor, sink: torch.Tensor) -> torch.Tensor:
    beside = sink[None, :, None, None].expand(*x.shape[:3], 1)
    return functional.softmax(torch.cat([x * 0.125, beside], -1), -1)


def joined_norm(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    rows = torch.cat([x * 2, y], -1)
    return functional.layer_norm(rows, rows.shape[-1:])


def padded_softmax(x: torch.Tensor) -> torch.Tensor:
    return functional.softmax(functional.pad(x * 2, (1, 3)), -1)


def joined_columns(x: torch.Tensor) -> torch.Tensor:
    rows = torch.cat([x * 2, x], 0)
    return rows - rows.mean(0, keepdim=True)


PARTS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "softmax with a sink": (with_sink, [(2, 3, 8, 128), (3,)]),
    "norm of joined rows": (joined_norm, [(64, 100), (64, 28)]),
    "softmax of padded rows": (padded_softmax, [(33, 124)]),
    "joined columns": (joined_columns, [(20, 96)]),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("function", "shapes"), PARTS.values(), ids=PARTS)
def test_parts_are_reduced_in_one_kernel(
    kernels: list[str], function: Any, shapes: list[tuple[int, ...]], dtype: torch.dtype
) -> None:
    """A thread computes its elements of a row, not all that a part has."""
    (text,) = planned(kernels, function, *(torch.zeros(shape, dtype=dtype) for shape in shapes))
    assert held(text) <= 32


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("function", "shapes"), PARTS.values(), ids=PARTS)
def test_parts_that_are_reduced_are_right(
    device: str, function: Any, shapes: list[tuple[int, ...]], dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(1)
    inputs = [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(
        nvfuser.jit(function)(*inputs), function(*inputs), rtol=tolerance, atol=tolerance
    )


def test_what_is_cut_out_of_a_conversion_is_cut_out_first(kernels: list[str]) -> None:
    def first(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return functional.normalize(torch.tanh(x.float()[:, 0] * weight.float()), dim=-1).half()

    x, weight = torch.zeros(16, 32, 1024).half(), torch.zeros(1024).half()
    (text,) = planned(kernels, first, x, weight)
    assert "nvf::copy<8>(" in text


def test_positions_that_are_counted_have_32_bits_and_no_checks(kernels: list[str]) -> None:
    def larger(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)

    text = planned(kernels, larger, torch.zeros(2, 3, 20, 30))[-1]
    assert "long long T" not in text
    assert "(unsigned int)" not in text


def test_positions_that_may_lie_outside_are_checked(kernels: list[str]) -> None:
    def looked_up(x: torch.Tensor) -> torch.Tensor:
        return x[torch.arange(10) * 3]

    (text,) = planned(kernels, looked_up, torch.zeros(28, 7))
    assert "(unsigned" not in text
    (text,) = planned(kernels, lambda x, i: x[i % 30], torch.zeros(28, 7), torch.zeros(9).long())
    assert "(unsigned" in text


def test_short_rows_that_begin_anywhere_are_computed_once(kernels: list[str]) -> None:
    """Both ends of a row are in its warp: a branch would compute whole vectors and parts."""

    def capped(x: torch.Tensor) -> torch.Tensor:
        return functional.softmax(30 * torch.tanh(x / 30), -1)

    (text,) = planned(kernels, capped, torch.zeros(800, 197))
    assert text.count("tanh_f32(") == 1


def test_windows_of_few_elements_are_of_one_thread(kernels: list[str]) -> None:
    def moving(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        windows = x.unfold(1, 10, 1)
        return windows.mean(-1), windows.std(-1)

    (text,) = planned(kernels, moving, torch.zeros(32, 4000))
    assert "thread_y" not in text


def test_rows_of_three_vectors_for_each_thread_of_a_warp(kernels: list[str]) -> None:
    """With two warps for a row a quarter of their threads would have nothing to do."""
    (text,) = planned(kernels, lambda x: x.argmax(-1), torch.zeros(32768, 768).bfloat16())
    assert "nvf::Threads<32, 4, 1>" in text


def test_stencils_load_elements_side_by_side(kernels: list[str]) -> None:
    def laplacian(x: torch.Tensor) -> torch.Tensor:
        p = functional.pad(x[None], (1, 1, 1, 1))[0]
        sides = p[:, 2:, 1:-1] + p[:, :-2, 1:-1] + p[:, 1:-1, 2:] + p[:, 1:-1, :-2]
        return sides - 4 * p[:, 1:-1, 1:-1]

    (text,) = planned(kernels, laplacian, torch.zeros(8, 1000, 1024))
    assert "copy<4>" not in text


def test_what_is_cut_out_of_a_long_computation_is_computed_once(kernels: list[str]) -> None:
    """Operands that are read twice by each operation are cut once: there are no 2^40 of them."""

    def deep(x: torch.Tensor) -> torch.Tensor:
        for _ in range(40):
            x = x * 0.5 + x * x
        return x[:, 0] * 2 + x[:, 3]

    (text,) = planned(kernels, deep, torch.zeros(64, 32))
    assert len(re.findall(r"= \w+ \* 0.5f;", text)) == 80


def counted_places(chosen: torch.Tensor) -> torch.Tensor:
    hot = functional.one_hot(chosen[:, 0], 16)
    return (hot.cumsum(0) * hot).sum(-1)


SCANS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "rows of a few columns": (lambda x: x[:, 3:].cumsum(0), (50, 40)),
    "one column": (lambda x: (x[:, 1, None] * x[:, :8]).cumsum(0), (70, 24)),
    "columns of a few rows": (lambda x: x[5:].cumsum(1), (40, 129)),
    "the scanned dimension itself": (lambda x: x[:, 5:].cumsum(1), (40, 133)),
    "rows that begin anywhere": (lambda x: (x * 2).cumsum(1) - x, (140, 257)),
    "long rows that begin anywhere": (lambda x: x.cumsum(1), (133, 4099)),
    "several": (lambda x: (x[:, :64] + x[:, 64:]).cumsum(0), (300, 128)),
}


@pytest.mark.parametrize(("function", "shape"), SCANS.values(), ids=SCANS)
def test_scans_of_what_is_cut_out_of_memory_are_right(
    device: str, function: Any, shape: tuple[int, ...]
) -> None:
    x = torch.randn(shape, generator=torch.Generator().manual_seed(2))
    torch.testing.assert_close(nvfuser.jit(function)(x), function(x), rtol=1e-4, atol=1e-4)


def test_what_is_cut_out_of_memory_is_scanned_in_one_kernel(kernels: list[str]) -> None:
    """A column that torch computed, such as the chosen ones of a router."""
    assert len(planned(kernels, counted_places, torch.zeros(512, 2, dtype=torch.int64))) == 2


def test_rows_that_begin_anywhere_are_scanned_in_vectors_of_memory(kernels: list[str]) -> None:
    """Of single elements each would be exchanged between the threads of a warp."""
    (text,) = planned(kernels, lambda x: x.cumsum(1), torch.zeros(4000, 511))
    assert "load_part<4>" in text
    assert "store_part<4>" in text
    assert text.count("scan_part(") <= 5


def pooled(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    mask = torch.arange(7)[None] < lengths[:, None]
    y = (x.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return functional.normalize(y, dim=-1).to(x.dtype)


def highest(x: torch.Tensor) -> torch.Tensor:
    y = x.float().amax(1) * 2
    return y - y.mean(-1, keepdim=True)


def summed_apart(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The short dimension lies innermost, so that its elements are no rows."""
    y = x.float().sum(-1)
    return functional.layer_norm(y, y.shape[-1:]), y.sum(0)


def attended(x: torch.Tensor) -> torch.Tensor:
    """The weights are of a reduction themselves."""
    scores = x.float().sum(-1).softmax(-1)
    y = (x * scores[..., None]).sum(1)
    return functional.normalize(y, dim=-1)


AGAIN: dict[str, tuple[Callable[..., Any], list[torch.Size], int | None]] = {
    "normalized means of tokens": (pooled, [torch.Size((12, 7, 96))], 1),
    "highest of a few rows": (highest, [torch.Size((12, 5, 96))], 1),
    "a short innermost dimension": (summed_apart, [torch.Size((12, 96, 4))], None),
    "weights of a reduction": (attended, [torch.Size((12, 7, 96))], None),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("function", "shapes", "count"), AGAIN.values(), ids=AGAIN)
def test_short_reductions_that_are_reduced_again_are_right(
    device: str, function: Any, shapes: list[torch.Size], count: int | None, dtype: torch.dtype
) -> None:
    generator = torch.Generator().manual_seed(3)
    inputs = [torch.randn(shape, generator=generator).to(dtype) for shape in shapes]
    if function is pooled:
        inputs.append(torch.randint(1, 8, (inputs[0].shape[0],), generator=generator))
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(
        nvfuser.jit(function)(*inputs), function(*inputs), rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize(("function", "shapes", "count"), AGAIN.values(), ids=AGAIN)
def test_short_reductions_that_are_reduced_again_are_one_kernel(
    kernels: list[str], function: Any, shapes: list[torch.Size], count: int | None
) -> None:
    inputs = [torch.zeros(shape) for shape in shapes]
    if function is pooled:
        inputs.append(torch.ones(inputs[0].shape[0], dtype=torch.int64))
    texts = planned(kernels, function, *inputs)
    assert count is None or len(texts) == count


def windows_around(x: torch.Tensor) -> torch.Tensor:
    p = functional.pad(x, (1, 2, 1, 1), value=2.0)
    return p[:, :-2, 1:-2] + p[:, 2:, 3:] * p[:, 1:-1, :-3] + p[:, 1:-1, 1:-2]


def beside(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """A part has nothing of what was padded, and another a part of it."""
    p = functional.pad(x, (4, 4), value=-1.0)
    return p[..., :3] * 2, p[..., 2:6] + 1


def cropped(x: torch.Tensor) -> torch.Tensor:
    """Negative widths cut."""
    p = functional.pad(x, (-1, 3, 2, -2))
    return p[:, 1:, 2:] * 2


def of_one(x: torch.Tensor) -> torch.Tensor:
    p = functional.pad(x[:1], (1, 1, 1, 1, 1, 1))
    return p[2:, 1:-1, 1:-1] + p[:-2, 1:-1, 1:-1] + p[1:-1, 2:, 1:-1] + p[1:-1, 1:-1, :-2]


@pytest.mark.parametrize("function", [windows_around, beside, cropped, of_one])
def test_slices_of_pads_are_right(device: str, function: Any) -> None:
    x = torch.randn(3, 20, 24, generator=torch.Generator().manual_seed(4))
    torch.testing.assert_close(nvfuser.jit(function)(x), function(x))


def test_neighbours_along_one_dimension_look_for_its_ends_only(kernels: list[str]) -> None:
    def sides(x: torch.Tensor) -> torch.Tensor:
        p = functional.pad(x, (1, 1, 1, 1))
        return p[:, 2:, 1:-1] + p[:, :-2, 1:-1] + p[:, 1:-1, 1:-1]

    (text,) = planned(kernels, sides, torch.zeros(8, 100, 128))
    conditions = re.findall(r"if \((.*)\) {", text)
    assert conditions
    assert all("&&" not in condition for condition in conditions)


def test_rows_of_three_are_of_one_thread(kernels: list[str]) -> None:
    """They would exchange through shared memory."""
    (text,) = planned(kernels, lambda x: functional.normalize(x, dim=-1), torch.zeros(2000, 3))
    assert "block_reduce" not in text


def test_rows_of_a_part_of_a_warp_exchange_in_it(kernels: list[str]) -> None:
    (text,) = planned(kernels, lambda x: x.softmax(-1), torch.zeros(200, 96))
    assert "nvf::Threads<32, " in text


def test_parts_that_take_turns_are_in_one_vector(kernels: list[str]) -> None:
    """A thread of one element would compute sine and cosine, for one of them."""

    def turned(x: torch.Tensor) -> torch.Tensor:
        return torch.stack([torch.sin(x), torch.cos(x)], -1).flatten(-2)

    (text,) = planned(kernels, turned, torch.zeros(512, 128))
    assert "copy<2>" in text or "copy<4>" in text


def test_pairs_are_reduced_in_one_kernel(kernels: list[str]) -> None:
    def softmin(x: torch.Tensor) -> torch.Tensor:
        square = (x[None] - x[:, None]).square().sum(-1)
        return -torch.logsumexp(-square, 1)

    assert len(planned(kernels, softmin, torch.zeros(1000, 3))) == 1


def test_weights_of_neighbours_are_computed_where_they_are_needed(kernels: list[str]) -> None:
    """Extremes of numbers are a few instructions: a kernel of their own would be a launch."""

    def doubled(x: torch.Tensor) -> torch.Tensor:
        return functional.interpolate(x, scale_factor=2, mode="bilinear")

    assert len(planned(kernels, doubled, torch.zeros(42, 128, 16, 16))) == 1


def test_what_is_computed_for_long_has_no_other_vectors_to_wait_for(kernels: list[str]) -> None:
    """Blocks of fewer elements leave less for the last ones."""

    def bands(x: torch.Tensor) -> torch.Tensor:
        angles = x[..., None] * 2.0 ** torch.arange(6)
        return torch.cat([torch.sin(angles), torch.cos(angles)], -1).flatten(-2)

    (text,) = planned(kernels, bands, torch.zeros(330, 192, 3))
    assert max(map(int, re.findall(r"i\d+ < (\d+); \+\+", text)), default=1) <= 4
    # Threads without an element take no long way for whatever their registers hold.
    loaded = set(re.findall(r"(T\d+)(?:\[i\d+\])? = (?:nvf::\w+\(&)?T0\[", text))
    assert loaded
    assert loaded <= set(re.findall(r"(T\d+)(?:\[\d+\])? = {};", text))
