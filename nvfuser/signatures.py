"""Signatures of native functions for Python, and one sentence where arguments do not fit them.

A native function says what it takes in a table of overloads, and answers a wrong argument with all
of them. :func:`checked` makes a Python function of it that has a signature, understands PyTorch's
names of parameters, and says in one sentence what was expected and what came. All of that is in
the path of a call that failed: one that fits costs a Python frame.
"""

from __future__ import annotations

import ast
import collections.abc
import enum
import functools
import inspect
import operator
import re
import types
import typing
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import nvfuser
from nvfuser import _C, call_sites
from nvfuser.dtypes import TORCH_NAMES

__all__ = ["AnyDataType", "checked", "data_type"]

# What stands for a dtype, see data_type(); torch.dtype, too, which is not imported here.
if TYPE_CHECKING:
    import torch

    AnyDataType: TypeAlias = _C.DataType | torch.dtype | str | type | None
else:
    AnyDataType = Any

_Function = TypeVar("_Function", bound=Callable[..., Any])

# What PyTorch and NumPy call parameters, and what they may be called here.
_ALIASES = {
    "axis": ("dim", "dims"),
    "axes": ("dims", "dim"),
    "dim": ("dims",),
    "dims": ("dim",),
    "keepdims": ("keepdim",),
    "unbiased": ("correction",),
    "ddof": ("correction",),
    "sizes": ("shape",),
    "size": ("shape", "normalized_shape"),
    "shape": ("size", "sizes", "normalized_shape"),
    "end": ("length",),
    "negative_slope": ("slope",),
    "a_min": ("min",),
    "a_max": ("max",),
}
# The first and the second operand, whatever they are called here.
_FIRST = frozenset({"input", "self", "x", "arg", "tensor", "a"})
_SECOND = frozenset({"other", "y", "b", "mat2", "exponent"})


def data_type(value: Any) -> _C.DataType:
    """Return the dtype that is meant.

    Parameters
    ----------
    value : DataType, torch.dtype, str, type or None
        ``DataType.Float``, ``torch.float32``, ``"float32"``, ``"torch.float32"``, ``"Float"``, a
        dtype or scalar type of NumPy, or one of the types bool, int, float and complex. None
        stands for no dtype.

    Returns
    -------
    DataType

    Raises
    ------
    TypeError
        For something else, or a dtype that is not known here.
    """
    if isinstance(value, _C.DataType):
        return value
    if value is None:
        return _C.DataType.Null
    if isinstance(value, type):
        if value in _PYTHON_TYPES:
            return _PYTHON_TYPES[value]
        name = value.__name__
    elif isinstance(value, str) or type(value).__name__.endswith(("dtype", "DType")):
        name = str(value).removeprefix("torch.").removeprefix("DataType.")
    else:
        raise TypeError(f"Expected a dtype, but got {_described(value)}")
    found = _BY_TORCH_NAME.get(name) or _C.DataType.__members__.get(name)
    if found is None:
        raise TypeError(f"{value!r} is no dtype of nvfuser; there are {', '.join(_BY_TORCH_NAME)}")
    return found


_PYTHON_TYPES = {
    bool: _C.DataType.Bool,
    int: _C.DataType.Int,
    float: _C.DataType.Double,
    complex: _C.DataType.ComplexDouble,
}


# Float4_e2m1fn has no name in torch; Index is Int outside of here.
_BY_TORCH_NAME: dict[str, _C.DataType] = {
    name: _C.DataType.__members__[member]
    for member, name in TORCH_NAMES.items()
    if member != "Index"
}


# ------------------------------------------------------------------------------- signatures


@functools.cache
def _namespace() -> dict[str, Any]:
    return {"nvfuser": nvfuser, "collections": collections, "typing": typing, "types": types}


def signatures(function: Callable[..., Any]) -> list[inspect.Signature]:
    """Return the forms in which a function can be called, one for each overload of a native one."""
    native = getattr(function, "__nb_signature__", None)
    if native is None:
        return [inspect.signature(function, eval_str=True)]
    operands = _operands_said(native[0][1] or "")
    return [_parsed(text, defaults, operands) for text, _, defaults in native]


