"""A little of everything in a few seconds: what to run first, and after every change."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import NVFUSER_DTYPES, define, make_tensor, run, run_one

from nvfuser import DataType, FusionDefinition, ParallelType
from nvfuser.cuda import compiler, library

# By its name, an operation of ours and torch's of the same operands.
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "elementwise": (
        lambda fd, x, y: fd.ops.relu(x * 2.0 + y) / fd.ops.exp(y),
        lambda x, y: torch.relu(x * 2.0 + y) / torch.exp(y),
    ),
    "broadcast": (lambda fd, x, y: x - y[:1], lambda x, y: x - y[:1]),
    "where": (lambda fd, x, y: fd.ops.where(x > y, x, 0.5), lambda x, y: x.where(x > y, 0.5)),
    "sum": (lambda fd, x, y: fd.ops.sum(x * y, [1]), lambda x, y: (x * y).sum(1)),
    "max": (lambda fd, x, y: fd.ops.max(x - y, [0]), lambda x, y: (x - y).amax(0)),
    "var": (lambda fd, x, y: fd.ops.var(x, [0, 1]), lambda x, y: x.var()),
    "softmax": (lambda fd, x, y: fd.ops.softmax(x + y, 1), lambda x, y: (x + y).softmax(1)),
    "layer_norm": (
        lambda fd, x, y: fd.ops.layer_norm(x, [40], eps=1e-5) * y,
        lambda x, y: torch.nn.functional.layer_norm(x, [40], eps=1e-5) * y,
    ),
    "transpose": (
        lambda fd, x, y: fd.ops.permute(x, [1, 0]) + fd.ops.reshape(y, [40, 24]),
        lambda x, y: x.T + y.reshape(40, 24),
    ),
    "concatenation": (
        lambda fd, x, y: fd.ops.cat([x[:, 3:], fd.ops.pad(y, [2, 1])], 1),
        lambda x, y: torch.cat([x[:, 3:], torch.nn.functional.pad(y, (2, 1))], 1),
    ),
    "cumsum": (lambda fd, x, y: fd.ops.cumsum(x * y, 1), lambda x, y: (x * y).cumsum(1)),
    "topk": (lambda fd, x, y: fd.ops.topk(x, 3, 1, sorted=True)[0], lambda x, y: x.topk(3, 1)[0]),
    "matmul": (
        lambda fd, x, y: fd.ops.relu(fd.ops.matmul(x, fd.ops.permute(y, [1, 0]))),
        lambda x, y: torch.relu(x @ y.T),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name: str, device: str) -> None:
    operands = [make_tensor((24, 40), torch.float32, device, seed=seed) for seed in (0, 1)]
    ours, torchs = CASES[name]
    torch.testing.assert_close(
        run_one(ours, operands), torchs(*operands), rtol=1e-4, atol=1e-4, equal_nan=True
    )


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_dtypes(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((8, 33), dtype, device)
    expected = (x.double() * 2).relu().to(dtype)
    output = run_one(lambda fd, t: fd.ops.cast(fd.ops.relu(t * 2.0), NVFUSER_DTYPES[dtype]), [x])
    torch.testing.assert_close(output, expected)


def test_lookups(device: str) -> None:
    table = make_tensor((10, 7), torch.float32, device)
    rows = torch.tensor([3, 0, 3, 9], device=device)
    output = run_one(lambda fd, t, i: fd.ops.index_select(t, i, 0) + 1.0, [table, rows])
    torch.testing.assert_close(output, table[rows] + 1)


def test_random_numbers_follow_the_seed(device: str) -> None:
    def uniform(fd: FusionDefinition, x: Any) -> Any:
        zero, one = fd.define_scalar(0.0), fd.define_scalar(1.0)
        return x + fd.ops.uniform(zero, one, [64], dtype=DataType.Float)

    x = torch.zeros(64, device=device)
    outputs = []
    for _ in range(2):
        torch.manual_seed(7)
        outputs.append(run_one(uniform, [x]))
    assert torch.equal(*outputs)
    assert 0 <= outputs[0].min() < outputs[0].max() < 1


def test_one_fusion_takes_every_size_and_updates_in_place(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True)
        y = x + 1.0
        fd.add_output(y, x)
        fd.add_output(fd.ops.sum(y, [1]))
    for shape in ((3, 5), (1, 1), (0, 4), (17, 300)):
        value = make_tensor(shape, torch.float32, device)
        expected = value + 1
        (total,) = fd.execute([value])
        torch.testing.assert_close(value, expected)
        torch.testing.assert_close(total, expected.sum(1))


def test_printed_saved_and_bound_definitions_are_the_same(device: str) -> None:
    x = make_tensor((4, 6), torch.float32, device)
    fd = define(lambda fd, t: fd.ops.softmax(t, 1), [x])
    expected = fd.execute([x])[0]
    assert "softmax" in repr(fd) or "exp" in repr(fd)
    assert torch.equal(pickle.loads(pickle.dumps(fd)).execute([x])[0], expected)
    assert torch.equal(fd.bind([x])(x)[0], expected)


def test_schedule_by_hand(device: str) -> None:
    x = make_tensor((16, 64), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        out = t * 3.0
        fd.add_output(out)
        out.split(1, 16)
        if device == "cuda":
            out.axis(0).parallelize(ParallelType.grid_x)
            out.axis(2).parallelize(ParallelType.block_x)
        fd.sched.inline_most()
    torch.testing.assert_close(fd.manual_execute([x])[0], x * 3)


def test_errors_say_where_and_what() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        with pytest.raises(TypeError, match=r"There is no parameter dimm; write softmax\("):
            fd.ops.softmax(x, dimm=1)
        fd.add_output(x + 1.0)
    with pytest.raises(RuntimeError, match=r"(?s)input 0.*test_smoke\.py:\d+"):
        fd.execute([torch.ones(3)])


def test_cuda_code_compiles_without_a_gpu() -> None:
    kernel = 'extern "C" __global__ void kernel(float* x) { *x = nvf::exp_f32(*x); }'
    assert compiler.compile_kernel(kernel, 90).startswith(b"\x7fELF")
    assert "exp_f32" in library.source(kernel)


def test_several_kernels_of_one_fusion(device: str) -> None:
    x = make_tensor((5, 9), torch.float32, device)
    total, columns = run(lambda fd, t: [fd.ops.sum(t), fd.ops.sum(t * t, [0])], [x])
    torch.testing.assert_close(total, x.sum())
    torch.testing.assert_close(columns, (x * x).sum(0))
