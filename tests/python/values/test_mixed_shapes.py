"""Reductions, concatenations and reshapes in all orders: no valid fusion fails to compile.

What one scheduler cannot do in one kernel falls to others, with the fallback to kernels of single
operations disabled.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import random_graphs
import torch
from fusion_testing import define, whole_numbers
from random_graphs import Graph, Value

from nvfuser import DataType, FusionDefinition, TensorView

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
    random_graphs.check_all((SEEDS + seed for seed in seeds), device, add=add_mixed)


# ------------------------------------------------------------------ what was found


def run(fd: FusionDefinition, inputs: list[torch.Tensor], references: list[torch.Tensor]) -> None:
    outputs = fd.execute(inputs, _disable_options=["fallback"])
    for output, reference in zip(outputs, references, strict=True):
        assert torch.equal(output, reference)


def test_row_beside_a_matrix_of_it(device: str) -> None:
    """All blocks have the one row, and one of them writes its maximum."""
    x = torch.randint(-5, 5, (1, 40), device=device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        either = fd.ops.logical_or(fd.ops.ne(t, 0), fd.ops.ne(fd.ops.permute(t, [1, 0]), 0))
        return [fd.ops.cast(fd.ops.max(t, [1]), dtype=DataType.Double), either]

    run(define(body, [x]), [x], [x.amax(1).double(), (x != 0) | (x.t() != 0)])


@pytest.mark.parametrize("shape", [(17, 3, 40), (16, 8, 40), (4, 3, 2)])
def test_pairs_of_transposed_rows_twice(shape: tuple[int, ...], device: str) -> None:
    """One of the two names that the transposed operand has is read along a dimension of its own."""
    x = whole_numbers(*shape).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        y = fd.ops.permute(t, [2, 1, 0])
        rows = fd.ops.broadcast(y, [False, True, False, False])
        columns = fd.ops.broadcast(y, [False, False, True, False])
        smaller = fd.ops.where(fd.ops.lt(rows, columns), rows, columns)
        size = shape[1]
        padded = [fd.ops.pad(smaller, [0, 0, 0, 0, *widths]) for widths in ((0, size), (size, 0))]
        return [fd.ops.cat(padded, 1, manual_padding=True)]

    y = x.permute(2, 1, 0)
    smaller = torch.minimum(y[:, None], y[:, :, None])
    run(define(body, [x]), [x], [torch.cat([smaller, smaller], 1)])


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


def test_computed_sizes_that_must_be_one(device: str) -> None:
    """A size expanded to 1 is one that broadcasts, and an error where it is not 1."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.Float)
        y = fd.define_tensor([17], True, DataType.Float)
        stop = fd.define_scalar(DataType.Int)
        part = fd.ops.slice(x, [2], [stop], manual_normalization=False)
        fd.add_output(fd.ops.mul(fd.ops.expand(part, [1]), y))
    x, y = torch.randn(8, device=device), torch.randn(17, device=device)
    torch.testing.assert_close(fd.execute([x, y, 3])[0], x[2:3] * y)
    with pytest.raises(RuntimeError, match="1"):
        fd.execute([x, y, 5])
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], [True, None], DataType.Float)
        fd.add_output(fd.ops.expand(fd.ops.expand(x, [4, 1]), [4, 5]))
    column = torch.randn(4, 1, device=device)
    torch.testing.assert_close(fd.execute([column])[0], column.expand(4, 5))
    with pytest.raises(RuntimeError, match="1"):
        fd.execute([column.expand(4, 3)])