def _operands_said(docstring: str) -> list[str]:
    """Return the names that a docstring gives to parameters that have none otherwise."""
    names = re.findall(r"^([\w, ]+) : ", docstring.partition("Parameters\n")[2], re.MULTILINE)
    return [name.strip() for group in names for name in group.split(",")]


def _parsed(text: str, defaults: Sequence[Any], operands: list[str]) -> inspect.Signature:
    source = re.sub(r"\\(\d+)", r"_default[\1]", text)
    definition = ast.parse(source + ": ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    arguments = definition.args
    positional = [*arguments.posonlyargs, *arguments.args]
    named: list[tuple[ast.arg, Any]] = [
        (argument, inspect.Parameter.POSITIONAL_OR_KEYWORD) for argument in positional
    ]
    named += [(argument, inspect.Parameter.KEYWORD_ONLY) for argument in arguments.kwonlyargs]
    given = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    values = [*given, *arguments.kw_defaults]
    parameters = []
    for position, ((argument, kind), value) in enumerate(zip(named, values, strict=True)):
        name = argument.arg
        if argument in arguments.posonlyargs:
            # The call hands it on by position.
            name = operands[position] if position < len(operands) else name
        default = inspect.Parameter.empty
        if value is not None:
            default = eval(ast.unparse(value), {"_default": defaults})
        annotation = inspect.Parameter.empty
        if argument.annotation is not None:
            annotation = _evaluated(argument.annotation)
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    returns = inspect.Signature.empty
    if definition.returns is not None:
        returns = _evaluated(definition.returns)
    return inspect.Signature(parameters, return_annotation=returns)


def _evaluated(annotation: ast.expr) -> Any:
    try:
        return eval(ast.unparse(annotation), _namespace())
    except (AttributeError, NameError, TypeError):
        return Any  # a type that Python does not see


def _merged(forms: list[inspect.Signature]) -> inspect.Signature:
    """Return one signature for all forms: that of the longest, with what the others allow."""
    longest = max(forms, key=lambda form: len(form.parameters))
    parameters = []
    for name, parameter in longest.parameters.items():
        hints = [form.parameters[name].annotation for form in forms if name in form.parameters]
        parameters.append(parameter.replace(annotation=_union(hints)))
    returned = _union([form.return_annotation for form in forms])
    return longest.replace(parameters=parameters, return_annotation=returned)


def _union(hints: list[Any]) -> Any:
    distinct = list(dict.fromkeys(hints))
    if len(distinct) == 1 or inspect.Parameter.empty in distinct:
        return distinct[0]
    return functools.reduce(operator.or_, distinct)


# ------------------------------------------------------------------------------ the fit


def _fits(value: Any, hint: Any) -> bool:
    """Whether the binding of a native function takes `value` for a parameter of type `hint`."""
    if hint in (Any, inspect.Parameter.empty, object):
        return True
    origin: Any = typing.get_origin(hint)
    inner = typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, option) for option in inner)
    if origin is not None and isinstance(origin, type):
        if origin is type:
            return isinstance(value, type)
        if not isinstance(value, origin) or isinstance(value, str):
            return False
        items: Any = value
        if inner and issubclass(origin, collections.abc.Mapping):
            return all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in items.items())
        if inner and issubclass(origin, collections.abc.Sequence):
            return all(_fits(item, inner[0]) for item in items)
        return True
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, bool)
    if hint is int:
        # Those beyond 64 bits are none here.
        if isinstance(value, enum.Enum) or hasattr(value, "shape"):
            return False
        return hasattr(value, "__index__") and -(2**63) <= value.__index__() < 2**63
    if hint is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if hint is complex:
        return isinstance(value, (int, float, complex)) and not isinstance(value, bool)
    return isinstance(value, hint) if isinstance(hint, type) else True


