"""Plans of many small kernels as CUDA graphs, beside launches, `CUDAGraph.replay` and Inductor.

    python bench/bench_cuda_graphs.py
    python bench/bench_cuda_graphs.py --stages 4 10 20

Question: what do `NVFUSER_ENABLE=cuda_graphs` and `mode="reduce-overhead"` save, of the host's time
and of the device's, where a call is some 20 kernels that take a microsecond each? Sums along rows
and columns in turn make one kernel a stage, and a few more where a sum takes two.

Rows: `launches` are the kernels of a plan one by one; `same tensors` is their graph with inputs and
outputs of the last call; `new tensors` takes the next of 32 inputs and fresh outputs in each call,
so that nodes are updated; `two shapes` has inputs of two known shapes in turn; `replay` is a
`torch.cuda.CUDAGraph` that was captured from those launches, whose tensors stay where they are, and
`copy and replay` copies an input to where it reads; `inductor` is
`torch.compile(mode="reduce-overhead")` of the same function, and `nvfuser.jit` that of
`nvfuser.jit(mode="reduce-overhead")`, both with new inputs.

Host: microseconds of a call, issued to an idle device in batches that its queue takes. Device:
microseconds of a call between two events around a batch that was in the queue before it began, and
of each kernel. Medians of interleaved rounds. Targets on an H200: 6 µs of the host's for 20 kernels
with new tensors, 1.4 µs a kernel, 10 µs for a change of shape.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import time
from collections.abc import Callable
from typing import Any

import torch
from side_by_side import machine, markdown_table

import nvfuser
from nvfuser import FusionDefinition

# The queue of a device takes 1024 launches.
BATCH = 16
INPUTS = 32


def function(x: torch.Tensor, stages: int) -> torch.Tensor:
    """Sum along rows and columns in turn."""
    for stage in range(stages):
        x = (x + x.mean(stage % 2, keepdim=True)) * 0.5
    return x


def definition(stages: int, *, is_graph: bool) -> FusionDefinition:
    """Return the same as a fusion."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        for stage in range(stages):
            mean = fd.ops.mean(x, stage % 2, keepdim=True)
            x = (x + mean) * 0.5
        fd.add_output(x)
    if is_graph:
        fd._prepare().enable(["cuda_graphs"])
    return fd


def kernels_of(plan: Callable[[], Any]) -> int:
    """Return how many kernels a call launches: of one in phases, each phase."""
    with nvfuser.PythonProfiler() as profiler:
        plan()
    return sum(kernel.grid_str.count("[") for kernel in profiler.profile.kernel_profiles)


def candidates(stages: int, side: int, device: str) -> dict[str, Callable[[], Any]]:
    """Return the calls that are compared, each checked against eager torch."""
    inputs = [torch.randn(side, side, device=device) for _ in range(INPUTS)]
    others = [torch.randn(2 * side, side, device=device) for _ in range(INPUTS)]
    x = inputs[0]
    outputs = [torch.empty_like(x)]
    launches, graph, shapes = (definition(stages, is_graph=on) for on in (False, True, True))
    replayed = torch.cuda.CUDAGraph()
    static = x.clone()
    for _ in range(3):
        launches.execute([static], outputs=outputs)
    torch.cuda.synchronize()
    with torch.cuda.graph(replayed):
        launches.execute([static], outputs=outputs)
    inductor = torch.compile(lambda x: function(x, stages), mode="reduce-overhead", dynamic=False)
    jitted = nvfuser.jit(lambda x: function(x, stages), mode="reduce-overhead")
    in_turn = [iter(itertools.cycle(inputs)) for _ in range(4)]
    of_two_shapes = iter(itertools.cycle(itertools.chain(*zip(inputs, others, strict=True))))

    def copy_and_replay() -> torch.Tensor:
        static.copy_(next(in_turn[0]))
        replayed.replay()
        return outputs[0]

    calls = {
        "launches": lambda: launches.execute([next(in_turn[1])])[0],
        "same tensors": lambda: graph.execute([x], outputs=outputs)[0],
        "new tensors": lambda: graph.execute([next(in_turn[2])])[0],
        "two shapes": lambda: shapes.execute([next(of_two_shapes)])[0],
        "nvfuser.jit": lambda: jitted(next(in_turn[3])),
        "replay": replayed.replay,
        "copy and replay": copy_and_replay,
        "inductor": lambda: inductor(next(in_turn[3])),
    }
    with torch.no_grad():
        for _ in range(4):
            torch.testing.assert_close(graph.execute([x])[0], function(x, stages))
            torch.testing.assert_close(jitted(x), function(x, stages))
            torch.testing.assert_close(inductor(x).clone(), function(x, stages))
        replayed.replay()
        torch.testing.assert_close(outputs[0], function(static, stages))
        for call in calls.values():
            for _ in range(2 * INPUTS):
                call()
    torch.cuda.synchronize()
    return calls


def host_seconds(call: Callable[[], Any]) -> float:
    """Return the mean time that a call of a batch takes to be issued."""
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(BATCH):
        call()
    seconds = (time.perf_counter() - begin) / BATCH
    torch.cuda.synchronize()
    return seconds


def device_seconds(call: Callable[[], Any]) -> float:
    """Return the mean time of a call of a batch on the device."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda.synchronize()
    torch.cuda._sleep(4_000_000)
    start.record()
    for _ in range(BATCH):
        call()
    stop.record()
    torch.cuda.synchronize()
    return start.elapsed_time(stop) / 1e3 / BATCH


@torch.no_grad()
def table(stages: int, options: argparse.Namespace) -> tuple[int, str]:
    """Return the number of kernels and the table of a number of stages."""
    calls = candidates(stages, options.side, options.device)
    kernels = kernels_of(calls["launches"])
    times: dict[str, list[list[float]]] = {name: [[], []] for name in calls}
    names = list(calls)
    for number in range(options.rounds):
        for name in names if number % 2 == 0 else reversed(names):
            times[name][0].append(host_seconds(calls[name]))
            times[name][1].append(device_seconds(calls[name]))
    rows = []
    for name, (host, device) in times.items():
        on_host, on_device = (1e6 * statistics.median(values) for values in (host, device))
        rows.append([name, f"{on_host:.2f}", f"{on_device:.1f}", f"{on_device / kernels:.2f}"])
    return kernels, markdown_table(["", "host", "device", "a kernel"], rows)


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--side", type=int, default=64, help="rows and columns of the inputs")
    parser.add_argument("--stages", type=int, nargs="+", default=[2, 4, 10, 20])
    options = parser.parse_args()
    print(machine(options.device))
    for stages in options.stages:
        kernels, text = table(stages, options)
        print(f"\n{kernels} kernels\n\n{text}")


if __name__ == "__main__":
    main()
