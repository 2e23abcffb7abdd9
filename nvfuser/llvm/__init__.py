"""The CPU backend's compile step: textual LLVM IR and the inline math library to machine code.

Importing this does not import llvmlite; the first compilation does.
"""

from nvfuser.llvm.compiler import (
    CompilationError,
    CompiledModule,
    HostTarget,
    compile_ir,
    host_target,
)

__all__ = ["CompilationError", "CompiledModule", "HostTarget", "compile_ir", "host_target"]