def test_reductions_beside_one_that_is_expanded(device: str) -> None:
    """Whose elements must not be counted for each place along the dimension that it lacks."""
    g = torch.randn(2, 32, device=device)
    for x in (
        torch.randn(2, 32, 16, device=device).transpose(1, 2),
        torch.randn(2, 16, 32, device=device),
    ):

        def body(fd: FusionDefinition, g: TensorView, x: TensorView) -> list[TensorView]:
            expanded = fd.ops.expand(fd.ops.broadcast(g, [False, True, False]), [2, 16, 32])
            first = fd.ops.sum(expanded, [2], keepdim=True)
            second = fd.ops.sum(fd.ops.mul(expanded, x), [2], keepdim=True)
            return [fd.ops.sub(fd.ops.sub(expanded, first), fd.ops.mul(x, second)), first, second]

        wide = g[:, None].expand(2, 16, 32)
        first, second = wide.sum(2, keepdim=True), (wide * x).sum(2, keepdim=True)
        outputs = define(body, [g, x]).execute([g, x])
        for output, right in zip(outputs, (wide - first - x * second, first, second), strict=True):
            torch.testing.assert_close(output, right, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("is_static", [False, True])
def test_input_in_two_views_of_one_kernel(is_static: bool, device: str) -> None:
    """The way through the input's own view carries no loops over: no thread computes all of it."""
    x, mean = whole_numbers(3, 4, 4, 4).to(device), whole_numbers(3, 2).to(device)

    def body(fd: FusionDefinition, t: TensorView, m: TensorView) -> list[TensorView]:
        ops = fd.ops
        apart = ops.sub(ops.reshape(t, [3, 2, 32]), ops.reshape(m, [3, 2, 1]))
        doubled = ops.reshape(ops.mul(apart, 2.0), [3, 4, 4, 4])
        return [doubled, ops.mul(doubled, t)]

    doubled = ((x.reshape(3, 2, 32) - mean.reshape(3, 2, 1)) * 2).reshape(3, 4, 4, 4)
    run(define(body, [x, mean], is_static), [x, mean], [doubled, doubled * x])


@pytest.mark.parametrize("shapes", [((2, 3, 5, 8), (2, 4, 5, 8)), ((7, 8), (3, 8)), ((5,), (2, 9))])
def test_outputs_with_dimensions_of_their_own(
    shapes: tuple[tuple[int, ...], ...], device: str
) -> None:
    # All read one tensor, computed and not, and one number.
    columns = shapes[0][-1]
    number, row = whole_numbers(1)[0].to(device), whole_numbers(columns).to(device)
    tensors = [whole_numbers(*shape).to(device) for shape in shapes]

    def body(fd: FusionDefinition, number: Any, row: Any, *tensors: Any) -> list[TensorView]:
        twice = fd.ops.add(row, row)
        scale = fd.ops.mul(number, 3.0)
        outputs = []
        for tensor, shape in zip(tensors, shapes, strict=True):
            total = fd.ops.mul(tensor, scale)
            if shape[-1] == columns:
                total = fd.ops.add(fd.ops.add(total, row), twice)
            outputs.append(fd.ops.add(total, number))
        return outputs

    fd = define(body, [number, row, *tensors])
    for output, tensor in zip(fd.execute([number, row, *tensors]), tensors, strict=True):
        expected = tensor * (number * 3) + number
        if tensor.shape[-1] == columns:
            expected = expected + 3 * row
        assert torch.equal(output, expected)


def test_view_of_an_input_beside_what_is_computed_again(device: str) -> None:
    """The squeezed input is returned as it lies, though what reads it is computed elsewhere."""
    x = whole_numbers(65, 1, 150).to(device)

    def body(fd: FusionDefinition, x: Any) -> list[TensorView]:
        view = fd.ops.squeeze(x, [1])
        ones = fd.ops.permute(
            fd.ops.reshape(fd.ops.full([300], 1.0, DataType.Float), [150, 2]), [1, 0]
        )
        first = fd.ops.squeeze(fd.ops.slice(ones, [0, 0], [1, 150]), [0])
        return [fd.ops.sum(fd.ops.add(view, first), [0]), view]

    expected = x.squeeze(1)
    run(define(body, [x]), [x], [(expected + 1).sum(0), expected])


def test_output_that_is_computed_again_for_another_output(device: str) -> None:
    """The copy is a value of each thread: the memory of the output is that of the original."""
    x = whole_numbers(2, 7, 2).to(device)

    def body(fd: FusionDefinition, x: Any) -> list[TensorView]:
        ops = fd.ops
        least = ops.minimum(
            ops.broadcast(x, [True, False, False, False]),
            ops.broadcast(x, [False, True, False, False]),
        )
        both = ops.add(
            ops.broadcast(least, [False, False, True, False, False]),
            ops.broadcast(least, [False, False, False, True, False]),
        )
        return [ops.reshape(both, [392]), least, x]

    least = torch.minimum(x[None], x[:, None])
    expected = (least[:, :, None] + least[:, :, :, None]).reshape(392)
    run(define(body, [x], True), [x], [expected, least, x])
