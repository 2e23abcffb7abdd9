"""Graphs with library calls as CUDA graphs: what they launch is recorded once, and replayed.

Kernels of a fusion are launched as a whole by native code, wherever their tensors lie. Library
calls launch what only their libraries know, so that torch records all of a graph, by the trees
that Inductor has for ``mode="reduce-overhead"``: with the same pool of memory for all recordings,
parameters read where they lie, and other arguments copied to where they lay when it was recorded.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser import _C
from nvfuser.drawing import library_operations
from nvfuser.frontend.conversion import device_of, fusion_of

__all__ = ["Recorder"]

_log = logging.getLogger("nvfuser")

# Operations whose kernels are told by the host where torch's generator stands.
_RANDOM = frozenset({"normal", "rand_like", "randn_like", "uniform"})


class Recorder:
    """Records the graphs that one captured program was divided into, forward before backward."""

    def __init__(self) -> None:
        self._device: int | None = None

    def forward(
        self,
        graph: torch.fx.GraphModule,
        inputs: Sequence[Any],
        call: Callable[..., Any],
        is_inference: bool,
    ) -> Callable[..., Any]:
        """Return what calls a graph, and is recorded when it is called; or `call` itself.

        Parameters
        ----------
        graph : torch.fx.GraphModule
        inputs : sequence
            What stands for its arguments.
        call : callable
            What computes it.
        is_inference : bool
            Whether there is no backward graph.
        """
        operations = _operations(call)
        # Kernels alone are launched as a whole by native code.
        if library_operations().isdisjoint(operations):
            return call
        if reason := _obstacle(graph, operations):
            _log.info("a graph is not recorded: %s", reason)
            return call
        self._device = device_of(graph).index
        context = torch._guards.TracingContext.try_get()
        metadata = None if context is None else context.fw_metadata
        static = [] if metadata is None else metadata.static_input_indices
        return _recorded(
            graph, inputs, call, static, self._device, is_backward=False, is_inference=is_inference
        )

    def backward(
        self, graph: torch.fx.GraphModule, inputs: Sequence[Any], call: Callable[..., Any]
    ) -> Callable[..., Any]:
        """Return the same for the graph of gradients."""
        if self._device is None:
            return call
        if reason := _obstacle(graph, _operations(call)):
            _log.info("a graph of gradients is not recorded: %s", reason)
            return self._beside_recordings(call)
        from torch._inductor.utils import count_tangents

        # What forward kept is where it was recorded to be.
        static = range(count_tangents(graph))
        return _recorded(
            graph, inputs, call, static, self._device, is_backward=True, is_inference=False
        )

    def _beside_recordings(self, call: Callable[..., Any]) -> Callable[..., Any]:
        from torch._inductor.cudagraph_trees import get_manager

        device = self._device

        def called(args: list[Any]) -> Any:
            manager = get_manager(device, create_if_none_exists=False)
            if manager is not None:
                manager.set_to_running_backward()
            return call(args)

        called._boxed_call = True  # type: ignore[attr-defined]
        return called


def _operations(call: Callable[..., Any]) -> set[str]:
    """Return which operations the fusion of a graph has; none where torch runs the graph."""
    fusion = fusion_of(call)
    if fusion is None:
        return set()
    names = [function for function, *_ in _C.definition_calls(fusion._defined())]
    return {name.removeprefix("ops.") for name in names}


def _obstacle(graph: torch.fx.GraphModule, operations: set[str]) -> str | None:
    """Return why a graph cannot be recorded."""
    from torch._inductor.utils import get_first_incompatible_cudagraph_node

    own = device_of(graph)
    for device in _devices(graph):
        if device.type != "cuda" or device != own:
            return f"a tensor is on {device}"
    if (node := get_first_incompatible_cudagraph_node(graph)) is not None:
        return f"{node.target} cannot be recorded"
    if not _RANDOM.isdisjoint(operations):
        return "its random numbers would be repeated"
    return None


def _devices(graph: torch.fx.GraphModule) -> set[torch.device]:
    values = [node.meta.get("val") for node in graph.graph.nodes]
    leaves = [x for v in values for x in (v if isinstance(v, (tuple, list)) else [v])]
    return {x.device for x in leaves if isinstance(x, torch.Tensor)}


def _recorded(
    graph: torch.fx.GraphModule,
    inputs: Sequence[Any],
    call: Callable[..., Any],
    static: Sequence[int],
    device: int,
    *,
    is_backward: bool,
    is_inference: bool,
) -> Callable[..., Any]:
    from torch._inductor.cudagraph_trees import cudagraphify_impl
    from torch._inductor.cudagraph_utils import get_placeholder_info

    def called(args: list[Any]) -> Any:
        # The memory of arguments that nobody else has is free for the next graph.
        results = call(args)
        args.clear()
        return results

    (output,) = graph.graph.find_nodes(op="output")
    recorded: Callable[..., Any] = cudagraphify_impl(
        called,
        list(inputs),
        static,
        device_index=device,
        is_backward=is_backward,
        is_inference=is_inference,
        stack_traces=[
            result.stack_trace if isinstance(result, torch.fx.Node) else None
            for result in output.args[0]
        ],
        placeholders=get_placeholder_info(graph.graph),
        mutated_input_idxs=_updated_inputs(graph),
    )
    recorded._boxed_call = True  # type: ignore[attr-defined]
    return recorded


def _updated_inputs(graph: torch.fx.GraphModule) -> set[int]:
    placeholders = graph.graph.find_nodes(op="placeholder")
    updates = graph.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    return {placeholders.index(update.args[0]) for update in updates}
