"""Modules through ``torch.compile``: outputs, gradients, buffers, as in eager mode."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

Compile = Callable[..., Any]


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, width = x.shape
        parts = self.qkv(self.norm(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, length, width))


class Embedded(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(20, 8)
        self.positions = nn.Embedding(16, 8)
        self.head = nn.Linear(8, 20, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.table(tokens) + self.positions(places)
        logits = self.head(functional.rms_norm(x, (8,)))
        return functional.cross_entropy(logits.flatten(0, 1), tokens.flatten())


def mlp() -> nn.Module:
    return nn.Sequential(
        nn.Linear(8, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 16), nn.SiLU(), nn.Softmax(-1)
    )


def convolutions() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 4, 3),
        nn.GroupNorm(2, 4),
        nn.Hardswish(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
    )


def tokens(batch: int) -> torch.Tensor:
    return torch.randint(0, 20, (batch, 6))


MODULES: dict[str, tuple[Callable[[], nn.Module], Callable[[int], torch.Tensor]]] = {
    "mlp": (mlp, lambda batch: torch.randn(batch, 8)),
    "attention": (lambda: Attention(16, 2), lambda batch: torch.randn(batch, 5, 16)),
    "convolutions": (convolutions, lambda batch: torch.randn(batch, 3, 12, 12)),
    "embedding": (Embedded, tokens),
    "lstm": (
        lambda: First(nn.LSTM(4, 6, batch_first=True)),
        lambda batch: torch.randn(batch, 3, 4),
    ),
    "transformer": (
        lambda: nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True),
        lambda batch: torch.randn(batch, 5, 16),
    ),
}


class First(nn.Module):
    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.module(x)[0]
        return result


def copied(module: nn.Module) -> nn.Module:
    """Return a copy; of a recurrent layer on CUDA, torch warns if weights are not in one piece."""
    other = copy.deepcopy(module)
    for part in other.modules():
        if isinstance(part, nn.RNNBase):
            part.flatten_parameters()
    return other


def same_state(a: nn.Module, b: nn.Module) -> None:
    for (name, x), y in zip(a.state_dict().items(), b.state_dict().values(), strict=True):
        torch.testing.assert_close(x, y, msg=lambda text, name=name: f"{name}: {text}")


@pytest.mark.parametrize("name", MODULES)
def test_inference(name: str, compiled: Compile, device: str) -> None:
    make, batch = MODULES[name]
    module = make().to(device).eval()
    fast = compiled(copied(module))
    with torch.no_grad():
        for size in (3, 4, 6):
            x = batch(size).to(device)
            torch.testing.assert_close(fast(x), module(x))


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", MODULES)
def test_training(name: str, dynamic: bool, compiled: Compile, device: str) -> None:
    make, batch = MODULES[name]
    module = make().to(device).train()
    other = copied(module)
    fast = compiled(other, dynamic=dynamic)
    steps = [torch.optim.SGD(m.parameters(), lr=0.1) for m in (module, other)]
    for size in (3, 4):
        x = batch(size).to(device)
        results = [m(x) for m in (module, fast)]
        torch.testing.assert_close(results[1], results[0])
        for result in results:
            result.square().mean().backward()
        for p, q in zip(module.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(q.grad, p.grad, rtol=1e-4, atol=1e-5)
        for step in steps:
            step.step()
            step.zero_grad()
        # Not what rounding has made of the other's parameters.
        for p, q in zip(module.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(q.detach(), p.detach(), rtol=1e-4, atol=1e-5)
        other.load_state_dict(module.state_dict())


def test_running_statistics(compiled: Compile, device: str) -> None:
    module = nn.BatchNorm1d(4).to(device)
    other = copied(module)
    fast = compiled(other)
    for _ in range(3):
        x = torch.randn(16, 4, device=device)
        torch.testing.assert_close(fast(x), module(x))
    same_state(module, other)
    assert other.num_batches_tracked == 3


def test_autocast(compiled: Compile, device: str) -> None:
    module = mlp().to(device)
    fast = compiled(copied(module))
    x = torch.randn(4, 8, device=device)
    with torch.autocast(device, dtype=torch.bfloat16):
        expected, result = module(x), fast(x)
    assert result.dtype is expected.dtype
    torch.testing.assert_close(result, expected, rtol=2e-2, atol=1e-2)


def test_dropout_has_its_distribution(compiled: Compile, device: str) -> None:
    fast = compiled(nn.Dropout(0.25))
    x = torch.ones(40000, device=device, requires_grad=True)
    torch.manual_seed(1)
    y = fast(x)
    torch.manual_seed(1)
    assert torch.equal(y, fast(x))
    assert not torch.equal(y, fast(x))
    torch.testing.assert_close(y.unique(), torch.tensor([0.0, 4 / 3], device=device))
    assert y.mean().item() == pytest.approx(1.0, abs=0.02)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_no_recompilation_for_other_sizes(compiled: Compile, device: str) -> None:
    torch._dynamo.utils.counters.clear()
    fast = compiled(mlp().to(device), dynamic=True)
    with torch.no_grad():
        for size in (3, 5, 8, 13):
            assert fast(torch.randn(size, 8, device=device)).shape == (size, 16)
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


@pytest.mark.parametrize("loss", [functional.nll_loss, functional.cross_entropy])
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("shape", [(5,), (4, 5), (2, 5, 3), (2, 5, 3, 4)], ids=str)
def test_gradients_of_losses_of_classes(
    shape: tuple[int, ...], reduction: str, loss: Any, compiled: Compile, device: str
) -> None:
    """With weights and without, and with targets that do not count."""
    counts = shape[:1] * (len(shape) > 1) + shape[2:]
    for weight, ignored in ((None, -100), (None, -1), (torch.rand(5, device=device), 2)):
        x = torch.randn(shape, device=device, requires_grad=True)
        target = torch.randint(0, 5, counts, device=device)
        if ignored == -1 and counts:
            target[0] = -1

        def function(
            x: Any, target: Any, weight: Any = weight, ignored: int = ignored
        ) -> torch.Tensor:
            result: torch.Tensor = loss(
                x, target, weight=weight, ignore_index=ignored, reduction=reduction
            )
            return result

        expected = function(x, target)
        gradient = torch.rand_like(expected)
        (of_eager,) = torch.autograd.grad(expected, x, gradient)
        (own,) = torch.autograd.grad(compiled(function)(x, target), x, gradient)
        torch.testing.assert_close(own, of_eager, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last], ids=str)
@pytest.mark.parametrize(
    "given", [(True, True), (True, False), (False, True), (False, False)], ids=str
)
def test_group_norm(given: Any, order: Any, dtype: Any, compiled: Compile, device: str) -> None:
    """All three results of the operator, in both orders of memory."""
    batch, channels, groups, side = 2, 12, 4, 5
    # On CUDA the operator takes rows only.
    order = order if device == "cpu" else torch.contiguous_format
    x = 3 + torch.randn(batch, channels, side, side).to(device, dtype, memory_format=order)
    weight, bias = (torch.randn(channels).to(device, dtype) if has else None for has in given)

    def function(x: Any, weight: Any, bias: Any) -> Any:
        return torch.ops.aten.native_group_norm(
            x, weight, bias, batch, channels, side * side, groups, 1e-5
        )

    expected = function(x, weight, bias)
    result = compiled(function)(x, weight, bias)
    tolerance = 2e-5 if dtype is torch.float32 else 4e-2
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    assert result[0].stride() == expected[0].stride()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("groups", [1, 4, 12])
def test_group_norm_of_rows_copied_from_channels_last(
    groups: int, dtype: Any, compiled: Compile, device: str
) -> None:
    """What torch does on CUDA: the source of the copy is read, in its own order."""
    module = nn.GroupNorm(groups, 12).to(device, dtype)
    x = 3 + torch.randn(2, 12, 6, 5).to(device, dtype, memory_format=torch.channels_last)

    def function(x: Any) -> Any:
        return nn.functional.silu(module(x.contiguous()))

    expected, result = function(x), compiled(function)(x)
    tolerance = 2e-5 if dtype is torch.float32 else 4e-2
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    assert result.stride() == expected.stride()


@pytest.mark.parametrize("has_copies", [(True, True), (True, False)], ids=str)
def test_group_norm_backward_of_rows_copied_from_channels_last(
    has_copies: Any, compiled: Compile, device: str
) -> None:
    batch, channels, groups, side = 3, 12, 4, 5
    order = torch.channels_last
    gradient, x = (
        torch.randn(batch, channels, side, side).to(
            device, memory_format=order if is_copied else torch.contiguous_format
        )
        for is_copied in has_copies
    )
    sizes = batch, channels, side * side, groups
    weight = torch.randn(channels).to(device)
    _, mean, rstd = torch.ops.aten.native_group_norm(x.contiguous(), weight, None, *sizes, 1e-5)

    def function(gradient: Any, x: Any, *others: Any) -> Any:
        rows = gradient.contiguous(), x.contiguous()
        return torch.ops.aten.native_group_norm_backward(*rows, *others, *sizes, [True] * 3)

    given = gradient, x, mean, rstd, weight
    expected, result = function(*given), compiled(function)(*given)
    torch.testing.assert_close(result, expected, rtol=2e-5, atol=2e-5)
    assert [y.stride() for y in result] == [y.stride() for y in expected]


@pytest.mark.parametrize("shape", [(6, 8), (2, 8, 5), (2, 8, 3, 2, 5), (0, 8, 4)], ids=str)
def test_group_norm_of_other_ranks(shape: Any, compiled: Compile, device: str) -> None:
    module = nn.GroupNorm(2, 8).to(device)
    x = torch.randn(shape, device=device)
    torch.testing.assert_close(compiled(module)(x), module(x), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last], ids=str)
def test_group_norm_of_more_batches(
    order: Any, dynamic: bool, compiled: Compile, device: str
) -> None:
    module = nn.GroupNorm(4, 12).to(device)
    fast = compiled(module, dynamic=dynamic)
    for batch in (2, 3):
        x = torch.randn(batch, 12, 6, 6).to(device, memory_format=order)
        torch.testing.assert_close(fast(x), module(x), rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("has_weight", [True, False], ids=["weight", "plain"])
@pytest.mark.parametrize(
    "mask", [(True, True, True), (True, False, False), (False, True, True)], ids=str
)
@pytest.mark.parametrize("groups", [4, 12])
def test_group_norm_backward(
    groups: int, mask: Any, has_weight: bool, dtype: Any, compiled: Compile, device: str
) -> None:
    batch, channels, side = 3, 12, 5
    gradient, x = (torch.randn(batch, channels, side, side).to(device, dtype) for _ in range(2))
    weight = torch.randn(channels).to(device, dtype) if has_weight else None
    sizes = batch, channels, side * side, groups
    _, mean, rstd = torch.ops.aten.native_group_norm(x, weight, None, *sizes, 1e-5)

    def function(mask: Any, *tensors: Any) -> Any:
        results = torch.ops.aten.native_group_norm_backward(*tensors, *sizes, mask)
        return [y for y in results if y is not None]

    # Eager torch is asked for all gradients, with a weight: it knows neither masks nor none.
    ones = torch.ones(channels).to(device, dtype)
    everything = function([True] * 3, gradient, x, mean, rstd, weight if has_weight else ones)
    expected = [y for y, has in zip(everything, mask, strict=True) if has]
    tolerance = 2e-5 if dtype is torch.float32 else 4e-2
    result = compiled(lambda *given: function(list(mask), *given))(gradient, x, mean, rstd, weight)
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance)
    assert [y.stride() for y in result] == [y.stride() for y in expected]


@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last], ids=str)
def test_gradients_of_group_norm(order: Any, compiled: Compile, device: str) -> None:
    module = nn.GroupNorm(4, 12).to(device)
    given = torch.randn(2, 12, 6, 6).to(device, memory_format=order)
    gradients = []
    for function in (module, compiled(module)):
        x = given.clone().requires_grad_()
        function(x).square().sum().backward()
        gradients.append([x.grad, *(p.grad for p in module.parameters())])
        module.zero_grad()
    torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("order", [torch.contiguous_format, torch.channels_last], ids=str)
def test_gradients_of_group_norm_in_any_size(order: Any, compiled: Compile, device: str) -> None:
    module = nn.GroupNorm(2, 6).to(device)
    fast = compiled(module, dynamic=True)
    for shape in ((2, 6, 5, 7), (3, 6, 4, 9)):
        given = torch.randn(shape).to(device, memory_format=order)
        gradients = []
        for function in (module, fast):
            x = given.clone().requires_grad_()
            function(x).square().sum().backward()
            gradients.append([x.grad, *(p.grad for p in module.parameters())])
            module.zero_grad()
        torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize(
    ("shape", "factor"),
    [((2, 3, 5), 3), ((2, 3, 4, 5), 2), ((2, 3, 4, 5), (1, 3)), ((2, 3, 1, 5), 2),
     ((1, 2, 3, 2, 4), 2), ((2, 3, 4, 5), 1.5), ((2, 3, 4, 6), 0.5)],
    ids=str,
)  # fmt: skip
def test_nearest_upsampling(
    shape: Any, factor: Any, mode: str, compiled: Compile, device: str
) -> None:
    def function(x: Any) -> Any:
        return functional.interpolate(x * 2, scale_factor=factor, mode=mode) + 1

    x = torch.randn(shape).to(device)
    fast = compiled(function, dynamic=False)
    assert torch.equal(fast(x), function(x))
    if len(shape) == 4:
        last = x.to(memory_format=torch.channels_last)
        result = fast(last)
        assert torch.equal(result, function(last))
        if device == "cpu":
            # On CUDA torch's fake tensors have other strides than its results.
            assert result.stride() == function(last).stride()
