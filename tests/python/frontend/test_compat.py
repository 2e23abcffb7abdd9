"""The name of nvFuser's direct bindings as an alias of this package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def run(code: str, *, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    extra = f"import sys; sys.path.insert(0, {str(path)!r})\n" if path is not None else ""
    return subprocess.run(
        [sys.executable, "-c", extra + code], capture_output=True, text=True, check=False
    )


def test_clients_import_by_the_other_name() -> None:
    result = run(
        """
import nvfuser.compat.nvfuser_direct
import nvfuser
import nvfuser_direct
import nvfuser_direct.ops
from nvfuser_direct import DataType, FusionDefinition, ops
from nvfuser_direct.nvfuser_direct_version import NvfuserVersion
from nvfuser_direct.ops import add

assert nvfuser_direct is nvfuser
assert FusionDefinition is nvfuser.FusionDefinition
assert ops is nvfuser.ops and add is nvfuser.ops.add
assert nvfuser_direct.version() > "0.2.34"
"""
    )
    assert result.returncode == 0, result.stderr


def test_submodules_that_need_torch() -> None:
    pytest.importorskip("torch")
    result = run(
        """
import nvfuser.compat.nvfuser_direct
from nvfuser_direct import ParallelType, execute_with_dtensors, multidevice
from nvfuser_direct.multidevice import DeviceMesh
from nvfuser_direct.pytorch_utils import torch_dtype_to_nvfuser_dtype
import nvfuser
assert nvfuser.multidevice is multidevice and nvfuser.multidevice.DeviceMesh is DeviceMesh
assert torch_dtype_to_nvfuser_dtype is nvfuser.pytorch_utils.torch_dtype_to_nvfuser_dtype
"""
    )
    assert result.returncode == 0, result.stderr


def test_opting_in_twice() -> None:
    result = run(
        """
import importlib
import nvfuser.compat.nvfuser_direct as alias
importlib.reload(alias)
import nvfuser, nvfuser_direct
assert nvfuser_direct is nvfuser
"""
    )
    assert result.returncode == 0, result.stderr


def test_without_opting_in_there_is_no_alias() -> None:
    result = run("import nvfuser; import nvfuser_direct")
    assert "No module named 'nvfuser_direct'" in result.stderr


def test_an_installed_one_is_not_shadowed(tmp_path: Path) -> None:
    (tmp_path / "nvfuser_direct.py").write_text("theirs = True\n", encoding="utf-8")
    code = "import nvfuser.compat.nvfuser_direct"
    result = run(code, path=tmp_path)
    assert f"ImportError: nvfuser_direct is installed in {tmp_path}" in result.stderr
    result = run(f"import nvfuser_direct\n{code}", path=tmp_path)
    assert f"ImportError: nvfuser_direct is already imported from {tmp_path}" in result.stderr
