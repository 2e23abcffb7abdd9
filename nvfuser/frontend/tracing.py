"""How functions are traced: beside other threads, and with the lines of their operations."""

from __future__ import annotations

import contextlib
import os
import sys
import sysconfig
from collections.abc import Iterator
from typing import Any

import torch
from torch.fx import traceback
from torch.overrides import TorchFunctionMode

__all__ = ["PACKAGES", "UserLines", "tracing_alone"]

# Whose lines are not the user's.
PACKAGES = tuple(
    folder + os.sep
    for folder in (
        os.path.dirname(os.path.abspath(torch.__file__)),
        os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
        os.path.join(sysconfig.get_path("stdlib"), "unittest"),
    )
) + tuple(
    os.path.join(sysconfig.get_path("stdlib"), name)
    for name in ("traceback.py", "logging", "contextlib.py", "functools.py")
)


class UserLines(TorchFunctionMode):  # type: ignore[misc]
    """Notes the line of the user's program that calls torch as that of the nodes it becomes."""

    def __enter__(self) -> UserLines:
        self._preserving = traceback.preserve_node_meta()
        self._preserving.__enter__()
        super().__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        self._preserving.__exit__(*exception)

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Call a function of torch."""
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename.startswith(PACKAGES):
            frame = frame.f_back
        if frame is not None:
            code = frame.f_code
            line = f'  File "{code.co_filename}", line {frame.f_lineno}, in {code.co_name}\n'
            traceback.set_stack_trace([line])
        return function(*args, **(kwargs or {}))


@contextlib.contextmanager
def tracing_alone() -> Iterator[None]:
    """Trace while other threads do not, but may call what is compiled.

    What tracing changes is there for all threads: attributes of modules, ``print``, and the flag
    that torch.fx traces. A function of ``torch.compile`` that finds the flag set raises, whichever
    thread calls it, unless something is being compiled; that torch 2.11 does not say while Dynamo's
    backends trace. The lock is Dynamo's, so that there is one order of locks.
    """
    from torch._dynamo.convert_frame import compile_lock

    with compile_lock:
        was_compiling = torch.compiler._is_compiling_flag
        torch.compiler._is_compiling_flag = True
        try:
            yield
        finally:
            torch.compiler._is_compiling_flag = was_compiling
