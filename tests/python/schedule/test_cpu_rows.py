"""What kernels of the CPU do where vectors have no neighbours in memory, by their text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import nvfuser
from nvfuser import _C


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def run(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    for result, expected in zip(nvfuser.jit(function)(*inputs), function(*inputs), strict=True):
        torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-4)


def has_loop_with(hint: str, text: str) -> bool:
    """Return whether a loop has the node of a hint."""
    (node,) = re.findall(rf'^!(\d+) = !\{{!"llvm.loop.{hint}\}}', text, re.M)
    return re.search(rf"distinct !\{{!\d+, !{node}[,}}]", text) is not None


def has_element_loop(text: str) -> bool:
    """Return whether a loop has the node which says that no vector has its iterations."""
    return has_loop_with('vectorize.enable", i1 false', text)


@pytest.mark.parametrize(
    ("size", "function", "is_by_element"),
    [
        (3, lambda a, b: ((a[:, :, :, None] * b[:, None]).sum(2),), True),
        # Rows that are one in memory.
        (3, lambda a, b: (a * b + 1,), False),
        # Functions take longer than to gather.
        (3, lambda a, b: ((a[:, :, :, None] * b[:, None]).exp().sin().exp().sum(2),), False),
    ],
)
def test_matrices_that_vectors_would_gather_are_computed_one_by_one(
    size: int, function: Callable[..., Any], is_by_element: bool, texts: list[str]
) -> None:
    run(function, torch.randn(2500, size, size), torch.randn(2500, size, size))
    assert any(map(has_element_loop, texts)) == is_by_element


@pytest.mark.parametrize(("columns", "kernels"), [(16, 2), (128, 1)])
def test_functions_beside_short_rows_have_vectors(
    columns: int, kernels: int, texts: list[str]
) -> None:
    """One value for each short row would be computed without any."""

    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return ((torch.nn.functional.softplus(x)[..., None] * y).square().sum(-1),)

    run(function, torch.randn(64, 40), torch.randn(64, 40, columns))
    assert len(texts) == kernels


@pytest.mark.parametrize(("side", "kernels"), [(7, 2), (16, 1)])
def test_functions_of_sizes_of_one_have_vectors(side: int, kernels: int, texts: list[str]) -> None:
    """Gates of images, with all dimensions of these: a row is an image."""

    def function(x: torch.Tensor, gate: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x * torch.sigmoid(gate)
        return y, y.mean((2, 3))

    run(function, torch.randn(16, 80, side, side), torch.randn(16, 80, 1, 1))
    assert len(texts) == kernels


@pytest.mark.parametrize(
    ("columns", "function", "kernels"),
    [
        (10, lambda x: (torch.logsumexp(x, -1) * 2,), 2),
        # Rows take longer than their logarithms, also to be read again for these.
        (100, lambda x: (torch.logsumexp(x, -1) * 2,), 1),
        (40, lambda x: (torch.log_softmax(x, -1) * 2,), 1),
        (12, lambda x: (torch.log_softmax(x, -1) * 2,), 2),
        # Rows of a few elements are functions of several rows at once.
        (8, lambda x: (torch.logsumexp(x, -1) * 2,), 1),
        # A root is an instruction.
        (14, lambda x: (x.norm(dim=-1) * 2,), 1),
    ],
)
def test_functions_of_short_rows_have_vectors(
    columns: int, function: Callable[..., Any], kernels: int, texts: list[str]
) -> None:
    run(function, torch.randn(5000, columns))
    assert len(texts) == kernels


def test_columns_of_images_are_those_of_whole_images(texts: list[str]) -> None:
    """The least tiles of columns would be those of a row of an image."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.softmax(1), x.amax(1)

    _C._override_tuning({"cpu.tilesPerWorker": 0})
    try:
        run(function, torch.randn(4, 40, 14, 14))
    finally:
        _C._override_tuning({})
    assert any("[256 x float]" in text for text in texts)


