"""What was built: the tag of the wheel, its content, and what its extension needs to load.

Nothing is built here. Without an option the installed distribution is inspected; with
``--wheel FILE`` also that file, which must then be the one that is installed.
"""

from __future__ import annotations

import importlib.metadata
import io
import platform
import re
import zipfile
import zlib
from pathlib import Path, PurePosixPath

import abi3info
import pytest
from abi3info.models import PyVersion, Symbol
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection

from nvfuser import _C

pytestmark = pytest.mark.no_torch

# The oldest CPython that the extension is for.
STABLE_ABI = PyVersion(3, 10)

SIZE_LIMIT = 10 * 1000 * 1000

# Part of every Linux; a versioned symbol is in one of these.
SYSTEM_LIBRARIES = re.compile(
    r"(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt|ld-linux-(x86-64|aarch64))\.so\.\d+"
)
SYSTEM_SYMBOL_VERSIONS = re.compile(r"(GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+")


@pytest.fixture(scope="module")
def wheel_metadata() -> list[str]:
    """The lines of the file WHEEL of the installed distribution."""
    text = importlib.metadata.distribution("nvfuser").read_text("WHEEL")
    assert text is not None
    return text.splitlines()


@pytest.fixture(scope="module")
def extension() -> bytes:
    return Path(_C.__file__).read_bytes()


@pytest.fixture(scope="module")
def elf(extension) -> ELFFile:
    return ELFFile(io.BytesIO(extension))


@pytest.fixture(scope="module")
def dynamic_symbols(elf) -> list[tuple[str, str, str, str | None]]:
    """Name, section index, binding and library version of every dynamic symbol."""
    table = elf.get_section_by_name(".dynsym")
    versions = elf.get_section_by_name(".gnu.version")
    needed = elf.get_section_by_name(".gnu.version_r")
    assert isinstance(table, SymbolTableSection)
    assert isinstance(versions, GNUVerSymSection)
    assert isinstance(needed, GNUVerNeedSection)
    names = {
        auxiliary.entry["vna_other"]: auxiliary.name
        for _, auxiliaries in needed.iter_versions()
        for auxiliary in auxiliaries
    }
    return [
        (
            symbol.name,
            symbol["st_shndx"],
            symbol["st_info"]["bind"],
            names.get(versions.get_symbol(index)["ndx"]),
        )
        for index, symbol in enumerate(table.iter_symbols())
        if symbol.name
    ]


def test_tag_is_abi3_for_cpython_310(wheel_metadata):
    tags = [line.removeprefix("Tag: ") for line in wheel_metadata if line.startswith("Tag: ")]
    assert tags
    for tag in tags:
        assert re.fullmatch(rf"cp310-abi3-\w*linux\w*_{platform.machine()}", tag)
    assert "Root-Is-Purelib: false" in wheel_metadata


def test_extension_is_one_stable_abi_file(extension):
    assert Path(_C.__file__).name == "_C.abi3.so"
    # Deflate is what a wheel uses, and the extension is what is large in it.
    assert len(zlib.compress(extension)) < SIZE_LIMIT


def test_typing_files_are_installed():
    files = importlib.metadata.files("nvfuser")
    assert files is not None
    stubs = {str(file): file for file in files if file.suffix == ".pyi"}
    # A folder where the extension has submodules.
    stub = stubs.get("nvfuser/_C.pyi") or stubs["nvfuser/_C/__init__.pyi"]
    text = Path(str(stub.locate())).read_text()
    assert "def build_info() -> dict[str, object]" in text
    # Its own types are named by where they are imported from.
    assert not re.search(r"^import _C\b", text, re.MULTILINE)


def test_dependencies_leave_torch_to_the_user():
    requirements = importlib.metadata.requires("nvfuser")
    assert requirements is not None
    required = {re.split(r"[^\w-]", line)[0] for line in requirements if "extra ==" not in line}
    assert required == {"nanobind-backend", "llvmlite", "packaging"}


def test_extension_needs_only_system_libraries(elf):
    dynamic = elf.get_section_by_name(".dynamic")
    assert isinstance(dynamic, DynamicSection)
    needed = [tag.needed for tag in dynamic.iter_tags("DT_NEEDED")]
    assert "libc.so.6" in needed
    assert [name for name in needed if not SYSTEM_LIBRARIES.fullmatch(name)] == []
    assert list(dynamic.iter_tags("DT_RPATH")) == []
    assert list(dynamic.iter_tags("DT_RUNPATH")) == []


def test_extension_needs_no_symbol_outside_the_stable_abi(dynamic_symbols):
    python_symbols = []
    foreign = []
    for name, section, binding, version in dynamic_symbols:
        if section != "SHN_UNDEF":
            continue
        if version is not None:
            if not SYSTEM_SYMBOL_VERSIONS.fullmatch(version):
                foreign.append(f"{name}@{version}")
        elif re.match(r"_?Py", name):
            python_symbols.append(name)
        elif binding != "STB_WEAK":
            # Weak ones are hooks of the toolchain (__gmon_start__) and may stay unresolved.
            foreign.append(name)
    assert foreign == []

    stable = {**abi3info.FUNCTIONS, **abi3info.DATAS}
    too_new = []
    for name in python_symbols:
        item = stable.get(Symbol(name))
        if item is None or item.added > STABLE_ABI or item.ifdef is not None:
            too_new.append(name)
    assert "PyUnicode_FromString" in python_symbols
    assert too_new == []


def test_extension_exports_only_its_entry_point(dynamic_symbols):
    exported = [name for name, section, _, _ in dynamic_symbols if section != "SHN_UNDEF"]
    assert exported == ["PyInit__C"]


@pytest.mark.wheel_file
def test_wheel_file_is_the_installed_one(request, extension):
    """The file that was built is the file under test, byte for byte."""
    path = request.config.getoption("--wheel")
    version = importlib.metadata.version("nvfuser")
    platforms = rf"\w*linux\w*_{platform.machine()}"
    assert re.fullmatch(
        rf"nvfuser-{re.escape(version)}-cp310-abi3-{platforms}(\.{platforms})*\.whl", path.name
    )
    assert path.stat().st_size < SIZE_LIMIT
    with zipfile.ZipFile(path) as archive:
        names = set(archive.namelist())
        assert archive.read("nvfuser/_C.abi3.so") == extension
    assert {"nvfuser/__init__.py", "nvfuser/py.typed"} <= names
    assert {"nvfuser/_C.pyi", "nvfuser/_C/__init__.pyi"} & names
    # One package and its metadata, nothing of the build.
    assert [name for name in names if not re.match(r"nvfuser(-[\d.]+\.dist-info)?/", name)] == []
    assert [name for name in names if name.startswith("nvfuser/llvm/generator/")] == []
    suffixes = {PurePosixPath(name).suffix for name in names if name.startswith("nvfuser/")}
    assert suffixes <= {".cuh", ".ll", ".py", ".pyi", ".so", ".typed"}


@pytest.mark.wheel_file
def test_wheel_file_says_that_it_is_typed(request):
    with zipfile.ZipFile(request.config.getoption("--wheel")) as wheel:
        assert "nvfuser/py.typed" in wheel.namelist()
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = wheel.read(name).decode()
    assert "\nClassifier: Typing :: Typed\n" in metadata
