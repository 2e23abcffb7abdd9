"""What README.md and docs/ say: examples run, links and paths lead somewhere."""

from __future__ import annotations

import ast
import operator
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import interface
import pytest

import nvfuser
from nvfuser import DataType, FusionDefinition

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

import torch_names  # noqa: E402
from op_rows import Operation, operations, promotion_rules  # noqa: E402

PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "_build" not in page.parts),
]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def is_imports(code: str) -> bool:
    return all(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(code).body)


def examples(page: Path) -> Iterator[tuple[str, int]]:
    """Yield each example of a page with what it needs of the page, and the line where it stands.

    A page whose first block has nothing but imports begins all others with them.
    """
    text = page.read_text()
    imports = ""
    for number, block in enumerate(BLOCK.finditer(text)):
        code = block[1]
        if number == 0 and is_imports(code):
            imports = code
        yield imports + code, text[: block.start(1)].count("\n") + 1


# The format of the changelog: it shows code of before, too.
EXAMPLES = [
    pytest.param(
        page,
        code,
        line,
        id=f"{page.relative_to(ROOT)}:{line}",
        # What a schedule inserts is not defined anew.
        marks=[pytest.mark.no_round_trip] if page.stem == "scheduling" else [],
    )
    for page in PAGES
    if page.name != "CHANGELOG.md"
    for code, line in examples(page)
]


def test_readme_has_an_example() -> None:
    assert any(parameter.values[0] == ROOT / "README.md" for parameter in EXAMPLES)


@pytest.mark.parametrize(("page", "code", "line"), EXAMPLES)
def test_example_runs_on_its_own(page: Path, code: str, line: int) -> None:
    exec(compile(code, f"{page}, example at line {line}", "exec"), {"__name__": "__main__"})


# ------------------------------------------------------------------ links and paths


def test_links_between_pages_lead_somewhere() -> None:
    missing = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            if not (page.parent / target).exists():
                missing.append(f"{page.relative_to(ROOT)}: {target}")
    assert missing == []


FOLDERS = sorted(
    path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", "dist")
)
# Below one of the folders of the repository, up to what ends a path in a sentence.
PATH_IN_TEXT = re.compile(
    rf"(?<![\w/.-])((?:{'|'.join(map(re.escape, FOLDERS))})/[\w./*-]*[\w/*])(?![\w/])"
)
FILE_NAME = re.compile(r"`([\w-]+\.(?:py|cpp|h|cu|ll|md|json|toml|svg|txt|yaml))`")
# What builds leave behind, and what an example writes.
NOT_IN_THE_REPOSITORY = re.compile(r"nvfuser/_C\b.*|docs/_build/.*")


def test_paths_that_pages_name_exist() -> None:
    names = set()
    for _, folders, files in os.walk(ROOT):
        folders[:] = [f for f in folders if f not in ("build", ".git", "venv", ".venv", ".ci-work")]
        names |= set(files)
    missing = []
    checked = 0
    for page in [*PAGES, *(ROOT / "docs").rglob("*.svg")]:
        text = page.read_text()
        for path in PATH_IN_TEXT.findall(text):
            if NOT_IN_THE_REPOSITORY.fullmatch(path):
                continue
            checked += 1
            if not any(ROOT.glob(path.rstrip("/"))):
                missing.append(f"{page.relative_to(ROOT)}: {path}")
        missing += [
            f"{page.relative_to(ROOT)}: {name}"
            for name in FILE_NAME.findall(text)
            if name not in names
        ]
    assert missing == []
    assert checked > 50


def test_commands_of_the_readme_name_what_there_is() -> None:
    text = (ROOT / "README.md").read_text()
    extras = set(re.findall(r"\.\[(\w+)\]", text))
    metadata = (ROOT / "pyproject.toml").read_text()
    table = metadata.partition("[project.optional-dependencies]")[2].partition("\n[")[0]
    assert extras <= set(re.findall(r"^(\w+) = ", table, re.MULTILINE))
    for command in re.findall(r"python -m nvfuser (\w+)", text):
        done = subprocess.run(
            [sys.executable, "-m", "nvfuser", command, "--help"], capture_output=True, cwd=ROOT
        )
        assert done.returncode == 0, command


# ------------------------------------------------------------------ torch's names


