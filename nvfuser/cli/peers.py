"""What the measuring commands share: timing, and ``torch.compile`` where it is usable."""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils import benchmark

from nvfuser.cli.machine import openmp_runtimes, why_unreliable

__all__ = [
    "Time",
    "add_threads_argument",
    "compile_or_none",
    "spread_of",
    "synchronize",
    "time_calls",
    "warn_of_noise",
    "warn_of_waiting_threads",
    "why_not_compile",
]


def add_threads_argument(parser: Any) -> None:
    """Add the option that all measuring commands have."""
    parser.add_argument(
        "--threads",
        type=int,
        default=1,
        help="threads of torch, torch.compile and nvfuser alike; default: 1, for which times on a "
        "CPU are comparable",
    )


def synchronize(device: str) -> None:
    """Wait until `device` has done everything asked of it."""
    if device != "cpu":
        torch.cuda.synchronize(device)


@dataclass(frozen=True)
class Time:
    """Median and interquartile range, in seconds."""

    median: float
    spread: float

    def text(self, unit: str) -> str:
        """Return both in ms or µs, as ``1.23 ± 0.04``."""
        scale = {"ms": 1e3, "µs": 1e6}[unit]
        return f"{self.median * scale:.2f} ± {self.spread * scale:.2f}"


def spread_of(seconds: Sequence[float]) -> Time:
    """Return median and interquartile range of single measurements."""
    quartiles = torch.tensor(list(seconds), dtype=torch.float64).quantile(
        torch.tensor([0.25, 0.5, 0.75], dtype=torch.float64)
    )
    low, middle, high = quartiles.tolist()
    return Time(middle, high - low)


def time_calls(
    functions: Sequence[Callable[[], Any]], threads: int, budget: float = 0.2, rounds: int = 5
) -> list[Time]:
    """Return the time of a call of each function, by ``torch.utils.benchmark``.

    Every function has `budget` seconds, in rounds that alternate between all of them: what disturbs
    the machine for a while then disturbs all alike.
    """
    timers = [
        benchmark.Timer("function()", globals={"function": function}, num_threads=threads)
        for function in functions
    ]
    measured: list[list[benchmark.Measurement]] = [[] for _ in functions]
    for _ in range(rounds):
        for timer, measurements in zip(timers, measured, strict=True):
            measurements.append(timer.blocked_autorange(min_run_time=budget / rounds))
    return [
        spread_of([seconds for each in measurements for seconds in each.times])
        for measurements in measured
    ]


def warn_of_noise(threads: int) -> None:
    """Say so where other processes or too many threads make times unreliable."""
    reason = why_unreliable(threads)
    if reason is not None:
        print(f"WARNING: times will be unreliable: {reason}")


def warn_of_waiting_threads(device: str, threads: int) -> None:
    """Say so where threads of several OpenMP libraries wait for each other."""
    if device == "cpu" and threads > 1 and len(openmp_runtimes()) > 1:
        print(
            "WARNING: torch.compile runs on threads of another OpenMP library than torch; where "
            "both have more than one, they wait for each other. Compare with --threads 1"
        )


def why_not_compile(device: str) -> str | None:
    """Return what ``torch.compile`` lacks on this machine; None if it may work."""
    if device == "cpu":
        compilers = [os.environ["CXX"]] if "CXX" in os.environ else ["g++", "clang++", "c++"]
        if not any(shutil.which(compiler) for compiler in compilers):
            return "no C++ compiler"
    elif importlib.util.find_spec("triton") is None:
        return "no triton"
    return None


def compile_or_none(
    function: Callable[..., Any], examples: list[tuple[Any, ...]]
) -> tuple[Callable[..., Any] | None, float | str]:
    """Compile `function` with ``torch.compile``, calling it with each of `examples`.

    Returns
    -------
    callable or None
        None where the compiler fails.
    float or str
        The seconds that it took, or why it failed.
    """
    compiled = torch.compile(function)
    start = time.perf_counter()
    try:
        for example in examples:
            compiled(*example)
    except RuntimeError as error:  # the base of all that torch.compile's stages raise
        return None, str(error).strip().partition("\n")[0]
    return compiled, time.perf_counter() - start
