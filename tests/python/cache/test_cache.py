"""LRUCache and LruFusionCache: equal definitions share one executor cache."""

from __future__ import annotations

import gc
import sys
import threading

import pytest
import torch

from nvfuser import DataType, Fusion, FusionDefinition, FusionGuard, LRUCache, LruFusionCache, ops
from nvfuser import define_tensor as new_tensor


def chain(length: int, constant: float = 1.0) -> FusionDefinition:
    """A fusion that adds `constant` to its input `length` times."""
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.Float)
        for _ in range(length):
            t = fd.ops.add(t, constant)
        fd.add_output(t)
    return fd


def test_equal_definitions_share_an_executor_cache(device: str) -> None:
    cache = LRUCache(max_fusions=10)
    definitions = [chain(2), chain(2), chain(3)]
    for fd in definitions:
        fd.fec = cache.cache_compile(fd.fusion)
        del fd._fusion
    assert definitions[0].fec is definitions[1].fec
    assert definitions[0].fec is not definitions[2].fec
    assert cache.num_fusions() == 2
    x = torch.zeros(4, device=device)
    assert [fd.execute([x])[0][0].item() for fd in definitions] == [2.0, 2.0, 3.0]


def test_constants_and_dtypes_distinguish() -> None:
    cache = LRUCache(max_fusions=10)
    cache.cache_compile(chain(2).fusion)
    cache.cache_compile(chain(2, 2.0).fusion)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.Double)
        fd.add_output(fd.ops.add(fd.ops.add(t, 1.0), 1.0))
    cache.cache_compile(fd.fusion)
    assert cache.num_fusions() == 3


def test_fusion_without_a_definition() -> None:
    def make() -> Fusion:
        fusion = Fusion()
        guard = FusionGuard(fusion)
        t = new_tensor(shape=[-1], dtype=DataType.Float)
        fusion.add_input(t)
        fusion.add_output(ops.neg(t))
        del guard
        return fusion

    cache = LRUCache(max_fusions=2)
    assert cache.cache_compile(make()) is cache.cache_compile(make())


def test_least_recently_used_is_dropped() -> None:
    cache = LRUCache(max_fusions=2)
    one = cache.cache_compile(chain(1).fusion)
    two = cache.cache_compile(chain(2).fusion)
    assert cache.cache_compile(chain(1).fusion) is one  # now the second is the older one
    cache.cache_compile(chain(3).fusion)
    assert cache.num_fusions() == 2
    assert cache.cache_compile(chain(1).fusion) is one
    assert cache.cache_compile(chain(2).fusion) is not two


def test_dropped_fusions_are_released() -> None:
    cache = LRUCache(max_fusions=1)
    first = cache.cache_compile(chain(1).fusion)
    kept = sys.getrefcount(first)
    cache.cache_compile(chain(2).fusion)
    gc.collect()
    assert sys.getrefcount(first) < kept


def test_stats() -> None:
    cache = LRUCache(max_fusions=3)
    assert cache.stats() == "Max Fusions Allowed: 3\nThe fusion cache is empty.\n"
    for length in (1, 2, 1, 1, 1, 2, 1, 1, 1, 1):
        cache.cache_compile(chain(length).fusion)
    assert cache.stats() == (
        "Max Fusions Allowed: 3\n"
        "Total Fusions in Cache: 2\n"
        "Total Unique Fusions Compiled: 2\n"
        "Cache Hits by LRU ordering:\n"
        "\t0 -> 7 hits\n"
        "\t1 -> 1 hits\n"
        "Cache Lookups: 10\n"
        "Cache Hits: 8\n"
        "Hit Rate: 80%\n"
    )


def test_hit_rate_is_rounded_like_a_number() -> None:
    cache = LRUCache(max_fusions=3)
    for _ in range(3):
        cache.cache_compile(chain(1).fusion)
    assert cache.stats().endswith("Hit Rate: 66.6667%\n")


