"""Arrangements of devices in rows and columns."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from nvfuser import _C
from nvfuser.multidevice.communicator import own_rank

__all__ = ["DeviceMesh"]


class DeviceMesh(_C.DeviceMesh):
    """An arrangement of devices, each the one of the process with that rank.

    ``ParallelType.mesh_x`` goes along its last dimension, ``mesh_y`` along the one before and
    ``mesh_z`` along that before it.

    Parameters
    ----------
    devices : torch.Tensor or sequence of int
        Distinct ranks: integers of any shape, or a list for a mesh of one dimension.

    Raises
    ------
    RuntimeError
        If there are no ranks, negative ones, one twice, numbers that are not integers, or more
        than three dimensions.
    """

    def __init__(self, devices: torch.Tensor | Sequence[int]) -> None:
        if isinstance(devices, torch.Tensor):
            ranks = devices.detach().cpu()
        else:
            ranks = torch.tensor(list(devices), device="cpu")
        if ranks.numel() == 0 or ranks.dtype.is_floating_point or ranks.dtype.is_complex:
            raise RuntimeError(f"Expected the ranks of a mesh to be integers, but got {devices}")
        super().__init__(ranks.flatten().tolist(), list(ranks.shape))

    @classmethod
    def of(cls, native: _C.DeviceMesh) -> DeviceMesh:
        """Return a mesh that the native part knows."""
        return cls(torch.tensor(native._ranks).view(*native._shape))

    @property
    def shape(self) -> torch.Size:
        """The number of devices along each dimension."""
        return torch.Size(self._shape)

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
        if len(self.shape) != 1:
            raise RuntimeError(
                f"Expected a mesh of one dimension, but this one has the shape {[*self.shape]}"
            )
        extent = tensor.size(axis)
        if extent % self.size != 0:
            raise RuntimeError(
                f"Sharded axis must be evenly divisble by mesh, but dimension {axis} has the "
                f"extent {extent} and the mesh the size {self.size}"
            )
        rank = own_rank()
        index = self._ranks.index(rank) if rank in self._ranks else 0
        return tensor.chunk(self.size, axis)[index].contiguous()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, DeviceMesh)
            and self._shape == other._shape
            and self._ranks == other._ranks
        )

    def __hash__(self) -> int:
        return hash((*self._shape, *self._ranks))

    def __reduce__(self) -> tuple[type[DeviceMesh], tuple[torch.Tensor]]:
        return DeviceMesh, (torch.tensor(self._ranks).view(*self._shape),)
