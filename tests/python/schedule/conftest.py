"""What the tests of schedules share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from nvfuser.llvm import compiler


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The LLVM IR of the kernels that a test compiles for the CPU."""
    found: list[str] = []
    compile_ir = compiler.compile_ir

    def keep(text: str, *arguments: Any, **options: Any) -> Any:
        found.append(text)
        return compile_ir(text, *arguments, **options)

    monkeypatch.setattr(compiler, "compile_ir", keep)
    yield found
    assert found, "nothing was compiled: other tests use the same kernels"
