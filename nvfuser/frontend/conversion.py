"""From a graph of torch.fx to one fusion.

Every node becomes an operation of the fusion: those with a builder one that is generated, the
others a call of torch's operator between the kernels. What only concerns Python, views of results
for example, is left to a few lines behind the fusion (:mod:`nvfuser.frontend.epilogue`).
"""

from __future__ import annotations

import logging
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily

from nvfuser import _C, DataType, FusionDefinition, TensorView, call_sites, ops
from nvfuser.frontend.epilogue import Epilogue
from nvfuser.frontend.layouts import is_row_major, order_of
from nvfuser.frontend.limits import LEFT_TO_TORCH, Limit
from nvfuser.frontend.operators import Call, builder_of, cast, data_type, views
from nvfuser.frontend.partition import kept_results
from nvfuser.frontend.sizes import Sizes, is_known
from nvfuser.frontend.torch_calls import call_torch
from nvfuser.frontend.tracing import PACKAGES

__all__ = ["Conversion", "GraphFusion", "convert", "device_of", "fusion_of", "line_of"]

# Untyped: what fits is checked where users call.
_ops: Any = ops
_log = logging.getLogger("nvfuser")


class GraphFusion(FusionDefinition):
    """The fusion of a graph: called with a list of its arguments, as AOTAutograd calls.

    Calls are native: no frame of Python's is between the caller and the kernels.
    """

    _boxed_call = True
    __call__ = _C.Executable.execute

    def _note_input(self, value: _C.Val) -> None:
        pass

    def note(self, node: torch.fx.Node, values: Sequence[Any], reason: str | None = None) -> None:
        """Say which node tensors are of, where that is in the model, and why torch computes it."""
        assert self._sites is not None
        numbers = [value._number for value in values if isinstance(value, TensorView)]
        if node.op != "call_function":
            self._sites.add_input_line(line_of(node))
        elif numbers:
            self._sites.add_line(max(numbers), line_of(node), str(node.target), reason)


