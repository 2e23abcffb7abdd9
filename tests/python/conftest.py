"""Options and fixtures shared by the Python tests."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device",
        choices=("cpu", "cuda"),
        default="cpu",
        help="device that the tests put their tensors on",
    )
    parser.addoption(
        "--wheel",
        type=Path,
        default=None,
        help="wheel file to inspect; it must be the one that is installed",
    )


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> str:
    """The device that a test puts its tensors on."""
    return request.config.getoption("--device")


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
