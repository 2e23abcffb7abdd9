"""Kernels that may begin before the one in front has ended read nothing of it until it has.

Compilers take what a kernel only reads for constant as long as the kernel lasts, and may load it
before it waits (`nvfuser/cuda/library/launch.cuh`), which no test of values without a GPU can see.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch

from nvfuser import DataType, FusionDefinition, TensorView
from nvfuser.cuda.compiler import compile_kernel  # that the fixtures do not replace

FUSIONS: dict[str, Callable[[FusionDefinition, TensorView], TensorView]] = {
    "sum": lambda fd, x: fd.ops.sum(x, [0, 1]),
    "softmax": lambda fd, x: fd.ops.softmax(x, 1),
    "column sums": lambda fd, x: fd.ops.mul(x, fd.ops.sum(x, [0])),
    "cumsum": lambda fd, x: fd.ops.cumsum(x, 1),
    "flip": lambda fd, x: fd.ops.flip(x, [1]),
    "permute": lambda fd, x: fd.ops.abs(fd.ops.permute(x, [1, 0])),
    "cat": lambda fd, x: fd.ops.cat([x, x], 1),
    "lookup": lambda fd, x: fd.ops.index_select(x, fd.ops.iota(5, dtype=DataType.Int), 0),
}
_PHASE = re.compile(
    r"__global__ [^(]*\([^)]*\) (\w+)\(([^)]*)\) \{.*?follow_kernel<\d+>\(([^)]*)\);", re.DOTALL
)
_ONLY_READ = re.compile(r"const [\w:]+\* __restrict__ (T\d+)")
_ENTRY = re.compile(r"\.entry\s+(\w+)")
_READ = re.compile(r"\bld\.(?!param|shared|local|const)\S*")


class Phase(NamedTuple):
    """A function of a kernel: the tensors that it reads only, and those that it has forgotten."""

    name: str
    only_read: set[str]
    forgotten: set[str]


def phases_of(kernel: str) -> list[Phase]:
    return [
        Phase(name, set(_ONLY_READ.findall(parameters)), set(forgotten.split(", ")) - {""})
        for name, parameters, forgotten in _PHASE.findall(kernel)
    ]


def add_kernels(fd: FusionDefinition, fusion: str, x: torch.Tensor) -> None:
    """A fusion in front of one more kernel: what is alone in its run waits for nothing."""
    result = FUSIONS[fusion](fd, fd.from_pytorch(x))
    fd.add_output(result)
    fd.add_output(fd.ops.abs(fd.ops.segment_set(result)))


def inputs_of(kernel: str) -> set[str]:
    return set(re.findall(r"T\d+(?=_g)", kernel.partition("// Outputs:")[0]))


def forget_all(kernel: str) -> str:
    """The kernel as if others of its run wrote all that it reads."""
    for phase in phases_of(kernel):
        head, name, rest = kernel.partition(f"{phase.name}(")
        call = rf"\1({', '.join(sorted(phase.only_read))})"
        rest = re.sub(r"(follow_kernel<\d+>)\([^)]*\)", call, rest, count=1)
        kernel = head + name + rest
    return kernel


def reads_before_the_wait(ptx: str) -> list[str]:
    """Loads that may come before their kernel waits: read-only ones may wherever they stand."""
    _, *entries = _ENTRY.split(ptx)
    found = []
    for name, body in zip(entries[::2], entries[1::2], strict=True):
        front, wait, _ = body.partition("griddepcontrol.wait")
        assert wait, f"{name} does not wait"
        early = [*_READ.findall(front), *re.findall(r"\bld\.\S*\bnc\b\S*", body)]
        found += [f"{name}: {load}" for load in early]
    return found


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("fusion", FUSIONS)
def test_what_is_forgotten_is_not_read_early(
    fusion: str, dtype: torch.dtype, planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(1024, 4096, dtype=dtype, device=planning_device)
    with FusionDefinition() as fd:
        add_kernels(fd, fusion, x)
    fd.execute([x])
    assert len(kernels) == 2
    for kernel in kernels:
        assert phases_of(kernel)
        ptx = compile_kernel(forget_all(kernel), 90, to_ptx=True).decode()
        assert reads_before_the_wait(ptx) == []


def test_a_read_before_the_wait_is_seen() -> None:
    wait = "griddepcontrol.wait;"
    for loads, found in [
        (f"ld.param.u64 %rd1; {wait} ld.global.f32 %f1;", []),
        (f"ld.global.f32 %f1; {wait}", ["k: ld.global.f32"]),
        (f"{wait} ld.global.nc.f32 %f1;", ["k: ld.global.nc.f32"]),
    ]:
        assert reads_before_the_wait(".visible .entry k(.param .u64 k_param_0) {" + loads) == found


@pytest.mark.parametrize("fusion", FUSIONS)
def test_inputs_of_the_run_may_be_read_early(
    fusion: str, planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(1024, 4096, device=planning_device)
    with FusionDefinition() as fd:
        add_kernels(fd, fusion, x)
    fd.execute([x])
    assert len(kernels) == 2
    first, *behind = phases_of(kernels[0])
    inputs = inputs_of(kernels[0])
    assert first.only_read & inputs
    for phase in [first, *behind]:
        assert phase.forgotten == phase.only_read - inputs


@pytest.mark.parametrize("fusion", FUSIONS)
def test_only_launches_wait_for_each_other(
    fusion: str, planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(1024, 4096, device=planning_device)
    with FusionDefinition() as fd:
        fd.add_output(FUSIONS[fusion](fd, fd.from_pytorch(x)))
    fd.execute([x])
    assert len(kernels) == 1
    launches = kernels[0].count("__global__")
    assert len(phases_of(kernels[0])) == (launches if launches > 1 else 0)


def test_what_another_kernel_writes_is_forgotten(planning_device: str, kernels: list[str]) -> None:
    x = torch.zeros(1024, 4096, device=planning_device)
    with FusionDefinition() as fd:
        sums = fd.ops.cumsum(fd.from_pytorch(x), 1)
        fd.add_output(fd.ops.cumsum(sums, 0))
    fd.execute([x])
    assert len(kernels) == 2
    for phase in phases_of(kernels[0]):
        assert not phase.forgotten & inputs_of(kernels[0])
    for phase in phases_of(kernels[1]):
        assert phase.forgotten == phase.only_read


def test_inputs_that_are_updated_are_forgotten(planning_device: str, kernels: list[str]) -> None:
    x = torch.zeros(1024, 4096, device=planning_device)
    with FusionDefinition() as fd:
        old = fd.from_pytorch(x)
        fd.add_output(fd.ops.softmax(old, 1))
        fd.add_output(fd.ops.cumsum(old, 0), old)
    fd.execute([x])
    assert kernels
    for phase in (phase for kernel in kernels for phase in phases_of(kernel)):
        assert phase.forgotten == phase.only_read
