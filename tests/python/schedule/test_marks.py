"""Marks of schedules by hand: what they ask for is done, or refused with a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from fusion_testing import declare
from llvm_harness import WITH_MASKS

import nvfuser
from nvfuser import _C, FusionDefinition, ParallelType
from nvfuser.llvm import compiler

Body = Callable[[FusionDefinition, Any], Any]


def run(
    body: Body,
    schedule: Callable[[FusionDefinition, Any, Any], None],
    x: torch.Tensor,
    static_sizes: bool = False,
) -> torch.Tensor:
    """Run `body(fd, input)` as `schedule(fd, input, output)` has it."""
    with FusionDefinition() as fd:
        t = declare(fd, x, static_sizes)
        result = body(fd, t)
        fd.add_output(result)
        schedule(fd, t, result)
    (output,) = fd.manual_execute([x])
    return output


def tile_columns(fd: FusionDefinition, total: Any, columns: int = 64) -> None:
    """Sums of columns, or their elements, in loops [tiles, rows, columns of a tile]."""
    total.split(1, columns)
    total.reorder({1: 0})
    fd.sched.transform_like(total)
    total.axis(0).parallelize(ParallelType.grid_x)
    fd.sched.parallelize_like(total)
    fd.sched.inline_most()


def share_rows(fd: FusionDefinition, result: Any) -> None:
    """Let workers share the outermost loop, one row after the other."""
    result.axis(0).parallelize(ParallelType.grid_x)
    fd.sched.parallelize_like(result)
    fd.sched.inline_most()


def code(text: str) -> str:
    """Return the text without the comment that prints the schedule."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(";"))


@pytest.mark.no_round_trip
@pytest.mark.parametrize("rows", [2, 4, 8])
def test_rows_are_jammed(rows: int, texts: list[str]) -> None:
    def schedule(fd: FusionDefinition, x: Any, total: Any) -> None:
        tile_columns(fd, total)
        total.axis(1).unroll_and_jam(rows=rows, ahead_bytes=4096)

    x = torch.randn(103, 200)
    output = run(lambda fd, t: fd.ops.sum(t, [0]), schedule, x)
    torch.testing.assert_close(output, x.sum(0), rtol=1e-4, atol=1e-4)
    assert code(texts[-1]).count("call void @llvm.prefetch.p0(") == rows
    assert f"unroll_and_jam(rows={rows}, " in texts[-1]


@pytest.mark.no_round_trip
def test_rows_are_folded(texts: list[str]) -> None:
    def schedule(fd: FusionDefinition, x: Any, total: Any) -> None:
        inside = total.cache_before()
        tile_columns(fd, inside, 8)
        inside.axis(1).fold(rows=32)

    x = torch.randn(1000, 5)
    output = run(lambda fd, t: fd.ops.sum(t, [0]), schedule, x)
    torch.testing.assert_close(output, x.sum(0), rtol=1e-4, atol=1e-4)
    assert "[256 x float]" in code(texts[-1])


@pytest.fixture
def masked_vectors() -> Iterator[None]:
    """Writes kernels for a CPU with masked vectors: LLVM finds a way on others, too."""
    _C._override_target({"hasMaskedVectors": 1})
    yield
    _C._override_target({})


@pytest.mark.no_round_trip
@pytest.mark.parametrize("columns", [7, 16, 31, 32, 45, 64])
@pytest.mark.parametrize("group", [0, 32])
def test_rests_are_masked(columns: int, group: int, masked_vectors: None, texts: list[str]) -> None:
    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        share_rows(fd, result)
        result.axis(1).mask_rest(lanes=8, group=group)

    x = torch.randn(50, columns + (group > 0))[:, :columns]
    output = run(lambda fd, t: fd.ops.exp(t), schedule, x)
    torch.testing.assert_close(output, x.exp())
    text = code(texts[-1])
    assert text.count('"llvm.loop.vectorize.width", i32 8') == 1
    assert text.count("@nvf.exp") == 1 + (group > 0)


