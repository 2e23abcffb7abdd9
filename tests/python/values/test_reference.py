"""Outputs that are validated against torch, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import interface
import pytest
import torch
from fusion_testing import dtype_id, make_tensor

import nvfuser
from nvfuser import DataType, FusionDefinition, validate_with_auto_inferred_outputs

RANDOM = {"rand_like", "randn_like"}
# What is defined on some types only.
INTEGERS_ONLY = {
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "gcd",
    "logical_right_shift",
    "mod",
}
DTYPES = [torch.float32, torch.bfloat16, torch.int64]


def test_tolerances_are_those_of_what_is_returned(device: str) -> None:
    """A sum that is only written into an input does not count."""
    x, total = make_tensor((4, 1024), torch.float32, device), torch.zeros(4, device=device)
    with FusionDefinition() as fd:
        t, s = fd.from_pytorch(x), fd.from_pytorch(total)
        fd.add_output(fd.ops.sum(t, [1]), s)
        fd.add_output(fd.ops.neg(t))
        fd.add_output(fd.ops.sum(t, [1]))
    narrow, wide = nvfuser.get_val_tolerances(fd.fusion, [x, total])
    assert len(fd.fusion.outputs()) == 3
    assert narrow[0] < wide[0]
    fd.validate([x, total], [-x, x.sum(1)])
    torch.testing.assert_close(total, x.sum(1), atol=1e-4, rtol=1e-5)


@pytest.mark.parametrize("dim", [0, 1, -1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool], ids=dtype_id)
def test_concatenations(dim: int, dtype: torch.dtype, device: str) -> None:
    shapes = [(3, 4), (2, 4), (0, 4)] if dim == 0 else [(3, 4), (3, 1), (3, 2)]
    inputs = [make_tensor(shape, dtype, device, seed=k) for k, shape in enumerate(shapes)]
    with FusionDefinition() as fd:
        a, b, c = (fd.from_pytorch(x) for x in inputs)
        fd.add_output(fd.ops.cat([a, fd.ops.set(b), a, c], dim))
        fd.add_output(fd.ops.cat([b], dim))
        widths = [[0, 4, 1, 0], [4, 0, 1, 0]] if dim else [[1, 0, 0, 3], [1, 0, 3, 0]]
        padded = [fd.ops.pad(a, width) for width in widths]
        fd.add_output(fd.ops.cat(padded, dim, manual_padding=True))
    fd.validate(inputs)


def test_shifts_by_a_negative_count(device: str) -> None:
    a = torch.tensor([-1, 5, -8, 7], device=device)
    b = torch.tensor([-1, -3, 2, 64], device=device)
    with FusionDefinition() as fd:
        x, y = fd.from_pytorch(a), fd.from_pytorch(b)
        fd.add_output(fd.ops.logical_right_shift(x, y))
    fd.validate([a, b])


def applies(name: str, dtype: torch.dtype) -> bool:
    if name in RANDOM or name in ("imag", "complex"):
        return False
    if name in INTEGERS_ONLY:
        return not dtype.is_floating_point
    floating_only = {"nextafter", "silu", "gelu", "sigmoid"}
    return dtype.is_floating_point or name not in floating_only


def checked(body: Callable[..., Any], inputs: list[Any]) -> list[torch.Tensor]:
    """Run a fusion and let it be validated."""
    with FusionDefinition() as fd:
        values = [
            fd.from_pytorch(x) if isinstance(x, torch.Tensor) else fd.define_scalar(DataType.Double)
            for x in inputs
        ]
        results = body(fd, *values)
        for result in results if isinstance(results, (list, tuple)) else [results]:
            fd.add_output(result)
    return fd.validate(inputs)


@pytest.mark.parametrize("dtype", DTYPES, ids=dtype_id)
@pytest.mark.parametrize("name", [*interface.UNARY, *interface.BINARY])
def test_elementwise_operations(name: str, dtype: torch.dtype, device: str) -> None:
    if not applies(name, dtype):
        return
    low, high = (0.1, 0.9) if name not in ("acosh", "gcd") else (1.1, 3.0)
    if not dtype.is_floating_point:
        low, high = (1, 2) if name in ("erfinv", "atanh") else (1, 9)
    inputs = [make_tensor((4, 5), dtype, device, low, high, seed=k) for k in range(2)]
    inputs = inputs[: 1 if name in interface.UNARY else 2]
    (output,) = checked(lambda fd, *t: getattr(fd.ops, name)(*t), inputs)
    assert output.shape == (4, 5)


def test_a_network(device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    index = torch.tensor([2, 0], device=device)

    def body(fd: FusionDefinition, t: Any, i: Any, s: Any) -> list[Any]:
        scaled = fd.ops.where(fd.ops.gt(t, 0.0), t * s, fd.ops.clamp(t, -1.0, 1.0))
        normalized = fd.ops.layer_norm(scaled, [6], eps=1e-5)
        reshaped = fd.ops.reshape(fd.ops.permute(normalized, [1, 0]), [3, 8])
        return [
            reshaped,
            fd.ops.softmax(t, 1),
            fd.ops.var(t, [0]),
            fd.ops.max(fd.ops.slice(t, [0, 1], [4, 5]), [1]),
            fd.ops.index_select(fd.ops.pad(t, [1, 1]), i, 0),
            fd.ops.cast(fd.ops.sum(t, [0, 1]), DataType.Half),
        ]

    assert len(checked(body, [x, index, 1.5])) == 6


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.bool], ids=str)
def test_reductions_of_nothing(dtype: torch.dtype, device: str) -> None:
    x = torch.zeros(0, 3, dtype=dtype, device=device)
    outputs = checked(
        lambda fd, t: [getattr(fd.ops, op)(t, [0]) for op in ("sum", "prod", "max", "min")], [x]
    )
    assert [output.shape for output in outputs] == [(3,)] * 4


def test_updates_in_place(device: str) -> None:
    x = make_tensor((5,), torch.float32, device)
    before = x.clone()
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(t, 1.0), t)
        fd.add_output(fd.ops.mul(t, 2.0))
    (doubled,) = fd.validate([x])
    assert torch.equal(doubled, before * 2)
    assert torch.equal(x, before + 1)


def test_wrong_outputs_are_found(device: str) -> None:
    x = make_tensor((4, 5), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.exp(fd.from_pytorch(x)))
    outputs = fd.execute([x])
    assert fd.fusion is not None
    validate_with_auto_inferred_outputs(fd.fusion, outputs, [x])
    outputs[0][2, 3] += 1e-3
    with pytest.raises(AssertionError, match="Output 0 differs from its reference"):
        validate_with_auto_inferred_outputs(fd.fusion, outputs, [x])
    with pytest.raises(AssertionError, match="Expected 1 outputs, but got 0"):
        validate_with_auto_inferred_outputs(fd.fusion, [], [x])


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("width", [64, 512])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
def test_products_of_rounded_products(
    dtype: torch.dtype, width: int, layers: int, device: str
) -> None:
    """Right within what the rounding of each intermediate explains; wrong elements are found."""
    generator = torch.Generator().manual_seed(0)
    shapes = [(32, width), *[(width, width)] * layers]
    inputs = [torch.randn(s, generator=generator).to(device, dtype) for s in shapes]
    with FusionDefinition() as fd:
        value, *weights = (fd.from_pytorch(x) for x in inputs)
        for weight in weights:
            value = fd.ops.cast(fd.ops.relu(fd.ops.matmul(value, weight)), value.dtype())
        fd.add_output(value)
    exact = inputs[0].double()
    for weight in inputs[1:]:
        exact = (exact @ weight.double()).relu()
    fd.validate(inputs)
    fd.validate(inputs, [exact])
    exact[3, 5] += exact.square().mean().sqrt()
    with pytest.raises(AssertionError, match="Output 0 differs from its reference"):
        fd.validate(inputs, [exact])


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shape", [(64, 8), (33, 4099)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
def test_sums_of_values_of_any_size(
    dtype: torch.dtype, shape: tuple[int, int], size: float, device: str
) -> None:
    generator = torch.Generator().manual_seed(0)
    x = (torch.randn(shape, generator=generator) * size).to(device, dtype)
    for dims in ([0], [1], [0, 1]):
        with FusionDefinition() as fd:
            t = fd.from_pytorch(x)
            fd.add_output(fd.ops.sum(t, dims))
            fd.add_output(fd.ops.sum(fd.ops.mul(t, t), dims))
        exact = x.double()
        fd.validate([x])
        fd.validate([x], [exact.sum(dims), exact.square().sum(dims)])


def test_tolerances_follow_the_length_of_sums() -> None:
    """Of any length, and of scans, matrix products and attention like of reductions."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.sum(x, [0, 1]))
        fd.add_output(fd.ops.sum(x, [1]))
        fd.add_output(fd.ops.cumsum(x, 1))
        fd.add_output(fd.ops.matmul(x, fd.ops.permute(x, [1, 0])))
        fd.add_output(fd.ops.neg(x))
    x = torch.empty(8192, 71680, device="meta")
    total, rows, running, product, plain = (
        pair[0] for pair in nvfuser.get_val_tolerances(fd.fusion, [x])
    )
    assert total > 0.05
    assert total > 50 * rows
    assert rows == running == product
    assert plain == pytest.approx(1.7e-6)
