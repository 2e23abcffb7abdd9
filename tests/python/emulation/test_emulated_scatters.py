"""How many kernels scatters take, and what these do, for the properties of a large GPU."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from planned_kernels import phases_of, planned

import nvfuser

ROWS, HEADS, WIDTH, EDGES = 500, 8, 32, 4000


def add_at(shape: tuple[int, ...], index: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return rows.new_zeros(shape).index_add(0, index, rows)


@pytest.mark.parametrize("is_kept", [False, True])
def test_weighed_rows_are_added_as_they_are_computed(kernels: list[str], is_kept: bool) -> None:
    """What has fewer dimensions, and what is needed beside, is computed by the same threads."""

    def function(x: Any, weights: Any, sums: Any, index: Any) -> Any:
        shares = weights / sums[index]
        added = add_at((ROWS, HEADS, WIDTH), index, x * shares[..., None])
        return (added, shares) if is_kept else added

    inputs = (
        torch.empty(EDGES, HEADS, WIDTH),
        torch.empty(EDGES, HEADS),
        torch.empty(ROWS, HEADS),
        torch.zeros(EDGES, dtype=torch.int64),
    )
    (text,) = planned(kernels, function, *inputs)
    _, added = phases_of(text)
    assert "add_vector_to<4>" in added


def test_rows_are_repeated_where_they_are_added(kernels: list[str]) -> None:
    """As gradients of sums of embeddings: slices of one tensor, each row at several positions."""

    def function(x: Any, *indices: Any) -> Any:
        return [
            add_at((ROWS, 128), index.flatten(), rows[:, None].expand(-1, 8, -1).reshape(-1, 128))
            for rows, index in zip(x.float().unbind(1), indices, strict=True)
        ]

    x = torch.empty(EDGES // 8, 3, 128, dtype=torch.bfloat16)
    texts = planned(kernels, function, x, *torch.zeros(3, EDGES // 8, 8, dtype=torch.int64))
    assert all(len(phases_of(text)) == 2 for text in texts)
    assert all("add_vector_to<4>" in text for text in texts)


@pytest.mark.parametrize("is_put", [False, True])
def test_caches_are_written_into(kernels: list[str], is_put: bool) -> None:
    """Nothing of the cache is copied, and what reads it then reads it where it is."""

    def function(cache: Any, place: Any, keys: Any) -> Any:
        if is_put:
            cache[:, :, place] = keys
        else:
            cache.index_copy_(2, place, keys)
        return cache.float().sum(-1)

    cache = torch.empty(2, 4, 256, 64, dtype=torch.bfloat16)
    keys = torch.empty(2, 4, 1, 64, dtype=torch.bfloat16)
    texts = planned(kernels, function, cache, torch.tensor([3]), keys)
    written, read = (phase for text in texts for phase in phases_of(text))
    assert "scatter" in written
    assert "sum" in read


def test_rows_are_looked_up_as_rows(kernels: list[str]) -> None:
    """As in the gradient of a scatter: each row has its position repeated for all elements."""

    def function(x: Any, index: Any, y: Any) -> Any:
        positions = index[:, None, None].expand(-1, HEADS, WIDTH)
        return x.gather(0, positions) * y

    x, y = torch.empty(ROWS, HEADS, WIDTH), torch.empty(EDGES, HEADS, WIDTH)
    (text,) = planned(kernels, function, x, torch.zeros(EDGES, dtype=torch.int64), y)
    assert len(re.findall(r"<4>\(", text)) == 3


def test_vectors_are_added_where_positions_are_results_too(kernels: list[str]) -> None:
    """Loops follow the rows that are written, not the vector of positions."""

    def function(x: torch.Tensor, edges: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        source, target = edges[0], edges[1]
        index = target.view(-1, 1).expand(-1, x.shape[1])
        added = torch.zeros_like(x).scatter_add(0, index, x.index_select(0, source))
        return source.clone(), (added + x).relu()

    x, edges = torch.empty(20000, 16), torch.zeros(2, 160000, dtype=torch.int64)
    (text,) = planned(kernels, function, x, edges)
    assert "add_vector_to<4>" in text
    assert "add_to(" not in text


@pytest.mark.parametrize("dynamic", [False, True])
def test_rows_that_are_reshaped_are_added_as_they_are_computed(
    kernels: list[str], dynamic: bool
) -> None:
    """Whether a dimension broadcasts is found out behind the reshape."""

    def function(x: Any, index: Any, a: Any, b: Any) -> Any:
        rows = (a + b).unflatten(-1, (HEADS, WIDTH)).float()
        positions = index[:, None, None].expand_as(rows)
        return torch.zeros_like(x).scatter_add(0, positions, rows)

    x, index = torch.empty(ROWS, HEADS, WIDTH), torch.zeros(EDGES, dtype=torch.int64)
    a = torch.empty(EDGES, HEADS * WIDTH, dtype=torch.bfloat16)
    with torch.no_grad():
        nvfuser.jit(function, dynamic=dynamic)(x, index, a, torch.empty_like(a))
    (text,) = kernels
    _, added = phases_of(text)
    assert "add_vector_to<4>" in added


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_rows_of_16_bits_are_added_as_they_are(kernels: list[str], dtype: torch.dtype) -> None:
    """As eager torch does it on CUDA: nothing of single precision is in memory."""

    def function(x: Any, source: Any, target: Any) -> Any:
        return add_at((ROWS, 192), target, x[source])

    index = torch.zeros(EDGES, dtype=torch.int64)
    (text,) = planned(kernels, function, torch.empty(ROWS, 192, dtype=dtype), index, index)
    assert "add_vector_to<8>" in text
    assert "float*" not in text.replace("bfloat16*", "")


def add_rows(x: Any, index: Any, rows: Any) -> Any:
    return x.index_add(0, index, rows)


def put_rows(x: Any, index: Any, rows: Any) -> Any:
    return x.index_put((index,), rows, accumulate=True)


def add_elements(x: Any, index: Any, rows: Any) -> Any:
    return x.scatter_add(1, index[:, None].expand_as(rows) % x.shape[1], rows)


@pytest.mark.parametrize("width", [64, 30, 3])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("function", [add_rows, put_rows, add_elements])
def test_sums_of_16_bits(device: str, function: Any, dtype: torch.dtype, width: int) -> None:
    x, rows = torch.randn(40, width), torch.randn(40, width)
    index = torch.randint(0, 40, (40,))
    inputs = (x.to(dtype), index, rows.to(dtype))
    exact = function(inputs[0].double(), index, inputs[2].double())
    result = nvfuser.jit(function)(*inputs)
    assert result.dtype == dtype
    # Few are added to one: each addition rounds to a bit less than the dtype has.
    tolerance = 16 * torch.finfo(dtype).eps
    torch.testing.assert_close(result.double(), exact, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_added_to_is_a_result_too(kernels: list[str], dtype: torch.dtype) -> None:
    """Its copy for the caller is written by as many threads as all else."""

    def function(index: Any, rows: Any) -> Any:
        zeros = rows.new_zeros(ROWS, 192)
        return zeros, zeros.index_add(0, index, rows)

    index = torch.zeros(EDGES, dtype=torch.int64)
    (text,) = planned(kernels, function, index, torch.empty(EDGES, 192, dtype=dtype))
    threads = [int(count) for count in re.findall(r"__launch_bounds__\((\d+)", text)]
    assert threads == [128] * len(phases_of(text))
