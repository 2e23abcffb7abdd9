"""NVRTC, the run-time compiler of CUDA C++: finding its library and calling it."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.machinery import PathFinder
from pathlib import Path

# The oldest version whose libraries and options are known to do.
_OLDEST = (12, 0)

# Once NVRTC has compiled for a debugger, it leaves out optimizations of all that it compiles
# afterwards in that process (seen of 12.9 and 13.5).
_OPTIONS_THAT_STAY = frozenset(["--device-debug", "-G"])

_NAME = re.compile(r"libnvrtc(?:-[0-9a-f]+)?\.so(?:\.(\d+)(?:[.\d]*))?")


class CompilationError(RuntimeError):
    """CUDA C++ that could not be compiled; the message holds an excerpt of it."""


@dataclass(frozen=True)
class Program:
    """What a compilation gives.

    Attributes
    ----------
    image : bytes
        A cubin, or PTX, for the driver to load.
    log : str
        Warnings.
    ptx : str
        What machine code was made from.
    """

    image: bytes
    log: str
    ptx: str


class Nvrtc:
    """One loaded NVRTC library. All methods may be called from any thread.

    Parameters
    ----------
    path : str
        The library, as the dynamic loader takes it.

    Attributes
    ----------
    path : str
        The library.
    version : tuple of int
        Major and minor version of CUDA.
    architectures : tuple of int
        Compute capabilities that it compiles for, 10 * major + minor, ascending.

    Raises
    ------
    OSError
        If it cannot be loaded, or has not all functions.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._library = ctypes.CDLL(path)
        try:
            self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
            self._get_cubin = self._library.nvrtcGetCUBIN
        except AttributeError as error:
            raise OSError(f"{path} is no usable NVRTC: {error}") from error
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        self.version = (major.value, minor.value)
        self._load_builtins()
        count = ctypes.c_int()
        self._check("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        known = (ctypes.c_int * count.value)()
        self._check("nvrtcGetSupportedArchs", known)
        self.architectures = tuple(sorted(known))

    def _load_builtins(self) -> None:
        """Load the library that this one opens by name: some builds do not look beside them."""
        major, minor = self.version
        builtins = Path(self.path).parent / f"libnvrtc-builtins.so.{major}.{minor}"
        if builtins.is_absolute() and builtins.is_file():
            ctypes.CDLL(str(builtins))

    def _check(self, function: str, *arguments: object) -> None:
        status = getattr(self._library, function)(*arguments)
        if status != 0:
            text = self._library.nvrtcGetErrorString(status).decode()
            raise RuntimeError(f"{function} of {self.path} failed: {text}")

    def compile(self, source: str, options: list[str]) -> Program:
        """Compile a translation unit.

        Parameters
        ----------
        source : str
            CUDA C++.
        options : list of str
            As of NVRTC. Compiled for a ``compute_XY`` architecture, the image is PTX.

        Returns
        -------
        Program

        Raises
        ------
        CompilationError
            If NVRTC refuses it.
        RuntimeError
            If it is to be compiled for a debugger, which another process does, and that ends.
        """
        if not _OPTIONS_THAT_STAY.isdisjoint(options):
            return self._compile_apart(source, options)
        return self._compile(source, options)

    def _compile_apart(self, source: str, options: list[str]) -> Program:
        """Compile in a process of its own, which runs this file."""
        result = subprocess.run(
            [sys.executable, "-I", __file__, self.path, *options],
            input=source.encode(),
            capture_output=True,
            check=False,
        )
        if result.returncode != 0:
            raise RuntimeError(
                f"{sys.executable or 'Python'} ended with {result.returncode} while it compiled a "
                f"kernel with {' '.join(options)}: {result.stderr.decode(errors='replace').strip()}"
            )
        answer = json.loads(result.stdout)
        if "error" in answer:
            raise CompilationError(answer["error"])
        return Program(bytes.fromhex(answer["image"]), answer["log"], answer["ptx"])

    def _compile(self, source: str, options: list[str]) -> Program:
        handle = ctypes.c_void_p()
        self._check(
            "nvrtcCreateProgram", ctypes.byref(handle), source.encode(), b"kernel.cu", 0, None, None
        )
        try:
            given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
            status = self._library.nvrtcCompileProgram(handle, len(options), given)
            log = self._read("nvrtcGetProgramLog", handle).rstrip(b"\0").decode(errors="replace")
            if status != 0:
                text = self._library.nvrtcGetErrorString(status).decode()
                raise CompilationError(_describe(f"{text}\n{log.strip()}", source))
            kind = "PTX" if any("compute_" in option for option in options) else "CUBIN"
            ptx = self._read("nvrtcGetPTX", handle).rstrip(b"\0").decode()
            return Program(self._read(f"nvrtcGet{kind}", handle), log, ptx)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(handle))

    def _read(self, function: str, handle: ctypes.c_void_p) -> bytes:
        size = ctypes.c_size_t()
        self._check(f"{function}Size", handle, ctypes.byref(size))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(function, handle, buffer)
        return buffer.raw


