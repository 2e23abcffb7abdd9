"""Runs functions of the inline math library over arrays."""

from __future__ import annotations

import ctypes
import functools
import platform
from collections.abc import Sequence

import numpy as np

from nvfuser.llvm import CompiledModule, HostTarget, compile_ir, host_target

# Suffix of a function -> LLVM type, NumPy type.
TYPES = {
    "f32": ("float", np.float32),
    "f64": ("double", np.float64),
    "i32": ("i32", np.int32),
    "i64": ("i64", np.int64),
    "u64": ("i64", np.uint64),
    "i1": ("i1", np.bool_),
    "i8": ("i8", np.uint8),
    "i16": ("i16", np.uint16),
    "c64": ("{ float, float }", np.complex64),
    "c128": ("{ double, double }", np.complex128),
}

# A host without FMA, AVX or F16C: what the library must also be right on.
_PLAIN = "x86-64" if platform.machine() == "x86_64" else "generic"
BASELINE = HostTarget(host_target().triple, _PLAIN, "")
# The host, or on x86 without masks for vectors of 16-bit elements one that has them: for text only.
_HAS_MASKS = platform.machine() != "x86_64" or "avx512bw" in host_target().enabled
WITH_MASKS = host_target() if _HAS_MASKS else BASELINE._replace(cpu="skylake-avx512")


# Inputs and outputs do not overlap.
LOADED = "!alias.scope !3, !noalias !4"
STORED = "!alias.scope !4, !noalias !3"


def loop(function: str, parameters: Sequence[str], result: str) -> str:
    """Return a kernel that applies `function` to contiguous arrays, as the emitter would."""
    names = [f"in{k}" for k in range(len(parameters))]
    lines = [
        "define void @kernel(ptr %args, i64 %begin, i64 %end, ptr %scratch) "
        '"frame-pointer"="all" {',
        "entry:",
    ]
    for k, name in enumerate([*names, "out"]):
        lines += [
            f"  %{name}.slot = getelementptr ptr, ptr %args, i64 {k}",
            f"  %{name} = load ptr, ptr %{name}.slot",
        ]
    lines += [
        "  %some = icmp slt i64 %begin, %end",
        "  br i1 %some, label %loop, label %exit",
        "loop:",
        "  %i = phi i64 [ %begin, %entry ], [ %next, %loop ]",
    ]
    arguments = []
    for name, suffix in zip(names, parameters, strict=True):
        type_ = TYPES[suffix][0]
        memory = "i8" if suffix == "i1" else type_
        lines += [
            f"  %{name}.ptr = getelementptr inbounds {memory}, ptr %{name}, i64 %i",
            f"  %{name}.raw = load {memory}, ptr %{name}.ptr, align 1, {LOADED}",
        ]
        if suffix == "i1":
            lines.append(f"  %{name}.value = trunc i8 %{name}.raw to i1")
        value = "value" if suffix == "i1" else "raw"
        arguments.append(f"{type_} %{name}.{value}")
    type_ = TYPES[result][0]
    lines.append(f"  %result = call {type_} @{function}({', '.join(arguments)})")
    if result == "i1":
        lines.append("  %stored = zext i1 %result to i8")
    memory, stored = ("i8", "stored") if result == "i1" else (type_, "result")
    lines += [
        f"  %out.ptr = getelementptr inbounds {memory}, ptr %out, i64 %i",
        f"  store {memory} %{stored}, ptr %out.ptr, align 1, {STORED}",
        "  %next = add nuw nsw i64 %i, 1",
        "  %more = icmp slt i64 %next, %end",
        "  br i1 %more, label %loop, label %exit",
        "exit:",
        "  ret void",
        "}",
        "!0 = distinct !{!0}",
        "!1 = distinct !{!1, !0}",
        "!2 = distinct !{!2, !0}",
        "!3 = !{!1}",
        "!4 = !{!2}",
    ]
    return "\n".join(lines) + "\n"


ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)


def launch(module: CompiledModule, arrays: Sequence[np.ndarray], count: int) -> None:
    """Run ``@kernel`` of a module over arrays."""
    pointers = (ctypes.c_void_p * len(arrays))(*[a.ctypes.data for a in arrays])
    ENTRY(module.address("kernel"))(pointers, 0, count, None)


@functools.cache
def compiled(
    function: str, parameters: tuple[str, ...], result: str, target: HostTarget | None
) -> CompiledModule:
    """Compile `loop` once."""
    return compile_ir(loop(function, parameters, result), cache=False, target=target)


def apply(
    op: str,
    *inputs: np.ndarray,
    types: Sequence[str],
    result: str | None = None,
    target: HostTarget | None = None,
) -> np.ndarray:
    """Apply ``@nvf.<op>``, such as exp.f32, to arguments of the named types element by element."""
    result = result or types[0]
    arrays = [
        np.ascontiguousarray(x, dtype=TYPES[t][1]) for x, t in zip(inputs, types, strict=True)
    ]
    out = np.empty(arrays[0].shape, dtype=TYPES[result][1])
    module = compiled(f"nvf.{op}", tuple(types), result, target)
    launch(module, [*arrays, out], out.size)
    return out
