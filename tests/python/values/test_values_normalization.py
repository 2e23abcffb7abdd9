"""Softmax, layer_norm, rms_norm and batch-norm-like fusions, forward and backward."""

from __future__ import annotations

import pytest
import torch
from fusion_testing import (
    FLOATS,
    REDUCED,
    as_default,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import DataType, FusionDefinition

SHAPES = [(5, 7), (3, 64), (2, 3, 33), (4, 1025), (1, 5000), (70, 1), (1, 1)]
NVFUSER = {torch.float16: DataType.Half, torch.bfloat16: DataType.BFloat16}


def narrow(fd, value, dtype: torch.dtype):
    """What a client does at the end of a fusion: cast back to the inputs' dtype."""
    return fd.ops.cast(value, NVFUSER[dtype]) if dtype in NVFUSER else value


def keep(fd, value, dim: int):
    """Reduced values along `dim` of a tensor of rank 2, put back beside it."""
    return fd.ops.broadcast(value, [d == dim for d in range(2)])


# -------------------------------------------------------------------------- softmax


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax(name: str, shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    x = make_tensor(shape, dtype, device, -9, 9)
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t, -1), [x])
    assert output.dtype in (dtype, as_default(dtype))
    reference = getattr(torch, name)(widen(x), -1)
    rtol = 1e-12 if dtype is torch.float64 else None
    assert_matches(output, reference, output.dtype, rtol=rtol)


@pytest.mark.parametrize("dim", [0, 1, 2, -2])
def test_softmax_over_any_dimension(dim: int, device: str) -> None:
    x = make_tensor((5, 17, 9), torch.float32, device, -9, 9)
    output = run_one(lambda fd, t: fd.ops.softmax(t, dim), [x])
    assert_matches(output, torch.softmax(widen(x), dim), torch.float32)


def test_softmax_of_large_values_and_masked_rows(device: str) -> None:
    x = make_tensor((4, 9), torch.float32, device, -9, 9)
    x[0] *= 1e30
    x[1, ::2] = float("-inf")
    x[2] = -1e30
    output = run_one(lambda fd, t: fd.ops.softmax(t, -1), [x])
    assert_matches(output, torch.softmax(widen(x), -1), torch.float32)


def test_softmax_by_hand_in_one_definition(device: str) -> None:
    x = make_tensor((33, 129), torch.float32, device, -9, 9)

    def body(fd, t):
        shifted = fd.ops.sub(t, keep(fd, fd.ops.max(t, 1), 1))
        exponential = fd.ops.exp(shifted)
        return fd.ops.div(exponential, keep(fd, fd.ops.sum(exponential, 1), 1))

    assert_matches(run_one(body, [x]), torch.softmax(widen(x), 1), torch.float32)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_softmax_backward(dtype: torch.dtype, device: str) -> None:
    y = torch.softmax(make_tensor((17, 65), torch.float64, device), -1).to(dtype)
    grad = make_tensor((17, 65), dtype, device, seed=1)

    def body(fd, g, out):
        inner = fd.ops.sum(fd.ops.mul(g, out), 1)
        return narrow(fd, fd.ops.mul(out, fd.ops.sub(g, keep(fd, inner, 1))), dtype)

    wide_grad, wide_y = widen(grad), widen(y)
    reference = wide_y * (wide_grad - (wide_grad * wide_y).sum(1, keepdim=True))
    assert_matches(
        run_one(body, [grad, y]), reference, dtype, rtol=1e-12 if dtype is torch.float64 else None
    )


