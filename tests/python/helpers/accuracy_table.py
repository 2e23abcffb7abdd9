"""Writes docs/accuracy.md from accuracy.json, which the accuracy tests enforce."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_DIRECTORY = Path(__file__).resolve().parents[1]
_TYPES = {"f32": "float", "f64": "double"}
DOCUMENT = _DIRECTORY.parents[1] / "docs" / "accuracy.md"

_HEAD = """\
# Accuracy of the math functions

<!-- Written by tests/python/helpers/accuracy_table.py from the files accuracy.json. -->

The tables state the largest error of each function in units in the last place (ULP) of the result,
against the exact value. Half precision and 8-bit types are converted to `float`, computed there and
rounded once at the end.

## CPU

Kernels on the CPU compute with an inline math library in LLVM IR. The bounds hold for the **whole
range**: infinities, NaN, denormal arguments and results, signed zeros, arguments of any size.

`tests/python/llvm/test_llvm_accuracy.py` enforces it, for the host's instruction set and for plain
x86-64 without FMA:

- `float` against double precision, for every 1499th of all 2³² bit patterns (2.9 million values)
  and the neighbourhoods of powers of two, half integers and zeros of the functions; `erfinv` and
  `erfcinv` against mpmath, for thousands of values;
- `double` against `long double` for hundreds of thousands of values, or against mpmath for
  thousands.

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

Where a result of `float` is rounded to 16 bits or less in the end, and its relative error reaches
there unchanged, functions have cheaper forms: `exp`, `exp2`, `gelu`, `gelu_tanh`, `sigmoid`, `silu`
and `tanh` are then right to 2⁻¹³ (16 times the precision of `bfloat16`, twice that of `float16`;
mostly to 2⁻¹⁶), and results below 2⁻¹¹⁹ may be 0.
"""


_CUDA_HEAD = """
## CUDA

Kernels on CUDA devices compute with a device library in CUDA C++ (`nvfuser/cuda/library`). Most
functions are CUDA's own, in their precise form, with the bounds that CUDA documents and half a ULP
more: CUDA counts from the rounded result, this table from the exact one. `gelu`, `gelu_tanh`,
`sigmoid` and `silu` are the library's. Denormal arguments and results are kept unless the table
says otherwise.

`tests/python/cuda/test_cuda_accuracy.py` enforces the bounds of all functions, and of the cheaper
forms, on a GPU: `pytest --device cuda tests/python/cuda/test_cuda_accuracy.py`. It needs one, since
only a GPU has CUDA's functions. What the library adds to them is checked everywhere, by
`tests/python/emulation/test_emulated_accuracy.py`: its own functions of `float`, with the two
instructions that they rely on (`ex2.approx` and `rcp.approx`) off by as much as CUDA allows, in
either direction; those of `double`, but for `gelu`, on top of the C library's `exp`, which stands
for CUDA's; and the cheaper forms.

"""

_CUDA_TAIL = """
The cheaper forms for results of 16 bits are the same as on the CPU, and division is then right to
2⁻²¹. So a `bfloat16` GELU takes half the instructions.

What is exact on the CPU is exact here and gives the same bits: arithmetic, rounding, remainders,
integer functions, conversions between storage types. Products and sums are contracted to fused
multiply-adds, as CUDA compilers do. Complex functions of either precision are computed in double
(but for `add`, `sub` and `mul`), each part accurate relative to the magnitude of the result.
"""


def load(device: str) -> dict[str, dict[str, Any]]:
    """Return op -> bounds by type, and remarks, of ``llvm`` or ``cuda``."""
    return json.loads((_DIRECTORY / device / "accuracy.json").read_text())


def _rows(table: dict[str, dict[str, Any]]) -> str:
    rows = ["| function | float | double | remarks |", "|---|---|---|---|"]
    for op in sorted(table):
        entry = table[op]
        remarks = [entry["remarks"]] if "remarks" in entry else []
        for type_, limit in entry.get("zero_below", {}).items():
            remarks.append(f"{_TYPES[type_]}: 0 below {limit:g}")
        rows.append(f"| `{op}` | {entry['f32']} | {entry['f64']} | {'; '.join(remarks)} |")
    return "\n".join(rows) + "\n"


def render() -> str:
    """Return the text of docs/accuracy.md."""
    return _HEAD + _rows(load("llvm")) + _TAIL + _CUDA_HEAD + _rows(load("cuda")) + _CUDA_TAIL


if __name__ == "__main__":
    DOCUMENT.write_text(render())
