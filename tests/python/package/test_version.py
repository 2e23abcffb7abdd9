"""The version: a plain string that compares like a package version."""

from __future__ import annotations

import importlib.metadata
import operator
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.version import Version as PackagingVersion

import nvfuser
from nvfuser import _C
from nvfuser.nvfuser_direct_version import NvfuserVersion, Version

pytestmark = pytest.mark.no_torch

COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}


def test_version_is_the_version_of_the_package():
    assert nvfuser.version() is nvfuser.__version__
    assert isinstance(nvfuser.version(), NvfuserVersion)
    release, _, build = nvfuser.version().partition("+")
    assert release == importlib.metadata.version("nvfuser")
    assert re.fullmatch(r"\d+\.\d+\.\d+", release)
    assert re.fullmatch(r"(git[0-9a-f]{7,40})?", build)


def test_extension_and_package_agree():
    assert str(nvfuser.__version__) == _C.__version__ == _C.build_info()["version"]


def test_version_is_above_the_last_of_the_peer():
    assert nvfuser.version() > "0.2.34"
    assert nvfuser.version() >= PackagingVersion("0.2.36")


@pytest.mark.parametrize("symbol", COMPARISONS)
@pytest.mark.parametrize("left", ["0.2.9", "0.2.10", "0.3.0", "0.3.0+git0123abc", "1.0"])
@pytest.mark.parametrize("right", ["0.2.10", "0.3.0", "0.3.0+gitfffffff", "0.10", "1.0.0"])
def test_comparison_follows_package_versions(left, right, symbol):
    compare = COMPARISONS[symbol]
    expected = compare(PackagingVersion(left.split("+")[0]), PackagingVersion(right.split("+")[0]))
    assert compare(NvfuserVersion(left), right) is expected
    assert compare(NvfuserVersion(left), NvfuserVersion(right)) is expected
    assert compare(NvfuserVersion(left), PackagingVersion(right)) is expected
    # Reflected: the string and the packaging version on the left.
    assert compare(left, NvfuserVersion(right)) is expected


@pytest.mark.parametrize("symbol", COMPARISONS)
@pytest.mark.parametrize("other", [None, 3, 0.3, (0, 3, 0), b"0.3.0"])
def test_comparison_with_another_type_is_an_error(other, symbol):
    with pytest.raises(ValueError, match=f"not with {type(other).__name__}"):
        COMPARISONS[symbol](NvfuserVersion("0.3.0"), other)


def test_it_is_a_plain_string_otherwise():
    version = NvfuserVersion("0.3.0+git0123abc")
    assert isinstance(version, str)
    assert f"{version}" == "0.3.0+git0123abc"
    assert version.split("+") == ["0.3.0", "git0123abc"]
    assert {version: 1}["0.3.0+git0123abc"] == 1


def test_version_factory():
    assert Version("0.3.0") == PackagingVersion("0.3.0")


def test_import_needs_neither_torch_nor_packaging():
    """Both are slow to import, and torch may be missing altogether."""
    script = (
        "import sys, nvfuser; nvfuser.version(); "
        "print(sorted({'torch', 'packaging', 'numpy', 'llvmlite'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd="/"
    )
    assert done.stdout.strip() == "[]"


def test_checkout_without_extension_uses_the_installed_package(tmp_path):
    """As `python -m nvfuser` does in the root of a checkout after `pip install .`."""
    sources = Path(nvfuser.__file__).parent
    checkout = tmp_path / "checkout" / "nvfuser"
    installed = tmp_path / "site" / "nvfuser"
    for package in (checkout, installed):
        package.mkdir(parents=True)
        shutil.copy(sources / "__init__.py", package)
    for module in sources.glob("*.py"):
        shutil.copy(module, installed)
    for folder in ("compat", "ops"):
        shutil.copytree(sources / folder, installed / folder)
    shutil.copy(_C.__file__, installed)
    # A build leaves the stubs of the extension beside the sources.
    (checkout / "_C").mkdir()
    script = (
        "import sys\n"
        "sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in str(f)]\n"
        f"sys.path.insert(1, {str(installed.parent)!r})\n"
        "import nvfuser, nvfuser._C\n"
        "print(nvfuser.__file__, nvfuser.nvfuser_direct_version.__file__, nvfuser._C.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=checkout.parent,
    )
    assert done.stdout.split() == [
        str(checkout / "__init__.py"),
        str(installed / "nvfuser_direct_version.py"),
        str(installed / "_C.abi3.so"),
    ]


def test_checkout_without_any_extension_says_what_to_do(tmp_path):
    (tmp_path / "nvfuser").mkdir()
    shutil.copy(nvfuser.__file__, tmp_path / "nvfuser" / "__init__.py")
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import nvfuser"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "ImportError" in done.stderr
    assert "run `pip install .`" in done.stderr