# ----------------------------------------------------------------- layer_norm, rms_norm


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("affine", [True, False], ids=["affine", "plain"])
def test_layer_norm(shape: tuple[int, ...], dtype: torch.dtype, affine: bool, device: str) -> None:
    x = make_tensor(shape, dtype, device)
    normalized = [shape[-1]]
    if affine:
        w, b = (make_tensor(normalized, dtype, device, seed=seed) for seed in (1, 2))
        output = run_one(
            lambda fd, t, u, v: fd.ops.layer_norm(t, normalized, u, v, 1e-5), [x, w, b]
        )
        reference = torch.layer_norm(widen(x), normalized, widen(w), widen(b), 1e-5)
    else:
        output = run_one(lambda fd, t: fd.ops.layer_norm(t, normalized, eps=1e-5), [x])
        reference = torch.layer_norm(widen(x), normalized, eps=1e-5)
    assert output.dtype in (dtype, as_default(dtype))
    tolerance = (
        {"rtol": 1e-11, "atol": 1e-11}
        if dtype is torch.float64
        else {"atol": max(1e-5, torch.finfo(output.dtype).eps)}
    )
    assert_matches(output, reference, output.dtype, **tolerance)


@pytest.mark.parametrize("rows", [1, 32])
def test_short_rows_of_known_length(rows: int, device: str) -> None:
    """Rows that share a warp, take nearly all of one, or several."""
    for columns in (3, 20, 25, 68, 100, 124, 128, 132, 1000):
        x = make_tensor((rows, columns), torch.float32, device)
        (output,) = run(lambda fd, t: [fd.ops.softmax(t, 1)], [x], static_sizes=True)
        assert_matches(output, torch.softmax(widen(x), 1), torch.float32)


@pytest.mark.parametrize("columns", [4095, 4096, 4099, 8191, 8192])
@pytest.mark.parametrize("static", [True, False], ids=["static", "symbolic"])
def test_rows_around_the_sizes_that_are_requested_ahead(
    columns: int, static: bool, device: str
) -> None:
    x = make_tensor((3, columns), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[3, columns] if static else [-1, -1], contiguity=True)
        fd.add_output(fd.ops.layer_norm(t, [columns], eps=1e-5))
    reference = torch.layer_norm(x.double(), [columns], eps=1e-5)
    assert_matches(fd.execute([x])[0], reference, torch.float32, atol=1e-5)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_rms_norm(shape: tuple[int, ...], dtype: torch.dtype, device: str) -> None:
    x = make_tensor(shape, dtype, device)
    w = make_tensor(shape[-1:], dtype, device, seed=1)
    output = run_one(lambda fd, t, u: fd.ops.rms_norm(t, [shape[-1]], u, 1e-5), [x, w])
    reference = torch.nn.functional.rms_norm(widen(x), [shape[-1]], widen(w), 1e-5)
    assert output.dtype in (dtype, as_default(dtype))
    tolerance = {"rtol": 1e-12} if dtype is torch.float64 else {"rtol": None}
    assert_matches(output, reference, output.dtype, **tolerance)


def test_layer_norm_over_two_dimensions(device: str) -> None:
    x = make_tensor((3, 4, 5), torch.float32, device)
    w, b = (make_tensor((4, 5), torch.float32, device, seed=seed) for seed in (1, 2))
    output = run_one(lambda fd, t, u, v: fd.ops.layer_norm(t, [4, 5], u, v, 1e-5), [x, w, b])
    reference = torch.layer_norm(widen(x), [4, 5], widen(w), widen(b), 1e-5)
    assert_matches(output, reference, torch.float32, atol=1e-5)


