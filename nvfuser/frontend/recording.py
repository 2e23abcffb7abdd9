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
from nvfuser.frontend.limits import LEFT_TO_TORCH

__all__ = ["Recorder"]

aten = torch.ops.aten

_log = logging.getLogger("nvfuser")

# Operations whose kernels are told by the host where torch's generator stands.
_RANDOM = frozenset({"normal", "rand_like", "randn_like", "uniform"})
_DRAWING = frozenset(
    {
        aten.bernoulli.default,
        aten.bernoulli.p,
        aten.rand.default,
        aten.rand_like.default,
        aten.randn.default,
        aten.randn_like.default,
    }
)
_REPLAYED = "its numbers are drawn again when a recording is replayed"


class Recorder:
    """Records the graphs that one captured program was divided into, forward before backward."""

    def __init__(self) -> None:
        self._device: int | None = None

    def prepare(self, graph: torch.fx.GraphModule) -> None:
        """Let torch draw the random numbers of a graph that will be recorded.

        Its generator says where it stands in memory of the device, which a replay reads again.
        What is computed from the numbers is part of the kernels as before.

        Parameters
        ----------
        graph : torch.fx.GraphModule
            Changed where it draws random numbers, before it is compiled.
        """
        if _obstacle(graph, set()) is not None:
            return
        dropouts = graph.graph.find_nodes(op="call_function", target=aten.native_dropout.default)
        for node in dropouts:
            _divide_dropout(node)
        for node in graph.graph.nodes:
            if node.target in _DRAWING:
                node.meta[LEFT_TO_TORCH] = _REPLAYED
        if dropouts:
            graph.graph.lint()
            graph.recompile()

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


def _divide_dropout(node: torch.fx.Node) -> None:
    """Replace a dropout by what draws numbers, and what is computed from them."""
    x, probability, is_training = node.args
    fake: torch.Tensor = node.meta["val"][0]
    if is_training is False or not 0 < probability < 1:
        return
    if not all(isinstance(size, int) for size in fake.shape):
        return
    graph = node.graph

    def call(target: Any, *args: Any, **options: Any) -> torch.fx.Node:
        new = graph.call_function(target, args, options)
        new.meta["stack_trace"] = node.meta.get("stack_trace")
        values = torch.fx.node.map_arg(args, lambda arg: arg.meta["val"])
        with fake.fake_mode:
            new.meta["val"] = target(*values, **options)
        return new

    with graph.inserting_before(node):
        drawn = call(aten.rand.default, list(fake.shape), dtype=torch.float32, device=fake.device)
        kept = call(aten.lt.Scalar, drawn, 1.0 - probability)
        # The product with a mask is exact: it is rounded once, as that of dropout.
        masked = call(aten.mul.Tensor, x, kept)
        scaled = call(aten.mul.Tensor, masked, 1.0 / (1.0 - probability))
    for user in list(node.users):
        user.replace_all_uses_with((scaled, kept)[user.args[1]])
        graph.erase_node(user)
    graph.erase_node(node)


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
