"""Pictures of definitions: :meth:`nvfuser.FusionDefinition.draw`.

The picture is made as text in Graphviz' language DOT, which needs nothing. Making an image of it
takes the package ``graphviz`` and Graphviz' program ``dot``.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from nvfuser import _C

__all__ = ["dot", "draw"]

_TEXT = (".dot", ".gv")

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


def dot(fusion: _C.Fusion, cache: _C.FusionExecutorCache | None = None) -> str:
    """Return the picture of a fusion in Graphviz' language DOT, with kernels if it was run."""
    library_calls = _library_calls()
    kernels = _Kernels(cache)
    nodes: dict[_C.Val, str] = {}
    lines = [
        "digraph fusion {",
        '  node [shape=box, style="rounded,filled", fontname="Helvetica"];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    for number, (function, results, args, kwargs) in enumerate(_C.definition_calls(fusion)):
        if function == "set_allocation_domain":
            continue
        operation = function.removeprefix("ops.")
        node = f"n{number}"
        operands = list(_values([args, kwargs]))
        values = [value for value in results if value is not None]
        if function == "add_output":
            text = ["output"] if len(operands) == 1 else ["output", f"into {_name(operands[1])}"]
            color = _OUTPUT
            operands = operands[:1]
        elif function in ("define_tensor", "define_scalar") and not _is_constant(args):
            text = [f"input {_name(value)}: {_type(value)}" for value in values]
            color = _INPUT
        else:
            text = [_call(operation, args, kwargs)]
            color = _LIBRARY if operation in library_calls else _GENERATED
            color = kernels.add(node, values, color)
        nodes.update((value, node) for value in values)
        label = _quoted("\n".join(text))
        lines.append(f'  {node} [label={label}, fillcolor="{color}"];')
        for operand in operands:
            edge = _quoted(f"{_name(operand)}: {_type(operand)}")
            lines.append(f"  {nodes[operand]} -> {node} [label={edge}];")
    lines += kernels.frames()
    lines.append("}")
    return "\n".join(lines) + "\n"


class _Kernels:
    """The kernels and library calls of a run, with the nodes that they compute."""

    def __init__(self, cache: _C.FusionExecutorCache | None) -> None:
        run: Any = None if cache is None else _C.describe_run(cache)
        self._is_profiled: bool = run is not None and run[0]
        described: list[tuple[_C.KernelProfile, list[_C.Val]]] = [] if run is None else run[1]
        self._profiles = [profile for profile, _ in described]
        self._numbers = {
            tensor: number for number, (_, tensors) in enumerate(described) for tensor in tensors
        }
        self._nodes: list[list[str]] = [[] for _ in described]

    def add(self, node: str, values: list[_C.Val], color: str) -> str:
        """Note what computes a node; return its color, `color` itself for generated ones."""
        for value in values:
            number = self._numbers.get(value)
            if number is not None:
                self._nodes[number].append(node)
                return color if color == _LIBRARY else _KERNELS[number % len(_KERNELS)]
        return color

    def frames(self) -> Iterator[str]:
        """Return a frame around the nodes of each kernel, with what is known of it."""
        for number, (profile, nodes) in enumerate(zip(self._profiles, self._nodes, strict=True)):
            text = [
                f"{profile.name} ({profile.scheduler})",
                f"{profile.input_bytes} bytes read, {profile.output_bytes} written",
            ]
            if self._is_profiled:
                bandwidth = profile.effective_bandwidth_gbs
                text.append(f"{1000 * profile.time_ms:.4g} us, {bandwidth:.4g} GB/s")
            label = _quoted("\n".join(text))
            if not nodes:
                # Copies a result into the input that it updates.
                yield f"  kernel{number} [label={label}, shape=note, fontsize=10];"
            else:
                yield f"  subgraph cluster_{number} {{"
                yield '    style="rounded,dashed"; fontname="Helvetica"; fontsize=10;'
                yield f"    label={label};"
                yield f"    {'; '.join(nodes)};"
                yield "  }"


def draw(
    fusion: _C.Fusion, path: str | os.PathLike[str], cache: _C.FusionExecutorCache | None = None
) -> Path:
    """Write the picture of a fusion; see :meth:`nvfuser.FusionDefinition.draw`."""
    path = Path(path)
    if not path.suffix:
        raise ValueError(f"Expected a file name that ends with a format, as .svg, but got {path}")
    text = dot(fusion, cache)
    if path.suffix in _TEXT:
        path.write_text(text, encoding="utf-8")
        return path
    try:
        import graphviz
    except ImportError:
        return _write_text(path, text, "the package graphviz (pip install 'nvfuser[draw]')")
    form = path.suffix[1:]
    if form not in graphviz.FORMATS:
        raise ValueError(f"Graphviz has no format {form!r}, in which {path} was to be written")
    try:
        image = graphviz.Source(text).pipe(format=form)
    except graphviz.ExecutableNotFound:
        return _write_text(path, text, "Graphviz' program dot (as of the system's package)")
    path.write_bytes(image)
    return path


def _write_text(path: Path, text: str, missing: str) -> Path:
    path = path.with_suffix(".dot")
    path.write_text(text, encoding="utf-8")
    warnings.warn(
        f"Wrote {path}, the picture as text: for an image, {missing} is missing", stacklevel=4
    )
    return path


def _library_calls() -> frozenset[str]:
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
