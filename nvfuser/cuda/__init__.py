"""The CUDA backend's compile step: CUDA C++ and the device library to machine code.

Importing this does not load NVRTC; the first compilation does.
"""

from nvfuser.cuda.compiler import CompilationError, compile_kernel

__all__ = ["CompilationError", "compile_kernel"]
