"""PythonProfiler: measures what runs within a ``with`` block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nvfuser import _C

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


class PythonProfiler:
    """Context manager that measures the kernels of every run of a fusion within it.

    A run waits until the device has finished, and so takes longer; outside of the block nothing
    does. CUDA graphs cannot be captured within it. Blocks may be nested.

    Parameters
    ----------
    auto_scheduled : bool
        False for ``manual_execute``. Both kinds are recognized whatever is given here: of a
        schedule by hand, the profile has one segment, with the scheduler ``user``.

    Examples
    --------
    >>> with PythonProfiler() as profiler:
    ...     fd.execute(inputs)
    >>> profiler.profile.kernel_time_ms
    """

    def __init__(self, auto_scheduled: bool = True) -> None:
        self.auto_scheduled = auto_scheduled
        self._is_active = False
        self._profile: _C.FusionProfile | None = None

    def __enter__(self) -> Self:
        if self._is_active:
            raise RuntimeError("This PythonProfiler is active already")
        _C.reset_profiler()
        _C.start_profiling()
        self._is_active = True
        self._profile = None
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_active = False
        _C.stop_profiling()
        try:
            self._profile = _C.get_fusion_profile()
        except RuntimeError:
            self._profile = None

    @property
    def profile(self) -> _C.FusionProfile:
        """The profile of the last run within the block.

        Raises
        ------
        RuntimeError
            If nothing ran.
        """
        if self._is_active:
            return _C.get_fusion_profile()
        if self._profile is None:
            raise RuntimeError("No fusion was profiled: nothing ran within the PythonProfiler")
        return self._profile
