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

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command: there are none."""


def run(options: argparse.Namespace) -> None:
    """Print the report."""
    for section in (_versions, _devices, _cache, _environment):
        print(f"{section.__name__.strip('_').capitalize()}")
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
    yield "threads", f"{torch.get_num_threads()} (torch.get_num_threads())"
    if not torch.cuda.is_available():
        yield "CUDA", "none"
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        gigabytes = properties.total_memory / 2**30
        yield (
            f"cuda:{index}",
            f"{properties.name}, compute capability {properties.major}.{properties.minor}, "
            f"{gigabytes:.0f} GiB",
        )


def _cpu_name() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def _cache() -> Iterator[tuple[str, str]]:
    from nvfuser.llvm import cache

    if not cache.enabled():
        yield "state", "off (NVFUSER_DISABLE_CACHE)"
    directory = cache.directory()
    sizes = [file.stat().st_size for file in directory.glob("*") if file.is_file()]
    yield "directory", str(directory)
    yield "kernels", f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"
    yield "limit", f"{cache.limit() / 2**20:.0f} MiB"


def _environment() -> Iterator[tuple[str, str]]:
    found = sorted(name for name in os.environ if name.startswith("NVFUSER_"))
    for name in found:
        yield name, os.environ[name]
    if not found:
        yield "NVFUSER_*", "none set"