def _described(value: Any) -> str:
    """Return what came, in a few words."""
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__.partition(".")[0] == "torch" and hasattr(value, "shape"):
        return f"a torch.Tensor of shape {list(value.shape)}"
    if kind.__module__.partition(".")[0] == "numpy" and hasattr(value, "shape"):
        return f"a numpy.{name} of shape {list(value.shape)}"
    if value is None:
        return "None"
    if isinstance(value, (bool, int, float, complex, str, list, tuple, range, _C.DataType)):
        text = repr(value)
        shown = f"{name} {text if len(text) <= 60 else text[:57] + '...'}"
        numbers = value if isinstance(value, (list, tuple)) else [value]
        fits = all(not isinstance(x, int) or -(2**63) <= x < 2**63 for x in numbers)
        return shown if fits else f"{shown}, which 64 bits do not hold"
    if callable(value):
        called = getattr(value, "__name__", name)
        return f"the function {called} (write {called}() for its result)"
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _named(hint: Any) -> str:
    """Return a type as a reader needs it."""
    if hint is type(None):
        return "None"
    if isinstance(hint, type) and not typing.get_args(hint):
        return hint.__name__
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        options = list(dict.fromkeys(_named(option) for option in typing.get_args(hint)))
        return options[0] if len(options) == 1 else f"{', '.join(options[:-1])} or {options[-1]}"
    if isinstance(origin, type):
        items = [_named(item) for item in typing.get_args(hint) if item is not Ellipsis]
        outer = "sequence" if origin is collections.abc.Sequence else origin.__name__
        return f"{outer} of ({items[0]})" if " or " in items[0] else f"{outer} of {items[0]}"
    return str(hint)


def _form(name: str, signature: inspect.Signature) -> str:
    """Return the signature as one would write the call."""
    parts = []
    for parameter in signature.parameters.values():
        part = parameter.name
        if parameter.default is not inspect.Parameter.empty:
            default = parameter.default
            part += f"={default if isinstance(default, _C.DataType) else repr(default)}"
        parts.append(part)
    return f"{name}({', '.join(parts)})"


def _hint_for(value: Any, wanted: str) -> str:
    module = type(value).__module__.partition(".")[0]
    if module in ("torch", "numpy") and hasattr(value, "shape") and "TensorView" in wanted:
        return (
            "; tensors enter a definition as inputs: declare one, for example by "
            "fd.from_pytorch(tensor), and pass the tensor to fd.execute"
        )
    if type(value).__name__ == "Tensor" and "int" in wanted:
        return "; write tensor.item() for a number"
    return ""


