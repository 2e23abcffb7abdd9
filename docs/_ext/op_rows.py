"""What is known of every operation, gathered from where it is defined.

Nothing here is a list of operations: names and docstrings are those of ``nvfuser.ops``, promotion
rules those of ``src/ir/op_table.h``, library calls what ``nvfuser/library_calls.py`` has, and error
bounds those that the accuracy tests enforce. Needs no Sphinx.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from dataclasses import dataclass
from pathlib import Path

import nvfuser
from nvfuser import _C

ROOT = Path(__file__).resolve().parents[2]

_ENTRY = re.compile(r'^  X\(\w+, "(\w+)", (\w+),', re.MULTILINE)
_RULE = re.compile(r"^  (\w+),? +// (.+)$", re.MULTILINE)
_MISSING = "Not available yet"
_DTYPE = re.compile(r"dtype|precision|\b(?:Float|Int|Real|real)\b")


@dataclass(frozen=True)
class Operation:
    """A row of the table: `dtypes` is a rule's name if `promoted`, else text, empty if none."""

    name: str
    docstring: str
    dtypes: str
    promoted: bool
    computed_by: str
    devices: str
    cpu: tuple[float, float] | None
    cuda: tuple[float, float] | None


def promotion_rules() -> dict[str, str]:
    """Return the promotion rules and what they mean."""
    text = _op_table().partition("enum class Promotion {")[2].partition("};")[0]
    return dict(_RULE.findall(text))


def operations() -> list[Operation]:
    """Return a row for every public name of ``nvfuser.ops``, in alphabetical order."""
    promotions = dict(_ENTRY.findall(_op_table()))
    by_torch = _library_calls()
    bounds = {device: _bounds(device) for device in ("llvm", "cuda")}
    rows = []
    for name in sorted(name for name in dir(nvfuser.ops) if not name.startswith("_")):
        docstring = inspect.cleandoc(getattr(nvfuser.ops, name).__doc__ or "")
        missing = docstring.startswith(_MISSING)
        if missing:
            computed_by = "not available yet"
        elif name in by_torch:
            computed_by = "library call"
        elif not hasattr(_C.ops, name):
            computed_by = "composed"
        else:
            computed_by = "generated"
        rows.append(
            Operation(
                name,
                docstring,
                promotions.get(name) or _dtypes_said(docstring),
                name in promotions,
                computed_by,
                "" if missing else "CPU, CUDA",
                bounds["llvm"].get(name),
                bounds["cuda"].get(name),
            )
        )
    return rows


def _op_table() -> str:
    return (ROOT / "src" / "ir" / "op_table.h").read_text()


def _library_calls() -> set[str]:
    """Return the names that the module defines; importing it would need torch."""
    tree = ast.parse((ROOT / "nvfuser" / "library_calls.py").read_text())
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _bounds(device: str) -> dict[str, tuple[float, float]]:
    path = ROOT / "tests" / "python" / device / "accuracy.json"
    table = json.loads(path.read_text())
    return {name: (entry["f32"], entry["f64"]) for name, entry in table.items()}


def _dtypes_said(docstring: str) -> str:
    """Return what the docstring says of the dtype of the result, and of `dtype`."""
    described = re.findall(r"^    (.*)$", _section(docstring, "Returns"), re.MULTILINE)
    said = " ".join(described)
    if not _DTYPE.search(said):
        said = ""
    parameters = _section(docstring, "Parameters")
    own = re.search(r"^dtype : .*(?:\n|\Z)((?:    .*\n?)*)", parameters, re.MULTILINE)
    if own is None or own[1].strip() == "Null.":
        return said
    meaning = " ".join(own[1].split())
    return f"``dtype``: {meaning} {said}".strip() if meaning else "``dtype``"


def _section(docstring: str, title: str) -> str:
    match = re.search(rf"^{title}\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", docstring, re.M | re.S)
    return match[1] if match else ""
