"""Every name of nvFuser's direct bindings is there, with its parameters and their defaults."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import interface
import pytest

import nvfuser
from nvfuser import ops

_DIFFERENCES = Path(__file__).resolve().parents[3] / "docs" / "differences.md"


def lookup(qualified: str) -> Any:
    """Return ``name`` or ``submodule.name`` of the package."""
    value: Any = nvfuser
    for part in qualified.split("."):
        value = getattr(value, part)
    return value


def known_missing(qualified: str) -> bool:
    if qualified not in interface.NOT_YET:
        return False
    try:
        value = lookup(qualified)
    except AttributeError:
        return True
    assert "Not available yet" in (value.__doc__ or ""), f"{qualified} is there by now"
    return True


# ---------------------------------------------------------------- signatures


def parameters_of(text: str) -> list[tuple[str, str, str | None]]:
    """Return kind, name and default of each parameter in the text of a signature."""
    # The peer has a parameter that only positional arguments can reach: its name is a keyword.
    text = re.sub(r"\bfrom\b", "from_", text)
    tree = ast.parse(f"def f({text}): ...").body[0]
    assert isinstance(tree, ast.FunctionDef)
    arguments = tree.args
    found: list[tuple[str, str, str | None]] = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(positional, defaults, strict=True):
        only = argument in arguments.posonlyargs
        kind = "/" if only else ""
        # What has no name for callers may have any.
        name = "" if only else argument.arg
        found.append((kind, name, None if default is None else ast.unparse(default)))
    if arguments.vararg is not None:
        found.append(("*args", "", None))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(("*", argument.arg, None if default is None else ast.unparse(default)))
    if arguments.kwarg is not None:
        found.append(("**kwargs", "", None))
    return found


def literal(value: Any) -> str:
    """Return a default as the tables write it."""
    if type(value).__module__.startswith("nvfuser") and hasattr(value, "name"):
        return str(value.name)
    if type(value).__module__.startswith("nvfuser"):
        return "..."
    if isinstance(value, (list, set, dict)):
        return {list: "[]", set: "set()", dict: "{}"}[type(value)]
    return repr(value)


def overloads_of(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of each overload as text, without types and ``self``."""
    native = getattr(function, "__nb_signature__", None)
    if native is None:
        return [plain(inspect.signature(function))]
    result = []
    for text, _, defaults in native:
        for k, default in reversed(list(enumerate(defaults or ()))):
            text = text.replace(f"\\{k}", literal(default))
        tree = ast.parse(re.sub(r"\bfrom:", "from_:", text) + ": ...").body[0]
        assert isinstance(tree, ast.FunctionDef)
        for argument in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs):
            argument.annotation = None
        arguments = tree.args
        everything = [*arguments.posonlyargs, *arguments.args]
        if everything and everything[0].arg == "self":
            (arguments.posonlyargs or arguments.args).pop(0)
        result.append(ast.unparse(arguments))
    return result


def plain(signature: inspect.Signature) -> str:
    parts = []
    for name, parameter in signature.parameters.items():
        if name != "self":
            default = parameter.default
            parameter = parameter.replace(annotation=inspect.Parameter.empty)
            if default is not inspect.Parameter.empty:
                parameter = parameter.replace(default=_Literal(literal(default)))
            parts.append(parameter)
    return str(inspect.Signature(parts))[1:-1]


class _Literal:
    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def accepts(actual: str, expected: str) -> bool:
    """Whether a call that fits the expected parameters means the same with the actual ones.

    Ours may have more, by keyword and with defaults; a name where the table has none is fine.
    """
    have = parameters_of(actual)
    want = parameters_of(expected)
    if ("*args", "", None) in have:
        return True
    by_name = {name: (kind, default) for kind, name, default in have if name}
    for position, (kind, name, default) in enumerate(want):
        if kind in ("*args", "**kwargs"):
            continue
        if kind == "*":
            if name not in by_name or not same_default(by_name[name][1], default):
                return False
            continue
        if position >= len(have):
            return False
        kind_here, name_here, default_here = have[position]
        if kind_here == "*" or not same_default(default_here, default):
            return False
        if kind == "" and name not in (name_here, "from_"):
            return False
    extra = [entry for entry in have if entry[1] not in {name for _, name, _ in want}]
    return all(
        default is not None or kind in ("/", "**kwargs") or len(have) == len(want)
        for kind, _, default in extra
    )


def same_default(actual: str | None, expected: str | None) -> bool:
    if expected == "...":
        return actual is not None
    # What must be given there may have a default here.
    return expected in (None, actual)


