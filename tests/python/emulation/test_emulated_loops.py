"""Which loops kernels have, by their text: written for the properties of a large GPU, not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch
from thread_work import statements_of_a_thread

import nvfuser
from nvfuser import _C, FusionDefinition, ParallelType


def plan(kernels: list[str], function: Callable[..., Any], *inputs: torch.Tensor) -> dict[str, int]:
    """Return the kernels of a function, with the statements of a thread of each."""
    kernels.clear()
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(function, backend="nvfuser", dynamic=False)(*inputs)
    return {name: count for text in kernels for name, count in statements_of_a_thread(text).items()}


def turned(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    across = torch.cat([-second, first], -1)
    return x * cosine[None, None] + across * sine[None, None]


def test_outputs_with_dimensions_of_their_own_have_loops_of_their_own(kernels: list[str]) -> None:
    def function(q: Any, k: Any, cosine: Any, sine: Any) -> Any:
        return turned(q, cosine, sine), turned(k, cosine, sine)

    q, k = torch.randn(1, 32, 256, 128), torch.randn(1, 8, 256, 128)
    cosine, sine = torch.randn(256, 128), torch.randn(256, 128)
    work = plan(kernels, function, q, k, cosine, sine)
    # The loops of the one inside those of the other would be 8 * 256 * 128 statements and more.
    assert len(work) == 2
    assert max(work.values()) < 1000
    # In one launch.
    assert len(kernels) == 1


def test_outputs_of_equal_dimensions_share_a_kernel(kernels: list[str]) -> None:
    def function(q: Any, k: Any, cosine: Any, sine: Any) -> Any:
        return turned(q, cosine, sine), turned(k, cosine, sine)

    q, k = torch.randn(1, 8, 256, 128), torch.randn(1, 8, 256, 128)
    cosine, sine = torch.randn(256, 128), torch.randn(256, 128)
    assert len(plan(kernels, function, q, k, cosine, sine)) == 1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32])
def test_halves_of_whole_vectors_are_read_and_chosen_as_such(
    kernels: list[str], dtype: torch.dtype
) -> None:
    """By vectors that begin where an access may, and under conditions of their first element."""
    x, cosine = torch.ones(4, 8, 64, 96, dtype=dtype), torch.ones(64, 96, dtype=dtype)
    plan(kernels, turned, x, cosine, cosine)
    text = kernels[0]
    assert "load_unaligned" not in text
    (element,) = re.findall(r"for \(int (\w+) = 0; \1 < (?:4|8); ", text)
    after = text.split(f"++{element}) {{")[1]
    indices = re.findall(rf"const int (\w+) = \w+ \+ {element};", after)
    assert not [name for name in indices if re.search(rf"if \([^)]*\b{name}\b", after)]
    # What begins anywhere in memory is put together of words.
    part = torch.ones(8 * 8 * 64 * 96 + 1, dtype=torch.bfloat16)[1:].view(8, 8, 64, 96)
    plan(kernels, lambda x: torch.cat([-x[..., 48:], x[..., :48]], -1), part)
    assert "nvf::load_unaligned<8>" in kernels[0]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_what_keeps_the_digits_of_16_bits_is_not_rounded(
    kernels: list[str], dtype: torch.dtype
) -> None:
    def halves(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return torch.where(mask, torch.cat((-second, first.abs()), -1), x)

    plan(kernels, halves, torch.randn(5, 64).to(dtype), torch.rand(5, 64) < 0.5)
    code = kernels[0].split("__global__")[1]
    assert "nvf::neg_stored(" in code
    assert "nvf::abs_stored(" in code
    # But for what is around the halves.
    assert not re.search(r"nvf::to_\w+\((?!0\.0f)", code)


def test_groups_of_sizes_known_at_launch_are_read_in_vectors(kernels: list[str]) -> None:
    def function(x: torch.Tensor) -> Any:
        groups = x.reshape(x.shape[0], x.shape[1] // 32, 32)
        scale = groups.float().abs().amax(-1, keepdim=True) / 127
        return (groups / scale).round().to(torch.int8).reshape(x.shape), scale

    kernels.clear()
    with torch.no_grad():
        nvfuser.jit(function)(torch.ones(8, 5024, dtype=torch.bfloat16))
    assert re.search(r"nvf::\w+<16>\(T\d+, &T0\[", "".join(kernels))


def test_heads_in_flight_share_their_factors(kernels: list[str]) -> None:
    """A thread has the same place of two of them: it loads its factors once."""
    x, factors = torch.ones(16, 8, 512, 64, dtype=torch.float16), torch.ones(2, 512, 64).half()
    plan(kernels, turned, x, *factors)
    loads = re.findall(r"nvf::copy<8>\((&?)T\d+.*, &(T\d+)\[\w+\]\);", kernels[0])
    # Those of one vector go to the beginning of an array.
    once = [tensor for offset, tensor in loads if not offset]
    twice = {tensor for offset, tensor in loads if offset}
    assert len(once) == 2
    assert len(twice) == 1
    assert not twice & set(once)


def test_a_scalar_of_several_outputs_is_no_kernel(kernels: list[str]) -> None:
    def function(x: Any, y: Any, scale: Any) -> Any:
        return x * scale + 1, y * scale + 2

    work = plan(kernels, function, torch.randn(1000, 200), torch.randn(3000), torch.randn(()))
    assert len(work) == 2


def test_what_follows_a_group_norm_is_in_its_kernel(kernels: list[str]) -> None:
    """The groups are merged into channels behind it: no loops of a kernel fit both."""

    def function(x: Any, weight: Any, bias: Any) -> Any:
        return torch.nn.functional.silu(torch.nn.functional.group_norm(x, 4, weight, bias)) * 2

    x = torch.randn(8, 32, 16, 16, dtype=torch.float16)
    weight, bias = torch.randn(2, 32, dtype=torch.float16)
    assert len(plan(kernels, function, x, weight, bias)) == 1


@pytest.mark.parametrize("batch", [1, 2])
def test_few_long_groups_are_read_once_by_clusters(kernels: list[str], batch: int) -> None:
    """Without clusters twice: by the parts of their moments, and by what is normalized."""

    def function(x: Any, weight: Any, bias: Any) -> Any:
        return torch.nn.functional.group_norm(x, 32, weight, bias)

    x = torch.randn(batch, 256, 112, 112, dtype=torch.float16)
    weight, bias = torch.randn(2, 256, dtype=torch.float16)
    assert len(plan(kernels, function, x, weight, bias)) == 1
    assert "__cluster_dims__(" in kernels[0]
    _C._override_target({"clusterBlocks": 1})
    try:
        assert len(plan(kernels, function, x, weight, bias)) == 3
    finally:
        _C._override_target({})
    assert "nvf::merge_moments(" in kernels[0]


def is_read_along_memory(text: str, tensor: str) -> bool:
    """Whether threads read vectors of a tensor, and nothing but these."""
    reads = re.findall(rf"nvf::(\w+<\d+>)?[^;]*?&?\b{tensor}\[|= {tensor}\[", text)
    return bool(reads) and all(re.match(r"(copy|load_vector)\w*<\d+>$", read) for read in reads)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("sizes", [(5, 256, 112, 112), (8, 320, 28, 28)])
def test_group_norms_of_copies_read_their_source_along_memory(
    kernels: list[str], sizes: tuple[int, ...], dtype: torch.dtype
) -> None:
    """On CUDA torch copies what lies in another order: channels are summed, and tiles turned."""

    def function(x: Any, weight: Any, bias: Any) -> Any:
        return torch.nn.functional.group_norm(x.contiguous(), 32, weight, bias)

    x = torch.empty(sizes, dtype=dtype).to(memory_format=torch.channels_last)
    weight, bias = torch.empty(2, sizes[1], dtype=dtype)
    plan(kernels, function, x, weight, bias)
    assert len(kernels) == 3
    first, *_, last = kernels
    for text in (first, last):
        assert is_read_along_memory(text, "T0")
    assert "__shared__" in last


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("sizes", [(33, 512, 16, 16), (64, 24, 14, 14)])
def test_gradients_of_a_group_norm_read_inputs_twice(
    kernels: list[str], sizes: tuple[int, ...], dtype: torch.dtype
) -> None:
    """Sums of channels, those of groups, those over the batch, and the gradient of the input."""
    batch, channels, height, width = sizes

    def function(gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any) -> Any:
        counts = [batch, channels, height * width, 8]
        return torch.ops.aten.native_group_norm_backward(
            gradient, x, mean, rstd, weight, *counts, [True] * 3
        )

    gradient, x = torch.ones(2, *sizes, dtype=dtype)
    mean, rstd = torch.ones(2, batch, 8, dtype=dtype)
    plan(kernels, function, gradient, x, mean, rstd, torch.ones(channels, dtype=dtype))
    assert len(kernels) == 4


@pytest.mark.parametrize("sizes", [(33, 3, 56, 56), (64, 32, 14, 14)])
def test_gradients_of_a_norm_of_each_channel_read_inputs_once(
    kernels: list[str], sizes: tuple[int, ...]
) -> None:
    """A channel that is a group stays in registers; another kernel sums over the batch."""
    batch, channels, height, width = sizes

    def function(gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any) -> Any:
        counts = [batch, channels, height * width, channels]
        return torch.ops.aten.native_group_norm_backward(
            gradient, x, mean, rstd, weight, *counts, [True] * 3
        )

    gradient, x = torch.ones(2, *sizes, dtype=torch.bfloat16)
    mean, rstd = torch.ones(2, batch, channels, dtype=torch.bfloat16)
    plan(kernels, function, gradient, x, mean, rstd, torch.ones(channels, dtype=torch.bfloat16))
    assert len(kernels) == 2


def rms_norm_backward(gradient: Any, x: Any, weight: Any) -> Any:
    wide, g = x.float(), gradient.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
    normalized, weighted = wide * scale, g * weight.float()
    inner = (weighted * normalized).mean(-1, keepdim=True)
    dx = (weighted - normalized * inner) * scale
    return dx.to(x.dtype), (g * normalized).sum(0).to(weight.dtype)


def test_columns_of_few_rows_are_read_again(kernels: list[str]) -> None:
    """Each block has a row: its part of the sums over the rows would be larger than the row."""
    g, x = torch.randn(2, 128, 4096, dtype=torch.float16)
    assert len(plan(kernels, rms_norm_backward, g, x, x[0])) == 2
    rows, columns = kernels[0].split('extern "C" __global__')[1:]
    for number in (0, 2):
        assert re.search(rf"nvf::copy<8>\(\w+, &T{number}\[", rows)
        assert re.search(rf"nvf::copy<8>\(&\w+\[\w+\], &T{number}\[", columns)


def test_parts_of_sums_are_written_in_vectors(kernels: list[str]) -> None:
    """Those of many rows, which the blocks share."""
    g, x = torch.randn(2, 8192, 1024, dtype=torch.float16)
    assert len(plan(kernels, rms_norm_backward, g, x, x[0])) == 2
    rows = kernels[0].split('extern "C" __global__')[1]
    head, _, body = rows.partition(") {\n")
    written = re.findall(r" float\* __restrict__ (T\d+)", head)
    assert written
    for name in written:
        assert re.search(rf"copy<\d>\(&{name}\[", body)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_rows_are_added_to_in_vectors(kernels: list[str], dtype: torch.dtype) -> None:
    """What is added, and the sums before and behind it: in those of one access to sums."""

    def function(x: Any, index: Any) -> Any:
        zeros = torch.zeros(32, 1024, device=x.device)
        return torch.relu(zeros.index_add(0, index, x.float() * 0.5))

    x = torch.ones(128, 1024, dtype=dtype)
    plan(kernels, function, x, torch.zeros(128, dtype=torch.int64))
    zeros, added, behind = kernels[0].split('extern "C" __global__')[1:]
    assert "nvf::copy<4>(" in zeros
    assert "<4>(" in added.replace("add_vector_to", "")
    assert "nvf::add_vector_to<4>(" in added
    assert behind.count("nvf::copy<4>(") == 2


def test_what_threads_exchange_is_no_restricted_pointers(kernels: list[str]) -> None:
    """A compiler moves loads by such a pointer in front of barriers: others wrote the value."""
    x = torch.randn(8, 16)
    with FusionDefinition() as fd:
        t = fd.define_tensor([8, 16])
        total = fd.ops.sum(t, [1])
        fd.add_output(total)
        part = fd.ops.div(t, fd.ops.broadcast(total, [False, True]))
        fd.add_output(part)
        part.axis(1).parallelize(ParallelType.block_x)
        fd.sched.inline_most()
    fd.manual_execute([x])
    (code,) = kernels
    exchanged = 0
    for function in code.split('extern "C" __global__')[1:]:
        head, _, text = function.partition(") {\n")
        for qualifier, name in re.findall(r"float\* (__restrict__ )?(T\d+)", head):
            is_written = re.search(rf"^ *{name}\[[^\]]*\] = ", text, re.MULTILINE)
            is_read = re.search(rf"= .*\b{name}\[", text)
            if is_written and is_read:
                assert not qualifier, name
                exchanged += 1
    assert exchanged > 0


def test_blocks_of_rolled_rows_follow_memory(kernels: list[str]) -> None:
    """Positions that are computed follow each other: no row is read again by other blocks."""

    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.roll(x, 1, 0) + y

    x, y = torch.empty(2, 16384, 257)
    plan(kernels, function, x, y)
    (text,) = kernels
    row = re.search(r"(block_[xy]) \* 4;", text)
    column = re.search(r"(block_[xy]) \* 88;", text)
    assert row is not None
    assert column is not None
    assert (row[1], column[1]) == ("block_y", "block_x")
