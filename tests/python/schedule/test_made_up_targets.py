"""Values on targets that do not exist: nothing but what a target says may be taken for granted.

Each is a row of properties and capabilities that differ from those of the device behind it
(``src/device/target.h``). Schedules follow the row: so these tests fail where a scheduler, a pass
or an emitter knows its device by another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import emulation
import pytest
import torch
from fusion_testing import define

from nvfuser import _C

NARROW_CPU = {
    # Vectors of 128 bits, long lines of memory, and nothing but plain loads and stores.
    "vectorBytes": 16,
    "lineBytes": 128,
    "workers": 3,
    "lastLevelBytes": 4096,
    "hasTransposedCopies": 0,
    "hasPrefetch": 0,
    "hasStreamingStores": 0,
}
LONG_LINES_CPU = {"lineBytes": 128, "vectorBytes": 64, "workers": 2, "lastLevelBytes": 4096}
PLAIN_GPU = {
    # Every element is an access of its own, and blocks are small.
    "hasVectorAccesses": 0,
    "prefersNarrowIndices": 0,
    "threadsPerBlock": 256,
    "multiprocessors": 2,
    "sharedBytesPerBlock": 16 * 1024,
}

Case = tuple[Callable[..., Any], Callable[..., Any]]
# By its name, an operation of ours and torch's of the same (1200, 96) and (96, 1200).
CASES: dict[str, Case] = {
    "elementwise": (lambda fd, x, y: fd.ops.relu(x * 2.0), lambda x, y: torch.relu(x * 2)),
    "transpose": (lambda fd, x, y: x + fd.ops.permute(y, [1, 0]), lambda x, y: x + y.T),
    "copy": (lambda fd, x, y: fd.ops.set(x[1:]), lambda x, y: x[1:]),
    "rows": (lambda fd, x, y: fd.ops.sum(y, [1]), lambda x, y: y.sum(1)),
    "columns": (lambda fd, x, y: fd.ops.sum(x, [0]), lambda x, y: x.sum(0)),
    "narrow columns": (lambda fd, x, y: fd.ops.sum(x[:, :5], [0]), lambda x, y: x[:, :5].sum(0)),
    "moments": (lambda fd, x, y: fd.ops.var(x, [0]), lambda x, y: x.var(0)),
    "softmax": (lambda fd, x, y: fd.ops.softmax(y, 1), lambda x, y: y.softmax(1)),
    "batch norm": (
        lambda fd, x, y: (
            (x - fd.ops.mean(x, [0], keepdim=True))
            * fd.ops.rsqrt(fd.ops.var(x, [0], keepdim=True) + 1e-5)
        ),
        lambda x, y: (x - x.mean(0)) * (x.var(0) + 1e-5).rsqrt(),
    ),
    "scan": (lambda fd, x, y: fd.ops.cumsum(x, 0), lambda x, y: x.cumsum(0)),
}
# What makes schedulers jam, share and stream work of this size.
SMALL_WORK = {
    "cpu.smallWork": 1024,
    "cpu.jamWork": 4096,
    "cpu.streamBytes": 64,
    "cpu.streamColumns": 32,
    "cpu.streamRow": 32,
}


@pytest.fixture
def on_target() -> Iterator[Callable[[dict[str, float]], None]]:
    """Puts a target's row in place of what the devices have, until the end of the test."""
    yield _C._override_target
    _C._override_target({})
    _C._override_tuning({})


def check(case: Case) -> None:
    """Compare values with torch's, for random operands."""
    ours, torchs = case
    generator = torch.Generator().manual_seed(0)
    operands = [torch.randn(shape, generator=generator) for shape in ((1200, 96), (96, 1200))]
    (output,) = define(ours, operands).execute(operands)
    torch.testing.assert_close(output, torchs(*operands), rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", CASES)
def test_a_cpu_with_loads_and_stores_only(
    name: str, on_target: Callable[..., None], texts: list[str]
) -> None:
    on_target(NARROW_CPU)
    _C._override_tuning(SMALL_WORK)
    check(CASES[name])
    for text in texts:
        assert "call void @llvm.prefetch" not in text
        assert "nontemporal" not in text
        assert "@nvf.stream" not in text
        assert "@nvf.transpose" not in text


@pytest.mark.parametrize("name", CASES)
def test_a_cpu_with_long_lines_of_memory(name: str, on_target: Callable[..., None]) -> None:
    on_target(LONG_LINES_CPU)
    _C._override_tuning(SMALL_WORK)
    check(CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_a_gpu_without_vectors(name: str, on_target: Callable[..., None]) -> None:
    with emulation.emulated_device():
        on_target(PLAIN_GPU)
        check(CASES[name])
