"""Operations that read at positions given by an index, against torch: alone and with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import (
    FLOATS,
    INDICES,
    INTEGERS,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nvfuser import DataType, FusionDefinition, TensorView, ops

INDEX_DTYPES = pytest.mark.parametrize("index_dtype", INDICES, ids=dtype_id)


def make_index(
    shape: tuple[int, ...], limit: int, device: str, dtype: torch.dtype = torch.int64, seed: int = 5
) -> torch.Tensor:
    """Return random positions of a dimension of size `limit`."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, limit, shape, generator=generator).to(device, dtype)


def check_lookup(
    operation: Callable[..., Any],
    reference: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    x: torch.Tensor,
    index: torch.Tensor,
) -> None:
    """A lookup alone, in a computed tensor, with a computed index, and with what follows fused."""
    add = ops.add
    alone, of_computed, by_computed, before = run(
        lambda fd, t, i: [
            operation(fd, t, i),
            operation(fd, add(t, t), i),
            operation(fd, t, fd.ops.sub(add(i, 1), 1)),
            add(operation(fd, t, i), 1.0),
        ],
        [x, index],
    )
    index = index.long()
    expected = reference(x, index)
    assert torch.equal(alone, expected)
    assert torch.equal(of_computed, reference(x + x, index))
    assert torch.equal(by_computed, expected)
    assert torch.equal(before, expected + 1)
    # Not only in one fusion with the others.
    assert torch.equal(run_one(operation, [x, index]), expected)


# ----------------------------------------------------------------------- index_select


