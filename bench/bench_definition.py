"""What it costs to define a fusion of 50 operations, and to find its equal in the cache.

    python bench/bench_definition.py

Takeaway (one core of an AMD EPYC of the Zen 5 generation with other work on it): 57 µs for the
definition, about 1.1 µs an operation, and 27 µs for the hit, no matter how full the cache is.

A client that defines the same fusion again for each call (Thunder does for each new signature) pays
the definition and then `LRUCache.cache_compile`, which hashes the fusion's structure and compares
it with the one it finds. Every lookup here is that of a fusion which was never hashed before.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

from side_by_side import machine, markdown_table

from nvfuser import DataType, FusionDefinition, LRUCache, LruFusionCache

_OPERATIONS = 50


def define(different: int = 0) -> FusionDefinition:
    """A chain of 50 operations over two inputs; `different` makes it unequal to others."""
    with FusionDefinition() as fd:
        shape = [-1] * 2
        x = fd.define_tensor(shape=shape, contiguity=True, dtype=DataType.Float)
        y = fd.define_tensor(shape=shape, contiguity=True, dtype=DataType.Float)
        z = x
        for i in range(_OPERATIONS):
            kind = (i + (1 if different >> (i % 10) & 1 else 0)) % 4
            if kind == 0:
                z = fd.ops.add(z, y)
            elif kind == 1:
                z = fd.ops.mul(z, x)
            elif kind == 2:
                z = fd.ops.relu(z)
            else:
                z = fd.ops.sub(z, y)
        fd.add_output(z)
    return fd


@LruFusionCache(max_fusions=1024)
def define_cached() -> FusionDefinition:
    """The same through the decorator that clients use."""
    return define()


def microseconds_each(prepare: Callable[[], Any], act: Callable[[Any], Any], count: int) -> float:
    """Return the median time of `act` on what `prepare` made, prepared before the clock runs."""
    things = [prepare() for _ in range(count)]
    times = []
    for thing in things:
        start = time.perf_counter_ns()
        act(thing)
        times.append((time.perf_counter_ns() - start) / 1e3)
    return statistics.median(times)


def report(count: int) -> str:
    """Measure, and return the result as Markdown."""
    full = LRUCache(max_fusions=1024)
    for different in range(1000):
        full.cache_compile(define(different).fusion)
    one = LRUCache(max_fusions=1024)
    one.cache_compile(define().fusion)
    known = one.cache_compile(define().fusion)
    assert one.num_fusions() == 1
    assert full.cache_compile(define().fusion) is not known
    define_cached()
    rows = []
    for name, prepare, act in (
        (f"definition of {_OPERATIONS} operations", lambda: None, lambda _: define()),
        ("hit, 1 fusion in the cache", define, lambda fd: one.cache_compile(fd.fusion)),
        (
            f"hit, {full.num_fusions()} fusions in the cache",
            define,
            lambda fd: full.cache_compile(fd.fusion),
        ),
        ("definition and hit through LruFusionCache", lambda: None, lambda _: define_cached()),
    ):
        rows.append([name, f"{microseconds_each(prepare, act, count):.1f}"])
    assert one.num_fusions() == 1
    return markdown_table(["what", "µs"], rows) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=500, help="repetitions")
    options = parser.parse_args()
    print(f"{machine()}\nMedians.\n")
    print(report(options.count))


if __name__ == "__main__":
    main()
