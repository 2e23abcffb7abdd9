"""The cache of object code on disk: where it is, what it drops, damaged files."""

from __future__ import annotations

import os
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
