"""How a graph of AOTAutograd's is divided into forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

__all__ = ["kept_results", "partition"]

_VISIBLE = "nvfuser_visible_results"


def partition(
    joint: torch.fx.GraphModule, inputs: Sequence[Any], *, num_fwd_outputs: int, **options: Any
) -> tuple[torch.fx.GraphModule, torch.fx.GraphModule]:
    """Divide a joint graph where the fewest bytes are kept, as a `partition_fn` of AOTAutograd."""
    from torch._functorch.partitioners import min_cut_rematerialization_partition

    forward, backward = min_cut_rematerialization_partition(
        joint, inputs, num_fwd_outputs=num_fwd_outputs, **options
    )
    forward.meta[_VISIBLE] = num_fwd_outputs
    return forward, backward


def kept_results(graph: torch.fx.GraphModule) -> set[torch.fx.Node]:
    """Return the results that only backward sees: nobody asks how these lie in memory."""
    (output,) = graph.graph.find_nodes(op="output")
    visible = graph.meta.get(_VISIBLE)
    if visible is None:
        return set()
    results = [x if isinstance(x, torch.fx.Node) else None for x in output.args[0]]
    return {x for x in results[visible:] if x is not None} - set(results[:visible])