def assert_signatures(function: Callable[..., Any], expected: list[str]) -> None:
    assert "Not available yet" not in (function.__doc__ or "")
    actual = overloads_of(function)
    missing = [text for text in expected if not any(accepts(have, text) for have in actual)]
    assert not missing, f"no overload takes {missing}; there are {actual}"


# ---------------------------------------------------------------- the walk


@pytest.mark.parametrize("name", [*interface.UNARY, *interface.BINARY, *interface.TERNARY])
def test_elementwise_operations(name: str) -> None:
    if known_missing(f"ops.{name}"):
        return
    count = 1 if name in interface.UNARY else 2 if name in interface.BINARY else 3
    count += name == "addcmul"
    for text in overloads_of(getattr(ops, name)):
        parameters = parameters_of(text)
        assert len(parameters) == count, text
        assert all(kind in ("/", "") for kind, _, _ in parameters), text


@pytest.mark.parametrize("name", interface.OPS)
def test_operations(name: str) -> None:
    if not known_missing(f"ops.{name}"):
        assert_signatures(getattr(ops, name), interface.OPS[name])


@pytest.mark.parametrize("name", interface.FUNCTIONS)
def test_functions(name: str) -> None:
    if not known_missing(name):
        assert_signatures(getattr(nvfuser, name), interface.FUNCTIONS[name])


@pytest.mark.parametrize("name", interface.SCHEDULE)
def test_schedule_functions(name: str) -> None:
    if not known_missing(f"schedule.{name}"):
        assert_signatures(lookup(f"schedule.{name}"), interface.SCHEDULE[name])


def methods() -> Iterator[tuple[str, str]]:
    for cls, members in interface.METHODS.items():
        yield from ((cls, member) for member in members)


@pytest.mark.parametrize(("cls", "member"), list(methods()))
def test_methods(cls: str, member: str) -> None:
    if known_missing(cls) or known_missing(f"{cls}.{member}"):
        return
    owner = lookup(cls)
    function = getattr(owner, member)
    if (cls, member) == ("TensorView", "shape"):
        function = function.fget  # a list that can be called; test_composed_operations.py
    assert callable(function)
    expected = interface.METHODS[cls][member]
    if hasattr(function, "__nb_signature__"):
        assert_signatures(function, [expected])
    elif inspect.isfunction(function):
        assert accepts(plain(inspect.signature(function)), expected), inspect.signature(function)
    else:
        # Written with the C API: the signature is in the docstring of the stub, calls are tested.
        assert member in ("execute", "__init__"), f"{cls}.{member} has no signature"


@pytest.mark.parametrize("cls", interface.PROPERTIES)
def test_properties(cls: str) -> None:
    if not known_missing(cls):
        owner = lookup(cls)
        missing = [name for name in interface.PROPERTIES[cls].split() if not hasattr(owner, name)]
        assert not missing


@pytest.mark.parametrize("name", interface.CLASSES)
def test_classes(name: str) -> None:
    if not known_missing(name):
        assert isinstance(getattr(nvfuser, name), type)


@pytest.mark.parametrize("name", interface.ENUMS)
def test_enums(name: str) -> None:
    if not known_missing(name):
        enum = getattr(nvfuser, name)
        beyond = {"ParallelType": {"cluster"}}.get(name, set())
        assert set(enum.__members__) == set(interface.ENUMS[name].split()) | beyond


@pytest.mark.parametrize("name", interface.SUBMODULES)
def test_submodules(name: str) -> None:
    if not known_missing(name):
        if name in ("multidevice", "nvf_cutlass", "pytorch_utils"):
            pytest.importorskip("torch")
        importlib.import_module(f"nvfuser.{name}")


def test_pytorch_utils() -> None:
    pytest.importorskip("torch")
    from nvfuser import pytorch_utils

    assert all(hasattr(pytorch_utils, name) for name in interface.PYTORCH_UTILS)


def test_benchmark_utils() -> None:
    from nvfuser import benchmark_utils

    assert set(benchmark_utils.__all__) == set(interface.BENCHMARK_UTILS)


@pytest.mark.parametrize("name", interface.MULTIDEVICE)
def test_multidevice(name: str) -> None:
    pytest.importorskip("torch")
    if not known_missing(f"multidevice.{name}"):
        assert callable(lookup(f"multidevice.{name}"))


def test_what_is_missing_is_documented() -> None:
    text = _DIFFERENCES.read_text(encoding="utf-8").partition("## Not available yet")[2]
    undocumented = [name for name in sorted(interface.NOT_YET) if f"`{name}`" not in text]
    assert not undocumented
