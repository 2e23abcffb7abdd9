"""How tensors of a graph lie in memory."""

from __future__ import annotations

import operator
from typing import Any

import torch

from nvfuser.frontend.sizes import hint_of, is_known

__all__ = ["is_dense", "is_row_major", "order_of", "owner_of", "view_source"]


def order_of(fake: torch.Tensor) -> list[int]:
    """Return the rank of each dimension by stride, 0 the fastest.

    Dimensions of size 1 lie where those of a contiguous tensor would.
    """
    strides = [hint_of(stride) for stride in fake.stride()]
    is_one = [is_known(size == 1) for size in fake.shape]
    for dim in reversed(range(len(strides))):
        if is_one[dim]:
            inner = [strides[d] for d in range(dim + 1, len(strides))]
            strides[dim] = inner[0] if inner else 1
    outermost_first = sorted(range(len(strides)), key=lambda dim: (-strides[dim], dim))
    order = [0] * len(strides)
    for place, dim in enumerate(outermost_first):
        order[dim] = len(strides) - 1 - place
    return order


def is_row_major(fake: torch.Tensor) -> bool:
    """Whether the dimensions lie in memory from the outermost to the innermost one."""
    order = order_of(fake)
    return order == sorted(order, reverse=True)


def is_dense(fake: torch.Tensor) -> bool:
    """Whether the elements fill one piece of memory, none of it twice."""
    order = order_of(fake)
    expected = 1
    for dim in sorted(range(fake.dim()), key=order.__getitem__):
        size = hint_of(fake.shape[dim])
        if size == 0:
            return True
        if size != 1 and hint_of(fake.stride()[dim]) != expected:
            return False
        expected *= size
    return True


def view_source(node: torch.fx.Node) -> torch.fx.Node | None:
    """Return the node that a node is a view of, None if it has memory of its own."""
    if node.op != "call_function":
        return None
    if node.target is operator.getitem:
        source: Any = node.args[0]
        return source if _returns_views(source) else None
    return node.args[0] if _returns_views(node) else None


def owner_of(node: torch.fx.Node) -> torch.fx.Node:
    """Return the node whose memory a tensor lies in."""
    while (source := view_source(node)) is not None:
        node = source
    return node


def _returns_views(node: torch.fx.Node) -> bool:
    if not isinstance(node.target, torch._ops.OpOverload) or not node.args:
        return False
    schema = node.target._schema
    alias = schema.arguments[0].alias_info if schema.arguments else None
    return alias is not None and not alias.is_write and isinstance(node.args[0], torch.fx.Node)
