"""Bytes moved per second against the size of the problem, as a table and as a picture.

    python bench/bench_sizes.py [--device cuda] [--svg docs/bandwidth.svg]

Question: from which size on are kernels as fast as memory allows, and how far from it below?

Bytes are counted as in bench_kernels.py: inputs read once, outputs written once. Times are medians;
on a GPU those of events, with the L2 cache overwritten before each call. The picture needs
matplotlib.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from bench_kernels import DTYPES, Row, run_case
from kernel_cases import Case, rms_norm, silu_mul
from side_by_side import keep_freed_memory, machine, markdown_table

from nvfuser.cli.peers import why_not_compile

LABELS = {
    "copy": "Tensor.copy_",
    "given": "nvfuser, outputs given",
    "compile": "torch.compile",
    "eager": "eager torch",
}
KERNELS: dict[str, tuple[str, Callable[[int, int], Case]]] = {
    "silu·mul": ("float32", silu_mul),
    "rms_norm": ("bfloat16", rms_norm),
}


def bytes_moved(case: Case, dtype: torch.dtype, device: str) -> int:
    """What a kernel must read and write."""
    inputs = case.inputs(dtype, device)
    return case.bytes_moved([*inputs, case.reference(*inputs)])


def speeds(row: Row, moved: int) -> dict[str, float]:
    """Gigabytes per second of everything that was measured."""
    return {name: moved / row.samples[name].median / 1e9 for name in LABELS if name in row.samples}


def draw(results: dict[str, list[tuple[int, dict[str, float]]]], title: str, path: Path) -> None:
    """Write the picture: a field for each kernel, a line for each way to run it."""
    import matplotlib

    matplotlib.use("svg")
    # The same picture for the same numbers.
    matplotlib.rcParams["svg.hashsalt"] = "nvfuser"
    from matplotlib import pyplot

    figure, fields = pyplot.subplots(1, len(results), figsize=(5 * len(results), 3.6), sharey=True)
    for field, (kernel, points) in zip(fields, results.items(), strict=True):
        for name, label in LABELS.items():
            line = [(moved / 2**20, speed[name]) for moved, speed in points if name in speed]
            if line:
                field.plot(*zip(*line, strict=True), marker="o", markersize=3, label=label)
        field.set_xscale("log", base=2)
        field.set_title(kernel)
        field.set_xlabel("bytes moved, MiB")
        field.grid(alpha=0.3)
    fields[0].set_ylabel("GB/s")
    fields[0].legend()
    figure.suptitle(title, fontsize=9)
    figure.tight_layout()
    figure.savefig(path, format="svg", metadata={"Date": None})
    lines = path.read_text().splitlines()
    path.write_text("".join(f"{line.rstrip()}\n" for line in lines))


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--columns", type=int, default=4096)
    parser.add_argument("--rows", type=int, nargs="+", default=[4**i for i in range(8)])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--compile", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--svg", type=Path, default=None, help="write the picture here")
    options = parser.parse_args()
    if options.device == "cpu":
        keep_freed_memory()
    compile_too = options.compile and why_not_compile(options.device) is None
    results: dict[str, list[tuple[int, dict[str, float]]]] = {}
    rows: list[list[str]] = []
    for kernel, (dtype, make) in KERNELS.items():
        points = results.setdefault(f"{kernel} {dtype}", [])
        for count in options.rows:
            case = make(count, options.columns)
            measured = run_case(case, DTYPES[dtype], options.device, options.rounds, compile_too)
            moved = bytes_moved(case, DTYPES[dtype], options.device)
            speed: dict[str, Any] = speeds(measured, moved)
            points.append((moved, speed))
            cells = [f"{speed[name]:.0f}" if name in speed else "–" for name in LABELS]
            rows.append([f"{case.name} {dtype}", f"{moved / 2**20:.2f}", *cells])
    title = machine(options.device)
    print(f"{title}\nGB/s, medians of {options.rounds} rounds.\n")
    print(markdown_table(["kernel", "MiB moved", *LABELS.values()], rows))
    if options.svg is not None:
        draw(results, title, options.svg)


if __name__ == "__main__":
    main()
