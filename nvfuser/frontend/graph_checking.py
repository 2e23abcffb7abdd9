"""Compiled graphs beside torch: which node computes something else.

A call runs the graph as it was compiled, and node by node by torch. Where the results differ, the
graph is compiled once more with the value of every node among its results, and each node is run by
torch on what its operands are there: so the first one that is wrong is found, however far the
error has spread.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser.frontend.conversion import device_of
from nvfuser.frontend.limits import Limit

__all__ = ["CheckedGraph", "GraphMismatch", "updated_arguments"]

# By how much results may differ: relative to the largest magnitude, for one node and for graphs,
# whose roundings add up.
_TOLERANCES = {
    torch.float64: (1e-9, 1e-6),
    torch.float32: (2e-5, 2e-3),
    torch.float16: (5e-3, 5e-2),
    torch.bfloat16: (3e-2, 1e-1),
}


class GraphMismatch(AssertionError):  # noqa: N818
    """A compiled graph computes something else than torch."""


class CheckedGraph:
    """A compiled graph that compares each of its calls with torch.

    Parameters
    ----------
    graph : torch.fx.GraphModule
    compile_graph : callable
        Returns what computes a graph.
    """

    _boxed_call = True

    def __init__(
        self,
        graph: torch.fx.GraphModule,
        compile_graph: Callable[[torch.fx.GraphModule], Callable[..., Any]],
    ) -> None:
        self._graph = graph
        self._compile = compile_graph
        self._results = len(_results(graph))
        self._updated = updated_arguments(graph)
        # Torch would make other random numbers.
        self._random = [node for node in _tensors(graph) if _is_random(node)]
        self._compiled = compile_graph(_with_results(graph, self._random))

    def __call__(self, args: Sequence[Any]) -> list[Any]:
        """Run the graph and compare."""
        before = self._copied(args)
        made = self._compiled(list(args))
        results = list(made[: self._results])
        given = _values_of(self._random, made[self._results :])
        reference = _Reference(self._graph, given)
        with torch.no_grad(), torch._C._DisableAutocast():
            expected = reference.run(*self._copied(before))
        named = zip(_results(self._graph), expected, results, strict=True)
        for position, (node, theirs, ours) in enumerate(named):
            difference = _difference(ours, theirs, 1)
            if difference is not None:
                what = f"result {position} ({_said(node)}) {difference}"
                raise GraphMismatch(self._explained(before, what))
        for position, node in self._updated.items():
            ours, theirs = args[position], reference.updated[node]
            difference = _difference(ours, theirs, 1)
            if difference is not None:
                what = f"the argument {node.name}, which is updated, {difference}"
                raise GraphMismatch(self._explained(before, what))
        return results

    def _copied(self, args: Sequence[Any]) -> list[Any]:
        """Return arguments whose updates concern nobody else."""
        copied = list(args)
        for position in self._updated:
            copied[position] = args[position].clone()
        return copied

    def _explained(self, args: Sequence[Any], what: str) -> str:
        text = f"a compiled graph differs from torch: {what}"
        nodes = _tensors(self._graph)
        try:
            probe = self._compile(_with_results(self._graph, nodes))
        except Limit as limit:
            return f"{text}; which node is wrong cannot be told: {limit}"
        with torch.no_grad(), torch._C._DisableAutocast():
            values = probe(self._copied(args))[self._results :]
            found = _first_difference(self._graph, args, _values_of(nodes, values))
        if found is None:
            return f"{text}; every node for itself is as in torch"
        node, difference = found
        line = (node.meta.get("stack_trace") or "").strip()
        where = f"\n{line}" if line else ""
        return f"{text}\nThe first node that does is {_said(node)}, which {difference}{where}"


class _Reference(torch.fx.Interpreter):  # type: ignore[misc]
    """Runs a graph node by node, but for nodes whose values are given."""

    def __init__(self, graph: torch.fx.GraphModule, given: dict[torch.fx.Node, Any]) -> None:
        super().__init__(graph)
        self.updated: dict[torch.fx.Node, Any] = {}
        self._given = given

    def run_node(self, node: torch.fx.Node) -> Any:
        if node in self._given:
            return self._given[node]
        value = super().run_node(node)
        if node.target is torch.ops.aten.copy_.default:
            self.updated[node.args[0]] = value
        return value


def _first_difference(
    graph: torch.fx.GraphModule, args: Sequence[Any], values: dict[torch.fx.Node, Any]
) -> tuple[torch.fx.Node, str] | None:
    """Run each node on the values of its operands, and return the first that differs."""
    runner = torch.fx.Interpreter(graph)
    environment: dict[torch.fx.Node, Any] = {}
    arguments = iter(args)
    for node in graph.graph.nodes:
        if node.op == "output":
            break
        if node.op == "placeholder":
            environment[node] = next(arguments)
            continue
        if node.target is torch.ops.aten.copy_.default:
            continue
        runner.env = environment
        if node.op == "call_function" and _is_random(node):
            if node not in values:
                # Its results are, each by itself.
                environment[node] = _Chosen(node, values)
                continue
            environment[node] = values[node]
            continue
        if node.target is operator.getitem and isinstance(environment[node.args[0]], _Chosen):
            environment[node] = values.get(node)
            continue
        expected = runner.run_node(node)
        if node in values:
            difference = _difference(values[node], expected, 0)
            if difference is not None:
                return node, difference
            expected = values[node]
        environment[node] = expected
    return None


class _Chosen:
    """Several random results, which the values of other nodes are."""

    def __init__(self, node: torch.fx.Node, values: dict[torch.fx.Node, Any]) -> None:
        self.node = node
        self.values = values


def _results(graph: torch.fx.GraphModule) -> list[Any]:
    (output,) = graph.graph.find_nodes(op="output")
    return list(output.args[0])


def updated_arguments(graph: torch.fx.GraphModule) -> dict[int, torch.fx.Node]:
    """Return the placeholders that a graph writes to, by their positions."""
    placeholders = graph.graph.find_nodes(op="placeholder")
    copies = graph.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    targets = {node.args[0] for node in copies}
    return {i: node for i, node in enumerate(placeholders) if node in targets}


def _tensors(graph: torch.fx.GraphModule) -> list[torch.fx.Node]:
    """Return the nodes that compute a tensor each."""
    return [
        node
        for node in graph.graph.nodes
        if node.op == "call_function"
        and isinstance(node.meta.get("val"), torch.Tensor)
        and node.target is not torch.ops.aten.copy_.default
    ]


def _is_random(node: torch.fx.Node) -> bool:
    if node.target is operator.getitem:
        node = node.args[0]
    tags = getattr(node.target, "tags", ())
    # Its numbers are those of the seed, but each backend's own.
    is_by_seed = str(node.target) == "prims.inductor_random.default"
    return is_by_seed or torch.Tag.nondeterministic_seeded in tags


def _with_results(graph: torch.fx.GraphModule, more: Sequence[torch.fx.Node]) -> Any:
    """Return a copy of a graph that returns the values of further nodes behind its results.

    Those of nodes on another device are copied to that of the graph, where outputs of fusions are.
    """
    copied = torch.fx.Graph()
    known: dict[torch.fx.Node, torch.fx.Node] = {}
    results = copied.graph_copy(graph.graph, known)
    device = device_of(graph)
    values = []
    for node in more:
        value, fake = known[node], node.meta["val"]
        if fake.device != device:
            target = torch.ops.aten._to_copy.default
            value = copied.call_function(target, (value,), {"device": device})
            with fake.fake_mode:
                value.meta["val"] = target(fake, device=device)
        values.append(value)
    copied.output([*results, *values])
    return torch.fx.GraphModule(graph, copied)


def _values_of(
    nodes: Sequence[torch.fx.Node], values: Sequence[torch.Tensor]
) -> dict[torch.fx.Node, torch.Tensor]:
    """Return by node what a graph of :func:`_with_results` returned, on the device of the node."""
    return {
        node: value.to(node.meta["val"].device) for node, value in zip(nodes, values, strict=True)
    }


def _difference(ours: Any, theirs: Any, of_graph: int) -> str | None:
    """Return in what two results differ, None if they do not."""
    if not isinstance(theirs, torch.Tensor):
        return None if ours == theirs else f"is {ours}, but {theirs} in torch"
    for name in ("dtype", "shape", "device"):
        a, b = getattr(ours, name), getattr(theirs, name)
        if a != b:
            return f"has {name} {a}, but {b} in torch"
    if theirs.numel() == 0:
        return None
    value = theirs.abs() if theirs.is_complex() else theirs
    tolerance = _TOLERANCES.get(value.dtype, (0.0, 0.0))[of_graph]
    if tolerance == 0.0:
        wrong = ours != theirs
        distance = (ours.double() - theirs.double()).abs() if theirs.dtype != torch.bool else wrong
    else:
        a, b = (x.to(torch.complex128 if x.is_complex() else torch.float64) for x in (ours, theirs))
        same = (a == b) | (a.isnan() & b.isnan())
        distance = torch.where(same, 0.0, (a - b).abs().nan_to_num(float("inf"), float("inf")))
        finite = torch.where(b.isfinite(), b.abs(), 0.0)
        wrong = distance > tolerance * (1.0 + finite.max())
    if not wrong.any():
        return None
    return (
        f"differs in {int(wrong.sum())} of {theirs.numel()} elements, by at most "
        f"{distance.max().item():.3g}"
    )


def _said(node: Any) -> str:
    if not isinstance(node, torch.fx.Node):
        return str(node)
    return f"{node.name} = {node.target}" if node.op == "call_function" else node.name
