"""The CUDA path without a GPU: generated kernels run on the host, and every access is checked.

Tests of values are those of the CPU, with another device behind the same tensors. Each test runs
with some of its sets of parameters, because every kernel costs a run of the C++ compiler;
``--emulate-all`` runs all of them (in about eight minutes).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import emulation
import pytest
from emulated_driver import Driver

from nvfuser.cuda import compiler as nvrtc_compiler

# Sets of parameters a test, spread over all of them.
SAMPLES = 3
TESTS_OF_MANY_EXAMPLES = (
    "test_random_fusions",
    "test_one_fusion_takes_random_sizes",
    "test_random_lookups",
    "test_more_random_graphs",
    "test_more_random_orders",
)


@pytest.fixture
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    """The device that a test puts its tensors on: what is in host memory counts as the device's."""
    with emulation.emulated_device():
        yield "cpu"


@pytest.fixture
def planning_device() -> Iterator[str]:
    """The device of tensors whose kernels are written only."""
    with emulation.emulated_device(runs=False):
        yield "cpu"


@pytest.fixture
def kernels(planning_device: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the kernels that are written."""
    texts: list[str] = []

    def keep(kernel: str, compute_capability: int, **options: Any) -> bytes:
        texts.append(kernel)
        return emulation.skip_kernel(kernel, compute_capability, **options)

    monkeypatch.setattr(nvrtc_compiler, "compile_kernel", keep)
    return texts


@pytest.fixture
def backend() -> str:
    """The kind of kernels that run on the device."""
    return "cuda"


@pytest.fixture(scope="session")
def driver() -> Driver:
    """The emulated driver, with its device's context."""
    return Driver()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    emulated = [item for item in items if here in item.path.parents]
    # A process has one CUDA driver.
    deselected = emulated if config.getoption("--device") == "cuda" else []
    if not deselected and not config.getoption("--emulate-all"):
        deselected = not_sampled(emulated)
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        left_out = set(deselected)
        items[:] = [item for item in items if item not in left_out]


def not_sampled(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests that use the emulated device, but for some of every function."""
    left_out: list[pytest.Item] = []
    of_function: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.name.startswith(TESTS_OF_MANY_EXAMPLES):
            left_out.append(item)
        elif "device" in getattr(item, "fixturenames", ()):
            of_function[item.nodeid.partition("[")[0]].append(item)
    for cases in of_function.values():
        count = min(SAMPLES, len(cases))
        taken = {(2 * k + 1) * len(cases) // (2 * count) for k in range(count)}
        left_out += [case for k, case in enumerate(cases) if k not in taken]
    return left_out
