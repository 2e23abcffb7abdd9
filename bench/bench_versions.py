"""How long kernels of two versions take, and how long they take to compile.

    pip install --target BEFORE nvfuser-... && pip install --target AFTER nvfuser-...
    python bench/bench_versions.py BEFORE AFTER [--device cuda] [--sizes odd] [--threads 1]

For a refactoring, which leaves kernels as they are: the times of both versions are those of the
same kernels of `bench_kernels.py`, in processes that take turns, so that a machine that becomes
slower does so for both. Columns: the median time of a call, and of a first call (which defines a
fusion, compiles and runs it, without the caches on disk); `/` is that of AFTER over that of BEFORE.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

Times = dict[str, tuple[float, float]]


def measure_case(case: Any, inputs: list[Any], device: str) -> tuple[float, float]:
    """Seconds of a first call of a kernel, and of another one."""
    import torch
    from side_by_side import measure

    begin = time.perf_counter()
    plan = case.define(inputs).bind(inputs)
    plan(*inputs)
    if device != "cpu":
        torch.cuda.synchronize()
    first = time.perf_counter() - begin
    return first, measure({"plan": lambda: plan(*inputs)}, device, 5)["plan"].median


def measure_here(
    folder: str, device: str, sizes: str, dtypes: list[str], threads: int | None
) -> Times:
    """Times of a first call and of a call, in seconds, of each kernel, by this process' version."""
    import torch
    from bench_kernels import DTYPES
    from kernel_cases import kernels
    from side_by_side import keep_freed_memory

    import nvfuser

    if not Path(nvfuser.__file__).is_relative_to(Path(folder).resolve()):
        raise RuntimeError(f"{nvfuser.__file__} is imported, not what {folder} has")
    if threads is not None:
        torch.set_num_threads(threads)
    if device == "cpu":
        keep_freed_memory()
    times = {}
    for dtype in dtypes:
        for case in kernels(sizes):
            if not case.dtypes or dtype in case.dtypes:
                inputs = case.inputs(DTYPES[dtype], device)
                times[f"{case.name} {dtype}"] = measure_case(case, inputs, device)
    return times


def measure_version(folder: str, options: argparse.Namespace) -> Times:
    """The times of the version that is installed in a folder, by a process of its own."""
    path = os.pathsep.join(
        [str(Path(folder).resolve()), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    command = [sys.executable, __file__, "--here", folder, "--device", options.device]
    command += ["--sizes", options.sizes, "--dtypes", *options.dtypes]
    if options.threads is not None:
        command += ["--threads", str(options.threads)]
    environment = {**os.environ, "PYTHONPATH": path, "NVFUSER_DISABLE_CACHE": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the version in {folder} failed:\n{done.stderr[-4000:]}")
    lines = done.stdout.splitlines()
    return {name: (first, call) for name, (first, call) in json.loads(lines[-1]).items()}


def report(before: list[Times], after: list[Times]) -> str:
    """A table of what is in all rounds of both versions, the slowest to change first."""
    names = set.intersection(*(set(times) for times in (*before, *after)))
    rows = []
    for name in names:
        first, call = (
            tuple(median(times[name][kind] for times in rounds) for rounds in (before, after))
            for kind in (0, 1)
        )
        rows.append((name, call, first))
    rows.sort(key=lambda row: row[1][0] / row[1][1])
    lines = [
        "| kernel | before us | after us | / | first call before ms | after ms | / |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, call, first in rows:
        lines.append(
            f"| {name} | {call[0] * 1e6:.1f} | {call[1] * 1e6:.1f} | {call[1] / call[0]:.2f} "
            f"| {first[0] * 1e3:.1f} | {first[1] * 1e3:.1f} | {first[1] / first[0]:.2f} |"
        )
    for title, kind in (("calls", 1), ("first calls", 2)):
        ratios = [row[kind][1] / row[kind][0] for row in rows]
        slower = sum(ratio > 1.05 for ratio in ratios)
        lines.append(
            f"\n{title}: geometric mean {geometric_mean(ratios):.3f}, {slower} of {len(rows)} "
            f"slower than 1.05, at most {max(ratios):.2f}"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", nargs="?", help="a folder in which a version is installed")
    parser.add_argument("after", nargs="?", help="another one")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--sizes", choices=("large", "medium", "odd"), default="medium")
    parser.add_argument("--dtypes", nargs="+", default=["float32", "bfloat16"])
    parser.add_argument("--threads", type=int, default=None, help="threads of torch and nvfuser")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each version")
    parser.add_argument("--json", type=Path, default=None, help="write all times here, too")
    options = parser.parse_args()
    if options.here is not None:
        times = measure_here(
            options.here, options.device, options.sizes, options.dtypes, options.threads
        )
        print(json.dumps(times))
        return
    if options.after is None:
        parser.error("two folders are needed, each with a version")
    rounds: dict[str, list[Times]] = {"before": [], "after": []}
    for number in range(options.rounds):
        # Each is first in turn: what a machine does to the first process, it does to both.
        for name in sorted(rounds, reverse=number % 2 == 0):
            rounds[name].append(measure_version(getattr(options, name), options))
    print(report(rounds["before"], rounds["after"]))
    if options.json is not None:
        options.json.write_text(json.dumps(rounds))


if __name__ == "__main__":
    main()
