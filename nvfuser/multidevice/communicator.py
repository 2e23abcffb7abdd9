"""Who this process is among those that work together."""

from __future__ import annotations

import os

from nvfuser.needs_torch import needs_torch

needs_torch("nvfuser.multidevice")

import torch  # noqa: E402

__all__ = ["Communicator", "own_rank"]

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


def own_rank() -> int:
    """Return the number of this process: in torch.distributed, else as its launcher says."""
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return int(torch.distributed.get_rank())
    return Communicator.instance().rank()