@pytest.mark.parametrize("columns", [3, 7, 10, 31, 127])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
def test_schedulers_mask_rests_of_short_rows(
    columns: int, dtype: torch.dtype, masked_vectors: None, texts: list[str]
) -> None:
    def define(x: torch.Tensor, bias: torch.Tensor) -> list[torch.Tensor]:
        with FusionDefinition() as fd:
            a, b = declare(fd, x), declare(fd, bias)
            t = fd.ops.tanh(a + fd.ops.broadcast(b, [True, False]))
            for result in (t, fd.ops.sum(t, [0]), fd.ops.softmax(a, 1), fd.ops.cumsum(a, 1)):
                fd.add_output(result)
        return fd.execute([x, bias])

    x, bias = torch.randn(1000, columns).to(dtype), torch.randn(columns).to(dtype)
    results = define(x, bias)
    assert any('"llvm.loop.vectorize.width"' in text for text in texts)
    t = torch.tanh(x.double() + bias.double())
    for result, right in zip(
        results, (t, t.sum(0), x.double().softmax(1), x.double().cumsum(1)), strict=True
    ):
        tolerance = 2e-2 if dtype == torch.float16 else 1e-4
        torch.testing.assert_close(result.double(), right, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_rows_of_pairs_are_masked(
    dtype: torch.dtype, masked_vectors: None, texts: list[str]
) -> None:
    """Also where an iteration writes several results of its own."""

    def function(x: torch.Tensor) -> torch.Tensor:
        batch, channels, height, width = x.shape
        cells = x.reshape(batch, channels, height // 2, 2, width // 2, 2)
        moved = cells.permute(0, 1, 3, 5, 2, 4)
        return torch.tanh(moved.reshape(batch, 4 * channels, height // 2, width // 2))

    x = torch.randn(2, 40, 28, 28).to(dtype)
    for dynamic in (False, True):
        torch.testing.assert_close(nvfuser.jit(function, dynamic=dynamic)(x), function(x))
        assert '"llvm.loop.vectorize.width"' in texts[-1]
        optimized = str(compiler.optimize(texts[-1], WITH_MASKS))
        # Of one vector of known size there is no loop left.
        assert ("vector.body" if dynamic else "llvm.masked.") in optimized


@pytest.mark.no_round_trip
def test_results_and_next_rows_are_requested(texts: list[str]) -> None:
    def softmax(fd: FusionDefinition, x: Any) -> Any:
        exps = fd.ops.exp(fd.ops.sub(x, fd.ops.max(x, [1], keepdim=True)))
        return fd.ops.div(exps, fd.ops.sum(exps, [1], keepdim=True))

    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        share_rows(fd, result)
        result.axis(0).prefetch_results(bytes_least=1024, bytes_most=65536)
        result.axis(0).prefetch_next(elements_least=100, group=32, vectors=2)

    x = torch.randn(7, 3000)
    torch.testing.assert_close(run(softmax, schedule, x), x.softmax(1))
    requests = [line for line in texts[-1].splitlines() if "call void @llvm.prefetch" in line]
    # To write, and to read.
    assert {line.split("i32 ")[1][0] for line in requests} == {"0", "1"}


@pytest.mark.no_round_trip
@pytest.mark.parametrize("host", ["exps", "result"])
def test_the_loop_of_the_marked_tensor_hosts_the_prefetches(host: str, texts: list[str]) -> None:
    tensors: dict[str, Any] = {}

    def softmax(fd: FusionDefinition, x: Any) -> Any:
        tensors["exps"] = fd.ops.exp(fd.ops.sub(x, fd.ops.max(x, [1], keepdim=True)))
        total = fd.ops.sum(tensors["exps"], [1], keepdim=True)
        tensors["result"] = fd.ops.div(tensors["exps"], total)
        return tensors["result"]

    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        share_rows(fd, result)
        result.axis(0).prefetch_next(elements_least=100, group=32)
        assert tensors[host].host_prefetch().ndim == 2

    x = torch.randn(7, 3000)
    torch.testing.assert_close(run(softmax, schedule, x), x.softmax(1))
    assert "host_prefetch()" in texts[-1]
    # In front of the exponentials of a group, or behind all of them.
    lines = code(texts[-1]).splitlines()
    request = next(i for i, line in enumerate(lines) if "call void @llvm.prefetch" in line)
    exponential = next(i for i, line in enumerate(lines) if "@nvf.exp.f32(" in line)
    assert (request < exponential) == (host == "exps")


def request_far_rows(stride: int) -> Callable[[FusionDefinition, Any, Any], None]:
    """Ask for rows of 64 elements that are so many apart."""

    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        tile_columns(fd, result)
        result.axis(0).prefetch_far_rows(stride_bytes=4 * stride, row_bytes=256, ahead_bytes=2048)

    return schedule


@pytest.mark.no_round_trip
def test_short_rows_far_apart_are_requested(texts: list[str]) -> None:
    x = torch.randn(40, 1024)
    negative = run(lambda fd, t: fd.ops.neg(t), request_far_rows(1024), x, static_sizes=True)
    torch.testing.assert_close(negative, -x)
    requests = [line for line in code(texts[-1]).splitlines() if "call void @llvm.prefetch" in line]
    assert len(requests) == 1
    assert "i32 0, " in requests[0]
    # 2048 bytes are 8 rows of 64 elements.
    assert re.search(r"add nsw i64 %i\.\d+, 8\n", code(texts[-1]))


@pytest.mark.no_round_trip
def test_short_rows_near_each_other_are_not_requested() -> None:
    x = torch.randn(40, 1024)
    with pytest.raises(RuntimeError, match="prefetch_far_rows: Expected the outermost loop"):
        run(lambda fd, t: fd.ops.neg(t), request_far_rows(1025), x, static_sizes=True)


@pytest.mark.no_round_trip
@pytest.mark.parametrize("kind", ["sum", "max", "prod"])
def test_elements_of_short_rows_have_accumulators(kind: str, texts: list[str]) -> None:
    def reduced(fd: FusionDefinition, t: Any) -> Any:
        return getattr(fd.ops, kind)(t, [1, 2])

    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        share_rows(fd, result)
        result.axis(0).accumulate_apart(elements_most=64, vector=8, ragged_elements=108)

    for columns in (8, 12, 33):
        x = 1 + 0.001 * torch.randn(5, 9, columns)
        rows = x.flatten(1)
        expected = rows.amax(1) if kind == "max" else getattr(rows, kind)(1)
        torch.testing.assert_close(run(reduced, schedule, x, static_sizes=True), expected)
        assert f"= alloca [{columns} x float]" in code(texts[-1])
    for rows, columns in ((9, 65), (8, 12)):
        with pytest.raises(RuntimeError, match="accumulate_apart: Expected the outermost loop"):
            run(reduced, schedule, torch.randn(5, rows, columns), static_sizes=True)


@pytest.mark.no_round_trip
@pytest.mark.parametrize("group", [32, 64])
def test_results_are_streamed(group: int, texts: list[str]) -> None:
    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        result.cache_before()
        share_rows(fd, result)
        assert result.stream(group=group).ndim == 2

    x = torch.randn(5, 1003)
    assert torch.equal(run(lambda fd, t: fd.ops.neg(t), schedule, x), -x)
    assert code(texts[-1]).count("!nontemporal") == group * 4 // 64


@pytest.mark.no_round_trip
def test_tiles_are_transposed(texts: list[str]) -> None:
    def schedule(fd: FusionDefinition, x: Any, result: Any) -> None:
        result.split(-1, 32)
        result.split(-3, 32)
        result.reorder({-2: -3})
        result.transpose_tile()

    x = torch.randn(70, 130)
    assert torch.equal(run(lambda fd, t: fd.ops.permute(t, [1, 0]), schedule, x), x.T)
    assert "call void @nvf.transpose.b32(" in texts[-1]


@pytest.mark.no_round_trip
@pytest.mark.parametrize("vectors", [1, 4])
def test_loops_have_several_vectors_in_flight(vectors: int, texts: list[str]) -> None:
    x = torch.randn(5, 300)
    result = run(lambda fd, t: fd.ops.exp(t), lambda fd, t, y: y.interleave(vectors), x)
    torch.testing.assert_close(result, x.exp())
    assert f"interleave(vectors={vectors})" in texts[-1]
    assert f'"llvm.loop.interleave.count", i32 {vectors}' in texts[-1]


@pytest.mark.no_round_trip
def test_loops_that_accumulate_are_not_interleaved() -> None:
    with pytest.raises(RuntimeError, match=r"interleave: Expected .* accumulates nothing"):
        run(lambda fd, t: fd.ops.sum(t, [1]), lambda fd, t, y: y.interleave(), torch.randn(4, 5))


def stream_across(fd: FusionDefinition, x: Any, result: Any) -> None:
    result.cache_before()
    result.reorder({0: 1})
    result.stream()


def mark_differently(fd: FusionDefinition, x: Any, result: Any) -> None:
    first = x.cache_after()
    fd.sched.inline_most()
    first.axis(0).fold(2)
    result.axis(0).fold(4)


# By a name, what a marked `neg` is refused with.
REFUSED: dict[str, tuple[Callable[[FusionDefinition, Any, Any], Any], str]] = {
    "jam": (
        lambda fd, x, y: y.axis(1).unroll_and_jam(),
        "unroll_and_jam: Expected one loop over columns",
    ),
    "fold": (lambda fd, x, y: y.axis(0).fold(), "fold: Expected one loop over few columns"),
    "mask": (lambda fd, x, y: y.axis(0).mask_rest(), "mask_rest: Expected an innermost loop"),
    "results": (
        lambda fd, x, y: y.axis(0).prefetch_results(),
        "prefetch_results: Expected the outermost loop",
    ),
    "next": (
        lambda fd, x, y: y.axis(0).prefetch_next(),
        "prefetch_next: Expected the outermost loop",
    ),
    "far": (
        lambda fd, x, y: y.axis(0).prefetch_far_rows(),
        "prefetch_far_rows: Expected the outermost loop",
    ),
    "apart": (
        lambda fd, x, y: y.axis(0).accumulate_apart(),
        "accumulate_apart: Expected the outermost loop",
    ),
    "host": (lambda fd, x, y: y.host_prefetch(), "host_prefetch: Expected .* marked prefetch_next"),
    "stream": (lambda fd, x, y: y.stream(), "stream: Expected a copy to global memory"),
    "stream across": (stream_across, "stream: Expected .* to be copied by an innermost loop"),
    "tile": (lambda fd, x, y: y.transpose_tile(), "transpose_tile: Expected the two innermost"),
    "eviction": (lambda fd, x, y: y.evict_last(), "evict_first, evict_last: Expected a copy"),
    "two": (mark_differently, "Expected one mark of the loop"),
}


@pytest.mark.no_round_trip
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_is_refused(name: str, masked_vectors: None) -> None:
    schedule, message = REFUSED[name]
    with pytest.raises(RuntimeError, match=message):
        run(lambda fd, t: fd.ops.neg(t), schedule, torch.randn(40, 50))


def test_numbers_are_checked() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        tv = fd.ops.neg(x)
        loop = tv.axis(0)
        for mark, message in [
            (lambda: loop.unroll_and_jam(rows=1), "rows to be 2 or more but got 1"),
            (lambda: loop.unroll_and_jam(vectors=3), "vectors to be 1, 2 or 4 but got 3"),
            (lambda: loop.unroll_and_jam(ahead_bytes=-1), "ahead_bytes to be 0 or more"),
            (lambda: loop.fold(rows=0), "rows to be 2 or more but got 0"),
            (lambda: loop.mask_rest(lanes=12), "lanes to be a power of two"),
            (lambda: loop.mask_rest(group=-1), "group to be 0 or more"),
            (lambda: loop.prefetch_results(8, 8), "bytes_most to be 9 or more but got 8"),
            (lambda: loop.prefetch_next(group=48), "group to be a power of two"),
            (lambda: loop.prefetch_far_rows(stride_bytes=0), "stride_bytes to be 1 or more"),
            (lambda: loop.prefetch_far_rows(ahead_most=0), "ahead_most to be 1 or more"),
            (lambda: loop.accumulate_apart(elements_most=0), "elements_most to be 1 or more"),
            (lambda: loop.accumulate_apart(vector=0), "vector to be 1 or more"),
            (lambda: tv.stream(group=1), "group to be a power of two"),
            (lambda: tv.interleave(vectors=3), "vectors to be 1, 2 or 4 but got 3"),
        ]:
            with pytest.raises(RuntimeError, match=message):
                mark()
        fd.add_output(tv)


@pytest.mark.no_round_trip
def test_marked_loops_are_not_transformed() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        tv = fd.ops.neg(x)
        fd.add_output(tv)
        tv.axis(0).fold()
        assert "fold(rows=16)" in str(tv)
        for transform in (lambda: tv.split(0, 4), lambda: tv.merge(0, 1)):
            with pytest.raises(RuntimeError, match="which is marked"):
                transform()


@pytest.mark.no_round_trip
@pytest.mark.parametrize(
    ("policy", "function"),
    [("evict_first", "nvf::load_streaming"), ("evict_last", "nvf::load_kept")],
)
def test_loads_leave_the_cache_first_or_last(policy: str, function: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        y = fd.ops.neg(x)
        fd.add_output(y)
        getattr(x.cache_after(), policy)()
        y.axis(0).parallelize(ParallelType.grid_x)
        fd.sched.parallelize_like(y)
        fd.sched.inline_most()
    assert function in fd.fusion.print_kernel()
    t = torch.randn(4, 5)
    assert torch.equal(fd.manual_execute([t])[0], -t)
