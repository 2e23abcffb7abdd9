"""Several devices: meshes, tensors that are divided among them, and the processes that hold them.

A tensor with a mesh is divided along its loops that are parallelized along dimensions of the mesh.
Each process runs the part of the fusion that belongs to its device. nvfuser derives the necessary
communication, which goes through ``torch.distributed``.
"""

from nvfuser.multidevice.communicator import Communicator, own_rank
from nvfuser.multidevice.dtensor import execute_with_dtensors
from nvfuser.multidevice.executor import MultiDeviceExecutor, MultiDeviceExecutorParams
from nvfuser.multidevice.mesh import DeviceMesh
from nvfuser.multidevice.sharding import Sharding, output_shardings, shard_tensor

__all__ = [
    "Communicator",
    "DeviceMesh",
    "MultiDeviceExecutor",
    "MultiDeviceExecutorParams",
    "Sharding",
    "execute_with_dtensors",
    "output_shardings",
    "own_rank",
    "shard_tensor",
]
