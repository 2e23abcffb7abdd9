"""Steps of models in each of the ways that are compared, and how they are measured."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import models
import package_models
import torch
from side_by_side import Samples
from torch import nn

__all__ = ["MODES", "OURS", "PEERS", "FirstCalls", "first_calls", "measure", "warm_up"]

MODES = ("inference", "training")
OURS = ("compile", "compile-graphs", "jit")
PEERS = ("inductor", "inductor-graphs")
_LIBRARY = ("mm", "bmm", "addmm", "baddbmm", "convolution", "convolution_backward", "scaled_dot")


class Step(nn.Module):
    """What is compiled: a model, and its loss where it is trained."""

    def __init__(self, model: nn.Module, is_training: bool) -> None:
        super().__init__()
        self.model = model.train(is_training)
        self.is_training = is_training

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Return the loss, or the result."""
        result = self.model(*inputs)
        return models.loss_of(result) if self.is_training else result


class Shares:
    """Counts which part of graphs is generated, while they are converted."""

    def __init__(self) -> None:
        self.operators: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def __enter__(self) -> Shares:
        from nvfuser.frontend import conversion

        self._module, self._original = conversion, conversion.Conversion
        shares = self

        class Counting(conversion.Conversion):
            def run(self) -> Any:
                result = super().run()
                shares.add(self)
                return result

        conversion.Conversion = Counting  # type: ignore[misc]
        return self

    def __exit__(self, *_: object) -> None:
        self._module.Conversion = self._original  # type: ignore[misc]

    def add(self, conversion: Any) -> None:
        """Count the operators of a graph."""
        from nvfuser.frontend.layouts import view_source

        for node in conversion.graph.graph.nodes:
            value = node.meta.get("val")
            name = str(node.target)
            is_operator = node.op == "call_function" and isinstance(
                value, (torch.Tensor, tuple, list)
            )
            if not is_operator or view_source(node) is not None or name.startswith("<"):
                continue
            moved = sum(map(_bytes_of, node.all_input_nodes)) + _bytes_of(node)
            kind = "generated" if name in conversion.generated else "eager"
            if name.split(".")[1].lstrip("_").startswith(_LIBRARY):
                kind = "library"
            self.operators[kind] += 1
            self.bytes[kind] += moved
            if kind == "eager":
                self.calls[name] += 1

    def summary(self) -> dict[str, Any]:
        """Return the parts of each kind, and what is left to torch."""
        return {
            "operators": _parts(self.operators),
            "bytes": _parts(self.bytes),
            "eager": dict(self.calls.most_common()),
        }


def _parts(counts: Counter[str]) -> dict[str, float]:
    total = sum(counts.values()) or 1
    return {kind: counts[kind] / total for kind in ("generated", "library", "eager")}


def _bytes_of(node: torch.fx.Node) -> int:
    from nvfuser.frontend.sizes import hint_of

    value = node.meta.get("val")
    tensors = value if isinstance(value, (tuple, list)) else [value]
    return sum(
        math.prod(map(hint_of, tensor.shape)) * tensor.dtype.itemsize
        for tensor in tensors
        if isinstance(tensor, torch.Tensor)
    )


class StepTimer:
    """Wall time of steps, until the device has done them."""

    def __init__(self, device: str) -> None:
        self._wait = torch.cuda.synchronize if device != "cpu" else lambda: None

    def time(self, function: Callable[[], Any], calls: int) -> float:
        """Return the mean time of a step."""
        self._wait()
        start = time.perf_counter()
        for _ in range(calls):
            function()
        self._wait()
        return (time.perf_counter() - start) / calls


def measure(
    functions: dict[str, Callable[[], Any]], device: str, rounds: int, seconds: float
) -> dict[str, Samples]:
    """Measure steps in rounds of about `seconds` each, alternating between the functions."""
    timer = StepTimer(device)
    calls: dict[str, int] = {}
    for name, function in functions.items():
        timer.time(function, 2)
        calls[name] = max(1, min(100, int(seconds / timer.time(function, 1))))
    times: dict[str, list[float]] = {name: [] for name in functions}
    for number in range(rounds):
        for name in list(functions)[:: 1 if number % 2 == 0 else -1]:
            times[name].append(timer.time(functions[name], calls[name]))
    return {name: Samples(tuple(values)) for name, values in times.items()}


def compiled(way: str, step: nn.Module) -> Callable[..., Any]:
    """Return a module as one of the ways runs it."""
    if way == "eager":
        return step
    if way == "jit":
        import nvfuser

        return nvfuser.jit(step)
    mode = "reduce-overhead" if way.endswith("-graphs") else None
    if way.startswith("compile"):
        return torch.compile(step, backend="nvfuser", mode=mode)
    return torch.compile(step, mode=mode)


