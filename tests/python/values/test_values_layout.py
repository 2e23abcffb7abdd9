"""Layouts of inputs and outputs: mixed ranks, broadcast, expanded, strided, permuted, empty."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import torch
from fusion_testing import (
    FLOATS,
    INTEGERS,
    NVFUSER_DTYPES,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import DataType, FusionDefinition

STRIDED = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.transpose(0, 2).contiguous().transpose(0, 2),
    "permuted": lambda t: t.permute(1, 2, 0).contiguous().permute(2, 0, 1),
    "every second row": lambda t: torch.cat([t, t], 1).reshape(4, 2, 6, 8)[:, 0],
    "every second column": lambda t: torch.stack([t, t], 3).reshape(4, 6, 16)[:, :, ::2],
    "window": lambda t: torch.nn.functional.pad(t, (1, 3, 2, 1, 1, 1))[1:5, 2:8, 1:9],
    "misaligned": lambda t: torch.cat([t.flatten()[:1], t.flatten()])[1:].view(4, 6, 8),
    "expanded rows": lambda t: t[:, :1].expand(4, 6, 8),
    "expanded columns": lambda t: t[:, :, :1].expand(4, 6, 8),
    "expanded all": lambda t: t[:1, :1, :1].expand(4, 6, 8),
    "overlapping": lambda t: t.flatten().as_strided((4, 6, 8), (3, 5, 1)),
}


@pytest.mark.parametrize("right", STRIDED)
@pytest.mark.parametrize("left", STRIDED)
def test_pointwise_of_every_pair_of_layouts(left: str, right: str, device: str) -> None:
    base = make_tensor((4, 6, 8), torch.float32, device)
    a, b = STRIDED[left](base), STRIDED[right](base + 1)
    output = run_one(lambda fd, x, y: fd.ops.sub(fd.ops.mul(x, y), x), [a, b])
    assert_matches(output, widen(a) * widen(b) - widen(a), torch.float32, atol=4e-6)


@pytest.mark.parametrize("dims", [[0], [1], [2], [0, 2], [1, 2], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("layout", STRIDED)
def test_reduction_of_every_layout(layout: str, dims: list[int], device: str) -> None:
    a = STRIDED[layout](make_tensor((4, 6, 8), torch.float64, device))
    outputs = run(lambda fd, x: [fd.ops.sum(x, dims), fd.ops.max(x, dims)], [a])
    assert_matches(outputs[0], a.sum(dims), torch.float64, rtol=1e-12)
    assert_matches(outputs[1], a.amax(dims), torch.float64)


def test_one_definition_without_contiguity_takes_every_layout(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1, -1], contiguity=False, dtype=DataType.Float)
        fd.add_output(fd.ops.relu(fd.ops.add(x, 1.0)))
    base = make_tensor((4, 6, 8), torch.float32, device)
    for layout in ("contiguous", "transposed", "permuted", "every second row", "window"):
        a = STRIDED[layout](base)
        for _ in range(2):
            (output,) = fd.execute([a])
            assert torch.equal(output, (a + 1).relu())


# --------------------------------------------------------------------- mixed ranks

SHAPES = [(4, 6, 8), (6, 8), (8,), (), (1, 6, 8), (4, 1, 8), (4, 6, 1), (1, 1, 1), (6, 1), (1,)]


@pytest.mark.parametrize(
    ("left", "right"), list(itertools.combinations_with_replacement(SHAPES, 2)), ids=str
)
def test_ranks_and_broadcast(left: tuple[int, ...], right: tuple[int, ...], device: str) -> None:
    a = make_tensor(left, torch.float32, device)
    b = make_tensor(right, torch.float32, device, seed=1)
    output = run_one(lambda fd, x, y: fd.ops.add(x, y), [a, b])
    assert_matches(output, widen(a) + widen(b), torch.float32)


def test_three_way_broadcast(device: str) -> None:
    a = make_tensor((4, 1, 1), torch.float32, device)
    b = make_tensor((1, 6, 1), torch.float32, device, seed=1)
    c = make_tensor((1, 1, 8), torch.float32, device, seed=2)
    output = run_one(lambda fd, x, y, z: fd.ops.mul(fd.ops.add(x, y), z), [a, b, c])
    assert_matches(output, (widen(a) + widen(b)) * widen(c), torch.float32, atol=4e-6)


def test_outputs_of_different_ranks(device: str) -> None:
    a = make_tensor((4, 6, 8), torch.float32, device)
    b = make_tensor((8,), torch.float32, device, seed=1)
    outputs = run(
        lambda fd, x, y: [fd.ops.exp(y), fd.ops.add(x, fd.ops.exp(y)), fd.ops.sum(x, [0, 1, 2])],
        [a, b],
    )
    assert_matches(outputs[0], widen(b).exp(), torch.float32)
    assert_matches(outputs[1], widen(a) + widen(b).exp(), torch.float32)
    assert_matches(outputs[2], widen(a).sum(), torch.float32, atol=1e-4)


def test_one_number_of_iota_in_a_loop_of_many(device: str) -> None:
    x = make_tensor((7, 2), torch.float32, device)
    columns = torch.arange(7, device=device).unsqueeze(0)

    def body(fd, t, c):
        rows = fd.ops.broadcast(fd.ops.iota(2, 2), [False, True])
        zero = fd.ops.broadcast(fd.ops.iota(1), [True, False])
        mask = fd.ops.broadcast(fd.ops.squeeze(fd.ops.ge(zero, rows), [1]), [True, False])
        return [fd.ops.min(fd.ops.where(mask, t, 0.0), 0), fd.ops.ge(c, rows)]

    least, mask = run(body, [x, columns])
    assert torch.equal(least, torch.zeros(2, device=device))
    assert torch.equal(mask, columns >= torch.tensor([[2], [3]], device=device))


def test_unrelated_outputs(device: str) -> None:
    a = make_tensor((4, 6), torch.float32, device)
    b = make_tensor((11,), torch.float64, device, seed=1)
    outputs = run(lambda fd, x, y: [fd.ops.neg(x), fd.ops.neg(y)], [a, b])
    assert torch.equal(outputs[0], -a)
    assert torch.equal(outputs[1], -b)


# ------------------------------------------------------------------- extreme shapes

SIZES = [
    (0,), (1,), (7,), (8,), (9,), (4095,), (4097,), (1, 1), (0, 5), (5, 0), (2, 0, 3), (1, 9000),
    (9000, 1), (2, 1, 1, 3), (1, 1, 1, 1, 1, 1), (2,) * 8, (300, 301), (1_000_003,),
]  # fmt: skip


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("shape", SIZES, ids=str)
def test_sizes(shape: tuple[int, ...], static: bool, device: str) -> None:
    a = make_tensor(shape, torch.float32, device)
    b = make_tensor(shape, torch.float32, device, seed=1)
    (output,) = run(lambda fd, x, y: fd.ops.relu(fd.ops.add(x, y)), [a, b], static_sizes=static)
    assert_matches(output, (widen(a) + widen(b)).relu(), torch.float32)


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("shape", [(0, 17), (17, 0), (0, 0)], ids=str)
@pytest.mark.parametrize("expanded", [True, False], ids=["expanded", "contiguous"])
def test_empty_tensors(shape: tuple[int, int], expanded: bool, static: bool, device: str) -> None:
    whole = torch.ones(1, 1, device=device)
    a = whole.expand(shape) if expanded else torch.empty(shape, device=device)
    outputs = run(
        lambda fd, x: [
            fd.ops.neg(x),
            *(fd.ops.softmax(x, dim) for dim in (0, 1)),
            *(fd.ops.sum(x, dim) for dim in (0, 1)),
            fd.ops.reshape(fd.ops.exp(x), [0, 5]),
        ],
        [a],
        static_sizes=static,
    )
    references = [-a, a, a, a.sum(0), a.sum(1), torch.empty(0, 5, device=device)]
    for output, reference in zip(outputs, references, strict=True):
        assert_matches(output, widen(reference), torch.float32)


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool], ids=dtype_id)
@pytest.mark.parametrize("shape", [(), (0,), (1,), (33,)], ids=str)
def test_dtypes_of_small_tensors(dtype: torch.dtype, shape: tuple[int, ...], device: str) -> None:
    a = make_tensor(shape, dtype, device)
    output = run_one(lambda fd, x: fd.ops.set(x), [a])
    assert output.dtype == dtype
    assert torch.equal(output, a)


def test_one_fusion_serves_every_size(device: str) -> None:
    a = make_tensor((5, 6), torch.float32, device)
    fd = define(lambda fd, x: fd.ops.exp(fd.ops.neg(x)), [a])
    for shape in [(5, 6), (1, 6), (6, 1), (1, 1), (0, 3), (3, 0), (100, 101), (2, 3), (5, 6)]:
        y = make_tensor(shape, torch.float32, device)
        (output,) = fd.execute([y])
        assert_matches(output, (-widen(y)).exp(), torch.float32)


def test_size_one_and_other_sizes_of_a_symbolic_pair(device: str) -> None:
    # Both tensors symbolic: sizes must agree, 1 does not broadcast silently into wrong values.
    a = make_tensor((5, 6), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.add(x, y), [a, a])
    for shape in [(5, 6), (1, 6), (5, 1), (1, 1)]:
        x, y = (make_tensor(shape, torch.float32, device, seed=seed) for seed in (1, 2))
        (output,) = fd.execute([x, y])
        assert_matches(output, widen(x) + widen(y), torch.float32)


def test_offsets_beyond_31_bits(device: str) -> None:
    # Two elements of a view 2**31 + 6 bytes apart; untouched memory costs nothing on the CPU.
    storage = torch.empty(2**31 + 16, dtype=torch.bool, device=device)
    view = storage.as_strided((2, 3), (2**31 + 6, 1))
    view.copy_(torch.tensor([[True, False, True], [False, True, True]]))
    output, count = run(lambda fd, x: [fd.ops.logical_not(x), fd.ops.sum(x, 0)], [view])
    assert torch.equal(output, ~view)
    assert count.tolist() == [1, 1, 2]


def test_expanded_beyond_31_bits_of_elements(device: str) -> None:
    a = torch.ones(1, device=device).expand(2**20, 2**12)
    (output,) = run(lambda fd, x: fd.ops.max(x, [0, 1]), [a])
    assert output.item() == 1.0


# ------------------------------------------------------------------ zero-dim tensors


def test_zero_dim_with_others(device: str) -> None:
    a = make_tensor((3, 5), torch.float32, device)
    s = torch.tensor(2.5, device=device)
    output, product = run(lambda fd, x, t: [fd.ops.mul(x, t), fd.ops.mul(t, t)], [a, s])
    assert_matches(output, widen(a) * 2.5, torch.float32)
    assert product.shape == ()
    assert product.item() == 6.25


def test_host_scalar_declared_as_such(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.Float)
        s = fd.define_tensor(shape=[], contiguity=[], dtype=DataType.Double, is_cpu=True)
        fd.add_output(fd.ops.mul(x, s))
    a = make_tensor((7,), torch.float32, device)
    (output,) = fd.execute([a, torch.tensor(3.0, dtype=torch.float64)])
    assert_matches(output, widen(a) * 3, torch.float32)


def test_only_scalar_inputs(device: str) -> None:
    with FusionDefinition() as fd:
        s = fd.define_scalar(dtype=DataType.Double)
        n = fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.mul(fd.ops.full([3, n], 2.0, dtype=DataType.Float), s))
    (output,) = fd.execute([1.5, 4], device=device)
    assert output.tolist() == [[3.0] * 4] * 3
    assert output.device.type == device


# -------------------------------------------------------------- permuted and transposed


@pytest.mark.parametrize("dims", list(itertools.permutations(range(3))), ids=str)
def test_permuted_input_with_contiguous_one(dims: tuple[int, ...], device: str) -> None:
    a = make_tensor((13, 17, 19), torch.float32, device)
    b = make_tensor(tuple(a.shape[dim] for dim in dims), torch.float32, device, seed=1)
    output = run_one(lambda fd, x, y: fd.ops.add(x, y), [a.permute(dims), b])
    assert_matches(output, widen(a.permute(dims)) + widen(b), torch.float32)


BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64, 16: torch.complex128}


@pytest.mark.parametrize("dtype", NVFUSER_DTYPES, ids=dtype_id)
@pytest.mark.parametrize("shape", [(32, 32), (64, 200), (131, 67), (3, 150, 333)], ids=str)
def test_transposed_input(dtype: torch.dtype, shape: tuple[int, ...], device: str) -> None:
    """Large enough for tiles; most of them end before they are full."""
    across = make_tensor(shape, torch.float32, device).mul(50).to(dtype).mT
    along = make_tensor(tuple(across.shape), torch.float32, device, seed=1).mul(50).to(dtype)
    mask = make_tensor(tuple(across.shape), torch.float32, device, seed=2) > 0
    output = run_one(
        lambda fd, m, x, y: fd.ops.cast(fd.ops.where(m, x, y), NVFUSER_DTYPES[dtype]),
        [mask, across, along],
    )
    bits = BITS[dtype.itemsize]
    expected = torch.where(mask, across.contiguous().view(bits), along.view(bits))
    assert torch.equal(output.view(bits), expected)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("rows", [3, 4, 7, 12, 16, 31], ids=str)
@pytest.mark.parametrize("columns", [4, 17, 96], ids=str)
def test_short_dimensions_that_are_exchanged(
    rows: int, columns: int, dtype: torch.dtype, device: str
) -> None:
    """Tiles that one of them fits in, and those of dimensions that are too short for any."""
    x = make_tensor((3, rows, 29, columns), dtype, device)
    y = make_tensor((columns,), dtype, device, seed=1)
    output = run_one(
        lambda fd, x, y: fd.ops.cast(
            fd.ops.permute(fd.ops.mul(x, y), [0, 3, 2, 1]), NVFUSER_DTYPES[dtype]
        ),
        [x, y],
    )
    assert output.is_contiguous()
    assert_matches(output, (widen(x) * widen(y)).permute(0, 3, 2, 1), dtype)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize("shape", [(1, 40, 1, 70), (1, 1, 300, 1, 1, 520)], ids=str)
def test_transposed_input_whose_sizes_of_one_are_left_out(
    shape: tuple[int, ...], dtype: torch.dtype, device: str
) -> None:
    x = make_tensor(shape, dtype, device)
    y = make_tensor(shape[::-1], dtype, device, seed=1).permute(*reversed(range(len(shape))))
    dims = [dim for dim, size in enumerate(shape) if size == 1]
    output = run_one(lambda fd, s, t: fd.ops.squeeze(fd.ops.add(s, t), dims), [x, y])
    assert_matches(output, (widen(x) + widen(y)).squeeze(), output.dtype)


def test_channels_last(device: str) -> None:
    a = make_tensor((2, 8, 5, 6), torch.float32, device).to(memory_format=torch.channels_last)
    scale = make_tensor((8, 1, 1), torch.float32, device, seed=1)
    output = run_one(lambda fd, x, s: fd.ops.relu(fd.ops.mul(x, s)), [a, scale])
    assert_matches(output, (widen(a) * widen(scale)).relu(), torch.float32)


@pytest.mark.parametrize("shape", [(33, 2, 17), (40, 2, 34), (64, 7, 7)], ids=str)
def test_first_dimension_is_innermost(shape: tuple[int, ...], device: str) -> None:
    """The others lie together in the input and in the output: vectors may cross from row to row."""
    rest = shape[1:]
    x = make_tensor((*rest, shape[0]), torch.bfloat16, device).movedim(-1, 0)
    (output,) = run(lambda fd, t: [fd.ops.cast(t, DataType.Float)], [x])
    assert output.is_contiguous()
    assert torch.equal(output, x.float())


def test_an_output_without_elements_beside_others(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        y = fd.define_tensor(shape=[-1], contiguity=True)
        window = fd.ops.slice(fd.ops.stride_order(x, [1, 0]), [13, 8], [16, 21])
        for output in (window, fd.ops.sum(y, [0], True), fd.ops.sum(y), fd.ops.neg(y)):
            fd.add_output(output)
    for size, rows in [(33, 20), (3, 3), (3, 0)]:
        a = make_tensor((size, size), torch.float32, device)
        b = make_tensor((rows,), torch.float32, device)
        outputs = fd.execute([a, b])
        assert torch.equal(outputs[0], a[13:16, 8:21])
        total = widen(b).sum()
        assert_matches(outputs[1], total.reshape(1), torch.float32)
        assert_matches(outputs[2], total, torch.float32)
        assert torch.equal(outputs[3], -b)


def test_long_chain(device: str) -> None:
    a = make_tensor((33, 9), torch.float64, device)

    def chain(x, add, tanh):
        for step in range(60):
            x = tanh(add(x, 0.01 * step))
        return x

    output = run_one(lambda fd, x: chain(x, fd.ops.add, fd.ops.tanh), [a])
    assert_matches(output, chain(a, torch.add, torch.tanh), torch.float64, rtol=1e-11)


def test_many_inputs_and_outputs(device: str) -> None:
    tensors = [make_tensor((3, 7), torch.float32, device, seed=seed) for seed in range(40)]
    outputs = run(
        lambda fd, *xs: [fd.ops.add(a, b) for a, b in itertools.pairwise(xs)],
        tensors,
    )
    assert len(outputs) == 39
    for output, (a, b) in zip(outputs, itertools.pairwise(tensors), strict=True):
        assert torch.equal(output, a + b)


def last_level_cache_bytes() -> int:
    """Of the first processor; 0 where Linux does not tell."""
    sizes = Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")
    return max((1024 * int(path.read_text().rstrip("K\n")) for path in sizes), default=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.bool], ids=dtype_id)
def test_outputs_larger_than_the_caches(dtype: torch.dtype) -> None:
    """On the CPU they are written past the caches, whatever the alignment of their rows."""
    columns = 4097
    rows = min(last_level_cache_bytes(), 1 << 28) // (columns * dtype.itemsize) + 1
    a = torch.arange(columns).remainder(7).sub(3).to(dtype)
    b = torch.arange(rows).remainder(5).sub(2).to(dtype)
    index = torch.arange(rows).flip(0)
    whole = b[:, None] * a
    column = run_one(lambda fd, x: fd.ops.cast(fd.ops.neg(x), NVFUSER_DTYPES[dtype]), [whole])
    assert torch.equal(column, whole if dtype == torch.bool else -whole)
    del column
    outer, doubled, selected = run(
        lambda fd, x, y, w, i: [
            fd.ops.cast(fd.ops.mul(x, y), NVFUSER_DTYPES[dtype]),
            fd.ops.cast(fd.ops.add(w, w), NVFUSER_DTYPES[dtype]),
            fd.ops.index_select(w, i, 0),
        ],
        [b[:, None], a, whole, index],
    )
    assert torch.equal(outer, whole)
    assert torch.equal(doubled, whole + whole)
    assert torch.equal(selected, whole.flip(0))


def test_large_outputs_whose_lines_differ() -> None:
    """Outputs of one loop that begin at different places in their lines of memory, or nearly do."""
    columns = 4097
    rows = min(last_level_cache_bytes(), 1 << 28) // (columns * 4) + 1
    x = torch.arange(columns).sub(2000.0) + torch.arange(rows)[:, None].remainder(3)
    fd = FusionDefinition()
    with fd:
        t = fd.from_pytorch(x)
        doubled = t + t
        fd.add_output(doubled)
        fd.add_output(fd.ops.neg(t))
        fd.add_output(fd.ops.cast(doubled, DataType.BFloat16))
    for offsets in ((0, 0, 0), (5, 5, 5), (1, 2, 3)):
        dtypes = (torch.float32, torch.float32, torch.bfloat16)
        memory = [torch.zeros(x.numel() + 64, dtype=dtype) for dtype in dtypes]
        outputs = [
            flat[offset:][: x.numel()].view(x.shape)
            for flat, offset in zip(memory, offsets, strict=True)
        ]
        fd.execute([x], outputs=outputs)
        assert torch.equal(outputs[0], x + x)
        assert torch.equal(outputs[1], -x)
        assert torch.equal(outputs[2], (x + x).bfloat16())
        for flat, offset in zip(memory, offsets, strict=True):
            assert not flat[:offset].any()
            assert not flat[offset + x.numel() :].any()


def test_large_results_of_tiles_and_columns() -> None:
    """Results written past the caches: of a transposed operand, and behind maxima of columns."""
    columns = 4097
    rows = min(last_level_cache_bytes(), 1 << 28) // (columns * 4) + 1
    x = torch.arange(rows).sub(1000.0) + torch.arange(columns)[:, None].remainder(3)
    y = torch.arange(columns).remainder(5) + torch.arange(rows)[:, None].remainder(2.0)
    assert torch.equal(run_one(lambda fd, x, y: fd.ops.permute(x, [1, 0]) + y, [x, y]), x.t() + y)
    below = run_one(lambda fd, y: y - fd.ops.max(y, [0], keepdim=True), [y])
    assert torch.equal(below, y - y.amax(0))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("middle", [3, 40])
@pytest.mark.parametrize("columns", [5, 33])
@pytest.mark.parametrize("rows", [7, 200])
def test_column_major_operand_that_broadcasts(
    rows: int, columns: int, middle: int, place: int, device: str
) -> None:
    """Beside one that has that dimension, and beside one that broadcasts along another."""
    x = make_tensor((columns, rows), torch.float64, device, -1, 1).t()
    other = make_tensor((columns, rows), torch.float64, device, -1, 1, seed=2).t()
    sizes = [rows, columns]
    sizes.insert(place, middle)
    y = make_tensor(tuple(sizes), torch.float64, device, -1, 1, seed=1)
    flags = [dim == place for dim in range(3)]
    last = [dim == 2 for dim in range(3)]
    wide, pairs = run(
        lambda fd, t, u, v: [
            fd.ops.add(fd.ops.broadcast(t, flags), u),
            fd.ops.sub(fd.ops.broadcast(t, [False, True, False]), fd.ops.broadcast(v, last)),
        ],
        [x, y, other],
    )
    assert torch.equal(wide, x.unsqueeze(place) + y)
    assert torch.equal(pairs, x.unsqueeze(1) - other.unsqueeze(2))
