"""What programs do besides computing: updates, aliases, graph breaks, threads, copies."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

import nvfuser

Compile = Callable[..., Any]


def compare(compiled: Compile, function: Callable[..., Any], *args: Any, **settings: Any) -> None:
    """Compare results, and what becomes of the arguments."""
    fast = compiled(function, **settings)
    for _ in range(2):
        ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
        expected, result = function(*theirs), fast(*ours)
        torch.testing.assert_close(result, expected)
        torch.testing.assert_close(ours, theirs)
        for a, b in zip(
            torch.utils._pytree.tree_leaves(result),
            torch.utils._pytree.tree_leaves(expected),
            strict=True,
        ):
            if isinstance(a, torch.Tensor):
                assert a.stride() == b.stride()


def update_input(x: torch.Tensor) -> torch.Tensor:
    x.add_(1)
    return x * 2


def update_view(x: torch.Tensor) -> torch.Tensor:
    x[:, 0] = 5.0
    x[1].mul_(2)
    return x.sum()


def return_input(x: torch.Tensor) -> tuple[Any, ...]:
    return x, x + 1, None, 3, x


def return_views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x.exp()
    return x.t(), x[1:], y, y.t(), y[:, :2], y.unsqueeze(0).expand(3, -1, -1)


def return_view_alone(x: torch.Tensor) -> torch.Tensor:
    return (x + 1)[:, ::2]


def only_views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.t(), *x.split(1)


def only_created() -> tuple[torch.Tensor, ...]:
    return torch.arange(5), torch.zeros(2, 3), torch.full((2,), 1.5)


def complex_numbers(x: torch.Tensor) -> torch.Tensor:
    z = torch.view_as_complex(x.reshape(-1, 2))
    return torch.view_as_real(z * z.conj() + z.exp()).abs()


def integers(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    i = (x * 10).to(torch.int32)
    return i // 3, i % 4, i & 6, i << 1, (i > 2) | (i == 0), i.to(torch.int8) + 100, i / 2


def sorting(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    values, order = (x * 2).sort(dim=-1)
    return values + 1, order, x.topk(2).values, x.cumsum(0), x.argmax(1)


def scattering(x: torch.Tensor) -> torch.Tensor:
    index = torch.tensor([0, 2, 0], device=x.device)
    y = torch.zeros_like(x).index_add(0, index, x)
    y[index, index] = 1.0
    return y * 2


def constants(x: torch.Tensor) -> torch.Tensor:
    return x * torch.tensor(2.5) + torch.tensor([1.0, 2.0, 3.0, 4.0], device=x.device)


def fft(x: torch.Tensor) -> torch.Tensor:
    return torch.fft.rfft(x).abs() + 1


PROGRAMS = [
    update_input,
    update_view,
    return_input,
    return_views,
    return_view_alone,
    only_views,
    complex_numbers,
    integers,
    sorting,
    scattering,
    constants,
    fft,
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_program(
    function: Callable[..., Any], dynamic: bool, compiled: Compile, device: str
) -> None:
    compare(compiled, function, torch.randn(3, 4, device=device), dynamic=dynamic)


def test_without_inputs(compiled: Compile) -> None:
    compare(compiled, only_created)


@pytest.mark.parametrize("transform", [torch.t, lambda x: x[:, ::2], lambda x: x[:1].expand(5, 6)])
def test_layouts_of_inputs(transform: Any, compiled: Compile, device: str) -> None:
    x = torch.randn(6, 6, device=device)
    fast = compiled(lambda x: x.sin() + 1, dynamic=False)
    expected = transform(x).sin() + 1
    assert torch.allclose(fast(transform(x)), expected)
    assert fast(transform(x)).stride() == expected.stride()


def test_channels_last(compiled: Compile, device: str) -> None:
    module = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU()).to(device)
    module = module.to(memory_format=torch.channels_last)
    x = torch.randn(2, 4, 8, 8, device=device).to(memory_format=torch.channels_last)
    fast = compiled(copy.deepcopy(module))
    expected = module(x)
    result = fast(x)
    torch.testing.assert_close(result, expected)
    assert result.stride() == expected.stride()


def test_views_share_memory(compiled: Compile, device: str) -> None:
    @torch.no_grad()
    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return y, y.view(-1), x.view(-1)

    x = torch.zeros(2, 3, device=device)
    y, flat, of_input = compiled(function)(x)
    flat[0] = 7
    of_input[1] = 8
    assert y[0, 0] == 7
    assert x[0, 1] == 8


def test_gradients_of_views(compiled: Compile, device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        a, b = x.exp().chunk(2, dim=1)
        return (a.t() @ b).flip(0).cumsum(1) / b.std()

    x = torch.randn(4, 6, device=device, requires_grad=True)
    y = x.detach().clone().requires_grad_()
    function(x).sum().backward()
    compiled(function)(y).sum().backward()
    torch.testing.assert_close(y.grad, x.grad)


def test_double_backward_is_an_error(compiled: Compile, device: str) -> None:
    x = torch.randn(4, device=device, requires_grad=True)
    (gradient,) = torch.autograd.grad(compiled(torch.sin)(x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="does not currently support double backward"):
        gradient.sum().backward()


def test_graph_breaks(compiled: Compile, device: str) -> None:
    seen = []

    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        torch._dynamo.graph_break()
        seen.append(y.shape)
        return y + 1 if y.sum() > 0 else y - 1

    fast = compiled(function)
    for sign in (1.0, -1.0):
        x = torch.full((3,), sign, device=device)
        torch.testing.assert_close(fast(x), function(x))
    assert len(seen) == 4


def test_mark_dynamic(compiled: Compile, device: str) -> None:
    fast = compiled(lambda x: (x + 1).softmax(0))
    torch._dynamo.utils.counters.clear()
    for size in (4, 9):
        x = torch.randn(size, 3, device=device)
        torch._dynamo.mark_dynamic(x, 0)
        torch.testing.assert_close(fast(x), (x + 1).softmax(0))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 1


def test_recompile_limit(compiled: Compile, device: str) -> None:
    def function(x: torch.Tensor, name: str) -> torch.Tensor:
        return (x + len(name)).softmax(0)

    fast = compiled(function)
    x = torch.randn(5, device=device)
    torch._dynamo.utils.counters.clear()
    with torch._dynamo.config.patch(recompile_limit=2):
        for name in ("a", "bb", "ccc", "dddd", "a", "ccc"):
            torch.testing.assert_close(fast(x, name), function(x, name))
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] == 2


def test_exceptions_of_a_run_leave_the_rest_as_it_was(compiled: Compile, device: str) -> None:
    @torch.library.custom_op(f"nvfuser_tests::refuses_{device}", mutates_args=())
    def refuses(x: torch.Tensor) -> torch.Tensor:
        if x[0] < 0:
            raise ValueError("a negative number")
        return x.sqrt()

    @refuses.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    fast = compiled(lambda x: refuses(x + 1) * 2)
    good, bad = torch.full((3,), 3.0, device=device), torch.full((3,), -3.0, device=device)
    for _ in range(2):
        assert fast(good).sum() == 12
        with pytest.raises(ValueError, match="a negative number"):
            fast(bad)


def test_exceptions_that_the_function_handles(compiled: Compile, device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        try:
            if y.shape[0] > 2:
                raise ValueError(y.shape[0])
            return y
        except ValueError as error:
            return y + error.args[0]

    fast = compiled(function)
    for size in (2, 3):
        x = torch.ones(size, device=device)
        torch.testing.assert_close(fast(x), function(x))


def test_exceptions_pass(compiled: Compile, device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        if y.shape[0] == 3:
            raise KeyError("three")
        return y

    fast = compiled(function)
    with pytest.raises(KeyError, match="three"):
        fast(torch.ones(3, device=device))
    assert fast(torch.ones(2, device=device)).sum() == 4


def test_reset(compiled: Compile, device: str) -> None:
    fast = compiled(lambda x: x + 1)
    x = torch.ones(3, device=device)
    for _ in range(2):
        assert fast(x).sum() == 6
        torch._dynamo.reset()


def test_threads(compiled: Compile, device: str) -> None:
    fast = compiled(lambda x: (x * 2).softmax(-1))
    x = torch.randn(8, 16, device=device)
    expected = (x * 2).softmax(-1)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(5):
                torch.testing.assert_close(fast(x), expected)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.parametrize("door", ["compile", "jit"])
def test_calls_of_other_threads_while_one_traces(door: str, compiled: Compile, device: str) -> None:
    x = torch.ones(3, device=device)
    other = compiled(lambda x: x + 1)
    other(x)
    results: list[Any] = []

    def work() -> None:
        try:
            results.append(other(x))
        except RuntimeError as error:
            results.append(error)

    @torch.library.custom_op(f"nvfuser_tests::traced_by_{door}", mutates_args=())
    def traced(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    @traced.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        return torch.empty_like(x)

    fast = (compiled if door == "compile" else nvfuser.jit)(lambda x: traced(x) * 2)
    torch.testing.assert_close(fast(x), x * 2)
    assert results
    for result in results:
        torch.testing.assert_close(result, x + 1)


def test_threads_that_train(compiled: Compile, device: str) -> None:
    module = nn.Sequential(nn.Linear(6, 6), nn.Tanh()).to(device)
    fast = compiled(module)
    weight = module[0].weight
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            generator = torch.Generator().manual_seed(seed)
            for rows in (3, 4, 5):
                x = torch.randn(rows, 6, generator=generator).to(device)
                ours, theirs = (
                    torch.autograd.grad(each(x).square().sum(), weight) for each in (fast, module)
                )
                torch.testing.assert_close(ours, theirs)
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_copies_of_modules(compiled: Compile, device: str) -> None:
    fast = compiled(nn.Linear(4, 4).to(device))
    x = torch.randn(2, 4, device=device)
    y = fast(x)
    torch.testing.assert_close(copy.deepcopy(fast)(x), y)
    again = pickle.loads(pickle.dumps(fast._orig_mod))
    torch.testing.assert_close(compiled(again)(x), y)


def test_compiled_inside_of_compiled(compiled: Compile, device: str) -> None:
    inner = compiled(lambda x: x.sin() * 2)
    outer = compiled(lambda x: inner(x) + 1)
    x = torch.randn(5, device=device)
    torch.testing.assert_close(outer(x), x.sin() * 2 + 1)


def test_modules_of_compiled_modules(compiled: Compile, device: str) -> None:
    inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU()).to(device)
    plain = nn.Sequential(inner, nn.Softmax(-1))
    outer = compiled(nn.Sequential(compiled(inner), nn.Softmax(-1)))
    x = torch.randn(3, 4, device=device)
    torch.testing.assert_close(outer(x), plain(x))
    outer(x).square().sum().backward()
    expected = torch.autograd.grad(plain(x).square().sum(), list(inner.parameters()))
    for parameter, gradient in zip(inner.parameters(), expected, strict=True):
        torch.testing.assert_close(parameter.grad, gradient)


def test_a_definition_inside_of_compiled(compiled: Compile, device: str) -> None:
    from nvfuser import FusionDefinition

    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor(shape=[-1], contiguity=True)))
    x = torch.randn(5, device=device)
    fast = compiled(lambda x: fd.execute([x * 2])[0] + 1)
    torch.testing.assert_close(fast(x), (x * 2).relu() + 1)


@pytest.mark.usefixtures("fresh_dynamo")
def test_backend_is_known_to_torch(device: str) -> None:
    assert "nvfuser" in torch._dynamo.list_backends()
    fast = torch.compile(lambda x: x + 1, backend="nvfuser", options={"strict": True})
    assert fast(torch.ones(3, device=device)).sum() == 6


@pytest.mark.usefixtures("fresh_dynamo")
def test_unknown_options(device: str) -> None:
    x = torch.ones(3, device=device)
    for options, message in (
        ({"chekc": True}, "did you mean 'check'"),
        ({"check": 1}, "must be True or False, but is 1"),
    ):
        fast = torch.compile(lambda x: x + 1, backend="nvfuser", options=options)
        with pytest.raises(Exception, match=message):
            fast(x)


def test_higher_order_operators(compiled: Compile, device: str) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        y = torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x + 1,))
        return y * 2

    fast = compiled(function)
    for sign in (1.0, -1.0):
        x = torch.full((3,), sign, device=device)
        torch.testing.assert_close(fast(x), function(x))


def test_custom_operators(compiled: Compile, device: str) -> None:
    @torch.library.custom_op("nvfuser_tests::scale_", mutates_args=("x",))
    def scale(x: torch.Tensor, factor: float) -> None:
        x.mul_(factor)

    def function(x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        scale(y, 3.0)
        return y.relu()

    x = torch.randn(4, device=device)
    torch.testing.assert_close(compiled(function)(x), function(x))


def test_complex_constants(compiled: Compile, device: str) -> None:
    x, y = (torch.randn(3, dtype=torch.complex64, device=device) for _ in range(2))
    torch.testing.assert_close(compiled(torch.lerp)(x, y, 0.4), torch.lerp(x, y, 0.4))


def test_unused_results(compiled: Compile, device: str) -> None:
    # Fake tensors have another shape than the second result of the kernel.
    bag = torch.nn.EmbeddingBag(5, 4, mode="sum", dtype=torch.bfloat16, device=device)
    offsets = torch.tensor([0, 2], device=device)
    index = torch.tensor([1, 2, 3, 0], device=device)
    with torch.no_grad():
        torch.testing.assert_close(compiled(bag)(index, offsets), bag(index, offsets))
