"""What of the machine disturbs a measurement: its cores, what else runs, OpenMP libraries."""

from __future__ import annotations

import os
import time
from pathlib import Path

__all__ = ["openmp_runtimes", "usable_cores", "why_unreliable"]

_SAMPLE_SECONDS = 0.3


def _usable() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def usable_cores() -> int:
    """Return how many logical cores this process may use."""
    return len(_usable())


def why_unreliable(threads: int) -> str | None:
    """Return what makes times of `threads` threads unreliable now; None if nothing is known of.

    Sleeps for a moment: what the cores do meanwhile is the work of others.
    """
    cores = usable_cores()
    if threads > cores:
        return f"{threads} threads share {cores} cores"
    before = _ticks()
    time.sleep(_SAMPLE_SECONDS)
    after = _ticks()
    busy = 0.0
    for core in before.keys() & after.keys() & _usable():
        idle, total = (b - a for a, b in zip(before[core], after[core], strict=True))
        busy += 1 - idle / total if total > 0 else 0
    if busy > cores - threads + 0.3:
        return f"other processes keep {busy:.1f} of {cores} cores busy"
    return None


def _ticks() -> dict[int, tuple[int, int]]:
    """Return of each core the ticks that it was idle and all ticks; empty where unknown."""
    file = Path("/proc/stat")
    if not file.exists():
        return {}
    ticks = {}
    for line in file.read_text().splitlines():
        name, *numbers = line.split()
        if name.startswith("cpu") and name != "cpu":
            # user, nice, system, idle, iowait, irq, softirq, steal
            counts = [int(number) for number in numbers[:8]]
            ticks[int(name[3:])] = (counts[3] + counts[4], sum(counts))
    return ticks


def openmp_runtimes() -> list[str]:
    """Return the OpenMP libraries of this process.

    Each has threads of its own, which look for more to do for milliseconds after the end of a
    parallel loop. Two that take turns keep each other from the cores.
    """
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return []
    paths = {line.split(maxsplit=5)[-1] for line in maps.read_text().splitlines() if "/" in line}
    names = ("libgomp", "libiomp", "libomp")
    return sorted(path for path in paths if Path(path).name.startswith(names))
