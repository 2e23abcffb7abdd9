"""Measure whole models, through each door and beside eager torch and Inductor.

    python bench/bench_models.py --device cpu --size cpu [--models bert resnet] [--modes inference]
    python bench/bench_models.py --device cuda --size gpu --json models.json
    python bench/bench_models.py --device cuda --size gpu --packages 20 --parallel 16 --budget 460

A step of inference is a call in evaluation mode without gradients; a step of training is a forward
pass, the loss, and a backward pass, without an optimizer. On CUDA both are under autocast to
bfloat16, and a step ends when the device has nothing left to do: time that the host takes counts.
Models are those of `bench/models`; with `--packages N`, N more of transformers, timm, torchvision
and torch_geometric, of those that are installed (`bench/package_models.py`).

Each model and mode is measured in a process of its own, with a time limit and empty caches of
compiled code. A first call is timed after all compilers have compiled something else: that they are
loaded is not counted. Results are compared with those of eager mode before anything is timed. With
`--parallel N`, N models are compiled at the same time, and then each is measured alone: first calls
are those of a busy machine then, with one thread for each compiler, steps are as without it.

Columns: times are milliseconds per step, medians of rounds that alternate between the ways. Ratios
are ours over Inductor's: `default` the faster of `torch.compile(backend="nvfuser")` and
`nvfuser.jit` over Inductor's default mode, `graphs` both with `mode="reduce-overhead"`, `best` the
fastest of ours over the faster of its modes. `first` is the time of the first call, `/ Inductor`
its ratio to Inductor's (default mode). `ops` and `bytes` say which part of the operators, and of
the bytes that they read and write, is in kernels that are generated, in library calls (products,
convolutions, attention), and in other calls of torch. Views and sizes are no operators there.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import models
import package_models
import torch
from model_phases import Coordinator, environment, work
from model_steps import MODES, OURS, PEERS, build, first_calls, measure, modes_of, warm_up
from side_by_side import Samples, keep_freed_memory, machine, markdown_table

HEADING = ["model", "eager", "Inductor", "its graphs", "compile", "its graphs", "jit",
           "default", "graphs", "best", "first Inductor", "first compile", "first jit",
           "compile / Inductor", "ops", "bytes"]  # fmt: skip
# Ratios of the table: ours over those of Inductor's, each the fastest of some ways.
RATIOS = {
    "default": (["compile", "jit"], ["inductor"]),
    "graphs": (["compile-graphs"], ["inductor-graphs"]),
    "best": (["compile", "compile-graphs", "jit"], ["inductor", "inductor-graphs"]),
}


def measure_one(options: argparse.Namespace) -> dict[str, Any]:
    """Measure one model in one mode; run in a process of its own."""
    (name,), (mode,), device = options.models, options.modes, options.device
    warm_up(options.ways, device)
    model, inputs = build(name, options.size, device)
    calls = first_calls(model, inputs, mode, options.ways, device)
    steps = measure(calls.functions, device, options.rounds, options.seconds)
    return calls.row(name, mode, steps)


def ways_of(options: argparse.Namespace) -> list[str]:
    """Return what is compared."""
    ways = ["eager", *PEERS, *OURS]
    if options.device == "cpu":
        ways = [way for way in ways if not way.endswith("-graphs")]
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
        variables = {**os.environ, **environment(folder, options.threads)}
        try:
            done = subprocess.run(
                command, env=variables, timeout=options.limit, capture_output=True, text=True
            )
        except subprocess.TimeoutExpired:
            return _failed(name, mode, f"took longer than {options.limit} s")
        if done.returncode:
            return _failed(name, mode, done.stderr.strip().rpartition("\n")[2])
        row: dict[str, Any] = json.loads(output.read_text())
        return row


def _failed(name: str, mode: str, why: str) -> dict[str, Any]:
    return {"model": name, "mode": mode, "failures": {"all": why}}


def ratio(row: dict[str, Any], ways: Sequence[str], peers: Sequence[str]) -> float | None:
    """Return the time of a step in the fastest of some ways over that of the fastest of others."""
    steps = {name: Samples(tuple(values)) for name, values in row.get("steps", {}).items()}
    ours, others = ([steps[way] for way in group if way in steps] for group in (ways, peers))
    if not ours or not others:
        return None
    fastest, peer = (min(group, key=lambda samples: samples.median) for group in (ours, others))
    return fastest.ratio_to(peer)


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
    texts: list[str] = [row["model"]]
    for way in ("eager", *PEERS, *OURS):
        samples = Samples(tuple(steps[way])) if way in steps else None
        texts.append(
            "–" if samples is None else f"{samples.median * 1e3:.2f} ±{100 * samples.spread:.0f}%"
        )
    texts += [number(ratio(row, *pair)) for pair in RATIOS.values()]
    texts += [number(first.get(way)) for way in ("inductor", "compile", "jit")]
    texts.append(number(first_ratio(row, "compile")))
    for what in ("operators", "bytes"):
        parts = row.get("shares", {}).get(what, {}).values()
        texts.append("/".join(f"{100 * part:.0f}" for part in parts) or "–")
    return texts


def table(rows: Sequence[dict[str, Any]], mode: str) -> str:
    """Return the rows of a mode as Markdown, and the geometric means."""
    chosen = [row for row in rows if row["mode"] == mode]
    means = [
        f"{name} {number(geometric_mean([ratio(row, *pair) for row in chosen]))} of Inductor"
        for name, pair in RATIOS.items()
    ] + [
        f"{way} {number(geometric_mean([ratio(row, [way], PEERS) for row in chosen]))} of the "
        f"faster mode, {number(geometric_mean([ratio(row, [way], ['eager']) for row in chosen]))} "
        f"of eager, first call {number(geometric_mean([first_ratio(row, way) for row in chosen]))}"
        for way in OURS
    ]
    notes = [
        f"- {row['model']}, {way}: {why}" for row in chosen for way, why in row["failures"].items()
    ]
    text = markdown_table(HEADING, [cells(row) for row in chosen])
    return "\n".join([f"## {mode}\n", text, f"\nGeometric means: {'; '.join(means)}.", *notes, ""])


def one_by_one(names: Sequence[str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure each model and mode in a process of its own."""
    for mode in options.modes:
        for name in names:
            if modes_of(name, [mode]):
                yield in_process(name, mode, options)


