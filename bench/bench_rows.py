"""Long rows, and the gradients of norms with those of their weights, beside a copy of their bytes.

    python bench/bench_rows.py [--device cuda] [--dtypes bfloat16 float32]

Each function is called through ``nvfuser.jit``. `of copy` is the time of `Tensor.copy_` of as many
bytes as must be read and written over that of the call: 1 is the speed of memory. Every result is
compared with that of eager torch before anything is timed.

Takeaway (an H200): rows of 16384 to 40960 columns and gradients of up to 12288 columns in float32
are at 0.9 to 1.0, longer ones at 0.7 to 0.95, layer norms of 50257 bfloat16 furthest behind (0.44).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from bench_kernels import DTYPES
from kernel_cases import as_tuple
from side_by_side import keep_freed_memory, machine, markdown_table, measure, microseconds
from torch import Tensor
from torch.nn import functional

import nvfuser

HEADING = ["function", "rows", "columns", "dtype", "nvfuser", "copy", "of copy"]
COLUMNS = [16384, 30000, 32768, 50257, 65536, 131072, 262144]
# Rows and columns of gradients: those of hidden states of a few thousand tokens.
GRADIENTS = [
    (65536, 768),
    (32768, 1024),
    (16384, 2048),
    (32768, 3072),
    (8192, 4096),
    (4096, 5120),
    (4096, 8192),
    (8192, 12288),
    (2048, 16384),
    (1024, 32768),
]


def softmax(x: Tensor) -> Tensor:
    return functional.softmax(x, -1)


def layer_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], weight, bias)


def rms_norm(x: Tensor, weight: Tensor) -> Tensor:
    return functional.rms_norm(x, x.shape[-1:], weight, 1e-5)


def cross_entropy(x: Tensor, target: Tensor) -> Tensor:
    return functional.cross_entropy(x.float(), target)


def layer_norm_backward(
    x: Tensor, weight: Tensor, gradient: Tensor, mean: Tensor, rstd: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    normalized = (x.float() - mean) * rstd
    scaled = gradient.float() * weight.float()
    share = (scaled * normalized).mean(-1, keepdim=True)
    dx = rstd * (scaled - scaled.mean(-1, keepdim=True) - normalized * share)
    dw = (gradient.float() * normalized).sum(0)
    return dx.to(x.dtype), dw.to(x.dtype), gradient.float().sum(0).to(x.dtype)


def rms_norm_backward(
    x: Tensor, weight: Tensor, gradient: Tensor, rstd: Tensor
) -> tuple[Tensor, Tensor]:
    normalized = x.float() * rstd
    scaled = gradient.float() * weight.float()
    share = (scaled * normalized).mean(-1, keepdim=True)
    dx = rstd * (scaled - normalized * share)
    return dx.to(x.dtype), (gradient.float() * normalized).sum(0).to(x.dtype)


# What each takes: x of rows and columns, w of columns, r of rows in single precision, t of targets.
LONG_ROWS = {softmax: "x", layer_norm: "xww", rms_norm: "xw", cross_entropy: "xt"}
WITH_WEIGHTS = {layer_norm_backward: "xwxrr", rms_norm_backward: "xwxr"}


@dataclass(frozen=True)
class Case:
    """A function with operands of one size."""

    function: Callable[..., Any]
    kinds: str
    rows: int
    columns: int
    dtype: torch.dtype

    def operands(self, device: str) -> list[Tensor]:
        """Return new operands."""
        rows, columns = self.rows, self.columns
        made = {
            "x": lambda: torch.randn(rows, columns, device=device).to(self.dtype),
            "w": lambda: torch.randn(columns, device=device).to(self.dtype),
            "r": lambda: torch.randn(rows, 1, device=device),
            "t": lambda: torch.randint(0, columns, (rows,), device=device),
        }
        return [made[kind]() for kind in self.kinds]


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Yield what is measured."""
    for dtype in (DTYPES[name] for name in options.dtypes):
        for columns in options.columns:
            rows = max(options.elements // columns, 1)
            for function, kinds in LONG_ROWS.items():
                yield Case(function, kinds, rows, columns, dtype)
        for most, columns in GRADIENTS:
            rows = min(most, max(options.elements // columns, 1))
            for function, kinds in WITH_WEIGHTS.items():
                yield Case(function, kinds, rows, columns, dtype)


def bytes_of(tensors: Iterable[Tensor]) -> int:
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def measured(case: Case, options: argparse.Namespace) -> list[str]:
    """Return the cells of a row of the table."""
    operands = case.operands(options.device)
    call = nvfuser.jit(case.function, dynamic=False)
    with torch.no_grad():
        expected = as_tuple(case.function(*operands))
        # Sums of many rows differ by the order in which they are added.
        tolerance = 2e-2 if case.dtype.itemsize == 2 else 1e-3
        for output, reference in zip(as_tuple(call(*operands)), expected, strict=True):
            largest = float(reference.abs().max())
            torch.testing.assert_close(
                output, reference, rtol=tolerance, atol=tolerance * max(largest, 1e-3)
            )
        words = (bytes_of(operands) + bytes_of(expected)) // 2 // 4
        source = torch.empty(words, device=options.device)
        target = torch.empty_like(source)
        calls = {"nvfuser": lambda: call(*operands), "copy": lambda: target.copy_(source)}
        samples = measure(calls, options.device, options.rounds, seconds=options.seconds)
    return [
        case.function.__name__,
        str(case.rows),
        str(case.columns),
        str(case.dtype).removeprefix("torch."),
        microseconds(samples["nvfuser"]),
        microseconds(samples["copy"]),
        f"{samples['copy'].ratio_to(samples['nvfuser']):.2f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=["bfloat16", "float32"])
    parser.add_argument("--columns", nargs="+", type=int, default=COLUMNS, help="of long rows")
    parser.add_argument("--elements", type=int, default=1 << 27, help="of all rows, at most")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.01, help="of a round")
    options = parser.parse_args()
    keep_freed_memory()
    torch.manual_seed(0)
    print(machine(options.device), flush=True)
    rows = [measured(case, options) for case in cases(options)]
    print(markdown_table(HEADING, rows))


if __name__ == "__main__":
    main()
