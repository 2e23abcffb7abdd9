"""How tensors are divided among the devices of a mesh."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from nvfuser import _C
from nvfuser.multidevice.communicator import own_rank
from nvfuser.multidevice.mesh import DeviceMesh

__all__ = ["Sharding", "output_shardings", "shard_tensor"]

# The index along a dimension in parts, the outermost first: (dimension of the mesh, 0) is the
# device's position along it, (serial, extent) counts elements on a device, -1 as many as are left.
_Dimension = list[tuple[_C.ParallelType, int]]


@dataclass(frozen=True)
class Sharding:
    """How a tensor is divided.

    Attributes
    ----------
    mesh : DeviceMesh
        The devices that have a part of it.
    """

    mesh: DeviceMesh
    _dimensions: list[_Dimension]

    @classmethod
    def _of(cls, described: tuple[_C.DeviceMesh, list[_Dimension]]) -> Sharding:
        mesh, dimensions = described
        return cls(DeviceMesh.of(mesh), dimensions)

    def axis_sharded_on(self, parallel_type: _C.ParallelType) -> int:
        """Return the dimension that is divided along a dimension of the mesh.

        Parameters
        ----------
        parallel_type : ParallelType
            ``mesh_x``, ``mesh_y`` or ``mesh_z``.

        Returns
        -------
        int
            A dimension of the whole tensor, counted from 0; -1 if the devices along this dimension
            of the mesh have equal parts.
        """
        for axis, factors in enumerate(self._dimensions):
            if any(found == parallel_type for found, _ in factors):
                return axis
        return -1

    def part_of(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the part of a whole tensor that belongs to the device of this process.

        Parameters
        ----------
        tensor : torch.Tensor
            A tensor with as many dimensions as the sharding.

        Returns
        -------
        torch.Tensor
            Contiguous. Processes outside of the mesh get the part of the first device.

        Raises
        ------
        RuntimeError
            If the number of dimensions differs, or an extent cannot be divided evenly.
        """
        if len(self._dimensions) != tensor.dim():
            raise RuntimeError(
                f"Expected a tensor of {len(self._dimensions)} dimensions, but got one of the "
                f"shape {[*tensor.shape]}"
            )
        rank = own_rank()
        for axis, factors in enumerate(self._dimensions):
            if factors:
                tensor = _part_of(tensor, axis, factors, self.mesh, rank)
        return tensor.contiguous()

    def __repr__(self) -> str:
        dimensions = (
            "*".join(
                str(extent) if kind == _C.ParallelType.serial else kind.name
                for kind, extent in factors
            ).replace("-1", "-")
            or "-"
            for factors in self._dimensions
        )
        return f"Sharding({self.mesh!r}, [{', '.join(dimensions)}])"


def output_shardings(executor: _C.FusionExecutorCache) -> list[Sharding]:
    """Return how the outputs of an executor are divided, none without meshes."""
    return [Sharding._of(each) for each in _C._output_layouts(executor)]


def shard_tensor(tensor: torch.Tensor, tv: _C.TensorView) -> torch.Tensor:
    """Return the part of a tensor that belongs to the device of this process.

    Parameters
    ----------
    tensor : torch.Tensor
        The whole tensor.
    tv : TensorView
        The tensor in a definition. It has a mesh, and its loops describe how it is divided.

    Returns
    -------
    torch.Tensor
        Contiguous. Processes outside of the mesh get the part of the first device.

    Raises
    ------
    RuntimeError
        If `tv` has no mesh or a different number of dimensions, or is not divided evenly.
    """
    described = _C._layout_of(tv)
    if described is None:
        raise RuntimeError(f"Expected a tensor that has a mesh, but got {tv}: call set_device_mesh")
    return Sharding._of(described).part_of(tensor)


def _part_of(
    tensor: torch.Tensor, dim: int, factors: _Dimension, mesh: _C.DeviceMesh, rank: int
) -> torch.Tensor:
    # The dimension, as its parts.
    serial = _C.ParallelType.serial
    shape = [extent if kind == serial else mesh._extent(kind) for kind, extent in factors]
    known = math.prod(max(extent, 1) for extent in shape)
    devices = math.prod(mesh._extent(kind) for kind, _ in factors if kind != serial)
    if tensor.size(dim) % known != 0:
        raise RuntimeError(
            f"Sharded axis must be evenly divisble by mesh, but dimension {dim} has the extent "
            f"{tensor.size(dim)}, which {known} does not divide"
        )
    shape = [tensor.size(dim) // known if extent == -1 else extent for extent in shape]
    parts = tensor.reshape(*tensor.shape[:dim], *shape, *tensor.shape[dim + 1 :])
    for number in reversed(range(len(factors))):
        kind = factors[number][0]
        if kind != serial:
            coordinate = mesh._coordinate(rank, kind) if rank in mesh._ranks else 0
            parts = parts.select(dim + number, coordinate)
    own = tensor.size(dim) // devices
    return parts.reshape(*tensor.shape[:dim], own, *tensor.shape[dim + 1 :])
