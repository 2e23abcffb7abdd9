"""A table of text: a heading, rows, numbers to the right."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["format_table"]


def format_table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as Markdown, columns aligned: the first to the left, others to the right."""
    cells = [list(heading), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heading))]

    def line(row: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(padded)} |"

    rule = [
        "-" * width if column == 0 else "-" * (width - 1) + ":"
        for column, width in enumerate(widths)
    ]
    return "\n".join([line(heading), line(rule), *[line(row) for row in rows]])
