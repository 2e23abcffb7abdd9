"""Layers in tensor parallel and small sums over GPUs: ours beside torch's ways to run them.

Question: what does communication inside of fusions cost, and how much of it is hidden behind matrix
products? Takeaway: see docs/benchmarks.md.

    torchrun --nproc-per-node=2 bench/bench_multidevice.py
    torchrun --nproc-per-node=2 bench/bench_multidevice.py --part sums --json sums.json

Layers have the sizes of Llama-3-8B, rows of tokens that are divided among the devices before and
behind each layer (sequence parallel). Ours decide by themselves whether products are computed in
steps, and are told to do so or not. Beside them run the same layer by DTensors, eagerly and with
torch.compile, and with torch's asynchronous tensor parallelism. Sums are all-reduce + residual +
rms_norm, captured in a CUDA graph, with and without a collective of NCCL. Every number is the
median of rounds in which all ways take turns, the slowest process of each round counted.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# NVLink multicast is not used by anything that is measured here.
os.environ.setdefault("TORCH_SYMM_MEM_DISABLE_MULTICAST", "1")

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symmetric
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    parallelize_module,
)

import nvfuser
from nvfuser import DataType, FusionDefinition, ParallelType

HIDDEN, FEATURES, HEADS, KEY_HEADS, HEAD = 4096, 14336, 32, 8, 128
TOKENS = (8192, 2048)
SUMS = ((6, 6144), (128, 4096), (138, 6144))
EPSILON = 1e-5

Call = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """The median of one way to run a case, in microseconds; none where it failed, and why."""

    case: str
    way: str
    microseconds: float | None
    error: str = ""


def log(text: str) -> None:
    """Print on the first process."""
    if dist.get_rank() == 0:
        print(text, flush=True)


# ---------------------------------------------------------------- clocks


def slowest(values: list[float], device: torch.device) -> list[float]:
    """Return for each value the largest that a process has."""
    everything = torch.tensor(values, dtype=torch.float64, device=device)
    dist.all_reduce(everything, dist.ReduceOp.MAX)
    return [float(value) for value in everything]


def agree(works: bool, device: torch.device) -> bool:
    """Whether it works on all processes."""
    flag = torch.tensor([int(works)], device=device)
    dist.all_reduce(flag, dist.ReduceOp.MIN)
    return bool(flag.item())


def elapsed(call: Call, repeats: int, device: torch.device) -> float:
    """Return the microseconds of one of so many calls, between events of the stream."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    # All begin at about the same time.
    dist.barrier()
    torch.cuda.synchronize(device)
    start.record()
    for _ in range(repeats):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) * 1000 / repeats


def measure(
    case: str, ways: dict[str, Call], repeats: int, rounds: int, device: torch.device
) -> list[Row]:
    """Return the medians of rounds in which the ways take turns."""
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, call in ways.items():
            times[way].append(elapsed(call, repeats, device))
    rows = []
    for way, own in times.items():
        rows.append(Row(case, way, statistics.median(slowest(own, device))))
        log(f"{case:24} {way:44} {rows[-1].microseconds:10.1f} us")
    return rows


def relative_error(result: torch.Tensor, expected: torch.Tensor) -> float:
    """Return the norm of the difference by that of what is expected."""
    difference = (result.float() - expected.float()).norm() / expected.float().norm()
    return float(difference)


def prepared(
    case: str, ways: dict[str, Call], expected: torch.Tensor | None, device: torch.device
) -> tuple[dict[str, Call], list[Row]]:
    """Run each way some times and compare its result; return those that work on all processes."""
    working: dict[str, Call] = {}
    failed: list[Row] = []
    for way, call in ways.items():
        began = time.monotonic()
        error = ""
        try:
            for _ in range(3):
                result = call()
            torch.cuda.synchronize(device)
            if expected is not None and relative_error(result, expected) > 2e-2:
                error = f"a relative error of {relative_error(result, expected):.3f}"
        except Exception as problem:  # noqa: BLE001  # Of torch's ways, too: its row says which.
            error = f"{type(problem).__name__}: {problem}".splitlines()[0][:200]
        if agree(not error, device):
            working[way] = call
        else:
            failed.append(Row(case, way, None, error or "failed on another process"))
            log(f"{case:24} {way:44} {failed[-1].error}")
        log(f"  ({case}, {way}: ready after {time.monotonic() - began:.1f} s)")
    return working, failed


# ---------------------------------------------------------------- layers by torch


