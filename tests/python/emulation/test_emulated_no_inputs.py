"""Fusions without tensor inputs on CUDA: the parameters are those of CUDA."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from nvfuser import DataType, FusionDefinition, SchedulerType


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


def define_iota() -> FusionDefinition:
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.iota(fd.define_scalar(DataType.Int), dtype=DataType.Int))
    return fd


def device_of_run(fd: FusionDefinition) -> str:
    """Return "cuda" where the last run's kernels are written in CUDA C++."""
    return "cuda" if "threadIdx" in fd.fec.get_most_recent_scheduled_ir() else "cpu"


@pytest.fixture
def cuda_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)


@pytest.mark.usefixtures("device", "cuda_is_there")
class TestDeviceThatNobodyNamed:
    def test_is_the_current_cuda_device(self) -> None:
        fd = define_iota()
        fd.execute([8])
        assert device_of_run(fd) == "cuda"

    def test_is_followed_from_call_to_call(self, monkeypatch: pytest.MonkeyPatch) -> None:
        fd = define_iota()
        fd.execute([8])
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        fd.execute([8])
        assert device_of_run(fd) == "cpu"

    def test_is_that_of_a_named_default(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
        monkeypatch.setattr(torch, "get_default_device", lambda: torch.device("cuda:0"))
        fd = define_iota()
        fd.execute([8])
        assert device_of_run(fd) == "cuda"

    def test_of_a_bound_plan(self) -> None:
        fd = define_iota()
        fd.bind([8])(8)
        assert device_of_run(fd) == "cuda"

    def test_of_parameters(self) -> None:
        with FusionDefinition() as fd:
            fd.add_output(fd.ops.full([256, 256], 2.0, DataType.Float))
        params = fd.sched.compute_heuristics(fd.fusion, SchedulerType.pointwise, [])
        assert params.vectorization_factor == 4
