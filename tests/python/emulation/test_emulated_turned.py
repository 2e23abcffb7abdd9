"""Normalizations whose inputs lie in another order than their outputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from test_emulated_loops import is_read_along_memory, plan
from torch.nn.functional import batch_norm, layer_norm

import nvfuser
from nvfuser import _C

LAST = torch.channels_last
ROWS = torch.contiguous_format


def normalized(x: Any, dims: tuple[int, ...]) -> Any:
    wide = x.float()
    centered = wide - wide.mean(dims, keepdim=True)
    return (centered * torch.rsqrt(centered.square().mean(dims, keepdim=True) + 1e-5)).to(x.dtype)


def by_channels(x: Any) -> Any:
    return normalized(x, (2, 3))


def by_pixels(x: Any) -> Any:
    return layer_norm(x.permute(0, 2, 3, 1), x.shape[1:2]).permute(0, 3, 1, 2)


def of_batch(x: Any) -> Any:
    return batch_norm(x, None, None, training=True)


def softmax(x: Any) -> Any:
    return torch.softmax(x, 1)


# Where the innermost dimension of the input is reduced, a block has whole lines: threads turn those
# in registers. Otherwise there are stages.
TURNED = [
    (by_pixels, LAST),
    (softmax, LAST),
    (by_channels, LAST),
    (by_channels, ROWS),
    (of_batch, LAST),
    (of_batch, ROWS),
    (by_pixels, ROWS),
    (softmax, ROWS),
]


def other_than(order: torch.memory_format) -> torch.memory_format:
    return ROWS if order is LAST else LAST


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize(("normalize", "order"), TURNED)
def test_every_stage_runs_along_memory(
    kernels: list[str],
    normalize: Callable[[Any], Any],
    order: torch.memory_format,
    dtype: torch.dtype,
) -> None:
    """What is normalized is turned in tiles or in registers."""

    def function(x: Any) -> Any:
        return normalize(x).contiguous(memory_format=other_than(order))

    plan(kernels, function, torch.empty(8, 256, 56, 56, dtype=dtype).to(memory_format=order))
    (text,) = kernels
    assert is_read_along_memory(text, "T0")
    *_, last = text.split('extern "C" __global__')
    (output,) = re.findall(r"^    (?:nvf::half|float)\* __restrict__ (T\d+)", last, re.MULTILINE)
    assert re.search(rf"nvf::copy<\d>\(&{output}\[", last)
    assert f"  {output}[" not in last


def test_small_inputs_have_one_kernel(kernels: list[str]) -> None:
    def function(x: Any) -> Any:
        return by_channels(x).contiguous()

    x = torch.empty(2, 64, 32, 32).to(memory_format=LAST)
    assert len(plan(kernels, function, x)) == 1


@pytest.fixture
def turned_at_once() -> Iterator[None]:
    """Small inputs as well."""
    _C._override_tuning({"gpu.acrossElements": 1.0})
    yield
    _C._override_tuning({})


def compare(function: Callable[..., Any], *inputs: torch.Tensor) -> None:
    with torch.no_grad():
        expected, result = function(*inputs), nvfuser.jit(function)(*inputs)
    tolerance = 2e-5 if inputs[0].dtype is torch.float32 else 2e-2
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    outputs = (result, expected) if isinstance(result, tuple) else ((result,), (expected,))
    assert [y.stride() for y in outputs[0]] == [y.stride() for y in outputs[1]]


@pytest.mark.usefixtures("turned_at_once")
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
@pytest.mark.parametrize("sizes", [(2, 64, 33, 32), (3, 35, 47, 3)], ids=str)
@pytest.mark.parametrize(("normalize", "order"), TURNED)
def test_values(
    normalize: Callable[[Any], Any],
    order: torch.memory_format,
    sizes: tuple[int, ...],
    dtype: torch.dtype,
    device: str,
) -> None:
    def function(x: Any) -> Any:
        return normalize(x).contiguous(memory_format=other_than(order))

    compare(function, (1 + torch.randn(sizes, device=device)).to(dtype, memory_format=order))


@pytest.mark.usefixtures("turned_at_once")
@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (by_channels(x) + y).contiguous(),
        lambda x, y: by_channels(x + y).contiguous(),
        lambda x, y: (by_channels(x).contiguous(), by_channels(x) * 2, x.mean((2, 3))),
        lambda x, y: (by_channels(x) * 2, by_channels(x).contiguous()),
        lambda x, y: (by_channels(x).contiguous(), (x - x.mean((2, 3), True)).contiguous()),
        lambda x, y: by_channels(x).contiguous().reshape(2, 8, 8, -1),
        lambda x, y: by_channels(x[:, 8:56]).contiguous(),
        lambda x, y: softmax(y.masked_fill(x > 0, -100.0)).contiguous(memory_format=LAST),
    ],
    ids=[
        "other rows behind", "other rows in front", "outputs of both orders",
        "a first output like the input", "an output of an earlier stage", "a view behind",
        "a part", "a mask in the other order",
    ],
)  # fmt: skip
def test_values_beside_other_tensors(function: Callable[..., Any], device: str) -> None:
    x, y = torch.randn(2, 2, 64, 32, 33, device=device)
    compare(function, x.to(memory_format=LAST), y)


@pytest.mark.usefixtures("turned_at_once")
@pytest.mark.parametrize("dim", [0, 1])
def test_long_rows_and_columns_of_transposed_inputs(dim: int, device: str) -> None:
    for sizes in ((9000, 40), (40, 9000)):
        compare(lambda x: torch.softmax(x.t(), dim).contiguous(), torch.randn(sizes, device=device))
