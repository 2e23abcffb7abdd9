"""Graphs of operators as files: what was captured of a model, without its weights.

A file is JSON: for every node its operator, its arguments, and the shape, strides and dtype of what
it computes. Sizes are numbers. Small constants keep their values, of other tensors only their kind
is kept: :func:`inputs_of` makes some.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.partitioners import min_cut_rematerialization_partition

__all__ = ["Unsaveable", "capture", "inputs_of", "load", "save"]

# Constants of more elements are not kept: they are masks and tables, of any values.
MAX_CONSTANT = 64

_PLAIN = (bool, int, str, type(None))
_NAMED = {
    "dtype": torch.dtype,
    "layout": torch.layout,
    "memory_format": torch.memory_format,
}


class Unsaveable(Exception):  # noqa: N818
    """A graph has what a file does not hold: sizes that are open, objects, Python functions."""


def capture(
    function: Callable[[], Any],
    compile_model: Callable[..., Any],
    inputs: list[list[Any]] | None = None,
) -> list[Any]:
    """Return the graphs, forward and backward, of what runs compiled in a call.

    Parameters
    ----------
    function : callable
        Called once; what it calls of `compile_model`'s results is captured.
    compile_model : callable
        Is given a backend of ``torch.compile``, and compiles with it.
    inputs : list, optional
        What each call of a graph was given is appended.
    """
    from nvfuser.frontend.decompositions import decompositions

    graphs: list[torch.fx.GraphModule] = []

    def keep(graph: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        graphs.append(graph)

        def run(args: list[Any]) -> Any:
            if inputs is not None:
                inputs.append(list(args))
            return graph.forward(*args)

        run._boxed_call = True  # type: ignore[attr-defined]
        return run

    backend = aot_autograd(
        fw_compiler=keep,
        bw_compiler=keep,
        partition_fn=min_cut_rematerialization_partition,
        decompositions=decompositions(),
        keep_inference_input_mutations=True,
    )
    compile_model(backend)
    function()
    return graphs


# ------------------------------------------------------------------------------------- to files


def _described(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_described(item) for item in value]
    if not isinstance(value, torch.Tensor):
        if isinstance(value, (*_PLAIN, float)):
            return None
        raise Unsaveable(f"a value is a {type(value).__name__}")
    if value.layout is not torch.strided or not all(
        type(size) is int for size in (*value.shape, *value.stride())
    ):
        raise Unsaveable(f"a tensor has the sizes {tuple(value.shape)}")
    return {
        "shape": list(value.shape),
        "strides": list(value.stride()),
        "dtype": str(value.dtype).removeprefix("torch."),
        "device": value.device.type,
    }


def _written(value: Any, numbers: dict[torch.fx.Node, int]) -> Any:
    if isinstance(value, torch.fx.Node):
        return {"node": numbers[value]}
    if isinstance(value, (tuple, list)):
        return [_written(item, numbers) for item in value]
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, torch.device):
        return {"device": value.type}
    for name, kind in _NAMED.items():
        if isinstance(value, kind):
            return {name: str(value).removeprefix("torch.")}
    raise Unsaveable(f"an argument is a {type(value).__name__}")


def _node(graph: torch.fx.GraphModule, node: torch.fx.Node, numbers: dict[Any, int]) -> Any:
    entry: dict[str, Any] = {"op": node.op}
    if node.op == "call_function":
        is_item = node.target is operator.getitem
        if not is_item and not isinstance(node.target, torch._ops.OpOverload):
            raise Unsaveable(f"{node.target} is no operator")
        entry["target"] = "getitem" if is_item else str(node.target)
        entry["kwargs"] = {key: _written(value, numbers) for key, value in node.kwargs.items()}
    elif node.op == "get_attr":
        value = operator.attrgetter(str(node.target))(graph)
        if not isinstance(value, torch.Tensor):
            raise Unsaveable(f"{node.target} is a {type(value).__name__}")
        if value.numel() <= MAX_CONSTANT and not value.is_complex():
            entry["values"] = value.tolist()
        entry["val"] = _described(value)
        return entry
    if node.op != "placeholder":
        entry["args"] = _written(node.args, numbers)
    if node.op != "output":
        entry["val"] = _described(node.meta.get("val"))
    return entry


def save(graph: torch.fx.GraphModule, file: Path) -> None:
    """Write a graph; raises Unsaveable, and writes nothing, if a file cannot hold it."""
    numbers: dict[torch.fx.Node, int] = {}
    lines = []
    for number, node in enumerate(graph.graph.nodes):
        lines.append(json.dumps(_node(graph, node, numbers)))
        numbers[node] = number
    file.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


# ----------------------------------------------------------------------------------- from files


def _empty(kind: Any, device: str) -> torch.Tensor:
    return torch.empty_strided(
        kind["shape"], kind["strides"], dtype=getattr(torch, kind["dtype"]), device=device
    )


def _read(value: Any, nodes: Sequence[torch.fx.Node], device: str) -> Any:
    if isinstance(value, list):
        return [_read(item, nodes, device) for item in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "node":
        return nodes[content]
    if kind == "float":
        return float.fromhex(content)
    if kind == "complex":
        return complex(*(float.fromhex(part) for part in content))
    return torch.device(device) if kind == "device" else getattr(torch, content)


def _operator(name: str) -> Any:
    if name == "getitem":
        return operator.getitem
    namespace, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def load(file: Path, device: str = "cpu") -> torch.fx.GraphModule:
    """Return a graph whose nodes have fake tensors in ``meta["val"]``, all on one device."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    root = torch.nn.Module()
    graph = torch.fx.Graph()
    nodes: list[torch.fx.Node] = []
    mode = FakeTensorMode(allow_non_fake_inputs=True)

    def fake(kind: Any) -> Any:
        if isinstance(kind, list):
            return [fake(item) for item in kind]
        with mode:
            return None if kind is None else _empty(kind, device)

    for number, entry in enumerate(json.loads(file.read_text(encoding="utf-8"))):
        args = tuple(_read(entry.get("args", []), nodes, device))
        if entry["op"] == "placeholder":
            node = graph.placeholder(f"input{number}")
        elif entry["op"] == "get_attr":
            setattr(root, f"constant{number}", _constant(entry, device))
            node = graph.get_attr(f"constant{number}")
        elif entry["op"] == "output":
            node = graph.output(args[0])
        else:
            kwargs = {key: _read(value, nodes, device) for key, value in entry["kwargs"].items()}
            node = graph.call_function(_operator(entry["target"]), args, kwargs)
        if entry["op"] != "output":
            node.meta["val"] = fake(entry["val"])
        nodes.append(node)
    return torch.fx.GraphModule(root, graph)


