"""What the tests of programs of PyTorch share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from nvfuser.frontend.dynamo import nvfuser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "frontend_torch" in str(item.path):
            # Graphs are large, and calls of Python functions mean something to one process only.
            item.add_marker("no_round_trip")
            # Of torch, about itself.
            item.add_marker(pytest.mark.filterwarnings("ignore::DeprecationWarning"))
            item.add_marker(pytest.mark.filterwarnings("ignore::FutureWarning"))


@pytest.fixture
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@pytest.fixture
def compiled(fresh_dynamo: None) -> Callable[..., Any]:
    """Compile with errors in place of graphs, or operations, that are left to torch."""

    def compile_strictly(function: Any, *, options: Any = None, **settings: Any) -> Any:
        options = {"strict": True, **(options or {})}
        return torch.compile(function, backend=nvfuser, options=options, **settings)

    return compile_strictly
