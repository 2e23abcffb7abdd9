"""Caches of fusions: equal definitions share one executor cache, and so their kernels."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nvfuser import _C

if TYPE_CHECKING:
    from nvfuser.definition import FusionDefinition

__all__ = ["LRUCache", "LruFusionCache"]


class _Key:
    """A fusion that is looked up by its structure."""

    __slots__ = ("_hash", "fusion")

    def __init__(self, fusion: _C.Fusion) -> None:
        self.fusion = fusion
        self._hash = _C.structural_hash(fusion)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and bool(self.fusion == other.fusion)


class _Entry:
    """What is kept of a fusion."""

    __slots__ = ("executor_cache", "hits", "key")

    def __init__(self, key: _Key, executor_cache: _C.FusionExecutorCache) -> None:
        self.key = key
        self.executor_cache = executor_cache
        self.hits = 0


class LRUCache:
    """The executor caches of the fusions used last, by structure of the fusion.

    Two fusions are the same if their inputs, operations, outputs and aliases are; names of values
    and the order of independent operations do not matter as far as the structural equality of
    :class:`nvfuser.Fusion` does not. All methods may be called from any thread.

    Parameters
    ----------
    max_fusions : int
        How many fusions are kept; the one that was not used for longest is dropped for the next.

    Raises
    ------
    RuntimeError
        If `max_fusions` is not positive.

    Examples
    --------
    >>> cache = LRUCache(max_fusions=100)
    >>> fd.fec = cache.cache_compile(fd.fusion)
    >>> del fd._fusion
    """

    def __init__(self, max_fusions: int) -> None:
        if max_fusions <= 0:
            raise RuntimeError(f"max_fusions must be positive, but is {max_fusions}")
        self._max_fusions = max_fusions
        self._lock = threading.Lock()
        # Least recently used first.
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()
        self._lookups = 0
        self._hits = 0

    def cache_compile(self, fusion: _C.Fusion) -> _C.FusionExecutorCache:
        """Return the executor cache for `fusion`, a new one if no equal fusion is known.

        Parameters
        ----------
        fusion : Fusion
            A finished definition. It is moved into the cache if it is new, and is not to be used
            any more in any case.

        Returns
        -------
        FusionExecutorCache

        Raises
        ------
        TypeError
            If `fusion` is no Fusion.
        """
        key = _Key(fusion)
        with self._lock:
            self._lookups += 1
            entry = self._entries.get(key)
            if entry is not None:
                # By the key that is there, which is found without comparing fusions once more.
                self._entries.move_to_end(entry.key)
                self._hits += 1
                entry.hits += 1
                return entry.executor_cache
            executor_cache = _C.FusionExecutorCache(fusion)
            # The Fusion object that was passed is empty now.
            key.fusion = executor_cache.fusion()
            self._entries[key] = _Entry(key, executor_cache)
            if len(self._entries) > self._max_fusions:
                self._entries.popitem(last=False)
            return executor_cache

    def num_fusions(self) -> int:
        """Return the number of fusions in the cache."""
        return len(self._entries)

    def stats(self) -> str:
        """Return a text about the use of the cache, most recently used fusion first."""
        with self._lock:
            lines = [f"Max Fusions Allowed: {self._max_fusions}"]
            if not self._entries:
                lines.append("The fusion cache is empty.")
            else:
                lines.append(f"Total Fusions in Cache: {len(self._entries)}")
                lines.append(f"Total Unique Fusions Compiled: {self._lookups - self._hits}")
                lines.append("Cache Hits by LRU ordering:")
                for position, entry in enumerate(reversed(self._entries.values())):
                    lines.append(f"\t{position} -> {entry.hits} hits")
                lines.append(f"Cache Lookups: {self._lookups}")
                lines.append(f"Cache Hits: {self._hits}")
                lines.append(f"Hit Rate: {100 * self._hits / self._lookups:g}%")
        return "".join(f"{line}\n" for line in lines)


class LruFusionCache:
    """Decorator of a function that defines a fusion: equal definitions share their kernels.

    Parameters
    ----------
    max_fusions : int
        As of :class:`LRUCache`.

    Notes
    -----
    The decorated function returns a :class:`nvfuser.FusionDefinition` whose ``fec`` comes from the
    cache. It has the methods ``stats()`` and ``num_fusions()`` of its :class:`LRUCache`.

    Examples
    --------
    >>> @LruFusionCache(max_fusions=100)
    ... def add_relu(x, y):
    ...     with FusionDefinition() as fd:
    ...         a, b = fd.from_pytorch(x), fd.from_pytorch(y)
    ...         fd.add_output(fd.ops.relu(fd.ops.add(a, b)))
    ...     return fd
    >>> add_relu(x, y).execute([x, y])
    """

    def __init__(self, max_fusions: int = 16384) -> None:
        self._cache = LRUCache(max_fusions)

    def __call__(
        self, function: Callable[..., FusionDefinition]
    ) -> Callable[..., FusionDefinition]:
        """Return `function` with its definitions' executor caches taken from this cache."""
        cache = self._cache

        @functools.wraps(function)
        def cached(*args: Any, **kwargs: Any) -> FusionDefinition:
            definition = function(*args, **kwargs)
            if not hasattr(definition, "fec"):
                _, message = definition.validate_definition()
                fusion = definition.fusion
                if message is not None or fusion is None:
                    raise RuntimeError(f"{function.__qualname__}: {message}")
                definition.fec = cache.cache_compile(fusion)
                del definition._fusion
            return definition

        cached.stats = cache.stats  # type: ignore[attr-defined]
        cached.num_fusions = cache.num_fusions  # type: ignore[attr-defined]
        return cached
