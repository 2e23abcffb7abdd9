"""Options and fixtures shared by the Python tests."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

# The helpers, and the tests that run once more on the emulated device.
sys.path += [str(folder) for folder in sorted(Path(__file__).parent.glob("[a-z]*/"))]

# How many random programs a test tries where no time is given.
PROGRAMS = 150


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        choices=("cpu", "cuda"),
        default=None,
        help="device that the tests put their tensors on; default: cuda if there is one",
    )
    parser.addoption(
        "--emulate-all",
        action="store_true",
        help="run every test of values on the emulated CUDA device, not only some of each",
    )
    parser.addoption(
        "--wheel",
        type=Path,
        default=None,
        help="wheel file to inspect; it must be the one that is installed",
    )
    parser.addoption(
        "--fuzz-minutes",
        type=float,
        default=None,
        help="time for which each test of random programs tries others than in every other run",
    )
    parser.addoption(
        "--seed",
        type=int,
        default=0,
        help="seed of the random numbers that each test computes with",
    )
    parser.addoption(
        "--all-operators",
        action="store_true",
        help="compare all samples of torch's database of operators, not one of each",
    )
    parser.addoption(
        "--training-steps",
        type=int,
        default=30,
        help="steps for which the losses of a small GPT are compared with those of eager mode",
    )
    parser.addoption(
        "--record-kernels",
        type=Path,
        default=None,
        help="zip file to write the text of every compiled kernel to (see kernel_texts.py)",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Every kernel is checked between the passes over it, in the processes that tests start as well.
    os.environ.setdefault("NVFUSER_ENABLE", "verify_kernels")
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        # The processes share the cores; set before torch is imported, by what they start as well.
        threads = max(1, (os.cpu_count() or 1) // workers)
        os.environ.setdefault("OMP_NUM_THREADS", str(threads))
    recording = config.getoption("--record-kernels")
    if recording is not None:
        if workers > 1 or config.getoption("numprocesses", None):
            raise pytest.UsageError("--record-kernels needs one process: leave out -n")
        from kernel_texts import Recorder

        config.pluginmanager.register(Recorder(recording))
    # The device that is there, where none was asked for.
    if config.getoption("--device") is None:
        config.option.device = "cuda" if _has_cuda() else "cpu"


def _has_cuda() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available()


def pytest_report_header(config: pytest.Config) -> str:
    return f"device: {config.getoption('--device')}"


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The device that a test puts its tensors on."""
    return request.config.getoption("--device")


@pytest.fixture
def seeds(request: pytest.FixtureRequest) -> Iterator[int]:
    """Numbers of the random programs that a test tries: the same ones, or any for some time."""
    minutes = request.config.getoption("--fuzz-minutes")
    return iter(range(PROGRAMS)) if minutes is None else _seeds_for(60 * minutes)


def _seeds_for(seconds: float) -> Iterator[int]:
    end = time.monotonic() + seconds
    numbers = random.SystemRandom()
    while time.monotonic() < end:
        yield numbers.getrandbits(32)


@pytest.fixture(autouse=True)
def random_numbers(request: pytest.FixtureRequest) -> None:
    """Draw the same numbers in every run, whichever tests run before: a failure comes again."""
    seed = request.config.getoption("--seed")
    random.seed(seed)
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(seed)


@pytest.fixture
def backend(device: str) -> str:
    """The kind of kernels that run on `device`: the emulated one has CUDA's."""
    return device


@pytest.fixture(autouse=True)
def round_trip(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that every fusion that a test defines can be printed and saved."""
    if request.node.get_closest_marker("no_round_trip") is None:
        from round_trip import leave_and_check

        from nvfuser import FusionDefinition

        monkeypatch.setattr(FusionDefinition, "__exit__", leave_and_check)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what the options do not ask for: it is not skipped, it does not apply."""
    left_out = set()
    if config.getoption("--device") != "cuda":
        left_out.add("cuda")
    if config.getoption("--wheel") is None:
        left_out.add("wheel_file")
    selected, deselected = [], []
    for item in items:
        applies = left_out.isdisjoint(mark.name for mark in item.iter_markers())
        (selected if applies else deselected).append(item)
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = selected
