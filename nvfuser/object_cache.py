"""The cache of object code on disk: one checked file an object, bounded in size.

``NVFUSER_CACHE_DIR`` names the directory (default ``$XDG_CACHE_HOME/nvfuser`` or
``~/.cache/nvfuser``), ``NVFUSER_DISABLE_CACHE=1`` turns it off, ``NVFUSER_CACHE_LIMIT_MB`` bounds
it (default 512). A cache that cannot be read or written is a slower start, never an error.

Objects are code that this process runs: they are taken from folders and files that nobody but the
user can have written (:mod:`nvfuser.trusted_paths`). Otherwise there is a warning, once, and no
cache.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from nvfuser import trusted_paths

_MAGIC = b"nvfuser object 1\n"
_HEADER = len(_MAGIC) + hashlib.sha256().digest_size
_SUFFIX = ".o"
_DEFAULT_LIMIT_MB = 512
_STORES_PER_SCAN = 64


def hold_while_forking(lock: threading.Lock | threading.RLock) -> None:
    """Have forks wait for a lock, which a child would otherwise find held for ever.

    Locks that are held while another one is taken are named later: they are waited for first.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(
            before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
        )


_lock = threading.Lock()
hold_while_forking(_lock)
_stores = 0
# Whether the user has been told that the cache is not used.
_has_warned = False


def enabled() -> bool:
    """Return whether the environment allows the cache."""
    return os.environ.get("NVFUSER_DISABLE_CACHE", "0") in ("", "0")


def root() -> Path:
    """Return where objects are kept, each compiler's in a folder there; it need not exist."""
    chosen = os.environ.get("NVFUSER_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "nvfuser"


def limit() -> int:
    """Return the bound on the sum of all objects in bytes."""
    text = os.environ.get("NVFUSER_CACHE_LIMIT_MB", "")
    megabytes = int(text) if text.isdigit() else _DEFAULT_LIMIT_MB
    return megabytes * 1024 * 1024


def key_of(*parts: str) -> str:
    """Return a key that is different for any two different sequences of parts."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def digest_of(files: Iterable[Path]) -> str:
    """Return a digest of what files hold, in their order."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def tell_origin(functions: Iterable[str], origin: str) -> None:
    """Note for what is logged where the machine code of `functions` comes from."""
    # A program that has not imported logging, which takes milliseconds, has no use for it.
    if "logging" in sys.modules:
        from nvfuser import log

        log.loaded(functions, origin)


class ObjectCache:
    """The objects of one compiler.

    Parameters
    ----------
    folder : str
        Where in the cache's directory they are.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def directory(self) -> Path:
        """Return where this compiler's objects are kept; it need not exist."""
        return root() / self._folder

    def path(self, key: str) -> Path:
        """Return the file of a key."""
        return self.directory() / (key + _SUFFIX)

    def load(self, key: str) -> bytes | None:
        """Return the object stored under a key, or None if there is none that is whole."""
        file = self.path(key)
        try:
            folder = trusted_paths.open_folder(file.parent)
            try:
                data = trusted_paths.read_file(folder, file.name, str(file))
            finally:
                os.close(folder)
        except OSError:
            return None
        except trusted_paths.UntrustedError as error:
            _warn_once(error)
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

    def store(self, key: str, payload: bytes) -> None:
        """Store an object: written beside its name and renamed, so that no reader sees a part."""
        file = self.path(key)
        data = _MAGIC + hashlib.sha256(key.encode() + payload).digest() + payload
        temporary = f"{key}.{os.getpid()}.{threading.get_ident()}.tmp"
        try:
            folder = trusted_paths.open_folder(file.parent, create=True)
            try:
                _write(folder, temporary, data)
                os.replace(temporary, file.name, src_dir_fd=folder, dst_dir_fd=folder)
            except OSError:
                _remove(temporary, folder)
                raise
            finally:
                os.close(folder)
        except OSError:
            return
        except trusted_paths.UntrustedError as error:
            _warn_once(error)
            return
        _bound()


def _write(folder: int, name: str, data: bytes) -> None:
    # A file of that name is what a process of the same number has left behind.
    _remove(name, folder)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, 0o644, dir_fd=folder), "wb") as file:
        file.write(data)


def _warn_once(error: trusted_paths.UntrustedError) -> None:
    global _has_warned
    with _lock:
        if _has_warned:
            return
        _has_warned = True
    warnings.warn(
        f"The cache of compiled kernels in {root()} is not used, because code from it would run "
        f"in this process: {error}. Choose a folder of your own with NVFUSER_CACHE_DIR, or take "
        "the permissions away",
        RuntimeWarning,
        stacklevel=2,
    )


def _bound() -> None:
    """Drop the objects used longest ago if there are too many; looks only once in a while."""
    global _stores
    with _lock:
        scan = _stores % _STORES_PER_SCAN == 0
        _stores += 1
    if scan:
        trim()


def files() -> list[os.DirEntry[str]]:
    """Return the files of all compilers' objects; none where others can have put them there."""
    found = []
    try:
        os.close(trusted_paths.open_folder(root()))
        with os.scandir(root()) as folders:
            for folder in folders:
                if folder.is_dir(follow_symlinks=False):
                    with os.scandir(folder) as entries:
                        found += [e for e in entries if e.name.endswith((_SUFFIX, ".tmp"))]
    except (OSError, trusted_paths.UntrustedError):
        pass  # what was found until then
    return found


def statuses() -> Iterator[tuple[os.stat_result, str]]:
    """Yield what is known of each of `files`, and its path."""
    for entry in files():
        try:
            status = entry.stat()
        except OSError:
            continue  # another process has dropped or renamed it
        yield status, entry.path


def trim() -> None:
    """Drop the objects used longest ago until the rest is within the limit."""
    found = list(statuses())
    total = sum(status.st_size for status, _ in found)
    bound = limit()
    for status, name in sorted(found, key=lambda item: item[0].st_mtime):
        if total <= bound:
            return
        _remove(Path(name))
        total -= status.st_size


def _remove(file: Path | str, folder: int | None = None) -> None:
    try:
        os.unlink(file, dir_fd=folder)
    except OSError:
        pass
