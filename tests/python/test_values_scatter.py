"""scatter against torch, alone and between generated kernels."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import FLOATS, INTEGERS, dtype_id, make_tensor, run, run_one

from nvfuser import FusionDefinition


def positions(shape: tuple[int, ...], dim: int, size: int, device: str) -> torch.Tensor:
    """Different positions along a dimension of that size for each line of the index."""
    order = torch.rand(*shape[:dim], size, *shape[dim + 1 :]).argsort(dim)
    return order.narrow(dim, 0, shape[dim]).contiguous().to(device)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool, torch.complex64], ids=dtype_id)
@pytest.mark.parametrize("index_dtype", INTEGERS, ids=dtype_id)
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


@pytest.mark.parametrize("position", [4, -1])
def test_positions_that_do_not_exist(position: int) -> None:
    """On CUDA torch stops the program: what is checked is the CPU."""
    x = make_tensor((3, 4), torch.float32, "cpu")
    index = torch.full((3, 1), position)
    with pytest.raises(RuntimeError, match="out of bounds"):
        run_one(lambda fd, t, i: fd.ops.scatter(t, i, t, 1), [x, index])
