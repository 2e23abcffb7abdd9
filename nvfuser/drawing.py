"""Pictures of definitions: :meth:`nvfuser.FusionDefinition.draw`, and how notebooks show them.

Two kinds are made without anything else: text in Graphviz' language DOT, and SVG with a simple
layout (:mod:`nvfuser.drawing_svg`). Other images take the package ``graphviz`` and Graphviz'
program ``dot``, which also lays out SVG where it is installed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nvfuser import _C
from nvfuser.drawing_svg import Frame, Graph, Node, to_svg

__all__ = ["describe", "dot", "draw", "library_operations", "svg_or_none"]

_TEXT = (".dot", ".gv")
_MOST_NODES_TO_SHOW = 400

_INPUT = "#cfe2f3"
_OUTPUT = "#d9ead3"
_GENERATED = "#fff2cc"
_LIBRARY = "#f4cccc"
# One after the other, and again from the beginning; unlike those of inputs and outputs.
_KERNELS = (
    "#fff2cc",
    "#d9d2e9",
    "#fce5cd",
    "#d0e0e3",
    "#ead1dc",
    "#e2f0b6",
    "#f9cb9c",
    "#b4a7d6",
)


def describe(fusion: _C.Fusion, cache: _C.FusionExecutorCache | None = None) -> Graph:
    """Return the graph of a fusion, with kernels if it was run."""
    library_calls = library_operations()
    kernels = _Kernels(cache)
    graph = Graph([], [], kernels.frames)
    places: dict[_C.Val, int] = {}
    for function, results, args, kwargs in _C.definition_calls(fusion):
        if function == "set_allocation_domain":
            continue
        operation = function.removeprefix("ops.")
        operands = list(_values([args, kwargs]))
        values = [value for value in results if value is not None]
        place = len(graph.nodes)
        if function == "add_output":
            text = ["output"] if len(operands) == 1 else ["output", f"into {_name(operands[1])}"]
            node = Node(text, _OUTPUT, [])
            operands = operands[:1]
        elif function in ("define_tensor", "define_scalar") and not _is_constant(args):
            node = Node([f"input {_described(value)}" for value in values], _INPUT, [])
        else:
            color = _LIBRARY if operation in library_calls else _GENERATED
            results_text = [_described(value) for value in values]
            node = Node([_call(operation, args, kwargs)], color, results_text)
            kernels.add(node, place, values)
        graph.nodes.append(node)
        places.update((value, place) for value in values)
        graph.edges += [(places[value], place, _described(value)) for value in operands]
    return graph


class _Kernels:
    """The kernels and library calls of a run, as frames around what they compute."""

    def __init__(self, cache: _C.FusionExecutorCache | None) -> None:
        run: Any = None if cache is None else _C.describe_run(cache)
        is_profiled: bool = run is not None and run[0]
        described: list[tuple[_C.KernelProfile, list[_C.Val], Any]] = [] if run is None else run[1]
        self.frames = [Frame(_of_kernel(profile, is_profiled)) for profile, _, _ in described]
        self._numbers = {
            tensor: number for number, (_, tensors, _) in enumerate(described) for tensor in tensors
        }

    def add(self, node: Node, place: int, values: list[_C.Val]) -> None:
        """Put a node into the frame of what computes it; what shares a kernel has one color."""
        for value in values:
            number = self._numbers.get(value)
            if number is not None:
                node.frame = number
                self.frames[number].nodes.append(place)
                if node.color != _LIBRARY:
                    node.color = _KERNELS[number % len(_KERNELS)]
                return


def _of_kernel(profile: _C.KernelProfile, is_profiled: bool) -> list[str]:
    lines = [
        f"{profile.name} ({profile.scheduler})",
        f"{profile.input_bytes} bytes read, {profile.output_bytes} written",
    ]
    if is_profiled:
        bandwidth = profile.effective_bandwidth_gbs
        lines.append(f"{1000 * profile.time_ms:.4g} us, {bandwidth:.4g} GB/s")
    return lines


def dot(fusion: _C.Fusion, cache: _C.FusionExecutorCache | None = None) -> str:
    """Return the picture of a fusion in Graphviz' language DOT, with kernels if it was run."""
    return _to_dot(describe(fusion, cache))


