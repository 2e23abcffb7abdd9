"""Kernels of small problems for the properties of a large GPU: how many, and of which threads."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from test_emulated_positions import plan
from test_emulated_reductions import run
from torch.nn import functional

import nvfuser


def losses(logits: torch.Tensor, chosen: torch.Tensor, reward: torch.Tensor) -> tuple[Any, ...]:
    new = functional.log_softmax(logits, -1).gather(1, chosen[:, None])[:, 0]
    ratio = torch.exp(new)
    return -(ratio * reward).mean(), (ratio > 1.1).float().mean()


def test_rows_of_two_are_read_apart_for_what_is_summed_of_them(kernels: list[str]) -> None:
    inputs = torch.randn(128, 2), torch.randint(2, (128,)), torch.randn(128)
    assert len(plan(kernels, losses, *inputs)) == 1
    torch.testing.assert_close(run(losses, *inputs), losses(*inputs))


def test_sums_of_different_elements_share_a_launch(kernels: list[str]) -> None:
    """Their rows are divided among as many threads, however wide their elements are."""

    def sums(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.mean(), y.float().mean()

    x, y = torch.randn(128), torch.randn(128) > 0
    (text,) = plan(kernels, sums, x, y)
    assert "_and_1_more" in text
    torch.testing.assert_close(run(sums, x, y), sums(x, y))


def restyle(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    own = (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-5)
    return own * y.std(1, keepdim=True) + y.mean(1, keepdim=True)


@pytest.mark.parametrize("shape", [(64, 16, 7), (3, 40, 33), (2, 300, 64)])
def test_tensors_with_only_what_is_kept_in_common_are_reduced_together(
    shape: tuple[int, ...], kernels: list[str]
) -> None:
    x, y = torch.randn(2, *shape)
    assert len(plan(kernels, restyle, x, y)) == 1
    torch.testing.assert_close(run(restyle, x, y), restyle(x, y), rtol=1e-4, atol=1e-5)


def test_what_lies_across_is_not_reduced_together(kernels: list[str]) -> None:
    x, y = torch.randn(4, 32, 8), torch.randn(4, 8, 32).transpose(1, 2)
    plan(kernels, restyle, x, y)
    torch.testing.assert_close(run(restyle, x, y), restyle(x, y), rtol=1e-4, atol=1e-5)


def test_dimensions_of_pairs_are_not_one(kernels: list[str]) -> None:
    """Rows of both have as many elements, and are reduced alike, but make all pairs."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        both = (x[:, :, None] * y[:, None]).sum((1, 2))
        return both + x.sum(1) * y.sum(1)

    x, y = torch.randn(2, 8, 16)
    plan(kernels, function, x, y)
    torch.testing.assert_close(run(function, x, y), function(x, y), rtol=1e-4, atol=1e-4)


def gradient(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x - y * (x * y).sum(-1, keepdim=True)) * 0.125


@pytest.mark.parametrize(("rows", "is_in_vectors"), [(4, False), (4000, True)])
def test_few_elements_of_rows_that_begin_anywhere_are_single(
    rows: int, is_in_vectors: bool, kernels: list[str]
) -> None:
    x, y = torch.randn(2, rows, 65).half()
    (text,) = plan(kernels, gradient, x, y)
    assert ("load_part" in text) == is_in_vectors
    if not is_in_vectors:
        torch.testing.assert_close(run(gradient, x, y), gradient(x, y), rtol=1e-2, atol=1e-2)


def test_a_row_that_is_one_round_has_no_more_threads_than_vectors(kernels: list[str]) -> None:
    def function(x: torch.Tensor, gate: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x * torch.sigmoid(gate)
        return y, y.mean((2, 3))

    x = torch.empty(64, 16, 28, 28, dtype=torch.bfloat16)
    (text,) = plan(kernels, function, x, torch.empty(64, 16, 1, 1, dtype=torch.bfloat16))
    assert re.findall(r"__launch_bounds__\((\d+)", text) == ["128"]


def test_a_thread_has_a_row_of_a_few_single_elements(kernels: list[str]) -> None:
    x = torch.randn(600, 7).half()
    (text,) = plan(kernels, lambda x: x.argmax(1), x)
    assert "block_reduce" not in text
    torch.testing.assert_close(run(lambda x: x.argmax(1), x), x.argmax(1))


def test_functions_of_rows_leave_no_lanes_of_warps_without_vectors(kernels: list[str]) -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return (functional.softplus(x.float()) * torch.log1p(y.float().square())).sum(-1)

    x = torch.empty(52428, 320, dtype=torch.bfloat16)
    (text,) = plan(kernels, function, x, x)
    # 40 vectors for eight threads rather than for two warps.
    assert "nvf::Threads<8, 16, 1>" in text
    # What waits for memory has whole warps.
    (text,) = plan(kernels, lambda x, y: (x.float() * y.float()).sum(-1), x, x)
    assert "nvf::Threads<32, 4, 1>" in text


def pairs(x: torch.Tensor) -> torch.Tensor:
    return (x[:, :, None] * x[:, None]).sum(-1)


def test_results_of_pairs_are_written_side_by_side(kernels: list[str]) -> None:
    (text,) = plan(kernels, pairs, torch.empty(300, 26, 64))
    (index,) = re.findall(r"\n    T\d+\[(\w+)\] = T\d+;", text)
    assert re.search(rf"const int {index} = i\d+ \+ thread_y;", text)
    x = torch.randn(3, 26, 64)
    torch.testing.assert_close(run(pairs, x), pairs(x), rtol=1e-4, atol=1e-4)


def test_repeated_images_are_narrow_in_tiles(kernels: list[str]) -> None:
    """What is repeated is widened behind that."""

    def upsample(x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        y = x.float()[:, :, :, None, :, None].expand(batch, channels, height, 2, width, 2)
        return (y.reshape(batch, channels, 2 * height, 2 * width) * 0.25).to(x.dtype)

    x = torch.randn(2, 64, 32, 32).bfloat16().to(memory_format=torch.channels_last)
    (text,) = plan(kernels, upsample, x)
    assert re.search(r"nvf::bfloat16\* const T\d+ = \(nvf::bfloat16\*\)shared", text)
    torch.testing.assert_close(run(upsample, x), upsample(x))


def test_single_elements_of_rows_are_not_those_of_vectors_of_rows(kernels: list[str]) -> None:
    """One block would wait for the lines of each: of short rows that are read apart."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return functional.smooth_l1_loss(y, x.amax(1))

    x, y = torch.randn(2048, 6), torch.randn(2048)
    (text,) = plan(kernels, function, x, y)
    assert "copy<" not in text
    assert "load_vector" not in text
    torch.testing.assert_close(run(function, x, y), function(x, y))


@pytest.mark.parametrize("columns", [16, 24])
def test_threads_read_whole_columns_along_memory(columns: int, kernels: list[str]) -> None:
    """What lies side by side is what is reduced, and a thread has all of it."""

    def function(x: torch.Tensor) -> torch.Tensor:
        return functional.softmax(x, 1).contiguous()

    x = torch.randn(2, columns, 16, 16).to(memory_format=torch.channels_last)
    nvfuser._C._override_tuning({"gpu.busyShare": 1 << 20})
    try:
        (text,) = plan(kernels, function, x)
        assert "block_reduce" not in text
        assert "copy<4>" in text or "load_vector" in text
        torch.testing.assert_close(run(function, x), function(x))
    finally:
        nvfuser._C._override_tuning({})
