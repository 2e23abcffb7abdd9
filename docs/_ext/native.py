"""Sphinx directives that document the native extension from its docstrings.

Autodoc expects functions with a signature that ``inspect`` understands. Those of nanobind have
theirs, one a line for each overload, at the beginning of the docstring; what follows is a numpy
docstring.

``.. native-functions:: MODULE`` documents the functions that its content names, and
``.. native-classes:: MODULE`` classes with their members. What a module has and no page documents
is a warning, and so is a name that the module does not have.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)

# The modules of which everything must be documented.
_COMPLETE = ("nvfuser", "nvfuser.ops", "nvfuser.schedule")

_OVERLOAD = re.compile(r"^\d+\. ``.*``$")
_SCALAR = "Val | bool | int | float | complex"


def signatures_and_text(docstring: str) -> tuple[list[str], str]:
    """Split the docstring of a nanobind function into signatures and text."""
    head, _, text = docstring.partition("\n\n")
    signatures = head.splitlines()
    lines = text.splitlines()
    if lines and lines[0] == "Overloaded function.":
        lines = [line for line in lines[1:] if not _OVERLOAD.match(line)]
    return signatures, inspect.cleandoc("\n".join(lines))


def docstring_of(name: str, function: Any) -> str:
    """Return signatures and text of a function as nanobind writes them, of one in Python, too."""
    described = getattr(function, "__wrapped__", None)
    original = getattr(described, "function", function)
    if hasattr(original, "__nb_signature__"):
        return original.__doc__ or ""
    signature = re.sub(r"'|nvfuser\._C\.", "", str(inspect.signature(original)))
    return f"{name}{signature}\n\n{inspect.cleandoc(original.__doc__ or '')}"


def readable(raw: list[str], text: str) -> list[str]:
    """Return the signatures as readers need them."""
    if any(re.search(r"\(arg0?: .*, /\)", line) for line in raw):
        # Overloads that differ in types only; the text has the names.
        names = re.search(r"^Parameters\n-+\n((?:[\w, ]+)) :", text, re.MULTILINE)
        if names is not None:
            return [f"{raw[0].partition('(')[0]}({names[1]}, /)"]
    short = []
    for line in raw:
        line = (
            line.replace("nvfuser._C.", "").replace("collections.abc.", "").replace("typing.", "")
        )
        line = line.replace(_SCALAR, "Scalar").replace("(self, ", "(").replace("(self)", "()")
        if line not in short:
            short.append(line)
    return short


def _converted(text: str, app: Sphinx, what: str) -> list[str]:
    text = text.replace("[*, ", r"[\*, ")  # shapes, no emphasis
    config = Config(napoleon_google_docstring=False, napoleon_use_rtype=False)
    return str(NumpyDocstring(text, config, app, what)).splitlines()


def _indented(lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"   {line}" if line else ""


class _Native(SphinxDirective):
    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        module = importlib.import_module(self.arguments[0])
        lines = [f".. py:currentmodule:: {self.arguments[0]}", ""]
        for name in " ".join(self.content).split():
            if not hasattr(module, name):
                logger.warning(
                    "%s has no %s", self.arguments[0], name, location=self.get_location()
                )
                continue
            lines += [*self.document(module, name), ""]
        node = nodes.container()
        source = f"docstrings of {self.arguments[0]}"
        self.state.nested_parse(StringList(lines, source), self.content_offset, node)
        return node.children

    def document(self, module: ModuleType, name: str) -> list[str]:
        raise NotImplementedError

    def function(self, kind: str, name: str, docstring: str) -> list[str]:
        raw, text = signatures_and_text(docstring)
        if "(" not in raw[0]:  # a docstring without signature
            raw, text = [f"{name}()"], inspect.cleandoc(docstring)
        signatures = readable(raw, text)
        lines = [f".. py:{kind}:: {signatures[0]}"]
        lines += [f"           {signature}" for signature in signatures[1:]]
        return [*lines, "", *_indented(_converted(text, self.env.app, kind))]


class NativeFunctions(_Native):
    """Documents functions."""

    def document(self, module: ModuleType, name: str) -> list[str]:
        """Return the reStructuredText of one function."""
        return self.function("function", name, docstring_of(name, getattr(module, name)))


class NativeClasses(_Native):
    """Documents classes: enumerations with their members, others with methods and properties."""

    def document(self, module: ModuleType, name: str) -> list[str]:
        """Return the reStructuredText of one class."""
        cls = getattr(module, name)
        summary = _converted(inspect.cleandoc(cls.__doc__ or ""), self.env.app, "class")
        if issubclass(cls, enum.Enum):
            body = list(self.members(cls))
        else:
            bases = [base.__name__ for base in cls.__bases__ if base is not object]
            if bases:
                summary = [*summary, "", f"A :py:class:`{bases[0]}`."]
            body = [line for item in vars(cls).items() for line in self.member(*item)]
        return [f".. py:class:: {name}", "", *_indented([*summary, "", *body])]

    def members(self, cls: type[enum.Enum]) -> Iterator[str]:
        """Yield the reStructuredText of the members of an enumeration."""
        for entry in cls:
            yield f".. py:attribute:: {entry.name}"
            yield ""
            if entry.__doc__ and entry.__doc__ != cls.__doc__:
                yield from _indented(entry.__doc__.splitlines())
                yield ""

    def member(self, name: str, value: Any) -> list[str]:
        """Return the reStructuredText of an attribute of a class, empty if it is private."""
        kind = type(value).__name__
        if kind in ("nb_method", "method_descriptor") and (name == "__init__" or name[0] != "_"):
            docstring = value.__doc__ or ""
            if kind == "method_descriptor" and "(" not in docstring.partition("\n")[0]:
                signature = (value.__text_signature__ or "()").replace("($self, ", "(")
                docstring = f"{name}{signature}\n\n{docstring}"
            return [*self.function("method", name, docstring), ""]
        if isinstance(value, property) and name[0] != "_":
            text = (value.__doc__ or "").partition("\n\n")[2] or value.__doc__ or ""
            return [f".. py:property:: {name}", "", *_indented(text.splitlines()), ""]
        return []


def _check_complete(app: Sphinx, env: BuildEnvironment) -> None:
    documented = env.domains.python_domain.objects
    for module_name in _COMPLETE:
        module = importlib.import_module(module_name)
        names = getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        for name in names:
            known = f"{module_name}.{name}" in documented
            if not known and not isinstance(getattr(module, name), ModuleType | str):
                logger.warning("%s.%s is on no page of the API reference", module_name, name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("native-functions", NativeFunctions)
    app.add_directive("native-classes", NativeClasses)
    app.connect("env-check-consistency", _check_complete)
    return {"parallel_read_safe": False, "env_version": 1}
