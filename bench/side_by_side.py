"""Measure several ways of doing the same thing side by side, and write the results as a table.

Rounds alternate between everything that is compared, so what disturbs the machine for a while
disturbs all alike. A time is the median over rounds; a ratio is the median of the ratios of each
round, which a busy machine moves less than the ratio of two medians.

On a CPU, memory is kept by the process (no `mmap` and page faults for each large output, of torch
or of ours): PyTorch's allocator on CUDA does the same, and the time of a kernel is what is asked
for.
On CUDA, times are those of events around each call, after the L2 cache was overwritten, with the
calls in the queue of the device before it begins.
"""

from __future__ import annotations

import ctypes
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

import nvfuser

_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


def keep_freed_memory() -> bool:
    """Let malloc reuse what was freed instead of giving it back; False where that is unknown."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    return bool(mallopt and mallopt(_M_MMAP_MAX, 0) and mallopt(_M_TRIM_THRESHOLD, 2**31 - 1))


@dataclass(frozen=True)
class Samples:
    """Seconds per call, one for each round."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median over rounds."""
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        """The fastest round."""
        return min(self.seconds)

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a part of the median."""
        if len(self.seconds) < 2:
            return 0.0
        low, _, high = statistics.quantiles(self.seconds, n=4)
        return (high - low) / 2 / self.median

    def ratio_to(self, other: Samples) -> float:
        """The median over rounds of this time divided by the other one."""
        pairs = zip(self.seconds, other.seconds, strict=True)
        return statistics.median(mine / theirs for mine, theirs in pairs)


class CpuTimer:
    """Time of enough calls to be read off a clock.

    Parameters
    ----------
    clock : str
        "wall", or "cpu" for the time that the process ran on a processor: what other processes
        take does not count, so it suits a busy machine; only for one thread.
    """

    def __init__(self, clock: str = "wall") -> None:
        self._now = time.perf_counter if clock == "wall" else time.process_time

    def calibrate(self, function: Callable[[], Any], seconds: float) -> int:
        """Return how many calls take about `seconds`."""
        function()
        calls, best = 1, self.time(function, 1)
        while calls * best < seconds / 4:
            calls *= 2
            best = min(best, self.time(function, calls))
        return max(1, int(seconds / best))

    def time(self, function: Callable[[], Any], calls: int) -> float:
        """Return the mean time of a call."""
        start = self._now()
        for _ in range(calls):
            function()
        return (self._now() - start) / calls


class CudaTimer:
    """Time of the device between events, the L2 cache overwritten before each call.

    The device spins until a batch of calls is in its queue: otherwise, beside a peer that takes
    longer to issue a kernel than the device to run it, it would idle between some kernels and not
    between others, which changes its clock and how small kernels overlap.
    """

    # Few enough for the queue of the device, whose 1024 places the kernels of eager torch fill.
    _BATCH = 8
    _CYCLES_PER_SECOND = 2e9

    def __init__(self, device: str) -> None:
        l2 = torch.cuda.get_device_properties(device).L2_cache_size
        self._flushed = torch.empty(max(4 * l2, 1 << 20), dtype=torch.int8, device=device)
        self._issue_seconds = 1e-3

    def calibrate(self, function: Callable[[], Any], seconds: float) -> int:
        """Return how many calls take about `seconds`."""
        function()
        return max(3, min(200, int(seconds / max(self.time(function, 3), 1e-7))))

    def time(self, function: Callable[[], Any], calls: int) -> float:
        """Return the median time of a call."""
        times: list[float] = []
        while len(times) < calls:
            times += self._time_batch(function, min(self._BATCH, calls - len(times)))
        return statistics.median(times)

    def _time_batch(self, function: Callable[[], Any], calls: int) -> list[float]:
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
        torch.cuda.synchronize()
        begin = time.perf_counter()
        torch.cuda._sleep(int(2 * self._issue_seconds * self._CYCLES_PER_SECOND))
        for start, stop in events:
            self._flushed.zero_()
            start.record()
            function()
            stop.record()
        # Calls that wait for the device by themselves take as long as it does: hence a limit.
        issued = min(time.perf_counter() - begin, 0.02)
        self._issue_seconds = max(issued, self._issue_seconds / 2)
        torch.cuda.synchronize()
        return [start.elapsed_time(stop) / 1e3 for start, stop in events]


class Loop(Protocol):
    """What repeats a call by itself: no function of Python's stands around each."""

    def seconds_per_call(self, calls: int) -> float:
        """Return the mean time of a call."""


class IssueTimer:
    """Time that the host takes to issue calls to a device, which works on them meanwhile.

    Few enough at a time for the queue of the device not to fill up, and none of an earlier round in
    it: what is measured would be the device's time otherwise.
    """

    _CALLS = 200

    def calibrate(self, loop: Loop, seconds: float) -> int:
        """Return how many calls to issue at a time."""
        self.time(loop, self._CALLS)
        return self._CALLS

    def time(self, loop: Loop, calls: int) -> float:
        """Return the mean time of a call."""
        torch.cuda.synchronize()
        return loop.seconds_per_call(calls)


def timer_for(device: str, clock: str = "wall") -> CpuTimer | CudaTimer | IssueTimer:
    """Return what times calls on a device."""
    if device == "cpu":
        return CpuTimer(clock)
    return IssueTimer() if clock == "issue" else CudaTimer(device)


def measure(
    functions: Mapping[str, Any],
    device: str = "cpu",
    rounds: int = 15,
    seconds: float = 0.02,
    clock: str = "wall",
) -> dict[str, Samples]:
    """Measure each function in `rounds` rounds of about `seconds`, alternating between them."""
    timer = timer_for(device, clock)
    calls = {name: timer.calibrate(function, seconds) for name, function in functions.items()}
    times: dict[str, list[float]] = {name: [] for name in functions}
    names = list(functions)
    for round_number in range(rounds):
        # In turn forwards and backwards: nothing always runs after the same neighbour.
        for name in names if round_number % 2 == 0 else reversed(names):
            times[name].append(timer.time(functions[name], calls[name]))
    return {name: Samples(tuple(values)) for name, values in times.items()}


def machine(device: str = "cpu") -> str:
    """Return what was measured on: processor, cores, and the versions that matter."""
    if device == "cpu":
        cpu = platform.processor() or platform.machine()
        info = Path("/proc/cpuinfo")
        if info.exists():
            lines = info.read_text().splitlines()
            names = [line for line in lines if line.startswith("model name")]
            cpu = names[0].partition(":")[2].strip() if names else cpu
        from nvfuser.llvm.compiler import host_target

        what = f"{cpu} ({host_target().cpu}), {len(os.sched_getaffinity(0))} cores"
    else:
        what = torch.cuda.get_device_name(device)
    return (
        f"{what}; torch {torch.__version__}, nvfuser {nvfuser.__version__}, "
        f"CPython {platform.python_version()}"
    )


def microseconds(samples: Samples | None) -> str:
    """Return the median, and the spread in per cent."""
    if samples is None:
        return "–"
    value = samples.median * 1e6
    text = f"{value:.1f}" if value < 100 else f"{value:.0f}"
    return f"{text} ±{100 * samples.spread:.0f}%"


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: the first column to the left, the others to the right."""
    lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
