"""MultiDeviceExecutor: runs a fusion as it is, on the devices that it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch

from nvfuser import _C

__all__ = ["MultiDeviceExecutor", "MultiDeviceExecutorParams"]


@dataclass
class MultiDeviceExecutorParams:
    """Wishes about how a fusion is run.

    The attributes exist for compatibility with nvFuser's bindings and have no effect. Memory comes
    from torch's allocator, streams from ``torch.distributed``, and the backend from the process
    group.

    Attributes
    ----------
    use_allocation_cache : bool
    number_of_streams : int
    backend_type : CommunicatorBackend
    offset_stream_indexing_by_rank : bool
    inter_stream_synchronization : bool
    """

    use_allocation_cache: bool = False
    number_of_streams: int = 4
    backend_type: _C.CommunicatorBackend = _C.CommunicatorBackend.nccl
    offset_stream_indexing_by_rank: bool = False
    inter_stream_synchronization: bool = False


class MultiDeviceExecutor:
    """Runs a fusion whose tensors are divided among devices.

    Parameters
    ----------
    fusion : Fusion
        A finished definition, whose tensors have meshes. It is not changed.
    params : MultiDeviceExecutorParams, optional

    Raises
    ------
    RuntimeError
        If the tensors' loops divide them among the devices in contradictory ways.
    """

    def __init__(self, fusion: _C.Fusion, params: MultiDeviceExecutorParams | None = None) -> None:
        self.params = MultiDeviceExecutorParams() if params is None else params
        self._executor = _C.FusionExecutorCache(_C._copy_of(fusion))

    def run(self, args: Iterable[object]) -> list[torch.Tensor]:
        """Return the outputs for inputs of which each process passes its part."""
        outputs: list[torch.Tensor] = self._executor.execute(args)
        return outputs

    def __str__(self) -> str:
        """Return the program of this process: operations on its parts, and what is sent."""
        return _C._local_fusion(self._executor).print_math()
