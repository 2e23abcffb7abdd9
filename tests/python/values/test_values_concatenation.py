"""Concatenation against torch: alone, of computed parts, of views, and with what follows fused."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from fusion_testing import FLOATS, INTEGERS, define, dtype_id, make_tensor, run, run_one

from nvfuser import FusionDefinition

SHAPES: list[tuple[list[tuple[int, ...]], int]] = [
    ([(3,), (4,)], 0),
    ([(40000,), (1,), (7,)], 0),
    ([(3, 4), (3, 4)], 0),
    ([(3, 4), (5, 4), (1, 4)], -2),
    ([(3, 4), (3, 5)], 1),
    ([(3, 1), (3, 1), (3, 7)], -1),
    ([(2, 3, 5), (2, 1, 5), (2, 9, 5)], 1),
    ([(0, 4), (3, 4), (1, 4)], 0),
    ([(3, 0), (3, 0)], 1),
    ([(0, 4), (0, 4)], 1),
    ([(3, 4)], 1),
]


def make_all(
    shapes: Sequence[tuple[int, ...]], device: str, dtype: torch.dtype = torch.float32
) -> list[torch.Tensor]:
    return [make_tensor(shape, dtype, device, seed=i) for i, shape in enumerate(shapes)]


@pytest.mark.parametrize("kept", [(0, 1), (1, 2), (0, 2)], ids=str)
@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=str)
@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_cat_of_a_repeated_row(
    static: bool, order: list[int], kept: tuple[int, int], device: str
) -> None:
    """A row of which all positions take part, beside one that has a place of its own."""
    x = make_tensor((2, 3), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        part = fd.ops.slice(t, [kept[0], 0], [kept[1], 3])
        rows = fd.ops.expand(fd.ops.slice(part, [0, 0], [1, 3]), [4, 3])
        column = fd.ops.expand(fd.ops.broadcast(fd.ops.abs(rows), [False, False, True]), [4, 3, 2])
        flat = fd.ops.cat([column, fd.ops.neg(column)], 2)
        stored = fd.ops.stride_order(fd.ops.cat([rows, part], 0), order)
        return [stored, fd.ops.pad(rows, [1, 1, 0, 2]), flat]

    part = x[kept[0] : kept[1]]
    rows = part[:1].expand(4, 3)
    column = rows.abs().unsqueeze(2).expand(4, 3, 2)
    stored, padded, flat = run(body, [x], static)
    assert torch.equal(stored, torch.cat([rows, part]))
    assert torch.equal(padded, torch.nn.functional.pad(rows, (1, 1, 0, 2)))
    assert torch.equal(flat, torch.cat([column, -column], 2))


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize(("shapes", "dim"), SHAPES, ids=str)
def test_cat(shapes: list[tuple[int, ...]], dim: int, static: bool, device: str) -> None:
    inputs = make_all(shapes, device)
    fd = define(lambda fd, *t: fd.ops.cat(list(t), dim), inputs, static)
    (output,) = fd.execute(inputs)
    assert torch.equal(output, torch.cat(inputs, dim))


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool, torch.complex64], ids=dtype_id)
def test_cat_dtypes(dtype: torch.dtype, device: str) -> None:
    inputs = make_all([(5, 4), (5, 70)], device, dtype)
    output = run_one(lambda fd, a, b: fd.ops.cat([a, b], 1), inputs)
    assert output.dtype == dtype
    assert torch.equal(output, torch.cat(inputs, 1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("start", [16, 6, 3])
def test_parts_of_whole_vectors(start: int, dtype: torch.dtype, device: str) -> None:
    """Parts that begin and end where vectors do are read and written in these, others are not."""
    x, y = make_all([(5, 64), (5, 64 + start)], device, dtype)

    def body(fd: FusionDefinition, a: Any, b: Any) -> list[Any]:
        ops = fd.ops
        bounds = ([0, start], [5, 64 + start])
        return [
            ops.cat([ops.relu(a), ops.relu(b), ops.relu(a)], 1),
            ops.relu(ops.slice(b, *bounds)),
            ops.pad(ops.relu(a), [start, 2 * start]),
            ops.mul(ops.slice(b, [0, 0], [5, 64]), ops.slice(b, *bounds)),
        ]

    a, b = x.float(), y.float()
    expected = [
        torch.cat([a, b, a], 1).relu(),
        b[:, start:].relu(),
        torch.nn.functional.pad(a.relu(), [start, 2 * start]),
        b[:, :64] * b[:, start:],
    ]
    for output, reference in zip(run(body, [x, y]), expected, strict=True):
        torch.testing.assert_close(output.float(), reference)


@pytest.mark.parametrize("dim", [0, 1])
def test_cat_of_computed_parts_is_one_kernel(dim: int, device: str) -> None:
    inputs = make_all([(6, 7), (6, 7)], device)

    def body(fd: FusionDefinition, a: Any, b: Any) -> Any:
        parts = [fd.ops.mul(a, 3.0), fd.ops.neg(b), fd.ops.add(a, 1.0)]
        return fd.ops.relu(fd.ops.cat(parts, dim))

    fd = define(body, inputs)
    (output,) = fd.execute(inputs)
    a, b = inputs
    assert torch.equal(output, torch.cat([a * 3, -b, a + 1], dim).relu())
    assert fd.fec.get_most_recent_scheduled_ir().count("%kernel {") == 1


def test_cat_of_views(device: str) -> None:
    wide, base = make_all([(6, 3), (1, 3)], device)
    permuted = make_tensor((3, 6), torch.float32, device).t()
    expanded = base.expand(4, 3)
    column = make_tensor((4, 1), torch.float32, device).expand(4, 3)
    for inputs, dim in [
        ([wide, permuted], 0),
        ([wide, permuted], 1),
        ([expanded, wide], 0),
        ([expanded, column], 1),
        ([column, column], 0),
    ]:
        output = run_one(lambda fd, a, b, dim=dim: fd.ops.cat([a, b], dim), inputs)
        assert torch.equal(output, torch.cat(inputs, dim))


@pytest.mark.parametrize("dim", [0, 1])
def test_cat_of_the_same_tensor(dim: int, device: str) -> None:
    x = make_tensor((6, 8), torch.float32, device)
    alone, computed, reshaped, reshaped_unknown = define(
        lambda fd, t: [
            fd.ops.cat([t, t], dim),
            fd.ops.cat([fd.ops.neg(t)] * 3, dim),
            fd.ops.cat([fd.ops.reshape(t, [12, 4])] * 2, dim),
            fd.ops.cat([fd.ops.reshape(t, [12, 4]), fd.ops.reshape(t, [-1, 4])], dim),
        ],
        [x],
    ).execute([x])
    assert torch.equal(alone, torch.cat([x, x], dim))
    assert torch.equal(computed, torch.cat([-x, -x, -x], dim))
    assert torch.equal(reshaped, torch.cat([x.view(12, 4)] * 2, dim))
    assert torch.equal(reshaped_unknown, reshaped)


@pytest.mark.parametrize("shape", [(16, 3, 300), (40, 1, 50)], ids=str)
def test_parts_that_lie_across(shape: tuple[int, ...], device: str) -> None:
    # A part that is computed, with tiles of the input in front, and one that is only padded.
    x = make_tensor(shape[::-1], torch.float64, device).round().permute(2, 1, 0)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        is_set = fd.ops.logical_or(fd.ops.cast(t, dtype=bool), fd.ops.ne(t, 0.0))
        return [fd.ops.cat([fd.ops.cast(is_set, dtype=torch.float64), t], 1)]

    (result,) = run(body, [x])
    assert torch.equal(result, torch.cat([x.bool().double(), x], 1))


def test_rotation_of_halves(device: str) -> None:
    x, cos, sin = make_all([(4, 6, 8), (6, 8), (6, 8)], device)

    def body(fd: FusionDefinition, x: Any, cos: Any, sin: Any) -> Any:
        ops = fd.ops
        doubled = ops.mul(x, 2.0)
        first = ops.slice(doubled, [0, 0, 0], [4, 6, 4])
        second = ops.slice(doubled, [0, 0, 4], [4, 6, 8])
        rotated = ops.cat([ops.neg(second), first], -1)
        return ops.add(ops.mul(doubled, cos), ops.mul(rotated, sin))

    output = run_one(body, [x, cos, sin])
    doubled = x * 2
    rotated = torch.cat([-doubled[..., 4:], doubled[..., :4]], -1)
    torch.testing.assert_close(output, doubled * cos + rotated * sin)


def test_cat_with_reductions(device: str) -> None:
    x = make_tensor((6, 8), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        ops = fd.ops
        whole = ops.cat([t, ops.neg(t)], 0)
        return [
            ops.sum(whole, [1]),
            ops.sum(whole, [0]),
            ops.cat([ops.sum(t, [1], True), ops.neg(t)], 1),
            ops.pad(ops.cat([t, t], 0), [1, 1]),
        ]

    sums, totals, mixed, padded = define(body, [x]).execute([x])
    torch.testing.assert_close(sums, torch.cat([x, -x]).sum(1))
    torch.testing.assert_close(totals, torch.cat([x, -x]).sum(0), atol=1e-5, rtol=0)
    torch.testing.assert_close(mixed, torch.cat([x.sum(1, True), -x], 1))
    assert torch.equal(padded, torch.nn.functional.pad(torch.cat([x, x]), [1, 1]))


def test_many_parts(device: str) -> None:
    inputs = make_all([(3, 1 + i % 4) for i in range(50)], device)
    output = run_one(lambda fd, *t: fd.ops.cat(list(t), 1), inputs)
    assert torch.equal(output, torch.cat(inputs, 1))


def test_nested_concatenations(device: str) -> None:
    x = make_tensor((3, 2), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        for i in range(6):
            t = fd.ops.add(fd.ops.cat([t, t], i % 2), 1.0)
        return t

    expected = x
    for i in range(6):
        expected = torch.cat([expected, expected], i % 2) + 1
    assert torch.equal(run_one(body, [x]), expected)


def test_parts_are_computed_once(device: str) -> None:
    """Time is linear in the size of what several pads read."""
    x = make_tensor((2048, 64), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.cat([fd.ops.exp(t)] * 2, 0), [x])
    fd.execute([x])
    begin = time.perf_counter()
    fd.execute([x])
    # Each row for each row would be 500 times this.
    assert time.perf_counter() - begin < 0.2


@pytest.mark.parametrize("shapes", [[(3, 4), (3, 5)], [(3, 4), (3, 1)]], ids=str)
def test_other_sizes_must_match(shapes: list[tuple[int, ...]], device: str) -> None:
    inputs = make_all(shapes, device)
    with pytest.raises(RuntimeError, match="a conflict was found with 2 different sizes"):
        run_one(lambda fd, a, b: fd.ops.cat([a, b], 0), inputs)


def test_manual_padding(device: str) -> None:
    a, b = make_all([(3, 4), (3, 2)], device)
    output = run_one(
        lambda fd, a, b: fd.ops.cat(
            [fd.ops.pad(a, [0, 2]), fd.ops.pad(b, [4, 0])], 1, manual_padding=True
        ),
        [a, b],
    )
    assert torch.equal(output, torch.cat([a, b], 1))
