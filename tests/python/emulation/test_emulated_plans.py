"""Random graphs become CUDA kernels that their schedulers can do, none of which is run.

To write a kernel takes a hundredth of the time that it takes to compile and emulate it: so many
more graphs are tried than the tests of values do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
import random_graphs
import test_mixed_shapes
from random_graphs import Graph

# Elements of an array that a thread has for what its loops compute at a time. Larger ones are whole
# tensors, which each thread would compute for itself.
ELEMENTS_OF_A_THREAD = 128
_ARRAY = re.compile(r"^  (?:alignas\(\d+\) )?[\w: ]+ (T\d+)\[(\d+)\];", re.MULTILINE)


@pytest.mark.parametrize(
    ("add", "keeps"),
    [
        (random_graphs.add_any, False),
        (random_graphs.add_any, True),
        (test_mixed_shapes.add_mixed, False),
    ],
)
def test_schedulers_do_what_they_accept(
    add: Callable[[Graph], None],
    keeps: bool,
    seeds: Iterator[int],
    planning_device: str,
    kernels: list[str],
) -> None:
    failed = []
    for seed in seeds:
        kernels.clear()
        graph, _ = random_graphs.build(random_graphs.Seeded(seed), planning_device, keeps, add)
        try:
            random_graphs.run(graph)
        except RuntimeError as error:
            print(f"seed {seed}: {error}", flush=True)
            failed.append(seed)
        for name, size in _ARRAY.findall("".join(kernels)):
            if int(size) > ELEMENTS_OF_A_THREAD:
                print(f"seed {seed}: each thread computes {size} elements of {name}", flush=True)
                failed.append(seed)
    assert not failed
