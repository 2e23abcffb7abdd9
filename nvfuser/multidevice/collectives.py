"""Operations among processes that fusions of several devices are made of, by torch.distributed.

Each function begins an operation and returns the tensor that it will have written when
:func:`wait` returns: on CUDA, what runs on the current stream afterwards; on the CPU, the caller.
A team is a line of a mesh; the process group of its ranks is made when it is first needed.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from nvfuser import _C
from nvfuser.needs_torch import needs_torch

needs_torch("nvfuser.multidevice")

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402

__all__ = [
    "adopt_group",
    "all_gather",
    "all_reduce",
    "all_to_all",
    "broadcast_from",
    "group_of_team",
    "reduce_scatter",
    "wait",
]

# Their names before torch 2.13.
_all_gather_single = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
_reduce_scatter_single = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor

_After: TypeAlias = "torch.Tensor | None"

_lock = threading.Lock()
# By the ranks, in ascending order.
_groups: dict[tuple[int, ...], Any] = {}
# How many groups of these ranks there have been before the last one.
_made: dict[tuple[int, ...], int] = {}
# What is combined how, by the numbers of the native table.
_SUM, _PRODUCT, _MAXIMUM, _MINIMUM = _C._collective_operations()


def adopt_group(group: Any) -> None:
    """Use a process group that is there already, such as that of a DeviceMesh of torch."""
    ranks = tuple(sorted(dist.get_process_group_ranks(group)))
    with _lock:
        if ranks not in _groups or not _is_alive(_groups[ranks]):
            _groups[ranks] = group


class _Team:
    """The process group of a line of a mesh, whose members may have another order there."""

    def __init__(self, number: int) -> None:
        self.ranks = _C._team(number)
        self.group = _group_of(tuple(sorted(self.ranks)))
        members = [dist.get_group_rank(self.group, rank) for rank in self.ranks]
        # Where rows for (or of) members are in the order of the group; None for the same order.
        self._places = None if members == sorted(members) else members
        self._numbers = [members.index(i) for i in range(len(members))]

    def in_order_of_group(self, rows: torch.Tensor) -> torch.Tensor:
        """Return rows, one for each member, as the group orders these."""
        return rows if self._places is None else rows[self._numbers]

    def in_order_of_team(self, rows: torch.Tensor) -> torch.Tensor:
        """Return rows of a group, one of each member, in the order of the mesh."""
        return rows if self._places is None else rows[self._places]


_teams: dict[int, _Team] = {}


def _team_of(number: int) -> _Team:
    team = _teams.get(number)
    if team is None or not _is_alive(team.group):
        team = _teams[number] = _Team(number)
    return team


def group_of_team(number: int) -> Any:
    """Return the process group of a team."""
    return _team_of(number).group


def _agreed(team: int, name: str, fusion: int, x: torch.Tensor, option: int | None) -> _Team:
    """Return the team; where torch.distributed is being debugged, check that all do the same."""
    members = _team_of(team)
    if dist.get_debug_level() == dist.DebugLevel.DETAIL:
        own = (name, tuple(x.shape), str(x.dtype), option, fusion)
        everything: list[Any] = [None] * len(members.ranks)
        dist.all_gather_object(everything, own, group=members.group)
        if any(other != own for other in everything):
            ranks = dist.get_process_group_ranks(members.group)
            lines = [
                f"rank {rank}: {each[0]} of shape {[*each[1]]} and {each[2]} in the fusion "
                f"{each[4]:x}"
                for rank, each in zip(ranks, everything, strict=True)
            ]
            raise RuntimeError(
                "Expected all processes to do the same together, but\n" + "\n".join(lines)
            )
    return members


def _group_of(ranks: tuple[int, ...]) -> Any:
    with _lock:
        group = _groups.get(ranks)
        if group is not None and _is_alive(group):
            return group
        if not (dist.is_available() and dist.is_initialized()):
            raise RuntimeError(
                f"The ranks {[*ranks]} are to work together: call "
                "torch.distributed.init_process_group() in each of them first"
            )
        size = dist.get_world_size()
        if max(ranks) >= size:
            raise RuntimeError(
                f"A mesh has the ranks {[*ranks]}, but torch.distributed was initialized with "
                f"{size} processes"
            )
        if ranks == tuple(range(size)):
            group = dist.group.WORLD
        else:
            # Only its members make it.
            with _named_alike(ranks):
                group = dist.new_group([*ranks], use_local_synchronization=True)
        _groups[ranks] = group
        return group


@contextmanager
def _named_alike(ranks: tuple[int, ...]) -> Iterator[None]:
    """Let a group that its members alone make have the same name on all of them.

    torch makes the name of the ranks and of how many groups the process has: where its members are
    in different numbers of others, they wait for each other under different names, without end.
    """
    original = getattr(dist.distributed_c10d, "_hash_ranks_to_str", None)
    if original is None:
        yield
        return
    # Of groups of these ranks that were destroyed, things may be left in the store.
    _made[ranks] = _made.get(ranks, -1) + 1
    text = f"nvfuser {_made[ranks]} of {'_'.join(map(str, ranks))}"
    name = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()
    dist.distributed_c10d._hash_ranks_to_str = lambda others: (
        name if tuple(others) == ranks else original(others)
    )
    try:
        yield
    finally:
        dist.distributed_c10d._hash_ranks_to_str = original


def _is_alive(group: Any) -> bool:
    """Whether it has not been destroyed since, by destroy_process_group()."""
    return group in dist.distributed_c10d._world.pg_map


class _Works(NamedTuple):
    """Several that are waited for together."""

    works: list[Any]

    def wait(self) -> None:
        for work in self.works:
            work.wait()


class _Work(NamedTuple):
    """An operation under way."""

    work: Any
    # A contiguous copy of what is sent stays until it has been.
    sent: torch.Tensor
    # Puts the result in order.
    finish: Callable[[torch.Tensor], torch.Tensor] | None = None


def _begun(result: torch.Tensor, work: _Work) -> torch.Tensor:
    result._nvfuser_work = work
    return result


def wait(x: torch.Tensor, sent: torch.Tensor) -> torch.Tensor:
    """Wait for the operation that writes a tensor, and return that.

    Parameters
    ----------
    x : torch.Tensor
        What the function that began the operation returned.
    sent : torch.Tensor
        What it was given, and reads until now.
    """
    begun: _Work = x._nvfuser_work
    if begun.work is not None:
        begun.work.wait()
    del x._nvfuser_work
    return x if begun.finish is None else begun.finish(x)


def _as_numbers(x: torch.Tensor) -> torch.Tensor:
    """View a tensor as one of a dtype that is sent: contiguous, complex numbers as pairs."""
    x = x.contiguous()
    if x.is_complex():
        return torch.view_as_real(x)
    return x.view(torch.uint8) if x.dtype == torch.bool or x.dtype.itemsize == 1 else x


def all_gather(x: torch.Tensor, team: int, fusion: int, after: _After) -> torch.Tensor:
    """Return what all members have, in a new first dimension.

    Parameters
    ----------
    x : torch.Tensor
        Of any shape, the same on all.
    team : int
        Number of the team.
    fusion : int
        Hash of what all of them run.
    after : torch.Tensor, optional
        What the operation before it writes: all processes begin them in the same order.

    Returns
    -------
    torch.Tensor
        Of the shape ``[members, *x.shape]``.
    """
    members = _agreed(team, "all_gather", fusion, x, None)
    sent = _as_numbers(x)
    result = x.new_empty((len(members.ranks), *x.shape))
    work = _all_gather_single(
        _as_numbers(result).view(-1), sent.view(-1), group=members.group, async_op=True
    )
    return _begun(result, _Work(work, sent, members.in_order_of_team))


def _operation(number: int) -> Any:
    return {
        _SUM: dist.ReduceOp.SUM,
        _PRODUCT: dist.ReduceOp.PRODUCT,
        _MAXIMUM: dist.ReduceOp.MAX,
        _MINIMUM: dist.ReduceOp.MIN,
    }[number]


def all_reduce(
    x: torch.Tensor, team: int, fusion: int, after: _After, operation: int
) -> torch.Tensor:
    """Return the sum, product, maximum or minimum of what all members have."""
    members = _agreed(team, "all_reduce", fusion, x, operation)
    result = x.clone(memory_format=torch.contiguous_format)
    work = dist.all_reduce(
        _reduced(result), _operation(operation), group=members.group, async_op=True
    )
    return _begun(result, _Work(work, result))


def _reduced(x: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(x) if x.is_complex() else x


def reduce_scatter(
    x: torch.Tensor, team: int, fusion: int, after: _After, operation: int
) -> torch.Tensor:
    """Return row `i` of the combined rows on member `i`.

    Parameters
    ----------
    x : torch.Tensor
        Of the shape ``[members, ...]``.
    team : int
        Number of the team.
    fusion : int
        Hash of what all of them run.
    after : torch.Tensor, optional
        What the operation before it writes: all processes begin them in the same order.
    operation : int
        What combines.

    Returns
    -------
    torch.Tensor
        Of the shape ``[...]``.
    """
    members = _agreed(team, "reduce_scatter", fusion, x, operation)
    sent = members.in_order_of_group(x).contiguous()
    result = x.new_empty(x.shape[1:])
    work = _reduce_scatter_single(
        _reduced(result).view(-1),
        _reduced(sent).view(-1),
        _operation(operation),
        group=members.group,
        async_op=True,
    )
    return _begun(result, _Work(work, sent))


def all_to_all(x: torch.Tensor, team: int, fusion: int, after: _After) -> torch.Tensor:
    """Return the rows that all members have for this one, from a row for each of them."""
    members = _agreed(team, "all_to_all", fusion, x, None)
    sent = _as_numbers(members.in_order_of_group(x))
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    work = dist.all_to_all_single(
        _as_numbers(result).view(-1), sent.view(-1), group=members.group, async_op=True
    )
    return _begun(result, _Work(work, sent, members.in_order_of_team))


def broadcast_from(
    x: torch.Tensor, team: int, fusion: int, after: _After, source: int
) -> torch.Tensor:
    """Return what member `source` has; of the others only shape and dtype count.

    Below 0, `source` stands for the member in front of each, the last one in front of the first.
    """
    members = _agreed(team, "broadcast_from", fusion, x, source)
    if source < 0:
        return _shifted(x, members)
    result = x.clone(memory_format=torch.contiguous_format)
    work = dist.broadcast(
        _as_numbers(result), members.ranks[source], group=members.group, async_op=True
    )
    return _begun(result, _Work(work, result))


def _shifted(x: torch.Tensor, members: _Team) -> torch.Tensor:
    sent = _as_numbers(x)
    result = torch.empty_like(x, memory_format=torch.contiguous_format)
    own = members.ranks.index(dist.get_rank())
    behind = members.ranks[(own + 1) % len(members.ranks)]
    before = members.ranks[own - 1]
    operations = [
        dist.P2POp(dist.isend, sent, behind, group=members.group),
        dist.P2POp(dist.irecv, _as_numbers(result), before, group=members.group),
    ]
    return _begun(result, _Work(_Works(dist.batch_isend_irecv(operations)), sent))
