"""scatter against torch, alone and between generated kernels."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import FLOATS, INDICES, INTEGERS, dtype_id, make_tensor, run, run_one

from nvfuser import DataType, FusionDefinition


def positions(shape: tuple[int, ...], dim: int, size: int, device: str) -> torch.Tensor:
    """Different positions along a dimension of that size for each line of the index."""
    order = torch.rand(*shape[:dim], size, *shape[dim + 1 :]).argsort(dim)
    return order.narrow(dim, 0, shape[dim]).contiguous().to(device)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool, torch.complex64], ids=dtype_id)
@pytest.mark.parametrize("index_dtype", INDICES, ids=dtype_id)
def test_dtypes(dtype: torch.dtype, index_dtype: torch.dtype, device: str) -> None:
    x = make_tensor((5, 7), dtype, device)
    src = make_tensor((5, 7), dtype, device, seed=1)
    index = positions((5, 7), 1, 7, device)
    output = run_one(
        lambda fd, t, i, s: fd.ops.scatter(t, i, s, 1), [x, index.to(index_dtype), src]
    )
    assert output.dtype == dtype
    assert torch.equal(output, x.scatter(1, index, src))


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_dimensions(dim: int, device: str) -> None:
    x = make_tensor((4, 6, 5), torch.float32, device)
    src = make_tensor((4, 6, 5), torch.float32, device, seed=1)
    # The index is smaller than both.
    index = positions((3, 2, 3), dim % 3, x.shape[dim], device)
    output = run_one(lambda fd, t, i, s: fd.ops.scatter(t, i, s, dim), [x, index, src])
    assert torch.equal(output, x.scatter(dim, index, src))


def test_neighbours(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    src = make_tensor((6, 9), torch.float32, device, seed=1)
    index = positions((6, 9), 0, 6, device)

    def body(fd: FusionDefinition, t: Any, i: Any, s: Any) -> list[Any]:
        ops = fd.ops
        written = ops.scatter(ops.neg(t), ops.sub(ops.add(i, 1), 1), ops.mul(s, 2.0), 0)
        return [ops.relu(written), ops.sum(written, [1]), ops.add(t, 1.0)]

    output, sums, plus = run(body, [x, index, src])
    expected = (-x).scatter(0, index, 2 * src)
    assert torch.equal(output, expected.relu())
    torch.testing.assert_close(sums, expected.sum(1))
    assert torch.equal(plus, x + 1)


def test_scalar(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    index = positions((2, 9), 0, 6, device)
    constant, given = run(
        lambda fd, t, i, s: [
            fd.ops.scatter(t, i, fd.define_scalar(2.5), 0),
            fd.ops.scatter(t, i, s, -2),
        ],
        [x, index, -1.5],
    )
    assert torch.equal(constant, x.scatter(0, index, 2.5))
    assert torch.equal(given, x.scatter(0, index, -1.5))


def test_layouts_and_empty_tensors(device: str) -> None:
    x = make_tensor((9, 6), torch.float32, device).t()
    src = make_tensor((1, 9), torch.float32, device).expand(6, 9)
    index = positions((6, 4), 1, 9, device)
    output = run_one(lambda fd, t, i, s: fd.ops.scatter(t, i, s, 1), [x, index, src])
    assert torch.equal(output, x.scatter(1, index, src))
    none = torch.zeros((0, 4), dtype=torch.int64, device=device)
    output = run_one(lambda fd, t, i, s: fd.ops.scatter(t, i, s, 1), [x, none, src])
    assert torch.equal(output, x)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_fused(dim: int, device: str) -> None:
    """What is copied, what is written and what is computed from the result is one kernel."""
    x = make_tensor((7, 20, 33), torch.float32, device)
    src = make_tensor((7, 20, 33), torch.float32, device, seed=1)
    row = make_tensor((1, 20, 1), torch.float32, device, seed=2)
    index = positions(tuple(x.shape), dim, x.shape[dim], device)

    def body(fd: FusionDefinition, t: Any, i: Any, s: Any, r: Any) -> list[Any]:
        ops = fd.ops
        written = ops.scatter(ops.mul(t, r), ops.add(ops.neg(i), x.shape[dim] - 1), ops.exp(s), dim)
        return [ops.relu(written), ops.add(written, r), written]

    positive, plus, written = run(body, [x, index, src, row])
    expected = (x * row).scatter(dim, x.shape[dim] - 1 - index, src.exp())
    torch.testing.assert_close(written, expected)
    torch.testing.assert_close(positive, expected.relu())
    torch.testing.assert_close(plus, expected + row)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=dtype_id)
@pytest.mark.parametrize(
    ("shape", "written"),
    [
        ((140, 512), (140, 512)),
        ((140, 2053), (137, 2000)),
        ((12, 13, 600), (10, 7, 590)),
        ((140, 5000), (140, 5000)),
        ((140, 13000), (140, 100)),
        ((140, 1), (140, 1)),
    ],
)
def test_many_rows(
    shape: tuple[int, ...], written: tuple[int, ...], dtype: torch.dtype, device: str
) -> None:
    """On CUDA, rows that are short enough are written in shared memory."""
    x = make_tensor(shape, dtype, device)
    src = make_tensor(shape, dtype, device, seed=1)
    index = positions(written, len(shape) - 1, shape[-1], device)

    def body(fd: FusionDefinition, t: Any, i: Any, s: Any) -> list[Any]:
        output = fd.ops.scatter(t, i, s, -1)
        return [fd.ops.mul(output, 2.0), output]

    doubled, output = run(body, [x, index, src])
    expected = x.scatter(-1, index, src)
    assert torch.equal(output, expected)
    assert torch.equal(doubled, (2 * expected).to(doubled.dtype))


def test_common_operands(device: str) -> None:
    """A tensor may be several operands, and what two of them are computed from stands apart."""
    index = positions((4, 5), 1, 5, device)
    output = run_one(lambda fd, i: fd.ops.scatter(i, i, i, 1), [index])
    assert torch.equal(output, index.scatter(1, index, index))
    x = make_tensor((5, 5), torch.float32, device)
    index = positions((5, 5), 1, 5, device)

    def body(fd: FusionDefinition, t: Any, j: Any) -> list[Any]:
        ops = fd.ops
        negative = ops.neg(t)
        written = ops.scatter(negative, j, ops.mul(negative, 2.0), 1)
        again = ops.scatter(written, ops.permute(j, [1, 0]), negative, 0)
        return [ops.sub(again, negative), negative]

    output, negative = run(body, [x, index])
    assert torch.equal(negative, -x)
    again = (-x).scatter(1, index, -2 * x).scatter(0, index.t(), -x)
    assert torch.equal(output, again + x)


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("shape", [(3, 5), (40000, 17), (17, 140000)])
def test_last_of_several_stays(dim: int, shape: tuple[int, int]) -> None:
    """On the CPU, whatever the number of threads."""
    x = make_tensor(shape, torch.float32, "cpu")
    src = make_tensor(shape, torch.float32, "cpu", seed=1)
    index = torch.randint(0, min(shape[dim], 50), shape)
    order = torch.arange(shape[dim]).reshape(-1, 1) if dim == 0 else torch.arange(shape[dim])
    last = torch.full(shape, -1).scatter_reduce(dim, index, order.expand(shape), "amax")
    expected = torch.where(last < 0, x, src.gather(dim, last.clamp(min=0)))
    plain = run_one(lambda fd, t, i, s: fd.ops.scatter(t, i, s, dim), [x, index, src])
    assert torch.equal(plain, expected)
    doubled = run_one(
        lambda fd, t, i, s: fd.ops.mul(fd.ops.scatter(t, i, s, dim), 2.0), [x, index, src]
    )
    assert torch.equal(doubled, 2 * expected)


def test_index_smaller_than_computed_operands(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    src = make_tensor((8, 12), torch.float32, device, seed=1)
    index = positions((5, 7), 0, 6, device)
    output = run_one(
        lambda fd, t, i, s: fd.ops.neg(
            fd.ops.scatter(fd.ops.neg(t), fd.ops.add(fd.ops.neg(i), 5), fd.ops.neg(s), 0)
        ),
        [x, index, src],
    )
    assert torch.equal(output, x.scatter(0, 5 - index, src))


def test_sizes_and_layouts_of_one_fusion(device: str) -> None:
    with FusionDefinition() as fd:
        x, src = (fd.define_tensor(shape=[-1] * 4, dtype=DataType.Float) for _ in range(2))
        index = fd.define_tensor(shape=[-1] * 4, dtype=DataType.Int)
        fd.add_output(fd.ops.scatter(x, index, src, 1))
    for shape, part in (
        ((2, 6, 4, 3), (2, 6, 4, 3)),
        ((2, 6, 4, 3), (1, 5, 4, 2)),
        ((1, 1, 3, 3), (1, 1, 3, 3)),
        ((2, 6, 4, 3), (2, 0, 4, 3)),
        ((0, 6, 4, 3), (0, 6, 4, 3)),
    ):
        given = make_tensor(shape, torch.float32, device)
        written = make_tensor(shape, torch.float32, device, seed=1)
        at = positions(part, 1, shape[1], device)
        expected = given.scatter(1, at, written)
        for layout in (torch.contiguous_format, torch.channels_last):
            (output,) = fd.execute([given.contiguous(memory_format=layout), written, at])
            assert torch.equal(output, expected)


def test_update_in_place(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    src = make_tensor((6, 9), torch.float32, device, seed=1)
    index = positions((6, 9), 0, 6, device)
    expected = x.scatter(0, index, src + x)
    with FusionDefinition() as fd:
        t, s = (fd.define_tensor(shape=[-1, -1], dtype=DataType.Float) for _ in range(2))
        i = fd.define_tensor(shape=[-1, -1], dtype=DataType.Int)
        fd.add_output(fd.ops.scatter(t, i, fd.ops.add(s, t), 0), t)
    fd.execute([x, src, index])
    assert torch.equal(x, expected)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((4, 5), (5, 5), (5, 5)), "dimension 0 of the index .* is 5, larger"),
        (((4, 5), (4, 5), (4, 4)), "dimension 1 of the index .* is 5, larger"),
        (((4, 0), (4, 5), (4, 5)), "which has size 0"),
    ],
)
def test_sizes_that_do_not_match(
    shapes: tuple[tuple[int, int], ...], message: str, device: str
) -> None:
    x, src = (torch.zeros(shape, device=device) for shape in (shapes[0], shapes[2]))
    index = torch.zeros(shapes[1], dtype=torch.int64, device=device)
    with pytest.raises(RuntimeError, match=message):
        run_one(lambda fd, t, i, s: fd.ops.scatter(t, i, s, 1), [x, index, src])


@pytest.mark.parametrize("position", [4, -1])
def test_positions_that_do_not_exist(position: int) -> None:
    """On CUDA torch stops the program: what is checked is the CPU."""
    x = make_tensor((3, 4), torch.float32, "cpu")
    index = torch.full((3, 1), position)
    with pytest.raises(RuntimeError, match="Index out of range: scatter along dimension 1"):
        run_one(lambda fd, t, i: fd.ops.scatter(t, i, t, 1), [x, index])


@pytest.mark.parametrize("shape", [(1, 3), (8, 1)])
def test_what_is_written_into_is_expanded(shape: tuple[int, int], device: str) -> None:
    x = make_tensor(shape, torch.float32, device).expand(8, 3)
    index = torch.tensor([[0], [2]], device=device)
    src = torch.tensor([[9.0], [7.0]], device=device)
    expected = x.clone(memory_format=torch.contiguous_format).scatter(1, index, src)
    alone, computed, symbolic = run(
        lambda fd, x, index, src, part, rows: [
            fd.ops.scatter(x, index, src, 1),
            fd.ops.scatter(fd.ops.neg(x), index, src, 1),
            fd.ops.scatter(fd.ops.expand(part, [rows, -1]), index, src, 1),
        ],
        [x, index, src, x[:1].contiguous(), 8],
    )
    assert torch.equal(alone, expected)
    assert torch.equal(symbolic, x[:1].repeat(8, 1).scatter(1, index, src))
    assert torch.equal(computed, (-x).contiguous().scatter(1, index, src))
