"""``nvfuser.jit``: functions and modules of PyTorch as fusions, with little overhead per call."""

from __future__ import annotations

import dataclasses
import enum
import functools
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import torch
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import is_traceable_wrapper_subclass

from nvfuser import _C
from nvfuser.frontend.capture import (
    Captured,
    Traced,
    TracingError,
    capture_modules,
    is_array,
    lost_gradients,
    trace,
    trace_gradients,
)
from nvfuser.frontend.checking import check_call
from nvfuser.frontend.conversion import GraphFusion, fusion_of
from nvfuser.frontend.dynamo import compile_graph
from nvfuser.frontend.settings import Settings, wants_cuda_graphs
from nvfuser.frontend.signature import as_tensor

__all__ = ["TracingError", "jit"]

_log = logging.getLogger("nvfuser")

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Versions of one function beyond which the oldest gives way: arguments that are numbers and change
# from call to call would otherwise be traced, and kept, without end.
MAX_VERSIONS = 64

# Constants are compared by value where that is what they are.
_VALUES = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device)


@overload
def jit(
    function: _Function,
    *,
    fallback: Literal["eager"] | None = None,
    check: bool = False,
    mode: str | None = None,
    dynamic: bool = False,
) -> _Function: ...
@overload
def jit(
    function: None = None,
    *,
    fallback: Literal["eager"] | None = None,
    check: bool = False,
    mode: str | None = None,
    dynamic: bool = False,
) -> Callable[[_Function], _Function]: ...
def jit(
    function: Any = None,
    *,
    fallback: Literal["eager"] | None = None,
    check: bool = False,
    mode: str | None = None,
    dynamic: bool = False,
) -> Any:
    """Compile a function or module: its operations run as one fusion.

    The first call with a new kind of arguments traces the function. The kind is the structure of
    the arguments, their ranks, dtypes and devices, the sizes of 0 or 1, and the values of all
    arguments that are not tensors. Other sizes are symbolic: one trace serves all of them, unless
    the function makes decisions that depend on them. Later calls compare their arguments with this
    kind and run the kernels. These are compiled for the sizes of the first call; when one of them
    changes, others are compiled, once, for which it may be anything.

    Parameters
    ----------
    function : callable or torch.nn.Module
        Its arguments may be tensors, NumPy arrays, numbers and other constants, and lists, tuples
        and dictionaries of these. Modules may be the function itself, an argument, or a variable of
        an enclosing scope; each call reads their current parameters and buffers. Without
        `function`, a decorator is returned.
    fallback : {"eager"}, optional
        Calls that cannot be traced run without nvfuser. By default they raise an error.
    check : bool
        Whether to compare each call with the function itself, which is slow.
    mode : {"default", "reduce-overhead"}, optional
        With "reduce-overhead" the kernels of a call are launched as one CUDA graph. Tensors may
        move between calls.
    dynamic : bool
        Whether kernels leave all sizes open from the first call on: those for known sizes are
        faster, those for any are compiled once.

    Returns
    -------
    callable
        Like `function`; also a method where it is defined in a class.

    Raises
    ------
    TracingError
        In calls, if a trace cannot repeat what the function does: it branches on the values of
        tensors, prints, or assigns globals, attributes or items of outer containers.
    TypeError, ValueError
        If an argument is invalid.

    Notes
    -----
    AOTAutograd computes gradients; forward and backward are one fusion each. Calls under
    ``torch.autocast`` are traced separately. Calls with tensor subclasses that wrap other tensors,
    such as the DTensors of models that are divided among devices, go through ``torch.compile``.
    Inside ``torch.compile``, ``torch.export`` and other kinds of tracing, the function itself is
    traced.

    Examples
    --------
    >>> @nvfuser.jit
    ... def swiglu(x, y):
    ...     return torch.nn.functional.silu(x) * y
    >>> z = swiglu(torch.randn(4, 8), torch.randn(4, 8))
    """
    if function is None:
        return functools.partial(jit, fallback=fallback, check=check, mode=mode, dynamic=dynamic)
    if not callable(function):
        raise TypeError(f"nvfuser.jit takes a function or module, but got {type(function)}")
    if fallback not in (None, "eager"):
        raise ValueError(f'fallback must be "eager" or None, but is {fallback!r}')
    settings = dataclasses.replace(
        Settings(), cuda_graphs=wants_cuda_graphs(mode), assume_sizes=not dynamic
    )
    tracer = _Tracer(function, fallback == "eager", check, settings)
    compiled: Any = _C.make_compiled_function(function, tracer)
    tracer.compiled = compiled
    compiled._repr_svg_ = tracer.picture
    # What a copy is compiled with.
    compiled._options = {
        "fallback": fallback,
        "check": check,
        "mode": mode,
        "dynamic": dynamic,
    }
    if isinstance(function, torch.nn.Module):
        compiled.__name__ = type(function).__name__
        compiled.__doc__ = type(function).__doc__
        compiled.__wrapped__ = function
    else:
        functools.update_wrapper(compiled, function)
    return compiled


