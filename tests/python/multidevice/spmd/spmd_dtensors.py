"""Distributed tensors of torch, and models that torch has parallelized."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

import nvfuser
from nvfuser import FusionDefinition


@pytest.fixture(scope="module")
def mesh(size: int, device: torch.device) -> DeviceMesh:
    return init_device_mesh(device.type, (size,), mesh_dim_names=("tp",))


@pytest.fixture(scope="module")
def square(size: int, device: torch.device) -> DeviceMesh:
    return init_device_mesh(device.type, (2, size // 2), mesh_dim_names=("dp", "tp"))


def placed(x: torch.Tensor, mesh: DeviceMesh, placements: Any) -> DTensor:
    """Return `x` as a DTensor; along a Partial each process has a part of the sum."""
    local = [Replicate() if p.is_partial() else p for p in placements]
    result = distribute_tensor(x, mesh, local).to_local()
    for number, placement in enumerate(placements):
        if placement.is_partial():
            result = result / 2 ** (mesh.get_local_rank(number) + 1)
            if mesh.get_local_rank(number) == mesh.size(number) - 1:
                result = result * 2
    return DTensor.from_local(result.clone(), mesh, placements, run_check=False)


def define(fd: FusionDefinition) -> None:
    x, y, w = (fd.define_tensor([-1, -1]) for _ in range(3))
    total = fd.ops.add(x, y)
    fd.add_output(total)
    fd.add_output(fd.ops.relu(fd.ops.linear(total, w)))
    fd.add_output(fd.ops.sum(fd.ops.mul(total, total), 0))
    fd.add_output(fd.ops.permute(fd.ops.exp(x), [1, 0]))


def test_all_placements(mesh: DeviceMesh, square: DeviceMesh, device: torch.device) -> None:
    torch.manual_seed(3)
    random.seed(3)
    x, y = torch.randn(8, 8, device=device), torch.randn(8, 8, device=device)
    w = torch.randn(4, 8, device=device)
    with FusionDefinition() as fd:
        define(fd)
    expected = fd.execute([x, y, w])
    ways = [Shard(0), Shard(1), Replicate(), Partial()]
    for here in (mesh, square):
        every = [*itertools.product(*[itertools.product(ways, repeat=here.ndim)] * 3)]
        for placements in random.sample(every, min(24, len(every))):
            inputs = [placed(t, here, p) for t, p in zip((x, y, w), placements, strict=True)]
            # Values that one device has of a Partial are no values of the tensor.
            outputs = nvfuser.execute_with_dtensors(fd, inputs)
            for output, value in zip(outputs, expected, strict=True):
                assert output.device_mesh == here
                assert output.shape == value.shape
                torch.testing.assert_close(output.full_tensor(), value, rtol=1e-4, atol=1e-4)


def test_what_stays_where_it_is(mesh: DeviceMesh, device: torch.device) -> None:
    x, y, w = (torch.randn(8, 8, device=device) for _ in range(3))
    with FusionDefinition() as fd:
        define(fd)
    inputs = [placed(t, mesh, p) for t, p in [(x, [Shard(0)]), (y, [Shard(0)]), (w, [Replicate()])]]
    outputs = nvfuser.execute_with_dtensors(fd, inputs)
    assert [o.placements[0] for o in outputs] == [Shard(0), Shard(0), Replicate(), Shard(1)]


def test_a_definition_that_says_how(mesh: DeviceMesh, size: int, device: torch.device) -> None:
    native = nvfuser.multidevice.DeviceMesh(mesh.mesh)
    with FusionDefinition() as fd:
        t = fd.define_tensor([2 * size, 3])
        out = fd.ops.relu(t)
        fd.add_output(out)
        for tv in (t, out):
            tv.set_device_mesh(native)
        t.outer_split(0, size)
        t.axis(0).parallelize(nvfuser.ParallelType.mesh_x)
    x = torch.randn(2 * size, 3, device=device)
    (output,) = nvfuser.execute_with_dtensors(fd, [distribute_tensor(x, mesh, [Shard(0)])])
    assert output.placements == (Replicate(),)
    torch.testing.assert_close(output.to_local(), x.relu())
    with pytest.raises(RuntimeError, match=r"Expected .* to be divided as"):
        nvfuser.execute_with_dtensors(fd, [distribute_tensor(x, mesh, [Replicate()])])


def test_bad_inputs(mesh: DeviceMesh, square: DeviceMesh, size: int, device: torch.device) -> None:
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.relu(fd.define_tensor([-1, -1])))
    uneven = distribute_tensor(torch.randn(size + 1, 3, device=device), mesh, [Shard(0)])
    with pytest.raises(RuntimeError, match="Sharded axis must be evenly divisble by mesh"):
        nvfuser.execute_with_dtensors(fd, [uneven])
    largest = DTensor.from_local(torch.randn(2, 2, device=device), mesh, [Partial("max")])
    with pytest.raises(NotImplementedError, match="expected Shard"):
        nvfuser.execute_with_dtensors(fd, [largest])


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(16)
        self.up = nn.Linear(16, 32)
        self.down = nn.Linear(32, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


def blocks(device: torch.device) -> tuple[nn.Module, nn.Module]:
    """Return the same model twice."""
    torch.manual_seed(5)
    first = Block().to(device)
    second = Block().to(device)
    second.load_state_dict(first.state_dict())
    return first, second


PLANS = {
    "tensor": {"up": ColwiseParallel(), "down": RowwiseParallel()},
    "sequence": {
        "norm": SequenceParallel(),
        "up": ColwiseParallel(input_layouts=Shard(1)),
        "down": RowwiseParallel(output_layouts=Shard(1), use_local_output=False),
    },
}


def doors() -> list[Any]:
    return [
        pytest.param(lambda module: torch.compile(module, backend="nvfuser"), id="compile"),
        pytest.param(nvfuser.jit, id="jit"),
    ]


def whole(x: Any) -> torch.Tensor:
    return x.full_tensor() if isinstance(x, DTensor) else x


@pytest.mark.parametrize("door", doors())
@pytest.mark.parametrize("plan", sorted(PLANS))
def test_parallelized_modules(
    door: Any, plan: str, mesh: DeviceMesh, size: int, device: torch.device
) -> None:
    torch._dynamo.reset()
    reference, module = blocks(device)
    parallelize_module(module, mesh, PLANS[plan])
    compiled = door(module)
    x = torch.randn(2, 2 * size, 16, device=device)
    given = x if plan == "tensor" else distribute_tensor(x, mesh, [Shard(1)])
    for _ in range(2):
        expected, got = reference(x), compiled(given)
        torch.testing.assert_close(whole(got), expected, rtol=1e-4, atol=1e-4)
        (expected * expected).sum().backward()
        (got * got).sum().backward()
        for name, parameter in reference.named_parameters():
            mine = module.get_parameter(name).grad
            assert mine is not None, name
            torch.testing.assert_close(whole(mine), parameter.grad, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("door", doors())
def test_fully_sharded_modules(door: Any, size: int, device: torch.device) -> None:
    torch._dynamo.reset()
    reference, module = blocks(device)
    mesh = init_device_mesh(device.type, (size,))
    fully_shard(module, mesh=mesh)
    compiled = door(module)
    torch.manual_seed(dist.get_rank())
    x = torch.randn(4, 16, device=device)
    everything = [torch.empty_like(x) for _ in range(size)]
    dist.all_gather(everything, x)
    for _ in range(2):
        got = compiled(x)
        torch.testing.assert_close(got, reference(x), rtol=1e-4, atol=1e-4)
        (got * got).sum().backward()
        for part in everything:
            (reference(part) ** 2).sum().backward()
        for name, parameter in reference.named_parameters():
            mine = module.get_parameter(name).grad
            assert mine is not None, name
            assert parameter.grad is not None
            torch.testing.assert_close(whole(mine), parameter.grad / size, rtol=1e-3, atol=1e-3)
