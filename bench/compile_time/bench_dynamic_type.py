"""Compile-time cost of DynamicType, beside the same operators written with tuples.

Question: how much CPU time and memory does a compiler need for (a) a file that only includes the
header and (b) a file that uses every operator of a ten-alternative value, with src/dynamic_type
(capability checks over pairs of types, one flat switch per operator) and with
tuple_dynamic_type.h (Cartesian products of tuples, walks over the alternatives)? A third file uses
every operator of a type whose explicit instantiation is elsewhere (``extern template``).

Takeaway, g++ 12.2 on two cores of an x86-64 virtual machine that other builds kept busy (load 5,
which raises the times), medians of five:

    case                                           front end    -O1      peak
    include only, dynamic_type                        0.69 s    0.73 s    112 MB
    include only, tuples                              0.84 s    0.81 s    123 MB
    all operators, dynamic_type                       1.27 s    2.19 s    231 MB
    all operators, dynamic_type, extern template      1.15 s    1.85 s    203 MB
    all operators, tuples                             9.89 s   19.10 s   1092 MB

Including the header costs little beyond its standard headers. Instantiating only the supported
pairs of types makes a unit that uses all operators nearly nine times cheaper than with tuples, in a
quarter of the memory.

Run: python bench/compile_time/bench_dynamic_type.py [--compiler g++] [--runs 5]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
INCLUDE = FOLDER.parents[1] / "src" / "dynamic_type" / "include"

CASES = {
    "include only, dynamic_type": "switch_include.cpp",
    "include only, tuples": "tuple_include.cpp",
    "all operators, dynamic_type": "switch_operators.cpp",
    "all operators, dynamic_type, extern template": "switch_client.cpp",
    "all operators, tuples": "tuple_operators.cpp",
}


@dataclass
class Cost:
    """Resources of one run of the compiler, its own child processes included.

    Attributes
    ----------
    cpu_seconds : float
        User and system time.
    peak_mb : float
        Largest resident set of any of its processes, in MB.
    """

    cpu_seconds: float
    peak_mb: float


def measure(command: list[str]) -> Cost:
    """Run `command` and return what it cost.

    Parameters
    ----------
    command : list of str
        The command and its arguments.

    Returns
    -------
    Cost
        Its CPU time and peak memory.

    Raises
    ------
    subprocess.CalledProcessError
        If the command fails.
    """
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    # Linux counts kilobytes, macOS bytes.
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


def median_cost(command: list[str], runs: int) -> Cost:
    """Return the medians of CPU time and memory over `runs` runs of `command`."""
    costs = [measure(command) for _ in range(runs)]
    return Cost(
        statistics.median(cost.cpu_seconds for cost in costs),
        statistics.median(cost.peak_mb for cost in costs),
    )


def main() -> None:
    """Print a table with a row for each case."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()

    base = [arguments.compiler, "-std=c++20", f"-I{INCLUDE}"]
    version = subprocess.run(
        [arguments.compiler, "--version"], check=True, capture_output=True, text=True
    ).stdout.splitlines()[0]
    print(f"{version}, median of {arguments.runs} runs\n")
    print("| case | front end, s | -O1, s | -O1, peak MB |")
    print("|---|---:|---:|---:|")
    for case, source in CASES.items():
        path = str(FOLDER / source)
        front_end = median_cost([*base, "-fsyntax-only", path], arguments.runs)
        whole = median_cost([*base, "-O1", "-c", path, "-o", os.devnull], arguments.runs)
        print(
            f"| {case} | {front_end.cpu_seconds:.2f} | {whole.cpu_seconds:.2f} |"
            f" {whole.peak_mb:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