@pytest.mark.parametrize("size", [0, -1])
def test_size_must_be_positive(size: int) -> None:
    with pytest.raises(RuntimeError, match="max_fusions must be positive"):
        LRUCache(size)
    with pytest.raises(RuntimeError, match="max_fusions must be positive"):
        LruFusionCache(size)


@pytest.mark.parametrize("value", [None, 3, "fusion", torch.ones(2)])
def test_only_fusions_are_cached(value: object) -> None:
    cache = LRUCache(max_fusions=2)
    with pytest.raises(TypeError):
        cache.cache_compile(value)
    assert cache.num_fusions() == 0


def test_many_threads() -> None:
    cache = LRUCache(max_fusions=4)
    barrier = threading.Barrier(6)
    seen: list[set[int]] = [set() for _ in range(3)]
    kept = []

    def work() -> None:
        barrier.wait()
        for repeat in range(30):
            length = repeat % 3
            executor_cache = cache.cache_compile(chain(length + 1).fusion)
            kept.append(executor_cache)
            seen[length].add(id(executor_cache))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(ids) for ids in seen] == [1, 1, 1]
    assert "Cache Lookups: 180\nCache Hits: 177\n" in cache.stats()


# ---------------------------------------------------------------------------- decorator


def test_decorator(device: str) -> None:
    calls = []

    @LruFusionCache(max_fusions=5)
    def scaled(factor: float, rank: int = 1) -> FusionDefinition:
        """Multiply."""
        calls.append(factor)
        with FusionDefinition() as fd:
            t = fd.define_tensor(shape=[-1] * rank, contiguity=True, dtype=DataType.Float)
            fd.add_output(fd.ops.mul(t, factor))
        return fd

    x = torch.ones(3, device=device)
    for _ in range(3):
        assert scaled(2.0).execute([x])[0].tolist() == [2.0] * 3
    assert scaled(3.0).execute([x])[0].tolist() == [3.0] * 3
    assert scaled(2.0, rank=2).execute([x[None]])[0].tolist() == [[2.0] * 3]
    assert calls == [2.0, 2.0, 2.0, 3.0, 2.0]
    assert scaled.num_fusions() == 3
    assert "Cache Lookups: 5\nCache Hits: 2\nHit Rate: 40%\n" in scaled.stats()
    assert scaled.__name__ == "scaled"
    assert scaled.__doc__ == "Multiply."
    assert not hasattr(scaled(2.0), "_fusion")
    assert scaled(2.0).fec is scaled(2.0).fec


def test_decorator_default_size() -> None:
    @LruFusionCache()
    def definition() -> FusionDefinition:
        return chain(1)

    assert definition.stats().startswith("Max Fusions Allowed: 16384\n")


def test_decorator_leaves_an_executor_cache_alone(device: str) -> None:
    ready = chain(1)
    ready.execute([torch.ones(3, device=device)])
    executor_cache = ready.fec

    @LruFusionCache()
    def definition() -> FusionDefinition:
        return ready

    assert definition().fec is executor_cache
    assert definition.num_fusions() == 0


def test_decorator_passes_errors_on() -> None:
    @LruFusionCache()
    def fails() -> FusionDefinition:
        with FusionDefinition() as fd:
            fd.define_tensor(shape=[-2])
        return fd

    @LruFusionCache()
    def empty() -> FusionDefinition:
        return FusionDefinition()

    with pytest.raises(RuntimeError, match="neither symbolic"):
        fails()
    with pytest.raises(RuntimeError, match="Fusion does not exist!"):
        empty()
    assert fails.num_fusions() == empty.num_fusions() == 0


def test_hash_and_equality_agree() -> None:
    from nvfuser import _C

    fusions = [chain(50).fusion for _ in range(2)]
    assert fusions[0] == fusions[1]
    assert _C.structural_hash(fusions[0]) == _C.structural_hash(fusions[1])
    assert fusions[0] != chain(49).fusion
