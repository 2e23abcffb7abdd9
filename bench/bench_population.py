"""Fusions that nobody tuned for, beside eager torch, `torch.compile` and a copy of as many bytes.

    python bench/bench_population.py --seed 1 --count 200 [--device cpu] [--threads 1]
    python bench/bench_population.py --seed 1 --count 300 --device cuda --json population.json \
        --warm-processes 14

Cases are drawn from families of what programs do (`bench/population`): sizes of real models and odd
ones, dtypes, memory formats. A seed draws the same cases everywhere. Ours is `nvfuser.jit` of the
same function. Results are compared with those of the function in double precision: an error may be
eight times that of the more accurate peer, and some roundings to the dtype.

A ratio is our time over that of the faster peer. `of copy` is the time of copying as many bytes as
the inputs and outputs have, over ours. On CUDA, times are those of the device, with a cold L2 cache
(see `side_by_side.py`); on a CPU, those of calls.

`--warm-processes` lets as many processes fill the caches of `torch.compile` on disk before anything
is measured, since compiling is most of the time that all this takes. Ours are compiled anew.

`--elements 65536 --profile 0` is a population of small problems that counts launches too.

Several devices share the cases by `--part`; `--join` reports what was measured on all of them:

    CUDA_VISIBLE_DEVICES=0 python bench/bench_population.py … --part 0 2 --json 0.json &
    CUDA_VISIBLE_DEVICES=1 python bench/bench_population.py … --part 1 2 --json 1.json
    python bench/bench_population.py --join 0.json 1.json
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from population import FAMILIES, Case, draw
from side_by_side import Samples, keep_freed_memory, machine, markdown_table, measure, microseconds

import nvfuser

HEADING = ["case", "eager", "compile", "nvfuser", "/ peer", "of copy", "first call s"]
WAYS = ("eager", "compile", "nvfuser")
# Slower than the faster peer by this factor: counted, and never to be reached.
SLOWER, TOO_SLOW = 1.05, 1.25
# Bytes above which a case is bound by memory on a GPU.
LARGE = 64 << 20


@dataclass
class Row:
    """What was measured of a case."""

    family: str
    name: str
    bytes: int = 0
    seconds: dict[str, tuple[float, ...]] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    kernels: dict[str, list[str]] = field(default_factory=dict)

    def samples(self, way: str) -> Samples | None:
        """Return the times of one of the ways, if it worked."""
        return Samples(self.seconds[way]) if way in self.seconds else None

    @property
    def ratio(self) -> float | None:
        """Our time over that of the faster peer."""
        ours, peers = self.samples("nvfuser"), [self.samples(way) for way in WAYS[:2]]
        there = [peer for peer in peers if peer is not None]
        if ours is None or not there:
            return None
        return ours.ratio_to(min(there, key=lambda samples: samples.median))

    @property
    def has_more_launches(self) -> bool:
        """Whether ours starts more kernels than the peer that starts fewest, where profiled."""
        launches = {
            way: sum(int(kernel.split()[1].removeprefix("x")) for kernel in kernels)
            for way, kernels in self.kernels.items()
        }
        ours = launches.pop("nvfuser", 0)
        return ours > min(launches.values(), default=ours)

    @property
    def of_copy(self) -> float | None:
        """The time of a copy over ours."""
        ours, copy = self.samples("nvfuser"), self.samples("copy")
        return None if ours is None or copy is None else copy.ratio_to(ours)

    def cells(self) -> list[str]:
        """Return the row as text."""
        times = [microseconds(self.samples(way)) for way in WAYS]
        numbers = [number(self.ratio), number(self.of_copy), number(self.first.get("nvfuser"))]
        return [f"{self.family}: {self.name}", *times, *numbers]


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def leaves(result: Any) -> list[torch.Tensor]:
    """Return the tensors of a result."""
    return [x for x in torch.utils._pytree.tree_leaves(result) if isinstance(x, torch.Tensor)]


def wide(values: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """Return floating-point tensors in double precision, others as they are."""
    return [value.double() if value.is_floating_point() else value for value in values]


class InDouble(torch.utils._python_dispatch.TorchDispatchMode):
    """Computes in double precision what a function computes in single precision."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})

        def widen(value: Any) -> Any:
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                return value.double()
            return (
                torch.float64 if value in (torch.float32, torch.float16, torch.bfloat16) else value
            )

        args, kwargs = torch.utils._pytree.tree_map(widen, (args, kwargs))
        return func(*args, **kwargs)


def error_of(result: Sequence[torch.Tensor], exact: Sequence[torch.Tensor]) -> float:
    """Return the largest error as a part of the size of what is right."""
    worst = 0.0
    for value, right in zip(result, exact, strict=True):
        if value.shape != right.shape:
            return math.inf
        if not right.numel():
            continue
        if not right.is_floating_point() and not value.is_floating_point():
            # Integers may be what rounding decides: that few differ, and by how much.
            worst = max(worst, (value != right).double().mean().item())
            continue
        a, b = value.double(), right.double()
        if not torch.equal(a.isnan(), b.isnan()):
            return math.inf
        same = (a == b) | b.isnan()
        difference = torch.where(same, 0.0, a - b).norm() / b[b.isfinite()].norm().clamp(min=1e-9)
        worst = max(worst, difference.item())
    return worst


