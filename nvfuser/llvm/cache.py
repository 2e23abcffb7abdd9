"""The cache of object code on disk: one checked file an object, bounded in size.

``NVFUSER_CACHE_DIR`` names the directory (default ``$XDG_CACHE_HOME/nvfuser`` or
``~/.cache/nvfuser``), ``NVFUSER_DISABLE_CACHE=1`` turns it off, ``NVFUSER_CACHE_LIMIT_MB`` bounds
it (default 512). A cache that cannot be read or written is a slower start, never an error.
"""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

_MAGIC = b"nvfuser object 1\n"
_HEADER = len(_MAGIC) + hashlib.sha256().digest_size
_SUFFIX = ".o"
_DEFAULT_LIMIT_MB = 512
_STORES_PER_SCAN = 64

_lock = threading.Lock()
_stores = 0


def enabled() -> bool:
    """Return whether the environment allows the cache."""
    return os.environ.get("NVFUSER_DISABLE_CACHE", "0") in ("", "0")


def directory() -> Path:
    """Return where objects are kept; it need not exist."""
    chosen = os.environ.get("NVFUSER_CACHE_DIR")
    if chosen:
        root = Path(chosen)
    else:
        base = os.environ.get("XDG_CACHE_HOME")
        root = (Path(base) if base else Path.home() / ".cache") / "nvfuser"
    return root / "llvm"


def limit() -> int:
    """Return the bound on the sum of all objects in bytes."""
    text = os.environ.get("NVFUSER_CACHE_LIMIT_MB", "")
    megabytes = int(text) if text.isdigit() else _DEFAULT_LIMIT_MB
    return megabytes * 1024 * 1024


def path(key: str) -> Path:
    """Return the file of a key."""
    return directory() / (key + _SUFFIX)


def load(key: str) -> bytes | None:
    """Return the object stored under a key, or None if there is none that is whole."""
    file = path(key)
    try:
        data = file.read_bytes()
    except OSError:
        return None
    payload = data[_HEADER:]
    header = _MAGIC + hashlib.sha256(key.encode() + payload).digest()
    if data[:_HEADER] != header or not payload:
        _remove(file)
        return None
    try:
        os.utime(file)  # the order in which objects are dropped is that of their last use
    except OSError:
        pass
    return payload


def store(key: str, payload: bytes) -> None:
    """Store an object: written beside its name and renamed, so that no reader sees a part of it."""
    file = path(key)
    data = _MAGIC + hashlib.sha256(key.encode() + payload).digest() + payload
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        temporary = file.with_name(f"{key}.{os.getpid()}.{threading.get_ident()}.tmp")
        try:
            temporary.write_bytes(data)
            os.replace(temporary, file)
        except OSError:
            _remove(temporary)
            raise
    except OSError:
        return
    _bound()


def _bound() -> None:
    """Drop the objects used longest ago if there are too many; looks only once in a while."""
    global _stores
    with _lock:
        scan = _stores % _STORES_PER_SCAN == 0
        _stores += 1
    if scan:
        trim()


def trim() -> None:
    """Drop the objects used longest ago until the rest is within the limit."""
    entries = []
    try:
        with os.scandir(directory()) as files:
            for entry in files:
                if entry.name.endswith((_SUFFIX, ".tmp")):
                    status = entry.stat()
                    entries.append((status.st_mtime, status.st_size, entry.path))
    except OSError:
        return
    total = sum(size for _, size, _ in entries)
    bound = limit()
    for _, size, name in sorted(entries):
        if total <= bound:
            return
        _remove(Path(name))
        total -= size


def _remove(file: Path) -> None:
    try:
        file.unlink()
    except OSError:
        pass
