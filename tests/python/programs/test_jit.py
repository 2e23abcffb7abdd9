"""nvfuser.jit: functions and modules as fusions."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from new_process import run_python

import nvfuser
from nvfuser import PythonProfiler
from nvfuser.frontend import jit as jit_module
from nvfuser.frontend.jit import TracingError
from nvfuser.frontend.settings import Settings

F = torch.nn.functional


@pytest.fixture
def tracings(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One entry for each tracing."""
    seen: list[Any] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            seen.append(args[0])
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(jit_module, "trace", counted(jit_module.trace))
    monkeypatch.setattr(jit_module, "trace_gradients", counted(jit_module.trace_gradients))
    return seen


@pytest.fixture(autouse=True)
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left to torch without a word."""
    monkeypatch.setattr(jit_module, "Settings", lambda: Settings(strict=True))
    torch.manual_seed(0)


def agree(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Compare a call with the function's, arguments that are updated included."""
    copied_args, copied_kwargs = copy.deepcopy((args, kwargs))
    expected = function(*copied_args, **copied_kwargs)
    compiled = nvfuser.jit(function)
    for _ in range(2):
        own_args, own_kwargs = copy.deepcopy((args, kwargs))
        result = compiled(*own_args, **own_kwargs)
        assert_same((result, own_args, own_kwargs), (expected, copied_args, copied_kwargs))
    return result


def assert_same(actual: Any, expected: Any) -> None:
    leaves, structure = torch.utils._pytree.tree_flatten(actual)
    right, right_structure = torch.utils._pytree.tree_flatten(expected)
    assert structure == right_structure
    for value, wanted in zip(leaves, right, strict=True):
        if isinstance(wanted, torch.Tensor):
            torch.testing.assert_close(value, wanted)
        else:
            assert value == wanted


# ---------------------------------------------------------------- sizes


def test_other_sizes_are_not_traced_again(tracings: list[Any], device: str) -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return F.softmax(F.gelu(x) @ weight, -1)

    for n, m, k in ((4, 5, 6), (7, 5, 6), (2, 3, 3), (64, 8, 16)):
        x, weight = torch.randn(n, m, device=device), torch.randn(m, k, device=device)
        torch.testing.assert_close(f(x, weight), F.softmax(F.gelu(x) @ weight, -1))
    assert len(tracings) == 1
    # One row broadcasts: that is another program.
    f(torch.randn(1, 3, device=device), torch.randn(3, 3, device=device))
    assert len(tracings) == 2
    f(torch.randn(9, 3, device=device), torch.randn(3, 3, device=device))
    assert len(tracings) == 2


@pytest.mark.parametrize("is_differentiated", [False, True])
def test_kernels_for_sizes_that_stay(device: str, is_differentiated: bool) -> None:
    """With `dynamic`, or once a size has changed, other values of it need no compilation."""

    def compilations(fast: Any, shape: tuple[int, int], scale: float) -> bool:
        x = torch.randn(shape, device=device, requires_grad=is_differentiated)
        with PythonProfiler() as profiler:
            result = fast(x)
        expected = torch.sin(x * scale) * x.shape[1]
        torch.testing.assert_close(result, expected)
        if is_differentiated:
            wanted = torch.autograd.grad(expected.sum(), x)
            torch.testing.assert_close(torch.autograd.grad(result.sum(), x), wanted)
        return profiler.profile.compile_time_ms > 0

    def make(scale: float, **options: Any) -> Any:
        return nvfuser.jit(lambda x: torch.sin(x * scale) * x.shape[1], **options)

    # Numbers of which each has kernels of its own.
    a, b = (0.125 + is_differentiated, 0.25 + is_differentiated)
    shapes = ((48, 64), (48, 64), (96, 64), (112, 64), (48, 64))
    fast = make(a)
    assert [compilations(fast, shape, a) for shape in shapes] == [True, False, True, False, False]
    fast = make(b, dynamic=True)
    assert [compilations(fast, shape, b) for shape in shapes] == [True, *[False] * 4]


