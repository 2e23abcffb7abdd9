"""The backend of ``torch.compile``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser.frontend.conversion import convert
from nvfuser.frontend.decompositions import decompositions
from nvfuser.frontend.graph_checking import CheckedGraph
from nvfuser.frontend.limits import Limit
from nvfuser.frontend.partition import partition
from nvfuser.frontend.recording import Recorder
from nvfuser.frontend.settings import Settings
from nvfuser.frontend.tracing import tracing_alone
from nvfuser.frontend.whole import is_whole, without_wrappers

__all__ = ["compile_captured", "compile_graph", "nvfuser"]

_log = logging.getLogger("nvfuser")


def nvfuser(
    graph: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    *,
    options: dict[str, Any] | None = None,
    mode: str | None = None,
) -> Callable[..., Any]:
    """Compile what Dynamo captured: ``torch.compile(f, backend="nvfuser")``.

    Parameters
    ----------
    graph : torch.fx.GraphModule
    example_inputs : sequence
        What it was captured with.
    options : dict, optional
        See :class:`nvfuser.frontend.settings.Settings`.
    mode : str, optional
        "default" or "reduce-overhead": see ``cuda_graphs`` of the settings.

    Returns
    -------
    callable
    """
    settings = Settings.of(options, mode)
    recorder = Recorder() if settings.cuda_graphs else None
    return compile_captured(
        graph, example_inputs, lambda part: compile_graph(part, settings), recorder
    )


def compile_captured(
    graph: torch.fx.GraphModule,
    example_inputs: Sequence[Any],
    compile_part: Callable[[torch.fx.GraphModule], Callable[..., Any]],
    recorder: Recorder | None = None,
) -> Callable[..., Any]:
    """Compile what Dynamo captured.

    Parameters
    ----------
    graph : torch.fx.GraphModule
    example_inputs : sequence
        What it was captured with.
    compile_part : callable
        Compiles a graph of operators, forward or backward.
    recorder : Recorder, optional
        Makes CUDA graphs of them.

    Returns
    -------
    callable
    """
    from torch._functorch.aot_autograd import aot_module_simplified

    inferences: list[tuple[torch.fx.GraphModule, Callable[..., Any]]] = []

    def compiled(part: torch.fx.GraphModule) -> Callable[..., Any]:
        if recorder is not None:
            recorder.prepare(part)
        return compile_part(part)

    def forward(part: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        call = compiled(part)
        return call if recorder is None else recorder.forward(part, inputs, call, False)

    def backward(part: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        call = compiled(part)
        return call if recorder is None else recorder.backward(part, inputs, call)

    def inferred(part: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        call = compiled(part)
        if recorder is not None:
            call = recorder.forward(part, inputs, call, True)
        inferences.append((part, call))
        return call

    with tracing_alone():
        call: Callable[..., Any] = aot_module_simplified(
            graph,
            example_inputs,
            fw_compiler=forward,
            bw_compiler=backward,
            inference_compiler=inferred,
            partition_fn=partition,
            decompositions=decompositions(),
            keep_inference_input_mutations=True,
        )
    if len(inferences) == 1 and is_whole(graph, example_inputs, *inferences[0]):
        return without_wrappers(inferences[0][1])
    return call


def compile_graph(graph: torch.fx.GraphModule, settings: Settings) -> Callable[..., Any]:
    """Return what computes a graph of operators; called with the list of its arguments."""

    def compiled(graph: torch.fx.GraphModule) -> Callable[..., Any]:
        return convert(graph, is_strict=settings.strict, options=settings.options())

    try:
        return CheckedGraph(graph, compiled) if settings.check else compiled(graph)
    except Limit as limit:
        if settings.strict:
            raise
        _log.warning("a graph of %d nodes is run by torch: %s", len(graph.graph.nodes), limit)
        return _by_torch(graph, str(limit))


def _by_torch(graph: torch.fx.GraphModule, limit: str) -> Callable[..., Any]:
    def call(args: list[Any]) -> Any:
        return graph.forward(*args)

    call._boxed_call = True  # type: ignore[attr-defined]
    call.limit = limit  # type: ignore[attr-defined]
    return call
