"""Memory of the GPUs of one host that their processes have mapped: torch's symmetric memory.

Kernels read small sums over devices from there (``src/multidevice/exchange.h``). It is made once
for each group of ranks, when the first of its fusions with such a sum is compiled, and stays: a
fusion that was compiled for it may run at any time.
"""

from __future__ import annotations

import os
import socket
import threading
from datetime import timedelta
from typing import Any, NamedTuple

import torch
import torch.distributed as dist

from nvfuser import _C
from nvfuser.multidevice.collectives import group_of_team

__all__ = ["PeerMemory", "peer_memory"]

# Of one of the two buffers. Larger sums are faster as collectives.
_CAPACITY = 4 << 20
# As many have flags in the memory's header, see ``cuda/library/exchange.cuh``.
_MOST_BLOCKS = 256
_MOST_MEMBERS = 16
# Of a group that does not say.
_TIME_LIMIT = timedelta(minutes=10)


class PeerMemory(NamedTuple):
    """Memory of each member of a team, as this process has mapped it.

    Attributes
    ----------
    addresses : list of int
        Of the memory of each, in the order of the team.
    own : int
        The number of this process among them.
    capacity : int
        Bytes of one buffer.
    blocks : int
        Blocks of a kernel that copy what this process has, at most: all of them run at once.
    time_limit : int
        Nanoseconds that a kernel waits for the others.
    """

    addresses: list[int]
    own: int
    capacity: int
    blocks: int
    time_limit: int


_lock = threading.Lock()
# By the ranks, in the order of the team; None for those that have none. Tensors keep the memory.
_known: dict[tuple[int, ...], tuple[PeerMemory, Any] | None] = {}


def peer_memory(team: int) -> PeerMemory | None:
    """Return the memory of a team's devices, None where they cannot read that of each other.

    All members call this together when they call it first.
    """
    ranks = tuple(_C._team(team))
    with _lock:
        if ranks not in _known:
            if torch.cuda.is_available() and torch.cuda.is_current_stream_capturing():
                # Nothing can be agreed upon now. All processes come here, since they run the same.
                return None
            _known[ranks] = _make(team, ranks)
        found = _known[ranks]
    return None if found is None else found[0]


def _make(team: int, ranks: tuple[int, ...]) -> tuple[PeerMemory, Any] | None:
    group = group_of_team(team)
    places = _said_by_all(_own_place(group), group)
    if not all(_said_by_all(_reach_each_other(places), group)):
        return None
    memory = handle = None
    try:
        memory, handle = _shared(group)
    except RuntimeError:
        # Of a driver or container that does not allow it. The others have to hear of it.
        handle = None
    # What the headers begin with is there when this returns, on all devices.
    torch.cuda.synchronize()
    works = all(_said_by_all(handle is not None, group))
    if handle is None or not works:
        return None
    addresses = [
        handle.get_buffer(dist.get_group_rank(group, rank), [1], torch.uint8).data_ptr()
        for rank in ranks
    ]
    nanoseconds = int(_time_limit(group).total_seconds() * 1e9)
    own = ranks.index(dist.get_rank())
    blocks = min(
        _MOST_BLOCKS, *_said_by_all(torch.cuda.get_device_properties().multi_processor_count, group)
    )
    return PeerMemory(addresses, own, _CAPACITY, blocks, nanoseconds), (memory, handle)


def _said_by_all(own: Any, group: Any) -> list[Any]:
    everything: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(everything, own, group=group)
    return everything


def _own_place(group: Any) -> tuple[str, int] | None:
    """Return where the GPU of this process is, None where it has no symmetric memory."""
    if not torch.cuda.is_available() or "cuda:nccl" not in str(dist.get_backend_config(group)):
        return None
    return socket.gethostname(), torch.cuda.current_device()


def _reach_each_other(places: list[tuple[str, int] | None]) -> bool:
    """Whether the GPU of this process reaches the others, as far as that is known before."""
    found = [place for place in places if place is not None]
    hosts = {host for host, _ in found}
    devices = {device for _, device in found}
    if len(found) != len(places) or len(hosts) != 1 or len(places) > _MOST_MEMBERS:
        return False
    if len(devices) != len(places):
        # Each process sees one GPU only: what they can do shows when they try.
        return True
    mine = torch.cuda.current_device()
    return all(
        peer == mine or torch.cuda.can_device_access_peer(mine, peer)
        for peer in devices
        if peer < torch.cuda.device_count()
    )


def _shared(group: Any) -> tuple[torch.Tensor, Any]:
    """Return memory of this device that the others have mapped, zero, and torch's handle of it."""
    # NVLink multicast is not used, and torch would set it up for all such memory.
    os.environ.setdefault("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")
    import torch.distributed._symmetric_memory as symmetric

    device = torch.device("cuda", torch.cuda.current_device())
    memory = symmetric.empty(
        _C._peer_header_bytes() + 2 * _CAPACITY, dtype=torch.uint8, device=device
    )
    memory.zero_()
    return memory, symmetric.rendezvous(memory, group)


def _time_limit(group: Any) -> timedelta:
    options = getattr(group._get_backend(torch.device("cuda")), "options", None)
    limit = getattr(options, "_timeout", None)
    return limit if isinstance(limit, timedelta) else _TIME_LIMIT