def test_sizes_that_decide_are_traced_again(tracings: list[Any]) -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.shape[0] > 8 else x - x.shape[0]

    for n in (4, 5, 20, 30, 6, 8, 9):
        x = torch.randn(n)
        torch.testing.assert_close(f(x), x * 2 if n > 8 else x - n)
    assert len(tracings) == 2


def test_layouts_and_dtypes_of_calls(device: str) -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x * 2 + 1).view(x.shape[0], -1)

    x = torch.randn(4, 6, 2, device=device)
    for given in (x, x.double(), x.transpose(1, 2).contiguous(), x[::2], x.half(), x.long()):
        torch.testing.assert_close(f(given), (given * 2 + 1).view(given.shape[0], -1))


def test_alternating_sizes_keep_their_plans(tracings: list[Any]) -> None:
    asked = []

    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    admits = jit_module.Version.admits
    f(torch.ones(3))
    try:
        jit_module.Version.admits = lambda self, inputs: asked.append(1) or admits(self, inputs)
        for _ in range(5):
            for n in (4, 5, 6):
                f(torch.ones(n))
    finally:
        jit_module.Version.admits = admits
    assert len(tracings) == 1
    assert len(asked) <= 3


# ---------------------------------------------------------------- arguments and results


class Pair(NamedTuple):
    first: torch.Tensor
    second: torch.Tensor


STRUCTURES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (lambda x, y: (x + y, [x * y, {"k": x - y}]), (torch.ones(3), torch.ones(3)), {}),
    (lambda xs: sum(xs), ([torch.ones(3), torch.ones(1), torch.ones(2, 3)],), {}),
    (lambda d: d["a"] * d["b"][0], ({"a": torch.ones(3), "b": (torch.ones(3), 4)},), {}),
    (lambda x, *, y=None, k=2: x + k if y is None else x + y, (torch.ones(3),), {"k": 3}),
    (
        lambda x, *, y=None, k=2: x + k if y is None else x + y,
        (torch.ones(3),),
        {"y": torch.ones(3)},
    ),
    (lambda p: Pair(p.second + 1, p.first), (Pair(torch.ones(3), torch.zeros(3)),), {}),
    (lambda x, mode: x.exp() if mode == "exp" else x, (torch.ones(3), "exp"), {}),
    (lambda x: None, (torch.ones(3),), {}),
    (lambda x: (x, 3, None, "s"), (torch.ones(3),), {}),
    (lambda x: (x, x.shape[0] * 2, x + 1), (torch.ones(3),), {}),
    (lambda x: [], (torch.ones(3),), {}),
    (lambda x: (y := x + 1, y, y), (torch.ones(3),), {}),
    (lambda x, f: f(x), (torch.ones(3), torch.cos), {}),
    (lambda: torch.arange(5) * 2, (), {}),
    (lambda x, dtype: x.to(dtype), (torch.ones(3), torch.float64), {}),
]


@pytest.mark.parametrize("number", range(len(STRUCTURES)))
def test_structures(number: int) -> None:
    function, args, kwargs = STRUCTURES[number]
    result = agree(function, *args, **kwargs)
    expected = function(*args, **kwargs)
    assert torch.utils._pytree.tree_structure(result) == torch.utils._pytree.tree_structure(
        expected
    )


def test_constants_are_part_of_the_kind(tracings: list[Any]) -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, a: Any) -> torch.Tensor:
        return x * a

    x = torch.ones(3)
    for value in (1, 1.0, True, 2, 0.0, -0.0, math.nan, 1 + 2j, 1, 1.0, math.nan, -0.0):
        torch.testing.assert_close(f(x, value), x * value, equal_nan=True)
        assert math.copysign(1, f(x, value)[0].real) == math.copysign(1, (x * value)[0].real)
    assert len(tracings) == 8


def test_changing_constants_are_bounded(
    tracings: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, a: int) -> torch.Tensor:
        return x + a

    x = torch.ones(3)
    for i in range(jit_module.MAX_VERSIONS + 5):
        assert f(x, i)[0] == 1 + i
    assert sum("more than 64 kinds" in record.message for record in caplog.records) == 1
    # The first one gave way.
    assert f(x, 0)[0] == 1
    assert len(tracings) == jit_module.MAX_VERSIONS + 6


