"""The directive ``option-table``: the options of a variable, from the core's table."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nvfuser import _C


class OptionTable(SphinxDirective):
    """A table of the options that do something, and a list of the others."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the table of the options of the variable that is the argument."""
        node = nodes.container()
        lines = _lines(self.arguments[0])
        self.state.nested_parse(StringList(lines, "option-table"), self.content_offset, node)
        return node.children


def _lines(variable: str) -> list[str]:
    rows = [(name, effect) for of, name, effect in _C.option_table() if of == variable]
    if not rows:
        raise ValueError(f"there is no variable {variable} with options")
    lines = [".. list-table::", "   :header-rows: 1", "", "   * - Option", "     - Effect"]
    for name, effect in rows:
        if effect:
            lines += [f"   * - ``{name}``", f"     - {effect}"]
    others = ", ".join(f"``{name}``" for name, effect in rows if not effect)
    if others:
        lines += ["", f"Accepted without effect: {others}."]
    return lines


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("option-table", OptionTable)
    return {"parallel_read_safe": True, "env_version": 1}
