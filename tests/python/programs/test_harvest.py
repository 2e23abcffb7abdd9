"""Graphs in files: what was captured of a model is converted from there as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import graphs
import models
import pytest
import torch

from nvfuser.frontend.conversion import Conversion
from nvfuser.frontend.graph_checking import CheckedGraph

pytestmark = [
    # Graphs are large, and calls of Python functions mean something to one process only.
    pytest.mark.no_round_trip,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
]


def captured(name: str, device: str) -> list[Any]:
    model, inputs = models.build(name, device=device)
    compiled: list[Any] = []

    def compile_model(backend: Any) -> None:
        torch._dynamo.reset()
        compiled.append(torch.compile(model, backend=backend, dynamic=False))

    return graphs.capture(lambda: models.loss_of(compiled[0](*inputs)).backward(), compile_model)


def nodes(graph: Any) -> list[tuple[str, str]]:
    return [(node.op, str(node.target)) for node in graph.graph.nodes if node.op == "call_function"]


@pytest.mark.parametrize("name", ["gpt", "convnext", "moe"])
def test_round_trip(name: str, device: str, tmp_path: Path) -> None:
    found = captured(name, device)
    assert len(found) >= 2  # forward and backward
    for number, graph in enumerate(found):
        file = tmp_path / f"{number}.json"
        try:
            graphs.save(graph, file)
        except graphs.Unsaveable as why:
            assert name == "moe", why  # noqa: PT017 - whose sizes follow from values
            assert not file.exists()
            continue
        again = graphs.load(file, device)
        assert nodes(again) == nodes(graph)
        values = [[node.meta.get("val") for node in g.graph.nodes] for g in (graph, again)]
        for ours, theirs in zip(*map(torch.utils._pytree.tree_leaves, values), strict=True):
            if isinstance(theirs, torch.Tensor):
                assert (ours.shape, ours.stride(), ours.dtype) == (
                    theirs.shape,
                    theirs.stride(),
                    theirs.dtype,
                )
        checked = CheckedGraph(again, lambda part: Conversion(part, is_strict=True).run())
        checked(graphs.inputs_of(again))


def test_what_no_file_holds(tmp_path: Path) -> None:
    graph = torch.fx.symbolic_trace(lambda x: torch.sin(x))
    with pytest.raises(graphs.Unsaveable, match="is no operator"):
        graphs.save(graph, tmp_path / "graph.json")