def test_numpy_arrays() -> None:
    @nvfuser.jit
    def f(x: Any, y: Any) -> Any:
        return x @ y + 1

    x, y = np.ones((3, 4), np.float32), np.ones((4, 5), np.float32)
    for _ in range(3):
        result = f(x, y)
        assert type(result) is np.ndarray
        np.testing.assert_allclose(result, x @ y + 1)


def test_number_and_names_of_arguments() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, y: torch.Tensor | None = None) -> torch.Tensor:
        return x if y is None else x + y

    x = torch.ones(2)
    f(x, x)
    torch.testing.assert_close(f(x, y=x), x + x)
    torch.testing.assert_close(f(y=x, x=x), x + x)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        f(x, z=x)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        f()


# ---------------------------------------------------------------- memory


def test_updates_in_place(device: str) -> None:
    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(y)
        x[0].mul_(2)
        y[:, 1] = 5
        return x * y

    agree(f, torch.randn(4, 3, device=device), torch.randn(4, 3, device=device))


def test_what_is_returned_again_is_the_argument() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x.add_(y), y

    x, y = torch.ones(3), torch.ones(3)
    for _ in range(3):
        a, b = f(x, y)
        assert a is x
        assert b is y
    assert x[0] == 4


def test_views_of_arguments_and_results_share_memory() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        y = x + 1
        return x[1:], x.t(), y, y[0], y.view(-1)

    for _ in range(3):
        x = torch.randn(3, 4)
        tail, transposed, y, row, flat = f(x)
        tail.zero_()
        assert x[1:].abs().max() == 0
        assert transposed.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        row.fill_(7)
        assert torch.equal(y[0], row)
        assert torch.equal(flat[:4], row)


