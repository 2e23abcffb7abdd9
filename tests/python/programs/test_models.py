"""The models of bench/models through both doors: outputs, gradients and buffers as in eager mode.

Nothing is left to torch without a word: both doors are strict here.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import models
import pytest
import torch

import nvfuser
from nvfuser.frontend import dynamo
from nvfuser.frontend import jit as jit_module
from nvfuser.frontend.settings import Settings

pytestmark = [
    # Graphs are large, and calls of Python functions mean something to one process only.
    pytest.mark.no_round_trip,
    # Of torch, about itself.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]

DOORS = ("compile", "jit")
# Its cache is updated and has a batch of its own.
DECODING = "llama_decode"
TRAINED = [name for name in models.NAMES if models.is_trained(name)]


@pytest.fixture(autouse=True)
def strict(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    is_strict = "efficientnet" not in request.node.name
    monkeypatch.setattr(jit_module, "Settings", lambda: Settings(strict=is_strict))
    torch._dynamo.reset()
    # Where it is installed, torch plans products of several operands by their sizes, which are
    # given then.
    with torch.backends.opt_einsum.flags(enabled=False):
        yield
    torch._dynamo.reset()


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One entry for each graph that was compiled, by either door."""
    seen: list[Any] = []
    compile_graph = dynamo.compile_graph

    def counted(*args: Any, **kwargs: Any) -> Any:
        seen.append(args[0])
        return compile_graph(*args, **kwargs)

    monkeypatch.setattr(dynamo, "compile_graph", counted)
    monkeypatch.setattr(jit_module, "compile_graph", counted)
    return seen


# Whose backward pass has an operator on memory (as_strided_scatter), which torch runs.
LEFT_TO_TORCH = {"EfficientNet"}
# Whose sizes inside follow from values: torch traces those again.
ROUTED = {"moe"}


def through(door: str, module: Any) -> Callable[..., Any]:
    if door == "jit":
        return nvfuser.jit(module)
    is_strict = type(module).__name__ not in LEFT_TO_TORCH
    return torch.compile(module, backend="nvfuser", options={"strict": is_strict})


def example(name: str, batch: int, device: str, seed: int) -> Any:
    """Return inputs; Dynamo is told which of their sizes are those of the batch."""
    inputs = models.build(name, device=device, batch=batch, seed=seed)[1]
    others = models.build(name, device="meta", batch=batch + 1)[1]
    for x, other in zip(inputs, others, strict=True):
        for dim, (size, another) in enumerate(zip(x.shape, other.shape, strict=True)):
            if size != another:
                torch._dynamo.mark_dynamic(x, dim)
    return inputs


def pair(name: str, door: str, device: str) -> tuple[Any, Any, Any]:
    """Return a model, a copy of it, and that copy compiled."""
    module, _ = models.build(name, device=device)
    other = copy.deepcopy(module)
    return module, other, through(door, other)


