"""What a function of PyTorch runs, for :func:`nvfuser.explain`."""

from __future__ import annotations

import functools
import itertools
import math
import threading
import time
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch.utils import _pytree as pytree

from nvfuser import _C
from nvfuser.explanation import (
    RUNS,
    Copies,
    Explanation,
    Operation,
    Part,
    Section,
    copied,
    measure,
    random_state_kept,
)
from nvfuser.frontend.capture import capture_modules, is_array
from nvfuser.frontend.conversion import device_of, fusion_of, line_of
from nvfuser.frontend.dynamo import compile_captured, compile_graph
from nvfuser.frontend.graph_checking import updated_arguments
from nvfuser.frontend.jit import compile_version
from nvfuser.frontend.settings import Settings
from nvfuser.frontend.tracing import PACKAGES

__all__ = ["explain_function"]


class _Recording:
    """The sections of an explanation that is being made, which graphs add when they run."""

    def __init__(self) -> None:
        self.sections: list[Section] = []
        self._captured: list[object] = []

    def number_of(self, captured: object) -> int:
        """Return the number of what Dynamo captured, in the order of running."""
        if captured not in self._captured:
            self._captured.append(captured)
        return self._captured.index(captured)


# Not of a thread: gradients are computed on another one.
_recording: _Recording | None = None
_lock = threading.Lock()