class Mlp(nn.Module):
    """The feed-forward layer of Llama."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(HIDDEN, FEATURES, bias=False)
        self.up = nn.Linear(HIDDEN, FEATURES, bias=False)
        self.down = nn.Linear(FEATURES, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the layer's result for rows of tokens."""
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Attention(nn.Module):
    """Causal attention with fewer heads of keys than of queries, without positions."""

    def __init__(self) -> None:
        super().__init__()
        self.query = nn.Linear(HIDDEN, HEADS * HEAD, bias=False)
        self.key = nn.Linear(HIDDEN, KEY_HEADS * HEAD, bias=False)
        self.value = nn.Linear(HIDDEN, KEY_HEADS * HEAD, bias=False)
        self.out = nn.Linear(HEADS * HEAD, HIDDEN, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the layer's result for rows of tokens."""

        def heads(y: torch.Tensor) -> torch.Tensor:
            return y.view(1, y.shape[0], -1, HEAD).transpose(1, 2)

        q, k, v = heads(self.query(x)), heads(self.key(x)), heads(self.value(x))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.out(y.transpose(1, 2).flatten(2)[0])


COLUMNS = {Mlp: ["gate", "up"], Attention: ["query", "key", "value"]}
ROWS = {Mlp: "down", Attention: "out"}


def parallelized(module: nn.Module, mesh: DeviceMesh) -> nn.Module:
    """Divide a layer: rows of tokens before and behind it, features or heads inside."""
    plan: dict[str, Any] = {
        # Gathered once for all of them, as a user would write it.
        name: ColwiseParallel(input_layouts=Replicate())
        for name in COLUMNS[type(module)]
    }
    plan[ROWS[type(module)]] = RowwiseParallel(output_layouts=Shard(0))
    gathered = PrepareModuleInput(
        input_layouts=(Shard(0),), desired_input_layouts=(Replicate(),), use_local_output=True
    )
    parallelize_module(module, mesh, plan)
    return parallelize_module(module, mesh, gathered)


def compiled(module: nn.Module, x: torch.Tensor, mesh: DeviceMesh, is_async: bool) -> Call:
    """Compile a layer when it is first called, on request so that sending overlaps products."""
    if is_async and torch.__version__ < "2.11":
        symmetric.enable_symm_mem_for_group(mesh.get_group().group_name)
    # Options are part of what Dynamo knows compiled code by: both ways stay compiled.
    function = torch.compile(module, dynamic=False, options={"_micro_pipeline_tp": is_async})
    return lambda: function(x)


# ---------------------------------------------------------------- layers by nvfuser


def divided(tv: Any, mesh: Any, dim: int | None) -> Any:
    """Divide a dimension among the devices, or give each of them all."""
    tv.set_device_mesh(mesh)
    if dim is not None:
        tv.outer_split(dim, mesh.size)
        tv.axis(dim).parallelize(ParallelType.mesh_x)
    return tv


def define_mlp(fd: FusionDefinition, tokens: int, mesh: Any) -> None:
    """Define the feed-forward layer."""
    bf16 = DataType.BFloat16
    x = fd.define_tensor([tokens, HIDDEN], contiguity=True, dtype=bf16)
    gate = fd.define_tensor([FEATURES, HIDDEN], contiguity=True, dtype=bf16)
    up = fd.define_tensor([FEATURES, HIDDEN], contiguity=True, dtype=bf16)
    down = fd.define_tensor([HIDDEN, FEATURES], contiguity=True, dtype=bf16)
    y = fd.ops.mul(fd.ops.silu(fd.ops.linear(x, gate)), fd.ops.linear(x, up))
    out = fd.ops.linear(fd.ops.cast(y, bf16), down)
    for tv, dim in ((x, 0), (gate, 0), (up, 0), (down, 1)):
        divided(tv, mesh, dim)
    fd.add_output(divided(out, mesh, 0))


def define_attention(fd: FusionDefinition, tokens: int, mesh: Any) -> None:
    """Define attention."""
    bf16 = DataType.BFloat16
    x = fd.define_tensor([tokens, HIDDEN], contiguity=True, dtype=bf16)
    weights = [
        fd.define_tensor([count * HEAD, HIDDEN], contiguity=True, dtype=bf16)
        for count in (HEADS, KEY_HEADS, KEY_HEADS)
    ]
    back = fd.define_tensor([HIDDEN, HEADS * HEAD], contiguity=True, dtype=bf16)
    products = [fd.ops.linear(x, weight) for weight in weights]

    def heads(y: Any, count: int) -> Any:
        y = fd.ops.reshape(y, [1, tokens, count, HEAD])
        return fd.ops.permute(y, [0, 2, 1, 3])

    def repeated(y: Any) -> Any:
        # Each head of keys for several of queries.
        times = HEADS // KEY_HEADS
        y = fd.ops.broadcast_in_dim(y, [1, KEY_HEADS, times, tokens, HEAD], [0, 1, 3, 4])
        return fd.ops.reshape(y, [1, HEADS, tokens, HEAD])

    q = heads(products[0], HEADS)
    k, v = (repeated(heads(y, KEY_HEADS)) for y in products[1:])
    y, *_ = fd.ops.sdpfa_fwd(q, k, v, dropout_p=0.0, is_causal=True)
    y = fd.ops.reshape(fd.ops.permute(y, [0, 2, 1, 3]), [tokens, HEADS * HEAD])
    out = fd.ops.linear(y, back)
    divided(x, mesh, 0)
    for weight in weights:
        divided(weight, mesh, 0)
    divided(back, mesh, 1)
    fd.add_output(divided(out, mesh, 0))


DEFINE = {Mlp: define_mlp, Attention: define_attention}


def layer_of(
    kind: type, tokens: int, mesh: Any, inputs: list[torch.Tensor], **options: list[str]
) -> Call:
    """Return a call of the layer as a fusion."""
    with FusionDefinition() as fd:
        DEFINE[kind](fd, tokens, mesh)
    return lambda: fd.execute(inputs, **options)[0]


def bench_layer(
    kind: type, tokens: int, mesh: DeviceMesh, rounds: int, device: torch.device, compiles: bool
) -> list[Row]:
    """Measure a layer for so many tokens."""
    case = f"{kind.__name__.lower()}, {tokens} tokens"
    native = nvfuser.multidevice.DeviceMesh(mesh.mesh)
    torch.manual_seed(0)
    with device:
        module = kind().to(torch.bfloat16).requires_grad_(False)
        x = torch.randn(tokens, HIDDEN, dtype=torch.bfloat16) / 4
    rank, size = dist.get_rank(), dist.get_world_size()
    own = x.chunk(size)[rank].contiguous()
    expected = module(x).chunk(size)[rank].clone()
    names = [*COLUMNS[kind], ROWS[kind]]
    weights = [
        module.get_submodule(name).weight.chunk(size, 1 if name == ROWS[kind] else 0)[rank]
        for name in names
    ]
    inputs = [own, *(weight.contiguous() for weight in weights)]
    ways: dict[str, Call] = {
        "nvfuser": layer_of(kind, tokens, native, inputs),
        "nvfuser, products at once": layer_of(
            kind, tokens, native, inputs, _disable_options=["products_in_steps"]
        ),
        "nvfuser, products in steps": layer_of(
            kind, tokens, native, inputs, _enable_options=["products_in_steps"]
        ),
    }
    eager = parallelized(module, mesh)
    ways["DTensor, eager"] = lambda: local(eager(own))
    if compiles:
        function = compiled(eager, own, mesh, False)
        ways["DTensor, torch.compile"] = lambda: local(function())
        overlapped = compiled(eager, own, mesh, True)
        ways["DTensor, asynchronous tensor parallel"] = lambda: local(overlapped())
    working, failed = prepared(case, ways, expected, device)
    return measure(case, working, 5, rounds, device) + failed


def local(x: Any) -> torch.Tensor:
    """Return what this process has."""
    x = x.to_local() if isinstance(x, DTensor) else x
    wait = getattr(x, "wait", None)
    result: torch.Tensor = wait() if wait is not None else x
    return result


# ---------------------------------------------------------------- small sums


def define_sum(fd: FusionDefinition, columns: int) -> None:
    """Define residual + sum, and rms_norm of that."""
    bf16 = DataType.BFloat16
    x, residual = (fd.define_tensor([-1, columns], contiguity=True, dtype=bf16) for _ in range(2))
    weight = fd.define_tensor([columns], contiguity=True, dtype=bf16)
    total = fd.ops.add(fd.ops.cast(x, DataType.Float), fd.ops.cast(residual, DataType.Float))
    mean = fd.ops.mean(fd.ops.mul(total, total), [1], keepdim=True)
    scale = fd.ops.rsqrt(fd.ops.add(mean, EPSILON))
    scaled = fd.ops.mul(fd.ops.mul(total, scale), fd.ops.cast(weight, DataType.Float))
    fd.add_output(fd.ops.cast(scaled, bf16))
    fd.add_output(fd.ops.cast(total, bf16))


def captured(call: Call, repeats: int) -> Call:
    """Return a call that replays so many of them as a CUDA graph."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(repeats):
            result = call()

    def replay() -> torch.Tensor:
        graph.replay()
        first: torch.Tensor = result[0] if isinstance(result, (list, tuple)) else result
        return first

    return replay


def bench_sum(
    rows: int, columns: int, mesh: DeviceMesh, rounds: int, device: torch.device
) -> list[Row]:
    """Measure all-reduce + residual + rms_norm of one size."""
    case = f"sum, {rows}x{columns}"
    repeats = 20
    torch.manual_seed(dist.get_rank())
    x = torch.randn(rows, columns, dtype=torch.bfloat16, device=device)
    torch.manual_seed(99)
    residual = torch.randn(rows, columns, dtype=torch.bfloat16, device=device)
    weight = torch.randn(columns, dtype=torch.bfloat16, device=device)
    inputs = [
        DTensor.from_local(x, mesh, [Partial()], run_check=False),
        DTensor.from_local(residual, mesh, [Replicate()], run_check=False),
        DTensor.from_local(weight, mesh, [Replicate()], run_check=False),
    ]
    with FusionDefinition() as fd:
        define_sum(fd, columns)
    executor = nvfuser.multidevice.dtensor._executor_for(fd, mesh, inputs)
    own = [x, residual, weight]
    group = mesh.get_group()

    def ours(*disabled: str) -> Call:
        return lambda: executor.execute(own, _disable_options=[*disabled])

    def by_torch(reduce: Callable[[], torch.Tensor]) -> Call:
        def call() -> torch.Tensor:
            total = reduce() + residual
            return nn.functional.rms_norm(total, [columns], weight, EPSILON)

        return call

    def nccl() -> torch.Tensor:
        total = x.clone()
        dist.all_reduce(total, group=group)
        return total

    buffer = symmetric.empty(rows, columns, dtype=torch.bfloat16, device=device)
    symmetric.rendezvous(buffer, group)

    def one_shot() -> torch.Tensor:
        buffer.copy_(x)
        result: torch.Tensor = torch.ops.symm_mem.one_shot_all_reduce(
            buffer, "sum", group.group_name
        )
        return result

    expected = by_torch(nccl)()
    calls = {
        "nvfuser, one kernel": ours(),
        "nvfuser, NCCL and a kernel": ours("exchange_in_kernels"),
        "torch, NCCL and two kernels": by_torch(nccl),
        "torch, one-shot of symmetric memory": by_torch(one_shot),
    }
    plain = {way: first_of(call) for way, call in calls.items()}
    working, failed = prepared(case, plain, expected, device)
    graphs: dict[str, Call] = {}
    for way in working:
        graphs[way] = captured(calls[way], repeats)
    graphs, failed_graphs = prepared(case, graphs, expected, device)
    measured = measure(case, graphs, 5, rounds, device)
    return [
        Row(row.case, row.way, None if row.microseconds is None else row.microseconds / repeats)
        for row in measured
    ] + [*failed, *failed_graphs]


def first_of(call: Call) -> Call:
    """Return the first result only."""

    def first() -> torch.Tensor:
        result = call()
        found: torch.Tensor = result[0] if isinstance(result, (list, tuple)) else result
        return found

    return first


# ---------------------------------------------------------------- report


def table(rows: list[Row]) -> str:
    """Return a table with a row for each case and a column for each way."""
    lines = []
    for part in ("layers", "sums"):
        own = [row for row in rows if row.case.startswith("sum,") == (part == "sums")]
        ways = list(dict.fromkeys(row.way for row in own))
        if not own:
            continue
        lines += [f"| {part} (us) | " + " | ".join(ways) + " |", "|---|" + "---|" * len(ways)]
        for case in dict.fromkeys(row.case for row in own):
            found = {row.way: row.microseconds for row in own if row.case == case}
            cells = [f"{found[way]:.1f}" if found.get(way) is not None else "–" for way in ways]
            lines.append(f"| {case} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["all", "layers", "sums"], default="all")
    parser.add_argument("--tokens", type=int, nargs="+", default=[*TOKENS])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--no-compile", action="store_true", help="leave out torch.compile")
    parser.add_argument("--json", type=Path, help="write the medians to a file, too")
    options = parser.parse_args()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", device_id=device)
    mesh = init_device_mesh("cuda", (dist.get_world_size(),), mesh_dim_names=("tp",))
    log(
        f"{dist.get_world_size()} x {torch.cuda.get_device_name(device)}, torch {torch.__version__}"
    )
    rows: list[Row] = []
    with torch.no_grad():
        if options.part in ("all", "sums"):
            for size in SUMS:
                rows += bench_sum(*size, mesh, options.rounds, device)
        if options.part in ("all", "layers"):
            for tokens in options.tokens:
                for kind in (Mlp, Attention):
                    rows += bench_layer(
                        kind, tokens, mesh, options.rounds, device, not options.no_compile
                    )
    log("\n" + table(rows))
    if options.json is not None and dist.get_rank() == 0:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