_ERROR_LINE = re.compile(r"kernel\.cu\((\d+)\): error")


def _describe(message: str, source: str) -> str:
    """NVRTC's message and the lines that the first error is about."""
    lines = source.splitlines()
    match = _ERROR_LINE.search(message)
    center = int(match[1]) if match else 1
    first = max(0, center - 6)
    excerpt = "\n".join(
        f"{'>' if number == center and match else ' '} {number:5} | {lines[number - 1]}"
        for number in range(first + 1, min(len(lines), first + 12) + 1)
    )
    return f"NVRTC could not compile a generated kernel: {message}\n{excerpt}"


@functools.cache
def find() -> Nvrtc:
    """Return the NVRTC to use: the one that torch brought, else one that is installed.

    ``NVFUSER_NVRTC`` names another library.

    Raises
    ------
    RuntimeError
        If there is none that can be loaded; the message says where it was looked for.
    """
    problems = []
    for path in _candidates():
        try:
            nvrtc = Nvrtc(path)
        except OSError as error:
            problems.append(str(error))
            continue
        if nvrtc.version >= _OLDEST:
            return nvrtc
        problems.append(
            f"{path} is of CUDA {nvrtc.version[0]}.{nvrtc.version[1]}, which is too old"
        )
    tried = "".join(f"\n  {problem}" for problem in problems) or " nothing was found"
    raise RuntimeError(
        "Running a fusion on CUDA needs NVRTC, CUDA's run-time compiler, which comes with CUDA "
        "builds of torch; without one, install it with `pip install nvidia-cuda-nvrtc`, or name "
        f"its library in NVFUSER_NVRTC. Tried:{tried}"
    )


@functools.cache
def identity() -> str:
    """Return what tells the NVRTC to use from others, without loading it.

    Loading takes longer than reading a kernel from the cache on disk, for which this is needed.
    """
    for path in _candidates():
        file = Path(path).resolve()
        if file.is_file():
            return f"{file.name} of {file.stat().st_size} bytes"
    return ".".join(str(number) for number in find().version)


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("NVFUSER_NVRTC")
    if chosen:
        yield chosen
        return
    # What torch was built with works with the driver that torch works with; beyond that, new is
    # better than old, and the order of the folders decides.
    major = _torch_cuda_major()
    others = []
    for folder in _folders():
        for path in _libraries(folder):
            if _major_of(path) == major:
                yield path
            else:
                others.append(path)
    yield from sorted(dict.fromkeys(others), key=lambda path: -_major_of(path))
    system = ctypes.util.find_library("nvrtc")
    if system is not None:
        yield system
    yield from ("libnvrtc.so.13", "libnvrtc.so.12")


def _folders() -> Iterator[Path]:
    """Where packages and toolkits put the library."""
    package = PathFinder.find_spec("nvidia")
    for entry in (package.submodule_search_locations or []) if package is not None else []:
        yield Path(entry) / "cuda_nvrtc" / "lib"
        for folder in sorted(Path(entry).glob("cu[0-9]*")):
            yield folder / "lib"
    torch = PathFinder.find_spec("torch")
    if torch is not None and torch.origin is not None:
        yield Path(torch.origin).parent / "lib"
    yield Path(sys.prefix) / "lib"  # conda
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield Path(os.environ[variable]) / "lib64"
    for folder in sorted(Path("/usr/local").glob("cuda*"), reverse=True):
        yield folder / "lib64"


def _libraries(folder: Path) -> list[str]:
    try:
        names = sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
    except OSError:
        return []
    return [str(folder / name) for name in names]


def _major_of(path: str) -> int:
    match = _NAME.fullmatch(Path(path).resolve().name)
    return int(match[1]) if match and match[1] else 0


def _torch_cuda_major() -> int | None:
    torch = sys.modules.get("torch")
    version = getattr(getattr(torch, "version", None), "cuda", None)
    return int(version.split(".")[0]) if version else None


def _answer(path: str, *options: str) -> None:
    """Compile what standard input holds, and print the program or the error as JSON."""
    source = sys.stdin.buffer.read().decode()
    try:
        program = Nvrtc(path)._compile(source, list(options))
    except CompilationError as error:
        answer = {"error": str(error)}
    else:
        answer = asdict(program) | {"image": program.image.hex()}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    _answer(*sys.argv[1:])
