"""torch's database of operators: graphs of each compute what eager mode does.

A sample of every other one is compared, and with ``--all-operators`` all samples of each in ten
dtypes, with gradients.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from nvfuser.frontend import jit as jit_module
from nvfuser.frontend.settings import Settings

pytest.importorskip("expecttest", reason="torch's database of operators needs it")

from operator_database import DOORS, OPERATORS, Outcome, compare, dtypes_of

# A sample takes a tenth of a second, and more with gradients.
EVERY = 2
WITH_GRADIENTS = 16


@pytest.fixture(autouse=True)
def without_warnings() -> Iterator[None]:
    """Samples of what is deprecated are samples, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be left to torch is an error: it is counted, not compared with itself."""
    monkeypatch.setattr(jit_module, "Settings", lambda: Settings(strict=True))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" not in metafunc.fixturenames:
        return
    device = metafunc.config.getoption("--device")
    names = [op.formatted_name for op in OPERATORS]
    if not metafunc.config.getoption("--all-operators"):
        # Every other one, through one door and the other in turn.
        cases = [
            (i, dtype, tuple(DOORS)[i // EVERY % 2])
            for i in range(0, len(names), EVERY)
            for dtype in dtypes_of(OPERATORS[i], device)[:1]
        ]
    else:
        cases = [
            (i, dtype, door)
            for i, op in enumerate(OPERATORS)
            for dtype in dtypes_of(op, device)
            for door in DOORS
        ]
    ids = [f"{names[i]}-{str(dtype).removeprefix('torch.')}-{door}" for i, dtype, door in cases]
    metafunc.parametrize(("number", "dtype", "door"), cases, ids=ids)


@pytest.mark.usefixtures("strict")
def test_operator(
    number: int,
    dtype: torch.dtype,
    door: str,
    device: str,
    request: pytest.FixtureRequest,
    record_property: Callable[[str, object], None],
) -> None:
    op: Any = OPERATORS[number]
    outcome = Outcome()
    if request.config.getoption("--all-operators"):
        compare(op, device, dtype, outcome, door=door)
    else:
        has_gradients = number % WITH_GRADIENTS == 0
        compare(op, device, dtype, outcome, door=door, samples=1, gradients=has_gradients)
    record_property("samples", outcome.samples)
    record_property("compared", outcome.compared)


def test_most_operators_are_generated(device: str) -> None:
    names = ("add", "softmax", "nn.functional.layer_norm", "var_mean", "where", "cumsum")
    for op in OPERATORS:
        if op.formatted_name in names:
            outcome = Outcome()
            compare(op, device, dtypes_of(op, device)[0], outcome, samples=2)
            assert outcome.kind() == "generated", (op.formatted_name, outcome.called, outcome.eager)
