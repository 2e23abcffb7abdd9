"""The same fusion on one device and on several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist

import nvfuser
from nvfuser import FusionDefinition, ParallelType
from nvfuser.multidevice import DeviceMesh, shard_tensor

AXES = [ParallelType.mesh_z, ParallelType.mesh_y, ParallelType.mesh_x]


def meshes() -> list[DeviceMesh]:
    """Meshes of all processes, of one and two dimensions."""
    size = dist.get_world_size()
    found = [DeviceMesh(range(size)), DeviceMesh([*reversed(range(size))])]
    if size % 2 == 0 and size > 2:
        found.append(DeviceMesh(torch.arange(size).view(2, -1)))
        found.append(DeviceMesh(torch.arange(size).view(-1, 2).t()))
    found.append(DeviceMesh(torch.arange(size).view(1, -1)))
    return found


Spec = str | Sequence[str]


def annotate(tv: Any, mesh: DeviceMesh, spec: Spec) -> None:
    """Divide a tensor: for each dimension of the mesh, the outermost first, "-", "2" or "2i".

    In one string with spaces between them, or a sequence. A number is that of a dimension that is
    split, i by its inner part.
    """
    tv.set_device_mesh(mesh)
    parts = spec.split() if isinstance(spec, str) else spec
    kinds = AXES[len(AXES) - len(parts) :]
    # What each loop is of: a dimension's rest, or a part along the mesh (None).
    loops: list[int | None] = [*range(tv.ndim)]
    for extent, kind, part in zip(mesh.shape, kinds, parts, strict=True):
        if part == "-":
            continue
        at = loops.index(int(part[0]))
        if part.endswith("i"):
            tv.split(at, extent)
            loops.insert(at + 1, None)
            tv.axis(at + 1).parallelize(kind)
        else:
            tv.outer_split(at, extent)
            loops.insert(at, None)
            tv.axis(at).parallelize(kind)


def compare(got: Any, expected: torch.Tensor, **tolerances: Any) -> None:
    assert got.shape == expected.shape, (got.shape, expected.shape)
    torch.testing.assert_close(got, expected, equal_nan=True, **tolerances)


@contextmanager
def described(what: str) -> Iterator[None]:
    """Say in an error which of many cases it was."""
    try:
        yield
    except Exception as error:
        raise AssertionError(what) from error


def communications(fd: FusionDefinition) -> str:
    """Return the operations that a process runs."""
    return str(nvfuser._C._local_fusion(fd.fec).print_math())


KINDS = ("all_gather", "all_reduce", "reduce_scatter", "all_to_all", "broadcast_from")


def sent_by(fd: FusionDefinition) -> dict[str, int]:
    """Return how often each collective is part of what a process runs."""
    text = communications(fd)
    return dict(Counter({kind: text.count(f"= {kind}(") for kind in KINDS}) - Counter())


def random_tensors(device: torch.device, *shapes: tuple[int, ...]) -> list[torch.Tensor]:
    """Return the same tensors on all processes."""
    torch.manual_seed(len(shapes))
    return [torch.randn(shape, device=device) / shape[-1] ** 0.5 for shape in shapes]


Define = Callable[[FusionDefinition, list[Any]], Any]


def check(
    define: Define,
    inputs: Sequence[torch.Tensor],
    mesh: DeviceMesh,
    specs: Sequence[Spec | None],
    out_specs: Sequence[Spec | None] = (),
    **tolerances: Any,
) -> FusionDefinition:
    """Run `define(fd, tensors)`, which returns outputs, whole and divided; compare this part."""

    def defined(is_divided: bool) -> tuple[FusionDefinition, list[torch.Tensor]]:
        with FusionDefinition() as fd:
            tensors = [fd.from_pytorch(x, static_sizes=True) for x in inputs]
            outputs = define(fd, tensors)
            outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
            for output in outputs:
                fd.add_output(output)
            if not is_divided:
                return fd, list(inputs)
            mine = []
            for x, tv, spec in zip(inputs, tensors, specs, strict=True):
                if spec is None:
                    mine.append(x)
                    continue
                annotate(tv, mesh, spec)
                mine.append(shard_tensor(x, tv))
            for tv, spec in zip(outputs, out_specs, strict=False):
                if spec is not None:
                    annotate(tv, mesh, spec)
        return fd, mine

    whole, everything = defined(False)
    expected = whole.execute(everything)
    divided, mine = defined(True)
    for _ in range(2):
        got = divided.execute(mine)
        shardings = divided.get_output_shardings()
        assert len(shardings) == len(got) == len(expected)
        for part, all_of_it, sharding in zip(got, expected, shardings, strict=True):
            compare(part, sharding.part_of(all_of_it), **tolerances)
    return divided
