"""Layers of experts: matrices for groups of tokens, which all-to-alls take to where these are."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import torch.distributed as dist
from helpers import check, compare, meshes, random_tensors, sent_by

from nvfuser import DataType, FusionDefinition, ParallelType

TOLERANCES = {"rtol": 1e-4, "atol": 1e-4}
# Of sums that are rounded to bfloat16.
ROUNDED = {"rtol": 2e-2, "atol": 2e-2}


def experts(fd: FusionDefinition, t: list[Any]) -> Any:
    # [source of tokens, expert, slots, width], a matrix for each expert.
    tokens, weights = t
    sources, count, slots, width = (int(str(extent)) for extent in tokens.shape())
    there = fd.ops.permute(tokens, [1, 0, 2, 3])
    there = fd.ops.reshape(there, [count, sources * slots, width])
    done = fd.ops.reshape(fd.ops.matmul(there, weights), [count, sources, slots, width])
    return fd.ops.permute(done, [1, 0, 2, 3])


def test_experts(size: int, device: torch.device) -> None:
    mesh = meshes()[0]
    tensors = random_tensors(device, (size, 4, 3, 8), (4, 8, 8))
    fd = check(experts, tensors, mesh, ["0", "0"], ["0"], **TOLERANCES)
    assert sent_by(fd) == {"all_to_all": 2}


def test_grouped_products(device: torch.device) -> None:
    mesh = meshes()[0]
    tokens, weights = (x.bfloat16() for x in random_tensors(device, (16, 32), (4, 32, 64)))
    offsets = torch.tensor([3, 4, 10, 16], dtype=torch.int32, device=device)

    def grouped(fd: FusionDefinition, t: list[Any]) -> Any:
        return fd.ops.grouped_mm(*t)

    fd = check(grouped, [tokens, weights, offsets], mesh, ["-", "2", "-"], rtol=2e-2, atol=2e-2)
    assert sent_by(fd) == {}
    # Experts on devices of their own, and products of theirs alone.
    check(grouped, [tokens, weights, offsets], mesh, ["0", "0", "-"], rtol=2e-2, atol=2e-2)


def test_grouped_products_in_parts_of_sums(device: torch.device) -> None:
    """Every expert's first matrix by columns, the second one by rows: one sum at the end."""
    mesh = meshes()[0]
    tokens, up, down = (
        x.bfloat16() for x in random_tensors(device, (16, 32), (4, 32, 64), (4, 64, 32))
    )
    offsets = torch.tensor([3, 3, 10, 16], dtype=torch.int32, device=device)

    def two(fd: FusionDefinition, t: list[Any]) -> Any:
        x, up, down, offsets = t
        h = fd.ops.cast(fd.ops.relu(fd.ops.grouped_mm(x, up, offsets)), DataType.BFloat16)
        return fd.ops.grouped_mm(h, down, offsets)

    fd = check(two, [tokens, up, down, offsets], mesh, ["-", "2", "1", "-"], ["-"], **ROUNDED)
    assert sent_by(fd) == {"all_reduce": 1}


def test_gradients_of_grouped_products(device: torch.device) -> None:
    """Those of weights: rows and columns of each group's sum of products."""
    mesh = meshes()[0]
    x, grad = (t.bfloat16() for t in random_tensors(device, (32, 16), (16, 64)))
    offsets = torch.tensor([3, 3, 10, 16], dtype=torch.int32, device=device)

    def weight(fd: FusionDefinition, t: list[Any]) -> Any:
        return fd.ops.grouped_mm(*t)

    for specs, dim in ((["0", "-", "-"], 1), (["-", "1", "-"], 2)):
        fd = check(weight, [x, grad, offsets], mesh, specs, **ROUNDED)
        assert sent_by(fd) == {}
        assert fd.get_output_shardings()[0].axis_sharded_on(ParallelType.mesh_x) == dim


def define_experts(width: int, features: int, count: int) -> FusionDefinition:
    """Define gated products of tokens in any order, which become groups by a permutation."""
    bf16 = DataType.BFloat16
    with FusionDefinition() as fd:
        tokens = fd.define_tensor([-1, width], contiguity=True, dtype=bf16)
        to_groups, back = (
            fd.define_tensor([-1], contiguity=True, dtype=DataType.Int) for _ in range(2)
        )
        offsets = fd.define_tensor([count], contiguity=True, dtype=DataType.Int32)
        gate, up = (
            fd.define_tensor([count, width, features], contiguity=True, dtype=bf16)
            for _ in range(2)
        )
        down = fd.define_tensor([count, features, width], contiguity=True, dtype=bf16)
        grouped = fd.ops.index_select(tokens, to_groups, 0)
        left, right = (fd.ops.grouped_mm(grouped, weight, offsets) for weight in (gate, up))
        h = fd.ops.cast(fd.ops.mul(fd.ops.silu(left), right), bf16)
        fd.add_output(fd.ops.index_select(fd.ops.grouped_mm(h, down, offsets), back, 0))
    return fd


def run_experts(
    fd: FusionDefinition, tokens: torch.Tensor, experts: torch.Tensor, weights: list[torch.Tensor]
) -> torch.Tensor:
    """Return the products of tokens with the matrices of their experts, by number."""
    order = experts.argsort(stable=True)
    counts = experts.bincount(minlength=weights[0].shape[0])
    offsets = counts.cumsum(0).to(torch.int32)
    result: torch.Tensor = fd.execute([tokens, order, order.argsort(), offsets, *weights])[0]
    return result


@pytest.mark.parametrize("choice", ["even", "few", "one"])
def test_dispatch_to_experts(choice: str, size: int, device: torch.device) -> None:
    """Unequal numbers of tokens go to experts of other processes and back: as in one process."""
    count, width, features, own = 2 * size, 16, 32, 24
    torch.manual_seed(7)
    shapes = ((count, width, features), (count, width, features), (count, features, width))
    weights = [x.bfloat16() / 4 for x in random_tensors(device, *shapes)]
    tokens = torch.randn(size * own, width, device=device).bfloat16()
    # "one": all processes but the last one have nothing to do.
    first = {"even": 0, "few": count // 2, "one": count - 1}[choice]
    experts = torch.randint(first, count, (size * own,), device=device)
    expected = run_experts(define_experts(width, features, count), tokens, experts, weights)

    rank = dist.get_rank()
    fd = define_experts(width, features, 2)
    mine = [weight.chunk(size)[rank].contiguous() for weight in weights]
    for _ in range(2):
        part, chosen = tokens.chunk(size)[rank], experts.chunk(size)[rank]
        order = chosen.argsort(stable=True)
        sent = (chosen // 2).bincount(minlength=size)
        received = torch.empty_like(sent)
        dist.all_to_all_single(received, sent)
        there, back = received.tolist(), sent.tolist()
        arrived = part.new_empty(sum(there), width)
        dist.all_to_all_single(arrived, part[order], there, back)
        numbers = chosen.new_empty(sum(there))
        dist.all_to_all_single(numbers, chosen[order], there, back)
        done = run_experts(fd, arrived, numbers - 2 * rank, mine)
        returned = torch.empty_like(part)
        dist.all_to_all_single(returned, done, back, there)
        compare(returned[order.argsort()], expected.chunk(size)[rank], **ROUNDED)
