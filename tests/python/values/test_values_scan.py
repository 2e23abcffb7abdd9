"""Scans against torch: every dimension and dtype, layouts, init, and fused with neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import DataType, FusionDefinition

REFERENCES: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "cumsum": torch.cumsum,
    "cumprod": torch.cumprod,
    "cummin": lambda x, dim: torch.cummin(x, dim).values,
    "cummax": lambda x, dim: torch.cummax(x, dim).values,
}
NAMES = pytest.mark.parametrize("name", REFERENCES)


def scan(name: str, dim: int) -> Callable[..., Any]:
    return lambda fd, t: getattr(fd.ops, name)(t, dim)


@NAMES
@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_dimensions(name: str, dim: int, device: str) -> None:
    x = make_tensor((7, 5, 300), torch.float64, device, 0.5, 1.5)
    output = run_one(scan(name, dim), [x])
    torch.testing.assert_close(output, REFERENCES[name](x, dim))


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("size", [1000, 30000])
def test_long_scans_are_precise(size: int, dim: int, device: str, backend: str) -> None:
    """Roundings do not add up on the CPU, as torch's do not; on CUDA there are few of each part."""
    units = 1 if backend == "cpu" else 16
    x = make_tensor((size, 3) if dim == 0 else (3, size), torch.float32, device, 0.0, 1.0)
    output, exact = run_one(scan("cumsum", dim), [x]).double(), x.double().cumsum(dim)
    assert (output - exact).norm() < units * torch.finfo(torch.float32).eps * exact.norm()


@NAMES
@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=dtype_id)
def test_dtypes(name: str, dim: int, dtype: torch.dtype, device: str) -> None:
    x = make_tensor((9, 12), dtype, device, 0.5, 2.0)
    if not dtype.is_floating_point:
        x = x % 3 + 1
    output = run_one(scan(name, dim), [x])
    reference = REFERENCES[name](widen(x), dim)
    if not dtype.is_floating_point:
        assert output.dtype == dtype
        assert torch.equal(output, reference.to(dtype))
    else:
        assert_matches(output, reference, dtype)


# On CUDA blocks share these rows.
@pytest.mark.parametrize(
    ("name", "shape", "dim", "dtype"),
    [
        ("cumsum", (131072,), 0, torch.float32),
        ("cummax", (3, 50001), 1, torch.float32),
        ("cumprod", (40000, 5), 0, torch.float64),
        ("cumsum", (2, 30001, 40), 1, torch.int64),
        ("cumsum", (70000,), 0, torch.bfloat16),
        ("cummin", (50000, 1), 0, torch.float16),
        ("cumsum", (1, 65536), 1, torch.complex64),
    ],
)
def test_long_rows(
    name: str, shape: tuple[int, ...], dim: int, dtype: torch.dtype, device: str
) -> None:
    low, high = (-3, 3) if dtype is torch.int64 else (0.999, 1.001)
    x = make_tensor(shape, dtype, device, low, high)
    output = run_one(scan(name, dim), [x])
    reference = REFERENCES[name](widen(x), dim)
    if dtype.is_floating_point or dtype.is_complex:
        assert_matches(output, reference, dtype, rtol=1e-2 if dtype.itemsize == 2 else 1e-4)
    else:
        assert torch.equal(output, reference)


