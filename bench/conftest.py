"""Options and fixtures of the pytest-benchmark suites."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from pytest_benchmark.fixture import BenchmarkFixture

Measure = Callable[[str, Callable[[], Any]], Any]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device", choices=("cpu", "cuda"), default="cpu", help="device that the tensors are on"
    )


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The device that the tensors of a benchmark are on."""
    return request.config.getoption("--device")


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Tiny tensors: more threads would only add noise."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture
def measure(benchmark: BenchmarkFixture) -> Measure:
    """Measure a function that takes well below a millisecond, and return its result.

    The first argument names the table that the result goes to. Many short rounds: the minimum is
    what is compared, and on a busy machine only short rounds find an undisturbed moment.
    """

    def run(table: str, function: Callable[[], Any]) -> Any:
        benchmark.group = table
        result = function()
        gc.collect()
        gc.disable()
        try:
            benchmark.pedantic(function, rounds=500, iterations=200, warmup_rounds=3)
        finally:
            gc.enable()
        return result

    return run
