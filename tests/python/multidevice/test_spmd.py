"""Fusions of several devices: starts processes that run the tests of ``spmd`` together."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from processes import run_together

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.skipif(
    not torch.distributed.is_available(), reason="this torch is built without torch.distributed"
)

SPMD = Path(__file__).parent / "spmd"
# Of all tests. What hangs ends by itself, by the process group's limit.
SECONDS = 400


@pytest.mark.parametrize("size", [4, 2])
def test_together(size: int, tmp_path: Path) -> None:
    # All files in one go: importing torch takes each process longer than most of them.
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-p", "no:xdist", "-o", "python_files=spmd_*.py", str(SPMD)]
    results = run_together(command, size, tmp_path, SECONDS)
    failed = [rank for rank, (status, _) in enumerate(results) if status != 0]
    assert not failed, "\n".join(f"--- rank {rank}\n{results[rank][1][-8000:]}" for rank in failed)
