"""topk and argsort against torch, alone and between generated kernels."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import FLOATS, INTEGERS, define, dtype_id, make_tensor, run, run_one

from nvfuser import DataType, FusionDefinition


def distinct(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> torch.Tensor:
    """Return a tensor without equal elements: which of those comes first is not defined."""
    count = torch.Size(shape).numel()
    generator = torch.Generator().manual_seed(3)
    return torch.randperm(count, generator=generator).reshape(shape).to(device, dtype) - count // 2


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=dtype_id)
@pytest.mark.parametrize("largest", [True, False])
def test_topk(largest: bool, dtype: torch.dtype, device: str) -> None:
    x = distinct((5, 7, 6), dtype, device)
    for dim in (0, 1, -1):
        values, indices, doubled = run(
            lambda fd, t, n, dim=dim: [
                *fd.ops.topk(t, n, dim, largest, True),
                fd.ops.topk(fd.ops.neg(t), n, dim, not largest, True)[0] * 2.0,
            ],
            [x, 3],
        )
        expected = x.topk(3, dim, largest, True)
        assert values.dtype == dtype
        assert indices.dtype == torch.int64
        assert torch.equal(values, expected.values)
        assert torch.equal(indices, expected.indices)
        negated = torch.neg(x).topk(3, dim, not largest, True)
        assert torch.equal(doubled.double(), negated.values.double() * 2)


def test_topk_that_is_not_sorted(device: str) -> None:
    x = distinct((4, 50), torch.float32, device)
    values, indices = run(lambda fd, t, n: fd.ops.topk(t, n), [x, 20])
    assert torch.equal(values.sort(-1).values, x.topk(20).values.sort(-1).values)
    assert torch.equal(x.gather(1, indices), values)


@pytest.mark.parametrize("k", [0, 1, 6], ids=str)
def test_number_of_elements(k: int, device: str) -> None:
    x = distinct((3, 6), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        values, indices = fd.ops.topk(t, fd.define_scalar(k), sorted=True)
        fd.add_output(fd.ops.relu(values))
        fd.add_output(indices)
    values, indices = fd.execute([x])
    assert torch.equal(values, x.topk(k).values.relu())
    assert torch.equal(indices, x.topk(k).indices)


def test_number_may_change(device: str) -> None:
    x = distinct((3, 6), torch.float32, device)
    fd = define(lambda fd, t, n: fd.ops.topk(t, n, sorted=True)[0] + 1.0, [x, 2])
    for k in (2, 5, 2, 0, 6):
        assert torch.equal(fd.execute([x, k])[0], x.topk(k).values + 1)


def test_only_one_of_the_results(device: str) -> None:
    x = distinct((3, 6), torch.float32, device)
    assert torch.equal(
        run_one(lambda fd, t, n: fd.ops.topk(t, n, sorted=True)[1], [x, 2]), x.topk(2).indices
    )


def test_outputs_of_the_caller(device: str) -> None:
    x = distinct((3, 6), torch.float32, device)
    fd = define(lambda fd, t, n: fd.ops.topk(t, n, sorted=True), [x, 2])
    given = torch.zeros(3, 2, dtype=torch.int64, device=device)
    values, indices = fd.execute([x, 2], outputs=[None, given])
    assert indices is given
    assert torch.equal(given, x.topk(2).indices)
    assert torch.equal(values, x.topk(2).values)


def test_0_dim(device: str) -> None:
    x = torch.tensor(3.5, device=device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[], dtype=DataType.Float)
        for output in (*fd.ops.topk(t, fd.define_scalar(1)), fd.ops.argsort(t, 0)):
            fd.add_output(output)
    values, indices, order = fd.execute([x])
    assert values.item() == 3.5
    assert [indices.item(), order.item()] == [0, 0]
    assert [t.shape for t in (values, indices, order)] == [torch.Size([])] * 3


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("dim", [0, 1, -1], ids=str)
def test_argsort(dim: int, descending: bool, device: str) -> None:
    x = distinct((5, 7, 6), torch.float32, device)
    order, ranks, sorted_values = run(
        lambda fd, t: [
            fd.ops.argsort(t, dim, descending),
            fd.ops.argsort(fd.ops.argsort(fd.ops.neg(t), dim, not descending), dim),
            fd.ops.gather(t, fd.ops.argsort(t, dim, descending), dim),
        ],
        [x],
    )
    expected = x.argsort(dim, descending)
    assert torch.equal(order, expected)
    assert torch.equal(ranks, expected.argsort(dim))
    assert torch.equal(sorted_values, x.sort(dim, descending).values)


def test_stable_argsort(device: str) -> None:
    x = make_tensor((6, 40), torch.int64, device, 0, 3)
    order = run_one(lambda fd, t: fd.ops.argsort(t, dim=1, stable=True), [x])
    assert torch.equal(order, x.argsort(dim=1, stable=True))


def test_results_are_contiguous(device: str) -> None:
    x = distinct((3, 4, 5), torch.float32, device).permute(2, 0, 1)
    outputs = run(
        lambda fd, t, n: [fd.ops.argsort(t, 0), *fd.ops.topk(t, n, 0)],
        [x, 5],
    )
    assert torch.equal(outputs[0], x.argsort(0))
    assert [t.stride() for t in outputs] == [(12, 4, 1)] * 3


def test_without_elements(device: str) -> None:
    x = torch.zeros(0, 5, device=device)
    values, indices, order = run(
        lambda fd, t, n: [*fd.ops.topk(t, n), fd.ops.argsort(t, 1)], [x, 2]
    )
    assert [t.shape for t in (values, indices, order)] == [(0, 2), (0, 2), (0, 5)]


# ----------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("k", "message"), [(-5, "Invalid resized domain extent"), (16, "k .* range")]
)
@pytest.mark.parametrize("constant", [True, False])
def test_number_out_of_range(k: int, message: str, constant: bool, device: str) -> None:
    x = distinct((3, 6), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        n = fd.define_scalar(k) if constant else fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.topk(t, n)[0])
    with pytest.raises(RuntimeError, match=message):
        fd.execute([x] if constant else [x, k])


@pytest.mark.parametrize("dim", [2, -3], ids=str)
def test_dimension_out_of_range(dim: int) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1])
        k = fd.define_scalar(dtype=DataType.Int)
        message = "Tried to access out of boundary index"
        with pytest.raises(RuntimeError, match=message):
            fd.ops.topk(t, k, dim)
        with pytest.raises(RuntimeError, match=message):
            fd.ops.argsort(t, dim)


def test_operands_that_do_not_fit() -> None:
    def number(fd: FusionDefinition, dtype: DataType) -> Any:
        return fd.define_scalar(dtype=dtype)

    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1])
        z = fd.define_tensor(shape=[-1], dtype=DataType.ComplexFloat)
        with pytest.raises(RuntimeError, match="Expected k to be an integer scalar"):
            fd.ops.topk(t, number(fd, DataType.Double))
        with pytest.raises(RuntimeError, match="complex numbers have no order"):
            fd.ops.argsort(z, 0)
        with pytest.raises(TypeError):
            fd.ops.argsort(t)
