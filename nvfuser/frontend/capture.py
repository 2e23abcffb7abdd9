"""Tracing of Python functions for ``nvfuser.jit``."""

from __future__ import annotations

import builtins
import contextlib
import dis
import functools
import inspect
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch._dispatch.python import enable_python_dispatcher
from torch._functorch._aot_autograd.functional_utils import (
    from_fun,
    has_data_mutation,
    has_metadata_mutation,
    to_fun,
)
from torch._higher_order_ops.effects import _EffectType, new_token_tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    UnsupportedFakeTensorException,
    UnsupportedOperatorException,
)
from torch._subclasses.functional_tensor import FunctionalTensorMode
from torch.fx.experimental.proxy_tensor import make_fx, maybe_enable_thunkify
from torch.fx.experimental.symbolic_shapes import (
    DimDynamic,
    GuardOnDataDependentSymNode,
    ShapeEnv,
    StatelessSymbolicContext,
)
from torch.utils import _pytree as pytree

from nvfuser.frontend.decompositions import StatesOfLSTM, decompositions
from nvfuser.frontend.layouts import view_source
from nvfuser.frontend.partition import partition
from nvfuser.frontend.signature import Signature, as_tensor
from nvfuser.frontend.tracing import PACKAGES, UserLines, tracing_alone

__all__ = [
    "Captured",
    "Traced",
    "TracingError",
    "capture_modules",
    "is_array",
    "trace",
    "trace_gradients",
]


class TracingError(RuntimeError):
    """A function does what cannot be recorded: the message says what, and where."""


# What torch raises where a value is asked for that is there in calls only.
_DATA_DEPENDENT = (
    DataDependentOutputException,
    DynamicOutputShapeException,
    GuardOnDataDependentSymNode,
    UnsupportedFakeTensorException,
)
# What it says where a function does something else that cannot be recorded, and what that is.
_READS = "the values of a tensor are read"
_REFUSED = {
    "Cannot access data pointer": _READS,
    "is not allowed on FakeTensor": _READS,
    ".numpy() is not supported": _READS,
    # Of operators that are written in C++ for sizes that are numbers.
    "on tensor with symbolic sizes/strides": "an operator takes no sizes that are left open",
    "tried to directly modify sizes": "the shape of a tensor is changed in place",
    # Of resize_as_, an error of torch's own.
    "dispatch_on_subclass called with NO overloaded args": "torch cannot trace an operator",
    "cannot access PyObject for Tensor": "torch cannot trace an operator",  # before 2.13
}


# ---------------------------------------------------------------- what a function reads


class Captured:
    """The tensors that a function has by its modules, as entries of dictionaries."""

    def __init__(self, modules: Sequence[torch.nn.Module]) -> None:
        # A function may have a module, and one that this is a part of.
        parts = (part for module in modules for part in module.modules())
        self.modules = list(dict.fromkeys(parts))
        self.entries: list[tuple[dict[str, Any], str]] = [
            (entries, name)
            for part in self.modules
            for entries in (part._parameters, part._buffers)
            for name, tensor in entries.items()
            if tensor is not None
        ]

    def tensors(self) -> list[torch.Tensor]:
        """Return what the entries hold now."""
        return [entries[name] for entries, name in self.entries]

    def flags(self) -> list[tuple[dict[str, Any], str, bool]]:
        """Return what decides what modules do: whether they are in training."""
        return [(vars(part), "training", part.training) for part in self.modules]

    def state(self) -> tuple[Any, ...]:
        """Return what tells the modules, and what they do, apart."""
        return tuple((id(part), part.training) for part in self.modules)

    @contextlib.contextmanager
    def replaced_by(self, tensors: Sequence[torch.Tensor]) -> Iterator[None]:
        """Put other tensors in place; an error if the function replaces one."""
        originals = self.tensors()
        attributes = [_attributes(part) for part in self.modules]
        flat = [vars(part).get("_flat_weights") for part in self.modules]
        try:
            for (entries, name), tensor in zip(self.entries, tensors, strict=True):
                entries[name] = tensor
            for part, weights in zip(self.modules, flat, strict=True):
                if weights is not None:  # torch.nn.RNNBase
                    names: Any = part._flat_weights_names
                    vars(part)["_flat_weights"] = [getattr(part, name, None) for name in names]
            yield
            for (entries, name), tensor in zip(self.entries, tensors, strict=True):
                if entries.get(name) is not tensor:
                    raise TracingError(
                        f"{name} of a module is assigned another tensor; update it in place"
                    )
        finally:
            for (entries, name), tensor in zip(self.entries, originals, strict=True):
                entries[name] = tensor
            for part, weights in zip(self.modules, flat, strict=True):
                if weights is not None:
                    vars(part)["_flat_weights"] = weights
        for part, before in zip(self.modules, attributes, strict=True):
            after = _attributes(part)
            changed = [name for name in {**before, **after} if not _same(before, after, name)]
            if changed:
                for name in changed:
                    vars(part).pop(name, None)
                    if name in before:
                        vars(part)[name] = before[name]
                raise TracingError(
                    f"the attribute {changed[0]} of a {type(part).__name__} is assigned: later "
                    "calls would not do that; make it a buffer and update that in place"
                )


