"""Show versions, devices, threads and the cache of compiled kernels.

What a bug report should contain.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import nvfuser
from nvfuser import _C
from nvfuser.cli.machine import openmp_runtimes, usable_cores
from nvfuser.cuda import nvrtc

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--tuning",
        action="store_true",
        help="the numbers that schedulers decide by, and nothing else",
    )


def run(options: argparse.Namespace) -> None:
    """Print the report."""
    if options.tuning:
        for name, value, unit, meaning, evidence in _C._describe_tuning():
            print(f"{name} = {value:g} {unit}: {meaning} ({evidence})")
        return
    for section in (_versions, _devices, _threads, _cuda, _cache, _environment):
        title = section.__name__.strip("_")
        print(title.upper() if section is _cuda else title.capitalize())
        for name, value in section():
            print(f"  {name:<18} {value}")


def _versions() -> Iterator[tuple[str, str]]:
    build = _C.build_info()
    details = ", ".join(f"{name} {value}" for name, value in build.items() if name != "version")
    yield "nvfuser", f"{nvfuser.__version__} ({details})"
    yield "Python", f"{platform.python_version()} ({platform.platform()})"
    for package in ("torch", "llvmlite", "nanobind-backend", "numpy"):
        yield package, _version_of(package)
    yield "LLVM", _llvm_version()


def _version_of(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


def _llvm_version() -> str:
    try:
        from llvmlite import binding
    except ImportError as error:
        return f"unusable: {error}"
    return ".".join(str(part) for part in binding.llvm_version_info)


def _devices() -> Iterator[tuple[str, str]]:
    yield "CPU", f"{_cpu_name()}, {os.cpu_count()} logical cores"
    try:
        import torch
    except ImportError as error:
        yield "torch", f"unusable: {error}"
        return
    yield "torch", "with CUDA" if torch.cuda.is_available() else "without a CUDA device"


def _threads() -> Iterator[tuple[str, str]]:
    yield "affinity", f"{usable_cores()} of {os.cpu_count()} logical cores"
    yield "load", ", ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)"
    for name in ("OMP_NUM_THREADS", "OMP_PROC_BIND", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"):
        if name in os.environ:
            yield name, os.environ[name]
    try:
        import torch
    except ImportError:
        yield "kernels", "threads of nvfuser's own: torch is not installed"
        return
    yield "torch", f"{torch.get_num_threads()} threads (torch.get_num_threads()), as kernels use"
    openmp = openmp_runtimes()
    yield "OpenMP", ", ".join(openmp) or "none is loaded: threads are those of nvfuser's own pool"


def _cuda() -> Iterator[tuple[str, str]]:
    try:
        cuda = _C.cuda_info()
    except RuntimeError as error:
        yield "driver", f"none: {error}"
    else:
        yield "driver", "for CUDA {}.{}".format(*cuda["driver_version"])
        for index, device in enumerate(cuda["devices"]):
            capability = "{}.{}".format(*device["compute_capability"])
            gigabytes = device["memory_bytes"] / 2**30
            yield (
                f"cuda:{index}",
                f"{device['name']}, compute capability {capability}, "
                f"{device['multiprocessors']} multiprocessors, {gigabytes:.0f} GiB",
            )
    try:
        compiler = nvrtc.find()
    except RuntimeError as error:
        yield "NVRTC", f"none: {error}"
    else:
        version = ".".join(str(number) for number in compiler.version)
        yield "NVRTC", f"{version} ({compiler.path})"


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _cache() -> Iterator[tuple[str, str]]:
    from nvfuser.cli.cache import describe

    return describe()


def _environment() -> Iterator[tuple[str, str]]:
    found = sorted(name for name in os.environ if name.startswith("NVFUSER_"))
    for name in found:
        yield name, os.environ[name]
    if not found:
        yield "NVFUSER_*", "none set"
