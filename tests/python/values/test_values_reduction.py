"""Reductions against torch in double precision: every axis pattern, dtype and extent."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import torch
from fusion_testing import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    REDUCED,
    assert_matches,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import DataType, FusionDefinition, PythonProfiler

SHAPE = (3, 17, 6, 33)
AXES = [
    axes
    for count in range(1, len(SHAPE) + 1)
    for axes in itertools.combinations(range(len(SHAPE)), count)
]


def tolerance(dtype: torch.dtype, count: int) -> dict[str, float]:
    """Of a sum of `count` values up to 4: each addition rounds, but errors mostly cancel."""
    eps = torch.finfo(dtype).eps
    compute = min(eps, torch.finfo(torch.float32).eps)
    return {"rtol": eps, "atol": 4 * compute * count + eps}


@pytest.mark.parametrize("dims", AXES, ids=str)
@pytest.mark.parametrize("keepdim", [False, True], ids=["", "keepdim"])
def test_sum_over_every_combination_of_axes(
    dims: tuple[int, ...], keepdim: bool, device: str
) -> None:
    x = make_tensor(SHAPE, torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.sum(t, dims, keepdim), [x])
    reference = widen(x).sum(dims, keepdim=keepdim)
    count = math.prod(SHAPE[dim] for dim in dims)
    assert_matches(output, reference, x.dtype, **tolerance(x.dtype, count))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=dtype_id)
@pytest.mark.parametrize("dims", [[0], [1], [0, 1]], ids=str)
def test_sum(dtype: torch.dtype, dims: list[int], device: str) -> None:
    x = make_tensor((65, 129), dtype, device)
    output = run_one(lambda fd, t: fd.ops.sum(t, dims), [x])
    count = math.prod(x.shape[dim] for dim in dims)
    real = dtype.to_real() if dtype.is_complex else dtype
    assert_matches(output, widen(x).sum(dims), dtype, **tolerance(real, count))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=dtype_id)
@pytest.mark.parametrize("name", ["sum", "max"])
@pytest.mark.parametrize("axes", [[(1,), (1, 3), (0, 1, 3)], [(0, 2), (2,), (3,), (0, 1, 2, 3)]])
def test_reductions_along_nested_axes(
    axes: list[tuple[int, ...]], name: str, dtype: torch.dtype, device: str
) -> None:
    """Of one tensor: what is reduced along some of them may be reduced further."""
    x = make_tensor(SHAPE, dtype, device)
    outputs = run(lambda fd, t: [getattr(fd.ops, name)(t, list(dims)) for dims in axes], [x])
    reference = torch.sum if name == "sum" else torch.amax
    for output, dims in zip(outputs, axes, strict=True):
        expected = reference(widen(x), dims)
        count = math.prod(SHAPE[dim] for dim in dims)
        tolerances = tolerance(dtype, count) if dtype.is_floating_point else {}
        assert_matches(output, expected, dtype, **tolerances)


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGERS], ids=dtype_id)
@pytest.mark.parametrize("name", ["sum", "prod"])
def test_integers_become_int(dtype: torch.dtype, name: str, device: str) -> None:
    x = make_tensor((7, 5), dtype, device, 1, 3)
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t, 1), [x])
    assert output.dtype is torch.int64
    assert torch.equal(output, getattr(torch, name)(x, 1))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX], ids=dtype_id)
def test_prod(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((5, 19), dtype, device, 0.5, 1.5)
    output = run_one(lambda fd, t: fd.ops.prod(t, 1), [x])
    rtol = 1e-12 if dtype in (torch.float64, torch.complex128) else None
    assert_matches(output, widen(x).prod(1), dtype, rtol=rtol)


@pytest.mark.parametrize("dtype", [torch.bool, *INTEGERS, *FLOATS], ids=dtype_id)
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("dims", [[0], [1], [0, 2], [0, 1, 2]], ids=str)
def test_max_and_min(dtype: torch.dtype, name: str, dims: list[int], device: str) -> None:
    x = make_tensor((5, 7, 19), dtype, device)
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t, dims), [x])
    reference = getattr(torch, f"a{name}")(x.to(torch.int64) if dtype is torch.bool else x, dims)
    assert output.dtype == dtype
    assert torch.equal(output, reference.to(dtype))


@pytest.mark.parametrize("name", ["max", "min"])
def test_nan_wins(name: str, device: str) -> None:
    x = make_tensor((4, 40), torch.float32, device)
    x[1, 7] = float("nan")
    x[2, 0] = float("inf")
    x[3, 39] = float("-inf")
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t, 1), [x])
    reference = getattr(torch, f"a{name}")(x, 1)
    torch.testing.assert_close(output, reference, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("dims", [[1], [0], [0, 1]])
@pytest.mark.parametrize("shape", [(6, 70), (5, 20000), (20000, 5)])
def test_largest_magnitude(
    dtype: torch.dtype, dims: list[int], shape: tuple[int, int], device: str
) -> None:
    """Which compares absolute values by their bits on the CPU."""
    x = make_tensor(shape, dtype, device)
    for row, value in enumerate((-0.0, float("-inf"), -float("nan"), float("nan"))):
        x[row, row] = value
    x[4] = 0.0
    output, halved = run(
        lambda fd, t: [
            fd.ops.max(fd.ops.abs(t), dims),
            fd.ops.max(fd.ops.mul(fd.ops.abs(fd.ops.neg(t)), 0.5), dims),
        ],
        [x],
    )
    reference = x.abs().amax(dims)
    torch.testing.assert_close(output, reference, rtol=0, atol=0, equal_nan=True)
    torch.testing.assert_close(halved.to(dtype), reference * 0.5, rtol=0, atol=0, equal_nan=True)
    none = run_one(lambda fd, t: fd.ops.max(fd.ops.abs(t), [0]), [x[:0]])
    assert torch.equal(none, torch.full_like(none, float("-inf")))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min"])
def test_three_overloads(name: str, device: str) -> None:
    x = make_tensor((3, 5), torch.float64, device, 0.5, 1.5)
    outputs = run(
        lambda fd, t: [
            getattr(fd.ops, name)(t),
            getattr(fd.ops, name)(t, -1),
            getattr(fd.ops, name)(t, 1, True),
            getattr(fd.ops, name)(t, dim=0, keepdim=True),
            getattr(fd.ops, name)(t, dims=[0, -1]),
            getattr(fd.ops, name)(t, dims=[0], keepdim=True),
        ],
        [x],
    )
    function = getattr(torch, {"max": "amax", "min": "amin"}.get(name, name))

    def reference(dim: int | None, keepdim: bool) -> torch.Tensor:
        if dim is None:
            return function(x.flatten(), 0)
        return function(x, dim, keepdim=keepdim)

    expected = [
        reference(None, False),
        reference(1, False),
        reference(1, True),
        reference(0, True),
        reference(None, False),
        reference(0, True),
    ]
    for output, value in zip(outputs, expected, strict=True):
        assert_matches(output, value, torch.float64)


@pytest.mark.parametrize("name", ["sum", "prod"])
def test_dtype_casts_first(name: str, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device, 0.6, 1.9)
    outputs = run(
        lambda fd, t: [
            getattr(fd.ops, name)(t, DataType.Double),
            getattr(fd.ops, name)(t, 1, True, DataType.Double),
            getattr(fd.ops, name)(t, dims=[0], dtype=DataType.Int32),
        ],
        [x],
    )
    function = getattr(torch, name)
    assert_matches(outputs[0], function(x.double()), torch.float64)
    assert_matches(outputs[1], function(x.double(), 1, keepdim=True), torch.float64)
    assert_matches(outputs[2], function(x.to(torch.int32), 0), torch.int32)


@pytest.mark.parametrize("name", ["max", "min"])
def test_max_and_min_take_no_dtype(name: str, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with pytest.raises(RuntimeError, match="A dtype other than Null is not currently supported"):
        run(lambda fd, t: getattr(fd.ops, name)(t, 1, False, DataType.Double), [x])


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("dims", [[0], [1], [0, 1]], ids=str)
@pytest.mark.parametrize("keepdim", [False, True], ids=["", "keepdim"])
def test_var(
    dtype: torch.dtype, correction: int, dims: list[int], keepdim: bool, device: str
) -> None:
    x = make_tensor((33, 65), dtype, device)
    output = run_one(lambda fd, t: fd.ops.var(t, dims, correction, keepdim), [x])
    expected = torch.float32 if dtype in REDUCED else dtype
    reference = torch.var(widen(x), dims, correction=correction, keepdim=keepdim)
    assert_matches(output, reference, expected, rtol=1e-12 if expected is torch.float64 else 1e-5)


def test_var_of_values_far_from_zero(device: str) -> None:
    x = make_tensor((8, 1000), torch.float32, device, 1000, 1001)
    output = run_one(lambda fd, t: fd.ops.var(t, [1]), [x])
    assert_matches(output, torch.var(widen(x), 1), torch.float32, rtol=1e-3)


@pytest.mark.parametrize("shape", [(3000, 70), (50_000, 3), (3, 40_000)], ids=str)
@pytest.mark.parametrize("offset", [0.0, 1000.0])
@pytest.mark.parametrize("composed", [False, True], ids=["var_mean", "composed"])
def test_normalization_by_statistics_of_many_values(
    shape: tuple[int, ...], offset: float, composed: bool, device: str
) -> None:
    x = make_tensor(shape, torch.float32, device) + offset
    dim = int(shape[0] < shape[1])

    def body(fd: FusionDefinition, t: Any) -> Any:
        if composed:
            mean = fd.ops.mean(t, [dim], True)
            squares = (t - mean) * (t - mean)
            var = fd.ops.mean(squares, [dim], True)
        else:
            var, mean = fd.ops.var_mean(t, dims=[dim], correction=0, keepdim=True)
        return (t - mean) * fd.ops.rsqrt(var + 1e-5), var

    wide = widen(x)
    var, mean = torch.var_mean(wide, dim, correction=0, keepdim=True)
    normalized, variance = run(body, [x])
    assert_matches(variance, var, torch.float32, rtol=1e-5)
    # The mean is a sum of Floats: its error is relative to the offset.
    error = 1e-5 + offset * 2e-6
    assert_matches(normalized, (wide - mean) / torch.sqrt(var + 1e-5), torch.float32, atol=error)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *COMPLEX], ids=dtype_id)
@pytest.mark.parametrize("keepdim", [False, True], ids=["", "keepdim"])
def test_var_mean(dtype: torch.dtype, keepdim: bool, device: str) -> None:
    x = make_tensor((9, 65), dtype, device)
    var, mean = run(lambda fd, t: fd.ops.var_mean(t, [1], 1, keepdim), [x])
    reference = torch.var_mean(widen(x), [1], correction=1, keepdim=keepdim)
    real = dtype.to_real() if dtype.is_complex else dtype
    rtol = 1e-12 if real is torch.float64 else 1e-5
    assert_matches(var, reference[0], real, rtol=rtol)
    assert_matches(mean, reference[1], dtype, rtol=rtol)


@pytest.mark.parametrize("dtype", REDUCED, ids=dtype_id)
def test_var_mean_of_half_is_an_error(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((9, 65), dtype, device)
    with pytest.raises(RuntimeError, match="variance_mean is not supported for"):
        run(lambda fd, t: fd.ops.var_mean(t, [1]), [x])


def test_negative_correction_is_an_error(device: str) -> None:
    x = make_tensor((9, 65), torch.float32, device)
    with pytest.raises(RuntimeError, match="correction must be non-negative"):
        run(lambda fd, t: fd.ops.var(t, [1], -1), [x])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
@pytest.mark.parametrize("dims", [[0], [1], [0, 1], [0, 2], [0, 1, 2]], ids=str)
def test_welford(dtype: torch.dtype, dims: list[int], device: str) -> None:
    x = make_tensor((9, 5, 65), dtype, device)
    mean, squares, count = run(lambda fd, t: fd.ops.welford(t, dims), [x])
    wide = widen(x)
    number = math.prod(x.shape[dim] for dim in dims)
    rtol = 1e-12 if dtype is torch.float64 else 1e-5
    assert_matches(mean, wide.mean(dims), dtype, rtol=rtol)
    assert_matches(squares, wide.var(dims, correction=0) * number, dtype, rtol=rtol)
    assert torch.equal(count, torch.full_like(count, number))


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("dims", [[1], [0, 1]], ids=str)
def test_mean(dtype: torch.dtype, dims: list[int], device: str) -> None:
    x = make_tensor((9, 65), dtype, device)
    output = run_one(lambda fd, t: fd.ops.mean(t, dims), [x])
    assert output.dtype in (dtype, torch.float32)
    assert_matches(output, widen(x).mean(dims), output.dtype)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 64, 100, 1023, 4097, 70001])
@pytest.mark.parametrize("inner", [True, False], ids=["inner", "outer"])
def test_extents_around_the_width_of_vectors(size: int, inner: bool, device: str) -> None:
    x = make_tensor((3, size) if inner else (size, 3), torch.float32, device)
    dim = 1 if inner else 0
    total, largest = run(lambda fd, t: [fd.ops.sum(t, dim), fd.ops.max(t, dim)], [x])
    assert_matches(total, widen(x).sum(dim), torch.float32, **tolerance(torch.float32, size))
    assert torch.equal(largest, x.amax(dim))


def test_one_kernel_serves_every_size(device: str) -> None:
    from fusion_testing import define

    x = make_tensor((4, 9), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.sum(t, 1), [x])
    for shape in [(4, 9), (1, 9), (300, 9), (4, 1), (4, 5000), (2, 33)]:
        y = make_tensor(shape, torch.float32, device)
        (output,) = fd.execute([y])
        assert_matches(output, widen(y).sum(1), y.dtype, **tolerance(y.dtype, shape[1]))


def test_zero_dim_tensor_is_copied(device: str) -> None:
    x = torch.tensor(2.5, device=device)
    outputs = run(lambda fd, t: [fd.ops.sum(t), fd.ops.max(t)], [x])
    assert [output.item() for output in outputs] == [2.5, 2.5]
    assert [output.shape for output in outputs] == [(), ()]


@pytest.mark.parametrize(
    ("name", "value"),
    [("sum", 0.0), ("prod", 1.0), ("max", float("-inf")), ("min", float("inf"))],
)
@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
def test_empty_dimension_gives_the_identity(
    name: str, value: float, static: bool, device: str
) -> None:
    x = torch.empty(3, 0, device=device)
    (output,) = run(lambda fd, t: getattr(fd.ops, name)(t, 1), [x], static_sizes=static)
    assert output.tolist() == [value] * 3


def test_broadcast_dimension_is_squeezed(device: str) -> None:
    x = make_tensor((5, 1, 7), torch.float32, device)
    outputs = run(lambda fd, t: [fd.ops.sum(t, 1), fd.ops.sum(t, [0, 1])], [x])
    assert torch.equal(outputs[0], x[:, 0])
    assert_matches(outputs[1], widen(x).sum((0, 1)), x.dtype)


def test_expanded_dimension_counts(device: str) -> None:
    x = make_tensor((5, 1), torch.float32, device, 0.5, 1.5).expand(5, 6)
    total, product = run(lambda fd, t: [fd.ops.sum(t, 1), fd.ops.prod(t, 1)], [x])
    assert_matches(total, widen(x).sum(1), x.dtype)
    assert_matches(product, widen(x).prod(1), x.dtype)


@pytest.mark.parametrize("dims", [[2], [-4]], ids=str)
def test_dimension_out_of_range_is_an_error(dims: list[int], device: str) -> None:
    x = make_tensor((3, 4), torch.float32, device)
    with pytest.raises(RuntimeError):
        run(lambda fd, t: fd.ops.sum(t, dims), [x])


def test_no_dimension_is_an_error(device: str) -> None:
    x = make_tensor((3, 4), torch.float32, device)
    with pytest.raises(RuntimeError, match="No reduction axis specified"):
        run(lambda fd, t: fd.ops.sum(t, []), [x])


def test_result_feeds_another_reduction(device: str) -> None:
    x = make_tensor((6, 7, 8), torch.float64, device)
    output = run_one(lambda fd, t: fd.ops.sum(fd.ops.max(fd.ops.sum(t, 2), 1), 0), [x])
    assert_matches(output, x.sum(2).amax(1).sum(0), torch.float64, rtol=1e-12)


def test_same_bits_every_time(device: str) -> None:
    from fusion_testing import define

    x = make_tensor((3, 200_001), torch.float32, device)
    fd = define(lambda fd, t: [fd.ops.sum(t), fd.ops.sum(t, 1), fd.ops.sum(t, 0)], [x])
    first = fd.execute([x])
    for _ in range(5):
        for output, expected in zip(fd.execute([x]), first, strict=True):
            assert torch.equal(output, expected)


@pytest.mark.parametrize("shape", [(200_000,), (3, 100_001), (70_000, 5), (40_000, 300)])
@pytest.mark.parametrize("dims", [[0], [-1], [0, -1]])
def test_reductions_in_parts(shape: tuple[int, ...], dims: list[int], device: str) -> None:
    """Large reductions are computed in parts that are combined afterwards, by several workers."""
    x = make_tensor(shape, torch.float32, device)
    axes = sorted({dim % len(shape) for dim in dims})

    def body(fd, t):
        wide = fd.ops.cast(t, DataType.Double)
        return [fd.ops.sum(wide, axes), fd.ops.max(wide, axes), fd.ops.sum(fd.ops.mul(t, t), axes)]

    total, largest, squares = run(body, [x])
    wide = x.double()
    torch.testing.assert_close(total, wide.sum(axes))
    torch.testing.assert_close(largest, wide.amax(axes))
    torch.testing.assert_close(squares.double(), (wide * wide).sum(axes), rtol=1e-5, atol=1e-5)
    again = run(body, [x])
    assert all(torch.equal(a, b) for a, b in zip(again, [total, largest, squares], strict=True))


@pytest.mark.parametrize("shape", [(1027, 1030), (131, 8200), (8195, 129), (66, 16_401)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64], ids=dtype_id)
def test_columns_of_several_rows_at_once(
    shape: tuple[int, ...], dtype: torch.dtype, device: str
) -> None:
    """Some rows are left behind the last whole group; tiles are cut off or not."""
    x = make_tensor(shape, dtype, device)
    is_double = dtype == torch.float64
    result = torch.float64 if is_double else torch.float32
    whole = DataType.Double if is_double else DataType.Float

    def body(fd, t):
        wide = fd.ops.cast(t, whole)
        mean, largest = fd.ops.mean(wide, [0], True), fd.ops.max(wide, [0], True)
        return [fd.ops.sum(wide, [0]), largest, (wide - mean) * largest]

    wide = x.double()
    mean, largest = wide.mean(0, keepdim=True), wide.amax(0, keepdim=True)
    expected = [wide.sum(0), largest, (wide - mean) * largest]
    for output, reference in zip(run(body, [x]), expected, strict=True):
        assert_matches(output, reference, result, rtol=1e-5, atol=1e-3)
    total = run_one(lambda fd, t: fd.ops.sum(fd.ops.cast(t, whole), [0]), [x])
    assert_matches(total, wide.sum(0), result, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize(("rows", "columns"), [(20_011, 2), (20_011, 3), (5000, 16), (5001, 17)])
@pytest.mark.parametrize(
    "dtype",
    [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.complex64],
    ids=dtype_id,
)
def test_rows_of_few_columns(columns: int, rows: int, dtype: torch.dtype, device: str) -> None:
    """Several rows are accumulated as one where they lie one behind the other; some are left."""
    x, y = make_tensor((2, rows, columns), dtype, device), make_tensor((columns,), dtype, device)
    exact = torch.complex128 if dtype.is_complex else torch.float64
    wide, factor = x.to(exact), y.to(exact)
    for dims in ([0, 1], [1]):

        def body(fd: FusionDefinition, t: Any, c: Any, dims: Any = dims) -> list[Any]:
            if dtype == torch.bfloat16:
                t, c = fd.ops.cast(t, DataType.Float), fd.ops.cast(c, DataType.Float)
            return [fd.ops.sum(t, dims), fd.ops.sum(fd.ops.mul(t, c), dims)]

        expected = [wide.sum(dims), (wide * factor).sum(dims)]
        gaps = torch.nn.functional.pad(x, (0, 1))[..., :columns]
        for operand in (x, gaps, x[:, 1:], x[:, :1].expand(2, rows, columns)):
            if operand is not x and operand is not gaps:
                part = operand.to(exact)
                expected = [part.sum(dims), (part * factor).sum(dims)]
            for output, reference in zip(run(body, [operand, y]), expected, strict=True):
                torch.testing.assert_close(output.to(exact), reference, rtol=1e-5, atol=1e-2)


def test_extremes_of_few_columns(device: str) -> None:
    """What is neutral to an operation fills what is accumulated of several rows at first."""
    x = make_tensor((20_000, 3), torch.float32, device)
    x[777, 1] = float("nan")

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        return [fd.ops.max(t, [0]), fd.ops.min(t, [0]), fd.ops.prod(fd.ops.gt(t, -100.0), [0])]

    largest, smallest, product = run(body, [x])
    assert torch.equal(largest.nan_to_num(99.0), x.amax(0).nan_to_num(99.0))
    assert torch.equal(smallest.nan_to_num(99.0), x.amin(0).nan_to_num(99.0))
    assert product.tolist() == [1, 0, 1]


@pytest.mark.parametrize("shape", [(3000, 8), (65_536, 40), (3, 20_000, 5)], ids=str)
def test_errors_of_long_columns_do_not_add_up(shape: tuple[int, ...], device: str) -> None:
    """One after the other, 65 536 tenths add up to 1e-3 too much: each addition errs alike."""
    x = torch.full(shape, 0.1, device=device)
    dim = len(shape) - 2
    mean = run_one(lambda fd, t: fd.ops.mean(t, [dim]), [x])
    torch.testing.assert_close(mean, x.double().mean(dim).float(), rtol=1e-5, atol=0)


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_sums_of_a_tensor_and_of_more_or_less_of_it(
    dim: int, transposed: bool, device: str
) -> None:
    x = make_tensor((128, 1000), torch.float64, device)
    x = x.t().contiguous().t() if transposed else x
    widths = [1, 3, 1, 0]

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        part = fd.ops.slice(t, [1, 2], [100, 900])
        return [fd.ops.sum(v, dim) for v in (t, fd.ops.pad(t, widths, 2.0), part)]

    padded = torch.nn.functional.pad(x, widths, value=2.0)
    for output, value in zip(run(body, [x]), (x, padded, x[1:100, 2:900]), strict=True):
        assert_matches(output, value.sum(dim), torch.float64, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("reduced", ["sum", "softmax"])
def test_what_has_nothing_to_do_with_a_reduction(reduced: str, device: str) -> None:
    """It gets a kernel of its own: that of the reduction has no loops for it."""

    def body(fd, x, y):
        rows = fd.ops.sum(x, [1]) if reduced == "sum" else fd.ops.softmax(x, 1)
        scale = fd.ops.rsqrt(fd.ops.sum(fd.ops.mul(y, y)))
        return [rows, fd.ops.neg(y), fd.ops.mul(y, scale)]

    x = make_tensor((40, 33), torch.float64, device)
    y = make_tensor((7, 90), torch.float64, device, seed=1)
    with FusionDefinition() as fd:
        inputs = [fd.from_pytorch(t) for t in (x, y)]
        for output in body(fd, *inputs)[:2]:
            fd.add_output(output)
    with PythonProfiler() as profiler:
        fd.execute([x, y])
    assert len(profiler.profile.kernel_profiles) == 2
    rows, negative, scaled = run(body, [x, y])
    assert_matches(rows, x.sum(1) if reduced == "sum" else x.softmax(1), torch.float64)
    assert torch.equal(negative, -y)
    assert_matches(scaled, y / y.norm(), torch.float64)


@pytest.mark.parametrize("dtype", COMPLEX, ids=dtype_id)
@pytest.mark.parametrize("value", [complex("inf+1j"), complex("1-infj"), 2 - 3j, 0j], ids=str)
def test_expanded_complex_numbers(value: complex, dtype: torch.dtype, device: str) -> None:
    """A count multiplies each part: an infinite one makes no NaN of the other."""
    x = torch.full((4, 1), value, dtype=dtype, device=device)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        wide = fd.ops.expand(t, [4, 3])
        return [fd.ops.sum(wide, [1]), fd.ops.sum(wide, [0, 1]), fd.ops.mean(wide, [1])]

    outputs = run(body, [x])
    references = [x.expand(4, 3).sum(1), x.expand(4, 3).sum(), x[:, 0]]
    for output, reference in zip(outputs, references, strict=True):
        torch.testing.assert_close(output.real, reference.real)
        torch.testing.assert_close(output.imag, reference.imag)


@pytest.mark.filterwarnings("ignore:var")
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("value", [float("inf"), -2.0, float("nan"), 0.0])
def test_expanded_real_numbers(value: float, count: int, device: str) -> None:
    x = torch.full((4, 1), value, device=device)
    with FusionDefinition() as fd:
        t, n = fd.from_pytorch(x), fd.define_scalar(dtype=DataType.Int)
        wide = fd.ops.expand(t, [4, n])
        for name in ("sum", "prod", "mean"):
            fd.add_output(getattr(fd.ops, name)(wide, [1]))
        fd.add_output(fd.ops.var(wide, [1], 0))
    wide = x.expand(4, count)
    references = [wide.sum(1), wide.prod(1), wide.mean(1), wide.var(1, correction=0)]
    for output, reference in zip(fd.execute([x, count]), references, strict=True):
        torch.testing.assert_close(output, reference, equal_nan=True)


@pytest.mark.parametrize("width", [7, 28, 300])
def test_sizes_that_are_known_late_to_be_one_are_reduced(width: int, device: str) -> None:
    x = make_tensor((6, 2, 3, width + 5), torch.float64, device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1] * 4, contiguity=True, dtype=DataType.Double)
        ends = [fd.ops.minimum(fd.ops.size(t, dim), end) for dim, end in enumerate((4, 1, 2))]
        part = fd.ops.slice(t, [0, 0, fd.ops.sub(ends[2], 1), 2], [*ends, width + 2])
        whole = fd.ops.max(fd.ops.expand(part, [4, 1, 1, width]), dims=[0, 1, 2, 3])
        fd.add_output(whole)
    # A kernel of single operations would be right, too.
    (largest,) = fd.execute([x], _disable_options=["fallback"])
    assert largest == x[:4, :1, 1:2, 2 : width + 2].max()
