"""Damaged saved definitions: an error that says so or a fusion that is valid, never a crash.

The damage is done in a process of its own. ``--fuzz-minutes`` tries others for as long.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import random_graphs

from nvfuser import FusionDefinition

# What the loading and the run of a valid but strange fusion raise.
DOCUMENTED = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, OverflowError)


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


def attempt(seed: int) -> None:
    """Damage one definition, load it, and run it if that is possible."""
    rng = random.Random(seed)
    graph, _ = random_graphs.build(random_graphs.Seeded(seed), "cpu")
    data = graph.fd.serialize()
    header, _, body = data.partition(b"\n")
    if rng.random() < 0.1:
        # Bytes: the checksum tells.
        position = rng.randrange(len(data))
        damaged = data[:position] + bytes([rng.randrange(256)]) + data[position + 1 :]
    else:
        calls = json.loads(body)
        names = [call["call"] for call in calls]
        for _ in range(rng.choice([1, 1, 2, 4])):
            mutate(calls, rng, names)
        damaged = packed(calls, header)
    problem = None
    try:
        loaded = FusionDefinition.deserialize(damaged)
    except RuntimeError as error:
        problem = str(error)
    else:
        assert repr(loaded)
        with contextlib.suppress(*DOCUMENTED):
            loaded.execute(graph.inputs)
    assert problem != ""


def test_damaged_definitions(seeds: Iterator[int]) -> None:
    """In a process of its own, which says which seed it is at."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import warnings, test_saved_fuzz\n"
        "warnings.simplefilter('ignore')\n"
        "for line in sys.stdin:\n"
        "    test_saved_fuzz.attempt(int(line))\n"
        "    print(line, end='', flush=True)\n"
    )
    here = Path(__file__).parent
    arguments = [sys.executable, "-c", code, str(here), str(here.parent / "helpers")]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for seed in seeds:
            process.stdin.write(f"{seed}\n")
            process.stdin.flush()
            if process.stdout.readline() != f"{seed}\n":
                _, errors = process.communicate()
                pytest.fail(f"seed {seed}: ended with {process.returncode}: {errors[-3000:]}")
        process.communicate()
    assert process.returncode == 0
