"""Timers for pytest-benchmark that measure kernels instead of the host's time.

``benchmark.pedantic`` and the option ``timer`` of pytest-benchmark take any function that returns a
time in seconds, and call it before and after the measured code. The timers here return the total
time of kernels so far, so differences are times of kernels.

:class:`FusionProfileTimer` measures fusions on every device. :class:`CuptiTimer` measures all
kernels of the process, those of torch too, on CUDA devices, and needs the package ``cupti-python``.
"""

from __future__ import annotations

import ctypes
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from nvfuser import _C

__all__ = [
    "CuptiProfiler",
    "CuptiTimer",
    "FusionProfileTimer",
    "Timer",
    "cupti_call_safe",
    "demangle_kernel_name",
]

_BUFFER_BYTES = 8 << 20
# No bound but that of the buffer.
_MAX_RECORDS = 0


class Timer(ABC):
    """A clock for pytest-benchmark: calls come in pairs, before and after the measured code."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._is_running = False

    @abstractmethod
    def start(self) -> None:
        """Begin to measure."""

    @abstractmethod
    def stop(self) -> float:
        """Return the time measured since `start`, in seconds."""

    def __call__(self) -> float:
        """Start or stop alternately, and return the total measured time in seconds."""
        if self._is_running:
            self._is_running = False
            self._seconds += self.stop()
        else:
            self.start()
            self._is_running = True
        return self._seconds

    def cleanup(self) -> None:
        """Stop the current measurement; the next call starts a new one."""
        if self._is_running:
            self._is_running = False
            self.stop()


class FusionProfileTimer(Timer):
    """The time of the kernels of fusions, as :class:`nvfuser.PythonProfiler` measures it.

    Only the last fusion that runs between two calls counts.
    """

    def start(self) -> None:
        """Begin to profile fusions."""
        _C.reset_profiler()
        _C.start_profiling()

    def stop(self) -> float:
        """Return the time of the kernels of the last fusion; 0 if none ran."""
        _C.stop_profiling()
        try:
            return float(_C.get_fusion_profile().kernel_time_ms) * 1e-3
        except RuntimeError:
            return 0.0


def _cupti() -> Any:
    try:
        from cupti import cupti
    except ImportError as error:
        raise ImportError(
            "Measuring with CUPTI needs its Python bindings: pip install cupti-python "
            "(of the major version of CUDA that torch has)"
        ) from error
    return cupti


def cupti_call_safe(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function of CUPTI.

    Parameters
    ----------
    function : callable
        Of the module ``cupti.cupti``.
    *args
        Its arguments.

    Returns
    -------
    object
        What it returns.

    Raises
    ------
    RuntimeError
        If CUPTI refuses, as it does where another profiler is attached to the process.
    """
    try:
        return function(*args)
    except Exception as error:
        name = getattr(function, "__name__", str(function))
        raise RuntimeError(
            f"CUPTI refused {name}: {error}. Another profiler may be attached to this process; "
            "CUPTI serves one at a time."
        ) from error


def demangle_kernel_name(mangled_name: str) -> str:
    """Return the C++ name of a kernel.

    Parameters
    ----------
    mangled_name : str

    Returns
    -------
    str
        `mangled_name` itself where it is not a mangled one.

    Raises
    ------
    TypeError
        If it is no string.
    """
    if not isinstance(mangled_name, str):
        raise TypeError(f"Expected the name of a kernel as a str, but got {mangled_name!r}")
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        demangle = library.__cxa_demangle
    except (OSError, AttributeError):
        return mangled_name
    demangle.restype = ctypes.c_void_p
    status = ctypes.c_int()
    text = demangle(mangled_name.encode(), None, None, ctypes.byref(status))
    if status.value != 0 or not text:
        return mangled_name
    try:
        return ctypes.string_at(text).decode()
    finally:
        free = ctypes.CDLL(None).free
        free.argtypes = [ctypes.c_void_p]
        free(text)


class CuptiProfiler:
    """Records the kernels that run on CUDA devices between :meth:`start` and :meth:`stop`.

    CUPTI has one profiler in a process at a time.

    Raises
    ------
    ImportError
        Without the package ``cupti-python``.
    RuntimeError
        If CUPTI refuses.
    """

    def __init__(self) -> None:
        self._cupti = _cupti()
        self._kind = self._cupti.ActivityKind.CONCURRENT_KERNEL
        self._kernels: list[tuple[str, float]] = []
        cupti_call_safe(
            self._cupti.activity_register_callbacks,
            lambda: (_BUFFER_BYTES, _MAX_RECORDS),
            self._take,
        )

    def _take(self, activities: list[Any]) -> None:
        for activity in activities:
            if activity.kind == self._kind:
                nanoseconds = activity.end - activity.start
                self._kernels.append((demangle_kernel_name(activity.name), nanoseconds * 1e-9))

    def start(self) -> None:
        """Begin to record."""
        cupti_call_safe(self._cupti.activity_flush_all, 1)
        self._kernels.clear()
        cupti_call_safe(self._cupti.activity_enable, self._kind)

    def stop(self) -> list[tuple[str, float]]:
        """Wait for the device and return the kernels: names, and times in seconds."""
        import torch

        torch.cuda.synchronize()
        cupti_call_safe(self._cupti.activity_disable, self._kind)
        cupti_call_safe(self._cupti.activity_flush_all, 1)
        return list(self._kernels)

    def teardown(self) -> None:
        """Detach CUPTI from the process, so that other profilers can be attached."""
        cupti_call_safe(self._cupti.finalize)


class CuptiTimer(Timer):
    """The time of all kernels on CUDA devices, by :class:`CuptiProfiler`.

    Raises
    ------
    ImportError, RuntimeError
        As of :class:`CuptiProfiler`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._profiler = CuptiProfiler()

    def start(self) -> None:
        """Begin to record kernels."""
        self._profiler.start()

    def stop(self) -> float:
        """Return the sum of the times of the kernels."""
        return sum(seconds for _, seconds in self._profiler.stop())

    def cleanup(self) -> None:
        """Stop, and detach CUPTI from the process."""
        super().cleanup()
        self._profiler.teardown()
