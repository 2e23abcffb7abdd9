"""The kernels that a function of torch is planned to take, for the properties of a large GPU."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch


def planned(kernels: list[str], function: Callable[..., Any], *inputs: torch.Tensor) -> list[str]:
    """Plan a function; `kernels` is the fixture of this name."""
    kernels.clear()
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend="nvfuser", dynamic=False)(*inputs)
    return kernels


def phases_of(text: str) -> list[str]:
    """Return the kernels of a text, in the order in which they are launched."""
    return re.split(r'extern "C" __global__', text)[1:]
