"""The options of ``NVFUSER_ENABLE``, ``NVFUSER_DUMP`` and the other variables with lists."""

from __future__ import annotations

import os
import textwrap

from nvfuser import _C

__all__ = ["describe", "print_where_asked"]


def describe(variable: str) -> str:
    """Return the options of a variable, a sentence each."""
    rows = [(name, effect) for of, name, effect in _C.option_table() if of == variable]
    width = max(len(name) for name, effect in rows if effect)
    lines = [f"{variable} takes a list of options, separated by commas:"]
    for name, effect in rows:
        if effect:
            lines += textwrap.wrap(
                effect,
                100,
                initial_indent=f"  {name:<{width}}  ",
                subsequent_indent=" " * (width + 4),
            )
    others = ", ".join(name for name, effect in rows if not effect)
    if others:
        lines += textwrap.wrap(
            f"Accepted without effect: {others}.", 100, initial_indent="  ", subsequent_indent="  "
        )
    return "\n".join(lines)


def print_where_asked() -> None:
    """Describe the variables whose value in the environment has ``help`` in it."""
    for variable in dict.fromkeys(of for of, _, _ in _C.option_table()):
        if "help" in [name.strip() for name in os.environ.get(variable, "").split(",")]:
            # Before what the core writes, past Python's buffer.
            print(describe(variable), flush=True)
