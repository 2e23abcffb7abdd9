"""Schedules by hand: transforms, inlining, parallel types and memory types never change values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

import nvfuser
from nvfuser import (
    DataType,
    FusionDefinition,
    KernelExecutor,
    LaunchParams,
    LoadStoreOpType,
    MemoryType,
    ParallelType,
)

# Copies of a schedule are printed like casts: what is saved of a definition is without schedule.
pytestmark = pytest.mark.no_round_trip

Body = Callable[[FusionDefinition, list[Any]], None]


def scheduled(inputs: list[torch.Tensor], body: Body) -> FusionDefinition:
    with FusionDefinition() as fd:
        body(fd, [fd.from_pytorch(tensor) for tensor in inputs])
    return fd


def assert_values(inputs: list[torch.Tensor], body: Body, *expected: torch.Tensor) -> Any:
    fd = scheduled(inputs, body)
    outputs = fd.manual_execute(inputs)
    assert len(outputs) == len(expected)
    for output, reference in zip(outputs, expected, strict=True):
        torch.testing.assert_close(output, reference, rtol=1e-5, atol=1e-5)
    return fd


# ------------------------------------------------------------------ whole schedules


def test_without_schedule(device: str) -> None:
    x = make_tensor((5, 7), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.exp(fd.ops.add(tensors[0], 1.0))
        fd.add_output(y)
        fd.add_output(fd.ops.sum(y, [1]))

    y = (x + 1).exp()
    fd = assert_values([x], body, y, y.sum(1))
    assert fd.ke.is_compiled()
    assert not fd.ke.is_programmatic_dependent_launch_enabled()


@pytest.mark.parametrize("size", [1, 64, 1000, 4096])
def test_pointwise_with_blocks_threads_and_vectors(size: int, device: str) -> None:
    a = make_tensor((size * 4,), torch.float32, device)
    b = make_tensor((size * 4,), torch.float32, device, seed=1)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        c = fd.ops.mul(fd.ops.add(tensors[0], tensors[1]), tensors[1])
        fd.add_output(c)
        loads = [tensor.cache_after() for tensor in tensors]
        c.cache_before()
        c.split(0, 4)
        c.split(0, 64)
        c.split(0, 2)
        fd.sched.transform_like(c)
        c.axis(0).parallelize(ParallelType.grid_x)
        c.axis(1).parallelize(ParallelType.unroll)
        c.axis(2).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(c)
        for tensor in (c, *loads):
            tensor.axis(-1).parallelize(ParallelType.vectorize)
        fd.sched.inline_most()

    assert_values([a, b], body, (a + b) * b)


def test_two_dimensional_blocks_with_remainders(device: str) -> None:
    x = make_tensor((37, 45), torch.float32, device)
    bias = make_tensor((45,), torch.float32, device, seed=1)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.add(tensors[0], tensors[1])
        y = fd.ops.relu(y)
        fd.add_output(y)
        y.split(1, 16)
        y.split(0, 4)
        y.reorder({1: 2, 2: 1})
        fd.sched.transform_like(y)
        for axis, kind in enumerate(("grid_y", "grid_x", "block_y", "block_x")):
            y.axis(axis).parallelize(getattr(ParallelType, kind))
        fd.sched.parallelize_like(y)
        fd.sched.inline_most()

    assert_values([x, bias], body, (x + bias).relu())


@pytest.mark.parametrize("shape", [(3, 1000), (17, 64), (1, 2), (64, 33)])
def test_reduction_over_threads(shape: tuple[int, int], device: str) -> None:
    x = make_tensor(shape, torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(fd.ops.mul(tensors[0], tensors[0]), [1])
        fd.add_output(total)
        total.split(1, 32)
        partial = total.rfactor([1])
        fd.sched.transform_like(partial)
        partial.axis(0).parallelize(ParallelType.grid_x)
        partial.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(partial)
        fd.sched.inline_most()

    assert_values([x], body, (x * x).sum(1))


@pytest.mark.parametrize("threads", [5, 8, 64])
@pytest.mark.parametrize("shape", [(3, 1000), (1, 7), (4, 513)])
def test_scan_divided_among_threads(shape: tuple[int, int], threads: int, device: str) -> None:
    x = make_tensor(shape, torch.float64, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        sums = fd.ops.cumsum(fd.ops.neg(tensors[0]), 1)
        y = fd.ops.mul(sums, tensors[0])
        fd.add_output(y)
        sums.split(1, 3)
        sums.split(1, threads)
        sums.split(1, 2)
        fd.sched.transform_like(sums)
        sums.axis(0).parallelize(ParallelType.grid_x)
        sums.axis(3).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(sums)
        fd.sched.inline_most()

    assert_values([x], body, (-x).cumsum(1) * x)


def test_scan_of_split_columns(device: str) -> None:
    x = make_tensor((50, 20), torch.float64, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        sums = fd.ops.cumsum(tensors[0], 0)
        fd.add_output(fd.ops.neg(sums))
        sums.split(1, 4)
        sums.split(0, 8)
        sums.reorder({2: 0, 0: 1, 1: 2})
        fd.sched.transform_like(sums)
        sums.axis(0).parallelize(ParallelType.grid_x)
        sums.axis(2).parallelize(ParallelType.block_y)
        fd.sched.parallelize_like(sums)
        fd.sched.inline_most()

    assert_values([x], body, -x.cumsum(0))


def test_scans_that_run_in_no_order(device: str) -> None:
    x = make_tensor((8, 32), torch.float32, device)

    def schedule(change: Callable[[Any], Any]) -> Body:
        def body(fd: FusionDefinition, tensors: list[Any]) -> None:
            sums = fd.ops.cumsum(tensors[0], 1)
            fd.add_output(sums)
            change(sums)

        return body

    def reordered(tv: Any) -> None:
        tv.split(1, 4)
        tv.reorder({1: 2})

    def merged(tv: Any) -> None:
        tv.merge(0, 1)

    def blocks(tv: Any) -> None:
        tv.reorder({1: 0})
        tv.axis(0).parallelize(ParallelType.grid_x)

    assert "in the order of its elements" in error_of(schedule(reordered), x)
    assert "one loop or split into several" in error_of(schedule(merged), x)
    assert "not to be divided among blocks" in error_of(schedule(blocks), x)


def test_reduction_over_blocks_by_rfactor(device: str) -> None:
    x = make_tensor((1000,), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(tensors[0], [0])
        fd.add_output(total)
        total.split(0, 8, inner_split=False)
        partial = total.rfactor([1])
        partial.axis(0).parallelize(ParallelType.grid_x)

    assert_values([x], body, x.sum())


@pytest.mark.parametrize("kind", ["serial", "block_x", "grid_x"])
@pytest.mark.parametrize("is_split", [False, True])
def test_rfactor_of_a_factored_reduction(is_split: bool, kind: str, device: str) -> None:
    x = make_tensor((3, 2, 3, 4) if not is_split else (3, 21), torch.float64, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(tensors[0], list(range(1, x.dim())))
        fd.add_output(total)
        if is_split:
            total.split(1, 8)
            total.split(2, 2)
        parts = total.rfactor([2, 3])
        pieces = parts.rfactor([3])
        assert [axis.is_reduction() for axis in pieces.get_loop_domain()] == [False] * 3 + [True]
        assert len(total.get_loop_domain()) == 2
        pieces.axis(2).parallelize(ParallelType.__members__[kind])

    assert_values([x], body, x.flatten(1).sum(1))


def test_normalization_of_rows_kept_in_shared_memory(device: str) -> None:
    x = make_tensor((6, 200), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        (t,) = tensors
        total = fd.ops.broadcast(fd.ops.sum(fd.ops.exp(t), [1]), [False, True])
        y = fd.ops.div(fd.ops.exp(t), total)
        fd.add_output(y)
        kept = t.cache_after()
        kept.set_memory_type(MemoryType.shared)
        y.split(1, 64)
        fd.sched.transform_like(y)
        y.axis(0).parallelize(ParallelType.grid_x)
        y.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(y)
        fd.sched.inline_most()

    assert_values([x], body, torch.softmax(x, 1))


@pytest.mark.parametrize("kinds", [("grid_x",), ("grid_y",), ("grid_x", "grid_y")])
@pytest.mark.parametrize("is_inlined", [False, True])
@pytest.mark.parametrize("shape", [(7, 33), (64, 2)])
def test_reductions_that_leave_nothing_to_a_block(
    kinds: tuple[str, ...], is_inlined: bool, shape: tuple[int, int], device: str
) -> None:
    x = make_tensor(shape, torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        doubled = fd.ops.mul(tensors[0], 2.0)
        dims = list(range(len(kinds)))
        sums, most = fd.ops.sum(doubled, dims), fd.ops.max(doubled, dims)
        fd.add_output(fd.ops.add(sums, 1.0))
        fd.add_output(most)
        for total in (sums, most):
            for axis, kind in enumerate(kinds):
                total.axis(axis).parallelize(getattr(ParallelType, kind))
        fd.sched.parallelize_like(sums, selected_tensors=[doubled])
        if is_inlined:
            fd.sched.inline_most()

    dims = list(range(len(kinds)))
    assert_values([x], body, (2 * x).sum(dims) + 1, (2 * x).amax(dims))


@pytest.mark.parametrize("vector", [1, 8])
@pytest.mark.parametrize("order", ["swizzle, allocate", "allocate, swizzle", "merge"])
@pytest.mark.parametrize("shape", [(64, 64), (70, 50)])
def test_shared_layouts_of_swizzled_domains(
    vector: int, order: str, shape: tuple[int, int], device: str
) -> None:
    """In memory the elements of a tile are swizzled, whatever loops run over it."""
    x = make_tensor(shape, torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.set(fd.ops.permute(tensors[0], [1, 0]))
        fd.add_output(y)
        tile = tensors[0].cache_after()
        tile.set_memory_type(MemoryType.shared)
        y.split(0, 32)
        y.split(2, 32)
        y.reorder({1: 2})
        fd.sched.transform_like(y)
        if vector > 1:
            # [a, b, 32, 32] -> [a, b, 8, 4, 4, 8]
            tile.split(-1, 8)
            tile.split(-3, 4)
            swizzled = (-4, -1)
        else:
            swizzled = (-2, -1)
        if order == "allocate, swizzle":
            tile.set_allocation_domain(tile.get_loop_domain(), True)
            tile.swizzle(*swizzled)
        else:
            tile.swizzle(*swizzled)
            tile.set_allocation_domain(tile.get_loop_domain(), True)
        if order == "merge":
            tile.merge(-2, -1)
            tile.split(-1, 16)
        for tensor in (y, tile):
            tensor.axis(0).parallelize(ParallelType.grid_x)
            tensor.axis(1).parallelize(ParallelType.grid_y)
            tensor.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(y, 2)
        fd.sched.inline_at(y, 2)

    assert_values([x], body, x.T)


@pytest.mark.parametrize("swizzle", [False, True])
def test_transpose_through_shared_memory(swizzle: bool, device: str) -> None:
    x = make_tensor((70, 50), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        (t,) = tensors
        y = fd.ops.permute(fd.ops.neg(t), [1, 0])
        fd.add_output(y)
        tile = t.cache_after()
        tile.set_memory_type(MemoryType.shared)
        y.split(1, 32)
        y.split(0, 32)
        y.reorder({1: 2, 2: 1})
        fd.sched.transform_like(y)
        if swizzle:
            tile.swizzle(-2, -1)
            tile.set_allocation_domain(tile.get_loop_domain(), True)
        tile.reorder({-1: -2})
        for tensor in (y, tile):
            tensor.axis(0).parallelize(ParallelType.grid_y)
            tensor.axis(1).parallelize(ParallelType.grid_x)
            tensor.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(y)
        fd.sched.inline_most()

    assert_values([x], body, -x.T)


def test_tensors_in_global_memory_inside_a_fusion(device: str) -> None:
    x = make_tensor((9, 40), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        a = fd.ops.exp(tensors[0])
        a.set_memory_type(MemoryType.__members__["global"])
        b = fd.ops.mul(a, 2.0)
        fd.add_output(b)
        b.split(1, 16)
        fd.sched.transform_like(b)
        b.axis(0).parallelize(ParallelType.grid_x)
        b.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(b)
        fd.sched.inline_at(b, 2)

    assert_values([x], body, x.exp() * 2)


def test_outputs_that_are_read_in_the_same_loops(device: str) -> None:
    x = make_tensor((9, 40), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        a = fd.ops.exp(tensors[0])
        b = fd.ops.mul(a, 2.0)
        fd.add_output(a)
        fd.add_output(b)
        b.merge(0, 1)
        b.split(0, 64)
        fd.sched.transform_like(b)
        b.axis(0).parallelize(ParallelType.grid_x)
        b.axis(1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(b)
        fd.sched.inline_most()

    assert_values([x], body, x.exp(), x.exp() * 2)


def test_update_in_place(device: str) -> None:
    x = make_tensor((300,), torch.float32, device)
    expected = x + 1

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.add(tensors[0], 1.0)
        fd.add_output(y, tensors[0])
        fd.add_output(fd.ops.mul(tensors[0], 2.0))
        y.split(0, 32)
        y.axis(1).parallelize(ParallelType.block_x)

    (doubled,) = scheduled([x], body).manual_execute([x])
    torch.testing.assert_close(x, expected)
    torch.testing.assert_close(doubled, (expected - 1) * 2)


@pytest.mark.parametrize("op_type", ["set", "cp_async", "tma", "load_matrix"])
def test_instructions_of_copies_have_the_same_values(op_type: str, device: str) -> None:
    x = make_tensor((128,), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        copy = tensors[0].cache_after(LoadStoreOpType.__members__[op_type])
        copy.set_memory_type(MemoryType.shared)
        fd.sched.inline_most()

    assert_values([x], body, -x)


def test_one_schedule_serves_other_sizes(device: str) -> None:
    x = make_tensor((30, 20), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.sum(tensors[0], [0])
        fd.add_output(y)
        y.split(0, 8)
        y.axis(1).parallelize(ParallelType.block_x)
        y.axis(2).parallelize(ParallelType.grid_x)

    fd = scheduled([x], body)
    for shape in ((30, 20), (1, 3), (100, 64), (0, 5), (4, 0)):
        other = make_tensor(shape, torch.float32, device)
        torch.testing.assert_close(fd.manual_execute([other])[0], other.sum(0))


# ------------------------------------------------------------------ primitives


def loop_extents(tensor: Any) -> list[str]:
    return [str(axis.extent()) for axis in tensor.get_loop_domain()]


def test_transforms_return_tensors_and_change_the_loops() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[6, 8], contiguity=True)
        y = fd.ops.neg(t)
        fd.add_output(y)
        assert y.split(1, 4) == y
        assert loop_extents(y) == ["6", "2", "4"]
        assert y.inner_split(0, 4) == y
        assert loop_extents(y) == ["2", "4", "2", "4"]
        assert y.outer_split(-1, 2) == y
        assert loop_extents(y) == ["2", "4", "2", "2", "2"]
        assert y.merge(0, 1) == y
        assert loop_extents(y) == ["8", "2", "2", "2"]
        assert y.reorder({0: -1}) == y
        assert loop_extents(y) == ["2", "2", "2", "8"]
        assert y.swizzle(0, 1) == y
        assert y.swizzle1d(0, ParallelType.mesh_x) == y
        assert loop_extents(y) == ["2", "2", "2", "8"]
        total = fd.ops.sum(t, [0, 1])
        fd.add_output(total)
        partial = total.rfactor([1])
        assert partial != total
        assert total.definition().input(0) == partial
        assert y.axis(-1) == y.get_loop_domain()[-1]


def test_copies_stand_between_tensors() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[6, 8], contiguity=True)
        a = fd.ops.neg(t)
        b = fd.ops.exp(t)
        fd.add_output(a)
        fd.add_output(b)
        copy = t.cache_after(cached_uses=[a.definition()])
        assert a.definition().input(0) == copy
        assert b.definition().input(0) == t
        before = b.cache_before()
        assert b.definition().input(0) == before
        assert before.definition().input(0) == t


def test_parallelize_like_what_no_output_depends_on() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[64], contiguity=True)
        unused = fd.ops.neg(t)
        a = fd.ops.exp(t)
        a.axis(0).parallelize(ParallelType.grid_x)
        problem = "T2_l.* no output depends on it; call add_output before the schedule"
        with pytest.raises(RuntimeError, match=problem):
            fd.sched.parallelize_like(a)
        fd.add_output(a)
        fd.sched.parallelize_like(a)
        with pytest.raises(RuntimeError, match="no output depends on it"):
            fd.sched.parallelize_like(unused)


def test_selections() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[64], contiguity=True)
        a = fd.ops.neg(t)
        b = fd.ops.exp(a)
        c = fd.ops.add(b, 1.0)
        fd.add_output(c)
        c.split(0, 8)
        fd.sched.transform_like(c, [b])
        assert loop_extents(b) == ["8", "8"]
        assert loop_extents(a) == ["64"]
        fd.sched.transform_like(c)
        c.axis(0).parallelize(ParallelType.grid_x)
        c.axis(1).parallelize(ParallelType.block_x)
        # The one in between passes on what it does not take.
        fd.sched.parallelize_like(c, -1, [a], {ParallelType.block_x})
        assert "blockIdx" not in str(a)
        assert "threadIdx.x" in str(a)
        assert "threadIdx.x" not in str(b)
        fd.sched.parallelize_like(c, 1)
        assert "blockIdx.x" in str(b)
        assert "threadIdx.x" not in str(b)
        fd.sched.inline_at(c, 1, selected_tensors=[b])
        assert "ca_pos( 1 )" in str(b)
        assert "ca_pos" not in str(a)
        fd.sched.inline_most([a])
        # All threads compute b for themselves, a is divided among them.
        assert "ca_pos( 1 )" in str(a)


def test_bounded_transform_backward() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[4, 64], contiguity=True)
        a = fd.ops.neg(t)
        b = fd.ops.exp(a)
        c = fd.ops.add(b, 1.0)
        d = fd.ops.mul(c, 2.0)
        fd.add_output(d)
        c.split(1, 8)
        c.split(0, 2)
        c.axis(0).parallelize(ParallelType.grid_x)
        fd.sched.bounded_transform_backward(c, -1, [b], True)
        assert loop_extents(b) == ["2", "2", "8", "8"]
        assert "blockIdx.x" in str(b)
        assert loop_extents(a) == loop_extents(d) == ["4", "64"]
        fd.sched.bounded_transform_backward(b, 1, [a])
        assert loop_extents(a) == ["2", "2", "64"]
        with pytest.raises(RuntimeError, match="is not computed from"):
            fd.sched.bounded_transform_backward(b, -1, [d])


# ------------------------------------------------------------------ errors


def define(fd: FusionDefinition) -> tuple[Any, Any, Any]:
    t = fd.define_tensor(shape=[-1, 32], contiguity=True)
    a = fd.ops.exp(t)
    b = fd.ops.neg(a)
    fd.add_output(b)
    return t, a, b


@pytest.mark.parametrize(
    ("transform", "message"),
    [
        (lambda t, a, b: b.split(2, 4), "out of boundary index 2"),
        (lambda t, a, b: b.split(0, 0), "positive split factor"),
        (lambda t, a, b: b.merge(0, 0), "two different axes"),
        (lambda t, a, b: b.merge(0, -3), "out of boundary index -3"),
        (lambda t, a, b: b.reorder({0: 1, 1: 1}), "Duplicate entries"),
        (lambda t, a, b: b.reorder({0: 2}), "out of boundary index 2"),
        (lambda t, a, b: b.swizzle(0, 1), "same constant extent"),
        (lambda t, a, b: b.swizzle1d(0, ParallelType.block_x), "dimension of a device mesh"),
        (lambda t, a, b: b.rfactor([0]), "result of a reduction"),
        (lambda t, a, b: b.cache_after(), "needs a tensor with consumers"),
        (lambda t, a, b: t.cache_before(), "needs a tensor that is computed"),
        (lambda t, a, b: t.cache_after(cached_uses=[b.definition()]), "not a use"),
        (lambda t, a, b: b.set_memory_type(MemoryType.shared), "an input or output"),
        (
            lambda t, a, b: b.set_allocation_domain([b.axis(0)], True),
            "make up the tensor",
        ),
        (lambda t, a, b: b.axis(2), "out of boundary index 2"),
        (
            lambda t, a, b: (b.axis(0).parallelize(ParallelType.grid_x), b.split(0, 4)),
            "parallelized domain",
        ),
    ],
)
def test_transforms_refuse(transform: Callable[..., Any], message: str) -> None:
    with FusionDefinition() as fd:
        tensors = define(fd)
        with pytest.raises(RuntimeError, match=message):
            transform(*tensors)


def test_merge_of_reduced_and_other_loops() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[4, 8], contiguity=True)
        total = fd.ops.sum(t, [1])
        fd.add_output(total)
        with pytest.raises(RuntimeError, match="Cannot merge a reduction"):
            total.merge(0, 1)
        with pytest.raises(RuntimeError, match="Cannot swizzle a reduced and another axis"):
            total.swizzle(0, 1)
        with pytest.raises(RuntimeError, match="at least one reduction axis"):
            total.rfactor([1])
        with pytest.raises(RuntimeError, match="takes reduction axes"):
            total.rfactor([0])


@pytest.mark.parametrize("is_split", [False, True])
@pytest.mark.parametrize("is_used", [False, True])
@pytest.mark.parametrize("columns", [7, 100, 1024])
def test_reduction_over_blocks(columns: int, is_used: bool, is_split: bool, device: str) -> None:
    """Each block reduces its part, and another kernel combines the parts."""
    x = make_tensor((6, columns), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(fd.ops.exp(tensors[0]), [1])
        fd.add_output(fd.ops.mul(total, 2.0) if is_used else total)
        total.split(1, 16)
        if is_split:
            total.split(1, 2)
        total.axis(0).parallelize(ParallelType.grid_x)
        total.axis(1).parallelize(ParallelType.grid_y)
        total.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.transform_like(total)
        fd.sched.parallelize_like(total)
        fd.sched.inline_most()

    expected = x.exp().sum(1)
    assert_values([x], body, 2 * expected if is_used else expected)


def test_columns_reduced_over_blocks(device: str) -> None:
    """Two results of the same blocks, of which one reads the other."""
    x = make_tensor((100, 8), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        largest = fd.ops.max(tensors[0], [0])
        shifted = fd.ops.sub(tensors[0], fd.ops.broadcast(largest, [True, False]))
        total = fd.ops.sum(fd.ops.exp(shifted), [0])
        fd.add_output(largest)
        fd.add_output(total)
        for result in (largest, total):
            result.split(0, 8)
            result.axis(0).parallelize(ParallelType.grid_y)
            result.axis(2).parallelize(ParallelType.block_x)

    assert_values([x], body, x.amax(0), (x - x.amax(0)).exp().sum(0))


def test_loops_of_threads_are_not_shared_with_others(device: str) -> None:
    """One tensor is computed by all threads for themselves, its consumer is divided among them."""
    x = make_tensor((5, 100), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.sum(fd.ops.exp(tensors[0]), [1])
        fd.add_output(total)
        loaded = tensors[0].cache_after()
        loaded.set_memory_type(MemoryType.shared)
        total.split(1, 16)
        partial = total.rfactor([1])
        fd.sched.transform_like(partial)
        partial.axis(0).parallelize(ParallelType.grid_x)
        partial.axis(-1).parallelize(ParallelType.block_x)
        fd.sched.parallelize_like(partial)
        loaded.axis(-1).parallelize(ParallelType.serial)
        fd.sched.inline_most()

    assert_values([x], body, x.exp().sum(1))


@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize("factors", [(2,), (3, 2)])
def test_pieces_of_broadcast_dimensions_in_reduced_loops(
    factors: tuple[int, ...], threads: bool, device: str
) -> None:
    x = make_tensor((2, 1), torch.float64, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        total = fd.ops.broadcast(fd.ops.sum(tensors[0], [0]), [True, False])
        y = fd.ops.add(total, tensors[0])
        fd.add_output(y)
        for axis, factor in enumerate(factors, start=1):
            y.split(axis, factor)
        y.merge(0, 2)
        fd.sched.transform_like(y)
        if threads:
            y.axis(0).parallelize(ParallelType.block_x)
            fd.sched.parallelize_like(y)

    assert_values([x], body, x.sum(0, keepdim=True) + x)


@pytest.mark.parametrize("rows", [1, 4])
@pytest.mark.parametrize("inner_split", [False, True])
@pytest.mark.parametrize("kind", ["grid_x", "block_x"])
def test_broadcast_rows_in_shared_memory(
    kind: str, inner_split: bool, rows: int, device: str
) -> None:
    x = make_tensor((1, 5), torch.float64, device)
    y = make_tensor((rows, 5), torch.float64, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        row = fd.ops.exp(tensors[0])
        z = fd.ops.add(fd.ops.tanh(row), tensors[1])
        fd.add_output(z)
        # Every block has the row, and one thread of it writes it.
        z.split(0, 3, inner_split=inner_split)
        fd.sched.transform_like(z)
        z.axis(int(inner_split)).parallelize(ParallelType.__members__[kind])
        fd.sched.parallelize_like(z)
        row.set_memory_type(MemoryType.shared)
        fd.sched.inline_most()

    assert_values([x, y], body, x.exp().tanh() + y)


def test_shared_loops_are_not_transformed() -> None:
    with FusionDefinition() as fd:
        _, a, b = define(fd)
        fd.sched.inline_at(b, 1)
        for change in (
            lambda: b.split(0, 4),
            lambda: a.merge(0, 1),
            lambda: b.reorder({0: 1}),
            lambda: fd.sched.transform_like(b),
        ):
            with pytest.raises(RuntimeError, match="before they are inlined"):
                change()
        b.split(1, 4)


def test_inline_at_of_operands_that_lack_dimensions(device: str) -> None:
    """Tiles of a product: operands share the loops of the rows or columns that they have."""
    a = make_tensor((24, 36), torch.float32, device)
    b = make_tensor((36, 40), torch.float32, device, seed=1)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        rows = fd.ops.broadcast(tensors[0], [False, False, True])
        columns = fd.ops.broadcast(tensors[1], [True, False, False])
        products = fd.ops.mul(rows, columns)
        product = fd.ops.sum(products, [1])
        fd.add_output(product)
        copies = [tensor.cache_after() for tensor in tensors]
        for copy in copies:
            copy.set_memory_type(MemoryType.shared)
        product.cache_before()
        product.split(0, 8)
        product.split(-1, 8)
        product.reorder({1: 2})
        for k, kind in enumerate(("grid_y", "grid_x", "block_y", "block_x")):
            product.axis(k).parallelize(getattr(ParallelType, kind))
        fd.sched.transform_like(product)
        fd.sched.parallelize_like(product)
        fd.sched.inline_at(product, 2)
        assert "ca_pos( 1 )" in str(copies[0])
        fd.sched.inline_most([rows, columns, products])

    assert_values([a, b], body, (a.double() @ b.double()).float())


def test_inline_at_refuses_loops_that_differ() -> None:
    with FusionDefinition() as fd:
        _, a, b = define(fd)
        b.split(1, 4)
        fd.sched.inline_at(b, -1, best_effort=True)
        assert "ca_pos( 1 )" in str(a)
        a.split(1, 8)
        with pytest.raises(RuntimeError, match="Cannot inline"):
            fd.sched.inline_at(b, 2)
        with pytest.raises(RuntimeError, match="Expected a position"):
            fd.sched.inline_at(b, 4)


def error_of(body: Body, *inputs: torch.Tensor) -> str:
    with pytest.raises(RuntimeError) as error:
        scheduled(list(inputs), body).manual_execute(list(inputs))
    return str(error.value)


def test_schedules_that_mean_nothing(device: str) -> None:
    x = make_tensor((8, 32), torch.float32, device)

    def twice(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.axis(0).parallelize(ParallelType.block_x)
        y.axis(1).parallelize(ParallelType.block_x)

    assert "one loop of" in error_of(twice, x)

    def matrix(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.axis(0).parallelize(ParallelType.mma)

    assert "matrix instruction" in error_of(matrix, x)

    def devices(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.axis(0).parallelize(ParallelType.mesh_x)

    assert "among devices" in error_of(devices, x)

    def vector(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.axis(1).parallelize(ParallelType.vectorize)

    assert "constant extent" in error_of(vector, x)

    def late(fd: FusionDefinition, tensors: list[Any]) -> None:
        a = fd.ops.neg(tensors[0])
        b = fd.ops.exp(a)
        fd.add_output(b)
        fd.sched.inline_most()
        a.cache_after().split(1, 8)

    assert "run over different indices" in error_of(late, x)


def test_one_writer_of_what_all_threads_of_a_loop_read(device: str) -> None:
    x = make_tensor((32,), torch.float32, device)
    y = make_tensor((8, 32), torch.float32, device, seed=1)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        row = fd.ops.broadcast(fd.ops.exp(tensors[0]), [True, False])
        total = fd.ops.add(row, tensors[1])
        fd.add_output(row)
        fd.add_output(total)
        fd.sched.transform_like(total)
        total.axis(0).parallelize(ParallelType.grid_x)
        fd.sched.parallelize_like(total)
        fd.sched.inline_most()

    assert "global memory" in error_of(body, x, y)


def test_manual_and_automatic_execution_exclude_each_other(device: str) -> None:
    x = make_tensor((8,), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        fd.add_output(fd.ops.neg(tensors[0]))

    fd = scheduled([x], body)
    fd.manual_execute([x])
    with pytest.raises(AssertionError, match="KernelExecutor already exists!"):
        fd.execute([x])
    fd = scheduled([x], body)
    fd.execute([x])
    with pytest.raises(AssertionError, match="FusionExecutorCache already exists!"):
        fd.manual_execute([x])
    with pytest.raises(NotImplementedError, match="Fusion does not exist!"):
        FusionDefinition().manual_execute([x])
    with FusionDefinition() as fd:
        pass
    with pytest.raises(NotImplementedError, match="Fusion is empty!"):
        fd.manual_execute([x])


def test_manual_validate(device: str) -> None:
    x = make_tensor((8, 4), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        fd.add_output(fd.ops.neg(tensors[0]))

    torch.testing.assert_close(scheduled([x], body).manual_validate([x], [-x])[0], -x)
    torch.testing.assert_close(scheduled([x], body).manual_validate([x])[0], -x)
    with pytest.raises(AssertionError):
        scheduled([x], body).manual_validate([x], [x])


# ------------------------------------------------------------------ executors and parameters


def test_kernel_executor(device: str) -> None:
    x = make_tensor((10,), torch.float32, device)
    fusion = nvfuser.Fusion()
    guard = nvfuser.FusionGuard(fusion)
    t = nvfuser.define_tensor([-1], True)
    fusion.add_input(t)
    y = nvfuser.ops.neg(t)
    fusion.add_output(y)
    del guard
    executor = KernelExecutor()
    assert not executor.is_compiled()
    with pytest.raises(RuntimeError, match="compile"):
        executor.run([x])
    executor.compile(fusion, [x])
    # What was compiled does not change.
    y.axis(0).parallelize(ParallelType.mma)
    assert executor.is_compiled()
    torch.testing.assert_close(executor.run([x])[0], -x)
    with pytest.raises(RuntimeError, match="already"):
        executor.compile(fusion, [x])
    with pytest.raises(RuntimeError, match="does not support the Fusion"):
        KernelExecutor().compile(nvfuser.Fusion())
    with pytest.raises(RuntimeError, match="matrix instruction"):
        KernelExecutor(fusion_id=1).compile(fusion)


def test_executor_cache_of_a_scheduled_fusion(device: str) -> None:
    x = make_tensor((10, 3), torch.float32, device)

    def body(fd: FusionDefinition, tensors: list[Any]) -> None:
        y = fd.ops.neg(tensors[0])
        fd.add_output(y)
        y.merge(0, 1)

    fusion = scheduled([x], body).fusion
    cache = nvfuser.FusionExecutorCache(fusion, auto_schedule=False)
    torch.testing.assert_close(cache.execute([x])[0], -x)
    assert "i0 * i2" in cache.get_most_recent_scheduled_ir()


def test_launch_params() -> None:
    params = LaunchParams()
    assert [params.gdimx, params.gdimy, params.gdimz] == [-1, -1, -1]
    params = LaunchParams(1, 2, 3, 4, 5, 6)
    assert [params.gdimx, params.gdimy, params.gdimz] == [1, 2, 3]
    assert [params.bdimx, params.bdimy, params.bdimz] == [4, 5, 6]
    params.bdimx = -1
    assert repr(params) == (
        "Launch Parameters: BlockDim.x = -1, BlockDim.y = 5, BlockDim.z = 6, "
        "GridDim.x = 1, GridDim.y = 2, GridDim.z = 3, Smem Size = 0\n"
    )


def test_compile_params() -> None:
    params = nvfuser.CompileParams()
    assert repr(params) == (
        "Compile Parameters: index_type = NotSet, maxrregcount = 255, enable_magic_zero = 1, "
        "enable_ptxas_verbose = 0, include_paths = "
    )
    params = nvfuser.CompileParams(index_type=DataType.Int32, maxrregcount=64, device=0)
    assert params.index_type == DataType.Int32
    params.index_type = None
    params.maxrregcount = 32
    params.device = None
    params.include_paths = ["a"]
    params.enable_magic_zero = False
    params.enable_ptxas_verbose = True
    assert params.include_paths == ["a"]
    with pytest.raises(RuntimeError, match="Expected index_type"):
        params.index_type = DataType.Float
    with pytest.raises(TypeError):
        nvfuser.CompileParams(DataType.Int)  # type: ignore[misc]
