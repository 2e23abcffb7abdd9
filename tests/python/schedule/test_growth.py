"""What is compiled grows with a fusion and no faster: kernels are bounded, and equal ones shared.

Times are those of `bench/bench_compile_growth.py`; here kernels are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from fusion_testing import define, make_tensor

from nvfuser import PythonProfiler

Body = Callable[..., Any]


def run_and_count(body: Body, inputs: Sequence[torch.Tensor]) -> tuple[list[Any], int, int]:
    """Return the outputs of a first run, how many kernels ran and how many were compiled."""
    fd = define(body, inputs)
    with PythonProfiler() as profiler:
        outputs = fd.execute(inputs)
    kernels = profiler.profile.kernel_profiles
    compiled = [kernel for kernel in kernels if kernel.compile_time_ms > 0]
    return outputs, len(kernels), len(compiled)


def residual_norms(depth: int) -> Body:
    def body(fd: Any, x: Any) -> Any:
        for _ in range(depth):
            mean = fd.ops.mean(fd.ops.mul(x, x), [-1], True)
            x = fd.ops.add(x, fd.ops.mul(x, fd.ops.rsqrt(fd.ops.add(mean, 1.0))))
        return x

    return body


def expected_residual_norms(x: torch.Tensor, depth: int) -> torch.Tensor:
    for _ in range(depth):
        x = x + x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1.0)
    return x


def test_repeated_layers_share_kernels(device: str) -> None:
    x = make_tensor((4, 64), torch.float32, device)
    for depth in (32, 64, 128):
        (out,), ran, compiled = run_and_count(residual_norms(depth), [x])
        expected = expected_residual_norms(x.double(), depth).float()
        torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
        # So many norms a kernel; the last one may have fewer.
        assert ran <= depth // 4
        assert compiled <= 4


def test_short_chains_of_norms_are_one_kernel(device: str) -> None:
    x = make_tensor((4, 64), torch.float32, device)
    _, ran, _ = run_and_count(residual_norms(4), [x])
    assert ran == 1


def test_equal_kernels_of_unrelated_tensors_are_shared(device: str) -> None:
    count = 100
    inputs = [make_tensor((2 + k % 3, 5 + k), torch.float32, device, seed=k) for k in range(count)]
    outputs, ran, compiled = run_and_count(
        lambda fd, *xs: [fd.ops.sin(fd.ops.mul(x, 2.0)) for x in xs], inputs
    )
    for x, out in zip(inputs, outputs, strict=True):
        torch.testing.assert_close(out, torch.sin(x * 2.0))
    assert ran == count
    # On CUDA the sizes decide about vectors and threads.
    assert compiled <= (4 if device == "cpu" else 16)


def test_unrelated_tensors_that_differ_are_not_shared(device: str) -> None:
    inputs = [make_tensor((3, 7), torch.float32, device, seed=k) for k in range(40)]
    outputs, _, compiled = run_and_count(
        lambda fd, *xs: [fd.ops.mul(x, float(k % 3)) for k, x in enumerate(xs)], inputs
    )
    for k, (x, out) in enumerate(zip(inputs, outputs, strict=True)):
        torch.testing.assert_close(out, x * float(k % 3), rtol=0, atol=0)
    assert compiled == 3


def test_shared_kernels_have_their_own_scalars(device: str) -> None:
    # Equal but for which scalar argument, and which sizes, they read.
    count = 40
    inputs: list[Any] = [
        make_tensor((3, 7 + k), torch.float32, device, seed=k) for k in range(count)
    ]
    scalars = [0.5 + k for k in range(count)]

    def body(fd: Any, *values: Any) -> list[Any]:
        return [fd.ops.mul(values[k], values[count + k]) for k in range(count)]

    fd = define(body, inputs + scalars)
    for factor in (1.0, -2.0):
        outputs = fd.execute([*inputs, *(factor * s for s in scalars)])
        for x, s, out in zip(inputs, scalars, outputs, strict=True):
            torch.testing.assert_close(out, x * (factor * s), rtol=1e-6, atol=0)


def test_sizes_of_shared_kernels_may_differ_later(device: str) -> None:
    # With other sizes the heuristics choose other parameters for some of the segments.
    count = 34

    def body(fd: Any, *xs: Any) -> list[Any]:
        return [fd.ops.sum(x, [1]) for x in xs]

    fd = define(body, [make_tensor((3, 7), torch.float32, device) for _ in range(count)])
    for sizes in ([(3, 7)] * count, [(3, 7 + 4000 * (k % 3)) for k in range(count)]):
        inputs = [make_tensor(size, torch.float32, device, seed=k) for k, size in enumerate(sizes)]
        for x, out in zip(inputs, fd.execute(inputs), strict=True):
            torch.testing.assert_close(out, x.sum(1), rtol=1e-4, atol=1e-3)


def test_operands_of_one_result_are_one_kernel(device: str) -> None:
    # They belong together, however many; only what is unrelated is bounded.
    inputs = [make_tensor((3, 7), torch.float32, device, seed=k) for k in range(300)]

    def body(fd: Any, *xs: Any) -> Any:
        total = xs[0]
        for x in xs[1:]:
            total = fd.ops.add(total, x)
        return total

    (out,), ran, _ = run_and_count(body, inputs)
    expected = torch.stack([x.double() for x in inputs]).sum(0).float()
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-4)
    assert ran == 1


@pytest.mark.parametrize("count", [3, 12, 60])
def test_slices_that_are_padded_back(count: int, device: str) -> None:
    x = make_tensor((2, count + 8), torch.float32, device)

    def body(fd: Any, value: Any) -> Any:
        total = None
        for k in range(count):
            part = fd.ops.neg(fd.ops.slice(value, [0, k], [2, k + 8]))
            part = fd.ops.pad(part, [k, count - k])
            total = part if total is None else fd.ops.add(total, part)
        return total

    (out,), ran, _ = run_and_count(body, [x])
    expected = torch.zeros_like(x)
    for k in range(count):
        expected[:, k : k + 8] -= x[:, k : k + 8]
    torch.testing.assert_close(out, expected)
    assert ran <= 1 + count // 4


@pytest.mark.parametrize("depth", [1, 10, 40])
def test_concatenations_of_concatenations(depth: int, device: str) -> None:
    x = make_tensor((2, 16), torch.float32, device)

    def body(fd: Any, value: Any) -> Any:
        for _ in range(depth):
            value = fd.ops.slice(fd.ops.cat([value, fd.ops.neg(value)], 1), [0, 3], [2, 19])
        return value

    (out,), ran, compiled = run_and_count(body, [x])
    expected = x
    for _ in range(depth):
        expected = torch.cat([expected, -expected], 1)[:, 3:19]
    torch.testing.assert_close(out, expected, rtol=0, atol=0)
    assert ran <= 1 + depth
    # Those whose sizes have a long history are alike.
    assert compiled <= 12


@pytest.mark.parametrize(("depth", "most"), [(30, 1), (300, 14)])
def test_reshapes_of_reshapes(depth: int, most: int, device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    shapes = [[6, 4], [4, 6]]

    def body(fd: Any, value: Any) -> Any:
        for k in range(depth):
            value = fd.ops.add(fd.ops.reshape(value, shapes[k % 2]), 1.0)
        return value

    (out,), ran, compiled = run_and_count(body, [x])
    torch.testing.assert_close(out, x.reshape(shapes[(depth - 1) % 2]) + depth, rtol=0, atol=1e-3)
    # The loops of a tensor go through all reshapes of its kernel that are behind it.
    assert depth / 32 <= ran <= most
    assert compiled <= 4


@pytest.mark.parametrize("count", [32, 33, 600])
def test_concatenations_of_many(count: int, device: str) -> None:
    inputs = [make_tensor((2, 1 + k % 2), torch.float32, device, seed=k) for k in range(count)]
    (out,), ran, compiled = run_and_count(lambda fd, *xs: fd.ops.cat(list(xs), 1), inputs)
    torch.testing.assert_close(out, torch.cat(inputs, 1), rtol=0, atol=0)
    # Dozens of parts a kernel, none of which is written as large as the result.
    assert ran <= 2 + count // 32
    assert compiled <= 4


def test_differences_of_all_pairs(device: str) -> None:
    vectors = [make_tensor((33,), torch.float32, device, seed=k) for k in range(40)]
    pairs = [(i, j) for i in range(len(vectors)) for j in range(i)]
    outputs, ran, _ = run_and_count(
        lambda fd, *xs: [fd.ops.sub(xs[i], xs[j]) for i, j in pairs], vectors
    )
    for (i, j), out in zip(pairs, outputs, strict=True):
        torch.testing.assert_close(out, vectors[i] - vectors[j], rtol=0, atol=0)
    # Each writes or reads some dozens of tensors.
    assert len(pairs) / 64 < ran < len(pairs) / 16


@pytest.mark.parametrize("rank", [5, 12, 20])
def test_many_dimensions(rank: int, device: str) -> None:
    x = make_tensor((2,) * rank, torch.float32, device).permute(*reversed(range(rank)))
    y = make_tensor((2,) * rank, torch.float32, device, seed=1)
    (out,), _, _ = run_and_count(lambda fd, a, b: fd.ops.add(a, b), [x, y])
    torch.testing.assert_close(out, x + y, rtol=0, atol=0)


def test_rows_of_many_dimensions_need_no_divisions_each() -> None:
    # On the CPU: one worker's part of the outer loops is enough, the others run inside.
    x = torch.randn((2,) * 18).permute(*reversed(range(18)))
    y = torch.randn((2,) * 18)
    fd = define(lambda fd, a, b: fd.ops.add(a, b), [x, y])
    fd.execute([x, y])
    code = fd.fec.get_cuda_kernel([x, y])
    divisions = code.count("urem") + code.count("@nvf.mod.i64")
    assert divisions < 18
