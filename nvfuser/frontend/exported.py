"""Programs of ``torch.export``, compiled for servers that must not trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils import _pytree as pytree

from nvfuser.frontend.decompositions import decompositions
from nvfuser.frontend.dynamo import compile_graph
from nvfuser.frontend.settings import Settings
from nvfuser.frontend.tracing import tracing_alone

__all__ = ["compile_exported"]

# What the program writes, to which of its inputs.
_UPDATES = (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION)


def compile_exported(
    program: ExportedProgram, *, options: Mapping[str, Any] | None = None
) -> Callable[..., Any]:
    """Compile an exported program.

    Parameters
    ----------
    program : torch.export.ExportedProgram
        Of ``torch.export.export`` or ``torch.export.load``. It is not changed.
    options : mapping, optional
        Those of ``torch.compile(backend="nvfuser")``.

    Returns
    -------
    callable
        Takes and returns what the program does. It reads and updates the parameters and buffers of
        the program, and has no gradients.

    Raises
    ------
    TypeError
        If `program` is no exported program.
    ValueError
        For an option that there is not.
    """
    if not isinstance(program, ExportedProgram):
        raise TypeError(
            f"compile_exported takes a torch.export.ExportedProgram, but got "
            f"{type(program).__name__}"
        )
    settings = Settings.of(dict(options) if options is not None else None)
    with tracing_alone():
        program = program.run_decompositions(decompositions())
    state = _state(program)
    returned = _with_updates_in_place(program)
    call = compile_graph(program.graph_module, settings)
    spec = program.call_spec

    def run(*args: Any, **kwargs: Any) -> Any:
        leaves, given = pytree.tree_flatten((args, kwargs))
        if given != spec.in_spec:
            raise TypeError(
                f"Expected arguments as the program was exported with, {spec.in_spec}, but got "
                f"{given}"
            )
        with torch.no_grad():
            results = call([*state, *leaves])
        return pytree.tree_unflatten([results[i] for i in returned], spec.out_spec)

    return run


def _state(program: ExportedProgram) -> list[Any]:
    """Return the parameters, buffers and constants, in the order of the graph's inputs."""
    found = []
    for spec in program.graph_signature.input_specs:
        if spec.kind is InputKind.USER_INPUT:
            continue
        if spec.kind in (InputKind.PARAMETER, InputKind.BUFFER) and spec.target is not None:
            values: Mapping[str, Any] = program.state_dict
            if spec.target not in values:
                values = program.constants
        else:
            values = program.constants
        found.append(values[str(spec.target)])
    return found


def _with_updates_in_place(program: ExportedProgram) -> list[int]:
    """Make copies of what the graph returns for updates; return which results are the user's."""
    graph = program.graph_module.graph
    signature = program.graph_signature
    (output,) = graph.find_nodes(op="output")
    inputs = {spec.target: spec.arg.name for spec in signature.input_specs if spec.target}
    placeholders = {node.name: node for node in graph.find_nodes(op="placeholder")}
    results = list(output.args[0])
    kept: list[Any] = []
    returned: list[int] = []
    with graph.inserting_before(output):
        for spec, result in zip(signature.output_specs, results, strict=True):
            if spec.kind in _UPDATES:
                name = inputs.get(spec.target, spec.target)
                target = placeholders[str(name)]
                copy = graph.call_function(torch.ops.aten.copy_.default, (target, result))
                copy.meta["val"] = target.meta["val"]
            else:
                returned.append(len(kept))
                kept.append(result)
    output.args = (tuple(kept),)
    program.graph_module.recompile()
    return returned
