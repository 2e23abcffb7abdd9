"""What the measuring commands share: timing, and ``torch.compile`` where it is usable."""

from __future__ import annotations

import importlib.util
import os
import shutil
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

__all__ = ["compile_or_none", "microseconds_per_call", "synchronize", "why_not_compile"]


def synchronize(device: str) -> None:
    """Wait until `device` has done everything asked of it."""
    if device != "cpu":
        torch.cuda.synchronize(device)


def microseconds_per_call(
    functions: Sequence[Callable[[], Any]], device: str, budget: float = 0.2, rounds: int = 5
) -> list[float]:
    """Return the best mean time of a call of each function.

    Every function has `budget` seconds, in rounds that alternate between all of them: what disturbs
    the machine for a while then disturbs all alike.
    """

    def mean(function: Callable[[], Any], calls: int) -> float:
        synchronize(device)
        start = time.perf_counter()
        for _ in range(calls):
            function()
        synchronize(device)
        return (time.perf_counter() - start) / calls

    counts = []
    for function in functions:
        function()
        # More at a time until they fill a round, estimated from the best so far.
        calls, best = 1, mean(function, 1)
        while calls * best < budget / rounds / 4:
            calls *= 2
            best = min(best, mean(function, calls))
        counts.append(max(1, int(budget / rounds / best)))
    best_of = [float("inf")] * len(functions)
    for _ in range(rounds):
        for index, function in enumerate(functions):
            best_of[index] = min(best_of[index], mean(function, counts[index]))
    return [seconds * 1e6 for seconds in best_of]


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
