"""Options of ``torch.compile(backend="nvfuser", options={...})``."""

from __future__ import annotations

import dataclasses
import difflib
from typing import Any

from nvfuser import _C

__all__ = ["Settings", "wants_cuda_graphs"]

_MODES = ("default", "reduce-overhead")


def wants_cuda_graphs(mode: str | None) -> bool:
    """Whether a mode of torch.compile is the one that turns on CUDA graphs."""
    if mode is not None and mode not in _MODES:
        raise ValueError(f'mode must be one of {", ".join(map(repr, _MODES))}, but is "{mode}"')
    return mode == "reduce-overhead"


@dataclasses.dataclass(frozen=True)
class Settings:
    """How graphs are compiled.

    Attributes
    ----------
    check : bool
        Whether every call is compared with what torch computes node by node.
    strict : bool
        Whether a graph, or an operation, that cannot be part of a fusion is an error; otherwise
        torch runs it.
    cuda_graphs : bool
        Whether the kernels of a graph without calls of torch are launched as a whole, as one CUDA
        graph. ``mode="reduce-overhead"`` turns it on.
    assume_sizes : bool
        Whether kernels of graphs with symbolic sizes are compiled for those of the first call:
        what differs in a later one is left open from then on.

    Notes
    -----
    ``NVFUSER_DEBUG`` lists those that are on where ``options`` does not say otherwise.
    """

    check: bool = False
    strict: bool = False
    cuda_graphs: bool = False
    assume_sizes: bool = False

    @classmethod
    def of(cls, options: dict[str, Any] | None, mode: str | None = None) -> Settings:
        """Return settings from what a user gave."""
        known = {field.name: field.type for field in dataclasses.fields(cls)}
        for name, value in (options or {}).items():
            if name not in known:
                near = difflib.get_close_matches(str(name), known, 1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(
                    f"nvfuser has no option {name!r} for torch.compile, only "
                    f"{', '.join(map(repr, known))}{hint}"
                )
            if not isinstance(value, bool):
                raise TypeError(f"the option {name!r} must be True or False, but is {value!r}")
        in_environment = dict.fromkeys(_C.environment_options("NVFUSER_DEBUG"), True)
        of_mode = {"cuda_graphs": wants_cuda_graphs(mode)}
        return cls(**{**in_environment, **of_mode, **(options or {})})

    def options(self) -> list[str]:
        """Return the options of runs that follow from these."""
        return [name for name in ("cuda_graphs", "assume_sizes") if getattr(self, name)]
