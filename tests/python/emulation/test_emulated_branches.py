"""What threads wait for: loads in branches, kernels in front, barriers, functions of others."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from planned_kernels import phases_of, planned
from torch.nn import functional

import nvfuser


def median(x: torch.Tensor) -> torch.Tensor:
    a, b, c = x[..., :-2], x[..., 1:-1], x[..., 2:]
    low, high = torch.minimum(a, b), torch.maximum(a, b)
    return torch.maximum(low, torch.minimum(high, c))


def halves(x: torch.Tensor) -> torch.Tensor:
    rows = x[:, :6:2] + x[:, 1:7:2]
    return rows[:, :, :6:2] + rows[:, :, 1:7:2]


def similarity(x: torch.Tensor) -> torch.Tensor:
    return functional.cosine_similarity(x.float(), x.roll(1, 0).float() + 1, dim=-1)


def norms(x: torch.Tensor) -> torch.Tensor:
    size = x.norm(dim=-1, keepdim=True)
    return x / size * (x * 2 + 1).amax(-1, keepdim=True)


def embedded(x: torch.Tensor) -> torch.Tensor:
    angles = x[:, :1] * torch.exp(torch.arange(32) * -0.3)
    return x + torch.cat([torch.cos(angles), torch.sin(angles)], -1)


def accuracy(x: torch.Tensor) -> torch.Tensor:
    return (x.argmax(1) == (x[:, 0] > 0.3)).float().mean()


def mean_loss(x: torch.Tensor) -> torch.Tensor:
    return (torch.logsumexp(x, 1) - x[:, 0] * 0.5).mean()


def weighted_windows(x: torch.Tensor) -> torch.Tensor:
    weights = 0.9 ** torch.arange(6)
    return (functional.pad(x.float(), (4, 1), value=0.5).unfold(1, 6, 1) * weights).sum(-1)


def best_of_groups(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x.float(), -1).view(-1, 2, 4).amax(-1)


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[int, ...]]] = {
    "median": (median, (7, 5, 20)),
    "halves": (halves, (3, 7, 7, 16)),
    "similarity": (similarity, (37, 512)),
    "norms": (norms, (37, 512)),
    "embedded": (embedded, (50, 64)),
    "accuracy of two": (accuracy, (14, 2, 7, 7)),
    "accuracy of five": (accuracy, (3, 5, 7, 9)),
    "loss of three": (mean_loss, (3, 3, 7, 9)),
    "padded windows": (weighted_windows, (5, 40)),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values(name: str, dtype: torch.dtype, device: str) -> None:
    function, shape = PROGRAMS[name]
    x = torch.randn(shape, generator=torch.Generator().manual_seed(4)).to(dtype)
    tolerance = 1e-4 if dtype == torch.float32 else 4e-3
    with torch.no_grad():
        result = nvfuser.jit(function)(x)
        torch.testing.assert_close(result, function(x), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_kernel(name: str, kernels: list[str]) -> None:
    function, shape = PROGRAMS[name]
    assert len(planned(kernels, function, torch.zeros(shape))) == 1


@pytest.mark.parametrize("name", ["median", "halves"])
def test_threads_without_elements_load_nothing(name: str, kernels: list[str]) -> None:
    """Of a condition for each load compilers make branches, which wait for each other."""
    function, shape = PROGRAMS[name]
    (text,) = planned(kernels, function, torch.zeros(shape).half())
    (kernel,) = phases_of(text)
    assert kernel.count("if (") == 1
    assert not re.search(r"= T0\[|\(&?T0\[|load\w*\([^)]*T0", kernel.partition("if (")[0])


def test_reductions_that_need_nothing_of_each_other_share_barriers(kernels: list[str]) -> None:
    function, shape = PROGRAMS["similarity"]
    (text,) = planned(kernels, function, torch.zeros(shape))
    assert text.count("nvf::reduction(") == 3
    assert text.count("nvf::block_reduce<") == 2


def test_a_reduction_of_what_another_one_gave_has_its_own(kernels: list[str]) -> None:
    (text,) = planned(kernels, lambda x: x.softmax(-1), torch.zeros(37, 512))
    assert text.count("nvf::block_reduce<") == 2


def test_halves_evaluate_functions_of_their_own(kernels: list[str]) -> None:
    function, shape = PROGRAMS["embedded"]
    (text,) = planned(kernels, function, torch.zeros(shape))
    for name in ("sin", "cos"):
        assert re.search(rf"if \([^{{]*\{{[^}}]*nvf::{name}_f32[^}}]*\}}\s*else", text)


def test_functions_of_all_elements_stay_outside_of_branches(kernels: list[str]) -> None:
    def chosen(x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x)
        return torch.cat([y, y * 2], -1)

    (text,) = planned(kernels, chosen, torch.zeros(50, 64))
    assert "nvf::sin_f32" in text


def test_several_slices_are_read_in_elements(kernels: list[str]) -> None:
    """Each vector that begins anywhere is shifted together from two words."""

    def differences(x: torch.Tensor) -> torch.Tensor:
        return x[..., 1:-3] - x[..., 2:-2]

    (text,) = planned(kernels, median, torch.zeros(64, 64, 64, 38).half())
    assert "load_unaligned" not in text
    (text,) = planned(kernels, differences, torch.zeros(4096, 4100).half())
    assert "load_unaligned" in text


def test_blocks_of_short_groups_are_whole(kernels: list[str]) -> None:
    """A row of two groups is no block of its own, however long its functions take."""
    for text in planned(kernels, best_of_groups, torch.zeros(2048, 8)):
        for threads in re.findall(r"__launch_bounds__\((\d+)", text):
            assert int(threads) >= 32


def test_kernels_in_front_of_scatters_have_few_blocks(kernels: list[str]) -> None:
    """Only few blocks begin before the kernel in front of them has ended."""

    def added(x: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        return torch.zeros(89, 2049).index_add(0, places, x).relu()

    places = torch.zeros(357, dtype=torch.int64)
    (text,) = planned(kernels, added, torch.zeros(357, 2049), places)
    assert re.findall(r"__launch_bounds__\((\d+)", text)[::2] == ["256", "256"]