def test_views_of_arguments_that_are_updated_share_memory() -> None:
    """Those that were made before the update, behind it, and through other names of the memory."""

    def function(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        first, second = x.split(2)
        alias = x.detach()
        x.add_(1)
        rows = x.t()
        rows[0].mul_(2)
        return first, second[0], x.view(-1)[3:], rows, alias, x, x * 1, x[[0, 1]], (x + 0)[0]

    x = torch.arange(24.0).view(4, 6)
    agree(function, x)
    results = nvfuser.jit(function)(x)
    shared = [y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for y in results]
    assert shared == [True] * 6 + [False] * 3
    results[3].fill_(7.0)
    assert torch.equal(x, torch.full_like(x, 7.0))


def test_a_copy_of_what_is_updated_is_no_view_of_it() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        z = y * 2
        x.copy_(z)
        return z, z.t()

    x = torch.zeros(4, 6)
    agree(function, x, torch.ones(4, 6))
    results = nvfuser.jit(function)(x, torch.ones(4, 6))
    places = [tensor.untyped_storage().data_ptr() for tensor in (x, *results)]
    assert places[0] != places[1] == places[2]


def test_overlapping_arguments() -> None:
    """The same memory under two names, one of which is updated."""

    def f(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * y

    compiled = nvfuser.jit(f)
    for make in (lambda b: (b, b), lambda b: (b[1:], b[:-1]), lambda b: (b[:3], b[3:6])):
        base, other = torch.arange(8.0), torch.arange(8.0)
        torch.testing.assert_close(compiled(*make(base)), f(*make(other)))
        torch.testing.assert_close(base, other)


# ---------------------------------------------------------------- modules


class Block(torch.nn.Module):
    def __init__(self, width: int = 8) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(width, width)
        self.norm = torch.nn.BatchNorm1d(width)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.calls.add_(1)
        return self.norm(self.linear(x)).relu()


def test_modules_train_and_evaluate(device: str, tracings: list[Any]) -> None:
    module = Block().to(device)
    reference = copy.deepcopy(module)
    compiled = nvfuser.jit(module)
    assert compiled.__wrapped__ is module
    for is_training in (True, False, True):
        module.train(is_training)
        reference.train(is_training)
        for n in (16, 5):
            x = torch.randn(n, 8, device=device)
            with torch.no_grad():
                torch.testing.assert_close(compiled(x), reference(x))
            torch.testing.assert_close(
                dict(module.named_buffers()), dict(reference.named_buffers())
            )
    assert len(tracings) == 2


def test_replaced_and_updated_parameters_are_read_anew() -> None:
    module = torch.nn.Linear(4, 4)
    compiled = nvfuser.jit(module)
    x = torch.randn(3, 4)
    with torch.no_grad():
        compiled(x)
        module.weight.mul_(2)
        torch.testing.assert_close(compiled(x), module(x))
        module.weight = torch.nn.Parameter(torch.randn(4, 4))
        torch.testing.assert_close(compiled(x), module(x))
        module.load_state_dict(torch.nn.Linear(4, 4).state_dict(), assign=True)
        torch.testing.assert_close(compiled(x), module(x))


def test_gradients(device: str, tracings: list[Any]) -> None:
    module = Block().to(device)
    reference = copy.deepcopy(module)
    compiled = nvfuser.jit(module)
    optimizers = [torch.optim.SGD(m.parameters(), 0.1) for m in (module, reference)]
    for n in (16, 7, 12):
        x = torch.randn(n, 8, device=device, requires_grad=True)
        y = x.detach().clone().requires_grad_()
        for function, given, optimizer in (
            (compiled, x, optimizers[0]),
            (reference, y, optimizers[1]),
        ):
            optimizer.zero_grad()
            function(given).square().mean().backward()
            optimizer.step()
        torch.testing.assert_close(x.grad, y.grad)
        torch.testing.assert_close(module.state_dict(), reference.state_dict())
    assert len(tracings) == 1


def test_part_of_the_inputs_requires_grad() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            z = x * y
        return x * y + z, y.detach() * 2

    x, y = torch.randn(3, requires_grad=True), torch.randn(3)
    out, plain = f(x, y)
    assert out.requires_grad
    assert not plain.requires_grad
    out.sum().backward()
    torch.testing.assert_close(x.grad, y)
    y.requires_grad_()
    f(x.detach(), y)[0].sum().backward()
    torch.testing.assert_close(y.grad, x.detach())
    with torch.no_grad():
        assert not f(x, y)[0].requires_grad
    with torch.inference_mode():
        assert f(x, y)[0].is_inference()


def test_modules_made_in_inference_mode() -> None:
    with torch.inference_mode():
        module = torch.nn.Linear(4, 4)
        compiled = nvfuser.jit(module)
        for rows in (3, 5):
            x = torch.randn(rows, 4)
            assert_same(compiled(x), module(x))
    with torch.no_grad():
        x = torch.randn(3, 4)
        assert_same(compiled(x), module(x))


def test_modules_that_functions_read_or_are_given() -> None:
    layer = torch.nn.Linear(4, 4)

    @nvfuser.jit
    def around(x: torch.Tensor) -> torch.Tensor:
        return layer(x).relu()

    @nvfuser.jit
    def given(module: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
        return module(x).relu()

    x = torch.randn(3, 4)
    for call in (
        lambda: around(x),
        lambda: given(layer, x),
        lambda: nvfuser.jit(layer.forward)(x).relu(),
    ):
        layer.zero_grad()
        out = call()
        torch.testing.assert_close(out, layer(x).relu())
        out.sum().backward()
        gradient = layer.weight.grad.clone()
        layer.zero_grad()
        layer(x).relu().sum().backward()
        torch.testing.assert_close(gradient, layer.weight.grad)


def test_methods() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(torch.tensor(2.0))

        @nvfuser.jit
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            """Scale."""
            return x * self.scale

    a, b = Model(), Model()
    b.scale.data.fill_(3.0)
    assert a(torch.ones(2))[0] == 2
    assert b(torch.ones(2))[0] == 3
    assert Model.forward.__doc__ == "Scale."
    with torch.no_grad():
        assert b(torch.ones(2))[0] == 3
        assert a(torch.ones(2))[0] == 2


def test_recurrent_module() -> None:
    module = torch.nn.LSTM(4, 6, batch_first=True)
    compiled = nvfuser.jit(module)
    x = torch.randn(2, 5, 4)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x), module(x))
    out, (h, c) = compiled(x)
    expected = module(x)
    torch.testing.assert_close((out, (h, c)), expected)
    out.sum().backward()
    gradient = module.weight_ih_l0.grad.clone()
    module.zero_grad()
    expected[0].sum().backward()
    torch.testing.assert_close(gradient, module.weight_ih_l0.grad)


def test_functions_of_torch_compile_are_traced_through(tracings: list[Any]) -> None:
    inner = torch.compile(lambda x: x.sin() + 1, backend="eager")
    outer = nvfuser.jit(lambda x: inner(x) * 2)
    for _ in range(2):
        for requires_grad in (False, True):
            x = torch.randn(4, requires_grad=requires_grad)
            torch.testing.assert_close(outer(x), (x.sin() + 1) * 2)
            inner(torch.randn(4))
    assert len(tracings) == 2


# ---------------------------------------------------------------- modes


def test_autocast() -> None:
    module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU(), torch.nn.LayerNorm(8))
    compiled = nvfuser.jit(module)
    x = torch.randn(3, 8)
    for context in (torch.no_grad(), torch.enable_grad()):
        with context:
            for _ in range(2):
                assert compiled(x).dtype == torch.float32
                with torch.autocast("cpu", torch.bfloat16):
                    result = compiled(x)
                    expected = module(x)
                assert result.dtype == expected.dtype
                torch.testing.assert_close(result, expected, atol=2e-2, rtol=2e-2)