def memory_of(device: str) -> int:
    """Return how many bytes may be used of a device."""
    if device == "cpu":
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return int(torch.cuda.mem_get_info(device)[0])


def names_of(options: argparse.Namespace) -> list[str]:
    """Return the models to measure."""
    if options.models is not None:
        return list(options.models)
    installed = [name for name in package_models.NAMES if package_models.is_installed(name)]
    return [*models.NAMES, *installed[: options.packages]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    known = [*models.NAMES, *package_models.NAMES]
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--size", choices=("tiny", "cpu", "gpu"), default="cpu")
    parser.add_argument("--models", nargs="+", choices=known, default=None, metavar="NAME")
    parser.add_argument("--packages", type=int, default=0, help="models of other packages")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=list(MODES))
    parser.add_argument("--ways", nargs="+", default=None, help="leave out others than these")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.1, help="of a round of one way")
    parser.add_argument("--threads", type=int, default=1, help="of all ways alike")
    parser.add_argument("--limit", type=float, default=600, help="seconds for a model and mode")
    parser.add_argument("--parallel", type=int, default=0, help="models compiled at the same time")
    parser.add_argument("--budget", type=float, default=math.inf, help="seconds, with --parallel")
    parser.add_argument("--json", type=Path, default=None, help="write all that was measured here")
    parser.add_argument("--in-process", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--worker", type=int, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_process or options.worker is not None:
        torch.set_num_threads(options.threads)
        if options.device == "cpu":
            keep_freed_memory()
        if options.worker is not None:
            work(options, options.worker)
        else:
            options.json.write_text(json.dumps(measure_one(options)))
        return
    # What ends the program ends the processes that it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    names = names_of(options)
    if options.parallel:
        capacity = memory_of(options.device)
        measured = Coordinator(names, options, ways_of(options), capacity).rows()
    else:
        measured = one_by_one(names, options)
    rows: list[dict[str, Any]] = []
    for row in measured:
        rows.append(row)
        print("| " + " | ".join(cells(row)) + " |", file=sys.stderr, flush=True)
        if options.json is not None:
            content = {"machine": machine(options.device), "rows": rows}
            options.json.write_text(json.dumps(content, indent=1))
    rows.sort(key=lambda row: names.index(row["model"]))
    print(f"{machine(options.device)}, {options.threads} threads, size {options.size}\n")
    for mode in options.modes:
        print(table(rows, mode))


if __name__ == "__main__":
    main()