@INDEX_DTYPES
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_index_select(dim: int, index_dtype: torch.dtype, device: str) -> None:
    x = make_tensor((7, 5, 6), torch.float32, device)
    index = make_index((4,), x.shape[dim], device, index_dtype)
    check_lookup(
        lambda fd, t, i: fd.ops.index_select(t, i, dim),
        lambda t, i: t.index_select(dim, i),
        x,
        index,
    )


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, torch.bool, torch.complex64], ids=dtype_id)
def test_index_select_dtypes(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((9, 3), dtype, device)
    index = make_index((13,), 9, device)
    output = run_one(lambda fd, t, i: fd.ops.index_select(t, i, 0), [x, index])
    assert torch.equal(output, x.index_select(0, index))


def test_index_select_by_one_position(device: str) -> None:
    x = make_tensor((7, 5), torch.float32, device)
    for dim in (0, 1):
        index = torch.tensor(3, device=device)
        output = run_one(lambda fd, t, i, dim=dim: fd.ops.index_select(t, i, dim) * 2.0, [x, index])
        assert torch.equal(output, x.index_select(dim, index) * 2)


@pytest.mark.parametrize("n", [0, 1, 300], ids=str)
def test_index_select_of_any_length(n: int, device: str) -> None:
    x = make_tensor((11, 37), torch.float32, device)
    index = make_index((n,), 11, device)
    output = run_one(lambda fd, t, i: fd.ops.exp(fd.ops.index_select(t, i, 0)), [x, index])
    assert_matches(output, widen(x).index_select(0, index).exp(), torch.float32)


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_index_select_layouts(static: bool, device: str) -> None:
    base = make_tensor((12, 10, 8), torch.float32, device)
    index = make_index((5,), 4, device)
    strided = torch.arange(10, device=device)[::2] % 4
    for x in (
        base.permute(2, 0, 1),
        base[::2, 1:9, ::2],
        base[:, :1].expand(12, 4, 8),
        base.transpose(0, 2),
    ):
        for dim in range(3):
            for i in (index, strided):
                (output,) = run(
                    lambda fd, t, i, dim=dim: fd.ops.neg(fd.ops.index_select(t, i, dim)),
                    [x, i],
                    static,
                )
                assert torch.equal(output, -x.index_select(dim, i))


# ------------------------------------------------------------- gather, take_along_axis


@pytest.mark.parametrize("how", ["input", "expand", "one"])
@pytest.mark.parametrize("dim", [0, 1])
def test_gather_with_a_repeated_index(dim: int, how: str, device: str) -> None:
    """What is looked up differs where the index is the same."""
    x = make_tensor((5, 6), torch.float32, device)
    index = torch.tensor([[3, 1, 4]], device=device)
    index = index.t() if dim == 0 else index
    repeated = index.expand(*((3, 6) if dim == 0 else (5, 3)))
    if how == "one":
        repeated = index[:1, :1].expand(5, 6)
    if how == "expand":
        output = run_one(
            lambda fd, t, i: fd.ops.gather(t, fd.ops.expand(i, list(repeated.shape)), dim),
            [x, index],
        )
    else:
        output = run_one(lambda fd, t, i: fd.ops.gather(t, i, dim), [x, repeated])
    assert torch.equal(output, x.gather(dim, repeated))


@INDEX_DTYPES
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_gather(dim: int, index_dtype: torch.dtype, device: str) -> None:
    x = make_tensor((7, 5, 6), torch.float32, device)
    for shape in ((7, 5, 6), (3, 4, 2), (1, 1, 1)):
        index = make_index(shape, x.shape[dim], device, index_dtype)
        check_lookup(
            lambda fd, t, i: fd.ops.gather(t, i, dim), lambda t, i: t.gather(dim, i), x, index
        )
    longer = list(x.shape)
    longer[dim] = 20
    index = make_index(tuple(longer), x.shape[dim], device, index_dtype)
    check_lookup(lambda fd, t, i: fd.ops.gather(t, i, dim), lambda t, i: t.gather(dim, i), x, index)


def test_gather_by_a_tensor_in_itself(device: str) -> None:
    x = torch.tensor([[2, 0, 1], [1, 1, 0]], device=device)
    output = run_one(lambda fd, t: fd.ops.gather(t, t, 1), [x])
    assert torch.equal(output, x.gather(1, x))
    # Also where two equal computations become one.
    output = run_one(lambda fd, t: fd.ops.gather(fd.ops.abs(t), fd.ops.abs(t), 1), [x])
    assert torch.equal(output, x.gather(1, x))


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_gather_layouts(static: bool, device: str) -> None:
    base = make_tensor((6, 10, 8), torch.float32, device)
    for x in (base.permute(2, 0, 1), base[::2, 1:9, ::2], base[:1].expand(4, 10, 8)):
        for dim in range(3):
            shape = tuple(max(1, size - 1) for size in x.shape)
            index = make_index(shape[::-1], x.shape[dim], device).permute(2, 1, 0)
            (output,) = run(
                lambda fd, t, i, dim=dim: fd.ops.relu(fd.ops.gather(t, i, dim)), [x, index], static
            )
            assert torch.equal(output, x.gather(dim, index).relu())


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_take_along_axis(dim: int, device: str) -> None:
    x = make_tensor((4, 5, 6), torch.float32, device)
    longer = [4, 5, 6]
    longer[dim] = 9
    index = make_index(tuple(longer), x.shape[dim], device)
    check_lookup(
        lambda fd, t, i: fd.ops.take_along_axis(t, i, dim),
        lambda t, i: t.take_along_dim(i, dim),
        x,
        index,
    )


@pytest.mark.parametrize(
    ("shape", "index_shape", "dim"),
    [
        ((4, 5, 6), (1, 3, 6), 1),
        ((4, 5, 6), (4, 3, 1), 1),
        ((1, 5, 6), (4, 3, 6), 1),
        ((4, 5, 1), (1, 3, 6), 1),
        ((4, 5, 6), (1, 1, 2), 2),
        ((4, 1, 6), (4, 3, 6), 1),
        ((4, 5), (4, 1), 1),
    ],
    ids=str,
)
def test_take_along_axis_broadcasts(
    shape: tuple[int, ...], index_shape: tuple[int, ...], dim: int, device: str
) -> None:
    x = make_tensor(shape, torch.float32, device)
    index = make_index(index_shape, shape[dim], device)
    check_lookup(
        lambda fd, t, i: fd.ops.take_along_axis(t, i, dim),
        lambda t, i: t.take_along_dim(i, dim),
        x,
        index,
    )


def test_labels_with_a_constant_of_dtype_float(device: str) -> None:
    # A cross entropy whose labels to ignore become 0: where() makes them Float.
    logits = make_tensor((7, 30), torch.float32, device)
    labels = torch.tensor([3, -100, 29, 0, -100, 7, 11], device=device)

    def chosen(fd: FusionDefinition, x: TensorView, t: TensorView) -> TensorView:
        zero = fd.define_scalar(0, dtype=DataType.Float)
        is_kept = fd.ops.ne(t, fd.define_scalar(-100, dtype=DataType.Int))
        index = fd.ops.where(is_kept, t, zero)
        column = fd.ops.broadcast_in_dim(index, shape=[t.shape()[0], 1], broadcast_dims=[0])
        picked = fd.ops.take_along_axis(x, column, dim=1)
        return fd.ops.where(is_kept, fd.ops.reshape(picked, [t.shape()[0]]), zero)

    expected = logits.gather(1, labels.clamp(min=0)[:, None])[:, 0] * (labels != -100)
    assert_matches(run_one(chosen, [logits, labels]), widen(expected), torch.float32)


def test_a_lookup_beside_other_uses_of_its_operand(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    index = make_index((6, 9), 9, device)
    output, other = run(
        lambda fd, t, i: [t + fd.ops.take_along_axis(t, i, 1) * t, fd.ops.exp(t)], [x, index]
    )
    assert_matches(output, widen(x) + widen(x).gather(1, index) * widen(x), torch.float32)
    assert_matches(other, widen(x).exp(), torch.float32)


def test_lookups_in_lookups(device: str) -> None:
    x = make_tensor((8, 5), torch.float32, device)
    first = make_index((6,), 8, device)
    second = make_index((10,), 6, device, seed=6)
    outer, composed = run(
        lambda fd, t, i, j: [
            fd.ops.index_select(fd.ops.index_select(t, i, 0), j, 0),
            fd.ops.index_select(t, fd.ops.index_select(i, j, 0), 0),
        ],
        [x, first, second],
    )
    expected = x[first][second]
    assert torch.equal(outer, expected)
    assert torch.equal(composed, expected)


# ------------------------------------------------------- inside reductions and the like


@pytest.mark.parametrize("shape", [(50, 40), (3, 1000), (700, 3)], ids=str)
@pytest.mark.parametrize("dim", [0, 1])
def test_lookups_inside_reductions(shape: tuple[int, int], dim: int, device: str) -> None:
    x = make_tensor(shape, torch.float64, device)
    rows = make_index((33,), shape[0], device)
    whole = make_index(shape, shape[1], device)
    selected, gathered = run(
        lambda fd, t, i, j: [
            fd.ops.sum(fd.ops.index_select(t, i, 0) * 2.0, [dim]),
            fd.ops.max(fd.ops.gather(t, j, 1), [dim]),
        ],
        [x, rows, whole],
    )
    assert_matches(selected, (x[rows] * 2).sum(dim), torch.float64, rtol=1e-12, atol=1e-12)
    assert torch.equal(gathered, x.gather(1, whole).amax(dim))


@pytest.mark.parametrize("shape", [(40, 64), (20, 3000)], ids=str)
def test_lookups_inside_normalizations(shape: tuple[int, int], device: str) -> None:
    """An embedding, a table of positions added, and layer_norm: one kernel."""
    table = make_tensor(shape, torch.float32, device)
    position = make_tensor((17, shape[1]), torch.float32, device, seed=1)
    tokens = make_index((4, 17), shape[0], device)
    fd = define(
        lambda fd, i, w, p: fd.ops.layer_norm(fd.ops.embedding_fwd(i, w) + p, [shape[1]], eps=1e-5),
        [tokens, table, position],
    )
    (output,) = fd.execute([tokens, table, position])
    x = widen(table)[tokens] + widen(position)
    assert_matches(
        output, torch.nn.functional.layer_norm(x, x.shape[-1:]), torch.float32, atol=1e-5
    )
    softmax = run_one(
        lambda fd, t, i: fd.ops.softmax(fd.ops.gather(t, i, 0), 1),
        [table, make_index(shape, shape[0], device)],
    )
    index = make_index(shape, shape[0], device)
    assert_matches(softmax, widen(table).gather(0, index).softmax(1), torch.float32)


def test_cross_entropy_picks_its_targets(device: str) -> None:
    x = make_tensor((30, 50), torch.float32, device)
    target = make_index((30, 1), 50, device)
    loss = run_one(
        lambda fd, t, i: fd.ops.neg(
            fd.ops.mean(fd.ops.take_along_axis(fd.ops.log_softmax(t, 1), i, 1))
        ),
        [x, target],
    )
    expected = torch.nn.functional.cross_entropy(widen(x), target[:, 0])
    assert_matches(loss, expected, torch.float32)


# ----------------------------------------------------------------------------- select


@pytest.mark.parametrize("dim", [0, 1, 2, -1])
def test_select(dim: int, device: str) -> None:
    x = make_tensor((4, 5, 6), torch.float32, device)
    fd = define(
        lambda fd, t, i: [
            fd.ops.select(t, i, dim),
            fd.ops.select(fd.ops.exp(t), i, dim) * 2.0,
            fd.ops.select(t, 1, dim),
        ],
        [x, 0],
    )
    for index in (0, 1, 3, -1, -4):
        view, computed, constant = fd.execute([x, index])
        assert torch.equal(view, x.select(dim, index))
        assert view.data_ptr() == x.select(dim, index).data_ptr()
        assert_matches(computed, widen(x).exp().select(dim, index) * 2, torch.float32)
        assert torch.equal(constant, x.select(dim, 1))


def test_select_from_other_operations(device: str) -> None:
    x = make_tensor((4, 1, 6), torch.float32, device)
    output = run_one(
        lambda fd, t: fd.ops.sum(fd.ops.select(fd.ops.expand(t, [4, 5, 6]), 3, 1) + 1.0, [0]), [x]
    )
    assert_matches(output, (widen(x)[:, 0] + 1).sum(0), torch.float32)
    output = run_one(lambda fd, t: fd.ops.select(fd.ops.sum(t, [2]), -1, 0), [x])
    assert_matches(output, widen(x).sum(2)[-1], torch.float32)


# -------------------------------------------------------------------------- embedding


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 1, 4)], ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_embedding(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    weight = make_tensor((12, 7), dtype, device)
    index = make_index(shape, 12, device)
    output = run_one(lambda fd, i, w: fd.ops.embedding_fwd(i, w), [index, weight])
    assert torch.equal(output, torch.nn.functional.embedding(index, weight))
    output = run_one(
        lambda fd, i, w: fd.ops.embedding_fwd(
            i, w, padding_idx=2, scale_grad_by_freq=True, sparse=False
        ),
        [index, weight],
    )
    assert torch.equal(output, torch.nn.functional.embedding(index, weight))


@pytest.mark.parametrize("norm_type", [2.0, 1.0, 1.5])
def test_embedding_with_max_norm(norm_type: float, device: str) -> None:
    weight = make_tensor((12, 7), torch.float32, device) * torch.arange(12, device=device)[:, None]
    before = weight.clone()
    index = torch.arange(12, device=device)
    output = run_one(
        lambda fd, i, w: fd.ops.embedding_fwd(i, w, max_norm=9.0, norm_type=norm_type),
        [index, weight],
    )
    # On CUDA, torch takes powers of the elements, not of their absolute values.
    expected = torch.nn.functional.embedding(
        index.cpu(), widen(weight).cpu(), max_norm=9.0, norm_type=norm_type
    )
    assert_matches(output, expected, torch.float32, rtol=1e-5)
    assert torch.equal(weight, before)


# ------------------------------------------------------------------------------ empty


def test_empty_tensors(device: str) -> None:
    x = make_tensor((4, 0), torch.float32, device)
    index = make_index((3,), 4, device)
    output = run_one(lambda fd, t, i: fd.ops.exp(fd.ops.index_select(t, i, 0)), [x, index])
    assert output.shape == (3, 0)
    none = make_index((0,), 4, device)
    y = make_tensor((4, 5), torch.float32, device)
    summed = run_one(lambda fd, t, i: fd.ops.sum(fd.ops.index_select(t, i, 0), [0]), [y, none])
    assert torch.equal(summed, torch.zeros(5, device=device))
    empty = run_one(lambda fd, t, i: fd.ops.gather(t, i, 1), [x, make_index((4, 0), 1, device)])
    assert empty.shape == (4, 0)


# ----------------------------------------------------------------------------- errors

OUT_OF_RANGE = [[7], [-1], [3, 0, 100], [2**40], [-(2**62)]]


@pytest.mark.parametrize("positions", OUT_OF_RANGE, ids=str)
def test_positions_that_do_not_exist(positions: list[int], device: str, backend: str) -> None:
    x = make_tensor((7, 5), torch.float32, device)
    index = torch.tensor(positions, device=device)
    bodies = [
        lambda fd, t, i: fd.ops.index_select(t, i, 0) + 1.0,
        lambda fd, t, i: fd.ops.sum(fd.ops.index_select(t, i, 0), [0]),
        lambda fd, t, i: fd.ops.embedding_fwd(i, t),
        lambda fd, t, i: fd.ops.gather(t, fd.ops.unsqueeze(i, 1), 0) + 1.0,
        lambda fd, t, i: fd.ops.take_along_axis(t, fd.ops.unsqueeze(i, 1), 0) + 1.0,
    ]
    for body in bodies:
        fd = define(body, [x, index])
        if backend == "cpu":
            for _ in range(2):
                with pytest.raises(RuntimeError, match=r"Index out of range: .* which has size 7"):
                    fd.execute([x, index])
        good = torch.zeros_like(index)
        (output,) = fd.execute([x, good])
        assert torch.isfinite(output).all()


def test_which_lookup_missed(device: str, backend: str) -> None:
    x = make_tensor((7, 5), torch.float32, device)
    index = torch.tensor([0, 1], device=device)
    fd = define(
        lambda fd, t, i, j: [
            fd.ops.index_select(t, i, 0) + 1.0,
            fd.ops.index_select(t, j, 1) + 1.0,
        ],
        [x, index, index],
    )
    if backend == "cuda":
        # What is not there is 0.
        rows, columns = fd.execute([x, index + 4, index + 4])
        assert torch.equal(rows, x[4:6] + 1)
        assert torch.equal(columns[:, 1], torch.ones(7, device=device))
        return
    with pytest.raises(RuntimeError, match=r"index_select along dimension 1 of .*size 5"):
        fd.execute([x, index + 4, index + 4])
    with pytest.raises(RuntimeError, match=r"index_select along dimension 0 of .*size 7"):
        fd.execute([x, index + 6, index + 3])


def test_a_lookup_in_nothing(device: str) -> None:
    x = make_tensor((0, 5), torch.float32, device)
    index = torch.tensor([0, 1], device=device)
    fd = define(lambda fd, t, i: fd.ops.index_select(t, i, 0) + 1.0, [x, index])
    with pytest.raises(RuntimeError, match=r"Index out of range: .* which has size 0"):
        fd.execute([x, index])
    (output,) = fd.execute([x, index[:0]])
    assert output.shape == (0, 5)


def test_a_gather_index_that_is_larger(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    index = make_index((4, 5), 5, device)
    fd = define(lambda fd, t, i: fd.ops.gather(t, i, 1), [x, index])
    with pytest.raises(RuntimeError, match="Expected sizes to match"):
        fd.execute([x, index])
    with pytest.raises(RuntimeError, match="Expected sizes to match"):
        run(lambda fd, t, i: fd.ops.gather(t, i, 1), [x, index], static_sizes=True)


def test_take_along_axis_of_other_sizes(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    index = make_index((4, 5), 5, device)
    with pytest.raises(RuntimeError, match="a conflict was found with 2 different sizes"):
        run_one(lambda fd, t, i: fd.ops.take_along_axis(t, i, 1), [x, index])


@pytest.mark.parametrize("index", [5, -6, 2**40])
def test_select_out_of_range(index: int, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with pytest.raises(RuntimeError, match=f"size 5, was given the index {index}"):
        run_one(lambda fd, t, i: fd.ops.select(t, i, 1), [x, index])


def test_errors_of_definitions() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], dtype=DataType.Float)
        row = fd.define_tensor(shape=[-1], dtype=DataType.Int)
        index = fd.define_tensor(shape=[-1, -1], dtype=DataType.Int)
        floats = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        zero_dim = fd.define_tensor(shape=[], dtype=DataType.Float)
        scalar = fd.define_scalar(dtype=DataType.Double)
        for dim in (2, -3):
            for op in (fd.ops.gather, fd.ops.take_along_axis):
                with pytest.raises(RuntimeError, match="Tensor arguments have dimension"):
                    op(x, index, dim)
            with pytest.raises(RuntimeError, match="Tried to access out of boundary index"):
                fd.ops.index_select(x, row, dim)
            with pytest.raises(RuntimeError, match="Tried to access out of boundary index"):
                fd.ops.select(x, 0, dim)
        for op in (fd.ops.gather, fd.ops.take_along_axis):
            with pytest.raises(RuntimeError, match="Tensor arguments have dimension"):
                op(x, row, 0)
        with pytest.raises(RuntimeError, match="must have 0 or 1 dimensions"):
            fd.ops.index_select(x, index, 0)
        with pytest.raises(RuntimeError, match="Tried to access out of boundary index"):
            fd.ops.index_select(zero_dim, row, 0)
        for op in (fd.ops.gather, fd.ops.index_select):
            with pytest.raises(RuntimeError, match="must be of dtype Int or Int32"):
                op(x, floats, 0)
        flags = fd.define_tensor(shape=[-1, -1], dtype=DataType.Bool)
        with pytest.raises(RuntimeError, match="must be of dtype Int or Int32"):
            fd.ops.take_along_axis(x, flags, 0)
        with pytest.raises(RuntimeError, match="Expected weight to be 2D"):
            fd.ops.embedding_fwd(row, floats)
        with pytest.raises(RuntimeError, match="must be of dtype Int or Int32"):
            fd.ops.embedding_fwd(floats, x)
        with pytest.raises(RuntimeError, match="the index must be an integer scalar"):
            fd.ops.select(x, scalar, 0)
        with pytest.raises(TypeError, match=r"select\(\): incompatible function arguments"):
            fd.ops.select(x, None, 0)
        with pytest.raises(TypeError, match=r"gather\(\): incompatible function arguments"):
            fd.ops.gather(x, 3, 0)
        fd.add_output(x)


# ------------------------------------------------------------------------- properties


@st.composite
def lookups(draw: st.DrawFn) -> tuple[str, tuple[int, ...], tuple[int, ...], int, int]:
    """Return an operation, the shape of its operand, that of the index, a dimension, and a seed."""
    name = draw(st.sampled_from(["index_select", "gather", "take_along_axis"]))
    rank = draw(st.integers(1, 4))
    shape = tuple(draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank)))
    dim = draw(st.integers(-rank, rank - 1))
    length = draw(st.integers(0, 12))
    if name == "index_select":
        index_shape = (length,) if draw(st.booleans()) else ()
    else:
        index_shape = tuple(
            length if d == dim % rank else draw(st.integers(0, size)) if name == "gather" else size
            for d, size in enumerate(shape)
        )
    return name, shape, index_shape, dim, draw(st.integers(0, 1000))


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(lookups(), st.booleans(), st.booleans(), st.sampled_from([None, "sum", "softmax"]))
def test_random_lookups(
    device: str,
    lookup: tuple[str, tuple[int, ...], tuple[int, ...], int, int],
    computed: bool,
    transposed: bool,
    after: str | None,
) -> None:
    name, shape, index_shape, dim, seed = lookup
    x = make_tensor(shape, torch.float64, device, seed=seed)
    if transposed:
        x = x.permute(*reversed(range(x.ndim))).contiguous().permute(*reversed(range(x.ndim)))
    index = make_index(index_shape, shape[dim], device, seed=seed)

    def body(fd: FusionDefinition, t: Any, i: Any) -> Any:
        result = getattr(fd.ops, name)(fd.ops.neg(t) if computed else t, i, dim) * 2.0
        if after == "sum":
            return fd.ops.sum(result, [dim])
        return fd.ops.softmax(result, dim) if after == "softmax" else result

    expected = (-x if computed else x) * 2
    expected = {
        "index_select": lambda: expected.index_select(dim, index),
        "gather": lambda: expected.gather(dim, index),
        "take_along_axis": lambda: expected.take_along_dim(index, dim),
    }[name]()
    if after == "sum":
        expected = expected.sum(dim)
    elif after == "softmax":
        expected = expected.softmax(dim)
    output = run_one(body, [x, index])
    torch.testing.assert_close(output, expected, rtol=1e-12, atol=1e-12)