def test_neighbours_of_long_rows(device: str) -> None:
    x = make_tensor((3, 50002), torch.float32, device, -1, 1)

    def body(fd: FusionDefinition, t: Any) -> tuple[Any, ...]:
        scaled = fd.ops.mul(fd.ops.exp(t), 1e-3)
        return (
            fd.ops.add(fd.ops.cumsum(scaled, 1), t),
            fd.ops.cummax(t, 1),
            scaled,
        )

    outputs = run(body, [x])
    scaled = x.exp() * 1e-3
    torch.testing.assert_close(outputs[0], scaled.cumsum(1) + x, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(outputs[1], torch.cummax(x, 1).values)
    torch.testing.assert_close(outputs[2], scaled)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", COMPLEX, ids=dtype_id)
def test_complex(name: str, dtype: torch.dtype, device: str) -> None:
    x = make_tensor((9, 12), dtype, device, 0.5, 1.5)
    for dim in (0, 1):
        assert_matches(
            run_one(scan(name, dim), [x]),
            REFERENCES[name](widen(x), dim),
            dtype,
            rtol=1e-4,
            atol=1e-4,
        )


@NAMES
@pytest.mark.parametrize("shape", [(5,), (1,), (0,), (3, 0), (0, 3), (1, 4), (4, 1)], ids=str)
def test_shapes(name: str, shape: tuple[int, ...], device: str) -> None:
    x = make_tensor(shape, torch.float32, device)
    for dim in range(len(shape)):
        for static in (False, True):
            (output,) = define(scan(name, dim), [x], static).execute([x])
            expected = REFERENCES[name](x, dim) if x.numel() > 0 else x
            torch.testing.assert_close(output, expected)


@NAMES
def test_layouts(name: str, device: str) -> None:
    base = make_tensor((6, 40, 10), torch.float32, device, 0.5, 1.5)
    views = [base.permute(2, 0, 1), base[:, ::2], base.transpose(0, 1), base[:1].expand(4, 40, 10)]
    for x in views:
        for dim in range(3):
            torch.testing.assert_close(
                run_one(scan(name, dim), [x]), REFERENCES[name](x, dim), rtol=1e-4, atol=1e-4
            )


@pytest.mark.parametrize("dim", [0, 1])
def test_nan_and_infinity(dim: int, device: str) -> None:
    x = make_tensor((8, 8), torch.float32, device)
    x[3, 2] = float("nan")
    x[1, 5] = float("inf")
    x[6, 1] = float("-inf")
    for name in REFERENCES:
        torch.testing.assert_close(
            run_one(scan(name, dim), [x]),
            REFERENCES[name](x, dim),
            equal_nan=True,
            rtol=1e-4,
            atol=1e-4,
        )


@pytest.mark.parametrize("dim", [0, 1])
def test_init(dim: int, device: str) -> None:
    x = make_tensor((6, 7), torch.float32, device)

    def body(fd: FusionDefinition, t: Any, start: Any) -> list[Any]:
        ops = fd.ops
        return [
            ops.cumsum(t, dim, start),
            ops.cumprod(t, dim, init=fd.define_scalar(2.0)),
            ops.cummin(t, dim, 0.5),
            ops.cummax(t, dim, 1),
        ]

    sums, products, smallest, largest = run(body, [x, 3.5])
    torch.testing.assert_close(sums, x.cumsum(dim) + 3.5, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(products, x.cumprod(dim) * 2, rtol=1e-4, atol=1e-5)
    assert torch.equal(smallest, x.cummin(dim).values.clamp(max=0.5))
    assert torch.equal(largest, x.cummax(dim).values.clamp(min=1))


@pytest.mark.parametrize("dim", [0, 1])
def test_neighbours_are_fused(dim: int, device: str) -> None:
    x = make_tensor((20, 30), torch.float32, device)
    w = make_tensor((30,), torch.float32, device, seed=1)

    def body(fd: FusionDefinition, t: Any, w: Any) -> Any:
        ops = fd.ops
        once = ops.cumsum(ops.mul(t, w), dim)
        return ops.add(ops.cummax(ops.mul(once, 2.0), dim), t)

    fd = define(body, [x, w])
    (output,) = fd.execute([x, w])
    expected = (2 * (x * w).cumsum(dim)).cummax(dim).values + x
    torch.testing.assert_close(output, expected, rtol=1e-4, atol=1e-4)
    assert fd.fec.get_most_recent_scheduled_ir().count("%kernel {") == 1


def test_with_everything_else(device: str) -> None:
    """Other dimensions, reductions, slices, reshapes and lookups are computed beside or after."""
    x = make_tensor((8, 12), torch.float64, device)
    index = torch.randint(0, 8, (5,), device=device)

    def body(fd: FusionDefinition, t: Any, i: Any) -> list[Any]:
        ops = fd.ops
        rows = ops.cumsum(t, 1)
        return [
            ops.cumsum(rows, 0),
            ops.sum(rows, [1]),
            ops.slice(rows, [2, 3], [7, 12]),
            ops.cumsum(ops.slice(t, [2, 3], [7, 12]), 0),
            ops.cumsum(ops.reshape(t, [4, 24]), 1),
            ops.reshape(rows, [96]),
            ops.cat([rows, ops.neg(t)], 0),
            ops.cumsum(ops.index_select(t, i, 0), 0),
            ops.index_select(rows, i, 0),
            ops.cumsum(ops.permute(rows, [1, 0]), 0),
            ops.add(rows, ops.broadcast(ops.sum(t, [0]), [True, False])),
            ops.pad(rows, [1, 1]),
            ops.add(ops.cumsum(t, 0), ops.permute(ops.reshape(rows, [12, 8]), [1, 0])),
        ]

    outputs = run(body, [x, index])
    rows = x.cumsum(1)
    expected = [
        rows.cumsum(0),
        rows.sum(1),
        rows[2:7, 3:],
        x[2:7, 3:].cumsum(0),
        x.reshape(4, 24).cumsum(1),
        rows.reshape(96),
        torch.cat([rows, -x]),
        x[index].cumsum(0),
        rows[index],
        rows.t().cumsum(0),
        rows + x.sum(0),
        torch.nn.functional.pad(rows, [1, 1]),
        x.cumsum(0) + rows.reshape(12, 8).t(),
    ]
    for output, reference in zip(outputs, expected, strict=True):
        torch.testing.assert_close(output, reference)


def test_update_in_place(device: str) -> None:
    x = make_tensor((6, 9), torch.float32, device)
    expected = x.cumsum(0)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.cumsum(t, 0), t)
    fd.execute([x])
    torch.testing.assert_close(x, expected)


@NAMES
def test_large(name: str, device: str) -> None:
    """Several parts of columns and rows, which do not divide evenly."""
    x = make_tensor((300, 1111), torch.float64, device, 0.99, 1.01)
    for dim in (0, 1):
        torch.testing.assert_close(run_one(scan(name, dim), [x]), REFERENCES[name](x, dim))


# Rows and columns of one thread, of a warp, of a block, and of several chunks of each.
@pytest.mark.parametrize("name", ["cumsum", "cummax"])
@pytest.mark.parametrize(
    "shape",
    [
        (3, 31),
        (2, 33),
        (5, 1000),
        (3, 1024),
        (1, 8192),
        (2, 20000),
        (1, 70001),
        (700, 3),
        (1100, 33),
    ],
    ids=str,
)
def test_long_and_short(name: str, shape: tuple[int, int], device: str) -> None:
    x = make_tensor(shape, torch.float32, device, 0.5, 1.5)
    for dim in (0, 1):
        output = run_one(scan(name, dim), [x])
        torch.testing.assert_close(
            output.double(), REFERENCES[name](x.double(), dim), rtol=1e-5, atol=1e-5
        )


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS, *COMPLEX], ids=dtype_id)
def test_long_dtypes(dtype: torch.dtype, device: str) -> None:
    """What a thread keeps of a row has the precision of the computation, not of the result."""
    x = make_tensor((2, 3000), dtype, device, 0.0, 0.01)
    if not dtype.is_floating_point and not dtype.is_complex:
        x = torch.arange(6000, device=device).reshape(2, 3000).to(dtype) % 7
    for tensor, dim in ((x, 1), (x.t().contiguous(), 0)):
        output = run_one(scan("cumsum", dim), [tensor])
        reference = widen(tensor).cumsum(dim)
        if dtype.is_floating_point or dtype.is_complex:
            assert_matches(output, reference, dtype, rtol=1e-2 if dtype.itemsize < 4 else 1e-5)
        else:
            assert torch.equal(output, reference.to(dtype))