class Conversion:
    """A graph and the fusion that is made of it.

    Attributes
    ----------
    graph : torch.fx.GraphModule
    fusion : GraphFusion or None
        None where nothing is to be computed.
    generated, called : dict of str to int
        How often which operator is generated, and left to torch.
    """

    def __init__(
        self, graph: torch.fx.GraphModule, *, is_strict: bool = False, options: Sequence[str] = ()
    ) -> None:
        self.graph = graph
        self._options = list(options)
        self.fusion: GraphFusion | None = None
        self.generated: dict[str, int] = {}
        self.called: dict[str, int] = {}
        self._is_strict = is_strict
        self._sizes = Sizes()
        self._values: dict[torch.fx.Node, Any] = {}
        self._fakes: dict[TensorView, torch.Tensor] = {}
        # Inputs of the fusion: texts of what is passed for them.
        self._inputs: list[str] = []
        self._constants: list[torch.Tensor] = []
        self._has_own_inputs = False
        self._tensors: dict[torch.fx.Node, TensorView] = {}
        self.device = device_of(graph)

    # ------------------------------------------------------------------------------ the graph

    def run(self) -> Any:
        """Convert, and return what is called with the list of arguments."""
        nodes = list(self.graph.graph.nodes)
        placeholders = [node for node in nodes if node.op == "placeholder"]
        epilogue = Epilogue(self._sizes, placeholders)
        (output,) = nodes[-1:]
        needed = _needed(nodes)
        self.fusion = fusion = GraphFusion()
        with fusion:
            # Lines of values are those of the model, not of who converts it.
            call_sites.current.sites = None
            self._define_inputs(fusion, placeholders, needed)
            updates: list[tuple[torch.fx.Node, Any]] = []
            for node in nodes:
                if node.op == "call_function" and node in needed:
                    if node.target is torch.ops.aten.copy_.default:
                        self._values[node] = self._value_of_update(node)
                        updates.append((node.args[0], self._values[node]))
                    else:
                        self._convert(node)
                elif node.op == "get_attr" and node in needed:
                    self._define_constant(fusion, node)
                elif node.op in ("call_module", "call_method"):
                    raise Limit(f"{node.format_node()} is no call of an operator")
            epilogue.collect(output.args[0])
            kept = kept_results(self.graph) - epilogue.viewed
            for node in epilogue.outputs:
                if node in kept:
                    self._add_in_any_order(fusion, node)
                else:
                    fusion.add_output(self._output(node))
            for target, value in updates:
                fusion.add_output(value, self._input_to_update(target))
            has_outputs = bool(epilogue.outputs or updates)
        if not has_outputs:
            self.fusion = None
            return epilogue.without_fusion()
        if self._options:
            fusion._prepare().enable(self._options)
        return epilogue.around(
            fusion,
            None if self._is_direct(placeholders) else self._inputs,
            self._constants,
            self._explicit_device(),
        )

    def _is_direct(self, placeholders: Sequence[torch.fx.Node]) -> bool:
        return self._inputs == [f"args[{i}]" for i in range(len(placeholders))]

    def _explicit_device(self) -> torch.device | None:
        """Return where the fusion runs if its inputs do not say so."""
        says = any(
            fake.device == self.device and (fake.dim() > 0 or self.device.type == "cpu")
            for fake in (node.meta["val"] for node in self._tensors)
        )
        return None if says else self.device

    # ----------------------------------------------------------------------------- the inputs

    def _define_inputs(
        self,
        fusion: GraphFusion,
        placeholders: Sequence[torch.fx.Node],
        needed: set[torch.fx.Node],
    ) -> None:
        # An unused argument is an input as well where it can be one: then the list of arguments is
        # passed as it is.
        for position, node in enumerate(placeholders):
            value = node.meta.get("val")
            text = f"args[{position}]"
            if isinstance(value, torch.Tensor):
                if _is_token(node):
                    self._values[node] = None
                    continue
                if not self._can_be_input(value):
                    if node in needed:
                        raise Limit(f"the input {node.name} is {_described(value)}")
                    continue
                self._values[node] = self._define_tensor(fusion, node, value, text)
            elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float)):
                kind = {torch.SymInt: DataType.Int, torch.SymFloat: DataType.Double}
                default = DataType.Bool if isinstance(value, bool) else DataType.Int
                dtype = kind.get(
                    type(value), DataType.Double if isinstance(value, float) else default
                )
                scalar = fusion.define_scalar(dtype)
                self._values[node] = scalar
                fusion.note(node, [scalar])
                self._inputs.append(text)
                self._sizes.define(value, scalar, text)

    def _can_be_input(self, value: torch.Tensor) -> bool:
        if value.layout is not torch.strided or value.is_quantized or value.is_nested:
            return False
        try:
            data_type(value.dtype)
        except Limit:
            return False
        return value.device == self.device or (value.device.type == "cpu" and value.dim() == 0)

    def _define_tensor(
        self, fusion: GraphFusion, node: torch.fx.Node, value: torch.Tensor, text: str
    ) -> TensorView:
        shape = [size if isinstance(size, int) else -1 for size in value.shape]
        contiguity: list[bool | None] = [False] * value.dim()
        order = order_of(value) if value.dim() else []
        for dim, (size, stride) in enumerate(zip(value.shape, value.stride(), strict=True)):
            if is_known(size == 1) or (isinstance(stride, int) and stride == 0):
                contiguity[value.dim() - 1 - order[dim]] = None
        # What else is contiguous, a call shows: then kernels are made for that.
        x = fusion.define_tensor(
            shape=shape,
            contiguity=contiguity,
            dtype=data_type(value.dtype),
            is_cpu=value.device != self.device,
            stride_order=order,
        )
        self._fakes[x] = value
        self._tensors[node] = x
        fusion.note(node, [x])
        self._inputs.append(text)
        for dim, size in enumerate(value.shape):
            if isinstance(size, torch.SymInt):
                self._sizes.define(size, _ops.size(x, dim), f"{text}.size({dim})")
        return x

    def _define_constant(self, fusion: GraphFusion, node: torch.fx.Node) -> None:
        value = operator.attrgetter(str(node.target))(self.graph)
        if not isinstance(value, torch.Tensor):
            self._values[node] = value
            return
        fake = node.meta.get("val", value)
        node.meta["val"] = fake
        with unset_fake_temporarily():
            if value.dim() == 0 and value.device.type == "cpu":
                dtype = data_type(value.dtype)
                self._keep(node, _ops.full([], value.item(), dtype))
                return
            value = value.detach()
        if not self._can_be_input(value):
            raise Limit(f"the constant {node.name} is {_described(value)}")
        text = f"constants[{len(self._constants)}]"
        self._constants.append(value)
        self._values[node] = self._define_tensor(fusion, node, fake, text)

    # ------------------------------------------------------------------------------ the nodes

    def _keep(self, node: torch.fx.Node, value: Any, reason: str | None = None) -> None:
        self._values[node] = value
        result = node.meta.get("val")
        results = result if isinstance(result, (tuple, list)) else [result]
        values = value if isinstance(value, (tuple, list)) else [value]
        if self.fusion is not None and node.op == "call_function":
            self.fusion.note(node, values, reason)
        for fake, x in zip(results, values, strict=True):
            if isinstance(x, TensorView):
                self._fakes.setdefault(x, fake)

    def _convert(self, node: torch.fx.Node) -> None:
        if node.target is operator.getitem and isinstance(
            self._values[node.args[0]], (tuple, list)
        ):
            self._values[node] = self._values[node.args[0]][node.args[1]]
            return
        # Of what has no result there is none before torch 2.13.
        result = node.meta.setdefault("val", None)
        if isinstance(result, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float)):
            self._values[node] = self._sizes.value(result)
            return
        args, kwargs = torch.fx.node.map_arg(
            (node.args, dict(node.kwargs)), self._values.__getitem__
        )
        build = None if LEFT_TO_TORCH in node.meta else builder_of(node.target)
        name = str(node.target)
        call = Call(node, self._sizes, self._fakes, self._values)
        value = NotImplemented
        reason = node.meta.get(LEFT_TO_TORCH, "no kernels are generated for it")
        if build is not None and self._is_generated(node):
            reason = "no kernels are generated for such arguments"
            try:
                value = build(call, *args, **kwargs)
            except Limit as limit:
                reason = str(limit)
                _log.debug("%s is left to torch: %s", node.name, limit)
            except (RuntimeError, TypeError) as error:
                if self._is_strict:
                    raise
                reason = str(error)
                _log.warning("%s (%s) is left to torch: %s", node.name, name, error)
        if value is NotImplemented:
            self.called[name] = self.called.get(name, 0) + 1
            called = call_torch(node, args, kwargs, self._sizes, self._fakes)
            self._keep(node, called, reason)
            return
        self.generated[name] = self.generated.get(name, 0) + 1
        self._keep(node, _as_declared(node, value))

    def _is_generated(self, node: torch.fx.Node) -> bool:
        result = node.meta.get("val")
        results = result if isinstance(result, (tuple, list)) else [result]
        for fake in results:
            if fake is None and len(results) > 1:
                continue  # not asked for, by a mask
            if not isinstance(fake, torch.Tensor):
                return False
            if fake.device != self.device and fake.dim() > 0:
                raise Limit(f"{node.name} is on {fake.device}, other tensors are on {self.device}")
            data_type(fake.dtype)
        return True

    # ---------------------------------------------------------------------------- the outputs

    def _output(self, node: torch.fx.Node) -> TensorView:
        value, fake = self._owned(node)
        if not is_row_major(fake):
            return _ops.stride_order(value, order_of(fake))
        # What is a view of an input here is memory of its own in torch.
        return _ops.set(value) if _may_be_view_of_input(node) else value

    def _add_in_any_order(self, fusion: GraphFusion, node: torch.fx.Node) -> None:
        value, _ = self._owned(node)
        if _may_be_view_of_input(node):
            value = _ops.set(value)
        fusion.add_output(value, is_order_open=True)

    def _owned(self, node: torch.fx.Node) -> tuple[TensorView, torch.Tensor]:
        """Return the value of a result, with elements of its own, and what torch says of it."""
        value = self._values[node]
        fake: torch.Tensor = node.meta["val"]
        if fake.device != self.device:
            raise Limit(f"the output {node.name} is on {fake.device}, others on {self.device}")
        if any(domain.is_expanded() for domain in value.get_logical_domain()):
            # Elements of their own, as torch's have.
            everywhere = _ops.full(self._sizes.shape(fake.shape), True, DataType.Bool)
            value = _ops.where(everywhere, value, value)
        return value, fake

    def _value_of_update(self, node: torch.fx.Node) -> TensorView:
        target, source = node.args[:2]
        fake: torch.Tensor = target.meta["val"]
        value = self._values[source]
        if isinstance(value, TensorView):
            value = cast(value, fake.dtype)
            shape = self._sizes.shape(fake.shape)
            if value.ndim != fake.dim() or not all(
                is_known(a == b)
                for a, b in zip(self._fakes[self._values[source]].shape, fake.shape, strict=True)
            ):
                value = _ops.expand(value, shape)
            return _ops.set(value)
        return _ops.full(self._sizes.shape(fake.shape), value, data_type(fake.dtype))

    def _input_to_update(self, node: torch.fx.Node) -> TensorView:
        if node not in self._tensors:
            raise Limit(f"{node.name} is updated, and is no input")
        return self._tensors[node]


