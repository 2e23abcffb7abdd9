"""Kernels that share a launch: small ones that do not need what each other writes.

The values are those of launches one by one, which the limit of bytes in the tuning table turns off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import emulation
import numpy as np
import pytest
import torch
from emulated_driver import Driver

from nvfuser import _C, DataType, FusionDefinition, PythonProfiler, TensorView, jit
from nvfuser.cuda import library
from nvfuser.cuda.compiler import compile_kernel  # that the fixtures do not replace


@pytest.fixture
def one_by_one() -> Iterator[Callable[[], None]]:
    """What makes every kernel that is compiled later a launch of its own."""
    yield lambda: _C._override_tuning({"gpu.groupedBytes": 0})
    _C._override_tuning({})


def launches_of(run: Callable[[], Any]) -> int:
    before = emulation.launch_count()
    run()
    return emulation.launch_count() - before


def members_of(kernel: str) -> list[int]:
    """How often each member of a group is there."""
    return [int(count) for count in re.findall(r"\} member\d+\[(\d+)\];", kernel)]


def unary(operation: Callable[[FusionDefinition, TensorView], TensorView]) -> Callable[[int], Any]:
    """Fusions that apply an operation to each of several matrices with sizes of their own."""

    def define(count: int) -> FusionDefinition:
        with FusionDefinition() as fd:
            for _ in range(count):
                x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
                fd.add_output(operation(fd, x))
        return fd

    return define


squares = unary(lambda fd, x: x * x + 1.0)


def matrices(*sizes: tuple[int, int]) -> list[torch.Tensor]:
    return [torch.randn(rows, columns) for rows, columns in sizes]


SIZES = ((3, 500), (40, 24), (1, 1), (16, 2048), (129, 33))


def test_sizes_of_a_run_divide_the_blocks(device: str) -> None:
    fd = squares(5)
    for sizes in (SIZES, SIZES[::-1], ((64, 64),) * 5):
        inputs = matrices(*sizes)
        results: list[torch.Tensor] = []
        assert launches_of(lambda x=inputs, to=results: to.extend(fd.execute(x))) == 1
        torch.testing.assert_close(results, [x * x + 1 for x in inputs])


def test_equal_kernels_have_one_text(kernels: list[str]) -> None:
    squares(5).execute(matrices(*((64, 64),) * 5))
    assert len(kernels) == 1
    assert members_of(kernels[0]) == [5]


def test_sizes_do_not_compile_again(kernels: list[str]) -> None:
    fd = squares(3)
    for rows in (512, 640, 1024):
        fd.execute(matrices((rows, 64), (2 * rows, 64), (64, rows)))
    assert len(kernels) == 1


@pytest.mark.parametrize("is_transposed", [False, True])
def test_rotary_embedding(device: str, is_transposed: bool) -> None:
    """Of queries and keys, of which there are fewer heads."""

    def turned(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        first, second = x.chunk(2, -1)
        return x * cosine + torch.cat([-second, first], -1) * sine

    def function(q: Any, k: Any, cosine: Any, sine: Any) -> Any:
        if is_transposed:
            q, k = q.transpose(1, 2), k.transpose(1, 2)
        return turned(q, cosine, sine), turned(k, cosine, sine)

    def heads(count: int) -> torch.Tensor:
        sizes = (2, 16, count, 64) if is_transposed else (2, count, 16, 64)
        return torch.randn(sizes, dtype=torch.bfloat16)

    inputs = [heads(6), heads(2), *torch.randn(2, 16, 64, dtype=torch.bfloat16)]
    compiled = jit(function)
    results: list[Any] = []
    assert launches_of(lambda: results.extend(compiled(*inputs))) == 1
    torch.testing.assert_close(tuple(results), function(*inputs))


def test_optimizer_of_several_parameters(device: str) -> None:
    """Updates in place, of tensors of several ranks."""
    sizes = ((33, 64), (64,), (8, 3, 3, 3), (1000,))
    with FusionDefinition() as fd:
        rate = fd.define_scalar(DataType.Double)
        for size in sizes:
            dims = [-1] * len(size)
            p, g, m = (
                fd.define_tensor(shape=dims, contiguity=True, dtype=DataType.Float)
                for _ in range(3)
            )
            momentum = m * 0.9 + g
            fd.add_output(momentum, m)
            fd.add_output(p - momentum * rate, p)
    tensors = [[torch.randn(size) for _ in range(3)] for size in sizes]
    before = [[x.clone() for x in group] for group in tensors]
    inputs = [x for group in tensors for x in group]
    assert launches_of(lambda: fd.execute([0.1, *inputs])) == 1
    for (p, _, m), (p0, g0, m0) in zip(tensors, before, strict=True):
        torch.testing.assert_close(m, m0 * 0.9 + g0)
        torch.testing.assert_close(p, p0 - m * 0.1)


def test_reductions_share_launches(device: str) -> None:
    """With barriers and shared memory, of which a block has that of the largest."""
    sizes = ((7, 1024), (33, 1020), (100, 1000))
    with FusionDefinition() as fd:
        for _ in sizes:
            x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
            fd.add_output(fd.ops.softmax(x, 1))
    inputs = matrices(*sizes)
    results: list[torch.Tensor] = []
    assert launches_of(lambda: results.extend(fd.execute(inputs))) < len(sizes)
    torch.testing.assert_close(results, [x.softmax(1) for x in inputs])


def test_random_numbers_stay_those_of_their_operations(
    device: str, one_by_one: Callable[[], None]
) -> None:
    define = unary(
        lambda fd, x: x * fd.ops.uniform(0.0, 1.0, list(fd.ops.shape(x)), dtype=DataType.Float)
    )
    inputs = matrices(*SIZES[:3])

    def draw() -> tuple[list[torch.Tensor], torch.Tensor]:
        torch.manual_seed(7)
        results = define(3).execute(inputs)
        return results, torch.rand(3)

    results: list[Any] = []
    assert launches_of(lambda: results.append(draw())) == 1
    one_by_one()
    assert launches_of(lambda: results.append(draw())) == 3
    torch.testing.assert_close(*results, rtol=0, atol=0)


def test_what_is_needed_comes_before(device: str, one_by_one: Callable[[], None]) -> None:
    """Two chains of kernels side by side: each joins one of the other chain."""

    def define() -> FusionDefinition:
        with FusionDefinition() as fd:
            for _ in range(2):
                x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
                for turn in range(4):
                    x = fd.ops.segment_set(fd.ops.softmax(x, turn % 2) * 2.0)
                fd.add_output(x)
        return fd

    def expected(x: torch.Tensor) -> torch.Tensor:
        for turn in range(4):
            x = x.softmax(turn % 2) * 2
        return x

    inputs = matrices((20, 64), (24, 64))
    results: list[torch.Tensor] = []
    joined = launches_of(lambda: results.extend(define().execute(inputs)))
    torch.testing.assert_close(results, [expected(x) for x in inputs])
    one_by_one()
    assert joined < launches_of(lambda: define().execute(inputs))


def test_an_update_waits_for_the_readers(device: str) -> None:
    """What another kernel reads is not overwritten by one of the same launch."""
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        y = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.segment_set(fd.ops.flip(x, [0, 1])) * 2.0)
        fd.add_output(x + 1.0, x)
        fd.add_output(y * 3.0)
    x, y = torch.randn(40, 50), torch.randn(77)
    before = x.clone()
    results = fd.execute([x, y])
    torch.testing.assert_close(results, [before.flip(0, 1) * 2, y * 3])
    torch.testing.assert_close(x, before + 1)


def test_library_calls_stay_between(device: str) -> None:
    with FusionDefinition() as fd:
        a, b, x, y = (
            fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
            for _ in range(4)
        )
        fd.add_output(fd.ops.relu(x))
        product = fd.ops.matmul(fd.ops.exp(a), fd.ops.exp(b))
        fd.add_output(product * 2.0)
        fd.add_output(fd.ops.neg(y))
    a, b, x, y = matrices((8, 16), (16, 4), (33, 7), (5, 90))
    results = fd.execute([a, b, x, y])
    torch.testing.assert_close(results, [x.relu(), (a.exp() @ b.exp()) * 2, -y])


def test_large_kernels_stay_alone(kernels: list[str]) -> None:
    # The second reads and writes more than there may be.
    inputs = matrices((256, 512), (512, 513))
    _C._override_tuning({"gpu.groupedBytes": 2 << 20})
    try:
        squares(2).execute(inputs)
    finally:
        _C._override_tuning({})
    assert [members_of(kernel) for kernel in kernels] == [[]] * len(kernels)


def test_barriers_need_all_threads(device: str) -> None:
    """Blocks of another size are only for kernels whose threads do not wait for each other."""
    with FusionDefinition() as fd:
        for operation in (lambda x: fd.ops.softmax(x, 1), fd.ops.relu, fd.ops.relu):
            x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
            fd.add_output(operation(x))
    x, y, z = matrices((5, 1024), (1, 1), (3, 21))
    torch.testing.assert_close(fd.execute([x, y, z]), [x.softmax(1), y.relu(), z.relu()])


def test_graphs_run_groups(device: str) -> None:
    with FusionDefinition() as fd:
        x, y = (
            fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
            for _ in range(2)
        )
        fd.add_output(fd.ops.segment_set(x * 2.0) + fd.ops.sum(x, [0, 1]))
        fd.add_output(fd.ops.segment_set(y * 3.0) + fd.ops.sum(y, [0, 1]))
    fd._prepare().enable(["cuda_graphs"])
    for _ in range(4):
        x, y = matrices((20, 30), (31, 17))
        results = fd.execute([x, y])
        torch.testing.assert_close(results, [x * 2 + x.sum(), y * 3 + y.sum()])


def test_profiles_have_one_entry(device: str) -> None:
    fd = squares(3)
    with PythonProfiler() as profiler:
        fd.execute(matrices(*SIZES[:3]))
    (kernel,) = profiler.profile.kernel_profiles
    assert kernel.input_bytes == kernel.output_bytes == 4 * sum(a * b for a, b in SIZES[:3])


def test_members_load_from_global_memory(kernels: list[str]) -> None:
    """Pointers in a structure are known to be to global memory, and nothing is read too early."""
    squares(3).execute(matrices(*SIZES[:3]))
    ptx = compile_kernel(kernels[0], 90, to_ptx=True).decode()
    loads = re.findall(r"\bld\.(?!param)\S*", ptx)
    assert loads
    assert all(load.startswith("ld.global") and ".nc" not in load for load in loads)
    assert not re.findall(r"\bst\.(?!global)\S*", ptx)
    assert "st.local" not in ptx


def test_blocks_find_their_member_and_their_place(driver: Driver) -> None:
    """In grids of one, two and three dimensions, by the functions of the library."""
    source = library.source(
        """
