"""Show or empty the cache of compiled kernels.

The cache is the folder that NVFUSER_CACHE_DIR names, or ~/.cache/nvfuser. What is removed is
compiled again when it is needed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from nvfuser import object_cache

__all__ = ["add_arguments", "describe", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("action", choices=("info", "clear"), help="show it, or remove all kernels")


def run(options: argparse.Namespace) -> None:
    """Do what is asked for."""
    if options.action == "clear":
        removed, size = _clear()
        print(f"{object_cache.root()}: removed {removed} files, {size / 1e6:.1f} MB")
    else:
        for name, value in describe():
            print(f"{name:<10} {value}")


def describe() -> Iterator[tuple[str, str]]:
    """Yield what there is to know of the cache: name and value of each property."""
    if not object_cache.enabled():
        yield "state", "off (NVFUSER_DISABLE_CACHE)"
    sizes = [status.st_size for status, _ in object_cache.statuses()]
    yield "directory", str(object_cache.root())
    yield "kernels", f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"
    yield "limit", f"{object_cache.limit() / 2**20:.0f} MiB"


def _clear() -> tuple[int, int]:
    """Remove all kernels; return how many files that were, and how many bytes."""
    count = size = 0
    for status, path in object_cache.statuses():
        try:
            os.unlink(path)
        except FileNotFoundError:
            continue  # another process dropped it
        count += 1
        size += status.st_size
    return count, size