def runner(way: str, step: Step, inputs: Sequence[torch.Tensor], device: str) -> Any:
    """Return a function without arguments that does one step."""
    call = compiled(way, step)
    parameters = list(step.parameters())

    def precision() -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if device != "cpu" else nullcontext()

    def train() -> Any:
        for parameter in parameters:
            parameter.grad = None
        if way.endswith("-graphs"):
            torch.compiler.cudagraph_mark_step_begin()
        with precision():
            loss = call(*inputs)
        loss.backward()
        return loss

    def infer() -> Any:
        if way.endswith("-graphs"):
            torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad(), precision():
            return call(*inputs)

    return train if step.is_training else infer


def warm_up(ways: Sequence[str], device: str) -> None:
    """Load the compilers."""
    # The modes and ways compile one function, `Step.forward`, and Dynamo would leave it to eager
    # mode, without an error, once it has been compiled for eight backends.
    torch._dynamo.config.recompile_limit = 64
    torch._dynamo.config.fail_on_recompile_limit_hit = True
    for way in ways:
        layer = Step(nn.Sequential(nn.Linear(4, 4), nn.GELU()).to(device), is_training=True)
        runner(way, layer, [torch.randn(3, 4, device=device)], device)()


def build(name: str, size: str, device: str) -> tuple[nn.Module, tuple[torch.Tensor, ...]]:
    """Return a model of `models` or `package_models`, and the inputs of a call."""
    of = package_models if name in package_models.NAMES else models
    return of.build(name, size, device=device)


def modes_of(name: str, modes: Sequence[str]) -> list[str]:
    """Return which of the modes a model has."""
    return [mode for mode in modes if mode == "inference" or models.is_trained(name)]


@dataclass
class FirstCalls:
    """What the first calls of a model gave, in one mode.

    Attributes
    ----------
    functions : dict
        What does one step, for each way that did not fail.
    seconds : dict
        Of the first call of each.
    differences : dict
        The size of the difference to the results of eager mode, as a part of these.
    failures : dict
        Why ways failed.
    shares : Shares
        Which parts of the graphs are generated.
    """

    functions: dict[str, Callable[[], Any]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    differences: dict[str, float] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    shares: Shares = field(default_factory=Shares)

    def row(self, name: str, mode: str, steps: dict[str, Samples]) -> dict[str, Any]:
        """Return all of it, and the seconds per step, as it is written to files."""
        return {
            "model": name,
            "mode": mode,
            "steps": {way: each.seconds for way, each in steps.items()},
            "first": self.seconds,
            "differences": self.differences,
            "failures": self.failures,
            "shares": self.shares.summary(),
        }


def first_calls(
    model: nn.Module, inputs: Sequence[torch.Tensor], mode: str, ways: Sequence[str], device: str
) -> FirstCalls:
    """Call a model for the first time in each of the ways, eager mode before the others."""
    calls = FirstCalls()
    expected: Any = None
    for way in ways:
        function = runner(way, Step(model, mode == "training"), inputs, device)
        torch.manual_seed(0)
        start = time.perf_counter()
        try:
            with calls.shares if way == "compile" else nullcontext():
                result = function()
                if device != "cpu":
                    torch.cuda.synchronize()
        except Exception as error:  # noqa: BLE001  # one way that fails is a row with a gap
            calls.failures[way] = f"{type(error).__name__}: {error}".partition("\n")[0]
            continue
        if way == "compile" and not calls.shares.operators:
            calls.failures[way] = "no graph was converted: torch ran the model by itself"
            continue
        calls.seconds[way] = time.perf_counter() - start
        if way == "eager":
            expected = torch.utils._pytree.tree_map(torch.clone, result)
        if expected is not None:
            calls.differences[way] = difference(result, expected)
        calls.functions[way] = function
        del result
        if device != "cpu":
            torch.cuda.empty_cache()
    for parameter in model.parameters():
        parameter.grad = None
    return calls


def difference(result: Any, expected: Any) -> float:
    """Return the size of the difference as a part of what is expected."""
    pairs = zip(*(torch.utils._pytree.tree_leaves(x) for x in (result, expected)), strict=True)
    return max(
        (_size(x - y) / _size(y).clamp(min=1e-12)).item()
        if x.is_floating_point()
        else float((x != y).any())
        for x, y in pairs
    )


def _size(x: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(x, dtype=torch.float64)
