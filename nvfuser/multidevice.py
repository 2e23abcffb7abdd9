"""Processes that work together: who they are, meshes of their devices, and replicated DTensors.

Every process runs its own fusions; nothing here moves data between them. Fusions whose tensors are
split over devices are not available yet.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from nvfuser.needs_torch import needs_torch

needs_torch("nvfuser.multidevice")

import torch  # noqa: E402

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor

    from nvfuser.definition import FusionDefinition

__all__ = ["Communicator", "DeviceMesh", "execute_with_dtensors"]

# Rank, number of processes, and the same on this host, as launchers say them to each process.
_LAUNCHERS = (
    (
        "OMPI_COMM_WORLD_RANK",
        "OMPI_COMM_WORLD_SIZE",
        "OMPI_COMM_WORLD_LOCAL_RANK",
        "OMPI_COMM_WORLD_LOCAL_SIZE",
    ),
    ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"),
    ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"),
)


class Communicator:
    """What this process is among those that work together.

    Ranks come from the environment that Open MPI, torchrun or Slurm set, the first of these whose
    variables are all there. A process of none of them is the only one.
    """

    _instance: Communicator | None = None

    def __init__(self) -> None:
        self._rank, self._size, self._local_rank, self._local_size = 0, 1, 0, 1
        for names in _LAUNCHERS:
            if all(name in os.environ for name in names):
                numbers = (int(os.environ[name]) for name in names)
                self._rank, self._size, self._local_rank, self._local_size = numbers
                break

    @staticmethod
    def instance() -> Communicator:
        """Return the communicator of this process."""
        if Communicator._instance is None:
            Communicator._instance = Communicator()
        return Communicator._instance

    def size(self) -> int:
        """Return the number of processes."""
        return self._size

    def rank(self) -> int:
        """Return the number of this process."""
        return self._rank

    def local_size(self) -> int:
        """Return the number of processes on this host."""
        return self._local_size

    def local_rank(self) -> int:
        """Return the number of this process on this host."""
        return self._local_rank

    def barrier(self) -> None:
        """Wait until all processes are here.

        Raises
        ------
        RuntimeError
            If there are several, and ``torch.distributed`` has not been initialized.
        """
        if self._size == 1:
            return
        if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
            raise RuntimeError(
                f"A barrier of {self._size} processes needs torch.distributed: call "
                "torch.distributed.init_process_group() in each"
            )
        torch.distributed.barrier()


class DeviceMesh:
    """An arrangement of devices, each the one of the process with that rank.

    Parameters
    ----------
    devices : torch.Tensor or sequence of int
        Distinct ranks: integers of any shape, or a list for a mesh of one dimension.

    Raises
    ------
    RuntimeError
        If there are no ranks, negative ones, one twice, or numbers that are not integers.
    """

    def __init__(self, devices: torch.Tensor | Sequence[int]) -> None:
        if isinstance(devices, torch.Tensor):
            ranks = devices.detach().cpu()
        else:
            ranks = torch.tensor(list(devices), device="cpu")
        if ranks.numel() == 0 or ranks.dtype.is_floating_point or ranks.dtype.is_complex:
            raise RuntimeError(f"Expected the ranks of a mesh to be integers, but got {devices}")
        self._ranks = ranks.to(torch.int64).clone()
        flat = self._ranks.flatten().tolist()
        if len(set(flat)) != len(flat) or min(flat) < 0:
            raise RuntimeError(
                f"Expected the ranks of a mesh to be distinct and not negative, but got {flat}"
            )

    @property
    def size(self) -> int:
        """The number of devices."""
        return int(self._ranks.numel())

    @property
    def shape(self) -> torch.Size:
        """The number of devices along each dimension."""
        return self._ranks.shape

    def shard_tensor(self, tensor: torch.Tensor, axis: int) -> torch.Tensor:
        """Return what of `tensor` belongs to this process.

        Parameters
        ----------
        tensor : torch.Tensor
            The whole tensor.
        axis : int
            The dimension that is split.

        Returns
        -------
        torch.Tensor
            The chunk with the number of this process in the mesh, contiguous; the first chunk if
            the process is not in the mesh.

        Raises
        ------
        RuntimeError
            If the mesh does not have one dimension, or the extent is no multiple of its size.
        """
        if self._ranks.dim() != 1:
            raise RuntimeError(
                f"Expected a mesh of one dimension, but this one has the shape {[*self.shape]}"
            )
        extent = tensor.size(axis)
        if extent % self.size != 0:
            raise RuntimeError(
                f"Sharded axis must be evenly divisble by mesh, but dimension {axis} has the "
                f"extent {extent} and the mesh the size {self.size}"
            )
        flat: list[int] = self._ranks.tolist()
        rank = Communicator.instance().rank()
        index = flat.index(rank) if rank in flat else 0
        return tensor.chunk(self.size, axis)[index].contiguous()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceMesh) and torch.equal(self._ranks, other._ranks)

    def __hash__(self) -> int:
        return hash((self.shape, *self._ranks.flatten().tolist()))

    def __repr__(self) -> str:
        text = str(self._ranks.tolist()).replace("], [", "}{")
        return "DeviceMesh" + text.translate({ord("["): "{", ord("]"): "}", ord(","): None})


def execute_with_dtensors(fd: FusionDefinition, in_dtensors: Iterable[DTensor]) -> list[DTensor]:
    """Run a fusion on distributed tensors that every device has a copy of.

    Parameters
    ----------
    fd : FusionDefinition
        The definition, of tensors of the whole shapes.
    in_dtensors : iterable of torch.distributed.tensor.DTensor
        Its inputs, on the same mesh of one dimension, and replicated.

    Returns
    -------
    list of torch.distributed.tensor.DTensor
        The outputs, on that mesh and replicated.

    Raises
    ------
    AssertionError
        If there are no inputs, or their meshes differ or have several dimensions.
    NotImplementedError
        If an input is split over devices, or a partial result.
    """
    from torch.distributed.tensor import DTensor, Replicate

    inputs = list(in_dtensors)
    assert inputs, "execute_with_dtensors needs an input: it says on which mesh the fusion runs"
    mesh = inputs[0].device_mesh
    for position, dtensor in enumerate(inputs):
        assert dtensor.device_mesh.mesh_dim_names == mesh.mesh_dim_names, (
            f"Expected all inputs to have the names {mesh.mesh_dim_names} of mesh dimensions, but "
            f"those of input {position} are {dtensor.device_mesh.mesh_dim_names}"
        )
        assert dtensor.device_mesh == mesh, (
            f"Expected all inputs to be on {mesh}, but input {position} is on {dtensor.device_mesh}"
        )
        if not all(placement.is_replicate() for placement in dtensor.placements):
            raise NotImplementedError(
                f"Input {position} has the placements {dtensor.placements}: fusions of tensors "
                "that are split over devices are not available yet, only of replicated ones; "
                "pass x.redistribute(placements=[Replicate()])"
            )
        if dtensor.requires_grad and torch.is_grad_enabled():
            # Its local tensor does not know that it is to be differentiated.
            raise RuntimeError(
                f"Input {position} is to be differentiated: it requires grad while grad mode is "
                "on. Fusions are not differentiated, so that gradients would be wrong without a "
                "word. Run the fusion under torch.no_grad(), or pass x.detach()"
            )
    assert mesh.ndim == 1, f"Expected a mesh of one dimension, but got {mesh}"
    outputs = fd.execute([_local(dtensor) for dtensor in inputs])
    # No check: each process would have to talk to all others.
    return [DTensor.from_local(output, mesh, [Replicate()], run_check=False) for output in outputs]


def _local(dtensor: DTensor) -> torch.Tensor:
    with torch.no_grad():
        local: torch.Tensor = dtensor.to_local()
    # What a collective operation is still writing waits for itself before it is read.
    if isinstance(local, torch.distributed._functional_collectives.AsyncCollectiveTensor):
        local = local.wait()
    return local
