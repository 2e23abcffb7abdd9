"""Code in an interpreter of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nvfuser


def run_python(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a folder of tests: it finds the same package, that folder and the helpers."""
    paths = [folder, Path(__file__).parent, Path(nvfuser.__file__).parents[1]]
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
