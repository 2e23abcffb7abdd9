"""How the time of a first call grows with the depth and the width of a fusion.

    python bench/bench_compile_growth.py [FAMILY...] [--device cpu] [--limit 5] [--most 10000]

Takeaway: the first call grows with the size and no faster, but in one family. On two cores of an
EPYC that others used as well, where exponents vary by up to 0.3 from run to run, they are 0.0 to
1.3 but for three: `pairs` has 1.7, of n (n - 1) / 2 outputs; `different_shapes` 1.35, of inputs
whose size grows with their number; and `rank` 1.5, where 4096 dimensions take 0.35 s. What was
out of line, before and after it was mended:

    family              size  seconds     exponent    what took the time
    scatter_chain       1024  6.0   0.28  1.86  0.89  the whole fusion, for each scatter
    independent_norms   4000  12.0  1.2   2.49  1.00  all inputs and outputs, for each norm
    reshape_chain        500  0.94  0.08  1.46  1.08  loops through all reshapes of a kernel
    updates             8192  0.75  0.43  1.47  1.05  each update compared with each input
    slices_padded_back    80  12.0  7.4   1.11  0.94  LLVM: each address with each other
    matmul_chain        8192  1.0   0.94  1.37  1.14  nothing: 1.37 was of tens of milliseconds

1000 links of `reshape_chain` take 14 MB instead of 277. Each call of 8192 `updates` took 440 ms and
takes 2. What `slices_padded_back` takes is LLVM's time: the kernel of four slices has 44 loops.

A family is a way to build a fusion of any size: chains (depth), many of the same side by side
(width), and what lies between. Each size is a process of its own with nothing on disk, in which the
first call of a small fusion has loaded everything. It is doubled until a call takes longer than the
limit. Columns: the size; seconds of the processor for the definition and
for the first call, milliseconds for one of the calls that follow, kernels that run, kernels that
were compiled (equal segments share one), and the most memory that the process had at a time beyond
what it began with. The exponent is that of a power fitted to the
first calls of the largest sizes: 1 is linear.

`--most` bounds the sizes; `--sizes 10,20,40` takes these instead.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import torch

from nvfuser import DataType, FusionDefinition, PythonProfiler

# Of the rows of most families.
_COLUMNS = 64

Body = Callable[..., list[Any]]
# What makes the outputs of a definition, and the inputs of a call.
Built = tuple[Body, list[torch.Tensor]]
FAMILIES: dict[str, tuple[Callable[[int], Built], int]] = {}


def family(first: int) -> Callable[[Callable[[int], Built]], Callable[[int], Built]]:
    """Register a family under the name of its function, with its first size."""

    def register(build: Callable[[int], Built]) -> Callable[[int], Built]:
        FAMILIES[build.__name__] = (build, first)
        return build

    return register


def _rows(count: int = 4, columns: int = _COLUMNS) -> torch.Tensor:
    return torch.randn(count, columns)


def _chain(step: Callable[[Any, Any, int], Any], depth: int, x: torch.Tensor) -> Built:
    """Build a chain of `step(ops, value, k)`."""

    def body(fd: Any, value: Any) -> list[Any]:
        for k in range(depth):
            value = step(fd.ops, value, k)
        return [value]

    return body, [x]


def _rms_norm(ops: Any, x: Any) -> Any:
    mean = ops.mean(ops.mul(x, x), [-1], True)
    return ops.mul(x, ops.rsqrt(ops.add(mean, 1e-5)))


def _layer_norm(ops: Any, x: Any) -> Any:
    var, mean = ops.var_mean(x, [-1], 0, True)
    return ops.mul(ops.sub(x, mean), ops.rsqrt(ops.add(var, 1e-5)))


@family(250)
def elementwise_chain(n: int) -> Built:
    """Adds and functions, one behind the other."""
    return _chain(lambda o, x, k: o.sin(x) if k % 4 == 0 else o.add(x, 0.5), n, _rows())


@family(125)
def reshape_chain(n: int) -> Built:
    """Each splits and merges what the one before did."""
    shapes = [[_COLUMNS, 4], [4, _COLUMNS]]
    return _chain(lambda o, x, k: o.neg(o.reshape(x, shapes[k % 2])), n, _rows())


@family(125)
def transpose_chain(n: int) -> Built:
    """A transposition before each operation."""
    return _chain(lambda o, x, k: o.neg(o.permute(x, [1, 0])), n, _rows())


@family(64)
def matmul_chain(n: int) -> Built:
    """Products with an operation in between."""

    def body(fd: Any, value: Any, weight: Any) -> list[Any]:
        for _ in range(n):
            value = fd.ops.tanh(fd.ops.matmul(value, weight))
        return [value]

    return body, [_rows(), _rows(_COLUMNS)]


@family(8)
def residual_norms(n: int) -> Built:
    """`x + rms_norm(x)`, again and again."""
    return _chain(lambda o, x, k: o.add(x, _rms_norm(o, x)), n, _rows())


@family(8)
def layer_norms(n: int) -> Built:
    """Normalizations, one behind the other."""
    return _chain(lambda o, x, k: _layer_norm(o, x), n, _rows())


@family(8)
def transformer(n: int) -> Built:
    """Norm, product, activation, product, residual: with library calls in between."""

    def body(fd: Any, x: Any, weight: Any) -> list[Any]:
        for _ in range(n):
            inner = fd.ops.silu(fd.ops.matmul(_rms_norm(fd.ops, x), weight))
            x = fd.ops.add(x, fd.ops.matmul(inner, weight))
        return [x]

    return body, [_rows(), _rows(_COLUMNS) * 0.01]


@family(16)
def alternating_sums(n: int) -> Built:
    """Sums over rows and over columns in turn, broadcast back."""

    def step(ops: Any, x: Any, k: int) -> Any:
        return ops.sub(x, ops.broadcast_in_dim(ops.sum(x, [k % 2]), [4, _COLUMNS], [1 - k % 2]))

    return _chain(step, n, _rows())


@family(16)
def scan_chain(n: int) -> Built:
    """Cumulative sums with operations in between."""
    return _chain(lambda o, x, k: o.mul(o.cumsum(x, -1), 0.01), n, _rows())


@family(16)
def gather_chain(n: int) -> Built:
    """Lookups of lookups."""

    def body(fd: Any, x: Any, index: Any) -> list[Any]:
        for _ in range(n):
            x = fd.ops.neg(fd.ops.gather(x, index, 1))
        return [x]

    return body, [_rows(), torch.randint(_COLUMNS, (4, _COLUMNS))]


@family(8)
def scatter_chain(n: int) -> Built:
    """Scatters into scatters."""

    def body(fd: Any, x: Any, index: Any) -> list[Any]:
        for _ in range(n):
            x = fd.ops.neg(fd.ops.scatter(x, index, x, 1))
        return [x]

    return body, [_rows(), torch.randperm(_COLUMNS).repeat(4, 1)]


@family(10)
def slices_padded_back(n: int) -> Built:
    """Slices of one tensor, each padded to its size, all added."""

    def body(fd: Any, x: Any) -> list[Any]:
        total = None
        for k in range(n):
            part = fd.ops.slice(x, [0, k], [4, k + 8])
            part = fd.ops.pad(fd.ops.sin(part), [k, n - k])
            total = part if total is None else fd.ops.add(total, part)
        return [total]

    return body, [_rows(4, n + 8)]


@family(10)
def cat_doublings(n: int) -> Built:
    """`cat` with itself and a slice of that, again and again."""

    def step(ops: Any, x: Any, k: int) -> Any:
        return ops.slice(ops.cat([x, ops.neg(x)], 1), [0, 3], [4, 3 + _COLUMNS])

    return _chain(step, n, _rows())


@family(10)
def rope_chain(n: int) -> Built:
    """Halves exchanged, with a sign: rotary embeddings of rotary embeddings."""
    half = _COLUMNS // 2

    def step(ops: Any, x: Any, k: int) -> Any:
        low = ops.slice(x, [0, 0], [4, half])
        high = ops.slice(x, [0, half], [4, _COLUMNS])
        return ops.add(ops.mul(x, 0.5), ops.cat([ops.neg(high), low], 1))

    return _chain(step, n, _rows())


@family(32)
def cat_of_inputs(n: int) -> Built:
    """One `cat` of that many inputs."""
    return (
        lambda fd, *xs: [fd.ops.cat([fd.ops.neg(x) for x in xs], 1)],
        [_rows(4, 1 + k % 4) for k in range(n)],
    )


@family(32)
def independent(n: int) -> Built:
    """That many inputs, each with an output."""
    return lambda fd, *xs: [fd.ops.sin(x) for x in xs], [_rows() for _ in range(n)]


@family(32)
def independent_reductions(n: int) -> Built:
    """That many inputs, each with its sum."""
    return lambda fd, *xs: [fd.ops.sum(x, [1]) for x in xs], [_rows() for _ in range(n)]


@family(16)
def independent_norms(n: int) -> Built:
    """That many inputs, each normalized."""
    return lambda fd, *xs: [_rms_norm(fd.ops, x) for x in xs], [_rows() for _ in range(n)]


@family(16)
def different_shapes(n: int) -> Built:
    """Independent inputs, each of another size."""
    return (
        lambda fd, *xs: [fd.ops.sin(fd.ops.add(x, 1.0)) for x in xs],
        [_rows(3, 2 + k) for k in range(n)],
    )


@family(32)
def sums_of_one(n: int) -> Built:
    """Sums of that many functions of one input."""

    def body(fd: Any, x: Any) -> list[Any]:
        return [fd.ops.sum(fd.ops.add(x, float(k)), [1]) for k in range(n)]

    return body, [_rows()]


@family(32)
def outputs_of_one(n: int) -> Built:
    """That many outputs of one input."""
    return lambda fd, x: [fd.ops.add(x, float(k)) for k in range(n)], [_rows()]


@family(32)
def chain_of_outputs(n: int) -> Built:
    """A chain each of whose links is an output."""

    def body(fd: Any, x: Any) -> list[Any]:
        outputs = []
        for k in range(n):
            x = fd.ops.add(fd.ops.neg(x), float(k))
            outputs.append(x)
        return outputs

    return body, [_rows()]


@family(512)
def tree(n: int) -> Built:
    """A binary tree over that many leaves of one input."""

    def body(fd: Any, x: Any) -> list[Any]:
        level = [fd.ops.mul(x, float(k)) for k in range(n)]
        while len(level) > 1:
            level = [
                fd.ops.add(level[k], level[k + 1]) if k + 1 < len(level) else level[k]
                for k in range(0, len(level), 2)
            ]
        return level

    return body, [_rows()]


@family(64)
def tree_of_inputs(n: int) -> Built:
    """The sum of that many inputs, as a binary tree."""

    def body(fd: Any, *xs: Any) -> list[Any]:
        level = list(xs)
        while len(level) > 1:
            pairs = zip(level[::2], level[1::2], strict=False)
            level = [fd.ops.add(a, b) for a, b in pairs] + level[len(level) & ~1 :]
        return level

    return body, [_rows() for _ in range(n)]


@family(10)
def pairs(n: int) -> Built:
    """Differences of all pairs of that many vectors, n (n - 1) / 2 outputs."""

    def body(fd: Any, *xs: Any) -> list[Any]:
        return [fd.ops.sub(xs[i], xs[j]) for i in range(n) for j in range(i)]

    return body, [torch.randn(_COLUMNS) for _ in range(n)]


@family(16)
def broadcasts(n: int) -> Built:
    """A matrix plus that many vectors along one dimension or the other."""

    def body(fd: Any, x: Any, *vectors: Any) -> list[Any]:
        for k, vector in enumerate(vectors):
            x = fd.ops.add(x, fd.ops.broadcast(vector, [k % 2 == 1, k % 2 == 0]))
        return [x]

    return body, [_rows(), *(torch.randn((4, _COLUMNS)[k % 2]) for k in range(n))]


@family(16)
def updates(n: int) -> Built:
    """That many inputs that are updated in place."""

    def body(fd: Any, *xs: Any) -> list[Any]:
        for x in xs:
            fd.add_output(fd.ops.mul(x, 0.5), x)
        return []

    return body, [_rows() for _ in range(n)]


@family(4)
def rank(n: int) -> Built:
    """A tensor of that rank in an order of its own: dimensions of 2, then of 1."""
    shape = [2 if k < 16 else 1 for k in range(n)]
    x = torch.randn(shape).permute(*reversed(range(n)))
    return lambda fd, a, b: [fd.ops.add(fd.ops.sin(a), b)], [x, torch.randn(list(x.shape))]


@family(4)
def rank_of_reductions(n: int) -> Built:
    """A sum over every second dimension of a tensor of that rank."""
    shape = [2 if k < 16 else 1 for k in range(n)]
    return lambda fd, x: [fd.ops.sum(x, list(range(0, n, 2)))], [torch.randn(shape)]


# ---------------------------------------------------------------- one size


def define(built: Built) -> FusionDefinition:
    """Define the fusion, with sizes left open."""
    body, inputs = built
    with FusionDefinition() as fd:
        handles = [
            fd.define_tensor(
                sizes=list(x.size()),
                strides=list(x.stride()),
                dtype=DataType.Int if x.dtype == torch.int64 else DataType.Float,
            )
            for x in inputs
        ]
        for output in body(fd, *handles):
            fd.add_output(output)
    return fd


def child(name: str, n: int, device: str) -> dict[str, float]:
    """Measure one size; runs in a process that has done nothing else."""
    on_cuda = device == "cuda"
    warm = define((lambda fd, x: [fd.ops.tanh(x)], [_rows()]))
    warm.execute([_rows().cuda() if on_cuda else _rows()])
    built = FAMILIES[name][0](n)
    inputs = [x.cuda() for x in built[1]] if on_cuda else built[1]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    fd = define(built)
    defined = time.process_time()
    fd.execute(inputs)
    if on_cuda:
        torch.cuda.synchronize()
    called = time.process_time()
    calls = 0
    again = time.perf_counter()
    while calls < 100 and time.perf_counter() - again < 1:
        fd.execute(inputs)
        calls += 1
    if on_cuda:
        torch.cuda.synchronize()
    with PythonProfiler() as profiler:
        fd.execute(inputs)
    kernels = profiler.profile.kernel_profiles
    return {
        "definition": defined - start,
        "first": called - defined,
        "call": (time.perf_counter() - again) / calls,
        "kernels": len(kernels),
        "compiled": len({kernel.name for kernel in kernels}),
        "megabytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    }


# ---------------------------------------------------------------- all of them


def _measure(name: str, n: int, arguments: argparse.Namespace) -> dict[str, float] | None:
    """Run a child; None when it takes far longer than the limit."""
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, NVFUSER_CACHE_DIR=folder, OMP_NUM_THREADS="1")
        command = [sys.executable, __file__, "--child", name, str(n), "--device", arguments.device]
        try:
            done = subprocess.run(
                command,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=20 + 8 * arguments.limit,
            )
        except subprocess.TimeoutExpired:
            return None
    if done.returncode != 0:
        raise RuntimeError(f"{name} of {n}:\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def exponent(points: list[tuple[int, float]]) -> float:
    """Return the slope of the logarithms, from the last three sizes that take a while."""
    tail = [(math.log(n), math.log(t)) for n, t in points if t > 0.02][-3:]
    if len(tail) < 2:
        return math.nan
    mean_x = sum(x for x, _ in tail) / len(tail)
    mean_y = sum(y for _, y in tail) / len(tail)
    spread = sum((x - mean_x) ** 2 for x, _ in tail)
    return sum((x - mean_x) * (y - mean_y) for x, y in tail) / spread


def _sizes(first: int, arguments: argparse.Namespace) -> Iterator[int]:
    if arguments.sizes:
        yield from (int(size) for size in arguments.sizes.split(","))
        return
    size = first
    while True:
        yield size
        size *= 2


def main() -> None:
    """Print a table for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", default=[], metavar="FAMILY")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--limit", type=float, default=5.0, help="seconds of a first call")
    parser.add_argument("--sizes", default="", help="these instead of doubled ones")
    parser.add_argument("--most", type=int, default=10**4, help="the largest size")
    parser.add_argument("--child", nargs=2, metavar=("FAMILY", "SIZE"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        name, n = arguments.child
        print(json.dumps(child(name, int(n), arguments.device)))
        return
    unknown = set(arguments.families) - set(FAMILIES)
    if unknown:
        parser.error(f"there are {', '.join(FAMILIES)}, but not {', '.join(unknown)}")
    for name in arguments.families or FAMILIES:
        build, first = FAMILIES[name]
        print(f"\n{name}: {build.__doc__}")
        print("    size  definition  first call  ms a call  kernels  compiled    MB", flush=True)
        points = []
        for n in _sizes(first, arguments):
            result = _measure(name, n, arguments)
            if result is None:
                print(f"{n:8}  longer than the limit by far", flush=True)
                break
            points.append((n, result["first"]))
            print(
                f"{n:8}  {result['definition']:10.3f}  {result['first']:10.3f}  "
                f"{1e3 * result['call']:9.3f}  {result['kernels']:7.0f}  "
                f"{result['compiled']:8.0f}  {result['megabytes']:4.0f}",
                flush=True,
            )
            if result["first"] > arguments.limit or 2 * n > arguments.most:
                break
        print(f"    exponent {exponent(points):.2f}", flush=True)


if __name__ == "__main__":
    main()