def _attributes(part: torch.nn.Module) -> dict[str, Any]:
    # Those of torch.nn.RNNBase follow its parameters.
    return {name: value for name, value in vars(part).items() if "_flat_weight" not in name}


def _same(before: dict[str, Any], after: dict[str, Any], name: str) -> bool:
    return name in before and name in after and before[name] is after[name]


def _plain(function: Any) -> tuple[Any, list[Any]]:
    """Return the function of Python's behind a callable, and the objects it is bound to."""
    bound = []
    while True:
        if isinstance(function, functools.partial):
            bound += [*function.args, *function.keywords.values()]
            function = function.func
        elif isinstance(function, types.MethodType):
            bound.append(function.__self__)
            function = function.__func__
        elif isinstance(function, torch.nn.Module):
            bound.append(function)
            function = type(function).forward
        else:
            return function, bound


def _surroundings(function: Any) -> dict[str, Any]:
    """Return what a function reads from the scopes around it."""
    if not isinstance(function, types.FunctionType):
        return {}
    found = inspect.getclosurevars(inspect.unwrap(function))
    return {**found.globals, **found.nonlocals}


def capture_modules(function: Any, constants: Sequence[Any]) -> Captured:
    """Return the tensors of the modules that a function is, is bound to, is given or reads."""
    plain, bound = _plain(function)
    candidates = [*bound, *constants, *_surroundings(plain).values()]
    known = {id(value): value for value in candidates if isinstance(value, torch.nn.Module)}
    return Captured(list(known.values()))


# ---------------------------------------------------------------- what must not happen


def _check_assignments(function: Any) -> None:
    plain, _ = _plain(function)
    if not isinstance(plain, types.FunctionType):
        return
    code = inspect.unwrap(plain).__code__
    for instruction in dis.get_instructions(code):
        is_outer = instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") or is_outer:
            raise TracingError(
                f"{code.co_qualname if hasattr(code, 'co_qualname') else code.co_name} assigns "
                f"{instruction.argval}, which is outside of it: later calls would not do that "
                f"({code.co_filename}:{code.co_firstlineno})"
            )


def _contents(value: Any) -> Any:
    """Return what a container holds, to see whether it changes."""
    if isinstance(value, dict):
        return [(key, id(item)) for key, item in value.items()]
    if isinstance(value, (list, set)):
        return [id(item) for item in value]
    return None


@contextlib.contextmanager
def _without_effects(function: Any) -> Iterator[None]:
    """Raise where a function changes what is around it, or prints."""
    _check_assignments(function)
    around = _surroundings(_plain(function)[0])
    before = {name: _contents(value) for name, value in around.items()}
    thread = threading.get_ident()
    print_ = builtins.print

    def refuse(*args: Any, **kwargs: Any) -> None:
        caller = sys._getframe(1)
        file = caller.f_code.co_filename
        # Not what torch and Python print by themselves, a traceback for example.
        if threading.get_ident() != thread or file.startswith(PACKAGES):
            print_(*args, **kwargs)
            return
        raise TracingError(f"print() would not be called in later calls ({file}:{caller.f_lineno})")

    builtins.print = refuse
    try:
        yield
    finally:
        builtins.print = print_
    for name, value in around.items():
        if before[name] != _contents(value):
            raise TracingError(f"{name} is changed, which is outside of the function")


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    """Say where in the user's code a value is asked for that is not there."""
    try:
        yield
    except _DATA_DEPENDENT as error:
        raise TracingError(
            "what is done next depends on the values of a tensor"
            f"{_place(error)}: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
        ) from error
    except UnsupportedOperatorException as error:
        raise TracingError(
            f"torch cannot trace {error}, which has no fake implementation{_place(error)}"
        ) from error
    except (RuntimeError, TypeError) as error:
        said = str(error).partition("\n")[0]
        reason = next((reason for text, reason in _REFUSED.items() if text in said), None)
        if reason is None:
            raise
        raise TracingError(f"{reason}{_place(error)}: {said}") from error