def _to_dot(graph: Graph) -> str:
    lines = [
        "digraph fusion {",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for place, node in enumerate(graph.nodes):
        label = _quoted("\n".join(node.lines))
        lines.append(f'  n{place} [label={label}, fillcolor="{node.color}"];')
    for source, target, text in graph.edges:
        lines.append(f"  n{source} -> n{target} [label={_quoted(text)}];")
    for number, frame in enumerate(graph.frames):
        label = _quoted("\n".join(frame.lines))
        if not frame.nodes:
            # Copies a result into the input that it updates.
            lines.append(f"  kernel{number} [label={label}, shape=note, fontsize=10];")
            continue
        lines += [
            f"  subgraph cluster_{number} {{",
            '    style="rounded,dashed"; fontname="Helvetica"; fontsize=10;',
            f"    label={label};",
            f"    {'; '.join(f'n{place}' for place in frame.nodes)};",
            "  }",
        ]
    lines.append("}")
    return "\n".join(lines) + "\n"


def draw(
    fusion: _C.Fusion, path: str | os.PathLike[str], cache: _C.FusionExecutorCache | None = None
) -> Path:
    """Write the picture of a fusion; see :meth:`nvfuser.FusionDefinition.draw`."""
    path = Path(path)
    if not path.suffix:
        raise ValueError(f"Expected a file name that ends with a format, as .svg, but got {path}")
    graph = describe(fusion, cache)
    text = _to_dot(graph)
    if path.suffix in _TEXT:
        path.write_text(text, encoding="utf-8")
        return path
    try:
        import graphviz
    except ImportError:
        missing = "the package graphviz (pip install 'nvfuser[draw]')"
        return _write_without_graphviz(path, graph, text, missing)
    form = path.suffix[1:]
    if form not in graphviz.FORMATS:
        raise ValueError(f"Graphviz has no format {form!r}, in which {path} was to be written")
    try:
        image = graphviz.Source(text).pipe(format=form)
    except graphviz.ExecutableNotFound:
        missing = "Graphviz' program dot (as of the system's package)"
        return _write_without_graphviz(path, graph, text, missing)
    path.write_bytes(image)
    return path


def _write_without_graphviz(path: Path, graph: Graph, text: str, missing: str) -> Path:
    if path.suffix == ".svg":
        path.write_text(to_svg(graph), encoding="utf-8")
        return path
    as_text = path.with_suffix(".dot")
    as_text.write_text(text, encoding="utf-8")
    warnings.warn(
        f"Wrote {as_text}, the picture as text: for {path.suffix[1:]}, {missing} is missing; "
        "a file name that ends in .svg needs neither",
        stacklevel=4,
    )
    return as_text


def svg_or_none(fusion: _C.Fusion, cache: _C.FusionExecutorCache | None = None) -> str | None:
    """Return the picture as SVG; None if there are more operations than a picture can show."""
    graph = describe(fusion, cache)
    return to_svg(graph) if len(graph.nodes) <= _MOST_NODES_TO_SHOW else None


def library_operations() -> frozenset[str]:
    """Return the names of the operations that torch computes, none where it is not installed."""
    try:
        from nvfuser import library_calls
    except ImportError:
        return frozenset()
    return frozenset(vars(library_calls)) & frozenset(dir(_C.ops))


def _is_constant(args: list[Any]) -> bool:
    """Whether a definition of a scalar has a value; of a tensor it never has."""
    return bool(args) and args[0] is not None


def _values(argument: Any) -> Iterator[_C.Val]:
    if isinstance(argument, _C.Val):
        yield argument
    elif isinstance(argument, dict):
        yield from _values(list(argument.values()))
    elif isinstance(argument, (list, tuple)):
        for item in argument:
            yield from _values(item)


def _name(value: _C.Val) -> str:
    """Return the name without what follows it: T1 of a tensor, d2 of a scalar."""
    return str(value).partition("[")[0].partition("_")[0]


def _described(value: _C.Val) -> str:
    return f"{_name(value)}: {_type(value)}"


def _type(value: _C.Val) -> str:
    dtype = str(value.dtype().name)
    if not isinstance(value, _C.TensorView):
        return dtype
    extents = [
        str(domain.extent()) for domain in value.get_logical_domain() if not domain.is_reduction()
    ]
    return f"{dtype} [{', '.join(extents)}]"


def _call(operation: str, args: list[Any], kwargs: dict[str, Any]) -> str:
    """Return an operation with its constants."""
    texts = [_argument(argument) for argument in args]
    texts += [f"{name}={_argument(argument)}" for name, argument in kwargs.items()]
    return f"{operation}({', '.join(texts)})" if texts else operation


def _argument(argument: Any) -> str:
    if isinstance(argument, _C.Val):
        return _name(argument)
    if isinstance(argument, _C.DataType):
        return str(argument.name)
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(map(_argument, argument))}]"
    return repr(argument)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