def same_state(module: Any, other: Any, **tolerances: float) -> None:
    """Compare gradients and buffers."""
    for (name, x), y in zip(module.named_parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(
            y.grad, x.grad, msg=lambda text, name=name: f"gradient of {name}: {text}", **tolerances
        )
    for (name, x), y in zip(module.named_buffers(), other.buffers(), strict=True):
        torch.testing.assert_close(
            y, x, msg=lambda text, name=name: f"{name}: {text}", **tolerances
        )


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", TRAINED)
def test_training(name: str, door: str, device: str, graphs: list[Any]) -> None:
    # Three steps, the last ones with other batches, which need no other graphs.
    module, other, compiled = pair(name, door, device)
    compiled_once = 0
    for step, batch in enumerate((2, 3, 5)):
        inputs = example(name, batch, device, step)
        expected, result = module(*inputs), compiled(*inputs)
        torch.testing.assert_close(result, expected, rtol=1e-3, atol=1e-4)
        for each, outputs in ((module, expected), (other, result)):
            each.zero_grad()
            models.loss_of(outputs).backward()
        same_state(module, other, rtol=1e-3, atol=1e-4)
        with torch.no_grad():
            for x, y in zip(module.parameters(), other.parameters(), strict=True):
                x -= 0.1 * x.grad
                y.copy_(x)
        compiled_once = compiled_once or len(graphs)
    assert name in ROUTED or len(graphs) == compiled_once > 0


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", models.NAMES)
def test_inference(name: str, door: str, device: str, graphs: list[Any]) -> None:
    module, other, compiled = pair(name, door, device)
    module.eval(), other.eval()
    with torch.no_grad():
        for step, batch in enumerate((2,) if name == DECODING else (2, 3)):
            if name == DECODING:
                _, inputs = models.build(name, device=device)
            else:
                inputs = example(name, batch, device, step)
            torch.testing.assert_close(compiled(*inputs), module(*inputs), rtol=1e-4, atol=1e-5)
    same_state(module, other)
    assert name in ROUTED or len(graphs) == 1


@pytest.mark.parametrize("door", DOORS)
def test_tokens_are_generated(door: str, device: str, graphs: list[Any]) -> None:
    # The place in the cache is a tensor: one graph for all of them.
    module, other, compiled = pair(DECODING, door, device)
    tokens = models.build(DECODING, device=device)[1][0]
    with torch.no_grad():
        for place in range(6):
            where = torch.tensor([place], device=device)
            expected = module(tokens, where)
            torch.testing.assert_close(compiled(tokens, where), expected, rtol=1e-4, atol=1e-5)
            tokens = expected.argmax(-1, keepdim=True)
    same_state(module, other)
    assert len(graphs) == 1


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["bert", "llama", "resnet", "convnext", "graph_network", "nerf"])
def test_autocast(name: str, door: str, device: str) -> None:
    module, other, compiled = pair(name, door, device)
    exact = copy.deepcopy(module)
    _, inputs = models.build(name, device=device)
    with torch.autocast(device, torch.bfloat16):
        expected, result = module(*inputs), compiled(*inputs)
        losses = models.loss_of(expected), models.loss_of(result)
    torch.testing.assert_close(result, expected, rtol=5e-2, atol=5e-2)
    for loss in (*losses, models.loss_of(exact(*inputs))):
        loss.backward()
    # Gradients have the error of bfloat16, which is a third of their size where batch norms follow
    # each other: as near to those of float32 as eager mode's are. By size as a whole: single
    # elements are sums of what was rounded differently.
    gradients = zip(module.parameters(), other.parameters(), exact.parameters(), strict=True)
    for x, y, truth in ((x.grad, y.grad, z.grad) for x, y, z in gradients):
        of_eager, of_ours = (x - truth).norm(), (y - truth).norm()
        assert of_ours <= 1.5 * of_eager + 0.02 * truth.norm() + 1e-4


@pytest.mark.parametrize("door", DOORS)
def test_gpt_learns_as_in_eager_mode(
    door: str, device: str, request: pytest.FixtureRequest
) -> None:
    module, other, compiled = pair("gpt", door, device)
    optimizers = [torch.optim.AdamW(each.parameters(), lr=3e-3) for each in (module, other)]
    # Words that follow each other by a rule: something to learn.
    text = (torch.arange(400, device=device) ** 2 // 7) % 64
    losses: list[list[float]] = [[], []]
    for step in range(request.config.getoption("--training-steps")):
        starts = torch.randint(380, (4, 1), generator=torch.Generator().manual_seed(step))
        places = starts.to(device) + torch.arange(17, device=device)
        tokens, targets = text[places[:, :-1]], text[places[:, 1:]]
        for curve, each, optimizer in zip(losses, (module, compiled), optimizers, strict=True):
            loss, _ = each(tokens, targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            curve.append(loss.item())
    torch.testing.assert_close(losses[1], losses[0], rtol=2e-3, atol=2e-3)
    assert losses[0][-1] < losses[0][0] - 0.4
