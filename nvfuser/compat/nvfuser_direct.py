"""Makes ``import nvfuser_direct`` give this package.

For clients of nvFuser's direct bindings that cannot change their imports::

    import nvfuser.compat.nvfuser_direct

    from nvfuser_direct import DataType, FusionDefinition  # this package's

Raises
------
ImportError
    If another ``nvfuser_direct`` is installed or imported: it is not replaced.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from importlib.machinery import PathFinder

import nvfuser

_ALIAS = "nvfuser_direct"
# The submodules that the direct bindings have, as far as this package has them.
_SUBMODULES = (
    "benchmark_utils",
    "idm",
    "multidevice",
    "nvf_cutlass",
    "nvfuser_direct_version",
    "ops",
    "pytorch_utils",
    "schedule",
)


# What these import at once.
_NEEDS_TORCH = ("multidevice", "nvf_cutlass", "pytorch_utils")


def _refuse_to_shadow() -> None:
    present = sys.modules.get(_ALIAS)
    if present is not None and present is not nvfuser:
        origin = getattr(present, "__file__", "an unknown place")
        raise ImportError(f"{_ALIAS} is already imported from {origin}: it is not replaced")
    installed = PathFinder.find_spec(_ALIAS)
    if installed is not None:
        raise ImportError(
            f"{_ALIAS} is installed in {installed.origin}: it is not replaced. Uninstall it, or "
            "import nvfuser by its own name"
        )


def _register() -> None:
    sys.modules[_ALIAS] = nvfuser
    for name in _SUBMODULES:
        qualified = f"{nvfuser.__name__}.{name}"
        # Native submodules are in sys.modules already.
        if qualified not in sys.modules and (
            importlib.util.find_spec(qualified) is None
            or (name in _NEEDS_TORCH and importlib.util.find_spec("torch") is None)
        ):
            continue
        sys.modules[f"{_ALIAS}.{name}"] = importlib.import_module(qualified)


_refuse_to_shadow()
_register()
