"""Graphs around which AOTAutograd has nothing to do in a call.

What it returns puts around a graph what gradients, updates, aliases and effects need, and does so
in each call, which takes longer than a small fusion. Where a graph has none of these, it is called
as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import torch
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from nvfuser.frontend.conversion import GraphFusion
from nvfuser.frontend.layouts import owner_of

__all__ = ["is_whole", "without_wrappers"]

_OF_TORCH = ("aten", "prims")


def is_whole(
    captured: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    graph: torch.fx.GraphModule,
    call: Callable[..., Any],
) -> bool:
    """Whether the arguments and results of a graph are those of what Dynamo captured.

    Parameters
    ----------
    captured : torch.fx.GraphModule
    example_inputs : sequence
        What it was captured with. Dynamo's guards see to it that the arguments of calls are like
        these, and that the modes of autograd are.
    graph : torch.fx.GraphModule
        What AOTAutograd has made of it, without gradients.
    call : callable
        What computes that.
    """
    if not _is_generated(call) or not all(map(_is_plain, example_inputs)):
        return False
    if _sets_grad_mode(captured):
        return False
    nodes = list(graph.graph.nodes)
    placeholders = [node for node in nodes if node.op == "placeholder"]
    if any(map(_has_wrappers, nodes)) or not _have_same_types(
        [node.meta.get("val") for node in placeholders], example_inputs
    ):
        return False
    results, originals = nodes[-1].args[0], _results(captured)
    return len(results) == len(originals) and _own_their_memory(results)


def without_wrappers(call: Callable[..., Any]) -> Callable[..., Any]:
    """Return what computes a graph as a function of its arguments, not of a list of them."""
    compute = call.execute if isinstance(call, GraphFusion) else call

    def compute_directly(*args: Any) -> Any:
        return compute(list(args))

    return compute_directly


def _is_generated(call: Callable[..., Any]) -> bool:
    # Torch itself would run the others as autograd and autocast are.
    return isinstance(call, GraphFusion) or (
        isinstance(call, FunctionType) and isinstance(getattr(call, "fusion", None), GraphFusion)
    )


def _is_plain(value: Any) -> bool:
    if not isinstance(value, torch.Tensor):
        return isinstance(value, (int, float, torch.SymInt, torch.SymFloat))
    is_differentiated = value.requires_grad and torch.is_grad_enabled()
    return not is_differentiated and not is_traceable_wrapper_subclass(value)


def _sets_grad_mode(captured: torch.fx.GraphModule) -> bool:
    return any(
        node.target in (torch._C._set_grad_enabled, torch.set_grad_enabled)
        for module in captured.modules()
        if isinstance(module, torch.fx.GraphModule)
        for node in module.graph.nodes
    )


def _has_wrappers(node: torch.fx.Node) -> bool:
    """Whether a node is an update, an effect, or an operator that is checked."""
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.is_mutable or node.target.namespace not in _OF_TORCH
    return isinstance(node.target, torch._ops.HigherOrderOperator)


def _have_same_types(values: Sequence[Any], examples: Sequence[Any]) -> bool:
    return len(values) == len(examples) and all(
        isinstance(value, torch.Tensor) == isinstance(example, torch.Tensor)
        for value, example in zip(values, examples, strict=True)
    )


def _results(graph: torch.fx.GraphModule) -> Sequence[Any]:
    (output,) = graph.graph.find_nodes(op="output")
    results = output.args[0]
    return results if isinstance(results, (tuple, list)) else [results]


def _own_their_memory(results: Sequence[Any]) -> bool:
    """Whether no result is, or is a view of, an argument or another result.

    Of sizes that are open, AOTAutograd tells Dynamo in each call.
    """
    owners = [owner_of(result) for result in results if isinstance(result, torch.fx.Node)]
    return (
        len(owners) == len(results) == len(set(owners))
        and all(owner.op == "call_function" for owner in owners)
        and all(_has_known_sizes(result.meta.get("val")) for result in results)
    )


def _has_known_sizes(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and all(type(size) is int for size in value.shape)
