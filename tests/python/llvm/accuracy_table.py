"""Writes docs/accuracy.md from accuracy.json, which the accuracy tests enforce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("accuracy.json")
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "accuracy.md"

_HEAD = """\
# Accuracy of the CPU math functions

<!-- Written by tests/python/llvm/accuracy_table.py from accuracy.json beside it. -->

Kernels on the CPU compute with an inline math library in LLVM IR. The table states the largest
error of each function in units in the last place (ULP) of the result, against the exact value. It
holds for the **whole range**: infinities, NaN, denormal arguments and results, signed zeros,
arguments of any size.

`tests/python/llvm/test_llvm_accuracy.py` enforces it, for the host's instruction set and for plain
x86-64 without FMA:

- `float` against double precision, for every 1499th of all 2³² bit patterns (2.9 million values)
  and the neighbourhoods of powers of two, half integers and zeros of the functions; `erfinv` and
  `erfcinv` against mpmath, for thousands of values;
- `double` against `long double` for hundreds of thousands of values, or against mpmath for
  thousands.

Half precision and 8-bit types are converted to `float`, computed there and rounded once at the end.

"""

_TAIL = """
Exact, or correctly rounded: `abs`, `neg`, `add`, `sub`, `mul`, `div`, `truediv`, `ceil`, `floor`,
`round` (half to even), `trunc`, `frac`, `fmod`, `mod`, `nextafter`, `maximum`, `minimum`,
comparisons and every integer function. `remainder` is `fmod` with one addition where signs differ.
Conversions between storage types are, bit for bit, PyTorch's.

Complex functions of single precision are computed in double precision (but for `add`, `sub` and
`mul`), those of double precision by the C library: each part is accurate relative to the magnitude
of the result.

Where the C library is named, the bound is what was measured with glibc 2.36.
"""


def load() -> dict[str, dict[str, Any]]:
    """Return op -> bounds by type, and remarks."""
    return json.loads(PATH.read_text())


def render(table: dict[str, dict[str, Any]]) -> str:
    """Return the text of docs/accuracy.md."""
    rows = ["| function | float | double | remarks |", "|---|---|---|---|"]
    for op in sorted(table):
        entry = table[op]
        rows.append(f"| `{op}` | {entry['f32']} | {entry['f64']} | {entry.get('remarks', '')} |")
    return _HEAD + "\n".join(rows) + "\n" + _TAIL


if __name__ == "__main__":
    DOCUMENT.write_text(render(load()))
