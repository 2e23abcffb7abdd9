"""The cache of object code on disk: where it is, what it drops, damaged files, hostile folders."""

from __future__ import annotations

import os
import random
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from nvfuser import object_cache
from nvfuser.object_cache import ObjectCache


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for every test."""
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NVFUSER_DISABLE_CACHE", raising=False)
    return tmp_path


def stems(root: Path) -> set[str]:
    return {path.stem for path in root.glob("*/*.o")}


def test_objects_of_each_compiler_are_apart() -> None:
    one, other = ObjectCache("one"), ObjectCache("other")
    one.store("key", b"payload")
    assert one.load("key") == b"payload"
    assert other.load("key") is None
    other.store("key", b"another")
    assert one.load("key") == b"payload"


def test_default_directories(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NVFUSER_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert ObjectCache("llvm").directory() == Path("/somewhere/nvfuser/llvm")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/someone")
    assert ObjectCache("cuda").directory() == Path("/home/someone/.cache/nvfuser/cuda")


def test_the_least_recently_used_objects_are_dropped(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_LIMIT_MB", "1")
    caches = {"new": ObjectCache("a"), "middle": ObjectCache("b"), "old": ObjectCache("c")}
    for age, (key, cache) in enumerate(caches.items()):
        cache.store(key, bytes(400_000))
        if cache.path(key).exists():
            os.utime(cache.path(key), (1_000_000 - age, 1_000_000 - age))
    assert caches["old"].load("old") == bytes(400_000)  # now the one used last
    object_cache.trim()
    assert stems(root) == {"new", "old"}


def test_stores_keep_within_the_limit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_LIMIT_MB", "1")
    caches = [ObjectCache("a"), ObjectCache("b")]
    for number in range(130):
        caches[number % 2].store(f"key{number}", bytes(20_000))
    # Looked at every 64th time: at most the limit and what 64 stores add.
    assert len(stems(root)) * 20_049 < 1024 * 1024 + 64 * 20_049
    assert not list(root.glob("*/*.tmp"))


def test_an_object_of_another_key_is_no_hit() -> None:
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    cache.path("key").rename(cache.path("other"))
    assert cache.load("other") is None
    assert not cache.path("other").exists()


def test_keys_tell_the_parts_apart() -> None:
    keys = {object_cache.key_of(*parts) for parts in (("ab", "c"), ("a", "bc"), ("abc",), ("ab",))}
    assert len(keys) == 4
    assert object_cache.key_of("ab", "c") in keys


# ---------------------------------------------------------------- folders that others can change


def another_user() -> int:
    """Return the number of a user that this process is not; root can give files away."""
    return os.geteuid() + 4711


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def warned(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has not been warned yet."""
    monkeypatch.setattr(object_cache, "_has_warned", False)


def refuses(cache: ObjectCache, match: str) -> bool:
    """Whether an object that is there is not loaded, with one warning."""

    def use() -> list[bytes | None]:
        loaded = [cache.load("key"), cache.load("key")]
        cache.store("other", b"payload")
        return loaded

    with pytest.warns(RuntimeWarning, match=match) as warnings:
        loaded = use()
    return loaded == [None, None] and len(warnings) == 1


def change_mode(path: Path) -> None:
    path.chmod(path.stat().st_mode | stat.S_IWOTH)


def change_owner(path: Path) -> None:
    os.chown(path, another_user(), -1)


def change_group(path: Path) -> None:
    os.chown(path, -1, os.getegid() + 4711)
    path.chmod(path.stat().st_mode | stat.S_IWGRP)


CHANGES = [
    (change_mode, r"others than its owner may write to .* \(mode 0[67][0-7]+\)"),
    pytest.param(change_owner, "belongs to user", marks=needs_root),
    pytest.param(change_group, "others than its owner may write", marks=needs_root),
]
PLACES = {
    "file": lambda root: root / "a" / "key.o",
    "folder": lambda root: root / "a",
    "root": lambda root: root,
    "parent": lambda root: root.parent,
}


@pytest.mark.usefixtures("warned")
@pytest.mark.parametrize(("change", "message"), CHANGES)
@pytest.mark.parametrize("place", PLACES)
def test_what_others_can_change_is_not_loaded(
    place: str, change: Callable, message: str, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = root / "parent" / "root"
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root))
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    assert cache.load("key") == b"payload"
    path = PLACES[place](root)
    change(path)
    assert refuses(cache, message)
    # Nothing is written where others can have put a link, nor taken away.
    if place != "file":
        assert not cache.path("other").exists()
        assert object_cache.files() == [] or place == "folder"
    object_cache.trim()
    assert cache.path("key").exists()