def check(case: Case, results: dict[str, list[torch.Tensor]]) -> str:
    """Return what is wrong with our results, nothing if they are right."""
    ours, eager = results["nvfuser"], results["eager"]
    for index, (mine, theirs) in enumerate(zip(ours, eager, strict=True)):
        if mine.shape != theirs.shape or mine.dtype != theirs.dtype:
            shapes = f"{mine.dtype} {[*mine.shape]}, not {theirs.dtype} {[*theirs.shape]}"
            return f"result {index} is {shapes}"
    # Where values are equal but for rounding, as those of an argmax, one of them is as good.
    is_eager = all(torch.equal(mine, theirs) for mine, theirs in zip(ours, eager, strict=True))
    if case.is_random or is_eager:
        return ""
    with InDouble():
        exact = leaves(case.function(*wide(case.inputs)))
    errors = {way: error_of(result, exact) for way, result in results.items()}
    rounding = max((torch.finfo(x.dtype).eps for x in eager if x.is_floating_point()), default=1e-3)
    # Of a single integer that rounding decides, eager's choice is as right as any other.
    allowed = 8 * min(errors[way] for way in results if way != "nvfuser") + 4 * rounding
    allowed = max(allowed, errors["eager"])
    if errors["nvfuser"] <= allowed or divides_as_on_a_cpu(case, ours, exact, allowed):
        return ""
    return f"error {errors['nvfuser']:.2g}, peers {errors}"


def divides_as_on_a_cpu(
    case: Case, ours: Sequence[torch.Tensor], exact: Sequence[torch.Tensor], allowed: float
) -> bool:
    """Return whether integers are what IEEE arithmetic makes them, and all else is right.

    On CUDA torch divides by a number by multiplying by its reciprocal, which is right but for a
    unit. Integers that lie halfway between two then are rounded otherwise than on a CPU.
    """
    if all(mine.is_floating_point() for mine in ours):
        return False
    results = zip(ours, leaves(case.function(*[x.cpu() for x in case.inputs])), exact, strict=True)
    return all(
        error_of([mine], [right]) <= allowed
        if mine.is_floating_point()
        else torch.equal(mine.cpu(), theirs)
        for mine, theirs, right in results
    )


def functions_of(case: Case) -> dict[str, Callable[..., Any]]:
    """Return the function as each of the ways runs it."""
    torch._dynamo.reset()
    compiled = torch.compile(case.function, dynamic=False)
    return {"eager": case.function, "compile": compiled, "nvfuser": nvfuser.jit(case.function)}


def synchronize(device: str) -> None:
    if device != "cpu":
        torch.cuda.synchronize()


def kernels_of(call: Callable[[], Any]) -> list[str]:
    """Return the kernels of a call on a GPU, with their times in microseconds."""
    call()
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profiler:
        call()
        torch.cuda.synchronize()
    return [
        f"{event.device_time_total / event.count:.1f} x{event.count} {event.key}"
        for event in profiler.key_averages()
        if event.device_time_total
    ]


