"""What the measuring commands share: timing, and ``torch.compile`` where it is usable."""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["compile_or_none", "microseconds_per_call", "synchronize", "why_not_compile"]


def synchronize(device: str) -> None:
    """Wait until `device` has done everything asked of it."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def microseconds_per_call(
    function: Callable[[], Any], device: str, budget: float = 0.2, repeats: int = 5
) -> float:
    """Return the best mean time of a call over `repeats` rounds of `budget` seconds in total."""
    function()
    synchronize(device)
    calls = 1
    while True:
        start = time.perf_counter()
        for _ in range(calls):
            function()
        synchronize(device)
        elapsed = time.perf_counter() - start
        if elapsed > budget / repeats / 4:
            break
        calls *= 2
    calls = max(1, int(calls * budget / repeats / elapsed))
    best = elapsed / calls if calls == 1 else float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        synchronize(device)
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1e6


def why_not_compile(device: str) -> str | None:
    """Return what ``torch.compile`` lacks on this machine; None if it may work."""
    if device == "cpu":
        compilers = [os.environ["CXX"]] if "CXX" in os.environ else ["g++", "clang++", "c++"]
        if not any(shutil.which(compiler) for compiler in compilers):
            return "no C++ compiler"
    elif importlib.util.find_spec("triton") is None:
        return "no triton"
    return None


def compile_or_none(
    function: Callable[..., Any], examples: list[tuple[Any, ...]]
) -> tuple[Callable[..., Any] | None, float | str]:
    """Compile `function` with ``torch.compile``, calling it with each of `examples`.

    Returns
    -------
    callable or None
        None where the compiler fails.
    float or str
        The seconds that it took, or why it failed.
    """
    compiled = torch.compile(function)
    start = time.perf_counter()
    try:
        for example in examples:
            compiled(*example)
    except RuntimeError as error:  # the base of all that torch.compile's stages raise
        return None, str(error).strip().partition("\n")[0]
    return compiled, time.perf_counter() - start
