"""Measure whole models, through each door and beside eager torch and Inductor.

    python bench/bench_models.py --device cpu --size cpu [--models bert resnet] [--modes inference]
    python bench/bench_models.py --device cuda --size gpu --json models.json

A step of inference is a call in evaluation mode without gradients; a step of training is a forward
pass, the loss, and a backward pass, without an optimizer. On CUDA both are under autocast to
bfloat16, and a step ends when the device has nothing left to do: time that the host takes counts.

Each model and mode is measured in a process of its own, with a time limit and empty caches of
compiled code. A first call is timed after all compilers have compiled something else: that they are
loaded is not counted. Results are compared with those of eager mode before anything is timed.

Columns: times are milliseconds per step, medians of rounds that alternate between the ways; the two
ratios are ours over the faster of Inductor's modes, for `torch.compile(backend="nvfuser")` and for
`nvfuser.jit`; `first` is the time of the first call, `/ Inductor` its ratio to Inductor's (default
mode). `ops` and `bytes` say which part of the operators, and of the bytes that they read and write,
is in kernels that are generated, in library calls (products, convolutions, attention), and in other
calls of torch. Views and sizes are no operators there.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import models
import torch
from side_by_side import Samples, keep_freed_memory, machine, markdown_table
from torch import nn

MODES = ("inference", "training")
OURS = ("compile", "jit")
PEERS = ("inductor", "inductor-graphs")
HEADING = ["model", "eager", "Inductor", "reduce-overhead", "compile", "jit",
           "compile / Inductor", "jit / Inductor", "first Inductor", "first compile", "first jit",
           "compile / Inductor", "ops", "bytes"]  # fmt: skip
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
    if way == "compile":
        return torch.compile(step, backend="nvfuser")
    return torch.compile(step, mode="reduce-overhead" if way == "inductor-graphs" else None)


def runner(way: str, step: nn.Module, inputs: Sequence[torch.Tensor], device: str) -> Any:
    """Return a function without arguments that does one step."""
    call = compiled(way, step)
    parameters = list(step.parameters())

    def precision() -> AbstractContextManager[Any]:
        return torch.autocast("cuda", torch.bfloat16) if device != "cpu" else nullcontext()

    def train() -> Any:
        for parameter in parameters:
            parameter.grad = None
        if way == "inductor-graphs":
            torch.compiler.cudagraph_mark_step_begin()
        with precision():
            loss = call(*inputs)
        loss.backward()
        return loss

    def infer() -> Any:
        if way == "inductor-graphs":
            torch.compiler.cudagraph_mark_step_begin()
        with torch.no_grad(), precision():
            return call(*inputs)

    return train if step.is_training else infer


def warm_up(ways: Sequence[str], device: str) -> None:
    """Load the compilers."""
    for way in ways:
        layer = Step(nn.Sequential(nn.Linear(4, 4), nn.GELU()).to(device), is_training=True)
        runner(way, layer, [torch.randn(3, 4, device=device)], device)()


def measure_one(options: argparse.Namespace) -> dict[str, Any]:
    """Measure one model in one mode; run in a process of its own."""
    (name,), (mode,), device = options.models, options.modes, options.device
    torch.set_num_threads(options.threads)
    if device == "cpu":
        keep_freed_memory()
    ways = ways_of(options)
    warm_up(ways, device)
    model, inputs = models.build(name, options.size, device=device)
    functions, results, first, failures = {}, {}, {}, {}
    shares = Shares()
    for way in ways:
        torch._dynamo.reset()
        function = runner(way, Step(copy.deepcopy(model), mode == "training"), inputs, device)
        torch.manual_seed(0)
        start = time.perf_counter()
        try:
            with shares if way == "compile" else nullcontext():
                result = function()
                if device != "cpu":
                    torch.cuda.synchronize()
        except Exception as error:  # noqa: BLE001  # one way that fails is a row with a gap
            failures[way] = f"{type(error).__name__}: {error}".partition("\n")[0]
            continue
        first[way] = time.perf_counter() - start
        # Memory of a CUDA graph is written again by the next call.
        results[way] = torch.utils._pytree.tree_map(torch.clone, result)
        functions[way] = function
    differences = {way: difference(results[way], results["eager"]) for way in results}
    samples = measure(functions, device, options.rounds, options.seconds)
    return {
        "model": name,
        "mode": mode,
        "steps": {way: each.seconds for way, each in samples.items()},
        "first": first,
        "differences": differences,
        "failures": failures,
        "shares": shares.summary(),
    }


def difference(result: Any, expected: Any) -> float:
    """Return the size of the difference as a part of what is expected."""
    pairs = zip(*(torch.utils._pytree.tree_leaves(x) for x in (result, expected)), strict=True)
    return max(
        ((x.double() - y.double()).norm() / y.double().norm().clamp(min=1e-12)).item()
        for x, y in pairs
    )


def ways_of(options: argparse.Namespace) -> list[str]:
    """Return what is compared."""
    ways = ["eager", "inductor", *OURS]
    if options.device != "cpu":
        ways.insert(2, "inductor-graphs")
    return [way for way in ways if way == "eager" or way in (options.ways or ways)]


def in_process(name: str, mode: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one model in one mode, in a new process with empty caches."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "row.json")
        command = [sys.executable, __file__, "--models", name, "--modes", mode]
        command += ["--device", options.device, "--size", options.size, "--json", str(output)]
        command += ["--rounds", str(options.rounds), "--threads", str(options.threads)]
        command += ["--seconds", str(options.seconds), "--in-process"]
        command += ["--ways", *ways_of(options)]
        environment = {
            **os.environ,
            "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor",
            "TRITON_CACHE_DIR": f"{folder}/triton",
            "NVFUSER_CACHE_DIR": f"{folder}/nvfuser",
            "OMP_NUM_THREADS": str(options.threads),
        }
        try:
            done = subprocess.run(
                command, env=environment, timeout=options.limit, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            return _failed(name, mode, f"took longer than {options.limit} s")
        if done.returncode:
            return _failed(name, mode, done.stderr.strip().rpartition("\n")[2])
        row: dict[str, Any] = json.loads(output.read_text())
        return row


def _failed(name: str, mode: str, why: str) -> dict[str, Any]:
    return {"model": name, "mode": mode, "failures": {"all": why}}


def ratio(row: dict[str, Any], way: str, peers: Sequence[str]) -> float | None:
    """Return the time of a step over that of the fastest of others."""
    steps = {name: Samples(tuple(values)) for name, values in row.get("steps", {}).items()}
    there = [steps[peer] for peer in peers if peer in steps]
    if way not in steps or not there:
        return None
    return steps[way].ratio_to(min(there, key=lambda samples: samples.median))


def first_ratio(row: dict[str, Any], way: str) -> float | None:
    """Return the time of the first call over that of Inductor's."""
    first = row.get("first", {})
    return first[way] / first["inductor"] if {way, "inductor"} <= first.keys() else None


