"""Timers of kernels, for benchmarks."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import pytest
import torch

import nvfuser
from nvfuser import FusionDefinition, benchmark_utils


def square() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.mul(x, x))
    return fd


def test_profile_timer_adds_up_the_times_of_kernels(device: str) -> None:
    fd = square()
    inputs = [torch.ones(1000, device=device)]
    timer = benchmark_utils.FusionProfileTimer()
    times = [timer()]
    expected = 0.0
    for _ in range(3):
        fd.execute(inputs)
        times.append(timer())
        expected += nvfuser.get_fusion_profile().kernel_time_ms * 1e-3
        assert times[-1] == pytest.approx(expected)
        times.append(timer())
    assert times[0] == 0.0
    assert times[1] > 0
    assert times[2] == times[1]
    timer.cleanup()
    timer.cleanup()


def test_profile_timer_leaves_runs_alone_when_it_is_stopped(device: str) -> None:
    fd = square()
    timer = benchmark_utils.FusionProfileTimer()
    timer()
    assert timer() == 0.0
    nvfuser.reset_profiler()
    fd.execute([torch.ones(10, device=device)])
    with pytest.raises(RuntimeError, match="No fusion was profiled"):
        nvfuser.get_fusion_profile()


def test_timers_are_clocks_of_pytest_benchmark(device: str) -> None:
    fixture = pytest.importorskip("pytest_benchmark.fixture")
    assert fixture is not None
    assert issubclass(benchmark_utils.CuptiTimer, benchmark_utils.Timer)
    with pytest.raises(TypeError, match="abstract"):
        benchmark_utils.Timer()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_Z4axpyfPKfPf", "axpy(float, float const*, float*)"),
        ("_ZN2at6kernelIfEEvi", "void at::kernel<float>(int)"),
        ("fusion0_0_phase0", "fusion0_0_phase0"),
        ("", ""),
    ],
)
def test_names_of_kernels(name: str, expected: str) -> None:
    assert benchmark_utils.demangle_kernel_name(name) == expected


# ------------------------------------------------------------------ CUPTI


def test_cupti_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupti", None)
    with pytest.raises(ImportError, match="pip install cupti-python"):
        benchmark_utils.CuptiTimer()


class Cupti(types.ModuleType):
    """Stands for ``cupti.cupti``: hands over what it is told that the device did."""

    class ActivityKind:
        CONCURRENT_KERNEL = 10
        MEMCPY = 1

    def __init__(self) -> None:
        super().__init__("cupti.cupti")
        self.enabled: set[int] = set()
        self.pending: list[Any] = []
        self.is_attached = True

    def activity_register_callbacks(
        self, requested: Callable[[], tuple[int, int]], completed: Callable[[list[Any]], None]
    ) -> None:
        size, _ = requested()
        assert size > 0
        self._completed = completed

    def activity_enable(self, kind: int) -> None:
        self.enabled.add(kind)

    def activity_disable(self, kind: int) -> None:
        self.enabled.remove(kind)

    def activity_flush_all(self, flag: int) -> None:
        pending, self.pending = self.pending, []
        self._completed(pending)

    def finalize(self) -> None:
        self.is_attached = False

    def run(self, kind: int, name: str, nanoseconds: int) -> None:
        if kind in self.enabled:
            activity = types.SimpleNamespace(kind=kind, name=name, start=100, end=100 + nanoseconds)
            self.pending.append(activity)


@pytest.fixture
def cupti(monkeypatch: pytest.MonkeyPatch) -> Cupti:
    fake = Cupti()
    package = types.ModuleType("cupti")
    package.cupti = fake
    monkeypatch.setitem(sys.modules, "cupti", package)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    return fake


def test_cupti_profiler(cupti: Cupti) -> None:
    profiler = benchmark_utils.CuptiProfiler()
    kernel = cupti.ActivityKind.CONCURRENT_KERNEL
    cupti.run(kernel, "before", 5)
    profiler.start()
    cupti.run(kernel, "_Z3addv", 2000)
    cupti.run(cupti.ActivityKind.MEMCPY, "copy", 9000)
    cupti.run(kernel, "mul", 1000)
    assert profiler.stop() == [("add()", pytest.approx(2e-6)), ("mul", pytest.approx(1e-6))]
    assert cupti.enabled == set()
    profiler.start()
    assert profiler.stop() == []
    profiler.teardown()
    assert not cupti.is_attached


def test_cupti_timer(cupti: Cupti) -> None:
    timer = benchmark_utils.CuptiTimer()
    for expected in (3e-6, 6e-6):
        timer()
        cupti.run(cupti.ActivityKind.CONCURRENT_KERNEL, "a", 1000)
        cupti.run(cupti.ActivityKind.CONCURRENT_KERNEL, "b", 2000)
        assert timer() == pytest.approx(expected)
    timer()
    timer.cleanup()
    assert cupti.enabled == set()
    assert not cupti.is_attached


def test_cupti_that_refuses() -> None:
    def activity_enable(kind: int) -> None:
        raise ValueError(f"CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ({kind})")

    assert benchmark_utils.cupti_call_safe(max, 1, 2) == 2
    message = r"CUPTI refused activity_enable: CUPTI_ERROR_MULTIPLE.* one at a time"
    with pytest.raises(RuntimeError, match=message):
        benchmark_utils.cupti_call_safe(activity_enable, 10)


def test_what_is_no_name_is_not_demangled() -> None:
    with pytest.raises(TypeError, match="Expected the name of a kernel as a str, but got 3"):
        benchmark_utils.demangle_kernel_name(3)  # type: ignore[arg-type]
