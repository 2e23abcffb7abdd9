"""In which order tensors lie that pass between kernels, for the properties of a large GPU."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from planned_kernels import planned
from torch.nn.functional import gelu, layer_norm

import nvfuser


def goes_along_memory(text: str) -> bool:
    """Whether all that a kernel reads and writes are vectors."""
    tensors = set(re.findall(r"__restrict__ (T\d+)", text))
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    return not any(re.search(rf"(?<!&)\b{tensor}\[", code) for tensor in tensors)


def name_of(text: str) -> str:
    (first, *_) = re.findall(r"__launch_bounds__\([^)]*\) (\w+)", text)
    return str(first)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_added_across_memory_is_not_reduced_at_once(
    kernels: list[str], dtype: torch.dtype
) -> None:
    """As in mixers: a product lies transposed, and its sum with others is normalized."""

    def function(x: Any, a: Any, b: Any) -> Any:
        x = x + torch.bmm(a, b).transpose(1, 2)
        return x, layer_norm(x.float(), [256])

    x = torch.empty(8, 128, 256, dtype=dtype)
    a, b = torch.empty(8, 256, 16, dtype=dtype), torch.empty(8, 16, 128, dtype=dtype)
    with torch.no_grad():
        added, normalized = planned(kernels, function, x, a, b)
    assert "pointwise" in name_of(added)
    assert "sum" in name_of(normalized)
    assert goes_along_memory(normalized)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_what_is_normalized_is_not_written_across_memory(
    kernels: list[str], dtype: torch.dtype
) -> None:
    def function(x: Any, weight: Any) -> Any:
        y = x + 1
        rows = layer_norm(y.float(), [256]).to(dtype)
        return y, torch.mm(rows.transpose(1, 2).reshape(8 * 256, 128), weight)

    x, weight = torch.empty(8, 128, 256, dtype=dtype), torch.empty(128, 64, dtype=dtype)
    with torch.no_grad():
        texts = planned(kernels, function, x, weight)
    sums = [text for text in texts if "sum" in name_of(text)]
    assert sums
    assert all(map(goes_along_memory, sums))


class Residual(torch.nn.Module):
    """Convolves images and mixes their channels, which lie last, as in ConvNeXt."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(64)
        self.up, self.down = torch.nn.Linear(64, 96), torch.nn.Linear(96, 64)
        self.scale = torch.nn.Parameter(torch.full((64,), 0.1))

    def forward(self, x: Any) -> Any:
        y = self.norm(x.permute(0, 2, 3, 1))
        y = self.down(gelu(self.up(y))) * self.scale
        return x + y.permute(0, 3, 1, 2)


def test_images_with_channels_last_are_never_turned(kernels: list[str]) -> None:
    """Neither forward nor backward: what is kept for that lies as it is computed."""
    x = torch.empty(4, 64, 16, 16).contiguous(memory_format=torch.channels_last).requires_grad_()
    module = torch.nn.Sequential(Residual(), Residual())
    torch._dynamo.reset()
    kernels.clear()
    result = torch.compile(module, backend="nvfuser", dynamic=False)(x)
    assert result.is_contiguous(memory_format=torch.channels_last)
    result.square().sum().backward()
    assert len(kernels) > 5
    for text in kernels:
        assert "__shared__" not in text or "sum" in name_of(text), name_of(text)


@pytest.mark.parametrize("is_jit", [False, True])
def test_values_of_gradients(is_jit: bool, device: str) -> None:
    torch.manual_seed(0)
    module = torch.nn.Sequential(Residual(), Residual()).to(device)
    x = torch.randn(2, 64, 5, 3, device=device).contiguous(memory_format=torch.channels_last)
    expected = torch.autograd.grad(module(x).square().sum(), list(module.parameters()))
    torch._dynamo.reset()
    ours: Any = nvfuser.jit(module) if is_jit else torch.compile(module, backend="nvfuser")
    gradients = torch.autograd.grad(ours(x).square().sum(), list(module.parameters()))
    torch.testing.assert_close(gradients, expected, rtol=1e-4, atol=1e-4)