extern "C" __global__ void kernel(
    int* out, const long long* first_blocks, long long width, unsigned long long width_divisor,
    long long height, unsigned long long height_divisor) {
  const int block = blockIdx.x;
  const uint3 plane = nvf::block_in_plane(block, width, width_divisor);
  const uint3 space = nvf::block_in_space(block, width, width_divisor, height, height_divisor);
  const unsigned found[] = {(unsigned)nvf::part_of<5>(first_blocks, block), plane.x, plane.y,
                            plane.z, space.x, space.y, space.z};
  for (int i = 0; i < 7; ++i) {
    out[block * 7 + i] = found[i];
  }
}
"""
    )
    first = np.array([0, 1, 1 + 7, 20, 33], dtype=np.int64)
    width, height, depth = 3, 4, 5
    count = width * height * depth
    out = np.zeros((count, 7), dtype=np.int32)

    def divisor(extent: int) -> int:
        shift = 31 + (extent - 1).bit_length()
        return shift << 32 | -(-(1 << shift) // extent)

    driver.launch(
        driver.function(source),
        (count, 1, 1),
        (1, 1, 1),
        [out, first, width, divisor(width), height, divisor(height)],
    )
    for block, found in enumerate(out.tolist()):
        rows, x = divmod(block, width)
        z, y = divmod(rows, height)
        assert found == [sum(block >= f for f in first) - 1, x, rows, 0, x, y, z]