def geometric_mean(values: Sequence[float | None]) -> float | None:
    """Return the mean of ratios, of those that are there."""
    logs = [math.log(value) for value in values if value is not None]
    return math.exp(sum(logs) / len(logs)) if logs else None


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def cells(row: dict[str, Any]) -> list[str]:
    """Return a row of the table."""
    steps, first = row.get("steps", {}), row.get("first", {})
    texts = [row["model"]]
    for way in ("eager", *PEERS, *OURS):
        samples = Samples(tuple(steps[way])) if way in steps else None
        texts.append(
            "–" if samples is None else f"{samples.median * 1e3:.2f} ±{100 * samples.spread:.0f}%"
        )
    texts += [number(ratio(row, way, PEERS)) for way in OURS]
    texts += [number(first.get(way)) for way in ("inductor", *OURS)]
    texts.append(number(first_ratio(row, "compile")))
    for what in ("operators", "bytes"):
        parts = row.get("shares", {}).get(what, {}).values()
        texts.append("/".join(f"{100 * part:.0f}" for part in parts) or "–")
    return texts


def table(rows: Sequence[dict[str, Any]], mode: str) -> str:
    """Return the rows of a mode as Markdown, and the geometric means."""
    chosen = [row for row in rows if row["mode"] == mode]
    means = [
        f"{way} {number(geometric_mean([ratio(row, way, PEERS) for row in chosen]))} of Inductor, "
        f"{number(geometric_mean([ratio(row, way, ['eager']) for row in chosen]))} of eager, "
        f"first call {number(geometric_mean([first_ratio(row, way) for row in chosen]))}"
        for way in OURS
    ]
    notes = [
        f"- {row['model']}, {way}: {why}" for row in chosen for way, why in row["failures"].items()
    ]
    text = markdown_table(HEADING, [cells(row) for row in chosen])
    return "\n".join([f"## {mode}\n", text, f"\nGeometric means: {'; '.join(means)}.", *notes, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--size", choices=("tiny", "cpu", "gpu"), default="cpu")
    parser.add_argument("--models", nargs="+", choices=models.NAMES, default=models.NAMES)
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--ways", nargs="+", default=None, help="leave out others than these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a round of one way")
    parser.add_argument("--threads", type=int, default=1, help="of all ways alike")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a model and mode")
    parser.add_argument("--json", type=Path, default=None, help="write all that was measured here")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process:
        options.json.write_text(json.dumps(measure_one(options)))
        return
    rows: list[dict[str, Any]] = []
    for mode in options.modes:
        for name in options.models:
            if mode == "training" and not models.is_trained(name):
                continue
            rows.append(in_process(name, mode, options))
            print("| " + " | ".join(cells(rows[-1])) + " |", file=sys.stderr, flush=True)
            if options.json is not None:
                content = {"machine": machine(options.device), "rows": rows}
                options.json.write_text(json.dumps(content, indent=1))
    print(f"{machine(options.device)}, {options.threads} threads, size {options.size}\n")
    for mode in options.modes:
        print(table(rows, mode))


if __name__ == "__main__":
    main()
