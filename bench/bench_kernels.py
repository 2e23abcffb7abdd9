"""How long kernels take beside eager torch, torch.compile, and a copy of as many bytes.

    python bench/bench_kernels.py [--device cpu] [--threads 1] [--dtypes float32 bfloat16]

Takeaway (one core of an AMD EPYC of the Zen 5 generation): everything takes 0.05 to 0.95 times what
the faster peer takes, in float32 and bfloat16.
Sums, norms, copies with an operation and silu·mul of float32 run at 73 to 130 % of the speed of a
copy; the others are further from it, those with gelu, silu or exp because their arithmetic takes
longer than moving their bytes.

Columns: `nvfuser` is the call of a bound plan that allocates its output; `/ peer` is its time over
that of the faster of eager and torch.compile, which allocate theirs, too. `copy` is `Tensor.copy_`
of as many bytes as the kernel must move (inputs read once, the output written once), and `of copy`
how close the plan comes to it when it is given its output, as the copy is. Every result is compared
with that of eager torch in single precision before anything is timed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from kernel_cases import Case, as_tuple, kernels
from side_by_side import (
    Samples,
    keep_freed_memory,
    machine,
    markdown_table,
    measure,
    microseconds,
)

from nvfuser.cli.peers import compile_or_none, why_not_compile

HEADING = ["kernel", "eager", "torch.compile", "nvfuser", "/ peer", "copy", "of copy"]
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True)
class Row:
    """What was measured of one kernel."""

    name: str
    samples: dict[str, Samples]

    @property
    def fastest_peer(self) -> Samples:
        """Eager torch or torch.compile, whichever has the smaller median."""
        peers = [self.samples[name] for name in ("eager", "compile") if name in self.samples]
        return min(peers, key=lambda samples: samples.median)

    @property
    def to_peer(self) -> float:
        """Our time over that of the faster peer: at most 1 is the target."""
        return self.samples["plan"].ratio_to(self.fastest_peer)

    @property
    def of_copy(self) -> float:
        """The part of the copy's speed that is reached."""
        return self.samples["copy"].ratio_to(self.samples["given"])

    def cells(self) -> list[str]:
        """The row as text, in the order of `HEADING`."""
        eager, compiled, plan, copy = map(self.samples.get, ("eager", "compile", "plan", "copy"))
        times = [microseconds(samples) for samples in (eager, compiled, plan)]
        return [self.name, *times, f"{self.to_peer:.2f}", microseconds(copy), f"{self.of_copy:.0%}"]


def check(
    outputs: list[torch.Tensor], expected: tuple[torch.Tensor, ...], dtype: torch.dtype
) -> None:
    """Compare results with those of eager torch, which computed them from single precision."""
    tolerance = 2e-2 if dtype.itemsize == 2 else 1e-4
    for output, reference in zip(outputs, expected, strict=True):
        if reference.dtype.itemsize == 1:
            # What lies at a boundary between two values may become either.
            differ = output.view(torch.uint8) != reference.view(torch.uint8)
            assert differ.float().mean() < 1e-3, f"{differ.sum()} elements differ"
            continue
        scale = max(1.0, reference.abs().max().item())
        torch.testing.assert_close(
            output.float() / scale, reference.float() / scale, rtol=tolerance, atol=tolerance
        )