def _constant(entry: dict[str, Any], device: str) -> torch.Tensor:
    kind = entry["val"]
    # 0-dim constants are numbers, and stay on the host.
    where = device if kind["shape"] else "cpu"
    if "values" in entry:
        tensor = _empty(kind, where)
        return tensor.copy_(torch.tensor(entry["values"], dtype=tensor.dtype).view(tensor.shape))
    return _filled(kind, where, torch.Generator().manual_seed(0))


def _filled(kind: Any, device: str, generator: torch.Generator) -> torch.Tensor:
    tensor = _empty(kind, device)
    # Of integers small ones, which are positions in whatever they index; of others, too: a backward
    # pass in which they do not belong together must not overflow.
    values = (
        torch.randn(kind["shape"], generator=generator) * 0.1
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex
        else torch.randint(0, 2, kind["shape"], generator=generator)
    )
    return tensor.copy_(values)


def inputs_of(graph: torch.fx.GraphModule, seed: int = 0) -> list[torch.Tensor]:
    """Return random inputs of a graph."""
    generator = torch.Generator().manual_seed(seed)
    inputs = []
    for node in graph.graph.find_nodes(op="placeholder"):
        fake = node.meta["val"]
        kind = {**_described(fake), "device": fake.device.type}
        inputs.append(_filled(kind, fake.device.type, generator))
    return inputs
