"""Damaged saved definitions: an error that says so or a fusion that is valid, never a crash.

The damage is done in a process of its own. ``--fuzz-minutes`` tries others for as long.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import resource
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import random_graphs
import torch

from nvfuser import DataType, FusionDefinition

# What the loading and the run of a valid but strange fusion raise.
DOCUMENTED = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, OverflowError)

# What the process that runs them may take: bytes, and seconds of processors for one of them.
MEMORY = 4 << 30
SECONDS = 20


def packed(calls: Any, header: bytes) -> bytes:
    """The calls as saved bytes whose checksum is right."""
    body = json.dumps(calls).encode("ascii")
    digest = hashlib.sha256(body).hexdigest().encode("ascii")
    return header.partition(b"sha256 ")[0] + b"sha256 " + digest + b"\n" + body


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all parts of nested lists and dictionaries."""
    found = [path] if path else []
    if isinstance(node, dict):
        children = list(node.items())
    else:
        children = list(enumerate(node)) if isinstance(node, list) else []
    for key, child in children:
        found += places(child, (*path, key))
    return found


def mutate(calls: list[Any], rng: random.Random, names: list[str]) -> None:
    """Change, remove, repeat or exchange something."""
    path = rng.choice(places(calls))
    parent: Any = calls
    for key in path[:-1]:
        parent = parent[key]
    key, value = path[-1], parent[path[-1]]
    if rng.random() < 0.2 and isinstance(parent, list):
        rng.choice([lambda: parent.pop(key), lambda: parent.insert(key, value)])()
        return
    if isinstance(value, bool) or value is None:
        parent[key] = rng.choice([True, False, None, 0, 2**70])
    elif isinstance(value, int):
        small = [value + 1, value - 1, 0, -1, 1]
        parent[key] = rng.choice([*small, *small, 2**31, 2**62, -(2**63), 2**64, 1.5, None, "x"])
    elif isinstance(value, str):
        parent[key] = rng.choice([*names, "define_tensor", "add_output", "Float", "Int", "", "x"])
    else:
        other = rng.choice(places(calls))
        replacement: Any = calls
        for step in other:
            replacement = replacement[step]
        parent[key] = json.loads(json.dumps(replacement))


def damaged(seed: int) -> tuple[bytes, list[torch.Tensor]]:
    """A saved definition with some damage, and inputs of the sound one."""
    rng = random.Random(seed)
    graph, _ = random_graphs.build(random_graphs.Seeded(seed), "cpu")
    data = graph.fd.serialize()
    header, _, body = data.partition(b"\n")
    if rng.random() < 0.1:
        # Bytes: the checksum tells.
        position = rng.randrange(len(data))
        return data[:position] + bytes([rng.randrange(256)]) + data[position + 1 :], graph.inputs
    calls = json.loads(body)
    names = [call["call"] for call in calls]
    for _ in range(rng.choice([1, 1, 2, 4])):
        mutate(calls, rng, names)
    return packed(calls, header), graph.inputs


def limit_memory() -> None:
    """Refuse memory beyond some, of which a system may promise more than it has.

    A size that became 2**31 is a valid one, and what it asks for is terabytes.
    """
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))


@contextlib.contextmanager
def limited_time() -> Iterator[None]:
    """End the process by SIGXCPU if this takes too long, as loops over 2**62 elements do."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    end = int(usage.ru_utime + usage.ru_stime) + SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (end, resource.RLIM_INFINITY))
    yield
    resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def attempt(data: bytes, inputs: list[torch.Tensor]) -> None:
    """Load a damaged definition, and run it if that is possible."""
    problem = None
    try:
        loaded = FusionDefinition.deserialize(data)
    except RuntimeError as error:
        problem = str(error)
    else:
        assert repr(loaded)
        with limited_time(), contextlib.suppress(*DOCUMENTED):
            loaded.execute(inputs)
    assert problem != ""


def attempt_seeds() -> None:
    """What a process of its own does: the seeds of its input, each written when it is done."""
    warnings.simplefilter("ignore")
    limit_memory()
    for line in sys.stdin:
        attempt(*damaged(int(line)))
        print(line, end="", flush=True)


def start(function: str) -> subprocess.Popen[str]:
    """A process that calls a function of this module."""
    here = Path(__file__).parent
    code = f"import sys; sys.path[:0] = sys.argv[1:]; import {__name__}; {__name__}.{function}()"
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code, str(here), str(here.parent / "helpers")],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        text=True,
    )


def attempt_elsewhere(seeds: Iterator[int]) -> bool:
    """Whether a process did all of the seeds, rather than end because one takes too long."""
    with start("attempt_seeds") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for seed in seeds:
            process.stdin.write(f"{seed}\n")
            process.stdin.flush()
            if process.stdout.readline() != f"{seed}\n":
                _, errors = process.communicate()
                if process.returncode == -signal.SIGXCPU:
                    return False
                pytest.fail(f"seed {seed}: ended with {process.returncode}: {errors[-3000:]}")
        process.communicate()
    assert process.returncode == 0
    return True


def test_damaged_definitions(seeds: Iterator[int]) -> None:
    """In a process of its own, which says which seed it is at."""
    while not attempt_elsewhere(seeds):
        pass


def test_size_beyond_memory() -> None:
    """One of the paddings became 2**31: the result has 8 terabytes; or 2**62, with 68 rows."""
    assert attempt_elsewhere(iter([3867313229, 1440743761]))


def run_beyond_memory() -> None:
    """A fusion with little to return, and much between its kernels."""
    limit_memory()
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], dtype=DataType.Float)
        sums = fd.ops.cumsum(fd.ops.pad(x, [0, 2**31]), 1)
        fd.add_output(fd.ops.sum(sums / fd.ops.max(sums, [0], keepdim=True), [0, 1]))
    data = fd.serialize()
    with pytest.raises(RuntimeError, match=r"memory: \d+ bytes .* between the kernels"):
        FusionDefinition.deserialize(data).execute([torch.ones(4, 5)])
    print("done")


def test_intermediates_beyond_memory() -> None:
    with start("run_beyond_memory") as process:
        output, errors = process.communicate()
    assert output == "done\n", errors
