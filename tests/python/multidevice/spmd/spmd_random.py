"""Random fusions, divided at random: the values of torch, whatever is sent."""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path
from typing import Any

import torch
from helpers import annotate, meshes
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from nvfuser.multidevice import DeviceMesh, shard_tensor

sys.path.append(str(Path(__file__).parents[2] / "helpers"))
import random_graphs

# More of them: SPMD_EXAMPLES=1000.
EXAMPLES = int(os.environ.get("SPMD_EXAMPLES", "25"))


def specs_for(shape: tuple[int, ...], mesh: DeviceMesh) -> list[tuple[str, ...]]:
    """Ways of dividing a tensor evenly."""
    parts = ["-", *(f"{dim}{inner}" for dim in range(len(shape)) for inner in ("", "i"))]
    found = []
    for spec in itertools.product(*[parts] * len(mesh.shape)):
        left = list(shape)
        fits = True
        for part, extent in zip(spec, mesh.shape, strict=True):
            if part != "-":
                fits &= left[int(part[0])] % extent == 0 and left[int(part[0])] > 0
                left[int(part[0])] //= extent
        if fits:
            found.append(spec)
    return found


def like(part: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
    """Return a part of a tensor in memory as the whole one is."""
    order = sorted(range(whole.dim()), key=lambda dim: -whole.stride(dim))
    repeated = [dim for dim in range(whole.dim()) if whole.stride(dim) == 0]
    once = part
    for dim in repeated:
        once = once.narrow(dim, 0, min(1, once.size(dim)))
    back = [order.index(dim) for dim in range(whole.dim())]
    return once.permute(order).contiguous().permute(back).expand(part.shape)


def divide(choices: random_graphs.Choices, graph: Any, results: list[Any]) -> list[torch.Tensor]:
    """Say of some tensors how they are divided, and return the inputs of this process."""
    mesh = choices.choice(meshes())
    fusion = graph.fd.fusion
    given = []
    tensors = [tv for tv in fusion.inputs() if tv.is_tensor()]
    for tv, x in zip(tensors, graph.inputs, strict=True):
        annotate(tv, mesh, choices.choice(specs_for(x.shape, mesh)))
        given.append(like(shard_tensor(x, tv), x))
    seen = {*tensors}
    for tv, reference in results:
        if tv not in seen and choices.choice([False, True]):
            annotate(tv, mesh, choices.choice(specs_for(reference.shape, mesh)))
        seen.add(tv)
    return given


def check(choices: random_graphs.Choices, device: str) -> None:
    graph, results = random_graphs.build(choices, device)
    inputs = divide(choices, graph, results)
    outputs = graph.fd.execute(inputs, _disable_options=["fallback"])
    shardings = graph.fd.get_output_shardings()
    for output, sharding, (_, reference) in zip(outputs, shardings, results, strict=True):
        part = sharding.part_of(reference)
        assert output.shape == part.shape, graph.fd
        assert torch.equal(output.to(part.dtype).cpu(), part), graph.fd


# All processes draw the same, and none tries to make a failure smaller alone.
@settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=EXAMPLES,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(st.data())
def test_random_fusions(device: torch.device, data: st.DataObject) -> None:
    check(random_graphs.Drawn(data), str(device))


def test_random_seeds(device: torch.device) -> None:
    failed = {}
    for seed in range(EXAMPLES):
        try:
            check(random_graphs.Seeded(seed), str(device))
        except (AssertionError, RuntimeError) as error:
            failed[seed] = str(error).splitlines()[0][:200]
    assert not failed
