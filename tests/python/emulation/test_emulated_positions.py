"""How kernels read and write at positions, by their text: for the properties of a large GPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from planned_kernels import phases_of

import nvfuser
from nvfuser import _C


@pytest.fixture(autouse=True)
def large_cache() -> Iterator[None]:
    """As that of a large GPU: the emulated one is small for other tests."""
    _C._override_target({"l2Bytes": 50 << 20})
    yield
    _C._override_target({})


def plan(kernels: list[str], function: Any, *inputs: torch.Tensor) -> list[str]:
    kernels.clear()
    with torch.no_grad():
        nvfuser.jit(function)(*inputs)
    return phases_of("".join(kernels))


def added(messages: Any, index: Any) -> Any:
    zeros = torch.zeros(512, messages.shape[1], device=messages.device)
    return torch.relu(zeros.index_add(0, index, messages.float() * 0.5))


@pytest.mark.parametrize("columns", [64, 65])
def test_what_rows_are_added_to_is_one_run_for_others(kernels: list[str], columns: int) -> None:
    """Rows are apart where they are written, but not where zeros are and where they are read."""
    index = torch.randint(512, (2048,))
    fill, _, behind = plan(kernels, added, torch.randn(2048, columns).half(), index)
    assert "nvf::copy<4>" in fill
    assert behind.count("nvf::copy<4>") == 2
    for step in (fill, behind):
        assert "thread_y" not in step
        assert "block_y" not in step


def test_neighbours_add_to_neighbours(kernels: list[str]) -> None:
    """Of what a vector of narrower elements is added to, each thread has one access."""
    index = torch.randint(512, (2048,))
    _, written, _ = plan(kernels, added, torch.randn(2048, 3072).half(), index)
    assert "nvf::add_vector_to<4>" in written
    _, written, _ = plan(kernels, added, torch.randn(2048, 257).bfloat16(), index)
    assert "nvf::add_to(" in written
    assert "nvf::load_vector" not in written


def test_several_rows_are_read_before_the_first_is_added(kernels: list[str]) -> None:
    index = torch.randint(512, (29186,))
    _, written, _ = plan(kernels, added, torch.randn(29186, 65), index)
    assert int(re.findall(r"float T\d+\[(\d+)\];", written)[0]) >= 4


def test_rows_that_few_positions_reach_are_added_to_whole(kernels: list[str]) -> None:
    """A table larger than the cache, of which only so many rows are touched that these fit."""

    def function(slopes: Any, index: Any) -> Any:
        return torch.zeros(200_000, 512, device=slopes.device).index_add(0, index, slopes)

    index = torch.randint(200_000, (4096,))
    _, written = plan(kernels, function, torch.randn(4096, 512), index)
    assert "__launch_bounds__(128)" in written
    assert "thread_y" not in written


@pytest.mark.parametrize("rows", [29_186, 200_000])
def test_as_many_blocks_as_fit_along_y(kernels: list[str], rows: int) -> None:
    """Blocks are counted along y for the rows that are written, not for those written into."""
    index = torch.randint(512, (rows,))
    _, written, _ = plan(kernels, added, torch.randn(rows, 65), index)
    assert ("block_y" in written) == (rows < 65_536)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("columns", [65, 333])
def test_positions_of_rolls_and_flips_are_indices(
    kernels: list[str], dim: int, columns: int
) -> None:
    """No position is loaded, divided or compared with an extent."""
    x, y = torch.randn(2, 4096, columns)
    for function in (
        lambda x, y: torch.roll(x, 1, dim) + y,
        lambda x, y: torch.roll(x, (-3,), (dim,)) + y,
        lambda x, y: x.flip(dim) * y,
    ):
        (text,) = plan(kernels, function, x, y)
        reads = text[text.index("= T0[") - 300 :]
        assert "(unsigned long long)" not in reads
        assert " ? (int)" not in text


def test_several_elements_of_rows_are_read_at_positions_at_a_time(kernels: list[str]) -> None:
    x, y = torch.randn(2, 32768, 333).half()
    (text,) = plan(kernels, lambda x, y: x.flip(-1) * y, x, y)
    assert int(re.findall(r"half T\d+\[(\d+)\];", text)[0]) == 4
    # Neighbours are read at once: blocks are no larger than those of other element-wise operations.
    assert int(re.findall(r"__launch_bounds__\((\d+)\)", text)[0]) < 256
    along = int(re.findall(r"block_x \* (\d+)", text)[0])
    # Few threads have no element.
    assert -(-333 // along) * along in range(333, 353)


def test_threads_have_several_elements_of_rows_of_a_large_table(kernels: list[str]) -> None:
    """What is looked up is one element of the table, not all of it."""

    def function(tokens: Any, table: Any, places: Any) -> Any:
        return torch.nn.functional.embedding(tokens, table) + places[: tokens.shape[0]]

    tokens = torch.zeros(1024, dtype=torch.int64)
    table, places = (torch.zeros(n, 3001, dtype=torch.bfloat16) for n in (30522, 1024))
    (text,) = plan(kernels, function, tokens, table, places)
    # Of the table, of the places, and of the sums, whose rows are one: these are a vector.
    assert len(re.findall(r"nvf::bfloat16 T\d+\[8\];", text)) == 3
    assert "nvf::copy<8>(" in text


CUT = {
    "padded": lambda x: torch.nn.functional.pad(x, (2, 3)) * 2,
    "differences": lambda x: x[:, 1:] - x[:, :-1],
    "concatenated": lambda x: torch.cat([x, x + 1, x[:, 1:]], 1),
    "padded behind an operation": lambda x: torch.nn.functional.pad(x * x[0], (1, -4)) + 1,
}


@pytest.mark.parametrize("function", CUT.values(), ids=CUT)
@pytest.mark.parametrize("columns", [1026, 4098])
def test_rows_that_are_cut_are_one_where_no_vector_fits_them(
    kernels: list[str], function: Any, columns: int
) -> None:
    """What is stored is vectors of all rows: of what is read each element is looked for."""
    x = torch.empty(1024, columns, dtype=torch.bfloat16)
    (text,) = plan(kernels, function, x)
    size = function(x).shape[1]
    assert "nvf::copy<" in text
    assert "nvf::modulo(" in text
    assert re.search(rf"nvf::quotient\(i\d+, {size}\)", text)


def test_an_input_that_is_read_several_times_stays_in_the_cache(kernels: list[str]) -> None:
    """Beside it nothing is told to be the last to leave, as it is where all is read once."""

    def function(scores: Any, bias: Any) -> Any:
        return (scores + bias).softmax(-1)

    scores = torch.empty(10, 12, 512, 512)
    (text,) = plan(kernels, function, scores, torch.empty(1, 12, 512, 512))
    assert "_kept" not in text
    for bias in (torch.empty(10, 12, 512, 512), torch.empty(512)):
        (text,) = plan(kernels, function, scores, bias)
        assert "_kept" in text


def test_results_that_are_outputs_are_read_where_they_are(kernels: list[str]) -> None:
    """Scales of long columns are computed by one kernel and read by the next: none copies them."""

    def function(x: Any) -> Any:
        scale = x.abs().amax(0, keepdim=True).clamp(min=1e-6) / 127
        return torch.round(x / scale).clamp(-128, 127).to(torch.int8), scale

    texts = plan(kernels, function, torch.empty(32768, 333))
    # Parts of the columns, their maxima, and what these divide.
    assert len(texts) == 3
    # What each of them computes; a copy computes nothing.
    for text, operation in zip(texts, ("abs_f32", "maximum_f32", "round_f32"), strict=True):
        assert f"nvf::{operation}(" in text