def measure_case(name: str, case: Case, options: argparse.Namespace) -> Row:
    """Run, check and time a case."""
    row = Row(name, case.name)
    results: dict[str, list[torch.Tensor]] = {}
    calls: dict[str, Callable[[], Any]] = {}
    for way, function in functions_of(case).items():
        if way not in options.ways:
            continue
        start = time.perf_counter()
        try:
            results[way] = leaves(function(*case.inputs))
        except Exception as error:  # noqa: BLE001  # a way that fails is a row with a gap
            row.errors[way] = f"{type(error).__name__}: {error}".partition("\n")[0]
            continue
        synchronize(options.device)
        row.first[way] = time.perf_counter() - start
        calls[way] = lambda function=function: function(*case.inputs)
    if "nvfuser" in results and "eager" in results:
        wrong = check(case, results)
        if wrong:
            row.errors["values"] = wrong
    tensors = [*case.inputs, *next(iter(results.values()), [])]
    row.bytes = sum(x.numel() * x.element_size() for x in tensors)
    source = torch.empty(max(1, row.bytes // 2), dtype=torch.uint8, device=options.device)
    target = torch.empty_like(source)
    calls["copy"] = lambda: target.copy_(source)
    del results
    samples = measure(calls, options.device, options.rounds, options.seconds)
    row.seconds = {way: each.seconds for way, each in samples.items()}
    if row.ratio is not None and row.ratio > options.profile:
        row.kernels = {way: kernels_of(calls[way]) for way in WAYS if way in calls}
    return row


def warm(cases: Iterable[tuple[str, Case]], part: int, parts: int) -> None:
    """Compile every `parts`-th case for `torch.compile`, which keeps that on disk."""
    for number, (name, case) in enumerate(cases):
        if number % parts != part:
            continue
        torch._dynamo.reset()
        try:
            torch.compile(case.function, dynamic=False)(*case.inputs)
        except Exception as error:  # noqa: BLE001  # it is a gap in the table when it is measured
            print(f"{name} {case.name}: {error}".partition("\n")[0], file=sys.stderr)


def warm_in_processes(count: int) -> None:
    """Run `warm` in as many processes, with the arguments of this one."""
    environment = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
    processes = [
        subprocess.Popen(
            [sys.executable, *sys.argv, "--warm-part", str(part), str(count)], env=environment
        )
        for part in range(count)
    ]
    for process in processes:
        process.wait()


def summary(rows: Sequence[Row]) -> str:
    """Return the figures of all rows together."""
    ratios = sorted(row.ratio for row in rows if row.ratio is not None)
    if not ratios:
        return "nothing measured"
    mean = math.exp(statistics.fmean(map(math.log, ratios)))
    slow, too_slow = (sum(ratio > bound for ratio in ratios) for bound in (SLOWER, TOO_SLOW))
    text = (
        f"{len(ratios)} cases: geometric mean {mean:.2f}, "
        f"95th percentile {ratios[int(0.95 * (len(ratios) - 1))]:.2f}, worst {ratios[-1]:.2f}, "
        f"{slow} above {SLOWER}, {too_slow} above {TOO_SLOW}"
    )
    large = [row.of_copy for row in rows if row.bytes >= LARGE and row.of_copy is not None]
    if large:
        median = statistics.median(large)
        text += f"; {len(large)} of {LARGE >> 20} MB or more: median {median:.2f} of a copy"
    profiled = [row for row in rows if row.kernels]
    if profiled:
        more = sum(row.has_more_launches for row in profiled)
        text += f"; of {len(profiled)} profiled {more} with more launches than a peer"
    first = [row.first["nvfuser"] for row in rows if "nvfuser" in row.first]
    return f"{text}; first call {statistics.median(first):.2f} s, at most {max(first):.2f}"


def report(rows: Sequence[Row], worst: int) -> str:
    """Return the table of families, the worst cases, and what went wrong."""
    lines = []
    for name in FAMILIES:
        chosen = [row for row in rows if row.family == name]
        if chosen:
            lines.append(f"- {name}: {summary(chosen)}")
    known = sorted(
        (row for row in rows if row.ratio is not None), key=lambda row: -(row.ratio or 0)
    )
    table = markdown_table(HEADING, [row.cells() for row in known[:worst]])
    failures = [f"- {row.name}: {way}: {why}" for row in rows for way, why in row.errors.items()]
    return "\n".join([*lines, "", table, "", *failures, "", summary(rows)])


def read(file: Path) -> list[Row]:
    """Return the rows of a file that `--json` wrote."""
    rows = [Row(**row) for row in json.loads(file.read_text())["rows"]]
    for row in rows:
        row.seconds = {way: tuple(seconds) for way, seconds in row.seconds.items()}
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, help="of what is drawn; needed unless files are joined")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=None)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--elements", type=int, default=None, help="of the largest tensors, about")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.02, help="of a round of one way")
    parser.add_argument("--worst", type=int, default=10, help="cases to list")
    parser.add_argument("--limit", type=float, default=math.inf, help="stop after these seconds")
    parser.add_argument("--json", type=Path, default=None, help="write all that was measured here")
    parser.add_argument(
        "--profile", type=float, nargs="?", const=SLOWER, default=math.inf, metavar="RATIO",
        help="list the kernels of cases behind by more than that (CUDA, in --json); 0 for all",
    )  # fmt: skip
    parser.add_argument(
        "--warm-processes", type=int, default=0, help="that compile for the peer before all else"
    )
    parser.add_argument("--warm-part", type=int, nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--part", type=int, nargs=2, default=(0, 1), metavar=("I", "N"),
                        help="only every N-th case, from the I-th on")  # fmt: skip
    parser.add_argument("--join", type=Path, nargs="+", help="report these files of --json")
    options = parser.parse_args()
    if options.join:
        print(report([row for file in options.join for row in read(file)], options.worst))
        return
    if options.seed is None:
        parser.error("--seed is needed")
    torch.set_num_threads(options.threads)
    if options.device == "cpu":
        keep_freed_memory()
    elements = options.elements or (1 << 20 if options.device == "cpu" else 1 << 25)
    cases = draw(options.seed, options.count, options.device, elements, options.families,
                 tuple(options.part))  # fmt: skip
    if options.warm_part:
        with torch.no_grad():
            warm(cases, *options.warm_part)
        return
    if options.warm_processes:
        warm_in_processes(options.warm_processes)
    rows: list[Row] = []
    start = time.perf_counter()
    for name, case in cases:
        with torch.no_grad():
            rows.append(measure_case(name, case, options))
        print("| " + " | ".join(rows[-1].cells()) + " |", *rows[-1].errors.values(),
              file=sys.stderr, flush=True)  # fmt: skip
        if options.json is not None:
            content = {"machine": machine(options.device), "rows": [asdict(row) for row in rows]}
            options.json.write_text(json.dumps(content))
        if time.perf_counter() - start > options.limit:
            break
    print(f"{machine(options.device)}, {options.threads} threads, seed {options.seed}\n")
    print(report(rows, options.worst))


if __name__ == "__main__":
    main()
