"""How a graph of AOTAutograd's is divided into forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from nvfuser.frontend.operators.indexing import repeats

__all__ = ["kept_results", "partition"]

_VISIBLE = "nvfuser_visible_results"

_FULL = torch.ops.aten.full.default


def partition(
    joint: torch.fx.GraphModule, inputs: Sequence[Any], *, num_fwd_outputs: int, **options: Any
) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
    """Divide a joint graph where the fewest bytes are kept, as a `partition_fn` of AOTAutograd."""
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    _sum_gradients_of_repeats(joint)
    forward, backward = min_cut_rematerialization_partition(
        joint, inputs, num_fwd_outputs=num_fwd_outputs, **options
    )
    forward.meta[_VISIBLE] = num_fwd_outputs
    return forward, backward


def _sum_gradients_of_repeats(joint: torch.fx.GraphModule) -> None:
    """Let the gradient of what was repeated be a sum of neighbours.

    Torch repeats the elements of images by looking them up, so that gradients are added up at
    positions. That these only repeat elements is seen here: backward is given them as tensors.
    """
    for node in joint.graph.find_nodes(
        op="call_function", target=torch.ops.aten._unsafe_index_put.default
    ):
        zeros, positions, values, *rest = node.args
        if rest != [True] or not _is_zero(zeros):
            continue
        shape, given = zeros.meta["val"].shape, values.meta["val"]
        factors = repeats(positions, shape, given.shape) if given.dim() == len(shape) else None
        if factors is None:
            continue
        # Numbers, and nodes for those that are open.
        of_zeros = zeros.args[0] if zeros.target is _FULL else zeros.args[1]
        sizes: list[Any] = []
        summed: list[int] = []
        for size, factor in zip(of_zeros, factors, strict=True):
            sizes.append(size)
            if factor > 1:
                summed.append(len(sizes))
                sizes.append(factor)
        with joint.graph.inserting_before(node):
            view = _call(joint, torch.ops.aten.view.default, values, sizes)
            total = _call(joint, torch.ops.aten.sum.dim_IntList, view, summed)
        total.meta = {**node.meta, "val": total.meta["val"]}
        node.replace_all_uses_with(total)
        joint.graph.erase_node(node)
    joint.graph.eliminate_dead_code()


def _is_zero(node: Any) -> bool:
    is_full = node.target is _FULL and node.args[1] == 0
    return is_full or node.target is torch.ops.aten.new_zeros.default


def _call(graph: torch.fx.GraphModule, target: Any, x: torch.fx.Node, *rest: Any) -> torch.fx.Node:
    """Add the call of an operator to a graph."""
    node = graph.graph.call_function(target, (x, *rest))
    with x.meta["val"].fake_mode:
        args = torch.fx.node.map_arg(node.args, lambda given: given.meta["val"])
        node.meta["val"] = target(*args)
    return node


def kept_results(graph: torch.fx.GraphModule) -> set[torch.fx.Node]:
    """Return the results that only backward sees: nobody asks how these lie in memory."""
    (output,) = graph.graph.find_nodes(op="output")
    visible = graph.meta.get(_VISIBLE)
    if visible is None:
        return set()
    results = [x if isinstance(x, torch.fx.Node) else None for x in output.args[0]]
    return {x for x in results[visible:] if x is not None} - set(results[:visible])
