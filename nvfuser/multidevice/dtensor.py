"""Fusions of DTensors, the distributed tensors of torch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import torch

from nvfuser import _C
from nvfuser.multidevice.collectives import adopt_group
from nvfuser.multidevice.mesh import DeviceMesh
from nvfuser.multidevice.sharding import Sharding, output_shardings

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor
    from torch.distributed.tensor.placement_types import Placement

    from nvfuser.definition import FusionDefinition

__all__ = ["execute_with_dtensors"]


def execute_with_dtensors(fd: FusionDefinition, in_dtensors: Iterable[DTensor]) -> list[DTensor]:
    """Run a fusion on distributed tensors.

    Parameters
    ----------
    fd : FusionDefinition
        The definition, of tensors of the whole shapes. Those that have no mesh in it are divided as
        follows from the inputs.
    in_dtensors : iterable of torch.distributed.tensor.DTensor
        Its inputs, on the same mesh, each ``Shard``, ``Replicate`` or ``Partial`` (a sum) along its
        dimensions.

    Returns
    -------
    list of torch.distributed.tensor.DTensor
        The outputs, on that mesh, ``Shard`` or ``Replicate`` as was computed.

    Raises
    ------
    AssertionError
        If there are no inputs, or their meshes differ.
    NotImplementedError
        If an input has other placements.
    TypeError
        If an input is no DTensor.
    RuntimeError
        If an input is not divided evenly, is to be differentiated, or is divided in another way
        than the definition says.
    """
    from torch.distributed.tensor import DTensor

    inputs = list(in_dtensors)
    assert inputs, "execute_with_dtensors needs an input: it says on which mesh the fusion runs"
    for position, value in enumerate(inputs):
        if not isinstance(value, DTensor):
            raise TypeError(
                f"Expected input {position} to be a DTensor, but got a {type(value).__name__}: use "
                "fd.execute for tensors that are not distributed"
            )
    mesh = inputs[0].device_mesh
    for position, dtensor in enumerate(inputs):
        assert dtensor.device_mesh.mesh_dim_names == mesh.mesh_dim_names, (
            f"Expected all inputs to have the names {mesh.mesh_dim_names} of mesh dimensions, but "
            f"those of input {position} are {dtensor.device_mesh.mesh_dim_names}"
        )
        assert dtensor.device_mesh == mesh, (
            f"Expected all inputs to be on {mesh}, but input {position} is on {dtensor.device_mesh}"
        )
        if dtensor.requires_grad and torch.is_grad_enabled():
            # Its local tensor does not know that it is to be differentiated.
            raise RuntimeError(
                f"Input {position} is to be differentiated: it requires grad while grad mode is "
                "on. Fusions are not differentiated, so that gradients would be wrong without a "
                "word. Run the fusion under torch.no_grad(), or pass x.detach()"
            )
    executor = _executor_for(fd, mesh, inputs)
    try:
        outputs = executor.execute([_local(dtensor) for dtensor in inputs])
    except RuntimeError as error:
        executor._explain(error)
        raise
    shardings = output_shardings(executor)
    axes = _axes_of(mesh)
    # No check: each process would have to talk to all others.
    return [
        DTensor.from_local(output, mesh, _placements(sharding, axes), run_check=False)
        for output, sharding in zip(outputs, shardings, strict=True)
    ]


def _axes_of(mesh: Any) -> list[_C.ParallelType]:
    """Return the parallel types of the dimensions of a mesh of torch."""
    kinds = [_C.ParallelType.mesh_z, _C.ParallelType.mesh_y, _C.ParallelType.mesh_x]
    if mesh.ndim > len(kinds):
        raise NotImplementedError(f"Expected a mesh of at most 3 dimensions, but got {mesh}")
    return kinds[len(kinds) - mesh.ndim :]


def _executor_for(fd: FusionDefinition, mesh: Any, inputs: list[DTensor]) -> _C.FusionExecutorCache:
    """Return the executor of a definition for inputs that are placed like these."""
    key = (mesh, tuple(dtensor.placements for dtensor in inputs))
    known: dict[Any, _C.FusionExecutorCache] = fd.__dict__.setdefault("_dtensor_executors", {})
    executor = known.get(key)
    if executor is None:
        native = DeviceMesh(mesh.mesh)
        for number in range(mesh.ndim):
            adopt_group(mesh.get_group(number))
        axes = _axes_of(mesh)
        divisions = [
            (native, *_division(position, dtensor, axes)) for position, dtensor in enumerate(inputs)
        ]
        executor = known[key] = _C._divided_executor(fd._defined(), divisions)
    for position, dtensor in enumerate(inputs):
        _check_evenness(position, dtensor)
    return executor


def _division(
    position: int, dtensor: DTensor, axes: list[_C.ParallelType]
) -> tuple[list[list[_C.ParallelType]], list[_C.ParallelType]]:
    """Return the axes that each dimension is divided along, and those along which it is a sum."""
    from torch.distributed.tensor import Partial, Replicate, Shard

    along: list[list[_C.ParallelType]] = [[] for _ in range(dtensor.dim())]
    sums = []
    for axis, placement in zip(axes, dtensor.placements, strict=True):
        if type(placement) is Shard:
            along[placement.dim].append(axis)
        elif type(placement) is Partial and placement.reduce_op == "sum":
            sums.append(axis)
        elif type(placement) is not Replicate:
            raise NotImplementedError(
                f"Input {position} has the placements {dtensor.placements}: expected Shard(dim), "
                "Replicate() or Partial('sum') for each dimension of the mesh; pass "
                "x.redistribute(placements=...)"
            )
    return along, sums


def _check_evenness(position: int, dtensor: DTensor) -> None:
    sizes = list(dtensor.shape)
    for number, placement in enumerate(dtensor.placements):
        if placement.is_shard():
            dim = placement.dim
            devices = dtensor.device_mesh.size(number)
            if sizes[dim] % devices != 0:
                raise RuntimeError(
                    "Sharded axis must be evenly divisble by mesh, but input "
                    f"{position} of the shape {[*dtensor.shape]} is placed {dtensor.placements} on "
                    f"{dtensor.device_mesh}"
                )
            sizes[dim] //= devices


def _placements(sharding: Sharding, axes: list[_C.ParallelType]) -> list[Placement]:
    from torch.distributed.tensor import Replicate, Shard

    dims = [sharding.axis_sharded_on(axis) for axis in axes]
    return [Replicate() if dim == -1 else Shard(dim) for dim in dims]


def _local(dtensor: DTensor) -> torch.Tensor:
    with torch.no_grad():
        local: torch.Tensor = dtensor.to_local()
    # What a collective operation is still writing waits for itself before it is read.
    if isinstance(local, torch.distributed._functional_collectives.AsyncCollectiveTensor):
        local = local.wait()
    return local