def test_random_numbers_are_torchs() -> None:
    def f(x: torch.Tensor) -> torch.Tensor:
        return F.dropout(x, 0.5) + torch.rand_like(x) + torch.rand(x.shape[0])

    compiled = nvfuser.jit(f)
    x = torch.ones(100)
    a, b = compiled(x), compiled(x)
    assert not torch.equal(a, b)
    numbers = nvfuser.jit(lambda: torch.rand(100))
    assert not torch.equal(numbers(), numbers())
    torch.manual_seed(1)
    first = compiled(x)
    torch.manual_seed(1)
    assert torch.equal(compiled(x), first)


def test_who_records_sees_the_function() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return x.sin() + 1

    x = torch.randn(3)
    graph = torch.fx.experimental.proxy_tensor.make_fx(f)(x)
    assert any(node.target is torch.ops.aten.sin.default for node in graph.graph.nodes)
    compiled = torch.compile(lambda x: f(x) * 2, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), (x.sin() + 1) * 2)
    exported = torch.export.export(torch.nn.Sequential(Wrapper(f)), (x,))
    torch.testing.assert_close(exported.module()(x), x.sin() + 1)


class Wrapper(torch.nn.Module):
    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


def test_a_compiled_function_inside_another() -> None:
    @nvfuser.jit
    def inner(x: torch.Tensor) -> torch.Tensor:
        return x.sin()

    agree(lambda x: inner(x) + inner(2 * x), torch.randn(3))


def test_check() -> None:
    module = Block()
    compiled = nvfuser.jit(module, check=True)
    calls = module.calls.item()
    with torch.no_grad():
        compiled(torch.randn(4, 8))
    assert module.calls == calls + 1
    wrong = nvfuser.jit(lambda x: x + 1, check=True)
    wrong(torch.ones(3))
    tracer = next(o for o in gc.get_referents(wrong) if type(o).__name__ == "_Tracer")
    (version,) = next(iter(tracer._versions.values()))
    call = version.call
    version.call = lambda inputs: [2 * out for out in call(inputs)]
    with pytest.raises(AssertionError, match="result 0 of the compiled function is wrong"):
        wrong(torch.ones(3))


# ---------------------------------------------------------------- what cannot be traced


counter = 0
seen: list[Any] = []


def assigns_global(x: torch.Tensor) -> torch.Tensor:
    global counter
    counter += 1
    return x


