"""schedule.warp_specialize: threads that only load never change values."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

from nvfuser import FusionDefinition, LoadStoreOpType, MemoryType, ParallelType

pytestmark = pytest.mark.no_round_trip

BLOCK_Y = ParallelType.block_y


def pointwise(x: torch.Tensor, y: torch.Tensor, rows: int, **options: Any) -> FusionDefinition:
    """x + y by tiles of rows, which threads of their own load."""
    with FusionDefinition() as fd:
        s, t = fd.from_pytorch(x), fd.from_pytorch(y)
        out = fd.ops.add(s, t)
        fd.add_output(out)
        loaded = s.cache_after(LoadStoreOpType.tma)
        loaded.set_memory_type(MemoryType.shared)
        # [rows / (4 * n), 4, n, columns]
        out.split(0, rows)
        out.split(0, 4)
        fd.sched.transform_like(out)
        out.axis(0).parallelize(ParallelType.grid_x)
        loaded.axis(0).parallelize(ParallelType.grid_x)
        out.axis(2).parallelize(ParallelType.block_y if rows > 1 else ParallelType.serial)
        out.axis(3).parallelize(ParallelType.block_x)
        loaded.axis(3).parallelize(ParallelType.block_x)
        fd.sched.inline_at(out, 2)
        fd.sched.warp_specialize(loaded, 4, 2, **{"parallel_type": BLOCK_Y, **options})
    return fd


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("shape", [(24, 32), (23, 40), (1, 5)])
def test_tiles_in_a_loop(rows: int, shape: tuple[int, int], device: str) -> None:
    x, y = (make_tensor(shape, torch.float32, device) for _ in range(2))
    fd = pointwise(x, y, rows, num_registers=(40, 240))
    for _ in range(2):
        (out,) = fd.manual_execute([x, y])
        assert torch.equal(out, x + y)


@pytest.mark.parametrize(
    "parallel_type", [ParallelType.block_x, ParallelType.block_y, ParallelType.block_z]
)
def test_rows_that_are_summed(parallel_type: ParallelType, device: str) -> None:
    """The block's threads add up what those that load have left in shared memory."""
    x = make_tensor((5, 100), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        total = fd.ops.sum(fd.ops.exp(t), [1])
        fd.add_output(total)
        loaded = t.cache_after()
        loaded.set_memory_type(MemoryType.shared)
        total.split(1, 16)
        partial = total.rfactor([1])
        fd.sched.transform_like(partial)
        partial.axis(0).parallelize(ParallelType.grid_x)
        partial.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(partial)
        loaded.axis(-1).parallelize(ParallelType.serial)
        fd.sched.inline_most()
        fd.sched.warp_specialize(loaded, 2, 1, parallel_type)
    torch.testing.assert_close(fd.manual_execute([x])[0], x.exp().sum(1))


def test_two_tensors(device: str) -> None:
    x, y = (make_tensor((8, 32), torch.float32, device) for _ in range(2))
    with FusionDefinition() as fd:
        s, t = fd.from_pytorch(x), fd.from_pytorch(y)
        out = fd.ops.mul(s, t)
        fd.add_output(out)
        copies = [s.cache_after(), t.cache_after()]
        out.axis(1).parallelize(ParallelType.block_x)
        for copy in copies:
            copy.set_memory_type(MemoryType.shared)
            copy.axis(1).parallelize(ParallelType.block_x)
        fd.sched.inline_at(out, 1)
        for copy in copies:
            fd.sched.warp_specialize(copy, 2, 1, BLOCK_Y)
    assert torch.equal(fd.manual_execute([x, y])[0], x * y)


@pytest.mark.parametrize("order", ["specialize", "inline", "inline, specialize", "most"])
@pytest.mark.parametrize("position", [1, 2, 4])
@pytest.mark.parametrize("are_selected", [False, True])
def test_inlining_before_and_after(
    order: str, position: int, are_selected: bool, device: str
) -> None:
    """The order of the calls makes no difference to the values."""
    x, y = (make_tensor((23, 40), torch.float32, device, seed=seed) for seed in range(2))
    with FusionDefinition() as fd:
        inputs = [fd.from_pytorch(x), fd.from_pytorch(y)]
        out = fd.ops.add(*inputs)
        fd.add_output(out)
        copies = [t.cache_after(LoadStoreOpType.tma) for t in inputs]
        computed = out.cache_before()
        out.split(0, 4)
        out.split(0, 4)
        fd.sched.transform_like(out)
        for tensor in (*copies, computed, out):
            tensor.axis(0).parallelize(ParallelType.grid_x)
            tensor.axis(3).parallelize(ParallelType.block_x)
        if order.startswith("inline"):
            fd.sched.inline_at(out, 2)
        for copy in copies:
            copy.set_memory_type(MemoryType.shared)
            if order != "inline":
                fd.sched.warp_specialize(copy, 4, 2, BLOCK_Y)
        if order == "most":
            fd.sched.inline_most()
        fd.sched.inline_at(out, position, False, [*copies, computed] if are_selected else [])
        if order == "inline":
            for copy in copies:
                fd.sched.warp_specialize(copy, 4, 2, BLOCK_Y)
    assert torch.equal(fd.manual_execute([x, y])[0], x + y)


def test_kernel_branches_on_the_thread() -> None:
    x = torch.zeros(24, 32)
    text = pointwise(x, x, 1).fusion.print_kernel()
    assert "thread_y = threadIdx.y" in text
    load, compute = text.index("thread_y == 1"), text.index("thread_y == 0")
    assert load < text.index("] = T0[") < text.index("__syncthreads()") < compute


# ------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2, 1, ParallelType.grid_x), "Expected block_x, block_y or block_z .* but got"),
        ((2, 1, ParallelType.serial), "Expected block_x, block_y or block_z"),
        ((0, 0, BLOCK_Y), "Expected at least one stage but got 0"),
        ((2, 2, BLOCK_Y), "Expected a prefetch distance between -2 and 2"),
        ((2, -2, BLOCK_Y), "Expected a prefetch distance between -2 and 2"),
        ((2, 1, BLOCK_Y, (16, 240)), "from 24 to 256 .* multiples of 8 but got 16"),
        ((2, 1, BLOCK_Y, (24, 264)), "from 24 to 256 .* multiples of 8 but got 264"),
        ((2, 1, BLOCK_Y, (25, 240)), "multiples of 8 but got 25"),
        ((2, 1, BLOCK_Y, (-1, -1)), "registers that are not negative but got -1"),
        ((2, 1, BLOCK_Y, (240, 40)), "no more registers .* but got 240 and 40"),
    ],
)
def test_parameters(arguments: tuple[Any, ...], message: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor([-1], True)
        copy = t.cache_after() if fd.add_output(fd.ops.neg(t)) is None else None
        with pytest.raises(RuntimeError, match=f"^warp_specialize: .*{message}"):
            fd.sched.warp_specialize(copy, *arguments)


def problem_of(schedule: Any) -> str:
    x = torch.zeros(4, 8)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        middle = fd.ops.neg(t)
        out = fd.ops.exp(middle)
        fd.add_output(out)
        copies = t.cache_after(), out.cache_before()
        schedule(fd, middle, *copies)
    with pytest.raises(RuntimeError) as error:
        fd.manual_execute([x])
    return str(error.value)


def test_what_is_specialized() -> None:
    specialize = FusionDefinition.sched.warp_specialize
    with FusionDefinition() as fd:
        t = fd.define_tensor([-1], True)
        out = fd.ops.neg(t)
        fd.add_output(out)
        for tensor in (t, out):
            with pytest.raises(RuntimeError, match="Expected a copy, as of cache_after"):
                specialize(tensor, 2, 1, BLOCK_Y)
    assert "Expected a copy to shared memory" in problem_of(
        lambda fd, middle, loaded, stored: specialize(loaded, 2, 1, BLOCK_Y)
    )

    def computed(fd: FusionDefinition, middle: Any, loaded: Any, stored: Any) -> None:
        copy = middle.cache_after()
        copy.set_memory_type(MemoryType.shared)
        specialize(copy, 2, 1, BLOCK_Y)

    assert "to be a copy of what is in global memory" in problem_of(computed)

    def divided(fd: FusionDefinition, middle: Any, loaded: Any, stored: Any) -> None:
        loaded.set_memory_type(MemoryType.shared)
        loaded.axis(1).parallelize(BLOCK_Y)
        specialize(loaded, 2, 1, BLOCK_Y)

    assert "cannot be those of one of its loops" in problem_of(divided)


def test_different_directions() -> None:
    x = torch.zeros(4, 8)
    with FusionDefinition() as fd:
        s, t = fd.from_pytorch(x), fd.from_pytorch(x)
        fd.add_output(fd.ops.mul(s, t))
        for tensor, direction in ((s, BLOCK_Y), (t, ParallelType.block_z)):
            copy = tensor.cache_after()
            copy.set_memory_type(MemoryType.shared)
            fd.sched.warp_specialize(copy, 2, 1, direction)
    with pytest.raises(RuntimeError, match=r"is loaded by threads along .*, but another one by"):
        fd.manual_execute([x, x])
