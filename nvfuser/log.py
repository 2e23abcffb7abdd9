"""What is compiled, told to Python's ``logging`` under the logger ``nvfuser``.

``INFO``: what was compiled, for whom, how long it took, and why a fusion is several kernels.
``DEBUG``: calls whose sizes are new to kernels that there were, and every kernel.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence

from nvfuser import call_sites

__all__ = ["is_enabled", "logger", "planned"]

logger = logging.getLogger("nvfuser")
# Where the machine code of kernels came from, by their names, until it is told.
_origins: dict[str, str] = {}


def is_enabled() -> bool:
    """Return whether anything would be logged."""
    return logger.isEnabledFor(logging.INFO)


def loaded(names: Iterable[str], origin: str) -> None:
    """Note where the machine code of a kernel's functions comes from.

    Parameters
    ----------
    names : iterable of str
        Of the functions: ``NAME_phase0`` and so on.
    origin : str
        What is said of it, such as ``from the cache on disk``.
    """
    if is_enabled():
        for name in names:
            _origins[name.rpartition("_phase")[0]] = origin


def planned(
    fusion: int,
    device: str,
    milliseconds: float,
    kernels: Sequence[tuple[str, str, float]],
    cuts: Sequence[str],
) -> None:
    """Log that a plan was made for inputs of a new signature.

    Parameters
    ----------
    fusion : int
        The number of the fusion.
    device : str
        Where it runs.
    milliseconds : float
        What it took.
    kernels : sequence of (str, str, float)
        Name and scheduler of each kernel or library call, and what compiling it took: 0 when it
        had been compiled before.
    cuts : sequence of str
        Why it is several kernels.
    """
    where, depth = call_sites.user_line()
    compiled = [kernel for kernel in kernels if kernel[2] > 0]
    level = logging.INFO if compiled else logging.DEBUG
    what = (
        f"compiled {len(compiled)} of {len(kernels)} kernels"
        if compiled
        else "made a plan for new sizes"
    )
    logger.log(
        level,
        "fusion %d, run at %s: %s for %s in %.1f ms",
        *(fusion, where, what, device, milliseconds),
        stacklevel=depth,
    )
    for name, scheduler, took in kernels:
        origin = _origins.pop(name, "")
        if took > 0:
            detail = f"{took:.1f} ms" + (f", {origin}" if origin else "")
        else:
            detail = "a library call" if scheduler == "expr_eval" else "compiled before"
        logger.log(
            logging.INFO if took > 0 else logging.DEBUG,
            "fusion %d: kernel %s (%s): %s",
            *(fusion, name, scheduler, detail),
            stacklevel=depth,
        )
    if compiled:
        for cut in cuts:
            logger.info("fusion %d: %s", fusion, cut, stacklevel=depth)
