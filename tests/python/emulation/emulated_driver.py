"""The emulated driver through its own interface, for kernels that are written by hand."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import emulation
import numpy as np

# What the entries of `extra` of a launch are.
POINTER = 1
SIZE = 2


class Driver:
    """The emulated driver with a context, and launches over NumPy arrays."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(emulation.driver()))
        self.check("cuInit", 0)
        context = ctypes.c_void_p()
        self.check("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.check("cuCtxSetCurrent", context)

    def call(self, name: str, *arguments: object) -> int:
        return getattr(self.library, name)(*arguments)

    def message(self, error: int) -> str:
        text = ctypes.c_char_p()
        self.call("cuGetErrorString", error, ctypes.byref(text))
        return (text.value or b"").decode()

    def check(self, name: str, *arguments: object) -> None:
        error = self.call(name, *arguments)
        if error != 0:
            raise RuntimeError(self.message(error))

    def function(self, source: str, name: str = "kernel") -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        self.check("cuModuleLoadData", ctypes.byref(module), emulation.compile_source(source))
        function = ctypes.c_void_p()
        self.check("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def register(self, array: np.ndarray) -> None:
        self.library.emulation_register(ctypes.c_void_p(array.ctypes.data), array.nbytes)

    def launch(
        self,
        function: ctypes.c_void_p,
        grid: Sequence[int],
        block: Sequence[int],
        arguments: Sequence[np.ndarray | int],
        shared: int = 0,
    ) -> None:
        """Launch with 8-byte arguments: addresses of arrays, and integers."""
        for value in arguments:
            if isinstance(value, np.ndarray):
                self.register(value)
        slots = (ctypes.c_int64 * len(arguments))(
            *[value.ctypes.data if isinstance(value, np.ndarray) else value for value in arguments]
        )
        size = ctypes.c_size_t(ctypes.sizeof(slots))
        extra = (ctypes.c_void_p * 5)(
            POINTER, ctypes.addressof(slots), SIZE, ctypes.addressof(size), None
        )
        dims = [*grid, *[1] * (3 - len(grid)), *block, *[1] * (3 - len(block))]
        self.check("cuLaunchKernel", function, *dims, shared, None, None, extra)
