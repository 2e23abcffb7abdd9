"""Fusions without tensor inputs on CUDA: the parameters are those of CUDA."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from nvfuser import DataType, FusionDefinition


def uniform(fd: FusionDefinition, shape: list[int]) -> Any:
    low, high = fd.define_scalar(0.0), fd.define_scalar(1.0)
    return fd.ops.uniform(low, high, shape, dtype=DataType.Float)


FUSIONS: dict[str, Callable[[FusionDefinition], Any]] = {
    "uniform": lambda fd: uniform(fd, [4096]),
    "uniform of a symbolic size": lambda fd: uniform(fd, [fd.define_scalar(DataType.Int)]),
    "full": lambda fd: fd.ops.full([64, 64], 2.0, DataType.Float),
    "iota": lambda fd: fd.ops.iota(4096, dtype=DataType.Int),
    "rows": lambda fd: fd.ops.sum(uniform(fd, [32, 128]), [1]),
    "columns": lambda fd: fd.ops.sum(uniform(fd, [32, 128]), [0]),
    "softmax": lambda fd: fd.ops.softmax(uniform(fd, [32, 128]), 1),
}


@pytest.mark.parametrize("name", FUSIONS)
def test_blocks_of_many_threads(name: str, device: str) -> None:
    with FusionDefinition() as fd:
        fd.add_output(FUSIONS[name](fd))
    inputs = [4096] if "symbolic" in name else []
    fd.execute(inputs, device="cuda:0")
    schedule = fd.fec.get_most_recent_scheduled_ir()
    sizes = dict.fromkeys("xy", 1)
    for axis, size in re.findall(r"threadIdx\.([xy])\d+\{(\d+)", schedule):
        sizes[axis] = max(sizes[axis], int(size))
    assert sizes["x"] * sizes["y"] >= 32, schedule
