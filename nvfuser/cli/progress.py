"""A progress bar on stderr; nothing where that is no terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["progress"]

_T = TypeVar("_T")
_WIDTH = 30
_REFRESH_SECONDS = 0.1


def progress(items: Iterable[_T], total: int, label: str) -> Iterator[_T]:
    """Yield `items`, showing on one line how many of `total` are done and what is left."""
    start = shown = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        if sys.stderr.isatty() and (done == 0 or now - shown > _REFRESH_SECONDS):
            shown = now
            left = f"{(now - start) / done * (total - done):4.0f} s left" if done else ""
            filled = _WIDTH * done // total
            bar = "#" * filled + "." * (_WIDTH - filled)
            sys.stderr.write(f"\r{label:<22} [{bar}] {done}/{total} {left:<14}")
            sys.stderr.flush()
        yield item
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
