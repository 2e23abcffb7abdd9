"""Define a graph of tensor operations once, run it as few generated kernels."""

import os
import sys
from importlib.machinery import PathFinder


def _use_installed_package() -> None:
    """Take the submodules from the installed package where this one has no extension.

    ``python -m nvfuser`` in the root of a checkout imports the package from there, where nothing is
    built. One directory for all submodules, so that Python files and extension are of one build.
    """
    own = PathFinder.find_spec("_C", __path__)
    # A folder _C of stubs is found, too, but has no origin.
    if own is not None and own.origin is not None:
        return
    directories = [os.path.join(entry, __name__) for entry in sys.path]
    installed = PathFinder.find_spec("_C", directories)
    if installed is None or installed.origin is None:
        raise ImportError(
            f"nvfuser in {os.path.dirname(__file__)} is a source tree without its extension, and "
            "no installed nvfuser was found: run `pip install .` in the root of the checkout"
        )
    __path__[:] = [os.path.dirname(installed.origin)]


_use_installed_package()

from nvfuser.nvfuser_direct_version import __version__, version  # noqa: E402

__all__ = ["__version__", "version"]
