"""The directives ``operation-table`` and ``promotion-rules``, from what the operations say."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from native import docstring_of, readable, signatures_and_text
from op_rows import Operation, operations, promotion_rules
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import nvfuser


class _Generated(SphinxDirective):
    def run(self) -> list[nodes.Node]:
        node = nodes.container()
        self.state.nested_parse(StringList(self.lines(), self.name), self.content_offset, node)
        return node.children

    def lines(self) -> list[str]:
        raise NotImplementedError


class PromotionRules(_Generated):
    """A list of the promotion rules of element-wise operations."""

    def lines(self) -> list[str]:
        """Return the reStructuredText."""
        lines = []
        for name, meaning in promotion_rules().items():
            lines += [f"**{name}**", f"   {meaning}", ""]
        return lines


class OperationTable(_Generated):
    """A table with a row for every operation."""

    def lines(self) -> list[str]:
        """Return the reStructuredText."""
        head = ["Operation", "Dtype of the result", "Computed", "Devices", "ULP, CPU", "ULP, CUDA"]
        lines = [".. list-table::", "   :header-rows: 1", "   :class: operations", ""]
        lines += _row(head)
        for operation in operations():
            lines += _row(
                [
                    _name_and_signatures(operation),
                    _dtypes(operation),
                    operation.computed_by,
                    operation.devices,
                    _bounds(operation.cpu),
                    _bounds(operation.cuda),
                ]
            )
        return lines


def _row(cells: list[str]) -> list[str]:
    return [f"   {'* -' if i == 0 else '  -'} {cell}".rstrip() for i, cell in enumerate(cells)]


def _name_and_signatures(operation: Operation) -> str:
    raw, text = signatures_and_text(
        docstring_of(operation.name, getattr(nvfuser.ops, operation.name))
    )
    name = f":py:func:`{operation.name} <nvfuser.ops.{operation.name}>`"
    return " ".join([name, *(f"``{_parameters(line)}``" for line in readable(raw, text))])


def _parameters(signature: str) -> str:
    """Return a signature without the name, which stands before it."""
    return signature[signature.index("(") :]


def _dtypes(operation: Operation) -> str:
    if operation.promoted:
        return f"**{operation.dtypes}**"
    return operation.dtypes.replace("[*, ", r"[\*, ")


def _bounds(bounds: tuple[float, float] | None) -> str:
    return "" if bounds is None else f"{bounds[0]} / {bounds[1]}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("operation-table", OperationTable)
    app.add_directive("promotion-rules", PromotionRules)
    return {"parallel_read_safe": True, "env_version": 1}