def test_truth_values_become_numbers_at_once(texts: list[str]) -> None:
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return ((x > 0).long().float() * 0.5,)

    run(function, torch.randn(40, 50))
    (text,) = texts
    assert not re.search(r"[su]itofp (<\d+ x )?i64", text)


def selects_positions(text: str) -> bool:
    """Return whether a position in memory is one of two."""
    return re.search(r"select i1 %\w+(\.\w+)*, i64", text) is not None


def test_rolled_rows_are_read_in_pieces(texts: list[str]) -> None:
    """Vectors would gather what lies at one of two positions."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (x.roll(1, 1) + x.roll(-3, 1),)

    run(function, torch.randn(40, 100))
    (text,) = texts
    assert not selects_positions(text)
    # Up to the first element, before the last three, and the rest.
    assert len(re.findall(r"store float .*!alias.scope", text)) == 3


def test_concatenated_functions_are_evaluated_once(texts: list[str]) -> None:
    """Vectors over several rows would evaluate those of both parts for all elements."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x[..., None] * (1 + torch.arange(6))
        return (torch.cat([torch.sin(y), torch.cos(y)], -1).flatten(-2),)

    run(function, torch.randn(64, 20, 3))
    (text,) = texts
    # No condition is left in the loops, each of which has a function of its own.
    assert len(re.findall(r"call float @nvf.sin.f32", text)) == 1
    assert len(re.findall(r"call float @nvf.cos.f32", text)) == 1
    assert not re.search(r"br i1 %b\b", text)


def test_halves_of_short_rows_have_vectors(texts: list[str]) -> None:
    """A slice takes one of each pair: there is no loop over both."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (x[..., ::2, ::2] + x[..., 1::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, 1::2],)

    run(function, torch.randn(40, 64, 14, 14, dtype=torch.float32))
    (text,) = texts
    has_masks = torch.backends.cpu.get_cpu_capability() == "AVX512"
    assert has_loop_with('vectorize.predicate.enable", i1 true', text) == has_masks
    assert not has_loop_with('unroll.full"', text)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_roundings_look_for_nan_where_one_may_have_any_digits(
    dtype: torch.dtype, texts: list[str]
) -> None:
    """What is computed of bfloat16 has none that would be rounded to a number."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (((x.float() * 3).bfloat16().float().abs() + 1).bfloat16(),)

    run(function, torch.randn(100, 100).to(dtype))
    (text,) = texts
    assert ("to_bfloat16_unchecked" in text) == (dtype is torch.bfloat16)


@pytest.mark.parametrize(
    ("shape", "function"),
    [
        # Rows that do not follow each other, and loops around them.
        ((400, 21), lambda x: x[:, :20].exp().sum()),
        ((40, 101, 21), lambda x: x[:, :100, :20].exp().sum()),
        ((3, 500, 37), lambda x: x[:, :499, :36].square().mean()),
        # One long row, beside others that need what is summed of it.
        ((4, 50257), lambda x: (x.exp() / x.exp().sum(-1, keepdim=True)).square().sum()),
        ((2, 300001), lambda x: x.exp().sum(-1)),
    ],
)
def test_sums_add_up_those_of_blocks(shape: tuple[int, ...], function: Callable[..., Any]) -> None:
    """Of positive numbers added one after the other the error would be several times as large."""
    x = torch.rand(shape)
    expected = function(x.double())
    error = ((nvfuser.jit(function)(x).double() - expected) / expected).abs().max().item()
    assert error < 4e-7


def test_rows_that_are_looked_up_are_reduced_along_memory(texts: list[str]) -> None:
    """Columns of what is looked up would be gathered, and have accumulators on the stack."""

    def lengths(x: Any, sources: Any, targets: Any) -> tuple[torch.Tensor, ...]:
        return ((x[sources] - x[targets]).square().sum(1),)

    run(lengths, torch.randn(100, 52), torch.randint(100, (3000,)), torch.randint(100, (3000,)))
    assert not any(re.search(r"alloca \[\d{3,} x float\]", text) for text in texts)
