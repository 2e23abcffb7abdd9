"""Graphs that torch.compile's backend calls without the wrappers of AOTAutograd, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from nvfuser.frontend import dynamo

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each graph of a test was called as it is."""
    found: list[bool] = []
    is_whole = dynamo.is_whole

    def asked(*args: Any) -> bool:
        found.append(is_whole(*args))
        return found[-1]

    monkeypatch.setattr(dynamo, "is_whole", asked)
    return found


def chain(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x * y).sigmoid() + x


def several(x: torch.Tensor, y: torch.Tensor) -> dict[str, Any]:
    return {"sum": x + y, "number": 3, "product": x @ y}


def update(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    x.add_(1.0)
    return x.sin() * y


def same_input(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x, x + y


def view_of_input(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return x.t(), x + y


def shared(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    z = x + y
    return z, z[0]


def without_gradients(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return x * y + 1.0


# Of an argument that is returned, Dynamo takes care.
WHOLE = [chain, several, same_input]
WRAPPED = [update, view_of_input, shared]


def inputs(device: str, *, requires_grad: bool = False) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    made = [torch.randn(4, 4, generator=generator).to(device) for _ in range(2)]
    return [x.requires_grad_(requires_grad) for x in made]


def sharing(results: Any, given: list[torch.Tensor]) -> list[int]:
    """Return which of the tensors lie in the same memory."""
    tensors = [x for x in torch.utils._pytree.tree_leaves(results) if isinstance(x, torch.Tensor)]
    places = [x.untyped_storage().data_ptr() for x in [*given, *tensors]]
    return [places.index(place) for place in places]


@pytest.mark.parametrize("function", [*WHOLE, *WRAPPED])
def test_values_and_memory(function: Callable[..., Any], device: str, answers: list[bool]) -> None:
    compiled = torch.compile(function, backend="nvfuser", options={"strict": True})
    for _ in range(2):
        mine, theirs = inputs(device), inputs(device)
        result, expected = compiled(*mine), function(*theirs)
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(mine, theirs)
        assert sharing(result, mine) == sharing(expected, theirs)
    assert answers == [function in WHOLE]


def test_parameters_without_gradients(device: str, answers: list[bool]) -> None:
    x, y = inputs(device, requires_grad=True)
    compiled = torch.compile(chain, backend="nvfuser", options={"strict": True})
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(compiled(x, y), chain(x, y))
    assert answers == [True]
    # With gradients, the same function is another graph.
    result = compiled(x, y)
    assert result.requires_grad
    result.sum().backward()
    (expected,) = torch.autograd.grad(chain(x, y).sum(), x)
    torch.testing.assert_close(x.grad, expected)


def test_gradients_are_turned_off_inside(device: str) -> None:
    x, y = inputs(device, requires_grad=True)
    compiled = torch.compile(without_gradients, backend="nvfuser", options={"strict": True})
    for _ in range(2):
        result = compiled(x, y)
        assert not result.requires_grad
        torch.testing.assert_close(result, without_gradients(x, y))
        assert torch.is_grad_enabled()


def test_graph_breaks_between_open_sizes(device: str) -> None:
    # What AOTAutograd tells Dynamo of the first part keeps the second from being compiled again.
    graphs = []

    def backend(graph: Any, examples: Any) -> Any:
        graphs.append(graph)
        return dynamo.nvfuser(graph, examples)

    def parts(x: torch.Tensor) -> torch.Tensor:
        y = x.sin() + 1.0
        torch._dynamo.graph_break()
        return y.cos() * 2.0

    compiled = torch.compile(parts, backend=backend, dynamic=True)
    for size in (5, 7, 9):
        x = torch.randn(size, 3, device=device)
        torch.testing.assert_close(compiled(x), parts(x))
    assert len(graphs) == 2


def test_autocast_is_that_of_the_call(device: str, answers: list[bool]) -> None:
    x, y = inputs(device)
    compiled = torch.compile(several, backend="nvfuser", options={"strict": True})
    for _ in range(2):
        with torch.autocast(device, torch.bfloat16):
            result, expected = compiled(x, y), several(x, y)
        torch.testing.assert_close(result, expected, rtol=2e-2, atol=2e-2)
        assert result["product"].dtype is torch.bfloat16
    assert answers == [True]