def _place(error: BaseException) -> str:
    place = ""
    trace = error.__traceback__
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not file.startswith(PACKAGES) and not file.startswith("<"):
            place = f" at {file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return place


# ---------------------------------------------------------------- tracing


@dataclass
class Traced:
    """A graph, or what runs it, and what was around it.

    Attributes
    ----------
    graph : torch.fx.GraphModule or callable
        Its placeholders are the inputs: tensors among the arguments, captured ones, `constants`.
    signature : Signature
        What inputs it is valid for.
    constants : list of torch.Tensor
        Further tensors that the function has read.
    results : list of tuple
        ``("output", number)``, ``("input", number)`` or ``("constant", value)`` each.
    structure : pytree.TreeSpec
        Of the result.
    is_updating : bool
        Whether inputs are updated in place.
    effects : int
        How many outputs behind those of the results only stand for effects.
    """

    graph: Any
    signature: Signature
    constants: list[torch.Tensor]
    results: list[tuple[str, Any]]
    structure: Any
    is_updating: bool = False
    effects: int = 0


class _Flat:
    """The function, of the inputs as fake tensors, as one that returns a list of tensors."""

    def __init__(
        self, function: Any, leaves: Sequence[Any], structure: Any, captured: Captured
    ) -> None:
        self.inputs = [as_tensor(x) for x in leaves if is_array(x)]
        self.arguments = len(self.inputs)
        self.inputs += captured.tensors()
        self.results: list[tuple[str, Any]] = []
        self.structure: Any = None
        self.effects = 0
        # Of outputs that lie in the memory of an input that is updated: both numbers.
        self.in_updated: list[tuple[int, int]] = []
        self._function = function
        self._leaves = leaves
        self._arguments_structure = structure
        self._captured = captured

    def fakes(self, mode: FakeTensorMode) -> list[FakeTensor]:
        return [
            _fake(mode, tensor, f"inputs[{i}]", is_static=i >= self.arguments)
            for i, tensor in enumerate(self.inputs)
        ]

    def __call__(self, *tensors: Any) -> list[Any]:
        rest = iter(tensors)
        leaves = [next(rest) if is_array(leaf) else leaf for leaf in self._leaves]
        args, kwargs = pytree.tree_unflatten(leaves, self._arguments_structure)
        with (
            self._captured.replaced_by(list(rest)),
            StatesOfLSTM(),
            UserLines(),
            torch.compiler.set_stance("force_eager"),
        ):
            returned = self._function(*args, **kwargs)
        results, self.structure = pytree.tree_flatten(returned)
        self.results = []
        outputs: list[Any] = []
        positions = {id(tensor): i for i, tensor in enumerate(tensors)}
        for result in results:
            if id(result) in positions:
                self.results.append(("input", positions[id(result)]))
            elif isinstance(result, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)):
                self.results.append(("output", len(outputs)))
                outputs.append(result)
            else:
                self.results.append(("constant", result))
        return outputs


def is_array(value: Any) -> bool:
    """Whether a value is a tensor or a NumPy array."""
    return isinstance(value, torch.Tensor) or (
        type(value).__module__ == "numpy" and hasattr(value, "__array_interface__")
    )


def _fake(mode: FakeTensorMode, tensor: torch.Tensor, name: str, *, is_static: bool) -> FakeTensor:
    from torch._dynamo.source import ConstantSource

    if tensor.is_inference():
        # A parameter that was made in inference mode is never differentiated.
        tensor = tensor.detach()
    if is_static or tensor.dim() == 0:
        # One number has no sizes. With a source, torch would make a symbol of its value, which no
        # signature checks: item() would be the value of the first call.
        return mode.from_tensor(tensor, static_shapes=True)
    context: Any = StatelessSymbolicContext(
        dynamic_sizes=[DimDynamic.DYNAMIC] * tensor.dim(),
        constraint_sizes=[None] * tensor.dim(),
    )
    return mode.from_tensor(tensor, source=ConstantSource(name), symbolic_context=context)


