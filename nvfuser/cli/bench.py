"""Measure the latency of calls beside eager torch and torch.compile.

The first table shows the cost of calls on tiny tensors: n inputs are added up, then relu. The
second one shows silu(x) * y at growing sizes. Times are microseconds, median ± interquartile range
of torch.utils.benchmark; absolute ones are only comparable on the same machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import reduce
from typing import Any

import torch

import nvfuser
from nvfuser.cli.peers import (
    add_threads_argument,
    compile_or_none,
    time_calls,
    warn_of_noise,
    warn_of_waiting_threads,
    why_not_compile,
)
from nvfuser.cli.table import format_table

__all__ = ["add_arguments", "run"]

_HEADING = [
    *("eager", "execute", "execute(outputs=)", "bound plan", "plan(outputs=)", "torch.compile")
]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--device", choices=("cpu", "cuda"), default=None, help="default: cuda if there is one"
    )
    add_threads_argument(parser)
    parser.add_argument("--budget", type=float, default=0.2, help="seconds for each number")
    parser.add_argument(
        "--compile",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="measure torch.compile too (its compilation takes seconds to minutes on a CPU)",
    )


def run(options: argparse.Namespace) -> None:
    """Print the two tables."""
    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.set_num_threads(options.threads)
    print(
        f"nvfuser {nvfuser.__version__}, torch {torch.__version__}, {device}, "
        f"{torch.get_num_threads()} threads, microseconds"
    )
    warn_of_noise(options.threads)
    reason = why_not_compile(device) if options.compile else "--no-compile"
    if reason is not None:
        print(f"torch.compile is not measured: {reason}")

    def measure(case: _Case) -> list[str]:
        return case.measure(options.threads, options.budget, compile_too=reason is None)

    calls = [_sum_relu(count, device) for count in (1, 2, 8, 16)]
    rows = [[case.name, *measure(case)] for case in calls]
    print("\n" + format_table(["call cost", *_HEADING], rows))
    kernels = [_silu_mul(size, device) for size in (1 << 10, 1 << 16, 1 << 20)]
    rows = [[case.name, *measure(case)] for case in kernels]
    warn_of_waiting_threads(device, options.threads)
    print("\n" + format_table(["silu(x) * y", *_HEADING], rows))


class _Case:
    """A fusion, the same in torch, and the inputs."""

    def __init__(
        self,
        name: str,
        body: Callable[..., Any],
        reference: Callable[..., torch.Tensor],
        inputs: list[torch.Tensor],
    ) -> None:
        self.name, self.reference, self.inputs = name, reference, inputs
        with nvfuser.FusionDefinition() as fd:
            fd.add_output(body(fd, *[fd.from_pytorch(tensor) for tensor in inputs]))
        self.fd = fd

    def measure(self, threads: int, budget: float, compile_too: bool) -> list[str]:
        inputs, reference, execute = self.inputs, self.reference, self.fd.execute
        expected = reference(*inputs)
        (output,) = execute(inputs)
        torch.testing.assert_close(output, expected)
        given = [torch.empty_like(expected)]
        plan = self.fd.bind(inputs)
        compiled = compile_or_none(reference, [tuple(inputs)])[0] if compile_too else None
        calls: list[Callable[[], Any]] = [
            lambda: reference(*inputs),
            lambda: execute(inputs),
            lambda: execute(inputs, outputs=given),
            lambda: plan(*inputs),
            lambda: plan(*inputs, outputs=given),
        ]
        if compiled is not None:
            calls.append(lambda: compiled(*inputs))
        times = [time.text("µs") for time in time_calls(calls, threads, budget)]
        return times if compiled is not None else [*times, "–"]


def _sum_relu(count: int, device: str) -> _Case:
    inputs = [torch.randn(4, 4, device=device) for _ in range(count)]
    return _Case(
        f"{count} input{'s' if count > 1 else ''}",
        lambda fd, *tensors: fd.ops.relu(reduce(fd.ops.add, tensors)),
        lambda *tensors: reduce(torch.add, tensors).relu(),
        inputs,
    )


def _silu_mul(size: int, device: str) -> _Case:
    inputs = [torch.randn(size, device=device) for _ in range(2)]
    return _Case(
        f"{size} elements",
        lambda fd, x, y: fd.ops.mul(fd.ops.silu(x), y),
        lambda x, y: torch.nn.functional.silu(x) * y,
        inputs,
    )