def explain_function(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Explanation:
    """Return what a call of a function runs; see :func:`nvfuser.explain`."""
    global _recording
    original, is_of_dynamo = _original(function)
    explain = _explain_by_dynamo if is_of_dynamo else _explain_by_tracing
    with _lock:
        _recording = _Recording()
        try:
            explain(original, args, kwargs)
            return Explanation(_recording.sections)
        finally:
            _recording = None


def _original(function: Any) -> tuple[Any, bool]:
    """Return what was compiled, and whether by Dynamo."""
    kinds = []
    bound = []
    while True:
        if isinstance(function, types.MethodType) and _wrapped(function.__func__) is not None:
            bound.append(function.__self__)
            function = function.__func__
        wrapped = _wrapped(function)
        if wrapped is None:
            break
        kinds.append(not isinstance(function, _C.CompiledFunction))
        function = wrapped
    return (functools.partial(function, *bound) if bound else function), any(kinds[:1])


def _wrapped(function: Any) -> Any:
    """Return the function that is compiled here, None if none is."""
    if isinstance(function, _C.CompiledFunction):
        return vars(function)["__wrapped__"]
    if isinstance(function, torch._dynamo.eval_frame.OptimizedModule):
        return function._orig_mod
    return getattr(function, "_torchdynamo_orig_callable", None)


def _explain_by_tracing(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    leaves, structure = pytree.tree_flatten((args, kwargs))
    captured = capture_modules(function, [leaf for leaf in leaves if not is_array(leaf)])
    inputs = [*(leaf for leaf in leaves if is_array(leaf)), *captured.tensors()]
    differentiated = [x for x in inputs if _is_differentiated(x)]
    names = iter(["forward", "backward"] if differentiated else [""])

    def compiled(graph: torch.fx.GraphModule) -> Callable[..., Any]:
        name = next(names)
        return _explained(graph, lambda _: name)

    version = compile_version(function, leaves, structure, captured, bool(differentiated), compiled)
    _differentiate(version.run(inputs), differentiated)


def _explain_by_dynamo(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    # Gradients are not to go on into what the arguments were computed by.
    leaves, structure = pytree.tree_flatten((args, kwargs))
    leaves = [x.detach().requires_grad_() if _is_differentiated(x) else x for x in leaves]
    args, kwargs = pytree.tree_unflatten(leaves, structure)
    result = torch.compile(function, backend=_backend)(*args, **kwargs)
    _differentiate(result, _sources_of(result))


def _backend(graph: torch.fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[..., Any]:
    """Compile what Dynamo captured; one function for all explanations, so that it does so once."""
    captured = object()
    directions = itertools.chain([""], itertools.repeat(", backward"))
    end = _end_of(graph)

    def compiled(part: torch.fx.GraphModule) -> Callable[..., Any]:
        direction = next(directions)

        def name(recording: _Recording) -> str:
            return f"graph {recording.number_of(captured)}{direction}"

        return _explained(part, name, "" if direction else end)

    return compile_captured(graph, example_inputs, compiled)


def _explained(
    graph: torch.fx.GraphModule, name: Callable[[_Recording], str], end: str = ""
) -> Callable[..., Any]:
    """Return a compiled graph that tells the explanation that is being made of each run."""
    call = compile_graph(graph, Settings())

    def explained(given: list[Any]) -> Any:
        if _recording is not None:
            _recording.sections.append(_section(name(_recording), graph, call, list(given), end))
        return call(given)

    untraced: Any = torch._dynamo.disable(explained)
    untraced._boxed_call = True
    untraced.fusion = fusion_of(call)
    return untraced


def _end_of(graph: torch.fx.GraphModule) -> str:
    """Return why Dynamo captured no more than a graph; empty where there is no more."""
    reason = getattr(graph, "compile_subgraph_reason", None)
    if reason is None or not reason.graph_break:
        return ""
    of_user = [f for f in reason.user_stack if not f.filename.startswith(PACKAGES)]
    where = f" at {of_user[-1].filename}:{of_user[-1].lineno}" if of_user else ""
    return f"{reason.reason.splitlines()[0]}{where}"


def _is_differentiated(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and torch.is_grad_enabled()


def _differentiate(result: Any, sources: Sequence[torch.Tensor]) -> None:
    """Run what computes gradients of a result, and keep none."""
    results = [x for x in pytree.tree_leaves(result) if _is_differentiated(x)]
    if results and sources:
        ones = [torch.ones_like(x) for x in results]
        torch.autograd.grad(results, sources, ones, allow_unused=True)


def _sources_of(result: Any) -> list[torch.Tensor]:
    """Return the leaves that autograd knows behind a result."""
    nodes = [x.grad_fn for x in pytree.tree_leaves(result) if _is_differentiated(x)]
    seen = set(nodes)
    for node in nodes:
        following = [] if node is None else [function for function, _ in node.next_functions]
        nodes += [other for other in following if other is not None and other not in seen]
        seen.update(following)
    return [node.variable for node in nodes if hasattr(node, "variable")]


def _section(
    name: str, graph: torch.fx.GraphModule, call: Callable[..., Any], args: list[Any], end: str
) -> Section:
    updated = updated_arguments(graph)
    device = device_of(graph)

    def run() -> None:
        call([copied(x) if i in updated else x for i, x in enumerate(args)])

    with torch.no_grad(), random_state_kept():
        fusion = fusion_of(call)
        if fusion is not None:
            return measure(fusion, run, device, name, end)
        limit = getattr(call, "limit", None)
        parts = [] if limit is None else [_by_torch(graph, limit, run, args, device)]
        return Section(name, str(device), tuple(parts), end)


def _by_torch(
    graph: torch.fx.GraphModule,
    limit: str,
    run: Callable[[], None],
    args: list[Any],
    device: torch.device,
) -> Part:
    nodes = graph.graph.find_nodes(op="output")[0].all_input_nodes
    read = _bytes_of(args)
    written = _bytes_of(node.meta.get("val") for node in nodes if node.op == "call_function")
    copies = Copies(device)
    times, beside = [], []
    for _ in range(1 + RUNS):
        _wait_for(device)
        began = time.perf_counter()
        run()
        _wait_for(device)
        times.append(1e3 * (time.perf_counter() - began))
        beside.append(copies.milliseconds(read + written))
    operations = [
        Operation(str(node.target), line_of(node))
        for node in graph.graph.nodes
        if node.op == "call_function"
    ]
    return Part(
        kind="eager graph",
        name=f"{len(operations)} operators",
        scheduler="",
        operations=tuple(dict.fromkeys(operations)),
        bytes_read=read,
        bytes_written=written,
        time_ms=min(times[1:]),
        expected_ms=min(beside[1:]),
        reason=limit,
        cuts=(),
    )


def _bytes_of(values: Iterable[Any]) -> int:
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    # Sizes may be symbolic.
    return sum(math.prod(map(int, x.shape)) * x.element_size() for x in tensors)


def _wait_for(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