def layer_norm_forward(fd, t, w, b, dtype: torch.dtype):
    wide = fd.ops.cast(t, DataType.Float) if dtype in REDUCED else t
    var, mean = fd.ops.var_mean(wide, [1], 0)
    rstd = fd.ops.rsqrt(fd.ops.add(var, 1e-5))
    normalized = fd.ops.mul(fd.ops.sub(wide, keep(fd, mean, 1)), keep(fd, rstd, 1))
    return narrow(fd, fd.ops.add(fd.ops.mul(normalized, w), b), dtype), mean, rstd


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_layer_norm_by_hand_with_statistics(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((17, 129), dtype, device)
    w, b = (make_tensor((129,), dtype, device, seed=seed) for seed in (1, 2))
    y, mean, rstd = run(lambda fd, *ts: layer_norm_forward(fd, *ts, dtype), [x, w, b])
    reference = torch.native_layer_norm(widen(x), [129], widen(w), widen(b), 1e-5)
    wide = as_default(dtype)
    loose = (
        {"rtol": 1e-11, "atol": 1e-12}
        if dtype is torch.float64
        else {"atol": max(1e-5, torch.finfo(dtype).eps)}
    )
    assert_matches(y, reference[0], dtype, **loose)
    statistics = {"rtol": 1e-11} if dtype is torch.float64 else {"rtol": 1e-5}
    assert_matches(mean, reference[1][:, 0], wide, **statistics)
    assert_matches(rstd, reference[2][:, 0], wide, **statistics)


# Rows for a part of a warp, for a block, without vectors, and more of them than blocks.
BACKWARD_SHAPES = [(23, 65), (130, 24), (5, 1000), (700, 40)]


@pytest.mark.parametrize(("rows", "columns"), BACKWARD_SHAPES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=dtype_id)
def test_layer_norm_backward(dtype: torch.dtype, rows: int, columns: int, device: str) -> None:
    x = make_tensor((rows, columns), dtype, device)
    w = make_tensor((columns,), dtype, device, seed=1)
    grad = make_tensor((rows, columns), dtype, device, seed=2)
    var, mean = torch.var_mean(widen(x), 1, correction=0)
    rstd = torch.rsqrt(var + 1e-5)
    statistics = [t.to(as_default(dtype)) for t in (mean, rstd)]

    def body(fd, g, t, weight, m, r):
        normalized = fd.ops.mul(fd.ops.sub(t, keep(fd, m, 1)), keep(fd, r, 1))
        weighted = fd.ops.mul(g, weight)
        first = keep(fd, fd.ops.div(fd.ops.sum(weighted, 1), columns), 1)
        product = fd.ops.mul(weighted, normalized)
        second = keep(fd, fd.ops.div(fd.ops.sum(product, 1), columns), 1)
        grad_x = fd.ops.mul(
            fd.ops.sub(fd.ops.sub(weighted, first), fd.ops.mul(normalized, second)),
            keep(fd, r, 1),
        )
        grad_w = fd.ops.sum(fd.ops.mul(g, normalized), 0)
        grad_b = fd.ops.sum(fd.ops.cast(g, grad_w.dtype()), 0)
        return narrow(fd, grad_x, dtype), grad_w, grad_b

    outputs = run(body, [grad, x, w, *statistics])
    leaf_x, leaf_w = (widen(t).clone().requires_grad_() for t in (x, w))
    leaf_b = torch.zeros(columns, dtype=torch.float64, device=device, requires_grad=True)
    torch.layer_norm(leaf_x, [columns], leaf_w, leaf_b, 1e-5).backward(widen(grad))
    loose = (
        {"rtol": 1e-11, "atol": 1e-11} if dtype is torch.float64 else {"rtol": 1e-4, "atol": 1e-4}
    )
    narrowed = loose if dtype not in REDUCED else {"atol": 0.05}
    assert_matches(outputs[0], leaf_x.grad, dtype, **narrowed)
    assert_matches(outputs[1], leaf_w.grad, as_default(dtype), **loose)
    assert_matches(outputs[2], leaf_b.grad, as_default(dtype), **loose)


@pytest.mark.parametrize(("rows", "columns"), BACKWARD_SHAPES)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=dtype_id)
def test_rms_norm_backward(dtype: torch.dtype, rows: int, columns: int, device: str) -> None:
    x = make_tensor((rows, columns), dtype, device)
    w = make_tensor((columns,), dtype, device, seed=1)
    grad = make_tensor((rows, columns), dtype, device, seed=2)

    def body(fd, g, t, weight):
        square = fd.ops.mul(t, t)
        r = keep(fd, fd.ops.rsqrt(fd.ops.add(fd.ops.div(fd.ops.sum(square, 1), columns), 1e-5)), 1)
        weighted = fd.ops.mul(g, weight)
        dot = keep(fd, fd.ops.div(fd.ops.sum(fd.ops.mul(weighted, t), 1), columns), 1)
        cube = fd.ops.mul(fd.ops.mul(r, r), r)
        grad_x = fd.ops.sub(fd.ops.mul(weighted, r), fd.ops.mul(fd.ops.mul(t, dot), cube))
        grad_w = fd.ops.sum(fd.ops.mul(fd.ops.mul(g, t), r), 0)
        return narrow(fd, grad_x, dtype), grad_w

    outputs = run(body, [grad, x, w])
    leaf_x, leaf_w = (widen(t).clone().requires_grad_() for t in (x, w))
    torch.nn.functional.rms_norm(leaf_x, [columns], leaf_w, 1e-5).backward(widen(grad))
    loose = (
        {"rtol": 1e-11, "atol": 1e-11} if dtype is torch.float64 else {"rtol": 1e-4, "atol": 1e-4}
    )
    narrowed = loose if dtype not in REDUCED else {"atol": 0.05}
    assert_matches(outputs[0], leaf_x.grad, dtype, **narrowed)
    assert_matches(outputs[1], leaf_w.grad, as_default(dtype), **loose)


