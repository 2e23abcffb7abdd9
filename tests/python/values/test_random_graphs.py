"""Random graphs over all operations, by seed: the result of torch, whatever kernels they become.

In CI as many as take some seconds;
``pytest tests/python/values/test_random_graphs.py --fuzz-minutes 60`` tries others for an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import interface
import pytest
import random_graphs
import test_mixed_shapes
import torch
from fusion_testing import define, whole_numbers
from random_graphs import Graph

from nvfuser import DataType, FusionDefinition, TensorView

SEEDS = 40

# Beside what random_graphs.KINDS has.
TESTED_ELSEWHERE = {
    "scalars only, or their result is random": {"shape", "size", "rand_like", "randn_like"},
    "complex numbers (test_values_*)": {"complex", "imag", "real", "isreal"},
    "several results, or an own segment with tests of its own": {
        *("sdpfa_fwd", "sdpfa_bwd", "grouped_mm", "scaled_mm", "cutlass_nvfp4_grouped_mm"),
        *("preprocess_grouped_matmul_input_sf", "nv_block_quantize", "nv_grouped_block_quantize"),
        *("embedding_fwd", "welford", "var_mean", "torch_call"),
    },
    "whole numbers are not its range": {"nextafter", "isinf", "isnan", "isneginf", "isposinf"},
    "variants of tested ones": {
        *("bitwise_left_shift", "bitwise_right_shift", "logical_right_shift"),
        *("broadcast_in_dim", "cumprod", "var"),
    },
}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_graph(seed: int, device: str) -> None:
    random_graphs.check(random_graphs.Seeded(seed), device)


def test_more_random_graphs(seeds: Iterator[int], device: str) -> None:
    random_graphs.check_all((SEEDS + seed for seed in seeds), device)


# That were wrong, or could not be compiled: lookups in transposed tiles, whose next elements are
# requested ahead; computed sizes that are expanded to 1; groups that needed each other; tiles of
# merged dimensions that an input lacks; conditions stored past the cache.
@pytest.mark.parametrize(
    "seed", [2175759412, 440931259, 3083222091, 914507951, 2343522186, 126, 3627842660, 561389050]
)
def test_random_graphs_that_found_something(seed: int, device: str) -> None:
    random_graphs.check(random_graphs.Seeded(seed), device)


# A scheduler accepts a segment of each, but cannot do it: it is cut.
@pytest.mark.parametrize(
    ("seed", "keeps", "add"),
    [
        pytest.param(225658475, True, random_graphs.add_any, id="a pad beside a reduction"),
        pytest.param(4138064420, False, random_graphs.add_any, id="expanded rows"),
        pytest.param(3549043735, False, random_graphs.add_any, id="many expressions"),
        pytest.param(3120632644, False, random_graphs.add_any, id="one element by a computed size"),
        pytest.param(3421148315, False, test_mixed_shapes.add_mixed, id="vectors of a tile"),
        pytest.param(469200467, False, test_mixed_shapes.add_mixed, id="pads beside a tile"),
    ],
)
def test_segments_that_no_scheduler_can_do(
    seed: int, keeps: bool, add: Callable[[Graph], None], device: str
) -> None:
    random_graphs.check(random_graphs.Seeded(seed), device, keeps, add)


def test_every_operation_is_in_random_graphs() -> None:
    """Or it is named here, with the reason."""
    source = random_graphs.source()
    operations = [*interface.UNARY, *interface.BINARY, *interface.TERNARY, *interface.OPS]
    missing = {
        name for name in operations if f'"{name}"' not in source and f"ops.{name}(" not in source
    }
    assert missing == set().union(*TESTED_ELSEWHERE.values())


# ------------------------------------------------------------------ what they have found


def run(
    body: Callable[..., list[TensorView]],
    inputs: list[torch.Tensor],
    references: list[torch.Tensor],
) -> None:
    """Every scheduler must do what it accepted."""
    fd = define(body, inputs)
    outputs = fd.execute(inputs, _disable_options=["fallback"])
    for output, reference in zip(outputs, references, strict=True):
        assert torch.equal(output, reference)


@pytest.mark.parametrize("shape", [(40, 50), (33, 128), (64, 64)])
@pytest.mark.parametrize("is_summed", [False, True])
def test_differences_of_the_rows_of_a_column_major_matrix(
    shape: tuple[int, int], is_summed: bool, device: str
) -> None:
    x = whole_numbers(*reversed(shape)).t().to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        pairs = ops.sub(
            ops.broadcast(t, [True, False, False]), ops.broadcast(t, [False, True, False])
        )
        return [ops.sum(pairs, [2]) if is_summed else pairs]

    pairs = x[None] - x[:, None]
    run(body, [x], [pairs.sum(2) if is_summed else pairs])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("is_permuted", [False, True])
def test_transpose_beside_what_is_not(is_permuted: bool, dtype: torch.dtype, device: str) -> None:
    """Both read the tiles of an input, one of them across."""
    x = whole_numbers(70, 130).to(device, dtype)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        other = fd.ops.stride_order(t, [0, 1]) if is_permuted else fd.ops.abs(t)
        return [fd.ops.neg(fd.ops.permute(t, [1, 0])), other]

    run(body, [x], [-x.t(), x if is_permuted else x.abs()])


@pytest.mark.parametrize("way", ["squeeze", "pairs", "mask"])
def test_scans_beside_other_loops(way: str, device: str) -> None:
    """What is computed from a scan may have fewer dimensions than it, or more."""
    x = whole_numbers(40, 1, 17).to(device)

    def body(fd: FusionDefinition, t: TensorView, u: TensorView) -> list[TensorView]:
        ops = fd.ops
        sums = ops.cumsum(t, 0)
        if way == "mask":
            return [ops.mul(sums, u)]
        sums = ops.squeeze(sums, [1])
        if way == "squeeze":
            return [sums]
        flags = ([True, False, False], [False, True, False])
        return [ops.sub(*(ops.broadcast(sums, each) for each in flags))]

    y = whole_numbers(40, 5, 17).to(device)
    sums = x.cumsum(0)
    flat = sums.squeeze(1)
    references = {"squeeze": flat, "pairs": flat[None] - flat[:, None], "mask": sums * y}
    run(body, [x, y], [references[way]])


@pytest.mark.parametrize("flags", [(0, 2), (0, 1), (1, 2), (2, 0)])
def test_matrix_beside_its_transpose(flags: tuple[int, int], device: str) -> None:
    x = whole_numbers(64, 64).t().to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        one, other = ([at == flag for at in range(3)] for flag in flags)
        transposed = fd.ops.permute(t, [1, 0])
        return [fd.ops.add(fd.ops.broadcast(t, one), fd.ops.broadcast(transposed, other))]

    run(body, [x], [x.unsqueeze(flags[0]) + x.t().unsqueeze(flags[1])])


def test_parts_that_a_transposed_input_lacks(device: str) -> None:
    """What reads an input that lies across may be without one of its dimensions."""
    x = whole_numbers(40, 40, 40).permute(2, 1, 0).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        zero = fd.define_scalar(0)
        first = ops.broadcast(ops.select(t, zero, 0), [True, False, False])
        last = ops.broadcast(ops.select(t, zero, 2), [False, False, True])
        return [ops.add(first, last)]

    run(body, [x], [x.select(0, 0)[None] + x.select(2, 0)[:, :, None]])


@pytest.mark.parametrize("shape", [(4, 40000), (1, 40000), (2, 100000), (4, 1000), (300, 400)])
@pytest.mark.parametrize("dim", [0, 1])
def test_reductions_that_keep_different_dimensions(
    shape: tuple[int, int], dim: int, device: str
) -> None:
    """Along the same dimension: their loops are not the same."""
    x = whole_numbers(*(shape if dim == 1 else reversed(shape))).to(device)
    y = whole_numbers(max(shape)).to(device)
    flags = [True, False] if dim == 1 else [False, True]

    def body(fd: FusionDefinition, t: TensorView, u: TensorView) -> list[TensorView]:
        product = fd.ops.mul(t, fd.ops.broadcast(u, flags))
        return [fd.ops.sum(product, [dim]), fd.ops.sum(u, [0]), fd.ops.max(u, [0])]

    run(body, [x, y], [(x * y.unsqueeze(1 - dim)).sum(dim), y.sum(), y.amax()])


def test_slice_that_begins_within_a_padded_dimension_of_one(device: str) -> None:
    """The operand of the pad is stored once, where its element is not cut off."""
    x = whole_numbers(20, 1, 8).to(device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        padded = fd.ops.pad(fd.ops.set(t), [0, 0, 1, 1])
        return [fd.ops.slice(fd.ops.reshape(padded, [480]), [100], [400])]

    run(body, [x], [torch.nn.functional.pad(x, [0, 0, 1, 1]).reshape(480)[100:400]])


def test_static_sizes_of_zero_beside_other_results(device: str) -> None:
    """Where all is empty, there is no first block of a whole number of threads."""
    x = torch.zeros(0, 33, 17, device=device)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        ops = fd.ops
        inner = ops.set(ops.pad(ops.cast(t, DataType.Double), [2, 2, 0, 2, 0, 2]))
        return [ops.full([], 3.0, DataType.Float), ops.pad(inner, [1, 0, 3, 3, 2, 0])]

    fd = define(body, [x], static_sizes=True)
    three, padded = fd.execute([x])
    assert float(three) == 3.0
    assert torch.equal(padded, torch.zeros_like(padded))


@pytest.mark.parametrize("name", ["exp", "mul"])
def test_parts_of_a_concatenation_that_others_read(name: str) -> None:
    """What is computed again for one part, and for a copy of another one, in front of all parts."""
    x = torch.rand(17, 300, dtype=torch.float64).round()

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        y = fd.ops.mul(t, 3.0) if name == "mul" else fd.ops.round(fd.ops.exp(t))
        parts = [t, y, fd.ops.segment_set(y)]
        return [fd.ops.cat(parts, dim=0)]

    y = 3 * x if name == "mul" else x.exp().round()
    run(body, [x], [torch.cat([x, y, y])])


@pytest.mark.parametrize("end", [2, 4])
def test_slices_of_what_their_sums_are_repeated_along(end: int) -> None:
    x = torch.randint(0, 5, (6, 5, 4), dtype=torch.float64)

    def body(fd: FusionDefinition, t: TensorView) -> list[TensorView]:
        y = fd.ops.mul(t, 3.0)
        part = fd.ops.slice(y, [2, 1, 0], [6, end, 3])
        total = fd.ops.sum(part, [0, 2] if end == 2 else [0, 1, 2])
        broadcast = [True, False, True] if end == 2 else [True, True, True]
        return [fd.ops.mul(y, fd.ops.broadcast(total, broadcast))]

    y = 3 * x
    run(body, [x], [y * y[2:6, 1:end, 0:3].sum()])