def appends(x: torch.Tensor) -> torch.Tensor:
    seen.append(1)
    return x + 1


def prints(x: torch.Tensor) -> torch.Tensor:
    print("x")
    return x + 1


def branches(x: torch.Tensor) -> torch.Tensor:
    return x if x.sum() > 0 else -x


def reads(x: torch.Tensor) -> torch.Tensor:
    return x + float(x.numpy()[0])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (assigns_global, "assigns counter, which is outside"),
        (appends, "seen is changed"),
        (prints, r"print\(\) would not be called in later calls .*test_jit.py"),
        (branches, "depends on the values of a tensor at .*test_jit.py"),
        (reads, "the values of a tensor are read at .*test_jit.py"),
    ],
)
def test_what_cannot_be_recorded(function: Any, message: str) -> None:
    x = torch.ones(3)
    with pytest.raises(TracingError, match=message):
        nvfuser.jit(function)(x)
    seen.clear()
    eager = nvfuser.jit(function, fallback="eager")
    expected = function(x.clone())
    for _ in range(2):
        torch.testing.assert_close(eager(x), expected)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.int64, torch.int32])
def test_numbers_of_tensors_are_no_constants(dtype: torch.dtype) -> None:
    x, first, second = torch.ones(3), torch.tensor(2, dtype=dtype), torch.tensor(5, dtype=dtype)

    def product(x: torch.Tensor, t: torch.Tensor) -> torch.Tensor:
        return x * float(t)

    with pytest.raises(TracingError, match="depends on the values of a tensor"):
        nvfuser.jit(product)(x, first)
    eager = nvfuser.jit(product, fallback="eager")
    for number in (first, second, first):
        torch.testing.assert_close(eager(x, number), x * float(number))


def test_gradients_of_a_number_of_the_host(tmp_path: Path) -> None:
    # In a process of its own: torch's symbols of numbers fail the first time only.
    program = """
import torch, nvfuser
x = torch.tensor(-7.5, dtype=torch.float64, requires_grad=True)
nvfuser.jit(lambda t: 3 * t * t)(x).backward()
print(x.grad.item())
"""
    done = run_python(program, tmp_path)
    assert done.stdout.split() == ["-45.0"], done.stderr


