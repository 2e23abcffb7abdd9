"""Pools, and pads that repeat or reflect edges: generated, with the values and layouts of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

import nvfuser

Function = Callable[[torch.Tensor], torch.Tensor]

# Kernel, stride and padding.
WINDOWS: list[tuple[Any, Any, Any]] = [
    (2, 2, 0),
    (3, 3, 0),
    (3, 1, 1),
    (2, 1, 0),
    (3, 2, 1),
    ((2, 3), (2, 3), 0),
    ((3, 1), 1, (1, 0)),
    (5, 1, 2),
    (13, 13, 0),
    (2, None, 0),
]
WIDTHS = [(2, 1, 3, 0), (0, 0, 1, 2), (1, 1), (7, 7, 8, 8), (-1, 2, 3, -2), (0, 0, 0, 0)]


def check(function: Function, *inputs: torch.Tensor) -> None:
    expected = function(*inputs)
    tolerance = 1e-5 if expected.dtype is torch.float32 else 1e-2
    for dynamic in (False, True):
        result = nvfuser.jit(function, dynamic=dynamic)(*inputs)
        torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
        # Where a dimension of one element lies is nobody's business.
        strides = [
            [step for step, size in zip(x.stride(), x.shape, strict=True) if size > 1]
            for x in (result, expected)
        ]
        assert strides[0] == strides[1]


def image(dtype: torch.dtype, is_last: bool) -> torch.Tensor:
    order = torch.channels_last if is_last else torch.contiguous_format
    return torch.randn(2, 3, 13, 10).to(dtype).contiguous(memory_format=order)


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("window", WINDOWS)
def test_pools(window: tuple[Any, Any, Any], dtype: torch.dtype, is_last: bool) -> None:
    kernel, stride, padding = window
    functions: list[Function] = [
        lambda x: F.avg_pool2d(x, kernel, stride, padding),
        lambda x: F.avg_pool2d(x, kernel, stride, padding, count_include_pad=False) * 2,
        lambda x: F.avg_pool2d(F.relu(x), kernel, stride, padding, divisor_override=3),
        lambda x: F.max_pool2d(x * 2, kernel, stride, padding) + 1,
    ]
    x = image(dtype, is_last)
    if kernel == 13:
        x = F.pad(x, (0, 3))
    for function in functions:
        check(function, x)


OTHERS: dict[str, Function] = {
    "ceil": lambda x: F.max_pool2d(x, 2, ceil_mode=True) + F.avg_pool2d(x, 2, ceil_mode=True),
    "places": lambda x: F.max_pool2d(x, 2, return_indices=True)[1].float(),
    "dilated": lambda x: F.max_pool2d(x, 2, 2, 0, 2),
    "adaptive": lambda x: F.adaptive_avg_pool2d(x, (13, 5)),
    "adaptive, uneven": lambda x: F.adaptive_avg_pool2d(x, (4, 3)),
    "response": lambda x: F.local_response_norm(x, 3),
    "norm": lambda x: F.lp_pool2d(x, 2, 2),
    "rows": lambda x: F.avg_pool1d(x[:, 0], 3, 1, 1) + F.max_pool1d(x[:, 0], 3, 1, 1),
    "volumes": lambda x: F.avg_pool3d(x[:, None], (3, 2, 2)) + F.max_pool3d(x[:, None], (3, 2, 2)),
    "no batch": lambda x: F.avg_pool2d(x[0], 2),
    "many": lambda x: F.avg_pool2d(x, 6, 1),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_pools(name: str) -> None:
    for is_last in (False, True):
        check(OTHERS[name], image(torch.float32, is_last))


def test_the_largest_of_a_window_may_be_nan() -> None:
    x = torch.randn(1, 2, 6, 6)
    x[0, 0, 3, 4] = torch.nan
    result = nvfuser.jit(lambda x: F.max_pool2d(x, 2))(x)
    torch.testing.assert_close(result, F.max_pool2d(x, 2), equal_nan=True)


@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize("widths", WIDTHS)
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_pads(mode: str, widths: tuple[int, ...], is_last: bool) -> None:
    if len(widths) == 2:
        check(lambda x: F.pad(x[:, 0] * 2, widths, mode=mode) + 1, image(torch.float32, is_last))
        return
    check(lambda x: F.pad(x * 2, widths, mode=mode) + 1, image(torch.float32, is_last))


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_pads_of_volumes_and_other_dtypes(mode: str) -> None:
    check(lambda x: F.pad(x, (1, 2, 0, 0, 2, 1), mode=mode), torch.randn(2, 3, 5, 6, 7))
    for dtype in (torch.complex64, torch.int64, torch.float64, torch.uint8):
        x = (torch.randn(2, 3, 9, 8) * 9).to(dtype)
        function = nvfuser.jit(lambda x: F.pad(x, (2, 1, 1, 2), mode=mode))
        assert torch.equal(function(x), F.pad(x, (2, 1, 1, 2), mode=mode))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.max_pool2d(x, 2),
        lambda x: F.max_pool2d(x, 3, 2, 1),
        lambda x: F.avg_pool2d(x, 3, 1, 1),
        lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
        lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"),
        lambda x: F.pad(x, (1, 2, 3, 0), mode="replicate"),
    ],
)
def test_all_is_generated(compiled: Callable[..., Any], function: Function) -> None:
    x = torch.randn(2, 3, 12, 12)
    with torch.no_grad():
        torch.testing.assert_close(compiled(function)(x), function(x))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.max_pool2d(x.sin(), 2),
        lambda x: F.avg_pool2d(x.sin(), 3, 1, 1),
        lambda x: F.pad(x.sin(), (1, 2, 3, 0), mode="reflect"),
    ],
)
def test_gradients(fresh_dynamo: None, function: Function) -> None:
    x = torch.randn(2, 3, 12, 12, requires_grad=True)
    gradients = []
    for each in (torch.compile(function, backend="nvfuser"), function):
        each(x).square().sum().backward()
        assert x.grad is not None
        gradients.append(x.grad)
        x.grad = None
    torch.testing.assert_close(gradients[0], gradients[1])