def _mode() -> FakeTensorMode:
    # Sizes that are equal by chance are two symbols.
    return FakeTensorMode(shape_env=ShapeEnv(duck_shape=False), allow_non_fake_inputs=True)


def trace(function: Any, leaves: Sequence[Any], structure: Any, captured: Captured) -> Traced:
    """Trace a call of a function that is not differentiated.

    Parameters
    ----------
    function : callable
    leaves, structure
        Its arguments, flattened.
    captured : Captured

    Returns
    -------
    Traced
        With a graph of torch.fx of operators of torch, functional but for ``copy_`` to inputs.

    Raises
    ------
    TracingError
        Where it cannot be traced. What the function raises itself is passed on.
    """
    flat = _Flat(function, leaves, structure, captured)
    mode = _mode()
    with (
        tracing_alone(),
        torch.inference_mode(False),
        torch.no_grad(),
        _without_effects(function),
        _explained(),
        enable_python_dispatcher(),
        _without_mkldnn(),
    ):
        fakes = flat.fakes(mode)
        record = make_fx(
            _functionalized(flat),
            decomposition_table=decompositions(),
            tracing_mode="real",
            _allow_non_fake_inputs=True,
        )
        with mode:
            graph = record(*fakes)
        _return_views_of_updated(graph, flat.in_updated)
        graph.graph.eliminate_dead_code()
        constants = _lift_constants(graph, mode)
    traced = Traced(
        graph, Signature(fakes, mode.shape_env), constants, flat.results, flat.structure
    )
    traced.effects = flat.effects
    traced.is_updating = bool(
        graph.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    )
    return traced


@contextlib.contextmanager
def _without_mkldnn() -> Iterator[None]:
    """Turn off oneDNN, whose recurrent layers torch cannot trace."""
    was_enabled = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(was_enabled)


def _functionalized(flat: _Flat) -> Callable[..., list[Any]]:
    """Return a function that updates its arguments at its end only, by ``copy_``."""

    def call(*tensors: torch.Tensor) -> list[Any]:
        # What is computed of sizes is in the graph where an operator takes it.
        with FunctionalTensorMode() as mode, maybe_enable_thunkify():
            # What orders effects, the errors of linear algebra for example.
            mode._tokens = tokens = {effect: new_token_tensor() for effect in _EffectType}
            before = list(tokens.values())
            wrapped = [to_fun(tensor) for tensor in tensors]
            outputs = flat(*wrapped)
        # Results as well, so that what has an effect is computed.
        effects = [
            token for token, old in zip(tokens.values(), before, strict=True) if token is not old
        ]
        flat.effects = len(effects)
        results = [from_fun(output) for output in (*outputs, *effects)]
        updated: dict[int, int] = {}
        for i, (tensor, own) in enumerate(zip(tensors, wrapped, strict=True)):
            if has_metadata_mutation(own, tensor, check_only_storage_mutation=False):
                raise TracingError(
                    "the shape, strides or memory of an argument is changed in place, like by "
                    "t_(), resize_() or set_()"
                )
            if has_data_mutation(own):
                tensor.copy_(from_fun(own))
                updated[_storage_of(own)] = i
        flat.in_updated = [
            (k, updated[_storage_of(output)])
            for k, output in enumerate(outputs)
            if isinstance(output, torch.Tensor) and _storage_of(output) in updated
        ]
        return results

    return call


def _storage_of(tensor: torch.Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)


def _return_views_of_updated(
    graph: torch.fx.GraphModule, in_updated: Sequence[tuple[int, int]]
) -> None:
    """Make outputs views of the inputs whose memory they lie in.

    Functionalized, they are views of the values that these are updated with.
    """
    placeholders = graph.graph.find_nodes(op="placeholder")
    copies = graph.graph.find_nodes(op="call_function", target=torch.ops.aten.copy_.default)
    values = {node.args[0]: node.args[1] for node in copies}
    (end,) = graph.graph.find_nodes(op="output")
    results = list(end.args[0])
    known: dict[torch.fx.Node, torch.fx.Node] = {}

    def renamed(node: torch.fx.Node) -> torch.fx.Node:
        return known.get(node, node)

    for k, i in in_updated:
        value, source = values.get(placeholders[i]), results[k]
        views: list[torch.fx.Node] = []
        while source is not None and source is not value:
            views.append(source)
            source = view_source(source)
        # The memory of a value may be laid out in another way.
        if source is None or any(v.target is torch.ops.aten.as_strided.default for v in views):
            continue
        known.clear()
        known[value] = placeholders[i]
        for view in reversed(views):
            with graph.graph.inserting_before(end):
                known[view] = graph.graph.node_copy(view, renamed)
        results[k] = known[results[k]]
    end.args = (results,)
    graph.recompile()


