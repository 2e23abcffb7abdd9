"""Small and readable architectures of common kinds, for tests and benchmarks.

Each module here has ``SIZES`` ("tiny" for tests, "cpu" for less than a second a step on a few
cores, "gpu" for a data center's device) and ``build(size)``, which returns a module in training
mode and the inputs of a call. All sizes have a ``batch``. A new file is in the registry by being
there.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

import torch
from torch import Tensor, nn

__all__ = ["NAMES", "build", "is_trained", "loss_of"]

_SHARED = {"layers"}
NAMES = sorted(file.name for file in pkgutil.iter_modules(__path__) if file.name not in _SHARED)


def build(
    name: str, size: str = "tiny", *, device: str = "cpu", batch: int | None = None, seed: int = 0
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Return a module with random weights and the inputs of a call.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    size : str
        "tiny", "cpu" or "gpu".
    device : str
    batch : int, optional
        Another batch size than that of `size`.
    seed : int
        Of weights and inputs.
    """
    module = import_module(f"{__name__}.{name}")
    chosen = module.SIZES[size]
    if batch is not None:
        chosen = chosen._replace(batch=batch)
    torch.manual_seed(seed)
    with torch.device(device):
        return module.build(chosen)


def is_trained(name: str) -> bool:
    """Whether a model has a step of training: one that fills a cache has none."""
    return not name.endswith("_decode")


def loss_of(result: Tensor | tuple[Tensor, ...]) -> Tensor:
    """Return what a step of training minimizes: losses that are returned, else mean squares."""
    results = (result,) if isinstance(result, Tensor) else result
    losses = [x for x in results if x.dim() == 0]
    return sum(losses or [x.float().square().mean() for x in results])