@NAMES
def test_same_bits_again(name: str, device: str) -> None:
    for shape in ((3, 2500), (400, 40)):
        x = make_tensor(shape, torch.float32, device, 0.9, 1.1)
        for dim in (0, 1):
            fd = define(scan(name, dim), [x])
            (first,) = fd.execute([x])
            (second,) = fd.execute([x.clone()])
            assert torch.equal(first, second)


@pytest.mark.parametrize("dim", [0, 1])
def test_broadcast_operands(dim: int, device: str) -> None:
    row = make_tensor((1, 1500), torch.float32, device)
    column = make_tensor((60, 1), torch.float32, device, seed=1)
    expanded = row.expand(60, 1500)
    torch.testing.assert_close(
        run_one(scan("cumsum", dim), [expanded]), expanded.cumsum(dim), rtol=1e-4, atol=1e-3
    )

    def body(fd: FusionDefinition, r: Any, c: Any) -> list[Any]:
        ops = fd.ops
        product = ops.mul(r, c)
        sums = ops.cumsum(product, dim)
        return [ops.sub(ops.mul(sums, c), product), ops.cummin(ops.add(sums, r), dim)]

    outputs = run(body, [row, column])
    product = row * column
    sums = product.cumsum(dim)
    torch.testing.assert_close(outputs[0], sums * column - product, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(outputs[1], (sums + row).cummin(dim).values, rtol=1e-4, atol=1e-3)


def test_compared_with_what_it_scans(device: str) -> None:
    """The rows are another dimension of the result, too."""
    x = make_tensor((5, 7), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        running = fd.ops.cummax(fd.ops.broadcast(t, [False, True, False]), 2)
        return [fd.ops.eq(running, fd.ops.broadcast(t, [True, False, False])), running]

    same, running = define(body, [x]).execute([x])
    expected = x.unsqueeze(1).cummax(2).values
    assert torch.equal(running, expected)
    assert torch.equal(same, expected == x.unsqueeze(0))


@NAMES
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=dtype_id)
def test_initial_value_along_one_element(name: str, dtype: torch.dtype, device: str) -> None:
    """It counts once, however often what shares the kernel repeats the element."""
    column, matrix = make_tensor((4, 1), dtype, device, 1, 4), make_tensor((4, 5), dtype, device)

    def body(fd: FusionDefinition, c: Any, m: Any) -> list[Any]:
        running = getattr(fd.ops, name)(c, 1, fd.define_scalar(2))
        return [fd.ops.add(running, m), running]

    added, running = run(body, [column, matrix])
    combine = {"cumsum": torch.add, "cumprod": torch.mul, "cummin": torch.clamp_max}
    expected = combine.get(name, torch.clamp_min)(column, 2)
    assert running.dtype == dtype
    assert torch.equal(running, expected)
    assert torch.equal(added.to(dtype), (expected + matrix).to(dtype))
    (total,) = run(lambda fd, c, m: fd.ops.sum(body(fd, c, m)[1], [1]), [column, matrix])
    assert torch.equal(total, expected[:, 0])


@NAMES
@pytest.mark.parametrize("init", [None, 2.0])
@pytest.mark.parametrize("dim", [0, 1])
def test_expanded_operands(dim: int, init: float | None, name: str, device: str) -> None:
    """Computed, sliced, summed first, unsqueezed, or expanded in this run only."""
    x = torch.tensor([[1.0], [2.0], [-1.0], [1.0]], device=device)

    def operands(expand: Any, cut: Any, total: Any, negate: Any, row: Any) -> list[Any]:
        wide = expand(operand)
        last = expand(one_in_this_run)
        return [negate(wide), cut(wide), expand(total(operand)), expand(row(negate(wide))), last]

    def scans(value: torch.Tensor) -> torch.Tensor:
        result = REFERENCES[name](value, dim)
        combine = {"cumsum": torch.add, "cumprod": torch.mul, "cummin": torch.clamp_max}
        return result if init is None else combine.get(name, torch.clamp_min)(result, init)

    with FusionDefinition() as fd:
        size = fd.define_scalar(dtype=DataType.Int)
        t = fd.from_pytorch(x)
        operand, one_in_this_run = t, fd.ops.slice(fd.ops.pad(t, [0, 6]), [0, 0], [4, size])
        values = operands(
            lambda v: fd.ops.expand(v, [4, 5]),
            lambda v: fd.ops.slice(v, [0, 1], [4, 4]),
            lambda v: fd.ops.sum(v, [0], True),
            fd.ops.neg,
            lambda v: fd.ops.unsqueeze(fd.ops.squeeze(fd.ops.slice(v, [0, 0], [1, 1]), [0]), 0),
        )
        number = None if init is None else fd.define_scalar(init)
        for value in values:
            running = getattr(fd.ops, name)(value, dim, number)
            fd.add_output(running)
            fd.add_output(fd.ops.sub(running, value))
    outputs = fd.execute([1, x])
    operand = one_in_this_run = x
    values = operands(
        lambda v: v.expand(4, 5),
        lambda v: v[:, 1:4],
        lambda v: v.sum(0, keepdim=True),
        torch.neg,
        lambda v: v[:1, :1],
    )
    for number, value in enumerate(values):
        assert torch.equal(outputs[2 * number], scans(value))
        assert torch.equal(outputs[2 * number + 1], scans(value) - value)
