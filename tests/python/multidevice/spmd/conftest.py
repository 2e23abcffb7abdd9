"""Every process of a launcher runs these tests, in the same order.

``torchrun --nproc-per-node=2 -m pytest -o python_files='spmd_*.py' tests/python/multidevice/spmd``
runs them by NCCL where every process has a GPU, and by gloo on CPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import torch
import torch.distributed as dist

from nvfuser.multidevice import Communicator


@pytest.fixture(scope="session", autouse=True)
def processes() -> Iterator[None]:
    us = Communicator.instance()
    if torch.cuda.device_count() >= us.local_size():
        torch.cuda.set_device(us.local_rank())
        backend = "nccl"
    else:
        backend = "gloo"
    dist.init_process_group(backend, timeout=timedelta(seconds=30))
    torch.set_num_threads(1)
    yield
    dist.destroy_process_group()


@pytest.fixture(scope="session")
def device() -> torch.device:
    if dist.get_backend() == "nccl":
        return torch.device("cuda", torch.cuda.current_device())
    return torch.device("cpu")


@pytest.fixture(scope="session")
def size() -> int:
    return dist.get_world_size()
