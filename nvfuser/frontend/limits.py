"""What the conversion of a graph cannot do, told apart from what it does wrong."""

from __future__ import annotations

__all__ = ["Limit"]


class Limit(Exception):  # noqa: N818
    """A graph, or a node of it, is nothing that a fusion can be; the message says why."""
