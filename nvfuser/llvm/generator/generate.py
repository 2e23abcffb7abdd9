"""Write the inline math library, nvfuser/llvm/*.ll. With --check, only say whether it is current.

The coefficients come from coefficients.json, which fit.py computes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import arithmetic
import complex_numbers
import conversion
import exponential
import hyperbolic
import logarithm
import moments
import narrow
import random_numbers
import special
import streaming
import transposition
import trigonometric

TARGET = Path(__file__).resolve().parents[1]
FAMILIES = (
    arithmetic,
    complex_numbers,
    conversion,
    exponential,
    hyperbolic,
    logarithm,
    moments,
    narrow,
    random_numbers,
    special,
    streaming,
    transposition,
    trigonometric,
)


def main(check: bool) -> int:
    """Write or compare every file; returns the exit status."""
    stale = []
    for module in FAMILIES:
        family = module.family()
        path = TARGET / f"{family.name}.ll"
        text = str(family)
        if check:
            if not path.exists() or path.read_text() != text:
                stale.append(path.name)
        else:
            path.write_text(text)
            print(f"{path.name:20} {len(family.functions):4} functions {len(text):8} bytes")
    if stale:
        print("out of date:", ", ".join(stale), file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