def test_every_operation_has_its_name_in_torch() -> None:
    torch = pytest.importorskip("torch")
    names = [name for name in dir(nvfuser.ops) if not name.startswith("_")]
    for name in names:
        theirs = torch_names.torch_name(name)
        if theirs is None:
            continue
        try:
            operator.attrgetter(theirs.removeprefix("torch."))(torch)
        except AttributeError:
            raise AssertionError(
                f"no {theirs}: docs/_ext/torch_names.py says what PyTorch calls {name}"
            ) from None
    tables = {**torch_names.OTHER_NAMES, **torch_names.OWN, **torch_names.NOTES}
    assert set(tables) <= set(names)
    rows = list(torch_names.table())
    assert len(rows) == len(names)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_names_in_torch_stand_for_the_same_values(dtype: str) -> None:
    torch = pytest.importorskip("torch")
    generator = torch.Generator().manual_seed(0)
    operands = [
        torch.randint(low, 10, (50,), generator=generator).to(getattr(torch, dtype))
        for low in (-9, 1)
    ]
    skipped = {"rand_like", "randn_like"} | ({"div"} if dtype == "int64" else set())
    compared = 0
    for names, count in ((interface.UNARY, 1), (interface.BINARY, 2)):
        for name in set(names) - skipped:
            theirs = torch_names.torch_name(name)
            if theirs is None:
                continue
            function = operator.attrgetter(theirs.removeprefix("torch."))(torch)
            try:
                expected = function(*operands[:count])
            except (RuntimeError, NotImplementedError):
                continue  # not of this dtype
            with FusionDefinition() as fd:
                inputs = [fd.from_pytorch(operand) for operand in operands[:count]]
                fd.add_output(getattr(fd.ops, name)(*inputs))
            (result,) = fd.execute(operands[:count])
            message = f"{name} is not {theirs}"
            torch.testing.assert_close(result, expected, equal_nan=True, msg=lambda m: message + m)  # noqa: B023
            compared += 1
    assert compared > 50


# ---------------------------------------------------------- table of the operations


def test_table_has_every_operation_once() -> None:
    names = [operation.name for operation in operations()]
    assert names == sorted(name for name in dir(nvfuser.ops) if not name.startswith("_"))


def test_operations_on_the_reference_page_are_those_of_the_module() -> None:
    page = (ROOT / "docs" / "api" / "ops.md").read_text()
    blocks = re.findall(r"^\.\. native-functions:: nvfuser\.ops\n\n(.*?)^```$", page, re.M | re.S)
    assert sorted(" ".join(blocks).split()) == [operation.name for operation in operations()]


def test_library_calls_stand_in_their_section() -> None:
    page = (ROOT / "docs" / "api" / "ops.md").read_text()
    section = page.partition("## Computed by torch")[2].partition("\n## ")[0]
    names = section.partition("nvfuser.ops\n\n")[2].partition("```")[0].split()
    assert names == [op.name for op in operations() if op.computed_by == "library call"]


def _undescribed(operation: Operation) -> bool:
    return not operation.dtypes and operation.computed_by == "generated"


# How to call what the table says nothing of: the result has the dtype of the first tensor.
CALLS: dict[str, Callable[..., Any]] = {
    "broadcast": lambda ops, x: ops.broadcast(x, [False, True, False]),
    "broadcast_in_dim": lambda ops, x: ops.broadcast_in_dim(x, [2, 3, 4], [1, 2]),
    "cat": lambda ops, x: ops.cat([x, x]),
    "expand": lambda ops, x: ops.expand(ops.unsqueeze(x, 0), [5, 3, 4]),
    "pad": lambda ops, x: ops.pad(x, [1, 1]),
    "permute": lambda ops, x: ops.permute(x, [1, 0]),
    "reshape": lambda ops, x: ops.reshape(x, [12]),
    "select": lambda ops, x: ops.select(x, 1, 0),
    "slice": lambda ops, x: ops.slice(x, [0, 1], [2, 3]),
    "squeeze": lambda ops, x: ops.squeeze(ops.unsqueeze(x, 0), [0]),
    "stride_order": lambda ops, x: ops.stride_order(x, [0, 1]),
    "transpose": lambda ops, x: ops.transpose(x, 0, 1),
    "triu": lambda ops, x: ops.triu(x),
    "unsqueeze": lambda ops, x: ops.unsqueeze(x, 0),
    "var_mean": lambda ops, x: ops.var_mean(x, [0]),
    "shape": lambda ops, x: ops.shape(x),
    "size": lambda ops, x: ops.size(x, 0),
}
SIZES = ("shape", "size")


@pytest.mark.parametrize("name", [op.name for op in operations() if _undescribed(op)])
def test_dtype_of_what_the_table_says_nothing_of(name: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[3, 4], contiguity=True, dtype=DataType.Double)
        result = CALLS[name](fd.ops, x)
        results = result if isinstance(result, (list, tuple)) else [result]
        expected = DataType.Index if name in SIZES else DataType.Double
        assert [value.dtype() for value in results] == [expected] * len(results)
        fd.add_output(x)


def test_table_of_operations_gathers_what_is_stated() -> None:
    rows = {operation.name: operation for operation in operations()}
    rules = promotion_rules()
    assert {op.dtypes for op in rows.values() if op.promoted} <= set(rules)
    assert all(rules.values())
    assert (rows["exp"].dtypes, rows["exp"].promoted) == ("Float", True)
    assert rows["exp"].cpu is not None
    assert rows["exp"].cuda is not None
    assert rows["add"].cpu is None
    assert rows["matmul"].computed_by == "library call"
    assert rows["softmax"].computed_by == "generated"
    for operation in rows.values():
        missing = "Not available yet" in operation.docstring
        assert (operation.computed_by == "not available yet") == missing
        assert (operation.devices == "") == missing