_FRAME = re.compile(r'File "(.+)", line (\d+)')


def line_of(node: torch.fx.Node) -> str:
    """Return where in the model a node comes from, or its name in the graph."""
    frames = _FRAME.findall(node.meta.get("stack_trace") or "")
    of_user = [frame for frame in frames if not frame[0].startswith(PACKAGES)]
    return ":".join((of_user or frames)[-1]) if frames else f"{node.name} of the graph"


def _is_token(node: torch.fx.Node) -> bool:
    """Whether a placeholder only orders effects: then the argument is None."""
    return bool(node.users) and all(
        isinstance(user.target, torch._ops.HigherOrderOperator)
        and user.target.name() == "with_effects"
        and user.args[0] is node
        for user in node.users
    )


def _needed(nodes: Sequence[torch.fx.Node]) -> set[torch.fx.Node]:
    """Return the nodes that outputs and updates depend on."""
    needed: set[torch.fx.Node] = set()
    for node in reversed(nodes):
        if node.op == "output" or node in needed or _has_effect(node):
            needed.add(node)
            needed.update(node.all_input_nodes)
    return needed


def _has_effect(node: torch.fx.Node) -> bool:
    if node.op != "call_function":
        return False
    if isinstance(node.target, torch._ops.OpOverload):
        is_check = node.target is torch.ops.aten._linalg_check_errors.default
        return node.target._schema.is_mutable or is_check
    return isinstance(node.target, torch._ops.HigherOrderOperator)


