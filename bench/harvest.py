"""Harvest the graphs of models of other packages, and try them.

    python bench/harvest.py [--packages transformers timm torchvision torch_geometric]
    python bench/harvest.py --models resnet18
    python bench/harvest.py --replay [--device cuda]

Question: which of the graphs that people run become fusions, how much of each is generated, and is
what they compute right?

The first form captures models of `package_models.py`, a call of inference and a step of training
each, into `bench/harvested/`, which git ignores: graphs of operators in the format of
`bench/graphs.py`, one file each. Packages that are not installed are left out. The second form
converts every graph in the folder and compares it with torch, node by node where it differs.
Columns: nodes that compute, the share of them that is generated, seconds to convert and for the
first call, and what torch runs.
"""

from __future__ import annotations

import argparse
import math
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import graphs
import package_models
import torch
from side_by_side import machine, markdown_table
from torch import nn

_ONLY_ROUNDED = "every node for itself is as in torch"

_PACKAGES = list(package_models.PACKAGES)

FOLDER = Path(__file__).with_name("harvested")


# --------------------------------------------------------------------------------- harvesting


def _step(model: nn.Module, keywords: dict[str, Any], is_training: bool) -> None:
    with torch.set_grad_enabled(is_training):
        result = model(**keywords)
    if is_training:
        loss = getattr(result, "loss", None)
        if loss is None:
            results = [x for x in torch.utils._pytree.tree_leaves(result) if x.requires_grad]
            loss = sum(x.square().mean() for x in results)
        loss.backward()


def harvest(package: str, name: str, folder: Path) -> int:
    """Write the graphs of a model, and return how many."""
    count = 0
    for is_training in (False, True):
        torch._dynamo.reset()
        torch.manual_seed(0)
        model, keywords = package_models.arguments(f"{package}/{name}")
        model.train(is_training)
        compiled: list[Any] = []

        def compile_model(backend: Any, model: nn.Module = model, to: list[Any] = compiled) -> None:
            to.append(torch.compile(model, backend=backend, dynamic=False))

        def step(of: Any = compiled, keywords: Any = keywords, on: bool = is_training) -> None:
            _step(of[0], keywords, on)

        mode = "training" if is_training else "inference"
        for number, graph in enumerate(graphs.capture(step, compile_model)):
            try:
                graphs.save(graph, folder / f"{package}-{name}-{mode}{number}.json")
            except graphs.Unsaveable as why:
                print(f"{package} {name}, {mode}, graph {number}: {why}", flush=True)
                continue
            count += 1
    return count


def harvest_all(options: argparse.Namespace) -> None:
    """Harvest what is installed."""
    options.folder.mkdir(exist_ok=True)
    for package in options.packages:
        if not package_models.is_installed(package):
            print(f"{package} is not installed")
            continue
        for name in package_models.PACKAGES[package][1]:
            if options.models and name not in options.models:
                continue
            try:
                count = harvest(package, name, options.folder)
            except Exception as error:  # noqa: BLE001 - of other people's code, of any kind
                print(f"{package} {name}: {type(error).__name__}: {str(error)[:200]}", flush=True)
                continue
            print(f"{package} {name}: {count} graphs", flush=True)


# ------------------------------------------------------------------------------------ replaying


class Replayed:
    """What became of a graph."""

    def __init__(self, file: Path, device: str) -> None:
        from nvfuser.frontend.conversion import Conversion
        from nvfuser.frontend.graph_checking import CheckedGraph, GraphMismatch

        graph = graphs.load(file, device)
        conversions: list[Conversion] = []

        def compile_graph(part: torch.fx.GraphModule) -> Any:
            conversions.append(Conversion(part))
            return conversions[-1].run()

        begin = time.perf_counter()
        compiled = compile_graph(graph)
        self.converted = time.perf_counter() - begin
        begin = time.perf_counter()
        compiled(graphs.inputs_of(graph))
        self.called = time.perf_counter() - begin
        self.generated = sum(conversions[0].generated.values())
        self.torch = Counter(conversions[0].called)
        try:
            CheckedGraph(graph, compile_graph)(graphs.inputs_of(graph))
        except GraphMismatch as error:
            # Random inputs make some graphs enlarge roundings: no node is wrong.
            if _ONLY_ROUNDED not in str(error):
                raise

    def row(self, name: str) -> list[str]:
        """Return the row of a table."""
        nodes = self.generated + self.torch.total()
        share = self.generated / nodes if nodes else math.nan
        most = ", ".join(f"{each} {count}" for each, count in self.torch.most_common(3))
        times = [f"{self.converted:.2f}", f"{self.called:.2f}"]
        return [name, str(nodes), f"{share:.0%}", *times, most]


def replay(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield a row for each graph; of what differs or fails, why."""
    for file in sorted(options.folder.glob("*.json")):
        package, name = file.stem.split("-")[:2]
        if package not in options.packages or (options.models and name not in options.models):
            continue
        try:
            yield Replayed(file, options.device).row(file.stem)
        except Exception as error:  # noqa: BLE001 - to be reported with the others
            print(f"{file.stem}: {type(error).__name__}: {str(error)[:500]}", flush=True)


def main() -> None:
    """Harvest, or replay what was harvested."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packages", nargs="+", choices=_PACKAGES, default=_PACKAGES)
    parser.add_argument("--models", nargs="+", help="only these")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--replay", action="store_true", help="try what is in the folder")
    parser.add_argument("--device", default="cpu", help="of --replay")
    options = parser.parse_args()
    if not options.replay:
        harvest_all(options)
        return
    rows = list(replay(options))
    print(machine(options.device))
    print(markdown_table(["graph", "nodes", "generated", "converted", "first call", "torch"], rows))


if __name__ == "__main__":
    main()
