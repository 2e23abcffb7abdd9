"""Random graphs become CUDA kernels that their schedulers can do, none of which is run.

To write a kernel takes a hundredth of the time that it takes to compile and emulate it: so many
more graphs are tried than the tests of values do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import emulation
import pytest
import random_graphs
import test_mixed_shapes
from random_graphs import Graph


@pytest.fixture
def planning_device() -> Iterator[str]:
    """The device of tensors whose kernels are written only."""
    with emulation.emulated_device(runs=False):
        yield "cpu"


@pytest.mark.parametrize(
    ("add", "keeps"),
    [
        (random_graphs.add_any, False),
        (random_graphs.add_any, True),
        (test_mixed_shapes.add_mixed, False),
    ],
)
def test_schedulers_do_what_they_accept(
    add: Callable[[Graph], None], keeps: bool, seeds: Iterator[int], planning_device: str
) -> None:
    failed = []
    for seed in seeds:
        graph, _ = random_graphs.build(random_graphs.Seeded(seed), planning_device, keeps, add)
        try:
            random_graphs.run(graph)
        except RuntimeError as error:
            print(f"seed {seed}: {error}", flush=True)
            failed.append(seed)
    assert not failed
