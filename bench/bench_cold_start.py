"""How long the first call of a fusion takes, from nothing and from the cache on disk.

    python bench/bench_cold_start.py [--device cpu] [--repeats 5] [--no-compile]

Takeaway (two cores of an AMD EPYC of the Zen 5 generation, the installed wheel): 25 to 39 ms from
nothing, 1 to 2 from disk, and once for each process 15 ms, or 6 where the code is on disk and needs
no LLVM: 40 to 54 and 7 to 9 ms for the first call of a process. torch.compile took 27 to 33 s from
nothing and 5 s from its cache, wall-clock time on the same machine with other work.

Every number comes from processes of its own, medians over processes, in milliseconds. Columns:

- `compile`: the first call of this kernel after another small one already ran in the process: from
  the definition to machine code and a result, nothing on disk
- `with start-up`: the same where it is the first kernel of the process, so loading and
  initializing LLVM (or loading CUDA's compiler) is included
- `from disk`, `from disk with start-up`: as above, in a new process that finds the machine code in
  the cache on disk
- `torch.compile`: its first call with empty caches, and again in a new process with them

`--clock cpu` counts the time that the process ran on a processor instead, which suits a machine
with other work; torch.compile's numbers stay wall-clock times, because it runs a compiler in
processes of its own.

Importing torch, importing nvfuser and defining the fusion come before, and are printed below.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HEADING = [
    "first call",
    "compile",
    "with start-up",
    "from disk",
    "from disk with start-up",
    "torch.compile",
    "again, cached",
]
CASES = ["bias+gelu", "rms_norm", "layer_norm", "softmax", "transpose", "sum dim 0", "batch_norm"]
_SCALE = 64


def child(what: str, case_name: str, device: str, clock: str) -> dict[str, float]:
    """Measure one first call; runs in a process that has done nothing else."""
    times = {}
    now = time.process_time if clock == "cpu" and what != "torch" else time.perf_counter

    def lap(name: str, start: float) -> None:
        times[name] = (now() - start) * 1e3

    start = now()
    import torch

    lap("import torch", start)
    start = now()
    from kernel_cases import medium_kernels  # imports nvfuser

    lap("import nvfuser", start)
    case = next(case for case in medium_kernels(_SCALE) if case.name.startswith(case_name))
    inputs = case.inputs(torch.float32, device)
    expected = case.reference(*inputs)
    # Until then the threads of torch wait for more to do, on the processor.
    time.sleep(0.1)
    function: Any
    if what == "torch":
        function = torch.compile(case.reference)
    else:
        if what == "warm":
            other = next(c for c in medium_kernels(_SCALE) if c.name.startswith("silu"))
            other_inputs = other.inputs(torch.float32, device)
            other.define(other_inputs).execute(other_inputs)
        start = now()
        fd = case.define(inputs)
        lap("definition", start)

        def function(*tensors: torch.Tensor) -> torch.Tensor:
            return fd.execute(tensors)[0]

    if what == "warm":
        time.sleep(0.1)
    start = now()
    output = function(*inputs)
    if device != "cpu":
        torch.cuda.synchronize()
    lap("first call", start)
    torch.testing.assert_close(output, expected, rtol=1e-3, atol=1e-3)
    return times


def in_new_process(what: str, case: str, device: str, clock: str, caches: str) -> dict[str, float]:
    """Run `child` in a new process whose caches are in the folder `caches`."""
    environment = {
        **os.environ,
        "NVFUSER_CACHE_DIR": os.path.join(caches, "nvfuser"),
        "TORCHINDUCTOR_CACHE_DIR": os.path.join(caches, "inductor"),
    }
    command = [sys.executable, __file__, "--child", what, "--case", case, "--device", device]
    command += ["--clock", clock]
    result = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, cwd=Path.cwd()
    )
    if result.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{result.stderr}")
    times: dict[str, float] = json.loads(result.stdout.splitlines()[-1])
    return times


def run(
    device: str, clock: str, repeats: int, cases: list[str], compile_too: bool
) -> tuple[list[list[str]], dict[str, float]]:
    """Return the rows of the table, and the medians of what comes before the first call."""
    rows = []
    before: dict[str, list[float]] = {}
    for case in cases:
        columns: dict[str, list[float]] = {}
        for _ in range(repeats):
            for what in ("warm", "start"):
                with tempfile.TemporaryDirectory() as caches:
                    for state in ("cold", "disk"):
                        times = in_new_process(what, case, device, clock, caches)
                        columns.setdefault(f"{state} {what}", []).append(times.pop("first call"))
                        for name, milliseconds in times.items():
                            before.setdefault(name, []).append(milliseconds)
        if compile_too:  # once: it takes seconds
            with tempfile.TemporaryDirectory() as caches:
                for state in ("cold", "disk"):
                    times = in_new_process("torch", case, device, clock, caches)
                    columns[f"{state} torch"] = [times["first call"]]
        order = ["cold warm", "cold start", "disk warm", "disk start", "cold torch", "disk torch"]
        cells = [statistics.median(columns[name]) if name in columns else None for name in order]
        rows.append([case, *("–" if value is None else f"{value:.1f}" for value in cells)])
        print("| " + " | ".join(rows[-1]) + " |", file=sys.stderr, flush=True)
    return rows, {name: statistics.median(values) for name, values in before.items()}


def report(device: str, clock: str, repeats: int, cases: list[str], compile_too: bool) -> str:
    """Measure, and return the result as Markdown."""
    from side_by_side import markdown_table

    rows, before = run(device, clock, repeats, cases, compile_too)
    earlier = ", ".join(f"{name} {value:.1f} ms" for name, value in before.items())
    return f"{markdown_table(HEADING, rows)}\n\nBefore the first call: {earlier}.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--repeats", type=int, default=5, help="processes for each number")
    parser.add_argument("--cases", nargs="+", default=CASES, help="beginnings of kernels' names")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    parser.add_argument("--child", default=None, help=argparse.SUPPRESS)
    parser.add_argument("--case", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        print(json.dumps(child(options.child, options.case, options.device, options.clock)))
        return
    from side_by_side import machine

    clock = "time on the processor" if options.clock == "cpu" else "wall-clock time"
    print(f"{machine(options.device)}\nMilliseconds, {clock}.\n")
    arguments = options.clock, options.repeats, options.cases, options.compile
    print(report(options.device, *arguments))


if __name__ == "__main__":
    main()
