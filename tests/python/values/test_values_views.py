"""Shape and view operations against torch: values, shapes, memory layout of the results."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import assert_matches, define, dtype_id, make_tensor, run, run_one, widen

from nvfuser import DataType, FusionDefinition


def plus_one(fd, t):
    """Keeps a view from being the whole fusion: something has to be computed from it."""
    return fd.ops.add(t, 1.0)


def check_view(operation, reference, inputs, device: str) -> None:
    """A view alone, after a computation, and before one."""
    (x,) = inputs
    expected = reference(x)
    alone, after, before = run(
        lambda fd, t: [
            operation(fd, t),
            operation(fd, plus_one(fd, t)),
            plus_one(fd, operation(fd, t)),
        ],
        inputs,
    )
    assert torch.equal(alone, expected)
    assert torch.equal(after, expected + 1)
    assert torch.equal(before, expected + 1)


# ------------------------------------------------------------------------ broadcast


@pytest.mark.parametrize(
    "flags",
    [[True, False, False], [False, True, False], [False, False, True], [True, False, True, False]],
    ids=str,
)
def test_broadcast(flags: list[bool], device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)

    def reference(t: torch.Tensor) -> torch.Tensor:
        for dim, is_new in enumerate(flags):
            t = t.unsqueeze(dim) if is_new else t
        return t

    check_view(lambda fd, t: fd.ops.broadcast(t, flags), reference, [x], device)


def test_broadcast_without_new_dimension_is_the_same_tensor() -> None:
    from nvfuser import FusionDefinition

    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], dtype=DataType.Float)
        assert fd.ops.broadcast(x, [False, False]) == x
        fd.add_output(x)


@pytest.mark.parametrize(
    ("shape", "dims"), [((2, 3, 5), (1, 2)), ((3, 4, 5), (0, 2)), ((3, 5), (0, 1))], ids=str
)
def test_broadcast_in_dim(shape: tuple[int, ...], dims: tuple[int, ...], device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    y = make_tensor(shape, torch.float32, device, seed=1)
    output = run_one(
        lambda fd, t, u: fd.ops.add(fd.ops.broadcast_in_dim(t, shape, dims), u), [x, y]
    )
    new = [size if dim in dims else 1 for dim, size in enumerate(shape)]
    assert_matches(output, widen(x).reshape(new) + widen(y), torch.float32)


def test_broadcast_in_dim_with_symbolic_shape(device: str) -> None:
    x = make_tensor((5,), torch.float32, device)
    y = make_tensor((3, 5), torch.float32, device, seed=1)
    output = run_one(
        lambda fd, t, u: fd.ops.mul(fd.ops.broadcast_in_dim(t, fd.ops.shape(u), [1]), u), [x, y]
    )
    assert_matches(output, widen(x) * widen(y), torch.float32)


def test_expand(device: str) -> None:
    x = make_tensor((3, 1, 5), torch.float32, device)
    check_view(
        lambda fd, t: fd.ops.expand(t, [2, 3, 4, 5]), lambda t: t.expand(2, 3, 4, 5), [x], device
    )
    check_view(
        lambda fd, t: fd.ops.expand(t, [-1, 4, -1]), lambda t: t.expand(-1, 4, -1), [x], device
    )


def test_expanded_output_of_a_computation(device: str) -> None:
    x = make_tensor((3, 1), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.expand(fd.ops.exp(t), [3, 6]), [x])
    assert output.shape == (3, 6)
    assert_matches(output, widen(x).exp().expand(3, 6), torch.float32)


@pytest.mark.parametrize("computed", [False, True])
def test_expand_of_a_size_that_is_known_late(computed: bool, device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        size = fd.define_scalar(DataType.Int)
        part = fd.ops.slice(fd.ops.neg(t) if computed else t, [0, 1], [1, 4])
        fd.add_output(fd.ops.expand(part, [size, 3]))
        fd.add_output(part)
        fd.add_output(fd.ops.expand(fd.ops.abs(t), [size, 4]))
    for rows, size in ((1, 3), (1, 1), (1, 0), (1, 5)):
        x = make_tensor((rows, 4), torch.float32, device)
        expected = (-x if computed else x)[:1, 1:]
        repeated, part, whole = fd.execute([x, size])
        assert torch.equal(repeated, expected.expand(size, 3))
        assert torch.equal(part, expected)
        assert torch.equal(whole, x.abs().expand(size, 4))
    x = make_tensor((2, 4), torch.float32, device)
    assert fd.execute([x[:1], 1])[2].shape == (1, 4)
    with pytest.raises(RuntimeError, match="Expected sizes to match"):
        fd.execute([x, 3])
    assert fd.execute([x, 2])[2].shape == (2, 4)
    # The same sizes again, but for the scalar.
    with pytest.raises(RuntimeError, match="Expected sizes to match"):
        fd.execute([x, 3])


def test_one_element_of_an_expanded_dimension_is_squeezed(device: str) -> None:
    x = make_tensor((3, 1), torch.float32, device)
    output = run_one(
        lambda fd, t: fd.ops.squeeze(fd.ops.slice(fd.ops.expand(t, [3, 4]), [0, 1], [3, 2]), [1]),
        [x],
    )
    assert torch.equal(output, x.squeeze(1))


def test_size_that_is_known_late_to_be_one_is_squeezed(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        stop = fd.define_scalar(DataType.Int)
        part = fd.ops.slice(fd.ops.neg(t), [0, 0], [3, stop])
        fd.add_output(fd.ops.squeeze(fd.ops.expand(part, [3, 1]), [1]))
    x = make_tensor((3, 4), torch.float32, device)
    assert torch.equal(fd.execute([x, 1])[0], -x[:, 0])
    with pytest.raises(RuntimeError, match="Expected sizes to match"):
        fd.execute([x, 2])


def test_unsqueeze_and_squeeze(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    for dim in range(-3, 3):
        check_view(
            lambda fd, t, dim=dim: fd.ops.unsqueeze(t, dim),
            lambda t, dim=dim: t.unsqueeze(dim),
            [x],
            device,
        )
    y = make_tensor((1, 3, 1, 5), torch.float32, device)
    for dims in [[0], [2], [0, 2], [-2], [-4, 2]]:
        check_view(
            lambda fd, t, dims=dims: fd.ops.squeeze(t, dims),
            lambda t, dims=dims: t.squeeze(tuple(dims)),
            [y],
            device,
        )


# -------------------------------------------------------------------------- permute


@pytest.mark.parametrize("dims", list(itertools.permutations(range(3))), ids=str)
def test_permute(dims: tuple[int, ...], device: str) -> None:
    x = make_tensor((3, 5, 7), torch.float32, device)
    check_view(lambda fd, t: fd.ops.permute(t, dims), lambda t: t.permute(dims), [x], device)


def test_permute_with_negative_dimensions(device: str) -> None:
    x = make_tensor((3, 5, 7), torch.float32, device)
    check_view(
        lambda fd, t: fd.ops.permute(t, [-1, 0, -2]), lambda t: t.permute(-1, 0, -2), [x], device
    )


def test_transpose(device: str) -> None:
    x = make_tensor((3, 5, 7), torch.float32, device)
    check_view(lambda fd, t: fd.ops.transpose(t, 0, 2), lambda t: t.transpose(0, 2), [x], device)
    check_view(lambda fd, t: fd.ops.transpose(t, -1, 1), lambda t: t.transpose(-1, 1), [x], device)


@pytest.mark.parametrize("shape", [(33, 65), (1, 70), (70, 1), (128, 128)], ids=str)
def test_transposed_operand(shape: tuple[int, int], device: str) -> None:
    x = make_tensor(shape, torch.float32, device)
    y = make_tensor(shape[::-1], torch.float32, device, seed=1)
    output = run_one(lambda fd, t, u: fd.ops.relu(fd.ops.permute(t, [1, 0]) + u), [x, y])
    assert_matches(output, (widen(x).T + widen(y)).relu(), torch.float32)


# Tiles of transposing kernels are made of several short dimensions.
SHORT_SIDES = [
    ((3, 4, 64, 48), (0, 3, 2, 1)),
    ((3, 48, 64, 4), (0, 3, 2, 1)),
    ((2, 40, 33, 3), (0, 2, 3, 1)),
    ((2, 3, 33, 40), (0, 3, 1, 2)),
    ((4, 8, 4, 64), (3, 2, 1, 0)),
    ((2, 65, 2, 33, 2), (4, 0, 2, 3, 1)),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
@pytest.mark.parametrize(("shape", "dims"), SHORT_SIDES, ids=str)
def test_permute_with_arithmetic(
    shape: tuple[int, ...], dims: tuple[int, ...], dtype: torch.dtype, device: str
) -> None:
    x = make_tensor(shape, dtype, device)
    output = run_one(lambda fd, t: fd.ops.neg(fd.ops.permute(t, list(dims))), [x])
    assert torch.equal(output, -x.permute(dims))


# -------------------------------------------------------------------------- reshape

RESHAPES = [
    ((6, 8), (48,)),
    ((48,), (6, 8)),
    ((6, 8), (8, 6)),
    ((6, 8), (2, 3, 2, 4)),
    ((2, 3, 8), (6, 8)),
    ((6, 8), (6, 2, 4)),
    ((6, 8), (1, 6, 1, 8)),
    ((1, 6, 1, 8), (48,)),
    ((6, 8), (-1, 4)),
    ((6, 8), (3, -1)),
    ((4, 3, 10), (6, 20)),
    ((0, 4), (4, 0)),
    ((), (1, 1)),
    ((1, 1), ()),
]


@pytest.mark.parametrize(("old", "new"), RESHAPES, ids=str)
def test_reshape(old: tuple[int, ...], new: tuple[int, ...], device: str) -> None:
    x = make_tensor(old, torch.float32, device)
    check_view(lambda fd, t: fd.ops.reshape(t, list(new)), lambda t: t.reshape(new), [x], device)


@pytest.mark.parametrize(("old", "new"), RESHAPES, ids=str)
def test_reshape_of_static_sizes(old: tuple[int, ...], new: tuple[int, ...], device: str) -> None:
    x = make_tensor(old, torch.float32, device)
    (output,) = run(lambda fd, t: fd.ops.exp(fd.ops.reshape(t, list(new))), [x], static_sizes=True)
    assert_matches(output, widen(x).reshape(new).exp(), torch.float32)


def test_reshape_to_scalar_inputs(device: str) -> None:
    x = make_tensor((6, 8), torch.float32, device)
    fd = define(lambda fd, t, a, b: plus_one(fd, fd.ops.reshape(t, [a, b])), [x, 4, 12])
    for shape in [(4, 12), (12, 4), (1, 48), (48, 1), (3, 16)]:
        (output,) = fd.execute([x, *shape])
        assert torch.equal(output, x.reshape(shape) + 1)


def test_reshape_to_a_vector_of_sizes(device: str) -> None:
    from nvfuser import FusionDefinition

    x = make_tensor((6, 8), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        shape = fd.define_vector(3)
        fd.add_output(plus_one(fd, fd.ops.reshape(t, shape)))
    for new in ([2, 3, 8], (6, 4, 2)):
        (output,) = fd.execute([x, new])
        assert torch.equal(output, x.reshape(tuple(new)) + 1)


def test_reshape_between_a_reduction_and_its_use(device: str) -> None:
    x = make_tensor((4, 6, 5), torch.float64, device)
    output = run_one(
        lambda fd, t: fd.ops.add(
            fd.ops.broadcast(fd.ops.sum(fd.ops.reshape(t, [24, 5]), 1), [False, True]),
            fd.ops.reshape(t, [24, 5]),
        ),
        [x],
    )
    y = x.reshape(24, 5)
    assert_matches(output, y.sum(1, keepdim=True) + y, torch.float64, rtol=1e-12)


def test_reshape_of_a_permuted_tensor(device: str) -> None:
    x = make_tensor((4, 6, 5), torch.float32, device)
    output = run_one(
        lambda fd, t: plus_one(fd, fd.ops.reshape(fd.ops.permute(t, [2, 0, 1]), [5, 24])), [x]
    )
    assert torch.equal(output, x.permute(2, 0, 1).reshape(5, 24) + 1)


def test_reshape_of_a_strided_tensor(device: str) -> None:
    x = make_tensor((4, 12, 5), torch.float32, device)[:, ::2, 1:4]
    check_view(lambda fd, t: fd.ops.reshape(t, [4, 18]), lambda t: t.reshape(4, 18), [x], device)


# ---------------------------------------------------------------------------- slice


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ([0, 0], [10, 10]),
        ([2, 3], [8, 9]),
        ([0, 5], [10, 6]),
        ([6, 6], [8, 8]),
        ([3, 3], [3, 7]),
        ([9, 0], [20, 20]),
    ],
    ids=str,
)
@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_slice(start: list[int], end: list[int], static: bool, device: str) -> None:
    x = make_tensor((10, 10), torch.float32, device)
    outputs = run(
        lambda fd, t: [
            plus_one(fd, fd.ops.slice(t, start, end)),
            fd.ops.slice(plus_one(fd, t), start, end, [1, 1]),
            fd.ops.slice(t, start, end),
        ],
        [x],
        static_sizes=static,
    )
    reference = x[start[0] : end[0], start[1] : end[1]]
    assert torch.equal(outputs[0], reference + 1)
    assert torch.equal(outputs[1], reference + 1)
    assert torch.equal(outputs[2], reference)


@pytest.mark.parametrize("start", range(9))
@pytest.mark.parametrize(
    "dtype",
    [torch.bfloat16, torch.float16, torch.bool, torch.float8_e5m2, torch.float32],
    ids=dtype_id,
)
def test_slices_of_whole_vectors_begin_anywhere(
    dtype: torch.dtype, start: int, device: str
) -> None:
    wide = make_tensor((5, 64 + start + 2), torch.float32, device).to(dtype)
    weight = make_tensor((64,), torch.float32, device)

    def body(fd, t, w):
        part = fd.ops.slice(t, [0, start], [5, start + 64])
        ends = fd.ops.slice(t, [1, start + 2], [5, start + 66])
        widened = fd.ops.cast(part, DataType.Float)
        return [part, fd.ops.mul(widened, w), fd.ops.cast(ends, DataType.Float)]

    part, scaled, ends = run(body, [wide, weight])
    expected = wide[:, start : start + 64]
    assert torch.equal(part.float(), expected.float())
    assert torch.equal(scaled, expected.float() * weight)
    assert torch.equal(ends, wide[1:, start + 2 :].float())
    # The first element of the tensor lies anywhere, too.
    shifted = wide.flatten()[1 : 4 * wide.shape[1] + 1].view(4, -1)
    (doubled,) = run(
        lambda fd, t: [fd.ops.cast(fd.ops.slice(t, [0, start], [4, start + 64]), DataType.Float)],
        [shifted],
    )
    assert torch.equal(doubled, shifted[:, start : start + 64].float())


def test_slice_beyond_the_end_is_empty(device: str) -> None:
    x = make_tensor((5, 5), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.slice(plus_one(fd, t), [6, 6], [8, 8]), [x])
    assert output.shape == (0, 0)


def test_slice_with_scalar_inputs(device: str) -> None:
    x = make_tensor((10, 6), torch.float32, device)
    fd = define(
        lambda fd, t, low, high: plus_one(fd, fd.ops.slice(t, [low, 0], [high, fd.ops.size(t, 1)])),
        [x, 2, 5],
    )
    for low, high in [(2, 5), (0, 10), (3, 3), (4, 100), (-4, -1), (-100, 3), (7, 2)]:
        (output,) = fd.execute([x, low, high])
        assert torch.equal(output, x[low:high] + 1)


def test_halves_of_a_tensor_combined(device: str) -> None:
    x = make_tensor((4, 8), torch.float32, device)

    def body(fd, t):
        left = fd.ops.slice(t, [0, 0], [4, 4])
        right = fd.ops.slice(t, [0, 4], [4, 8])
        return fd.ops.sub(fd.ops.mul(left, right), left)

    left, right = widen(x).chunk(2, dim=1)
    assert_matches(run_one(body, [x]), left * right - left, torch.float32)


SLICE_ERRORS = [
    ([-1, -2], [5, 5], [7, 7], "Slice operation start_indices must be greater than or equal to 0"),
    ([3, 4], [1, 2], [1, 1], "Slice operation end_indices must be greater than or equal to start"),
    ([0, 0], [5, 5], [5, 5], "nvFuser Limitation: All slice operation strides must be of const"),
    ([0, 0, 0], [4, 4, 4], [1, 1, 1], "Number of tensor dimensions does not match slice"),
    ([0, 0, 0], [4, 4], [1, 1], "Slice start_indices and strides don't match!"),
    ([0, 0], [4, 4, 4], [1, 1], "Slice indexing attribute dimensions don't match!"),
    ([0, 0], [4, 4], [1, 1, 1], "Slice start_indices and strides don't match!"),
]


@pytest.mark.parametrize("saved", [False, True])
@pytest.mark.parametrize(
    ("start", "end", "fits"),
    [
        *[(0, 4, True), (1, 3, True), (4, 4, True), (2, 9, False), (-1, 2, False)],
        *[(3, 2, False), (5, 5, False), (5, 6, False), (0, -1, False)],
    ],
)
def test_bounds_that_a_user_normalized(
    start: int, end: int, fits: bool, saved: bool, device: str
) -> None:
    x = torch.arange(4.0, device=device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True)
        first, last = (fd.define_scalar(dtype=DataType.Int) for _ in range(2))
        cut = fd.ops.slice(t, [first], [last], manual_normalization=True)
        fd.add_output(cut)
        fd.add_output(fd.ops.add(cut, 1.0))
    if saved:
        fd = FusionDefinition.deserialize(fd.serialize())
    if fits:
        for output, added in zip(fd.execute([x, start, end]), (0, 1), strict=True):
            assert torch.equal(output, x[start:end] + added)
    else:
        message = f"dimension 0 of .* has size 4 and is sliced from {start} to {end}"
        with pytest.raises(RuntimeError, match=message):
            fd.execute([x, start, end])


@pytest.mark.parametrize("sizes", [[4, 4], [-1, -1]])
@pytest.mark.parametrize(("start", "end"), [(0, 9), (5, 9), (0, -1)])
def test_constant_bounds_that_a_user_normalized(
    start: int, end: int, sizes: list[int], device: str
) -> None:
    """At definition where the size is constant, in each run otherwise."""

    def define_and_run() -> None:
        with FusionDefinition() as fd:
            x = fd.define_tensor(shape=sizes, contiguity=True)
            fd.add_output(fd.ops.slice(x, [0, start], [4, end], manual_normalization=True))
        assert sizes == [-1, -1]
        fd.execute([torch.ones(4, 4, device=device)])

    with pytest.raises(RuntimeError, match=r"Slice operation end_indices|Expected 0 <= start"):
        define_and_run()


@pytest.mark.parametrize(("start", "end", "strides", "message"), SLICE_ERRORS)
def test_errors_of_slice(
    start: list[int], end: list[int], strides: list[int], message: str, device: str
) -> None:
    x = make_tensor((10, 10), torch.float32, device)
    with pytest.raises(RuntimeError, match=message or None):
        run(lambda fd, t: fd.ops.slice(t, start, end, strides), [x])


# ------------------------------------------------------- size, shape, stride_order


def test_sizes_as_values(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(
        lambda fd, t: [
            fd.ops.mul(t, fd.ops.size(t, 0)),
            fd.ops.div(t, fd.ops.cast(fd.ops.shape(t)[-1], DataType.Float)),
            fd.ops.sub(t, t.size(-1)),
        ],
        [x],
    )
    for shape in [(3, 5), (4, 7), (1, 1)]:
        y = make_tensor(shape, torch.float32, device)
        outputs = fd.execute([y])
        assert_matches(outputs[0], widen(y) * shape[0], torch.float32)
        assert_matches(outputs[1], widen(y) / shape[1], torch.float32)
        assert_matches(outputs[2], widen(y) - shape[1], torch.float32)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))), ids=str)
def test_stride_order(order: tuple[int, ...], device: str) -> None:
    x = make_tensor((3, 5, 7), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.stride_order(plus_one(fd, t), order), [x])
    assert torch.equal(output, x + 1)
    in_memory = sorted(range(3), key=lambda dim: -order[dim])
    assert output.permute(in_memory).is_contiguous()


def test_stride_order_gives_broadcast_dimensions_a_place(device: str) -> None:
    x = make_tensor((2, 1, 3, 4), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.stride_order(plus_one(fd, t), [0, 1, 2, 3]), [x])
    assert output.stride() == (1, 2, 2, 6)
    assert torch.equal(output, x + 1)


def test_outputs_are_contiguous_whatever_the_inputs_are(device: str) -> None:
    x = make_tensor((7, 5, 3), torch.float32, device).permute(2, 0, 1)
    output = run_one(plus_one, [x])
    assert output.is_contiguous()
    assert torch.equal(output, x + 1)


def test_views_of_an_input_may_share_its_memory(device: str) -> None:
    x = make_tensor((6, 8), torch.float32, device)
    outputs = run(
        lambda fd, t: [fd.ops.reshape(t, [48]), fd.ops.permute(t, [1, 0]), fd.ops.set(t)], [x]
    )
    assert torch.equal(outputs[0], x.reshape(48))
    assert torch.equal(outputs[1], x.T)
    assert torch.equal(outputs[2], x)
    assert outputs[0].data_ptr() == x.data_ptr()
    assert outputs[1].data_ptr() == x.data_ptr()


# --------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (lambda fd, t: fd.ops.broadcast(t, [True, False]), "Invalid broadcast, number of false"),
        (lambda fd, t: fd.ops.broadcast(t, [False] * 3), "Invalid broadcast, number of false"),
        (lambda fd, t: fd.ops.reshape(t, [-1, -1]), "A maximum of one value of -1"),
        (lambda fd, t: fd.ops.reshape(t, [7]), "Total element counts across view operation must"),
        (lambda fd, t: fd.ops.permute(t, [0, 2]), ""),
        (lambda fd, t: fd.ops.permute(t, [0, 0]), ""),
        (lambda fd, t: fd.ops.permute(t, [0]), "argument to have the same length as input"),
        (lambda fd, t: fd.ops.squeeze(t, [5]), "Squeeze dim is outside of Tensor size!"),
        (lambda fd, t: fd.ops.squeeze(t, [0, 1, 1]), "The dims to squeeze must be <="),
        (lambda fd, t: fd.ops.squeeze(t, [0]), "Can not squeeze non-broadcasting dimension"),
        (lambda fd, t: fd.ops.size(t, 2), "Tried to access out of boundary index"),
        (lambda fd, t: fd.ops.broadcast_in_dim(t, [3, 5], [0]), ""),
        (lambda fd, t: fd.ops.broadcast_in_dim(t, [3], [0, 1]), ""),
        (lambda fd, t: fd.ops.broadcast_in_dim(t, [3, 5, 2], [0, 3]), ""),
    ],
)
def test_errors_of_views(body, message: str, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with pytest.raises(RuntimeError, match=message or None):
        run(body, [x])


def test_dims_of_the_wrong_type_are_type_errors(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with pytest.raises(TypeError):
        run(lambda fd, t: fd.ops.permute(t, [0.0, 1.0]), [x])


@pytest.mark.parametrize("computed", [False, True])
@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_broadcast_to_different_sizes(static, computed, device):
    """What is broadcast to several sizes has no loop in common with all of them."""
    a, b, c = (make_tensor(s, torch.float32, device) for s in ((4, 5), (2, 5), (5,)))

    def body(fd, a, b, c):
        row = fd.ops.broadcast(c, [True, False])
        row = fd.ops.neg(row) if computed else row
        return [a * row, b * row, fd.ops.sum(a * row, [0]) + c]

    outputs = run(body, [a, b, c], static)
    row = -c if computed else c
    assert torch.equal(outputs[0], a * row)
    assert torch.equal(outputs[1], b * row)
    assert_matches(outputs[2], (widen(a) * widen(row)).sum(0) + widen(c), torch.float32)


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 1, 5), (1, 4, 300)], ids=str)
def test_a_reshaped_input_beside_its_softmax(shape: tuple[int, ...], device: str) -> None:
    x = make_tensor(shape, torch.float64, device)
    output = run_one(
        lambda fd, t: fd.ops.add(fd.ops.reshape(t, [1, *shape]), fd.ops.softmax(t, 2)), [x]
    )
    assert_matches(output, x.reshape(1, *shape) + x.softmax(2), torch.float64)


@pytest.mark.parametrize("shape", [(6, 10), (1, 60), (0, 5)], ids=str)
def test_outputs_that_are_reshapes_of_what_is_computed(shape, device):
    """They lie where that was computed, and others read it there."""
    x = make_tensor(shape, torch.float32, device)
    count = x.numel()

    def body(fd, t):
        ops = fd.ops
        probabilities = ops.softmax(t, -1)
        flat = ops.reshape(probabilities, [count])
        other = ops.softmax(ops.neg(t), -1)
        return [
            flat,
            ops.sum(ops.mul(probabilities, t), [0]),
            other,
            ops.reshape(other, [count, 1]),
            ops.reshape(ops.permute(ops.softmax(t, 0), [1, 0]), [count]),
        ]

    fd = define(body, [x])
    first, other = x.softmax(-1), (-x).softmax(-1)
    expected = [
        first.flatten(),
        (first * x).sum(0),
        other,
        other.reshape(count, 1),
        x.softmax(0).t().flatten(),
    ]
    given = [torch.full_like(tensor, 7.0) for tensor in expected]
    for outputs in (fd.execute([x]), fd.bind([x])(x, outputs=given)):
        for output, reference in zip(outputs, expected, strict=True):
            torch.testing.assert_close(output, reference)


# ------------------------------------------------------------------------ shapes of one memory


def block_largest(fd, t, rows: int, blocks: int):
    """Blocks of 4 divided by the largest of each, in the shape of the blocks."""
    divided = fd.ops.reshape(t, [rows, blocks, 4])
    largest = fd.ops.max(fd.ops.abs(divided), [-1], keepdim=True)
    return fd.ops.div(divided, largest), largest


@pytest.mark.parametrize("shape", [(6, 8), (1, 4), (3, 20), (0, 8), (1030, 12)], ids=str)
@pytest.mark.parametrize("transposed", [False, True])
def test_blocks_of_an_input_are_one_kernel(
    shape: tuple[int, int], transposed: bool, device: str
) -> None:
    rows, columns = shape
    blocks = columns // 4
    x = make_tensor(shape, torch.float32, device)
    x = x.t().contiguous().t() if transposed else x

    def body(fd, t):
        scaled, largest = block_largest(fd, t, rows, blocks)
        return [fd.ops.reshape(scaled, [rows, columns]), fd.ops.squeeze(largest, [-1])]

    fd = define(body, [x])
    scaled, largest = fd.execute([x])
    wide = widen(x).reshape(rows, blocks, 4)
    expected = wide.abs().amax(-1, keepdim=True)
    assert_matches(scaled, (wide / expected).reshape(rows, columns), torch.float32)
    assert_matches(largest, expected.squeeze(-1), torch.float32)
    if not transposed and rows > 1:
        assert str(fd.fec.get_scheduled_ir([x])).count("%kernel {") == 1
    outputs = [torch.empty_like(scaled), torch.empty_like(largest)]
    again = fd.execute([x], outputs=outputs)
    assert again[0] is outputs[0]
    assert torch.equal(outputs[0], scaled)
    assert torch.equal(outputs[1], largest)


def test_one_result_in_several_shapes(device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)

    def body(fd, t):
        y = fd.ops.relu(t)
        return [
            fd.ops.reshape(y, [24]),
            fd.ops.reshape(y, [2, 12]),
            y,
            fd.ops.neg(fd.ops.reshape(y, [8, 3])),
            fd.ops.reshape(fd.ops.reshape(fd.ops.exp(t), [3, 8]), [24]),
        ]

    flat, halves, y, negative, exponential = run(body, [x])
    expected = x.relu()
    assert torch.equal(flat, expected.reshape(24))
    assert torch.equal(halves, expected.reshape(2, 12))
    assert torch.equal(y, expected)
    assert torch.equal(negative, -expected.reshape(8, 3))
    assert_matches(exponential, widen(x).exp().reshape(24), torch.float32)
    pointers = {tensor.data_ptr() for tensor in (flat, halves, y, negative)}
    assert len(pointers) == 4


def test_reshaped_result_of_a_library_call(device: str) -> None:
    x, y = (make_tensor((4, 4), torch.float32, device, seed=seed) for seed in (0, 1))

    def body(fd, a, b):
        product = fd.ops.matmul(a, b)
        total = fd.ops.add(product, a)
        return [
            fd.ops.reshape(product, [16]),
            fd.ops.reshape(total, [2, 8]),
            fd.ops.matmul(total, b),
        ]

    product, total, again = run(body, [x, y])
    torch.testing.assert_close(product, (x @ y).reshape(16))
    torch.testing.assert_close(total, (x @ y + x).reshape(2, 8))
    torch.testing.assert_close(again, (x @ y + x) @ y)


def test_updated_inputs_and_reshapes(device: str) -> None:
    x, y = (make_tensor((4, 6), torch.float32, device, seed=seed) for seed in (0, 1))

    def body(fd, a, b):
        blocks = fd.ops.reshape(a, [8, 3])
        scaled = fd.ops.mul(blocks, 2.0)
        fd.add_output(fd.ops.add(fd.ops.reshape(scaled, [4, 6]), b), alias_input=b)
        return [fd.ops.reshape(scaled, [24]), fd.ops.sum(blocks, [1])]

    expected = y + x * 2
    fd = define(body, [x, y])
    flat, total = fd.execute([x, y])
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(flat, (x * 2).reshape(24))
    torch.testing.assert_close(total, x.reshape(8, 3).sum(1))


# ------------------------------------------------------------------------ computed sizes


def computed_sizes(fd: FusionDefinition, x, rows, columns) -> list:
    """Tensors of (rows, columns), which the definition does not know to be 1."""
    ops = fd.ops
    return [
        ops.reshape(x, [rows, columns]),
        ops.slice(ops.expand(ops.reshape(x, [-1, 1]), [-1, 8]), [0, 0], [rows, columns]),
        ops.full([rows, columns], 2.0, DataType.Float),
    ]


@pytest.mark.parametrize("which", range(3), ids=["reshape", "slice", "full"])
def test_computed_sizes_broadcast_where_they_are_1(which: int, device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        y = fd.define_tensor(shape=[-1, -1], contiguity=True)
        sizes = [fd.define_scalar(DataType.Int), fd.define_scalar(DataType.Int)]
        part = computed_sizes(fd, x, *sizes)[which]
        total = fd.ops.add(fd.ops.sin(part), y)
        fd.add_output(total)
        # What follows has the sizes of the result.
        fd.add_output(fd.ops.sum(total, [0]))
        fd.add_output(fd.ops.reshape(total, [-1]))
        fd.add_output(fd.ops.where(fd.ops.gt(part, 0.0), y, part))
    for rows, columns in [(3, 4), (3, 1), (1, 4), (1, 1), (3, 4), (1, 4)]:
        for shape in [(3, 4), (0, 4), (1, 1)]:
            if (rows, shape[0]) == (3, 0) or (shape == (1, 1) and (rows, columns) != (1, 1)):
                continue
            x = make_tensor((rows * columns,), torch.float32, device)
            y = make_tensor(shape, torch.float32, device)
            wide = x.reshape(-1, 1).expand(-1, 8)[:rows, :columns]
            part = [x.reshape(rows, columns), wide, torch.full((rows, columns), 2.0, device=device)]
            total = part[which].sin() + y
            outputs = fd.execute([x, y, rows, columns])
            chosen = torch.where(part[which] > 0, y, part[which])
            for output, reference in zip(
                outputs, [total, total.sum(0), total.reshape(-1), chosen], strict=True
            ):
                assert_matches(output, reference, torch.float32)


def test_both_sizes_are_computed(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        sizes = [fd.define_scalar(DataType.Int), fd.define_scalar(DataType.Int)]
        a, b = (fd.ops.pad(x, [0, fd.ops.sub(size, fd.ops.size(x, 0))]) for size in sizes)
        fd.add_output(fd.ops.mul(a, fd.ops.exp(b)))
    x = make_tensor((1,), torch.float32, device)
    for first, second in [(4, 4), (4, 1), (1, 4), (1, 1), (5, 5), (1, 3)]:
        a, b = (torch.nn.functional.pad(x, (0, size - 1)) for size in (first, second))
        (output,) = fd.execute([x, first, second])
        assert_matches(output, a * b.exp(), torch.float32)
    with pytest.raises(RuntimeError, match=r"conflict was found with 2 different sizes: 3 of .* 2"):
        fd.execute([x, 2, 3])


def test_sizes_of_inputs_do_not_broadcast(device: str) -> None:
    with FusionDefinition() as fd:
        x, y = (fd.define_tensor(shape=[-1], contiguity=True) for _ in range(2))
        fd.add_output(fd.ops.add(x, y))
    with pytest.raises(RuntimeError, match="a conflict was found with 2 different sizes"):
        fd.execute([torch.ones(1, device=device), torch.ones(3, device=device)])


@pytest.mark.parametrize("dtype", [DataType.Int, DataType.Int32], ids=["Int", "Int32"])
def test_normalization_over_sizes_that_are_scalars(dtype: DataType, device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        rows = fd.define_scalar(dtype)
        columns = fd.define_scalar(dtype)
        fd.add_output(fd.ops.softmax(fd.ops.pad(x, [0, columns, 0, rows]), 0))
        fd.add_output(fd.ops.softmax(fd.ops.full([rows, columns], 1.0, DataType.Float), 0))
        fd.add_output(fd.ops.sum(fd.ops.iota(rows), 0))
    x = make_tensor((5, 7), torch.float32, device)
    for rows, columns in [(2, 30), (40, 1)]:
        outputs = fd.execute([x, rows, columns])
        padded = torch.nn.functional.pad(widen(x), (0, columns, 0, rows))
        assert_matches(outputs[0], padded.softmax(0), torch.float32)
        assert_matches(outputs[1], torch.full((rows, columns), 1 / rows), torch.float32)
        assert_matches(outputs[2], torch.arange(rows).sum(), torch.int64)


def test_arithmetic_on_sizes_is_signed(device: str) -> None:
    with FusionDefinition() as fd:
        x, y = (fd.define_tensor(shape=[-1], contiguity=True) for _ in range(2))
        divisor = fd.define_scalar(DataType.Int)
        ops = fd.ops
        size = ops.size(x, 0)
        fd.add_output(ops.mul(x, ops.div(size, divisor)))
        fd.add_output(ops.mul(x, ops.div(ops.sub(size, ops.size(y, 0)), 2)))
        fd.add_output(ops.mul(x, ops.mod(ops.sub(size, ops.size(y, 0)), 4)))
    x = make_tensor((5,), torch.float32, device)
    y = make_tensor((12,), torch.float32, device)
    outputs = fd.execute([x, y, -2])
    for output, factor in zip(outputs, [-2, -3, -3], strict=True):
        assert_matches(output, widen(x) * factor, torch.float32)


def test_expanding_twice(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, 1], contiguity=[True, None])
        first, second = (fd.define_scalar(DataType.Int) for _ in range(2))
        once = fd.ops.expand(x, [-1, first])
        fd.add_output(fd.ops.expand(once, [-1, second]))
        fd.add_output(fd.ops.exp(fd.ops.expand(once, [-1, 3])))
        fd.add_output(fd.ops.sum(fd.ops.expand(fd.ops.neg(once), [-1, second]), [1]))
    x = make_tensor((4, 1), torch.float32, device)
    for first, second in [(1, 5), (3, 3), (1, 1)]:
        twice, three, total = fd.execute([x, first, second])
        assert torch.equal(twice, x.expand(4, second))
        assert_matches(three, widen(x).exp().expand(4, 3), torch.float32)
        assert_matches(total, -widen(x)[:, 0] * second, torch.float32)
    with pytest.raises(RuntimeError, match=r"conflict was found with 2 different sizes: 3 of .* 5"):
        fd.execute([x, 3, 5])


@pytest.mark.parametrize(("size", "target"), [(3, 5), (3, 1), (-1, 5), (-1, 1)])
def test_expanding_what_is_not_1_is_an_error(size: int, target: int, device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[size], contiguity=True)
        y = fd.define_scalar(DataType.Int)
        fd.add_output(fd.ops.expand(x, [y if target != 1 or size == 3 else 1]))
    with pytest.raises(RuntimeError, match="sizes"):
        fd.execute([torch.ones(3, device=device), target])
    if size == -1:
        (output,) = fd.execute([torch.ones(1, device=device), target])
        assert output.shape == (target,)


def test_sum_of_an_expanded_tensor_beside_it(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        rows = fd.define_scalar(DataType.Int)
        wide = fd.ops.expand(x, [rows, -1])
        total = fd.ops.sum(wide, [0], keepdim=True)
        fd.add_output(fd.ops.add(total, wide))
        fd.add_output(fd.ops.add(wide, total))
    for size, rows in [(1, 3), (3, 3), (1, 1)]:
        x = make_tensor((size, 4), torch.float32, device)
        wide = widen(x).expand(rows, -1)
        for output in fd.execute([x, rows]):
            assert_matches(output, wide + wide.sum(0, True), torch.float32)


# ------------------------------------------------------------------- sizes that are computed


@pytest.mark.parametrize("kind", ["slice", "reshape", "full", "iota", "through", "reversed"])
def test_computed_sizes_broadcast_where_they_are_one(kind: str, device: str) -> None:
    """Beside what was expanded from them, which has another size in these runs."""
    x = torch.arange(1.0, 6.0, device=device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True)
        size = fd.define_scalar(dtype=DataType.Int)
        if kind == "full":
            part = fd.ops.full([size], fd.define_scalar(3.0), DataType.Float)
        elif kind == "iota":
            part = fd.ops.iota(size, dtype=DataType.Int)
        elif kind == "reshape":
            part = fd.ops.sum(fd.ops.reshape(t, [size, -1]), [1])
        else:
            part = fd.ops.slice(t, [0], [size])
        wide = fd.ops.expand(fd.ops.neg(part) if kind == "through" else part, [5])
        narrow = fd.ops.abs(part) if kind == "through" else part
        pair = (wide, narrow) if kind == "reversed" else (narrow, wide)
        fd.add_output(fd.ops.sub(*pair))
        fd.add_output(fd.ops.sum(fd.ops.mul(*pair), [0]))
    for size in (1, 5, 1):
        parts = {
            "full": torch.full((size,), 3.0, device=device),
            "iota": torch.arange(size, device=device),
            "reshape": x.reshape(size, -1).sum(1),
        }
        narrow = parts.get(kind, x[:size])
        wide = (-narrow if kind == "through" else narrow).expand(5)
        narrow, wide = (wide, narrow) if kind == "reversed" else (narrow, wide)
        difference, total = fd.execute([x, size])
        assert torch.equal(difference, narrow - wide)
        assert torch.equal(total, (narrow * wide).sum())


def test_computed_sizes_broadcast_in_take_along_axis(device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    index = torch.tensor([[0, 2], [5, 1], [3, 3], [4, 0]], device=device)
    with FusionDefinition() as fd:
        t, i = fd.from_pytorch(x), fd.from_pytorch(index)
        rows, places = (fd.define_scalar(dtype=DataType.Int) for _ in range(2))
        part = fd.ops.slice(t, [0, 0], [rows, 6])
        few = fd.ops.slice(i, [0, 0], [places, 2])
        fd.add_output(fd.ops.take_along_axis(part, few, 1))
    for rows, places in ((4, 4), (1, 4), (4, 1), (1, 1)):
        (output,) = fd.execute([x, index, rows, places])
        assert torch.equal(output, torch.take_along_dim(x[:rows], index[:places], 1))


@pytest.mark.parametrize("dtype", [DataType.Int, DataType.Int32, DataType.Index])
def test_shapes_by_way_of_floating_point_numbers(dtype: DataType, device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        factor = fd.define_scalar(dtype=DataType.Double)
        rows = fd.ops.cast(fd.ops.size(t, 0), DataType.Double)
        half = fd.ops.cast(fd.ops.floor(fd.ops.mul(rows, fd.ops.reciprocal(factor))), dtype)
        twice = fd.ops.cast(fd.ops.ceil(fd.ops.truediv(fd.ops.size(t, 1), 0.5)), dtype)
        reshaped = fd.ops.reshape(t, [half, twice])
        fd.add_output(fd.ops.neg(reshaped))
        fd.add_output(fd.ops.sum(reshaped, [0]))
        fd.add_output(fd.ops.reshape(t, [half, 2, -1]))
    negative, total, split = fd.execute([x, 2.0])
    assert torch.equal(negative, -x.reshape(2, 12))
    torch.testing.assert_close(total, x.reshape(2, 12).sum(0))
    assert torch.equal(split, x.reshape(2, 2, 6))
    with pytest.raises(RuntimeError, match="Total element counts across view operation must match"):
        fd.execute([x, 3.0])


def pairs(ops: Any, x: Any) -> Any:
    """Return x[:, None] - x[None]."""
    return ops.sub(ops.broadcast(x, [False, True, False]), ops.broadcast(x, [True, False, False]))


PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "differences": (pairs, lambda x: x[:, None] - x[None]),
    "distances": (
        lambda ops, x: ops.sqrt(ops.sum(ops.square(pairs(ops, x)), [2])),
        lambda x: (x[:, None] - x[None]).square().sum(2).sqrt(),
    ),
    "of what is computed": (
        lambda ops, x: pairs(ops, ops.exp(x)),
        lambda x: x.exp()[:, None] - x.exp()[None],
    ),
    "below operations": (
        lambda ops, x: ops.mul(
            ops.exp(ops.broadcast(x, [False, True, False])), ops.broadcast(x, [True, False, False])
        ),
        lambda x: x.exp()[:, None] * x[None],
    ),
    "three": (
        lambda ops, x: ops.add(
            pairs(ops, x), ops.broadcast(ops.permute(x, [1, 0]), [True, False, False])
        ),
        lambda x: x[:, None] - x[None] + x.T[None],
    ),
    "a transpose": (
        lambda ops, x: ops.add(x, ops.permute(x, [1, 0])),
        lambda x: x + x.T,
    ),
}


@pytest.mark.parametrize("size", [1, 5, 64])
@pytest.mark.parametrize("name", PAIRS)
def test_a_tensor_along_two_dimensions_of_a_result(name: str, size: int, device: str) -> None:
    function, reference = PAIRS[name]
    x = torch.randn(size, size, device=device)
    with FusionDefinition() as fd:
        fd.add_output(function(fd.ops, fd.from_pytorch(x)))
    torch.testing.assert_close(fd.execute([x])[0], reference(x))


def test_a_tensor_that_is_updated_along_two_dimensions(device: str) -> None:
    x = torch.randn(33, 33, device=device)
    expected = x + x.T
    with FusionDefinition() as fd:
        value = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(value, fd.ops.permute(value, [1, 0])), value)
    fd.execute([x])
    torch.testing.assert_close(x, expected)


@pytest.mark.parametrize("static", [False, True])
def test_slices_of_slices(static: bool, device: str) -> None:
    x = torch.randn(9, 20, device=device)
    with FusionDefinition() as fd:
        value = fd.define_tensor(sizes=[9, 20], strides=[20, 1], static_sizes=static)
        padded = fd.ops.pad(value, [1, 2, 3, 4])
        rows = fd.ops.slice(padded, [2, 0], [12, 23])
        part = fd.ops.slice(fd.ops.slice(rows, [0, 2], [10, 100]), [1, 0], [9, 20])
        fd.add_output(fd.ops.neg(part))
        fd.add_output(fd.ops.exp(rows))
        fd.add_output(part)
    rows = torch.nn.functional.pad(x, (1, 2, 3, 4))[2:12]
    for ours, theirs in zip(
        fd.execute([x]), [-rows[1:9, 2:22], rows.exp(), rows[1:9, 2:22]], strict=True
    ):
        torch.testing.assert_close(ours, theirs)


# ------------------------------------------------------------------------ chains


@pytest.mark.parametrize("is_static", [False, True])
@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3, 20), (6, 20)],
        [(120,), (6, 20), (2, 3, 4, 5)],
        [(6, 4, 5), (6, 20), (3, 2, 20), (6, 20)],
        [(1, 6, 20), (6, 1, 20), (6, 20, 1)],
    ],
    ids=str,
)
def test_reshapes_of_reshapes(shapes: list[tuple[int, ...]], is_static: bool, device: str) -> None:
    """Each step is read too, and the last one is the input's shape in some."""
    x = make_tensor((6, 20), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x, static_sizes=is_static)
        steps = [plus_one(fd, t)]
        for shape in shapes:
            steps.append(fd.ops.reshape(steps[-1], list(shape)))
        fd.add_output(fd.ops.neg(steps[-1]))
        for step in steps[1:-1]:
            fd.add_output(fd.ops.sum(step, [step.ndim - 1]))
    result, *sums = fd.execute([x])
    assert torch.equal(result, -(x + 1).reshape(shapes[-1]))
    for own, shape in zip(sums, shapes[:-1], strict=True):
        torch.testing.assert_close(own, (x + 1).reshape(shape).sum(-1))


@pytest.mark.parametrize("orders", [[(2, 0, 1), (1, 2, 0)], [(1, 0, 2), (2, 1, 0)]], ids=str)
@pytest.mark.parametrize("is_first_output", [False, True])
def test_permutations_of_permutations(
    orders: list[tuple[int, ...]], is_first_output: bool, device: str
) -> None:
    """Back to the order of the operand, or not; as outputs and in front of something else."""
    x = make_tensor((3, 4, 5), torch.float32, device)
    first, second = (list(order) for order in orders)
    with FusionDefinition() as fd:
        y = plus_one(fd, fd.from_pytorch(x))
        once = fd.ops.permute(y, first)
        twice = fd.ops.permute(once, second)
        if is_first_output:
            fd.add_output(once)
        fd.add_output(twice)
        fd.add_output(fd.ops.neg(twice))
    expected = (x + 1).permute(first)
    outputs = fd.execute([x])
    assert torch.equal(outputs[-1], -expected.permute(second))
    assert torch.equal(outputs[-2], expected.permute(second))
    assert all(out.is_contiguous() for out in outputs)
    if is_first_output:
        assert torch.equal(outputs[0], expected)
