"""The Python examples of README.md and docs/ run as they stand there."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nvfuser
from nvfuser import DataType, FusionDefinition

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

from op_rows import Operation, operations, promotion_rules  # noqa: E402

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples(page: Path) -> str:
    """Return the page with everything but its examples blanked: line numbers stay right."""
    text = page.read_text()
    kept = list(text)
    position = 0
    for block in BLOCK.finditer(text):
        kept[position : block.start(1)] = re.sub(r"[^\n]", " ", text[position : block.start(1)])
        position = block.end(1)
    kept[position:] = re.sub(r"[^\n]", " ", text[position:])
    return "".join(line.rstrip() + "\n" for line in "".join(kept).splitlines())


WITH_EXAMPLES = [page for page in PAGES if BLOCK.search(page.read_text())]


def test_readme_has_an_example() -> None:
    assert ROOT / "README.md" in WITH_EXAMPLES


@pytest.mark.parametrize(
    "page",
    [
        # What a schedule inserts is not defined anew.
        pytest.param(page, marks=pytest.mark.no_round_trip) if page.stem == "scheduling" else page
        for page in WITH_EXAMPLES
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_examples_run(page: Path) -> None:
    """One after the other, with the names of those before."""
    exec(compile(examples(page), str(page), "exec"), {"__name__": "__main__"})


def test_links_between_pages_lead_somewhere() -> None:
    missing = []
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text()):
            if not (page.parent / target).exists():
                missing.append(f"{page.relative_to(ROOT)}: {target}")
    assert missing == []


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