def trace_gradients(
    function: Any,
    leaves: Sequence[Any],
    structure: Any,
    captured: Captured,
    compile_graph: Callable[[torch.fx.GraphModule], Any],
) -> Traced:
    """Trace a call of a function that is differentiated; parameters as of :func:`trace`.

    Returns
    -------
    Traced
        Its graph is a function of the inputs, which autograd knows.
    """
    from torch._functorch.aot_autograd import aot_module_simplified
    from torch._guards import TracingContext, tracing

    flat = _Flat(function, leaves, structure, captured)
    mode = _mode()

    class Module(torch.nn.Module):  # type: ignore[misc]
        def forward(self, *values: Any) -> Any:
            return tuple(flat(*values[-len(flat.inputs) :]))

    def compile_part(graph: torch.fx.GraphModule, _: Any) -> Any:
        for node in graph.graph.find_nodes(op="get_attr"):
            value = getattr(graph, str(node.target), None)
            if isinstance(value, torch.Tensor) and value.requires_grad:
                raise lost_gradients(value)
        return compile_graph(graph)

    with (
        tracing_alone(),
        _without_effects(function),
        _explained(),
        _without_mkldnn(),
    ):
        fakes = flat.fakes(mode)
        sizes = _symbolic_sizes(fakes)
        with tracing(TracingContext(mode)):
            call = aot_module_simplified(
                Module(),
                [*(size(fakes) for size in sizes), *fakes],
                fw_compiler=compile_part,
                bw_compiler=compile_part,
                partition_fn=partition,
                decompositions=decompositions(),
                keep_inference_input_mutations=True,
            )
    signature = Signature(fakes, mode.shape_env)
    return Traced(
        lambda inputs: call(*(size(inputs) for size in sizes), *inputs),
        signature,
        [],
        flat.results,
        flat.structure,
    )


def _symbolic_sizes(fakes: Sequence[FakeTensor]) -> list[Callable[[Sequence[Any]], Any]]:
    """Return what reads each symbol off the inputs: the partitioner takes them for inputs, too."""
    found: dict[Any, Callable[[Sequence[Any]], Any]] = {}
    for i, fake in enumerate(fakes):
        for method in (torch.Tensor.size, torch.Tensor.stride):
            for dim in range(fake.dim()):
                value = method(fake, dim)
                if isinstance(value, torch.SymInt) and value.node.expr.is_Symbol:
                    found.setdefault(value.node.expr, functools.partial(_read, method, i, dim))
    return list(found.values())


def _read(method: Callable[..., Any], i: int, dim: int, inputs: Sequence[Any]) -> Any:
    return method(as_tensor(inputs[i]), dim)


def lost_gradients(value: torch.Tensor) -> TracingError:
    """Return the error for a tensor that gradients do not reach."""
    return TracingError(
        f"a tensor of shape {tuple(value.shape)} that requires grad is read from around the "
        "function: gradients would not reach it; pass it, or its module, as an argument"
    )


def _lift_constants(graph: torch.fx.GraphModule, mode: FakeTensorMode) -> list[torch.Tensor]:
    """Make inputs of the tensors that a function has read from elsewhere."""
    constants: list[torch.Tensor] = []
    placeholders = graph.graph.find_nodes(op="placeholder")
    known: dict[int, torch.fx.Node] = {}
    for node in graph.graph.find_nodes(op="get_attr"):
        value = getattr(graph, str(node.target), None)
        if not isinstance(value, torch.Tensor):
            continue
        if id(value) not in known:
            first = next(iter(graph.graph.nodes))
            behind = placeholders[-1] if placeholders else None
            with (
                graph.graph.inserting_after(behind)
                if behind is not None
                else graph.graph.inserting_before(first)
            ):
                placeholder = graph.graph.placeholder(f"constant{len(constants)}")
            placeholder.meta["val"] = mode.from_tensor(value, static_shapes=True)
            placeholders.append(placeholder)
            known[id(value)] = placeholder
            constants.append(value)
        node.replace_all_uses_with(known[id(value)])
        graph.graph.erase_node(node)
    graph.recompile()
    return constants
