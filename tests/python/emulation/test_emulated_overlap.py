"""Kernels that may begin before the one in front has ended read nothing until it has.

Compilers take what a kernel only reads for constant as long as the kernel lasts, and may load it
before it waits (`nvfuser/cuda/library/launch.cuh`), which no test of values without a GPU can see.
"""

from __future__ import annotations

import re
from collections.abc import Callable

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
_ENTRY = re.compile(r"\.entry\s+(\w+)")
_READ = re.compile(r"\bld\.(?!param|shared|local|const)\S*")


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
def test_nothing_is_read_before_the_kernel_in_front_has_ended(
    fusion: str, dtype: torch.dtype, planning_device: str, kernels: list[str]
) -> None:
    x = torch.zeros(1024, 4096, dtype=dtype, device=planning_device)
    with FusionDefinition() as fd:
        fd.add_output(FUSIONS[fusion](fd, fd.from_pytorch(x)))
    fd.execute([x])
    assert kernels
    for kernel in kernels:
        ptx = compile_kernel(kernel, 90, to_ptx=True).decode()
        assert reads_before_the_wait(ptx) == []


def test_a_read_before_the_wait_is_seen() -> None:
    wait = "griddepcontrol.wait;"
    for loads, found in [
        (f"ld.param.u64 %rd1; {wait} ld.global.f32 %f1;", []),
        (f"ld.global.f32 %f1; {wait}", ["k: ld.global.f32"]),
        (f"{wait} ld.global.nc.f32 %f1;", ["k: ld.global.nc.f32"]),
    ]:
        assert reads_before_the_wait(".visible .entry k(.param .u64 k_param_0) {" + loads) == found
