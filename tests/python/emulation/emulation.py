"""Runs CUDA kernels on the host: builds the emulated driver and compiles kernels for it.

``tests/emulation`` says what is emulated. Both need a C++ compiler (``CXX``, else ``g++``); what
was compiled is kept in the package's cache, so that only the first run pays for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nvfuser import _C, interop, object_cache
from nvfuser.cuda import compiler as nvrtc_compiler
from nvfuser.cuda import library
from nvfuser.interop import next_random_state

_REPOSITORY = Path(__file__).resolve().parents[3]
_SOURCES = _REPOSITORY / "tests" / "emulation"

_STANDARD = ["-std=c++20", "-fPIC"]
_DRIVER_FLAGS = [*_STANDARD, "-O2", "-g1", f"-I{_REPOSITORY / 'src'}"]
# Kernels call the emulator before each access to memory and for indices beyond a local array;
# variables that are not initialized hold
# a pattern; CUDA knows no strict aliasing of vectors and their elements.
_KERNEL_FLAGS = [
    *_STANDARD,
    "-O1",
    "-g1",
    "-w",
    "-fsanitize=thread,bounds",
    "-ftrivial-auto-var-init=pattern",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
]
# Of the device that is emulated.
_COMPUTE_CAPABILITY = 90
# What messages call the generated text.
_KERNEL_FILE = "kernel.cu"

_KERNEL = re.compile(
    r"__global__\s+void\s*"
    r"(?:__cluster_dims__\s*\(\s*1\s*,\s*(\d+)\s*,\s*1\s*\)\s*)?"
    r"(?:__launch_bounds__\s*\(\s*(\d+)[^)]*\)\s*)?(\w+)\s*\("
)
_SHARED = re.compile(r"extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w: ]+?)\s+(\w+)\[\];")
_ASSEMBLY = re.compile(r"\basm\s*(?:volatile)?\s*\(\s*((?:\"[^\"]*\"\s*)+):(.*?)\);", re.DOTALL)
_OPERAND = re.compile(r"\"[^\"]*\"\s*\(((?:[^()]|\([^()]*\))*)\)")

_objects = object_cache.ObjectCache("emulation")


class EmulationError(RuntimeError):
    """A kernel that the host's compiler rejects, or no compiler."""


@functools.cache
def _compiler() -> str:
    found = shutil.which(os.environ.get("CXX", "g++"))
    if found is None:
        raise EmulationError("the emulation of CUDA needs g++ (or CXX to name another compiler)")
    return found


@functools.cache
def _sources_key() -> str:
    version = [_compiler(), "--version"]
    text = subprocess.run(version, capture_output=True, text=True, check=True).stdout
    texts = [path.read_text(encoding="utf-8") for path in sorted(_SOURCES.iterdir())]
    return object_cache.key_of(text, *_DRIVER_FLAGS, *_KERNEL_FLAGS, *texts)


@functools.cache
def _folder() -> Path:
    folder = _objects.directory() / _sources_key()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _compile(arguments: Sequence[str], output: Path, source: str | None = None) -> None:
    """Write `output` as a whole or not at all: other processes may look for it."""
    with tempfile.TemporaryDirectory(dir=output.parent) as temporary:
        written = Path(temporary) / output.name
        process = subprocess.run(
            [_compiler(), *arguments, "-o", str(written)],
            capture_output=True,
            text=True,
            check=False,
            cwd=output.parent,
        )
        if process.returncode != 0:
            raise EmulationError(f"{process.stderr}\nin\n{source}" if source else process.stderr)
        written.replace(output)


@functools.cache
def driver() -> Path:
    """Return the shared library that stands for ``libcuda.so.1``."""
    library = _folder() / "libemulated_cuda.so"
    if not library.exists():
        files = [str(path) for path in sorted(_SOURCES.glob("*.cpp"))]
        soname = f"-Wl,-soname,{library.name}"
        _compile([*_DRIVER_FLAGS, "-shared", soname, *files, "-ldl"], library)
    return library


