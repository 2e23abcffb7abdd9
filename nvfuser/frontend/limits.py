"""What the conversion of a graph cannot do, told apart from what it does wrong."""

from __future__ import annotations

__all__ = ["LEFT_TO_TORCH", "Limit"]

# In the metadata of a node: why torch runs it though kernels could be generated.
LEFT_TO_TORCH = "nvfuser_left_to_torch"


class Limit(Exception):  # noqa: N818
    """A graph, or a node of it, is nothing that a fusion can be; the message says why."""
