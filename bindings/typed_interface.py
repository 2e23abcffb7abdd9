"""Completes the stubs of nvfuser._C by what the Python layer adds: run by the build after stubgen.

Type checkers take an attribute that is a module for one that may have any name, and do not see
methods that a class gets at run time. So ``_C/operations.pyi`` declares the class Operations, with
every operation as a static method, and TensorView in ``_C/__init__.pyi`` gets its methods. All of
it is read from the stubs and from the sources in ``nvfuser/``.

Usage: typed_interface.py STUBS PACKAGE
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator
from pathlib import Path

_HEADER = """from builtins import list, tuple
import builtins
import typing
from collections.abc import Iterator, Sequence
from typing import Any, overload

import nvfuser._C
from nvfuser._C import DataType, TensorView, Val
from nvfuser.ops._common import Dims, Extent, Operand, Scalar
from nvfuser.signatures import AnyDataType

"""
# Types that are names of operations or methods, too.
_BUILTINS = {"bool", "complex", "float", "int"}


class _Annotations(ast.NodeTransformer):
    """Qualifies the names of types that something else in the same scope is called, too."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in _BUILTINS:
            return ast.parse(f"builtins.{node.id}", mode="eval").body
        return node


class _AnyDataType(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        is_dtype = ast.unparse(node) == "nvfuser._C.DataType"
        return ast.Name("AnyDataType") if is_dtype else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name("AnyDataType") if node.id == "DataType" else node


def _declaration(function: ast.FunctionDef, decorators: list[ast.expr]) -> ast.FunctionDef:
    """Return a function without a body but its docstring, for a stub."""
    declared = copy.deepcopy(function)
    docstring = ast.get_docstring(function)
    declared.body = [ast.Expr(ast.Constant(docstring if docstring else ...))]
    declared.decorator_list = decorators
    arguments = declared.args
    arguments.defaults = [ast.Constant(...) for _ in arguments.defaults]
    arguments.kw_defaults = [
        None if default is None else ast.Constant(...) for default in arguments.kw_defaults
    ]
    everything = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in [*everything, *filter(None, [arguments.vararg])]:
        if argument.annotation is not None:
            argument.annotation = _Annotations().visit(_AnyDataType().visit(argument.annotation))
    if declared.returns is not None:
        declared.returns = _Annotations().visit(declared.returns)
    return declared


def _is_overload(function: ast.FunctionDef) -> bool:
    return any(ast.unparse(decorator) == "overload" for decorator in function.decorator_list)


def _operations(stubs: Path, package: Path) -> dict[str, list[ast.FunctionDef]]:
    """Return the declarations of every operation; composed ones replace those of their name."""
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in ast.parse((stubs / "_C" / "ops.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    for path in sorted((package / "ops").glob("[a-z]*.py")):
        own: dict[str, list[ast.FunctionDef]] = {}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                own[node.name] = [node]
            elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                for target in node.targets:
                    if isinstance(target, ast.Name) and node.value.id in own:
                        alias = copy.deepcopy(own[node.value.id][0])
                        alias.name = target.id
                        own[target.id] = [alias]
        found.update(own)
    return found


def _static_methods(operations: dict[str, list[ast.FunctionDef]]) -> Iterator[ast.stmt]:
    static: ast.expr = ast.Name("staticmethod")
    for _, forms in sorted(operations.items()):
        for form in forms:
            decorators = [static, ast.Name("overload")] if _is_overload(form) else [static]
            yield _declaration(form, decorators)


def _method(form: ast.FunctionDef, decorators: list[ast.expr]) -> ast.FunctionDef:
    method = _declaration(form, decorators)
    arguments = method.args
    arguments.args = [*arguments.posonlyargs, *arguments.args]
    arguments.posonlyargs = []
    arguments.args[0] = ast.arg("self")
    return method


def _takes_tensor(form: ast.FunctionDef) -> bool:
    first = [*form.args.posonlyargs, *form.args.args][:1]
    text = ast.unparse(first[0].annotation) if first and first[0].annotation else ""
    return text.endswith(("TensorView", "Operand")) or text.startswith("nvfuser._C.Val |")


def _tensor_methods(
    package: Path, operations: dict[str, list[ast.FunctionDef]], known: set[str]
) -> Iterator[ast.stmt]:
    tree = ast.parse((package / "tensor_methods.py").read_text())
    values = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    # frozenset("...".split())
    functions = {
        name
        for constant in ast.walk(values["_FUNCTIONS"])
        if isinstance(constant, ast.Constant) and isinstance(constant.value, str)
        for name in constant.value.split()
    }
    for name, forms in sorted(operations.items()):
        fitting = [form for form in forms if _takes_tensor(form)]
        if name in functions | known or not fitting:
            continue
        for form in fitting:
            yield _method(form, [ast.Name("overload")] if len(fitting) > 1 else [])
    casts = values["_CASTS"]
    assert isinstance(casts, ast.Dict)
    lines = [f"def {key.value}(self) -> TensorView: ..." for key in casts.keys]  # type: ignore
    lines += [
        "def __getitem__(self, key: Any) -> TensorView: ...",
        "def __matmul__(self, other: TensorView) -> TensorView: ...",
        "def __iter__(self) -> Iterator[TensorView]: ...",
    ]
    for node in ast.parse("\n".join(lines)).body:
        yield node
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.args.args[:1]:
            is_own = node.args.args[0].arg == "self" and not node.name.startswith("_")
            if is_own:
                yield _method(node, [])
    properties = (
        "@property\ndef shape(self) -> nvfuser.tensor_methods.Shape: ...\n"
        "@property\ndef T(self) -> TensorView: ...\n"
        "@property\ndef mT(self) -> TensorView: ...\n"
    )
    yield from ast.parse(properties).body


def _complete_tensor_view(
    path: Path, package: Path, operations: dict[str, list[ast.FunctionDef]]
) -> None:
    tree = ast.parse(path.read_text())
    cls = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "TensorView")
    val = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Val")
    replaced = {"shape", "size"}
    cls.body = [node for node in cls.body if getattr(node, "name", "") not in replaced]
    cls.body = [_Annotations().visit(node) for node in cls.body]
    known = {getattr(node, "name", "") for node in [*cls.body, *val.body]}
    cls.body += _tensor_methods(package, operations, known)
    imports = ast.parse(
        "import builtins\nfrom collections.abc import Iterator\nimport nvfuser.tensor_methods\n"
        "from nvfuser.ops._common import Dims, Extent, Operand, Scalar\n"
        "from nvfuser.signatures import AnyDataType\n"
    ).body
    is_docstring = isinstance(tree.body[0], ast.Expr)
    tree.body[is_docstring:is_docstring] = imports
    path.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def main(stubs: Path, package: Path) -> None:
    """Complete the stubs in the folder `stubs` by the sources in the folder `package`."""
    operations = _operations(stubs, package)
    body = list(_static_methods(operations))
    docstring = ast.Expr(ast.Constant("The operations: what ``fd.ops`` has."))
    cls = ast.ClassDef("Operations", [], [], [docstring, *body], [], type_params=[])
    text = _HEADER + ast.unparse(ast.fix_missing_locations(ast.Module([cls], [])))
    (stubs / "_C" / "operations.pyi").write_text(text + "\n")
    ops = stubs / "_C" / "ops.pyi"
    tree = ast.parse(ops.read_text())
    tree.body = [
        _Annotations().visit(node) if isinstance(node, ast.FunctionDef) else node
        for node in tree.body
    ]
    tree.body[1:1] = ast.parse("import builtins").body
    ops.write_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")
    _complete_tensor_view(stubs / "_C" / "__init__.pyi", package, operations)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
