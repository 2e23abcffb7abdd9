"""What is around the fusion of a graph: arguments that it takes, results that it does not make.

Results of a graph that are arguments, views of something, numbers or None are no outputs of a
fusion. A function of Python puts them among the others; it is written for the graph, so that a call
does nothing but that. A graph without such results is called directly.
"""

from __future__ import annotations

import itertools
import linecache
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from nvfuser.frontend.layouts import is_dense, owner_of, view_source
from nvfuser.frontend.limits import Limit
from nvfuser.frontend.sizes import Sizes, expression_of

__all__ = ["Epilogue"]

_numbers = itertools.count()


class Epilogue:
    """The results of a graph.

    Attributes
    ----------
    outputs : list of torch.fx.Node
        What the fusion has to return.
    viewed : set of torch.fx.Node
        Those of them that other results are views of.
    """

    def __init__(self, sizes: Sizes, placeholders: Sequence[torch.fx.Node]) -> None:
        self.outputs: list[torch.fx.Node] = []
        self.viewed: set[torch.fx.Node] = set()
        self._sizes = sizes
        self._arguments = {node: f"args[{i}]" for i, node in enumerate(placeholders)}
        self._texts: list[str] = []
        self._lines: list[str] = []
        self._objects: dict[str, Any] = {}
        self._views: dict[torch.fx.Node, str] = {}

    def collect(self, results: Any) -> None:
        """Take the results of the graph."""
        if not isinstance(results, (tuple, list)):
            raise Limit(f"the graph returns {results}, not a list")
        owners: dict[torch.fx.Node, set[torch.fx.Node]] = {}
        for result in results:
            if isinstance(result, torch.fx.Node):
                owners.setdefault(owner_of(result), set()).add(result)
        self._texts = [self._text(result, owners) for result in results]

    def _text(self, result: Any, owners: dict[torch.fx.Node, set[torch.fx.Node]]) -> str:
        if not isinstance(result, torch.fx.Node):
            return repr(self._checked(result))
        if result.target is torch.ops.aten.copy_.default:
            result = result.args[0]
        if result in self._arguments:
            return self._arguments[result]
        value = result.meta.get("val")
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float)):
            return self._sizes.text(value)
        if not isinstance(value, torch.Tensor):
            raise Limit(f"the result {result.name} is a {type(value).__name__}")
        owner = owner_of(result)
        if owner is result or (
            owner not in self._arguments
            and owner.op != "get_attr"
            and len(owners[owner]) == 1
            and is_dense(value)
        ):
            return self._output(result)
        return self._view(result)

    def _checked(self, result: Any) -> Any:
        if result is None or isinstance(result, (bool, int)):
            return result
        raise Limit(f"the graph returns {result}")

    def _output(self, node: torch.fx.Node) -> str:
        if node not in self.outputs:
            self.outputs.append(node)
        return f"outputs[{self.outputs.index(node)}]"

    def _view(self, node: torch.fx.Node) -> str:
        """Return the name of a variable that has the views of a node."""
        if node in self._arguments:
            return self._arguments[node]
        source = view_source(node)
        if source is None:
            self.viewed.add(node)
            return self._output(node)
        if node not in self._views:
            base = self._view(source)
            name = f"v{len(self._views)}"
            if node.target is operator.getitem:
                text = f"{base}[{node.args[1]!r}]"
            else:
                function = f"f{len(self._objects)}"
                self._objects[function] = node.target
                rest = [self._literal(arg) for arg in node.args[1:]]
                rest += [f"{key}={self._literal(arg)}" for key, arg in node.kwargs.items()]
                text = f"{function}({', '.join([base, *rest])})"
            self._lines.append(f"{name} = {text}")
            self._views[node] = name
        return self._views[node]

    def _literal(self, value: Any) -> str:
        if isinstance(value, torch.fx.Node):
            return self._sizes.text(value.meta["val"])
        if isinstance(value, (tuple, list)):
            return f"[{', '.join(self._literal(item) for item in value)}]"
        if isinstance(expression_of(value), (bool, int, float, str, type(None))):
            return repr(value)
        name = f"c{len(self._objects)}"
        self._objects[name] = value
        return name

    def around(
        self,
        fusion: Any,
        inputs: Sequence[str] | None,
        constants: Sequence[torch.Tensor],
        device: torch.device | None,
    ) -> Any:
        """Return what runs a fusion, and puts together the results.

        Parameters
        ----------
        fusion : GraphFusion
        inputs : sequence of str, optional
            What it takes; without, all arguments.
        constants : sequence of torch.Tensor
            What ``constants[i]`` among them stands for.
        device : torch.device, optional
            What it runs on where its inputs do not say so.
        """
        plain = [f"outputs[{i}]" for i in range(len(self.outputs))]
        if inputs is None and device is None and self._texts == plain:
            return fusion
        objects = {"execute": fusion.execute, "constants": list(constants), "device": str(device)}
        arguments = "args" if inputs is None else f"[{', '.join(inputs)}]"
        where = "" if device is None else ", device=device"
        return self._compiled([f"outputs = execute({arguments}{where})"], objects, fusion)

    def without_fusion(self) -> Any:
        """Return what makes the results where nothing is computed."""
        return self._compiled([], {}, None)

    def _compiled(
        self, lines: list[str], objects: dict[str, Any], fusion: Any
    ) -> Callable[..., Any]:
        body = [*lines, *self._lines, f"return [{', '.join(self._texts)}]"]
        source = "def call(args):\n" + "".join(f"    {line}\n" for line in body)
        # Tracebacks show the lines.
        file = f"<nvfuser graph {next(_numbers)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"math": math, "torch": torch, **objects, **self._objects}
        exec(compile(source, file, "exec"), namespace)
        call: Any = namespace["call"]
        call._boxed_call = True
        call.fusion = fusion
        torch._dynamo.eval_frame.skip_code(call.__code__)
        return call
