"""Schedules by hand on the emulated CUDA device: those of the CPU, and what only threads have."""

from __future__ import annotations

from typing import Any

import emulation
import pytest
import torch
from fusion_testing import make_tensor

# Collected here again, with the device of this folder.
from test_schedule import *  # noqa: F403
from test_schedule import error_of, scheduled

from nvfuser import (
    CompileParams,
    DataType,
    FusionDefinition,
    KernelExecutor,
    LaunchParams,
    MemoryType,
    ParallelType,
)

pytestmark = pytest.mark.no_round_trip


def rows_by_threads(fd: FusionDefinition, tensors: list[Any]) -> None:
    y = fd.ops.neg(tensors[0])
    fd.add_output(y)
    y.axis(0).parallelize(ParallelType.grid_x)
    y.axis(1).parallelize(ParallelType.block_x)


def test_launch_constraints(device: str) -> None:
    x = make_tensor((4, 64), torch.float32, device)
    executor = KernelExecutor()
    executor.compile(scheduled([x], rows_by_threads).fusion, [x], LaunchParams(4, 1, 1, 64, 1, 1))
    torch.testing.assert_close(executor.run([x])[0], -x)
    with pytest.raises(RuntimeError, match=r"bdimx = 128, but as scheduled .* needs 64"):
        executor.run([x], LaunchParams(-1, -1, -1, 128, -1, -1))


def test_index_type(device: str) -> None:
    x = make_tensor((4, 64), torch.float32, device)
    fusion = scheduled([x], rows_by_threads).fusion
    texts = []
    for index_type in (DataType.Int, DataType.Int32):
        executor = KernelExecutor()
        executor.compile(fusion, [x], compile_params=CompileParams(index_type=index_type))
        torch.testing.assert_close(executor.run([x])[0], -x)
        texts.append(fusion.print_kernel(CompileParams(index_type=index_type)))
    assert "const long long thread_x" in texts[0]
    assert "const int thread_x" in texts[1]


def test_blocks_that_no_device_has(device: str) -> None:
    x = make_tensor((10, 1024), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.axis(0).parallelize(ParallelType.block_y)
        y.axis(1).parallelize(ParallelType.block_x)

    assert "needs 10240 threads in a block" in error_of(body, x)


def test_vectors_that_do_not_fit(device: str) -> None:
    x = make_tensor((4, 30), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.set(tensors[0])
        fd.add_output(y)
        y.split(1, 4)
        y.axis(-1).parallelize(ParallelType.vectorize)

    assert "no multiple of it" in error_of(body, x)

    def computed(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.split(1, 2)
        y.axis(-1).parallelize(ParallelType.vectorize)

    assert "Only copies can be vectorized" in error_of(computed, x)


def test_race_between_threads(device: str) -> None:
    x = make_tensor((8, 32), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        a = fd.ops.exp(tensors[0])
        b = fd.ops.neg(a)
        fd.add_output(b)
        a.axis(1).parallelize(ParallelType.block_x)
        b.axis(1).parallelize(ParallelType.block_y)
        fd.sched.inline_at(b, 1)

    assert "is divided among others" in error_of(body, x)


def test_reduction_over_nothing_but_blocks(device: str) -> None:
    """Each block has one element: a kernel stores these, another one combines them."""
    x = make_tensor((8, 32), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(tensors[0], [0])
        fd.add_output(total)
        total.axis(0).parallelize(ParallelType.grid_x)
        total.axis(1).parallelize(ParallelType.block_x)

    fd = scheduled([x], body)
    before = emulation.launch_count()
    torch.testing.assert_close(fd.manual_execute([x])[0], x.sum(0))
    assert emulation.launch_count() == before + 2


def test_threads_exchange_through_shared_memory(device: str) -> None:
    x = make_tensor((32, 32), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        a = fd.ops.exp(tensors[0])
        b = fd.ops.neg(a)
        fd.add_output(b)
        a.set_memory_type(MemoryType.shared)
        a.axis(0).parallelize(ParallelType.block_x)
        b.axis(1).parallelize(ParallelType.block_x)

    fd = scheduled([x], body)
    before = emulation.launch_count()
    torch.testing.assert_close(fd.manual_execute([x])[0], -x.exp())
    assert emulation.launch_count() == before + 1
    assert fd.fusion is not None
    assert "__syncthreads();" in fd.fusion.print_kernel()


def test_quantized_blocks_are_read_once(device: str) -> None:
    x = make_tensor((64, 128), torch.float32, device)
    with FusionDefinition() as fd:
        quantized, scales = fd.ops.nv_block_quantize(
            fd.from_pytorch(x), block_size=32, dtype=DataType.Float8_e4m3fn
        )
        fd.add_output(quantized)
        fd.add_output(scales)
    fd.execute([x])
    assert fd.fec.get_cuda_kernel([x]).count("T0[") == 1


def rows_of_clusters(blocks: int) -> Any:
    def define(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(tensors[0], [1])
        shared = fd.ops.broadcast(total, [False, True])
        y = fd.ops.sub(tensors[0], shared)
        fd.add_output(y)
        x = tensors[0].cache_after()
        copy = y.cache_before()
        for tv in (x, copy, total, shared, y):
            tv.split(1, 4)
            tv.split(1, blocks, False)
            tv.axis(0).parallelize(ParallelType.grid_x)
            tv.axis(1).parallelize(ParallelType.cluster)
            tv.axis(2).parallelize(ParallelType.block_x)
            if tv in (x, y):
                tv.axis(3).parallelize(ParallelType.vectorize)
        fd.sched.inline_most()

    return define


@pytest.mark.parametrize("blocks", [2, 8, 16])
def test_blocks_of_a_cluster_share_what_they_reduce(device: str, blocks: int) -> None:
    x = make_tensor((6, 256), torch.float32, device)
    fd = scheduled([x], rows_of_clusters(blocks))
    torch.testing.assert_close(fd.manual_execute([x])[0], x - x.sum(1, keepdim=True))
    text = fd.fusion.print_kernel()
    assert f"__cluster_dims__(1, {blocks}, 1)" in text
    assert text.count("__global__") == 1


def test_clusters_that_no_device_has(device: str) -> None:
    x = make_tensor((6, 256), torch.float32, device)
    message = r"Expected clusters of a constant number of blocks, .* at most 16, but got 32"
    with pytest.raises(RuntimeError, match=message):
        scheduled([x], rows_of_clusters(32)).manual_execute([x])


def test_clusters_are_blocks_along_y(device: str) -> None:
    def define(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.split(1, 4)
        y.axis(0).parallelize(ParallelType.grid_y)
        y.axis(2).parallelize(ParallelType.cluster)

    x = make_tensor((6, 256), torch.float32, device)
    with pytest.raises(RuntimeError, match=r"blockIdx\.y cannot be used beside clusterIdx"):
        scheduled([x], define).manual_execute([x])
