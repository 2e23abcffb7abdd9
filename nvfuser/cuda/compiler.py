"""Compiles generated CUDA C++ with NVRTC, through caches in memory and on disk.

The way of a kernel: its text, the device library, the device's compute capability and which NVRTC
there is make a key; an image of that key is taken from memory or disk without loading NVRTC,
otherwise what the kernel needs of the library is put in front of it, and it is compiled and stored.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path

from nvfuser import object_cache
from nvfuser.cuda import library, nvrtc
from nvfuser.cuda.nvrtc import CompilationError

__all__ = ["CompilationError", "architecture", "compile_kernel", "options"]

# Part of every key: raise it when something outside of it changes what is generated.
_PIPELINE_VERSION = "2"
# Images in memory, of some tens of kilobytes each.
_MAX_IMAGES = 512
# From here on there are instructions that only code for the very architecture may use.
_FIRST_WITH_VARIANTS = 100

# What prints machine code, with its options, and where it may be besides.
_DISASSEMBLERS = {"nvdisasm": ["--print-code"], "cuobjdump": ["--dump-sass"]}
_CUDA_ROOTS = ("CUDA_HOME", "CUDA_PATH")

_NAME = re.compile(r"(\w+)_phase0\(")
_FUNCTION = re.compile(r"(\w+_phase\d+)\(")

objects = object_cache.ObjectCache("cuda")
_lock = threading.Lock()
object_cache.hold_while_forking(_lock)
# Least recently used first.
_images: OrderedDict[str, bytes] = OrderedDict()


def architecture(compute_capability: int, known: tuple[int, ...]) -> str:
    """Return what to compile for.

    Parameters
    ----------
    compute_capability : int
        Of the device: 10 * major + minor.
    known : tuple of int
        The architectures that NVRTC knows, in the same form, ascending.

    Returns
    -------
    str
        ``sm_90`` and the like for machine code; for a device that is newer than this NVRTC
        ``compute_90`` and the like for PTX, which the driver translates.

    Raises
    ------
    RuntimeError
        If NVRTC has given up devices as old as this one.
    """
    if compute_capability in known:
        variant = "a" if compute_capability >= _FIRST_WITH_VARIANTS else ""
        return f"sm_{compute_capability}{variant}"
    older = [other for other in known if other < compute_capability]
    if not older:
        raise RuntimeError(
            f"The device is of compute capability {compute_capability / 10}, but the installed "
            f"NVRTC compiles for {known[0] / 10} and newer: install an older one"
        )
    return f"compute_{older[-1]}"


def options(architecture: str) -> list[str]:
    """Return the options that kernels are compiled with."""
    return [
        f"--gpu-architecture={architecture}",
        "--std=c++17",
        # Functions of the device library need no `__device__`.
        "--device-as-default-execution-space",
    ]


def compile_kernel(
    kernel: str,
    compute_capability: int,
    *,
    cache: bool = True,
    extra_options: Sequence[str] = (),
    report: Sequence[str] = (),
    to_ptx: bool = False,
) -> bytes:
    """Compile a generated translation unit for a device.

    Parameters
    ----------
    kernel : str
        CUDA C++ that may call the device library.
    compute_capability : int
        Of the device: 10 * major + minor.
    cache : bool
        Whether objects on disk may be used and written. ``NVFUSER_DISABLE_CACHE=1`` wins over it.
    extra_options : sequence of str
        Further options of NVRTC.
    report : sequence of str
        What to tell of the compilation, for which the kernel is compiled in any case: ``log``, what
        the compiler says, ``ptx`` and ``sass`` are printed; ``cubin`` and ``sass_to_file`` are
        written to files.
    to_ptx : bool
        Leave it to the driver to make machine code.

    Returns
    -------
    bytes
        A cubin, or PTX.

    Raises
    ------
    CompilationError
        If NVRTC refuses it.
    RuntimeError
        If there is no NVRTC, or none for this device.
    """
    extra = [*extra_options, *_options_of_environment()]
    key = _key(kernel, compute_capability, [*extra, *(["ptx"] if to_ptx else [])])
    with _lock:
        image = _images.get(key) if not report else None
        if image is not None:
            _images.move_to_end(key)
            object_cache.tell_origin(_FUNCTION.findall(kernel), "the code of an equal kernel")
            return image
    use_disk = cache and object_cache.enabled()
    image = objects.load(key) if use_disk and not report else None
    origin = "from the cache on disk" if image is not None else "by NVRTC"
    if image is None:
        compiler = nvrtc.find()
        target = architecture(compute_capability, compiler.architectures)
        if to_ptx:
            target = target.replace("sm_", "compute_")
        program = compiler.compile(library.source(kernel), [*options(target), *extra])
        image = program.image
        _tell(report, kernel, program)
        if use_disk:
            objects.store(key, image)
    object_cache.tell_origin(_FUNCTION.findall(kernel), origin)
    with _lock:
        _images[key] = image
        if len(_images) > _MAX_IMAGES:
            _images.popitem(last=False)
    return image


def _options_of_environment() -> Iterator[str]:
    registers = os.environ.get("NVFUSER_MAX_REG_COUNT")
    if registers:
        yield f"--maxrregcount={registers}"
    level = os.environ.get("NVFUSER_JIT_OPT_LEVEL")
    if level:
        yield f"--ptxas-options=-O{level}"


def _tell(report: Sequence[str], kernel: str, program: nvrtc.Program) -> None:
    match = _NAME.search(kernel)
    name = match[1] if match else "kernel"
    if "log" in report and program.log.strip():
        print(f"======= The compiler on {name} =======\n{program.log.strip()}", flush=True)
    if "ptx" in report:
        print(f"======= PTX of {name} =======\n{program.ptx}", flush=True)
    if "cubin" in report:
        Path(f"{name}.cubin").write_bytes(program.image)
    if "sass" in report:
        print(f"======= SASS of {name} =======\n{_disassembled(program.image)}", flush=True)
    if "sass_to_file" in report:
        Path(f"{name}.sass").write_text(_disassembled(program.image), encoding="utf-8")


def _disassembled(image: bytes) -> str:
    """Return machine code as text, or why there is none."""
    if not image.startswith(b"\x7fELF"):
        return "None: the kernel was compiled to PTX, which the driver translates."
    folders = [os.environ.get("PATH", os.defpath)]
    folders += [str(Path(root) / "bin") for root in map(os.environ.get, _CUDA_ROOTS) if root]
    for name, options in _DISASSEMBLERS.items():
        program = shutil.which(name, path=os.pathsep.join([*folders, "/usr/local/cuda/bin"]))
        if program is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "kernel.cubin"
            cubin.write_bytes(image)
            result = subprocess.run(
                [program, *options, str(cubin)], capture_output=True, text=True, check=False
            )
        return result.stdout if result.returncode == 0 else f"{program}: {result.stderr.strip()}"
    return (
        f"None: no {' or '.join(_DISASSEMBLERS)} was found on PATH, in CUDA_HOME/bin or in "
        "/usr/local/cuda/bin. They are part of the CUDA toolkit."
    )


def _key(kernel: str, compute_capability: int, extra: Sequence[str] = ()) -> str:
    # The architecture follows from the compute capability and NVRTC.
    return object_cache.key_of(
        _PIPELINE_VERSION,
        nvrtc.identity(),
        library.version(),
        str(compute_capability),
        *options(""),
        *extra,
        kernel,
    )
