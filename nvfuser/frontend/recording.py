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

# Operations whose kernels the host tells where torch's generator stands, unless they have a seed.
_RANDOM = frozenset({"normal", "rand_like", "randn_like", "uniform"})
# By what our kernels draw them where a seed is in memory.
_MODES = {
    aten.rand.default: "rand",
    aten.rand_like.default: "rand",
    aten.randn.default: "randn",
    aten.randn_like.default: "randn",
}
_DRAWING = frozenset({*_MODES, aten.bernoulli.default, aten.bernoulli.p})
_REPLAYED = "its numbers are drawn again when a recording is replayed"
_SELECTED = "kernels that differ in their seed alone are one"


class Recorder:
    """Records the graphs that one captured program was divided into, forward before backward."""

    def __init__(self) -> None:
        self._device: int | None = None

    def prepare(self, graph: torch.fx.GraphModule) -> None:
        """Let the random numbers of a graph that will be recorded be new ones in every replay.

        Torch's generator says where it stands in memory of the device, which a replay reads
        again. Of it come the seeds of the numbers that our kernels draw, which are read from
        memory, too; and numbers that these do not draw by a seed.

        Parameters
        ----------
        graph : torch.fx.GraphModule
            Changed where it draws random numbers, before it is compiled.
        """
        if _obstacle(graph, draws_by_host=False) is not None:
            return
        dropouts = graph.graph.find_nodes(op="call_function", target=aten.native_dropout.default)
        for node in dropouts:
            _divide_dropout(node)
        drawing = [node for node in graph.graph.nodes if node.target in _DRAWING]
        by_seeds = [node for node in drawing if _can_have_seed(node)]
        for node in set(drawing) - set(by_seeds):
            node.meta[LEFT_TO_TORCH] = _REPLAYED
        if by_seeds:
            _draw_by_seeds(graph, by_seeds)
        if dropouts or by_seeds:
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
        operations, draws_by_host = _operations(call)
        # Kernels alone are launched as a whole by native code.
        if library_operations().isdisjoint(operations):
            return call
        if reason := _obstacle(graph, draws_by_host):
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
        if reason := _obstacle(graph, _operations(call)[1]):
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


def _operations(call: Callable[..., Any]) -> tuple[set[str], bool]:
    """Return which operations the fusion of a graph has, and whether the host seeds any of them.

    None where torch runs the graph.
    """
    fusion = fusion_of(call)
    if fusion is None:
        return set(), False
    calls = [
        (function.removeprefix("ops."), options)
        for function, _, _, options in _C.definition_calls(fusion._defined())
    ]
    draws_by_host = any(name in _RANDOM and "rng_seed" not in options for name, options in calls)
    return {name for name, _ in calls}, draws_by_host


def _obstacle(graph: torch.fx.GraphModule, draws_by_host: bool) -> str | None:
    """Return why a graph cannot be recorded."""
    from torch._inductor.utils import get_first_incompatible_cudagraph_node

    own = device_of(graph)
    for device in _devices(graph):
        if device.type != "cuda" or device != own:
            return f"a tensor is on {device}"
    if (node := get_first_incompatible_cudagraph_node(graph)) is not None:
        return f"{node.target} cannot be recorded"
    if draws_by_host:
        return "its random numbers would be repeated"
    return None


def _call(beside: torch.fx.Node, target: Any, *args: Any, **options: Any) -> torch.fx.Node:
    """Add a call of what stands for a part of `beside`."""
    new = beside.graph.call_function(target, args, options)
    new.meta["stack_trace"] = beside.meta.get("stack_trace")
    values = torch.fx.node.map_arg(args, lambda arg: arg.meta["val"])
    result = beside.meta["val"]
    fake = result[0] if isinstance(result, tuple) else result
    with fake.fake_mode:
        new.meta["val"] = target(*values, **options)
    return new


def _sizes(beside: torch.fx.Node, x: torch.fx.Node) -> list[Any]:
    """Return the sizes of a tensor: numbers, and nodes for those that are open."""
    sizes: list[Any] = []
    for dim, size in enumerate(x.meta["val"].shape):
        is_open = not isinstance(size, int)
        sizes.append(_call(beside, aten.sym_size.int, x, dim) if is_open else size)
    return sizes


def _divide_dropout(node: torch.fx.Node) -> None:
    """Replace a dropout by what draws numbers, and what is computed from them."""
    x, probability, is_training = node.args
    if is_training is False or not 0 < probability < 1:
        return
    device = node.meta["val"][0].device
    with node.graph.inserting_before(node):
        sizes = _sizes(node, x)
        drawn = _call(node, aten.rand.default, sizes, dtype=torch.float32, device=device)
        kept = _call(node, aten.lt.Scalar, drawn, 1.0 - probability)
        # The product with a mask is exact: it is rounded once, as that of dropout.
        masked = _call(node, aten.mul.Tensor, x, kept)
        scaled = _call(node, aten.mul.Tensor, masked, 1.0 / (1.0 - probability))
    for user in list(node.users):
        user.replace_all_uses_with((scaled, kept)[user.args[1]])
        node.graph.erase_node(user)
    node.graph.erase_node(node)


def _can_have_seed(node: torch.fx.Node) -> bool:
    # What our kernels draw is of single precision, as are the numbers of which torch makes others.
    return (
        node.target in _MODES
        and node.meta["val"].dtype is torch.float32
        and node.meta["val"].is_contiguous()
        and node.kwargs.get("generator") is None
    )


def _draw_by_seeds(graph: torch.fx.GraphModule, drawing: Sequence[torch.fx.Node]) -> None:
    """Replace what draws numbers by the same from seeds, which torch draws at once."""
    # Defines the operator.
    import torch._inductor.inductor_prims

    random = torch.ops.prims.inductor_random.default
    first = drawing[0]
    with graph.graph.inserting_before(first):
        seeds = _call(
            first,
            aten.randint.default,
            2**63 - 1,
            [len(drawing)],
            dtype=torch.int64,
            device=first.meta["val"].device,
        )
    for i, node in enumerate(drawing):
        with graph.graph.inserting_before(node):
            given = node.args[0]
            sizes = _sizes(node, given) if isinstance(given, torch.fx.Node) else given
            seed = _call(node, aten.select.int, seeds, 0, i)
            seed.meta[LEFT_TO_TORCH] = _SELECTED
            drawn = _call(node, random, sizes, seed, _MODES[node.target])
        node.replace_all_uses_with(drawn)
        graph.graph.erase_node(node)


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
