"""Definitions of many thousands of operations, in threads with a small stack.

Each test ends the process where something calls itself for each operation.
"""

import pickle
import threading

import pytest
import torch

from nvfuser import DataType, FusionDefinition

SMALL_STACK = 256 * 1024


def in_small_thread(fn):
    """Return what `fn` returns in a thread with the smallest stack that is usual."""
    results = []
    before = threading.stack_size(SMALL_STACK)
    try:
        thread = threading.Thread(target=lambda: results.append(fn()))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert results, "the thread raised an exception"
    return results[0]


def scalars(count):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], [True], DataType.Float)
        s = fd.define_scalar(dtype=DataType.Double)
        for _ in range(count):
            s = fd.ops.add(s, 1.0)
        fd.add_output(fd.ops.add(x, s))
    return fd


def sizes(count):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], [True], DataType.Float)
        s = fd.ops.size(x, 0)
        for _ in range(count):
            s = fd.ops.add(s, 1)
        fd.add_output(fd.ops.full([s], 2.0, DataType.Float))
    return fd


def tensors(count):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], [True], DataType.Float)
        for _ in range(count):
            x = fd.ops.add(x, 1.0)
        fd.add_output(x)
    return fd


def sums_of_sums(count):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], [True], DataType.Float)
        s = fd.define_scalar(dtype=DataType.Double)
        for _ in range(count):
            s = fd.ops.mul(fd.ops.add(s, s), 0.5)
        fd.add_output(fd.ops.add(x, s))
    return fd


def views(count):
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], [True, True], DataType.Float)
        for _ in range(count):
            x = fd.ops.permute(x, [1, 0])
        fd.add_output(x)
    return fd


@pytest.mark.parametrize(
    ("define", "count"), [(scalars, 20_000), (sizes, 20_000), (tensors, 10_000)]
)
def test_deep_definition(define, count):
    def check():
        fd = define(count)
        assert len(repr(fd).splitlines()) > count
        assert len(fd.fusion.print_math()) > count // 50
        again = pickle.loads(pickle.dumps(fd))
        assert again.fusion == fd.fusion
        return True

    assert in_small_thread(check)


@pytest.mark.parametrize(
    ("define", "count", "scalar", "expected"),
    [
        (scalars, 20_000, [0.0], torch.full([4], 20_001.0)),
        (sums_of_sums, 5_000, [3.0], torch.full([4], 4.0)),
        (sizes, 20_000, [], torch.full([20_004], 2.0)),
        (tensors, 4_000, [], torch.full([4], 4_001.0)),
    ],
)
def test_deep_execution(define, count, scalar, expected):
    def run():
        return define(count).execute([torch.ones(4), *scalar])[0]

    torch.testing.assert_close(in_small_thread(run), expected)


def test_deep_views():
    x = torch.randn(2, 3)
    (y,) = in_small_thread(lambda: views(3_001).execute([x]))
    assert torch.equal(y, x.t())
    assert y.data_ptr() == x.data_ptr()


def test_deep_scalar_is_printed():
    def text():
        with FusionDefinition() as fd:
            s = fd.define_scalar(dtype=DataType.Double)
            for _ in range(50_000):
                s = fd.ops.add(s, 1.0)
            return repr(s) + str(s)

    assert "double(1)" in in_small_thread(text)


def test_deep_cuda_source():
    def source():
        fd = scalars(20_000)
        return fd.fusion.print_kernel()

    assert in_small_thread(source).count("+") >= 20_000


def test_kernels_of_thousands_of_operations_are_divided():
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], [True], DataType.Float)
        for i in range(1500):
            x = fd.ops.mul(x, -1.0) if i % 3 else fd.ops.add(x, 1.0)
        fd.add_output(x)
    expected = torch.randn(7)
    inputs = [expected]
    for i in range(1500):
        expected = expected * -1.0 if i % 3 else expected + 1.0
    torch.testing.assert_close(fd.execute(inputs)[0], expected)
    kernels = fd.fec.get_cuda_kernel(inputs)
    assert 3 <= kernels.count("define void @") <= 8


def test_unrelated_outputs_are_kernels_of_their_own():
    inputs = [torch.randn(3 + i % 5, 4) for i in range(100)]
    with FusionDefinition() as fd:
        for i in range(100):
            x = fd.define_tensor([-1, -1], [True, True], DataType.Float)
            fd.add_output(fd.ops.sum(fd.ops.mul(x, float(i)), [i % 2]))
    for i, (x, y) in enumerate(zip(inputs, fd.execute(inputs), strict=True)):
        torch.testing.assert_close(y, (x * float(i)).sum(i % 2))