@pytest.mark.usefixtures("warned")
def test_folders_with_the_sticky_bit_are_judged_by_what_is_in_them(root: Path) -> None:
    cache = ObjectCache("a")
    root.chmod(0o1777)
    cache.store("key", b"payload")
    assert cache.load("key") == b"payload"
    if os.geteuid() == 0:
        os.chown(root / "a", another_user(), -1)
        assert refuses(cache, "belongs to user")


@pytest.mark.usefixtures("warned")
def test_links_of_the_user_are_followed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "real").mkdir(mode=0o700)
    (root / "link").symlink_to("real/../real")
    (root / "absolute").symlink_to(root / "link")
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root / "absolute"))
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    assert cache.load("key") == b"payload"
    assert (root / "real" / "a" / "key.o").exists()
    # What a link leads to is judged like any other folder.
    (root / "real").chmod(0o777)
    assert refuses(cache, "others than its owner may write to .*real ")


@needs_root
@pytest.mark.usefixtures("warned")
def test_links_of_others_are_not_followed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "real").mkdir(mode=0o700)
    root.chmod(0o1777)
    (root / "link").symlink_to("real")
    os.chown(root / "link", another_user(), -1, follow_symlinks=False)
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root / "real"))
    ObjectCache("a").store("key", b"payload")
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root / "link"))
    assert refuses(ObjectCache("a"), "link belongs to user")


@pytest.mark.usefixtures("warned")
@pytest.mark.parametrize("target", ["other.o", "../outside.o"])
def test_objects_that_are_links_are_not_loaded(target: str, root: Path) -> None:
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    file = cache.path("key")
    file.rename(file.parent / target)
    file.symlink_to(target)
    assert refuses(cache, "is a symbolic link")


@pytest.mark.usefixtures("warned")
def test_what_is_no_file_is_not_waited_for(root: Path) -> None:
    folder = root / "a"
    folder.mkdir()
    os.mkfifo(folder / "key.o")
    assert refuses(ObjectCache("a"), "is no regular file")


def test_endless_links_are_no_cache(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("one")
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root / "one"))
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    assert cache.load("key") is None


def test_files_in_linked_folders_are_not_dropped(
    root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "mine.o").write_bytes(bytes(10))
    ObjectCache("a").store("key", b"payload")
    (root / "link").symlink_to(outside)
    monkeypatch.setenv("NVFUSER_CACHE_LIMIT_MB", "0")
    object_cache.trim()
    assert (outside / "mine.o").exists()
    assert not ObjectCache("a").path("key").exists()


def test_a_file_left_behind_is_not_written_through(root: Path) -> None:
    """A link under the name of the temporary file is replaced, not followed."""
    cache = ObjectCache("a")
    cache.store("key", b"payload")
    precious = root / "precious"
    precious.write_bytes(b"precious")
    name = f"other.{os.getpid()}.{threading.get_ident()}.tmp"
    (cache.directory() / name).symlink_to(precious)
    cache.store("other", b"payload")
    assert precious.read_bytes() == b"precious"
    assert cache.load("other") == b"payload"


def test_new_folders_and_files_are_writable_by_the_user_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(root / "new" / "cache"))
    before = os.umask(0)
    try:
        ObjectCache("a").store("key", b"payload")
    finally:
        os.umask(before)
    made = [root / "new", root / "new" / "cache", *(root / "new" / "cache").rglob("*")]
    assert len(made) == 4
    assert [path.stat().st_mode & 0o022 for path in made] == [0] * 4


@pytest.mark.usefixtures("warned")
def test_hostile_trees(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random trees of folders and links: loaded is only what nobody else can have changed."""
    rng = random.Random(0)
    monkeypatch.setattr(object_cache, "_has_warned", True)
    loaded = 0
    for number in range(200):
        place = root / f"tree{number}"
        names = [place]
        for depth in range(rng.randint(1, 4)):
            names.append(names[-1] / f"folder{depth}")
        monkeypatch.setenv("NVFUSER_CACHE_DIR", str(names[-1]))
        cache = ObjectCache("a")
        cache.store("key", b"payload")
        is_safe = True
        for path in [*names, cache.directory(), cache.path("key")]:
            kind = rng.choices(["none", "sticky", "mode", "owner", "link"], [20, 2, 1, 1, 1])[0]
            if kind == "sticky" and path.is_dir():
                path.chmod(0o1777)
            elif kind == "mode":
                path.chmod(path.stat().st_mode & ~stat.S_ISVTX | stat.S_IWOTH)
                is_safe = False
            elif kind == "owner" and os.geteuid() == 0:
                os.chown(path, another_user(), -1)
                is_safe = False
            elif kind == "link":
                other = path.with_name(f"{path.name} moved")
                path.rename(other)
                path.symlink_to(rng.choice([other, other.name]))
                is_safe = is_safe and path != cache.path("key")
        assert cache.load("key") == (b"payload" if is_safe else None)
        loaded += is_safe
    assert 20 < loaded < 180