def test_modules_that_change_themselves() -> None:
    class Counter(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.calls = 0
            self.register_buffer("total", torch.zeros(()))

        def forward(self, x: torch.Tensor, what: str) -> torch.Tensor:
            if what == "attribute":
                self.calls += 1
            else:
                self.total = self.total + x.sum()
            return x + 1

    module = Counter()
    compiled = nvfuser.jit(module)
    with torch.no_grad():
        with pytest.raises(TracingError, match="the attribute calls of a Counter is assigned"):
            compiled(torch.ones(2), "attribute")
        with pytest.raises(TracingError, match="total of a module is assigned another tensor"):
            compiled(torch.ones(2), "buffer")
    assert module.calls == 0
    assert type(module.total) is torch.Tensor


def test_a_module_and_its_parts() -> None:
    """A function may read a module by itself and as a part of another one: it is one module."""
    inner = torch.nn.Linear(3, 2)
    outer = torch.nn.Sequential(inner, torch.nn.Tanh())

    def function(x: torch.Tensor) -> torch.Tensor:
        return outer(x) + inner(x)

    agree(function, torch.randn(4, 3))
    nvfuser.jit(function)(torch.randn(4, 3)).sum().backward()
    assert inner.weight.grad is not None


def test_gradients_that_would_be_lost_are_an_error() -> None:
    weight = torch.ones(3, requires_grad=True)

    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return x * weight

    with pytest.raises(TracingError, match="requires grad is read from around the function"):
        f(torch.ones(3))
    with torch.no_grad():
        torch.testing.assert_close(f(torch.ones(3)), weight)
        weight.mul_(2)
        torch.testing.assert_close(f(torch.ones(3)), weight)


@pytest.mark.parametrize("is_differentiated", [False, True])
def test_errors_of_linear_algebra(is_differentiated: bool) -> None:
    @nvfuser.jit
    def factor(x: torch.Tensor) -> torch.Tensor:
        return torch.linalg.cholesky(x @ x.mT - 1.0) * 2

    good = (3 * torch.eye(3)).requires_grad_(is_differentiated)
    bad = torch.zeros(3, 3).requires_grad_(is_differentiated)
    for _ in range(2):
        expected = torch.linalg.cholesky(good @ good.mT - 1.0) * 2
        torch.testing.assert_close(factor(good), expected)
        with pytest.raises(torch.linalg.LinAlgError, match="not positive-definite"):
            factor(bad)


def test_shapes_that_change_in_place() -> None:
    with pytest.raises(TracingError, match="the shape of a tensor is changed in place"):
        nvfuser.jit(lambda x: (x + 1).resize_(2, 2).sum())(torch.randn(4))
    with pytest.raises(TracingError, match="torch cannot trace an operator"):
        nvfuser.jit(lambda x, y: (x + 1).resize_as_(y).sum())(torch.randn(4), torch.randn(2, 2))


def test_operators_that_need_sizes() -> None:
    # Written in C++ for sizes that are numbers, as its weights show.
    weights = torch.rand(3, requires_grad=True)
    with pytest.raises(
        TracingError, match=r"an operator takes no sizes that are left open at .*test_jit\.py"
    ):
        nvfuser.jit(lambda x, w: torch.cov(x, aweights=w))(torch.randn(3), weights)
    eager = nvfuser.jit(lambda x, w: torch.cov(x, aweights=w), fallback="eager")
    x = torch.randn(3)
    torch.testing.assert_close(eager(x, weights), torch.cov(x, aweights=weights))


def test_errors_of_the_function_are_its_own() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        if x.dim() != 2:
            raise ValueError("two dimensions, please")
        return x @ x

    with pytest.raises(ValueError, match="two dimensions, please"):
        f(torch.ones(3))
    with pytest.raises(RuntimeError, match="same reduction dim"):
        f(torch.ones(3, 4))
    torch.testing.assert_close(f(torch.ones(3, 3)), torch.full((3, 3), 3.0))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: nvfuser.jit(3), TypeError),
        (lambda: nvfuser.jit(torch.sin, fallback="lazy"), ValueError),
    ],
)
def test_bad_options(call: Callable[[], Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


# ---------------------------------------------------------------- lifetime and threads


def test_compiled_functions_are_freed() -> None:
    module = Block()
    compiled = nvfuser.jit(module)
    module.compiled = compiled  # a cycle
    with torch.no_grad():
        compiled(torch.randn(4, 8))
    gone = weakref.ref(module)
    del module, compiled
    gc.collect()
    assert gone() is None


def test_threads() -> None:
    @nvfuser.jit
    def f(x: torch.Tensor) -> torch.Tensor:
        return (x.sin() * 2).sum(-1)

    failures = []

    def work(seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        for n in (3, 4, 5, 3):
            x = torch.randn(n, seed + 2, generator=generator)
            try:
                torch.testing.assert_close(f(x), (x.sin() * 2).sum(-1))
            except Exception as error:  # noqa: BLE001
                failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---------------------------------------------------------------- copies, attributes


@nvfuser.jit
def named(x: torch.Tensor) -> torch.Tensor:
    return x.exp() + 1


def test_copies_of_modules() -> None:
    x = torch.randn(4, 8)
    with torch.no_grad():
        compiled = nvfuser.jit(Block().eval(), mode="reduce-overhead")
        expected = compiled(x)
        pickled = pickle.loads(pickle.dumps(compiled))
        copies = (copy.copy(compiled), copy.deepcopy(compiled), pickled)
        for other in copies:
            assert_same(other(x), expected)
            assert other._options["mode"] == "reduce-overhead"
        assert copies[0].__wrapped__ is compiled.__wrapped__
        for other in copies[1:]:
            for parameter in other.__wrapped__.parameters():
                parameter.zero_()
            assert not torch.equal(other(x), expected)
        assert_same(compiled(x), expected)


def test_copies_of_functions() -> None:
    assert copy.copy(named) is named
    assert copy.deepcopy(named) is named
    assert pickle.loads(pickle.dumps(named)) is named
    block = Block()
    block.activation = named
    assert copy.deepcopy(block).activation is named


def test_attributes_are_those_of_the_module() -> None:
    module = Block()
    compiled = nvfuser.jit(module)
    assert list(compiled.parameters()) == list(module.parameters())
    compiled.eval()
    assert not module.training
    with pytest.raises(AttributeError, match="nothing"):
        compiled.nothing  # noqa: B018
    assert not hasattr(named, "parameters")


# ---------------------------------------------------------------- calls that do not come to Python


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """One entry for each call that native code knew no version for."""
    calls: list[Any] = []
    trace = jit_module._Tracer.__call__

    def counted(self: Any, args: Any, kwargs: Any) -> Any:
        calls.append(args)
        return trace(self, args, kwargs)

    monkeypatch.setattr(jit_module._Tracer, "__call__", counted)
    return calls


def views_and_values(x: torch.Tensor, y: torch.Tensor) -> dict[str, Any]:
    return {"view": x.t(), "sum": x + y, "nothing": None, "pair": (x * y, 3)}


def only_views(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return y, x[1:]


@pytest.mark.parametrize("function", [views_and_values, only_views])
def test_results_that_are_views(function: Any, device: str, traced: list[Any]) -> None:
    compiled = nvfuser.jit(function)
    for rows in (4, 4, 6, 4, 6):
        x, y = torch.randn(rows, 5, device=device), torch.randn(rows, 5, device=device)
        result, expected = compiled(x, y), function(x, y)
        torch.testing.assert_close(result, expected)
        leaves = zip(*map(torch.utils._pytree.tree_leaves, (result, expected)), strict=True)
        for mine, theirs in leaves:
            if isinstance(theirs, torch.Tensor) and theirs._base is x:
                assert mine.data_ptr() == theirs.data_ptr()
    assert len(traced) == 1


def layers(device: str) -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.GELU(), torch.nn.Linear(8, 4)
    ).to(device)


def test_gradients_are_found_without_python(device: str, traced: list[Any]) -> None:
    module = layers(device)
    other = copy.deepcopy(module)
    compiled = nvfuser.jit(other)
    for rows in (3, 3, 5):
        x = torch.randn(rows, 8, device=device)
        for each, call in ((module, module), (other, compiled)):
            each.zero_grad()
            call(x).square().sum().backward()
        for mine, theirs in zip(other.parameters(), module.parameters(), strict=True):
            torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-4, atol=1e-5)
    assert len(traced) == 1
    # What is differentiated is part of the kind.
    for each in (module, other):
        each[0].requires_grad_(False)
        each.zero_grad()
    for _ in range(2):
        compiled(x).square().sum().backward()
        module(x).square().sum().backward()
    assert len(traced) == 2
    assert other[0].weight.grad is None
    torch.testing.assert_close(other[3].weight.grad, module[3].weight.grad, rtol=1e-4, atol=1e-5)
    with torch.no_grad():
        for _ in range(2):
            assert not compiled(x).requires_grad
    assert len(traced) == 3
    compiled(x).square().sum().backward()
    assert len(traced) == 3


def test_autocast_is_known_without_python(device: str, traced: list[Any]) -> None:
    module = layers(device)
    compiled = nvfuser.jit(module)
    x = torch.randn(3, 8, device=device)

    def check(dtype: torch.dtype | None) -> None:
        enabled = dtype is not None
        with torch.no_grad(), torch.autocast(device, dtype or torch.bfloat16, enabled=enabled):
            result, expected = compiled(x), module(x)
        assert result.dtype is expected.dtype is (dtype or torch.float32)
        torch.testing.assert_close(result, expected, rtol=3e-2, atol=3e-2)

    for dtype in (torch.bfloat16, None, torch.float16):
        check(dtype)
    assert len(traced) == 3
    for dtype in (None, torch.float16, torch.bfloat16) * 2:
        check(dtype)
    assert len(traced) == 3