class Version:
    """One tracing: what it is valid for, what runs it, and its graphs as they were compiled."""

    def __init__(
        self, traced: Traced, call: Callable[[list[Any]], Any], graphs: Sequence[Any]
    ) -> None:
        self.call = call
        self.traced = traced
        self.graphs = graphs

    def admits(self, inputs: Sequence[Any]) -> bool:
        return self.traced.signature.admits(inputs)

    def run(self, inputs: Sequence[Any]) -> Any:
        """Return the result for the inputs without constants."""
        for constant in self.traced.constants:
            if constant.requires_grad and torch.is_grad_enabled():
                raise lost_gradients(constant)
        given = [*inputs, *self.traced.constants]
        return self.rebuild(self.call(list(given)), given)

    def rebuild(self, outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Return the result of the function, made of the outputs of the graph."""
        sources = {"output": outputs, "input": inputs}
        leaves = [
            value if kind == "constant" else sources[kind][value]
            for kind, value in self.traced.results
        ]
        return pytree.tree_unflatten(leaves, self.traced.structure)

    def native_result(self) -> Any:
        """Return how native code makes the result: by a name, or by what it calls."""
        results, structure = self.traced.results, self.traced.structure
        if (
            self.traced.effects == 0
            and results == [("output", i) for i in range(len(results))]
            and results
        ):
            if structure.is_leaf():
                return "single"
            if all(child.is_leaf() for child in structure.children()):
                for kind in (tuple, list):
                    if structure.type is kind:
                        return kind.__name__
        return self.rebuild


def compile_version(
    function: Callable[..., Any],
    leaves: list[Any],
    structure: Any,
    captured: Captured,
    is_differentiated: bool,
    compile_graph: Callable[[torch.fx.GraphModule], Callable[..., Any]],
) -> Version:
    """Trace a function for arguments like these, and compile its graphs."""
    graphs: list[Callable[..., Any]] = []

    def compiled(graph: torch.fx.GraphModule) -> Callable[..., Any]:
        graphs.append(compile_graph(graph))
        return graphs[-1]

    if is_differentiated:
        traced = trace_gradients(function, leaves, structure, captured, compiled)
        return Version(traced, traced.graph, graphs)
    traced = trace(function, leaves, structure, captured)
    return Version(traced, compiled(traced.graph), graphs)


class _Tracer:
    """What native code calls where no version of the function fits the arguments."""

    def __init__(
        self,
        function: Callable[..., Any],
        is_eager_allowed: bool,
        is_checked: bool,
        settings: Settings,
    ) -> None:
        self.compiled: Any = None
        self._function = function
        self._is_eager_allowed = is_eager_allowed
        self._is_checked = is_checked
        self._settings = settings
        # By the kind of the arguments, the last one used last.
        self._versions: dict[Any, list[Version]] = {}
        self._eager: set[Any] = set()
        self._native = 0
        self._has_warned = False

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        leaves, structure = pytree.tree_flatten((args, kwargs))
        constants = [leaf for leaf in leaves if not is_array(leaf)]
        captured = capture_modules(self._function, constants)
        inputs = [*(leaf for leaf in leaves if is_array(leaf)), *captured.tensors()]
        if any(map(is_traceable_wrapper_subclass, inputs)):
            return self._through_dynamo(*args, **kwargs)
        differentiated: tuple[bool, ...] = tuple(
            torch.is_grad_enabled() and getattr(tensor, "requires_grad", False) for tensor in inputs
        )
        if not any(differentiated):
            differentiated = ()
        autocast = autocast_state()
        kind = (
            structure,
            tuple(_key_of(leaf) for leaf in leaves),
            captured.state(),
            shared := _shared_memory(inputs),
            differentiated,
            autocast,
        )
        if kind in self._eager:
            return self._function(*args, **kwargs)
        versions = self._versions.pop(kind, [])
        self._versions[kind] = versions
        for version in versions:
            if version.admits(inputs):
                return self._run(version, inputs, args, kwargs)
        try:
            _check_tensors(inputs)
            version = self._compile(leaves, structure, captured, bool(differentiated))
            if shared is not None and version.traced.is_updating:
                # What is updated is read under another name.
                self._eager.add(kind)
                return self._function(*args, **kwargs)
        except TracingError as error:
            if not self._is_eager_allowed:
                raise
            self._eager.add(kind)
            _log.warning("%s is run by torch: %s", _name_of(self._function), error)
            return self._function(*args, **kwargs)
        versions.append(version)
        self._drop_oldest()
        if not self._is_checked:
            self._add_native(version, args, kwargs, captured, (differentiated, autocast))
        return self._run(version, inputs, args, kwargs)

    @functools.cached_property
    def _through_dynamo(self) -> Callable[..., Any]:
        """The function compiled by Dynamo, which knows tensors that are made of others.

        Those of models that ``parallelize_module`` or ``fully_shard`` have divided among devices:
        their operations, and the communication of these, are found by AOTAutograd.
        """
        options: dict[str, Any] = {
            "check": self._is_checked,
            "cuda_graphs": self._settings.cuda_graphs,
        }
        compiled: Callable[..., Any] = torch.compile(
            self._function, backend="nvfuser", options=options
        )
        return compiled

    def _compile(
        self, leaves: list[Any], structure: Any, captured: Captured, is_differentiated: bool
    ) -> Version:
        began = time.perf_counter()
        version = compile_version(
            self._function,
            leaves,
            structure,
            captured,
            is_differentiated,
            lambda graph: compile_graph(graph, self._settings),
        )
        _log.info(
            "%s is traced in %.0f ms", _name_of(self._function), (time.perf_counter() - began) * 1e3
        )
        return version

    def picture(self) -> str | None:
        """Return what notebooks show: the kernels of the version that was traced last."""
        from nvfuser.explanation import Explanation, parts_of_last_run

        versions = [version for group in self._versions.values() for version in group]
        fusions = [fusion_of(graph) for graph in versions[-1].graphs] if versions else []
        return Explanation(
            [parts_of_last_run(fusion) for fusion in fusions if fusion is not None]
        )._repr_svg_()

    def _drop_oldest(self) -> None:
        if sum(map(len, self._versions.values())) <= MAX_VERSIONS:
            return
        oldest = next(iter(self._versions))
        del self._versions[oldest]
        if not self._has_warned:
            self._has_warned = True
            _log.warning(
                "%s has been traced for more than %d kinds of arguments: values of what is no "
                "tensor are part of the kind, pass what changes as a tensor",
                _name_of(self._function),
                MAX_VERSIONS,
            )

    def _add_native(
        self,
        version: Version,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        captured: Captured,
        mode: tuple[tuple[bool, ...], Any],
    ) -> None:
        differentiated, autocast = mode
        is_graph = isinstance(version.call, GraphFusion) and not differentiated
        fusion: Any = version.call if is_graph else None
        made_by: tuple[Any, ...]
        # Native code knows what a fusion updates, and calls the tracer where that may be read under
        # another name.
        if version.traced.is_updating and fusion is None:
            return
        patterns = [_pattern_of(value) for value in args]
        named = [(name, _pattern_of(value)) for name, value in kwargs.items()]
        if None in patterns or any(pattern is None for _, pattern in named):
            return
        if self._native == MAX_VERSIONS:
            _C.drop_oldest_version(self.compiled)
            self._native -= 1
        tensors: list[Any] = [(entries, name, None) for entries, name in captured.entries]
        if fusion is not None:
            tensors += [(None, None, tensor) for tensor in version.traced.constants]
            made_by = (fusion._prepare(), version.native_result(), autocast, None, ())
        else:
            made_by = (None, None, autocast, version.run, differentiated)
        _C.add_version(
            self.compiled,
            (patterns, named, captured.flags(), tensors, version.admits, *made_by),
        )
        self._native += 1

    def _run(
        self, version: Version, inputs: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        if self._is_checked:
            return check_call(self._function, version.run, inputs, args, kwargs)
        return version.run(inputs)


def _key_of(leaf: Any) -> Any:
    if is_array(leaf):
        return "array"
    if isinstance(leaf, float):
        # 0.0 is not -0.0, and a NaN is itself.
        return float, leaf.hex()
    if isinstance(leaf, complex):
        return complex, leaf.real.hex(), leaf.imag.hex()
    if isinstance(leaf, (*_VALUES, enum.Enum)):
        return type(leaf), leaf
    return type(leaf), id(leaf)


def _pattern_of(value: Any) -> tuple[Any, ...] | None:
    """Return what native code compares an argument with; None where it cannot."""
    if is_array(value):
        return ("tensor",)
    if type(value) in (list, tuple):
        children = [_pattern_of(child) for child in value]
        return None if None in children else (type(value).__name__, children)
    if type(value) is dict:
        items = [(key, _pattern_of(child)) for key, child in value.items()]
        return None if any(child is None for _, child in items) else ("dict", items)
    if isinstance(value, (*_VALUES, enum.Enum)):
        return ("equal", value)
    return ("identical", value) if pytree.tree_structure(value).is_leaf() else None


def _check_tensors(inputs: Sequence[Any]) -> None:
    for i, value in enumerate(inputs):
        if isinstance(value, torch.Tensor) and type(value) not in (
            torch.Tensor,
            torch.nn.Parameter,
            torch.nn.Buffer,
        ):
            raise TracingError(f"input {i} is a {type(value).__qualname__}, no plain tensor")


def _shared_memory(inputs: Sequence[Any]) -> tuple[int, ...] | None:
    """Return which inputs lie in the same memory, None if none do."""
    first: dict[int, int] = {}
    places = tuple(
        first.setdefault(_address_of(as_tensor(value)) or -1 - i, i)
        for i, value in enumerate(inputs)
    )
    return None if len(first) == len(inputs) else places


def _address_of(tensor: torch.Tensor) -> int:
    """Return where a tensor's memory begins; 0 for none, or several parts, as sparse ones have."""
    return tensor.untyped_storage().data_ptr() if tensor.layout is torch.strided else 0


def autocast_state() -> Any:
    """Return what operators are cast to, None where autocast is off. Native code calls it, too."""
    if not torch._C._is_any_autocast_enabled():
        return None
    return tuple(
        (device, torch.get_autocast_dtype(device))
        for device in ("cpu", "cuda")
        if torch.is_autocast_enabled(device)
    )


def _name_of(function: Any) -> str:
    return getattr(function, "__qualname__", type(function).__qualname__)