@functools.cache
def _header() -> Path:
    """Return the header in front of all kernels, with its compiled form beside it."""
    header = _folder() / "kernel.h"
    compiled = header.with_name("kernel.h.gch")
    if not compiled.exists():
        header.write_text(f'#include "{_SOURCES / "ptx.h"}"\n', encoding="utf-8")
        _compile([*_KERNEL_FLAGS, "-x", "c++-header", str(header)], compiled)
    return header


def _translate_assembly(match: re.Match[str]) -> str:
    """Make a call, named like the instruction and, where they are not in order, its operands."""
    text = "".join(re.findall(r"\"([^\"]*)\"", match[1])).strip().removesuffix(";")
    if not text:
        return ";"  # only holds a value where it is
    mnemonic, _, operands = text.partition(" ")
    arguments = _OPERAND.findall(match[2])
    in_order = ", ".join(f"%{k}" for k in range(len(arguments)))
    name = mnemonic if operands == in_order else text
    return f"ptx_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_')}({', '.join(arguments)});"


def translate(source: str) -> str:
    """Make CUDA C++ what the host's compiler takes, behind ``device_code.h``."""
    text = _ASSEMBLY.sub(_translate_assembly, source)
    text = _SHARED.sub(r"\1* const \2 = (\1*)emulation::emulated_shared_memory();", text)
    descriptions = "".join(
        f'extern "C" constinit const emulation::KernelDescription emulated_kernel_{name} = '
        f"emulation::describe<&{name}>({threads or 0}, {blocks or 1});\n"
        for blocks, threads, name in _KERNEL.findall(source)
    )
    architecture = f"#define __CUDA_ARCH__ {10 * _COMPUTE_CAPABILITY}"
    return f"{architecture}\n#line 1\n{text}\n{descriptions}"


def compile_source(source: str) -> bytes:
    """Compile CUDA C++ with ``extern "C"`` kernels to what the emulated driver loads as a module.

    Parameters
    ----------
    source : str
        A whole translation unit.

    Returns
    -------
    bytes
        A shared library.
    """
    text = translate(source)
    key = object_cache.key_of(_sources_key(), text)
    module = _objects.load(key)
    if module is None:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            file = folder / _KERNEL_FILE
            file.write_text(f'#include "{_header()}"\n{text}', encoding="utf-8")
            flags = [*_KERNEL_FLAGS, "-c", "-x", "c++", file.name]
            _compile(flags, folder / "kernel.o", source)
            # Linked without -fsanitize: the emulator has the functions that it calls. Without the
            # compiler's own libraries, which the driver brings, it takes no time.
            _compile(["-shared", "-nostdlib", "kernel.o", str(driver())], folder / "kernel.so")
            module = (folder / "kernel.so").read_bytes()
        _objects.store(key, module)
    return module


def compile_kernel(kernel: str, compute_capability: int, **_options: Any) -> bytes:
    """Take the place of ``nvfuser.cuda.compiler.compile_kernel``."""
    assert compute_capability == _COMPUTE_CAPABILITY, "not that of the emulated device"
    return compile_source(library.source(kernel))


_ANY_KERNEL = """#include "{interface}"
extern "C" const emulation::KernelDescription emulated_any_kernel;
constinit const emulation::KernelDescription emulated_any_kernel{{}};
"""


@functools.cache
def _module_of_any_kernel() -> bytes:
    """Return a module that has every kernel; launches of these do nothing."""
    module = _folder() / "any_kernel.so"
    if not module.exists():
        file = _folder() / "any_kernel.cpp"
        text = _ANY_KERNEL.format(interface=_SOURCES / "interface.h")
        file.write_text(text, encoding="utf-8")
        _compile([*_STANDARD, "-shared", file.name], module, text)
    return module.read_bytes()