ONE_OF_A_ROW = {
    "slice": lambda fd, t: fd.ops.slice(t, [0, 2], [9, 3]),
    "pad": lambda fd, t: fd.ops.pad(t, [-2, -2]),
    "cat": lambda fd, t: fd.ops.cat(
        [fd.ops.slice(t, [0, 2], [9, 3]), fd.ops.slice(t, [0, 2], [9, 2])], 1
    ),
    "gather": lambda fd, t: fd.ops.gather(t, fd.ops.full([9, 1], 2, DataType.Int), 1),
    "of one row": lambda fd, t: fd.ops.gather(t, fd.ops.full([1, 5], 2, DataType.Int), 0),
}


@pytest.mark.parametrize("whole_first", [False, True])
@pytest.mark.parametrize("which", ONE_OF_A_ROW)
def test_one_element_of_a_dimension_beside_all(which: str, whole_first: bool, device: str) -> None:
    """What has one element may be computed in a loop over all that it is read from."""

    def body(fd, t):
        part = ONE_OF_A_ROW[which](fd, t)
        whole = fd.ops.cast(t, DataType.Double)
        largest = fd.ops.maximum(t, part)
        return [whole, largest, part] if whole_first else [part, largest, whole]

    rows = make_tensor((9, 5), torch.int64, device)
    columns = make_tensor((5, 9), torch.int64, device).t()
    for x in (rows, columns):
        part = x[2:3] if which == "of one row" else x[:, 2:3]
        expected = [x.double(), torch.maximum(x, part), part]
        outputs = run(body, [x], static_sizes=True)
        for output, reference in zip(
            outputs, expected if whole_first else expected[::-1], strict=True
        ):
            assert torch.equal(output, reference)
