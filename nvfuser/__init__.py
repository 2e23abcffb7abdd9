"""Define a graph of tensor operations once, run it as few generated kernels."""

from nvfuser.nvfuser_direct_version import __version__, version

__all__ = ["__version__", "version"]