def skip_kernel(kernel: str, compute_capability: int, **_options: Any) -> bytes:
    """Take the place of ``nvfuser.cuda.compiler.compile_kernel`` where no kernel is to run."""
    assert compute_capability == _COMPUTE_CAPABILITY, "not that of the emulated device"
    return _module_of_any_kernel()


# ---------------------------------------------------------------- torch

_CAPSULE = b"dlpack_exchange_api"


@functools.cache
def _emulated_exchange_api() -> Any:
    """Return a capsule like torch's, for which CPU tensors are on the emulated device."""
    import torch

    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    emulator = ctypes.CDLL(str(driver()))
    emulator.emulation_exchange_api.restype = ctypes.c_void_p
    emulator.emulation_exchange_api.argtypes = [ctypes.c_void_p]
    original = api.PyCapsule_GetPointer(torch.Tensor.__dlpack_c_exchange_api__, _CAPSULE)
    return api.PyCapsule_New(emulator.emulation_exchange_api(original), _CAPSULE, None)


def _empty_strided(sizes: Sequence[int], strides: Sequence[int], dtype: Any) -> Any:
    """Allocate an output on the emulated device: in every floating-point type it holds NaN."""
    import torch

    tensor = torch.empty_strided(sizes, strides, dtype=dtype)
    storage = tensor.untyped_storage()
    ctypes.memset(storage.data_ptr(), 0xFF, storage.nbytes())
    return tensor


def launch_count() -> int:
    """Return how many kernels the emulated device has run."""
    emulator = ctypes.CDLL(str(driver()))
    emulator.emulation_launch_count.restype = ctypes.c_int64
    return int(emulator.emulation_launch_count())


def set_inaccuracy(part: float) -> None:
    """Make approximate instructions inaccurate: by a part, from -1 to 1, of what CUDA allows."""
    emulator = ctypes.CDLL(str(driver()))
    emulator.emulation_set_inaccuracy.restype = None
    emulator.emulation_set_inaccuracy.argtypes = [ctypes.c_double]
    emulator.emulation_set_inaccuracy(part)


@contextlib.contextmanager
def _replaced(replacements: Sequence[tuple[Any, str, Any]]) -> Iterator[None]:
    missing = object()
    originals = [getattr(owner, name, missing) for owner, name, _ in replacements]
    for owner, name, value in replacements:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for (owner, name, _), value in zip(replacements, originals, strict=True):
            if value is missing:
                delattr(owner, name)
            else:
                setattr(owner, name, value)


@contextlib.contextmanager
def emulated_device(runs: bool = True) -> Iterator[None]:
    """Treat torch's CPU tensors as tensors of the emulated CUDA device, its stream as the null one.

    Only while the context lasts: what nvfuser found of torch and of CUDA is looked up again at both
    ends.

    Parameters
    ----------
    runs : bool
        Whether kernels are compiled and run. Otherwise they are scheduled and written only, which
        is much faster, and results hold no values.
    """
    import torch
    from torch._C._dynamo import guards

    replacements: list[tuple[Any, str, Any]] = [
        (torch.Tensor, "__dlpack_c_exchange_api__", _emulated_exchange_api()),
        (guards, "_empty_strided_cuda", _empty_strided),
        (torch._C, "_cuda_getDevice", lambda: 0),
        (nvrtc_compiler, "compile_kernel", compile_kernel if runs else skip_kernel),
        (interop, "next_random_state", lambda device, count: next_random_state("cpu", count)),
    ]
    with contextlib.ExitStack() as stack:
        # Last, when everything is as it was.
        stack.callback(_C.configure_torch_interop)
        stack.enter_context(_replaced(replacements))
        # In torch's objects the tensors are on the CPU.
        _C.configure_torch_interop(read_tensor_layout=False)
        _C.use_cuda_driver(str(driver()))
        stack.callback(_C.use_cuda_driver, None)
        stack.callback(ctypes.CDLL(str(driver())).emulation_outdate_registered)
        yield