def _misfit(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[int, str] | None:
    """Return how many arguments fit one form, and what is wrong with the next; None if all do.

    The number is negative where the names or the number of arguments do not fit.
    """
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return -1, str(error).capitalize()
    for count, (key, value) in enumerate(bound.arguments.items()):
        parameter = signature.parameters[key]
        several = parameter.kind is inspect.Parameter.VAR_POSITIONAL
        for item in value if several else (value,):
            if not _fits(item, parameter.annotation):
                wanted = _named(parameter.annotation)
                if wanted == "DataType" and not isinstance(item, (int, float, _C.Val)):
                    return count, _no_dtype(item)
                return count, (
                    f"Expected {key} to be {wanted}, but got {_described(item)}"
                    f"{_hint_for(item, wanted)}"
                )
    return None


def _no_dtype(value: Any) -> str:
    try:
        data_type(value)
    except TypeError as error:
        return str(error)
    return ""


def _sentence(
    name: str, forms: list[inspect.Signature], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> str | None:
    """Return what does not fit: of the forms that come closest, with what all of them allow."""
    misfits = [_misfit(form, args, kwargs) for form in forms]
    if any(misfit is None for misfit in misfits):
        return None
    reached = [misfit[0] for misfit in misfits if misfit is not None]
    start = f"{name}(): incompatible function arguments. "
    if max(reached) < 0:
        _, reason = misfits[-1] or (0, "")
        unknown = [key for key in kwargs if all(key not in form.parameters for form in forms)]
        if unknown:
            reason = f"There is no parameter {unknown[0]}"
        shown = " or ".join(dict.fromkeys(_form(name, form) for form in forms))
        return f"{start}{reason}; write {shown}"
    closest = [form for form, count in zip(forms, reached, strict=True) if count == max(reached)]
    misfit = _misfit(_merged(closest), args, kwargs) or misfits[reached.index(max(reached))]
    assert misfit is not None
    return start + misfit[1]


# ----------------------------------------------------------- what PyTorch's users write


def _translated(
    forms: list[inspect.Signature], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Return the arguments with PyTorch's names and dtypes in ours; None if nothing changes."""
    for form in forms:
        names = list(form.parameters)
        renamed = {}
        for key, value in kwargs.items():
            renamed[_renamed(key, names, kwargs)] = value
        try:
            bound = form.bind(*args, **renamed)
        except TypeError:
            continue
        try:
            for key, value in bound.arguments.items():
                bound.arguments[key] = _converted(value, form.parameters[key].annotation)
        except TypeError:  # no dtype
            continue
        if all(
            _fits(value, form.parameters[key].annotation)
            for key, value in bound.arguments.items()
            if form.parameters[key].kind is not inspect.Parameter.VAR_POSITIONAL
        ):
            return bound.args, bound.kwargs
    return None


def _renamed(key: str, names: list[str], kwargs: dict[str, Any]) -> str:
    if key in names:
        return key
    for candidate in _ALIASES.get(key, ()):
        if candidate in names and candidate not in kwargs:
            return candidate
    if key in _FIRST and names and names[0] not in kwargs:
        return names[0]
    if key in _SECOND and len(names) > 1 and names[1] not in kwargs:
        return names[1]
    return key


def _converted(value: Any, hint: Any) -> Any:
    """Return what stands for `value` where `hint` is expected; `value` itself if nothing does."""
    if _fits(value, hint):
        return value
    if hint is _C.DataType or _C.DataType in typing.get_args(hint):
        return data_type(value)
    if isinstance(value, int) and _fits([value], hint):
        return [value]
    return value


# What a native call says whose arguments do not fit.
_NO_FIT = "incompatible function arguments"


class _Described:
    """What `inspect` finds behind a checked function: its signature, made when it is asked for."""

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self.function = function
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    @functools.cached_property
    def forms(self) -> list[inspect.Signature]:
        return signatures(self.function)

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        return _merged(self.forms)


def checked(function: _Function, module: str, name: str | None = None) -> _Function:
    """Return `function` with one sentence for wrong arguments and with PyTorch's names.

    Parameters
    ----------
    function : callable
        A native function, or one in Python that appends to the fusion being defined. The lines
        that call it are noted, see :mod:`nvfuser.call_sites`.
    module : str
        Where it is found.
    name : str, optional
        What it is called there, if not by its own name.

    Returns
    -------
    function
    """
    described = _Described(function, name or function.__name__)
    current = call_sites.current
    note = call_sites.note

    native = getattr(function, "__nb_signature__", None)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if native is None and any(
                hasattr(type(value), "__dlpack__") for value in (*args, *kwargs.values())
            ):
                # With its methods an operation that has nothing to do might seem to work.
                raise TypeError("a tensor with values")
            result = function(*args, **kwargs)
        except (TypeError, AttributeError) as error:
            result = _again(described, error, args, kwargs)
        except RuntimeError as error:
            call_sites.explain_error(error, current.sites)
            raise
        if current.sites is not None:
            note(result, described.name)
        return result

    call.__name__ = call.__qualname__ = described.name
    call.__module__ = module
    call.__doc__ = inspect.cleandoc(function.__doc__ or "") if native is None else native[0][1]
    if native is not None:
        call.__nb_signature__ = native  # type: ignore[attr-defined]
    call.__wrapped__ = described  # type: ignore[attr-defined]
    return typing.cast(_Function, call)


def _again(
    described: _Described,
    error: TypeError | AttributeError,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """Call with what PyTorch's users write in our terms, or raise what is wrong in a sentence."""
    name = described.name
    if _NO_FIT not in str(error) and hasattr(described.function, "__nb_signature__"):
        raise error
    translated = _translated(described.forms, args, kwargs)
    sentence = _sentence(name, described.forms, args, kwargs)
    if translated is not None and sentence is not None:
        try:
            return described.function(*translated[0], **translated[1])
        except RuntimeError as failure:
            call_sites.explain_error(failure, call_sites.current.sites)
            raise
        except TypeError:
            pass  # the sentence says it
    if sentence is not None:
        raise TypeError(sentence) from None
    if _NO_FIT in str(error):
        # What a composed operation hands on did not fit.
        inner = str(error).partition("(")[0]
        values = ", ".join(_described(value) for value in [*args, *kwargs.values()])
        raise TypeError(
            f"{name}(): {_NO_FIT}. It is made of {inner}, which does not take what follows from "
            f"{values}"
        ) from None
    raise error