def _may_be_view_of_input(node: torch.fx.Node) -> bool:
    """Whether nothing that computes is between an input and a node."""
    while node.op == "call_function":
        if node.target is not operator.getitem:
            build = builder_of(node.target)
            if build is None or build.__module__ != views.__name__:
                return False
        inputs = node.all_input_nodes
        if not inputs:
            return False
        node = inputs[0]
    return node.op in ("placeholder", "get_attr")


def _as_declared(node: torch.fx.Node, value: Any) -> Any:
    """Return results in the dtypes that torch gives them; checks that their ranks are right."""
    result = node.meta["val"]
    if isinstance(result, torch.Tensor):
        return _one_as_declared(node, value, result)
    if len(value) != len(result):
        raise AssertionError(f"{node.target} has {len(result)} results, but {len(value)} came")
    return [_one_as_declared(node, x, fake) for x, fake in zip(value, result, strict=True)]


def _one_as_declared(node: torch.fx.Node, x: Any, fake: torch.Tensor | None) -> Any:
    if fake is None:
        return None
    if not isinstance(x, TensorView):
        raise AssertionError(f"{node.target} should be a tensor, but is {x}")
    if x.ndim != fake.dim():
        raise AssertionError(f"{node.target} should have {fake.dim()} dimensions, but is {x}")
    for extent, size in zip(ops.shape(x), fake.shape, strict=True):
        if isinstance(size, int) and not extent.is_symbolic() and int(str(extent)) != size:
            raise AssertionError(f"{node.target} should have shape {tuple(fake.shape)}, but is {x}")
    return cast(x, fake.dtype)


def device_of(graph: torch.fx.GraphModule) -> torch.device:
    """Return the device that a graph computes on: that of CUDA, if there is any in it."""
    found = torch.device("cpu")
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        for item in value if isinstance(value, (tuple, list)) else [value]:
            if isinstance(item, torch.Tensor) and item.device.type != "cpu":
                if item.device.type != "cuda" or found not in (torch.device("cpu"), item.device):
                    raise Limit(f"tensors are on {found} and on {item.device}")
                found = item.device
    return found


def _described(value: torch.Tensor) -> str:
    return (
        f"a tensor of {value.dtype}, {value.layout}, shape {tuple(value.shape)}, on {value.device}"
    )


def convert(
    graph: torch.fx.GraphModule, *, is_strict: bool = False, options: Sequence[str] = ()
) -> Any:
    """Return what computes a graph: called with the list of its arguments, it returns a list.

    Parameters
    ----------
    graph : torch.fx.GraphModule
        Of operators of torch, functional but for updates of inputs at its end, each node with
        what fake tensors gave for it in ``meta["val"]``.
    is_strict : bool
        Whether an operation that cannot be defined is an error; otherwise it is left to torch.
    options : sequence of str
        Of NVFUSER_ENABLE, that are on in calls.

    Returns
    -------
    callable

    Raises
    ------
    Limit
        For graphs that cannot be a fusion.
    """
    return Conversion(graph, is_strict=is_strict, options=options).run()


def fusion_of(graph: Callable[..., Any]) -> GraphFusion | None:
    """Return the fusion of a compiled graph, None if torch runs it, or nothing is computed."""
    return graph if isinstance(graph, GraphFusion) else getattr(graph, "fusion", None)