# ------------------------------------------------------------------------ batch norm


def test_batch_norm_over_the_outer_dimension(device: str) -> None:
    x = make_tensor((300, 33), torch.float32, device)

    def body(fd, t):
        var, mean = fd.ops.var_mean(t, [0], 0)
        rstd = fd.ops.rsqrt(fd.ops.add(var, 1e-5))
        return fd.ops.mul(fd.ops.sub(t, keep(fd, mean, 0)), keep(fd, rstd, 0))

    wide = widen(x)
    var, mean = torch.var_mean(wide, 0, correction=0)
    assert_matches(
        run_one(body, [x]), (wide - mean) * (var + 1e-5).rsqrt(), torch.float32, atol=1e-5
    )


def test_batch_norm_over_outer_and_inner_dimensions(device: str) -> None:
    x = make_tensor((6, 5, 4, 7), torch.float32, device)
    flags = [True, False, True, True]

    def body(fd, t):
        var, mean = fd.ops.var_mean(t, [0, 2, 3], 0)
        rstd = fd.ops.rsqrt(fd.ops.add(var, 1e-5))
        centered = fd.ops.sub(t, fd.ops.broadcast(mean, flags))
        return fd.ops.mul(centered, fd.ops.broadcast(rstd, flags)), mean, var

    wide = widen(x)
    var, mean = torch.var_mean(wide, (0, 2, 3), correction=0, keepdim=True)
    outputs = run(body, [x])
    assert_matches(outputs[0], (wide - mean) * (var + 1e-5).rsqrt(), torch.float32, atol=1e-5)
    assert_matches(outputs[1], mean.flatten(), torch.float32, atol=1e-5)
    assert_matches(outputs[2], var.flatten(), torch.float32, atol=1e-5)


# ------------------------------------------------------------- several kernels or one


def test_one_fusion_serves_every_length_of_row(device: str) -> None:
    x = make_tensor((4, 9), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.softmax(t, -1), [x])
    for shape in [(4, 9), (1, 9), (4, 1), (3, 100_000), (50, 513), (0, 5)]:
        y = make_tensor(shape, torch.float32, device)
        (output,) = fd.execute([y])
        assert_matches(output, torch.softmax(widen(y), -1), torch.float32)


def test_reductions_over_different_dimensions(device: str) -> None:
    x = make_tensor((12, 18), torch.float64, device)

    def body(fd, t):
        rows = keep(fd, fd.ops.sum(t, 1), 1)
        columns = keep(fd, fd.ops.sum(fd.ops.mul(t, rows), 0), 0)
        return fd.ops.add(columns, t), fd.ops.max(columns, [0, 1])

    rows = x.sum(1, keepdim=True)
    columns = (x * rows).sum(0, keepdim=True)
    outputs = run(body, [x])
    assert_matches(outputs[0], columns + x, torch.float64, rtol=1e-11, atol=1e-11)
    assert_matches(outputs[1], columns.amax(), torch.float64, rtol=1e-11)


def test_segment_set_changes_no_value(device: str) -> None:
    x = make_tensor((12, 18), torch.float32, device)
    plain = run_one(lambda fd, t: fd.ops.exp(fd.ops.softmax(t, 1)), [x])
    parted = run_one(lambda fd, t: fd.ops.exp(fd.ops.segment_set(fd.ops.softmax(t, 1))), [x])
    torch.testing.assert_close(parted, plain, rtol=1e-6, atol=0)


