"""Schedulers as functions: which one fits, what it chooses, and what its parameters change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

import nvfuser
from nvfuser import (
    CircularBufferOptions,
    ClusterDims,
    FusionDefinition,
    GemmTile,
    MatmulParams,
    MatMulTileOptions,
    MmaMacroArch,
    MmaMacroEncode,
    ParallelType,
    PointwiseParams,
    ReductionParams,
    SchedulerType,
    SupportedVectorization,
)

pytestmark = pytest.mark.no_round_trip


def add_exp(fd: FusionDefinition, t: Any) -> Any:
    return fd.ops.exp(fd.ops.add(t, 1.0))


def sum_exp(fd: FusionDefinition, t: Any) -> Any:
    return fd.ops.exp(fd.ops.sum(t, [1]))


def softmax(fd: FusionDefinition, t: Any) -> Any:
    return fd.ops.softmax(t, -1)


def rms_norm(fd: FusionDefinition, t: Any) -> Any:
    mean = fd.ops.broadcast(fd.ops.mean(fd.ops.mul(t, t), [1]), [False, True])
    return fd.ops.mul(t, fd.ops.rsqrt(fd.ops.add(mean, 1e-5)))


def outer_softmax(fd: FusionDefinition, t: Any) -> Any:
    return fd.ops.softmax(t, 0)


FUSIONS: list[tuple[Callable[..., Any], SchedulerType, Callable[..., torch.Tensor]]] = [
    (add_exp, SchedulerType.pointwise, lambda x: (x + 1).exp()),
    (sum_exp, SchedulerType.reduction, lambda x: x.sum(1).exp()),
    (softmax, SchedulerType.inner_persistent, lambda x: torch.softmax(x, -1)),
    (
        rms_norm,
        SchedulerType.inner_persistent,
        lambda x: x * (x.square().mean(1, keepdim=True) + 1e-5).rsqrt(),
    ),
    (outer_softmax, SchedulerType.outer_persistent, lambda x: torch.softmax(x, 0)),
]
ALL = list(SchedulerType.__members__.values())


def assert_close(output: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(output, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("body", "scheduler", "reference"), FUSIONS)
def test_one_scheduler_fits_and_its_schedule_is_right(
    body: Callable[..., Any],
    scheduler: SchedulerType,
    reference: Callable[..., torch.Tensor],
    device: str,
) -> None:
    x = make_tensor((8, 96), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(body(fd, fd.from_pytorch(x)))
        assert fd.fusion is not None
        for other in ALL:
            accepted, message = fd.sched.can_schedule(fd.fusion, other, [x])
            assert accepted == (other == scheduler)
            if not accepted:
                name = str(other).split(".")[-1]
                assert f"Scheduler _{name}_ ***rejected*** because :" in message
                with pytest.raises(
                    RuntimeError, match="Could not schedule fusion with the SchedulerType"
                ):
                    fd.sched.compute_heuristics(fd.fusion, other, [x])
        assert fd.sched.find_compatible_schedulers(fd.fusion, [x]) == [scheduler]
        params = fd.sched.schedule(fd.fusion, scheduler, [x])
        assert params.scheduler_type == scheduler
        with pytest.raises(RuntimeError, match="is scheduled already"):
            fd.sched.schedule(fd.fusion, scheduler, [x])
    assert_close(fd.manual_execute([x], params)[0], reference(x))


@pytest.mark.parametrize(("body", "scheduler", "reference"), FUSIONS)
def test_parameters_are_applied(
    body: Callable[..., Any],
    scheduler: SchedulerType,
    reference: Callable[..., torch.Tensor],
    device: str,
) -> None:
    x = make_tensor((8, 96), torch.float32, device)
    for variant in range(3):
        with FusionDefinition() as fd:
            fd.add_output(body(fd, fd.from_pytorch(x)))
            params = fd.sched.compute_heuristics(fd.fusion, scheduler, [x])
            if scheduler == SchedulerType.pointwise:
                assert isinstance(params, PointwiseParams)
                params.vectorization_factor = 2**variant
                params.unroll_factor_outer = variant + 1
            else:
                assert isinstance(params, ReductionParams)
                assert params.fastest_dim == (body is not outer_softmax)
                params.unroll_factor_top_of_vectorization = variant + 1
                params.unroll_factor_outer_reduction = variant + 1
                params.batches_per_block_inner_reduction += variant
            assert fd.sched.schedule(fd.fusion, scheduler, params) is None
        assert_close(fd.manual_execute([x])[0], reference(x))


def test_parameters_made_by_users(device: str) -> None:
    x = make_tensor((8, 96), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(add_exp(fd, fd.from_pytorch(x)))
        params = PointwiseParams()
        params.vectorization_factor = 4
        with pytest.raises(RuntimeError, match="Expected parameters of the scheduler reduction"):
            fd.sched.schedule(fd.fusion, SchedulerType.reduction, params)
        fd.sched.schedule(fd.fusion, SchedulerType.pointwise, params)
    assert_close(fd.manual_execute([x])[0], (x + 1).exp())
    with FusionDefinition() as fd:
        fd.add_output(add_exp(fd, fd.from_pytorch(x)))
        params.vectorization_factor = 3
        with pytest.raises(RuntimeError, match="power of two"):
            fd.sched.schedule(fd.fusion, SchedulerType.pointwise, params)
        with pytest.raises(RuntimeError, match="SchedulerType matmul"):
            fd.sched.schedule(fd.fusion, SchedulerType.matmul, MatmulParams())


def test_rejection_of_reductions_by_the_pointwise_scheduler(device: str) -> None:
    x = make_tensor((8, 96), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(sum_exp(fd, fd.from_pytorch(x)))
        accepted, message = fd.sched.can_schedule(fd.fusion, SchedulerType.pointwise, [x])
    assert not accepted
    assert message == (
        "Scheduler _pointwise_ ***rejected*** because : cannot find reference tensor"
    )


def test_arguments_are_checked(device: str) -> None:
    x = make_tensor((8, 96), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(add_exp(fd, fd.from_pytorch(x)))
        with pytest.raises(RuntimeError, match="Expected 1 inputs"):
            fd.sched.can_schedule(fd.fusion, SchedulerType.pointwise, [])
        with pytest.raises(RuntimeError, match="of rank"):
            fd.sched.find_compatible_schedulers(fd.fusion, [x[0]])


def attributes(params: Any) -> list[str]:
    return [
        name
        for name in dir(params)
        if not name.startswith("_") and not callable(getattr(params, name))
    ]


@pytest.mark.parametrize("kind", [PointwiseParams, ReductionParams, MatmulParams])
def test_attributes_are_writable_and_part_of_the_value(kind: Any) -> None:
    params = kind()
    for name in attributes(params):
        if name in ("scheduler_type", "lparams", "cparams"):
            continue
        other = kind()
        assert params == other
        assert hash(params) == hash(other) == other.hash()
        value = getattr(other, name)
        if isinstance(value, bool):
            changed: Any = not value
        elif isinstance(value, int):
            changed = value + 3
        elif isinstance(value, ParallelType):
            changed = ParallelType.block_z
        elif name in ("tile_sizes", "circular_buffer_options", "supported_vec_size"):
            changed = {
                "tile_sizes": MatMulTileOptions(GemmTile(1, 2, 3), GemmTile(4, 5, 6)),
                "circular_buffer_options": CircularBufferOptions(True, True, 3, 2),
                "supported_vec_size": SupportedVectorization(1, 2, 4),
            }[name]
        elif name == "cluster_dims":
            changed = ClusterDims(2, 2)
        elif name == "mma_macro":
            changed = MmaMacroEncode(MmaMacroArch.hopper, 64, 8, 16).mma_macro()
        else:
            changed = list(type(value).__members__.values())[-1 if value.value == 0 else 0]
        setattr(other, name, changed)
        assert repr(getattr(other, name)) == repr(changed)
        assert params != other
        assert name in repr(other)
    other = kind()
    other.lparams.bdimx = 128
    assert other.lparams.bdimx == 128
    assert params != other
    other = kind()
    other.cparams = nvfuser.CompileParams(maxrregcount=32)
    assert params != other
    with pytest.raises(AttributeError):
        params.scheduler_type = SchedulerType.none
    with pytest.raises(TypeError):
        nvfuser.HeuristicParams()


def test_parts_of_matmul_params() -> None:
    tile = GemmTile(m=1, n=2, k=3)
    assert repr(tile) == "GemmTile(m=1, n=2, k=3)"
    tile.m, tile.n, tile.k = 4, 5, 6
    options = MatMulTileOptions(cta_tile=tile, warp_tile=GemmTile(1, 1, 1))
    assert options.cta_tile.m == 4
    options.warp_tile = tile
    assert "warp_tile=GemmTile(m=4, n=5, k=6)" in repr(options)
    buffers = CircularBufferOptions(True, False, 4, 2)
    assert buffers.circular_buffer_smem_write
    assert not buffers.circular_buffer_smem_read
    assert buffers.smem_circular_buffer_stage == 4
    assert buffers.smem_circular_buffer_prefetch_gap == 2
    assert "smem_circular_buffer_stage=4" in repr(buffers)
    sizes = SupportedVectorization(a=8, b=4, epilogue=2)
    assert (sizes.a, sizes.b, sizes.epilogue) == (8, 4, 2)
    macro = MmaMacroEncode(MmaMacroArch.ampere, 16, 8, 16)
    macro.k = 8
    assert macro.mma_macro().arch == MmaMacroArch.ampere
    assert (macro.mma_macro().m, macro.mma_macro().n, macro.mma_macro().k) == (16, 8, 8)
    dims = ClusterDims(m=2, n=1)
    assert (dims.m, dims.n) == (2, 1)


# ------------------------------------------------------------------ mappings between domains


def test_mapping_the_inputs_of_equal_reshapes_maps_what_is_made_of_them() -> None:
    with FusionDefinition() as fd:
        inputs = [fd.define_tensor(shape=[4, 8], contiguity=True) for _ in range(2)]
        outputs = [fd.ops.reshape(t, [8, 4]) for t in inputs]
        for output in outputs:
            fd.add_output(output)
    model = nvfuser.idm.IdModel(fd.fusion)
    graph = model.maybe_build_graph(nvfuser.IdMappingMode.exact)
    sets = graph.disjoint_val_sets()

    def parts(tensor: Any) -> list[Any]:
        merged = tensor.get_root_domain()[0].uses()[0].output(0)
        return [*tensor.get_root_domain(), merged, *tensor.get_loop_domain()]

    for a, b in zip(parts(outputs[0]), parts(outputs[1]), strict=True):
        assert not sets.strict_are_mapped(a, b)
    for a, b in zip(*(t.get_logical_domain() for t in inputs), strict=True):
        graph.map_vals(a, b)
    for a, b in zip(parts(outputs[0]), parts(outputs[1]), strict=True):
        assert sets.strict_are_mapped(a, b)
    assert not sets.strict_are_mapped(parts(outputs[0])[0], parts(outputs[0])[1])
    assert "disjoint sets{" in str(sets)
    assert "Merge" in str(graph)
    assert "exact" in str(model)


def test_modes_of_mapping() -> None:
    with FusionDefinition() as fd:
        row = fd.define_tensor(shape=[8], contiguity=True)
        x = fd.define_tensor(shape=[4, 8], contiguity=True)
        wide = fd.ops.broadcast(row, [True, False])
        y = fd.ops.add(wide, x)
        fd.add_output(y)
        fd.sched.transform_like(y)
        fd.sched.inline_most()
    model = nvfuser.idm.IdModel(fd.fusion, build_graphs=True, allow_self_mapping=False)

    def mapped(mode: str, a: Any, b: Any) -> bool:
        graph = model.maybe_build_graph(nvfuser.IdMappingMode.__members__[mode])
        return bool(graph.disjoint_val_sets().strict_are_mapped(a, b))

    narrow, concrete = wide.get_logical_domain()[0], y.get_logical_domain()[0]
    assert not mapped("exact", narrow, concrete)
    assert mapped("broadcast", narrow, concrete)
    assert mapped("exact", row.get_logical_domain()[0], y.get_logical_domain()[1])
    assert mapped("loop", wide.axis(0), y.axis(0))
    with FusionDefinition() as other:
        t = other.define_tensor(shape=[3], contiguity=True)
    with pytest.raises(RuntimeError, match="is in no set"):
        mapped("exact", t.axis(0), concrete)
