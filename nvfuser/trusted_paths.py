"""Files that only the user, or root, can have written: what code may be loaded from.

A checksum says that a file is whole, not who wrote it. So a file counts only if it and all folders
on the way to it belong to the user or to root and nobody else may write to them, as OpenSSH demands
of keys. Two kinds of folders that others may write to are accepted:

- folders with the sticky bit, like ``/tmp``, in which nobody can touch what belongs to others: what
  is in them is judged by its own owner;
- folders of the user's private group, which has the user's name and no other member.

Every step opens what it has judged, without following links, and goes on from there, so that
nothing can be exchanged between the question and the use. A symbolic link is judged by its owner
and by the folder that it is in, and then what it leads to in the same way.
"""

from __future__ import annotations

import errno
import os
import stat

_MAX_LINKS = 40
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# What does not block where the file is a pipe.
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC


class UntrustedError(Exception):
    """Somebody else can have changed what a path leads to; the message says how."""


def open_folder(path: str | os.PathLike[str], create: bool = False) -> int:
    """Open a folder that only the user can have changed, and return the descriptor.

    Parameters
    ----------
    path : str or path-like
        Absolute, or relative to the current folder.
    create : bool
        Whether to make the folders that are missing, writable for the user alone.

    Raises
    ------
    UntrustedError
        If the folder, or one on the way to it, can be changed by others.
    OSError
        If it does not exist or cannot be opened.
    """
    path = os.path.abspath(path)
    names = _names(path)
    links = 0
    seen = "/"
    folder = os.open("/", _FOLDER)
    try:
        _check(os.fstat(folder), "/")
        while names:
            name = names.pop()
            place = os.path.join(seen, name)
            try:
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            except FileNotFoundError:
                if not create:
                    raise
                _make(name, folder)
                status = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(status.st_mode):
                _check_owner(status, place)
                links += 1
                if links > _MAX_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                target = os.readlink(name, dir_fd=folder)
                names += _names(target)
                if not os.path.isabs(target):
                    continue
                name, place = "/", "/"
            # ".." of a link's target is the folder that the open one is in, and judged again.
            following = os.open(name, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder, seen = following, os.path.normpath(place)
            _check(os.fstat(folder), seen)
    except BaseException:
        os.close(folder)
        raise
    return folder


def read_file(folder: int, name: str, place: str) -> bytes:
    """Read a file that only the user can have written.

    Parameters
    ----------
    folder : int
        The descriptor of a trusted folder, as :func:`open_folder` returns it.
    name : str
        Of the file in it.
    place : str
        The path of both, for messages.

    Raises
    ------
    UntrustedError
        If others can have written the file, or it is none.
    OSError
        If it does not exist or cannot be read.
    """
    try:
        descriptor = os.open(name, _FILE, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise UntrustedError(f"{place} is a symbolic link") from None
        raise
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UntrustedError(f"{place} is no regular file")
        _check_owner(status, place)
        if _others_may_write(status):
            raise UntrustedError(_writable(status, place))
        return file.read()


def _names(path: str) -> list[str]:
    """Return the parts of a path, the first one last."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _make(name: str, folder: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=folder)
    except FileExistsError:
        pass  # another process was faster; it is judged like any other


def _check(status: os.stat_result, place: str) -> None:
    _check_owner(status, place)
    if _others_may_write(status) and not status.st_mode & stat.S_ISVTX:
        raise UntrustedError(_writable(status, place))


def _check_owner(status: os.stat_result, place: str) -> None:
    if status.st_uid not in (0, os.geteuid()):
        raise UntrustedError(
            f"{place} belongs to user {status.st_uid}, and this process runs as user {os.geteuid()}"
        )


def _writable(status: os.stat_result, place: str) -> str:
    return f"others than its owner may write to {place} (mode {stat.S_IMODE(status.st_mode):04o})"


def _others_may_write(status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_private(status.st_gid)


def _is_private(group: int) -> bool:
    """Whether the user is the only member of a group."""
    import grp
    import pwd

    try:
        user = pwd.getpwuid(os.geteuid())
        entry = grp.getgrgid(group)
    except KeyError:
        return False
    return (
        group == user.pw_gid
        and entry.gr_name == user.pw_name
        and not (set(entry.gr_mem) - {user.pw_name})
    )