def run_case(
    case: Case, dtype: torch.dtype, device: str, rounds: int, compile_too: bool, clock: str = "wall"
) -> Row:
    """Check one kernel against eager torch and measure it."""
    inputs = case.inputs(dtype, device)
    plan = case.define(inputs).bind(inputs)
    outputs = plan(*inputs)
    # In two bytes, eager torch sums up rows of thousands of elements with errors of a tenth.
    precise = [x.float() if x.is_floating_point() else x for x in inputs]
    check(outputs, as_tuple(case.reference(*precise)), dtype)
    del precise
    given = [torch.empty_like(output) for output in outputs]
    functions: dict[str, Callable[[], Any]] = {
        "eager": lambda: case.reference(*inputs),
        "plan": lambda: plan(*inputs),
        "given": lambda: plan(*inputs, outputs=given),
    }
    if compile_too:
        torch._dynamo.reset()  # otherwise the second shape is compiled for all sizes
        compiled, reason = compile_or_none(case.reference, [tuple(inputs)])
        if compiled is None:
            print(f"torch.compile fails on {case.name}: {reason}", file=sys.stderr)
        else:
            functions["compile"] = lambda: compiled(*inputs)
    moved = case.bytes_moved([*inputs, *outputs])
    source = torch.zeros(moved // 2, dtype=torch.int8, device=device)
    destination = torch.empty_like(source)
    functions["copy"] = lambda: destination.copy_(source)
    return Row(case.name, measure(functions, device, rounds, clock=clock))


def run(
    device: str,
    threads: int | None,
    dtypes: list[str],
    rounds: int = 15,
    scale: int = 1,
    only: str = "",
    compile_too: bool = True,
    clock: str = "wall",
    sizes: str | None = None,
) -> dict[str, list[Row]]:
    """Measure all kernels; the rows of each dtype."""
    if threads is not None:
        torch.set_num_threads(threads)
    if device == "cpu" and not keep_freed_memory():
        print("the C library gives freed memory back: times include page faults", file=sys.stderr)
    reason = why_not_compile(device) if compile_too else "left out"
    if reason is not None:
        print(f"torch.compile is not measured: {reason}", file=sys.stderr)
    cases = kernels(sizes or ("medium" if device == "cpu" else "large"), scale)
    rows: dict[str, list[Row]] = {}
    for name in dtypes:
        rows[name] = []
        for case in cases:
            if only in case.name and (not case.dtypes or name in case.dtypes):
                row = run_case(case, DTYPES[name], device, rounds, reason is None, clock)
                rows[name].append(row)
                print("| " + " | ".join(row.cells()) + " |", file=sys.stderr, flush=True)
    return rows


def tables(rows: dict[str, list[Row]], title: str) -> str:
    """The rows as Markdown."""
    parts = []
    for dtype, measured in rows.items():
        table = markdown_table(HEADING, [row.cells() for row in measured])
        parts.append(f"### {dtype}, {title}\n\n{table}\n")
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--threads", type=int, default=None, help="threads of torch and nvfuser")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=["float32", "bfloat16"])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--scale", type=int, default=1, help="this many times fewer rows")
    parser.add_argument(
        "--sizes",
        choices=("large", "medium", "odd"),
        default=None,
        help="large: 8192x8192, for GPUs; medium: 4096x4096, for CPUs; odd: small and odd ones",
    )
    parser.add_argument("--only", default="", help="kernels whose name contains this")
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument(
        "--clock",
        choices=("wall", "cpu"),
        default="wall",
        help="cpu: time on a processor, for one thread on a machine with other work",
    )
    parser.add_argument("--json", type=Path, default=None, help="write all samples here, too")
    options = parser.parse_args()
    if options.clock == "cpu" and (options.device != "cpu" or options.threads != 1):
        parser.error("--clock cpu is for --device cpu --threads 1")
    rows = run(
        options.device, options.threads, options.dtypes, options.rounds, options.scale,
        options.only, options.compile, options.clock, options.sizes,
    )  # fmt: skip
    threads = f"{torch.get_num_threads()} thread{'s'[: torch.get_num_threads() != 1]}"
    title = threads if options.device == "cpu" else options.device
    if options.clock == "cpu":
        title += ", time on the processor"
    print(f"{machine(options.device)}\nMicroseconds, medians of {options.rounds} rounds.\n")
    print(tables(rows, title))
    if options.json is not None:
        samples = {
            dtype: {row.name: {k: s.seconds for k, s in row.samples.items()} for row in measured}
            for dtype, measured in rows.items()
        }
        content = {"machine": machine(options.device), "title": title, "samples": samples}
        options.json.write_text(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
