"""From every way of being divided to every other one, and reductions over divided dimensions."""

from __future__ import annotations

import itertools
import os
import random
from typing import Any

import pytest
import torch
import torch.distributed as dist
from helpers import annotate, check, communications, compare, described, meshes

from nvfuser import FusionDefinition
from nvfuser.multidevice import DeviceMesh, shard_tensor

# Cases of each test: SPMD_EXAMPLES=1000 for more.
MOST = int(os.environ.get("SPMD_EXAMPLES", "25"))

DTYPES = [
    torch.float32,
    torch.float64,
    torch.bfloat16,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.bool,
    torch.complex64,
    torch.float8_e4m3fn,
]


def sample(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    x = torch.randint(-6, 7, shape, device=device)
    if dtype.is_complex:
        return torch.complex(x.float(), x.flip(0).float()).to(dtype)
    return x.to(dtype)


def specs_of(mesh: DeviceMesh, rank: int = 2) -> list[tuple[str, ...]]:
    """All ways of dividing the first dimensions of a tensor."""
    parts = ["-", *(f"{dim}{inner}" for dim in range(rank) for inner in ("", "i"))]
    ways = [parts] * len(mesh.shape)
    return [*itertools.product(*ways)]


def test_every_change(device: torch.device) -> None:
    random.seed(7)
    for mesh in meshes():
        x = sample((16, 8, 3), torch.float32, device)
        changes = [*itertools.product(specs_of(mesh), repeat=2)]
        # All of one dimension, of two some of 625.
        for before, after in random.sample(changes, min(len(changes), MOST)):
            with described(f"{mesh}: {before} to {after}"):
                check(lambda fd, t: fd.ops.set(t[0]), [x], mesh, [before], [after])


@pytest.mark.parametrize("dtype", DTYPES)
def test_dtypes(dtype: torch.dtype, size: int, device: torch.device) -> None:
    mesh = meshes()[0]
    x = sample((4 * size, 2 * size), dtype, device)
    for before, after in [("0", "-"), ("0", "1"), ("-", "1"), ("1i", "0")]:
        check(lambda fd, t: fd.ops.set(t[0]), [x], mesh, [before], [after])


def test_sizes_known_at_run_time(size: int, device: torch.device) -> None:
    mesh = meshes()[0]
    for before, after in [("0", "-"), ("0", "1"), ("-", "1"), ("1i", "0"), ("1", "1i")]:
        with FusionDefinition() as fd:
            t = fd.define_tensor([-1, -1])
            out = fd.ops.mul(t, 2.0)
            fd.add_output(out)
            annotate(t, mesh, before)
            annotate(out, mesh, after)
        for shape in [(size, size), (3 * size, 5 * size), (size * size, 2 * size * size)]:
            x = sample(shape, torch.float32, device)
            if shape[0] % (size * size) == 0 or after != "1i":
                got = fd.execute([shard_tensor(x, t)])[0]
                compare(got, fd.get_output_shardings()[0].part_of(2.0 * x))


REDUCTIONS = ["sum", "prod", "max", "min", "mean", "var", "argmax", "any", "all"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, device: torch.device) -> None:
    random.seed(len(name))
    for mesh in meshes():
        x = sample((8, 4, 8), torch.float32, device)
        x[0, 0, 0] = float("nan") if name in ("max", "min") else 1.0
        befores = specs_of(mesh, 3)
        afters = specs_of(mesh, 2)
        for _ in range(MOST // 5):
            dims = random.choice([[0], [1], [0, 2], [2]])
            before = random.choice(befores)
            dim = dims[0] if name == "argmax" else dims
            fits = [a for a in afters if len(dims) == 1 or not any("1" in part for part in a)]
            after = random.choice([None, *fits])

            def define(fd: FusionDefinition, t: list[Any], dim: Any = dim) -> Any:
                source = fd.ops.ne(t[0], 0.0) if name in ("any", "all") else t[0]
                return getattr(fd.ops, name)(source, dim)

            with described(f"{mesh}: {name} over {dim} of {before} to {after}"):
                check(define, [x], mesh, [before], [after])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.int64, torch.complex64, torch.float64])
def test_sums_of_dtypes(dtype: torch.dtype, size: int, device: torch.device) -> None:
    mesh = meshes()[0]
    x = sample((4 * size, 2 * size), dtype, device)
    for after in ["-", "0"]:
        check(lambda fd, t: fd.ops.sum(t[0], 0), [x], mesh, ["0"], [after])
        check(lambda fd, t: fd.ops.sum(t[0], [0]), [x], mesh, ["0i"], [after])
    for name in ("max", "min", "prod"):
        if dtype == torch.int64:
            check(lambda fd, t, name=name: getattr(fd.ops, name)(t[0], 0), [x], mesh, ["0"])


def test_sums_stay_parts_of_sums(size: int, device: torch.device) -> None:
    """Of two sums that are added, the total is what is sent."""
    mesh = meshes()[0]
    x = sample((4, 2 * size), torch.float32, device)
    y = sample((4, 3 * size), torch.float32, device)
    fd = check(
        lambda fd, t: fd.ops.relu(fd.ops.add(fd.ops.sum(t[0], 1), fd.ops.sum(t[1], 1))),
        [x, y],
        mesh,
        ["1", "1"],
    )
    assert communications(fd).count("all_reduce") == 1


def test_between_meshes(size: int, device: torch.device) -> None:
    """From some processes to others, or to all."""
    x = sample((2 * size, 3), torch.float32, device)
    first, last = DeviceMesh([0]), DeviceMesh([size - 1])
    everyone = DeviceMesh(range(size))
    for source, target in [(first, last), (last, first), (first, everyone), (everyone, last)]:
        for before, after in itertools.product("-0", "-0"):
            with FusionDefinition() as fd:
                t = fd.from_pytorch(x, static_sizes=True)
                there = fd.ops.mul(fd.ops.set(fd.ops.add(t, 1.0)), 2.0)
                fd.add_output(there)
                annotate(t, source, before)
                annotate(there, target, after)
            with described(f"{source} {before} to {target} {after}"):
                got = fd.execute([shard_tensor(x, t)])[0]
                part = fd.get_output_shardings()[0].part_of(2.0 * (x + 1.0))
                if dist.get_rank() in target._ranks:
                    compare(got, part)
                else:
                    assert got.shape == part.shape


def test_groups_that_overlap(size: int, device: torch.device) -> None:
    """Of processes of which some are in other groups already, and some are not."""
    x = sample((6, 3), torch.float32, device)
    # All but the first one, then two of which one has been among them.
    for ranks in ([*range(1, size)], [0, size - 1]):
        mesh = DeviceMesh(ranks)
        with FusionDefinition() as fd:
            t = fd.from_pytorch(x, static_sizes=True)
            total = fd.ops.sum(t, 0)
            fd.add_output(total)
            annotate(t, mesh, "0")
            annotate(total, mesh, "-")
        (got,) = fd.execute([shard_tensor(x, t)])
        if dist.get_rank() in ranks:
            compare(got, x.sum(0), rtol=1e-5, atol=1e-5)