def test_residual_add_then_norm_with_both_results(device: str) -> None:
    x, y = (make_tensor((3, 257), torch.bfloat16, device, seed=seed) for seed in (0, 1))
    w = make_tensor((257,), torch.bfloat16, device, seed=2)

    def body(fd, a, b, weight):
        total = fd.ops.cast(fd.ops.add(a, b), DataType.BFloat16)
        normed = fd.ops.rms_norm(total, [257], weight, 1e-5)
        return total, fd.ops.cast(normed, DataType.BFloat16)

    total, normed = run(body, [x, y, w])
    assert torch.equal(total, x + y)
    reference = torch.nn.functional.rms_norm(widen(x + y), [257], widen(w), 1e-5)
    assert_matches(normed, reference, torch.bfloat16)


@pytest.mark.parametrize("shape", [(1, 1, 2), (1, 3, 40), (1, 1, 1, 70), (2, 1, 300)], ids=str)
@pytest.mark.parametrize("expanded", [False, True])
def test_what_is_normalized_is_broadcast(shape, expanded, device):
    """The results have elements along dimensions in which those of the reduction are repeated."""
    x = make_tensor(shape, torch.float32, device)
    full = (2, *shape[1:]) if shape[0] == 1 else (2, 5, *shape[2:])
    y = make_tensor(full, torch.float32, device, seed=1)
    x = x.expand(full) if expanded else x

    def body(fd, t, u):
        summed = fd.ops.sum(t, [-1], True)
        return [fd.ops.softmax(t, -1) + u, fd.ops.layer_norm(t, [shape[-1]], eps=1e-5) * u, summed]

    outputs = run(body, [x, y])
    wide = widen(x)
    assert_matches(outputs[0], wide.softmax(-1) + widen(y), torch.float32)
    norm = torch.nn.functional.layer_norm(wide, shape[-1:], eps=1e-5)
    assert_matches(outputs[1], norm * widen(y), torch.float32, atol=1e-5)
    assert_matches(outputs[2], wide.sum(-1, keepdim=True), torch.float32, atol=1e-4)


@pytest.mark.parametrize("before", [True, False])
def test_blocks_of_rows_in_one_kernel(before: bool, device: str) -> None:
    """What is reduced is a reshape of an input, and combined with the result as it is."""
    x = make_tensor((6, 96), torch.float32, device)

    def body(fd, t):
        ops = fd.ops
        blocks = ops.reshape(ops.neg(t) if before else t, [6, 3, 32])
        return ops.sub(blocks, ops.max(blocks, [2], True))

    (output,) = define(body, [x]).execute([x], _disable_options=["fallback"])
    blocks = (-x if before else x).reshape(6, 3, 32)
    assert torch.equal(output, blocks - blocks.amax(2, keepdim=True))


@pytest.mark.parametrize("shape", [(4099, 300), (65537, 17), (33, 64, 700)], ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
def test_variances_of_many_rows(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    """On the CPU their moments are merged, a few rows at a time, in one pass over memory."""
    x = make_tensor(shape, torch.float32, "cpu").mul(2).add(50).to(dtype)
    dims = [0] if len(shape) == 2 else [0, 2]

    def normalize(fd, t):
        t = fd.ops.cast(t, DataType.Float)
        var, mean = fd.ops.var_mean(t, dims=dims, correction=1, keepdim=True)
        return [fd.ops.mul(fd.ops.sub(t, mean), fd.ops.rsqrt(var)), var, mean]

    normalized, var, mean = run(normalize, [x])
    expected_var, expected_mean = torch.var_mean(x.double(), dims, keepdim=True)
    assert_matches(var, expected_var, torch.float32, rtol=2e-5)
    assert_matches(mean, expected_mean, torch.float32, rtol=2e-6)
    expected = (x.double() - expected_mean) * expected_var.rsqrt()
    assert_matches(normalized, expected, torch.float32, rtol=1e-4, atol=1e-4)
