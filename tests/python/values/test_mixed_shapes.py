"""Reductions, concatenations and reshapes in all orders: no valid fusion fails to compile.

What one scheduler cannot do in one kernel falls to others, with the fallback to kernels of single
operations disabled.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import random_graphs
import torch
from fusion_testing import define
from random_graphs import Graph, Value

from nvfuser import FusionDefinition, TensorView

SEEDS = 30


def row_maximum(graph: Graph, value: Value) -> Value | None:
    tensor = value[1]
    if tensor.size(-1) == 0:
        return None
    keeps = graph.coin()
    dim = tensor.dim() - 1
    return graph.fd.ops.max(value[0], [dim], keeps), tensor.amax(dim, keeps)


def flat(graph: Graph, value: Value) -> Value | None:
    if value[1].numel() == 0:
        return None
    return graph.fd.ops.reshape(value[0], [value[1].numel()]), value[1].reshape(-1)


def either(graph: Graph, value: Value) -> Value | None:
    other = random_graphs.partner(graph, value)
    if other is None:
        return None
    reference = torch.logical_or(value[1], other[1])
    return graph.fd.ops.logical_or(value[0], other[0]), reference.double()


def total(graph: Graph, value: Value) -> Value:
    dims = graph.subset(value[1].dim())
    number = graph.number(value)
    return graph.fd.ops.sum(graph.wide(number)[0], dims), value[1].sum(dims)


MIXED = [
    *(row_maximum, random_graphs.concatenate, flat, either, total, total),
    *(random_graphs.permute, random_graphs.pairwise, random_graphs.insert),
]


def add_mixed(graph: Graph) -> None:
    """Each of these once, in any order, of what the last ones made or of anything."""
    for position in graph.permutation(len(MIXED)):
        random_graphs.add_value(graph, MIXED[position])


@pytest.mark.parametrize("seed", range(SEEDS))
def test_any_order(seed: int, device: str) -> None:
    random_graphs.check(random_graphs.Seeded(seed), device, add=add_mixed)


def test_more_random_orders(seeds: Iterator[int], device: str) -> None:
    failed = []
    for seed in seeds:
        try:
            random_graphs.check(random_graphs.Seeded(SEEDS + seed), device, add=add_mixed)
        except (AssertionError, RuntimeError) as error:
            print(f"seed {SEEDS + seed}: {error}", flush=True)
            failed.append(SEEDS + seed)
    assert not failed


# ------------------------------------------------------------------ what was found


def run(fd: FusionDefinition, inputs: list[torch.Tensor], references: list[torch.Tensor]) -> None:
    outputs = fd.execute(inputs, _disable_options=["fallback"])
    for output, reference in zip(outputs, references, strict=True):
        assert torch.equal(output, reference)


def whole_numbers(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(0)
    return torch.randint(-4, 5, shape, generator=generator).double()


@pytest.mark.parametrize("is_column_major", [False, True])
@pytest.mark.parametrize("shape", [(8, 5), (33, 64), (3, 1000)])
@pytest.mark.parametrize("dim", [0, 1])
def test_row_maximum_cat_reshape_logical_or_and_two_sums(
    shape: tuple[int, int], is_column_major: bool, dim: int, device: str
) -> None:
    x = whole_numbers(*shape)
    x = (x.t().contiguous().t() if is_column_major else x).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        largest = ops.max(t, [1], True)
        joined = ops.cat([t, ops.sub(t, largest)], dim)
        line = ops.reshape(joined, [2 * x.numel()])
        chosen = ops.logical_or(ops.gt(line, 0.0), ops.lt(line, -4.0))
        return [ops.sum(ops.where(chosen, line, 0.0), [0]), ops.sum(joined, [1])]

    joined = torch.cat([x, x - x.amax(1, keepdim=True)], dim)
    line = joined.reshape(-1)
    chosen = (line > 0) | (line < -4)
    references = [torch.where(chosen, line, 0.0).sum(), joined.sum(1)]
    run(define(body, [x]), [x], references)


@pytest.mark.parametrize("name", ["max", "sum"])
@pytest.mark.parametrize("size", [2, 40, 3000])
def test_row_with_a_dimension_of_one_less_its_reduction(name: str, size: int, device: str) -> None:
    """The dimension that the reduction keeps says nothing of the loops of what reads its result."""
    x = whole_numbers(size).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        row = ops.broadcast(t, [True, False])
        reduced = getattr(ops, name)(row, [1])
        return [ops.sub(row, ops.broadcast(reduced, [False, True]))]

    reduced = x.amax() if name == "max" else x.sum()
    run(define(body, [x]), [x], [(x - reduced)[None]])


@pytest.mark.parametrize("is_sliced", [False, True])
def test_parts_beside_the_whole_of_an_input(is_sliced: bool, device: str) -> None:
    """What is extended, or cut out, has loops of its own beside what is computed without."""
    x = whole_numbers(3, 33).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        smaller = ops.neg(t)
        if is_sliced:
            part = ops.neg(ops.slice(smaller, [0, 5], [3, 20]))
        else:
            part = ops.neg(ops.cat([smaller, t, smaller], 1))
        return [ops.abs(t), part]

    part = x[:, 5:20] if is_sliced else -torch.cat([-x, x, -x], 1)
    run(define(body, [x]), [x], [x.abs(), part])


def test_padded_values_that_several_operations_computed(device: str) -> None:
    """All of them are needed for the pad only, and have its loops."""
    x = whole_numbers(12, 9, 30).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        inner = ops.abs(t)
        padded = ops.pad(ops.mul(inner, ops.neg(inner)), [3, 0, 0, 0, 1, 2], 2.0)
        return [ops.where(ops.lt(padded, 1.0), padded, 3.0)]

    padded = torch.nn.functional.pad(-x * x, [3, 0, 0, 0, 1, 2], value=2.0)
    run(define(body, [x]), [x], [torch.where(padded < 1, padded, 3.0)])


@pytest.mark.parametrize("flags", [(0, 1), (1, 2), (0, 2)])
def test_pairs_of_computed_rows(flags: tuple[int, int], device: str) -> None:
    """A tensor that is read along different dimensions of the result."""
    x = whole_numbers(20, 20).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        computed = ops.neg(ops.abs(t))
        one, other = (ops.broadcast(computed, [k == flag for k in range(3)]) for flag in flags)
        return [ops.where(ops.lt(one, other), one, other), computed]

    y = -x.abs()
    pairs = torch.minimum(y.unsqueeze(flags[0]), y.unsqueeze(flags[1]))
    run(define(body, [x]), [x], [pairs, y])


def test_reshapes_of_an_expanded_input(device: str) -> None:
    """What one reshape divides and the next one joins lies as it did."""
    x = whole_numbers(1, 4, 64).to(device).expand(5, 4, 64)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        line = fd.ops.reshape(t, [1280])
        return [fd.ops.neg(line), fd.ops.reshape(line, [128, 10])]

    run(define(body, [x]), [x], [-x.reshape(-1), x.reshape(128, 10)])


def test_scatter_into_an_expanded_input(device: str) -> None:
    x = whole_numbers(40, 1).to(device).expand(40, 64)
    places = torch.arange(64, device=device).flip(0).repeat(40, 1)[:, :10].contiguous()
    written = whole_numbers(40, 10).to(device)

    def body(
        fd: FusionDefinition, t: TensorView, index: TensorView, source: TensorView
    ) -> list[TensorView]:
        return [fd.ops.scatter(fd.ops.neg(t), index, fd.ops.neg(source), 1)]

    reference = (-x).scatter(1, places, -written)
    run(define(body, [x, places, written]), [x, places, written], [reference])


def test_pairs_of_a_column_major_input_across(device: str) -> None:
    """What is read in vectors along the columns is kept along the columns."""
    x = whole_numbers(7, 64).t().to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        one = ops.broadcast(t, [False, True, False])
        other = ops.broadcast(t, [False, False, True])
        return [ops.permute(ops.minimum(one, other), [1, 0, 2])]

    pairs = torch.minimum(x[:, None], x[:, :, None])
    run(define(body, [x]), [x], [pairs.permute(1, 0, 2)])


@pytest.mark.parametrize("is_selected", [False, True])
def test_part_of_pairs(is_selected: bool, device: str) -> None:
    """A slice of pairs leaves out another dimension of each of both: all of the rows are needed."""
    x = whole_numbers(16, 8, 4).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        one = ops.broadcast(t, [False, False, True, False])
        other = ops.broadcast(t, [False, False, False, True])
        pairs = ops.maximum(one, other)
        if is_selected:
            part = ops.select(pairs, fd.define_scalar(3), 3)
        else:
            part = ops.slice(pairs, [0, 0, 1, 2], [16, 8, 3, 4])
        return [part, ops.permute(pairs, [3, 2, 0, 1])]

    pairs = torch.maximum(x[:, :, None], x[:, :, :, None])
    part = pairs[..., 3] if is_selected else pairs[:, :, 1:3, 2:4]
    run(define(body, [x]), [x], [part, pairs.permute(3, 2, 0, 1)])
