"""Runs of several kernels as a CUDA graph: the same values, whatever the addresses of the call."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import emulation
import pytest
import torch

from nvfuser import DataType, FusionDefinition
from nvfuser.frontend.settings import Settings

ENABLED = ["cuda_graphs"]


class Counts:
    """What the emulated driver did with graphs."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(emulation.driver()))
        for name in ("launch", "update"):
            getattr(self.library, f"emulation_graph_{name}_count").restype = ctypes.c_int64

    def launches(self) -> int:
        return int(self.library.emulation_graph_launch_count())

    def updates(self) -> int:
        return int(self.library.emulation_graph_update_count())

    def capturing(self, *, is_on: bool) -> None:
        self.library.emulation_set_capturing(is_on)


@pytest.fixture
def counts(device: str) -> Iterator[Counts]:
    found = Counts()
    yield found
    found.capturing(is_on=False)


def sums(dtype: DataType = DataType.Float) -> FusionDefinition:
    """Define sums in both directions, which no single kernel computes, with a scalar."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=dtype)
        factor = fd.define_scalar(DataType.Double)
        rows = fd.ops.sum(x, 1)
        y = x * factor + fd.ops.broadcast(rows, [False, True])
        fd.add_output(fd.ops.cast(fd.ops.sum(y, 0), dtype))
        fd.add_output(y)
    fd._prepare().enable(ENABLED)
    return fd


def expected(x: torch.Tensor, factor: float) -> list[torch.Tensor]:
    y = x * factor + x.sum(1, keepdim=True)
    return [y.sum(0), y]


def assert_sums(outputs: Any, values: list[torch.Tensor]) -> None:
    """Sums of 40 rows of random numbers, which may cancel, in another order."""
    torch.testing.assert_close(outputs, values, atol=1e-4, rtol=1e-5)


def test_values_follow_the_arguments(device: str, counts: Counts) -> None:
    fd = sums()
    before = counts.launches()
    kept = []
    for call in range(6):
        x = torch.randn(40, 24)
        kept.append(fd.execute([x, 0.5 * call]))
        assert_sums(kept[-1], expected(x, 0.5 * call))
    # Not the first one: nobody knows that there will be another.
    assert counts.launches() - before == 5
    assert_sums(kept[-1], expected(x, 2.5))


def test_what_stays_is_not_updated(device: str, counts: Counts) -> None:
    fd = sums()
    x, outputs = torch.randn(40, 24), [torch.empty(24), torch.empty(40, 24)]
    for _ in range(2):
        fd.execute([x, 1.0], outputs=outputs)
    before = counts.launches(), counts.updates()
    for _ in range(3):
        fd.execute([x, 1.0], outputs=outputs)
        assert_sums(outputs, expected(x, 1.0))
    assert (counts.launches() - before[0], counts.updates() - before[1]) == (3, 0)
    fd.execute([x.clone(), 1.0], outputs=outputs)
    kernels = len(fd.fec.get_cuda_kernel([x, 1.0]).split("__global__")) - 1
    assert 1 <= counts.updates() - before[1] <= kernels


def test_other_sizes_have_their_own(device: str, counts: Counts) -> None:
    fd = sums()
    for turn in range(3):
        before = counts.launches()
        for rows in (40, 8, 16):
            x = torch.randn(rows, 24)
            assert_sums(fd.execute([x, 2.0]), expected(x, 2.0))
        assert counts.launches() - before == (3 if turn else 0)


def test_captured_streams_keep_launches(device: str, counts: Counts) -> None:
    fd = sums()
    x = torch.randn(40, 24)
    for _ in range(2):
        fd.execute([x, 1.0])
    before = counts.launches()
    counts.capturing(is_on=True)
    assert_sums(fd.execute([x, 3.0]), expected(x, 3.0))
    assert counts.launches() == before
    counts.capturing(is_on=False)
    assert_sums(fd.execute([x, 3.0]), expected(x, 3.0))
    assert counts.launches() == before + 1


def test_options_say_so(device: str, counts: Counts) -> None:
    fd = sums()
    plain = FusionDefinition.deserialize(fd.serialize())
    x = torch.randn(40, 24)
    before = counts.launches()
    for _ in range(3):
        assert_sums(plain.execute([x, 1.0]), expected(x, 1.0))
    assert counts.launches() == before
    for _ in range(3):
        plain.execute([x, 1.0], _enable_options=ENABLED)
    assert counts.launches() == before + 2
    with pytest.raises(RuntimeError, match="cuda_graphz"):
        plain.fec.enable(["cuda_graphz"])


def test_one_kernel_is_no_graph(device: str, counts: Counts) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.exp(x))
    before = counts.launches()
    x = torch.randn(100)
    for _ in range(3):
        fd.execute([x], _enable_options=ENABLED)
    assert counts.launches() == before


def test_random_numbers_advance(device: str, counts: Counts) -> None:
    def define(options: list[str]) -> FusionDefinition:
        with FusionDefinition() as fd:
            x = fd.define_tensor(shape=[-1, -1], contiguity=True)
            y = x + fd.ops.uniform(0.0, 1.0, fd.ops.shape(x), dtype=DataType.Float)
            rows = fd.ops.broadcast(fd.ops.sum(y, 1), [False, True])
            fd.add_output(fd.ops.sum(y * rows, 0))
        fd._prepare().enable(options)
        return fd

    x = torch.zeros(40, 24)
    results = []
    for options in ([], ENABLED):
        fd = define(options)
        torch.manual_seed(3)
        results.append([fd.execute([x])[0] for _ in range(4)])
    assert all(torch.equal(a, b) for a, b in zip(*results, strict=True))
    assert not torch.equal(results[1][2], results[1][3])


def test_mode_of_torch_compile() -> None:
    assert Settings.of(None, "reduce-overhead").cuda_graphs
    assert not Settings.of(None, "default").cuda_graphs
    assert not Settings.of({"cuda_graphs": False}, "reduce-overhead").cuda_graphs
    assert Settings.of({"cuda_graphs": True}).cuda_graphs


def test_compiled_functions(device: str, counts: Counts) -> None:
    import nvfuser

    def function(x: Any) -> Any:
        y = x + x.sum(1, keepdim=True)
        return y.sum(0), y

    fast = nvfuser.jit(function, mode="reduce-overhead")
    before = counts.launches()
    for rows in (8, 8, 16, 8, 16):
        x = torch.randn(rows, 24)
        torch.testing.assert_close(fast(x), function(x))
    assert counts.launches() - before == 3
    with pytest.raises(ValueError, match="mode must be one of"):
        nvfuser.jit(function, mode="fast")
