"""scatter that accumulates against torch: positions occur several times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import FLOATS, INDICES, define, dtype_id, make_tensor, run, run_one
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import nvfuser
from nvfuser import DataType, FusionDefinition
from nvfuser.frontend.conversion import Conversion
from nvfuser.frontend.operators import indexing


def positions(shape: tuple[int, ...], size: int, device: str) -> torch.Tensor:
    """Positions of a dimension of that size, most of them several times."""
    generator = torch.Generator().manual_seed(3)
    return torch.randint(0, size, shape, generator=generator).to(device)


def whole(shape: tuple[int, ...], dtype: torch.dtype, device: str, seed: int = 0) -> torch.Tensor:
    """Small whole numbers, whose sums are exact in every dtype and order."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-2, 3, shape, generator=generator).to(dtype).to(device)


def add(fd: FusionDefinition, x: Any, index: Any, src: Any, dim: int) -> Any:
    return fd.ops.scatter(x, index, src, dim, accumulate=True)


@pytest.mark.parametrize("dtype", [*FLOATS, *INDICES], ids=dtype_id)
@pytest.mark.parametrize("index_dtype", INDICES, ids=dtype_id)
def test_dtypes(dtype: torch.dtype, index_dtype: torch.dtype, device: str) -> None:
    x, src = (whole((shape, 7), dtype, device, seed=shape) for shape in (5, 40))
    index = positions((40, 7), 5, device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, 0), [x, index.to(index_dtype), src])
    assert output.dtype == dtype
    assert torch.equal(output, x.scatter_add(0, index, src))


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_dimensions(dim: int, device: str) -> None:
    x, src = (whole((4, 6, 5), torch.float32, device, seed=seed) for seed in (1, 2))
    # The index is smaller than both.
    index = positions((3, 2, 3), x.shape[dim], device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, dim), [x, index, src])
    assert torch.equal(output, x.scatter_add(dim, index, src))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=dtype_id)
def test_reduced_precision_is_rounded_once(dtype: torch.dtype, device: str) -> None:
    x = torch.zeros(2, dtype=dtype, device=device)
    src = torch.full((5000,), 0.75, dtype=dtype, device=device)
    index = torch.zeros(5000, dtype=torch.int64, device=device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, 0), [x, index, src])
    assert torch.equal(output, torch.tensor([3750.0, 0.0], device=device).to(dtype))


def test_scalar(device: str) -> None:
    x = whole((6, 9), torch.float32, device)
    index = positions((20, 9), 6, device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, -2), [x, index, -1.5])
    assert torch.equal(output, x.scatter_add(0, index, torch.full((20, 9), -1.5, device=device)))


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_neighbours(dim: int, device: str) -> None:
    x, src = (whole((7, 20, 33), torch.float32, device, seed=seed) for seed in (1, 2))
    index = positions((7, 20, 33), x.shape[dim], device)

    def body(fd: FusionDefinition, t: Any, i: Any, s: Any) -> list[Any]:
        ops = fd.ops
        last = x.shape[dim] - 1
        added = add(fd, ops.mul(t, 2.0), ops.add(ops.neg(i), last), ops.relu(s), dim)
        return [ops.relu(added), ops.add(added, 1.0), added]

    positive, plus, added = run(body, [x, index, src])
    expected = (2 * x).scatter_add(dim, x.shape[dim] - 1 - index, src.relu())
    assert torch.equal(added, expected)
    assert torch.equal(positive, expected.relu())
    assert torch.equal(plus, expected + 1)


def test_lookups(device: str) -> None:
    """Messages along edges: what is added up is looked up, in the same kernel."""
    x, weights = whole((30, 6), torch.float32, device), whole((200, 1), torch.float32, device)
    source, target = positions((200,), 30, device), positions((2, 200), 30, device)[1]

    def body(fd: FusionDefinition, t: Any, w: Any, i: Any, j: Any) -> Any:
        ops = fd.ops
        messages = ops.mul(ops.index_select(t, i, 0), w)
        j = ops.expand(ops.broadcast(j, [False, True]), [-1, 6])
        return add(fd, ops.full([30, 6], 0.0, DataType.Float), j, messages, 0)

    fd = define(body, [x, weights, source, target])
    (output,) = fd.execute([x, weights, source, target])
    assert torch.equal(output, torch.zeros_like(x).index_add(0, target, x[source] * weights))
    assert len(fd.explain([x, weights, source, target]).parts) == 1


@pytest.mark.parametrize("dim", [1, 2])
def test_long_rows_around(dim: int) -> None:
    """On the CPU rows that are written soon are requested, but not those at positions."""
    x, src = (whole((40, 100, 4096), torch.float32, "cpu", seed=seed) for seed in (1, 2))
    index = positions((40, 100, 4096), x.shape[dim], "cpu")
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, dim), [x, index, src])
    assert torch.equal(output, x.scatter_add(dim, index, src))


@pytest.mark.parametrize("rows", [3, 4, 300])
@pytest.mark.parametrize("columns", [1, 5, 64, 2053])
def test_vectors_of_positions(rows: int, columns: int, device: str) -> None:
    """Whole rows are added: the index is expanded, in the kernel."""
    src = whole((200, columns), torch.float32, device)
    index = positions((200,), rows, device)

    def body(fd: FusionDefinition, i: Any, s: Any) -> Any:
        zeros = fd.ops.full([rows, columns], 0.0, DataType.Float)
        i = fd.ops.expand(fd.ops.broadcast(i, [False, True]), [-1, columns])
        return fd.ops.relu(add(fd, zeros, i, fd.ops.mul(s, 2.0), 0))

    output = run_one(body, [index, src])
    zeros = torch.zeros(rows, columns, device=device)
    assert torch.equal(output, zeros.index_add(0, index, 2 * src).relu())


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.float64], ids=dtype_id)
@pytest.mark.parametrize("shape", [(140, 512), (140, 2053), (140, 13000), (140, 1)])
def test_many_rows(shape: tuple[int, int], dtype: torch.dtype, device: str) -> None:
    """On CUDA, rows that are short enough are added up in shared memory."""
    x, src = (whole(shape, dtype, device, seed=seed) for seed in (1, 2))
    index = positions(shape, min(shape[1], 50), device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, 1), [x, index, src])
    assert torch.equal(output, x.scatter_add(1, index, src))


def test_layouts_and_empty_tensors(device: str) -> None:
    x = whole((9, 6), torch.float32, device).t()
    src = whole((1, 9), torch.float32, device).expand(6, 9)
    index = positions((4, 6), 9, device).t()
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, 1), [x, index, src])
    assert torch.equal(output, x.scatter_add(1, index, src))
    none = torch.zeros((0, 4), dtype=torch.int64, device=device)
    output = run_one(lambda fd, t, i, s: add(fd, t, i, s, 1), [x, none, src])
    assert torch.equal(output, x)


def test_update_in_place(device: str) -> None:
    x, src = (whole((6, 9), torch.float32, device, seed=seed) for seed in (1, 2))
    index = positions((6, 9), 6, device)
    expected = x.scatter_add(0, index, src)
    with FusionDefinition() as fd:
        t, s = (fd.define_tensor(shape=[-1, -1], dtype=DataType.Float) for _ in range(2))
        i = fd.define_tensor(shape=[-1, -1], dtype=DataType.Int)
        fd.add_output(add(fd, t, i, s, 0), t)
    fd.execute([x, src, index])
    assert torch.equal(x, expected)


@pytest.mark.parametrize("shape", [(3000, 1), (3000, 3), (40000, 17), (17, 140000)])
@pytest.mark.parametrize("dim", [0, 1])
def test_elements_are_added_in_order(dim: int, shape: tuple[int, int]) -> None:
    """On the CPU, whatever the number of threads: the rounding is that of torch on one thread."""
    x, src = (make_tensor(shape, torch.float32, "cpu", seed=seed) for seed in (1, 2))
    index = positions(shape, min(shape[dim], 50), "cpu")
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        expected = x.scatter_add(dim, index, src)
        for count in (1, 4):
            torch.set_num_threads(count)
            output = run_one(lambda fd, t, i, s: add(fd, t, i, s, dim), [x, index, src])
            assert torch.equal(output, expected), count
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize("position", [4, -1])
def test_positions_that_do_not_exist(position: int) -> None:
    """On CUDA torch stops the program: what is checked is the CPU."""
    x = make_tensor((3, 4), torch.float32, "cpu")
    index = torch.full((3, 1), position)
    with pytest.raises(RuntimeError, match="Index out of range: scatter along dimension 1"):
        run_one(lambda fd, t, i: add(fd, t, i, t, 1), [x, index])


def test_printed() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        i = fd.define_tensor(shape=[-1], dtype=DataType.Int)
        fd.add_output(add(fd, x, i, fd.ops.neg(x), 0))
    assert "dim=0, accumulate=True)" in repr(fd)
    assert "dim = 0, op = add )" in fd.fusion.print_math()


@pytest.mark.parametrize("dtype", [DataType.Int8, DataType.Bool, DataType.ComplexFloat])
def test_dtypes_that_are_not_added(dtype: DataType) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], dtype=dtype)
        i = fd.define_tensor(shape=[-1], dtype=DataType.Int)
        with pytest.raises(RuntimeError, match="dtype that threads can add to"):
            add(fd, x, i, fd.ops.set(x), 0)
        fd.add_output(x)


# ------------------------------------------------------------------ operators of torch


def index_add(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return (x * 2).index_add(-2, index, source.neg()).relu()


def index_add_scaled(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_add(0, index, source, alpha=3)


def index_add_of_one(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_add(0, index[3], source[:1])


def index_add_in_place(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    x.index_add_(0, index, source)
    return x + 1


def index_add_nothing(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_add(0, index[:0], source[:0]) * 2


def scatter_add(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.scatter_add(0, index[:, None].expand_as(source), source) + 1


def scatter_add_in_place(
    x: torch.Tensor, index: torch.Tensor, source: torch.Tensor
) -> torch.Tensor:
    x.scatter_add_(1, index[None, :3].expand(8, 3) % 2, source[:8, :3])
    return x * 2


def scatter_reduce(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.scatter_reduce(0, index[:, None].expand_as(source), source, "sum")


def index_put(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_put((index - 8,), source, accumulate=True)


def index_put_rows(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_put((index.view(5, 8),), source[0], accumulate=True)


def index_put_elements(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    return x.index_put((index - 8, index % 6 - 3), source[:, 0], accumulate=True)


def index_put_among_others(
    x: torch.Tensor, index: torch.Tensor, source: torch.Tensor
) -> torch.Tensor:
    images, places = x.view(2, 4, 6), [None, index % 4, index % 6]
    return torch.ops.aten.index_put(images, places, source[:2, :1], True).flatten(0, 1)


def index_copied(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    places = (index[:1] + torch.arange(5, device=index.device)) % 8
    return x.index_copy(0, places, source[:5]) * 2


def index_copied_in_place(
    x: torch.Tensor, index: torch.Tensor, source: torch.Tensor
) -> torch.Tensor:
    x.index_copy_(1, index[:1], source[:8, :1] * 2)
    return x.sum(1)


def put_in_place(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    x[:, -1 - index[:1] % 6] = source[:8, :1]
    return x.sum(0)


def copied_from_itself(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """What is copied is read from what is written into."""
    x.index_copy_(0, index[:1], x[3:4] + source[:1])
    return x + 1


def put_among_others(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    images = x.view(2, 4, 6).clone()
    images[:, index[:1] % 4, index[:1] % 6] = source[:2, :1]
    return images


# Whether neighbours are added to different tables, as GPUs do where many meet.
TABLES = pytest.mark.parametrize("tables", [1, 4], ids=["one table", "four tables"])


def test_tables() -> None:
    gpu, cpu = torch.device("cuda"), torch.device("cpu")
    # Relative positions of T5, the two types of tokens of BERT, words, and what is open.
    assert indexing.tables(512 * 512, 32, gpu) == 128
    assert indexing.tables(8 * 512, 2, gpu) == 32
    assert indexing.tables(8 * 512, 32000, gpu) == 1
    assert indexing.tables(10**9, 1, gpu) == 256
    assert indexing.tables(10**9, 0, gpu) == 1
    assert indexing.tables(512 * 512, 32, cpu) == 1


@TABLES
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=dtype_id)
@pytest.mark.parametrize(
    "function",
    [
        index_add,
        index_add_scaled,
        index_add_of_one,
        index_add_in_place,
        index_add_nothing,
        scatter_add,
        scatter_add_in_place,
        scatter_reduce,
        index_put,
        index_put_rows,
        index_put_elements,
        index_put_among_others,
        index_copied,
        index_copied_in_place,
        put_in_place,
        copied_from_itself,
        put_among_others,
    ],
    ids=lambda function: function.__name__,
)
@pytest.mark.no_round_trip
def test_operators(
    function: Callable[..., Any],
    dtype: torch.dtype,
    tables: int,
    device: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(indexing, "tables", lambda *_: tables)
    x, source = (whole((size, 6), dtype, device, seed=size) for size in (8, 40))
    index = positions((40,), 8, device)
    ours, theirs = x.clone(), x.clone()
    assert calls_of_torch(function, x.clone(), index, source) == 0
    output = nvfuser.jit(function)(ours, index, source)
    assert torch.equal(output, function(theirs, index, source))
    assert torch.equal(ours, theirs)


def weighed(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> Any:
    """As in attention over the edges of a graph: weights of heads, which are kept, too."""
    weights = source.view(40, 2, 3).sum(2).clamp(min=0)
    sums = weights.new_zeros(8, 2).index_add(0, index, weights)
    shares = weights + sums[index]
    messages = source.view(40, 2, 3) * shares[..., None]
    added = x.view(8, 2, 3).scatter_add(0, index[:, None, None].expand_as(messages), messages)
    return added, shares, shares.float() * 2


def reshaped(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """As the gradient of a sum of embeddings: each row of the source at several positions."""
    rows = source[:10, None, :].expand(10, 4, 6).reshape(40, 6)
    return x.index_add(0, index, rows * 2)


def sliced(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    rows = source.view(10, 4, 6)[:, 1][:, None].expand(10, 4, 6).reshape(40, 6)
    return x.index_add(0, index, rows) + 1


def beside(x: torch.Tensor, index: torch.Tensor, source: torch.Tensor) -> Any:
    """What is computed from the source is needed, too, and has other dimensions."""
    doubled = source * 2
    return x.index_add(0, index, doubled), doubled.neg(), doubled[:, :1].expand(40, 3) + 1


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64], ids=dtype_id)
@pytest.mark.parametrize(
    "function", [weighed, reshaped, sliced, beside], ids=lambda function: function.__name__
)
@pytest.mark.no_round_trip
def test_computed_sources(function: Callable[..., Any], dtype: torch.dtype, device: str) -> None:
    x, source = (whole((size, 6), dtype, device, seed=size) for size in (8, 40))
    index = positions((40,), 8, device)
    torch.testing.assert_close(
        nvfuser.jit(function)(x, index, source), function(x, index, source), rtol=0, atol=0
    )


def gather(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.gather(0, index[:, None].expand(-1, 6)).exp()


def index_select(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.index_select(0, index).exp()


def rows_at(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x[index.view(5, 8)].exp()


def embedding(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.embedding(index.view(5, 8), x, padding_idx=2).exp()


def elements_at(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x[index.view(5, 8) - 8, index.view(5, 8) % 6].exp()


def pairs_of_rows_at(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    return x.view(2, 4, 3, 2)[:, index % 4, -1 - index % 3].exp()


def larger_images(x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    images = x.reshape(2, 2, 4, 3).sin()
    return torch.nn.functional.interpolate(images, scale_factor=(2.0, 4.0), mode="nearest").exp()


@TABLES
@pytest.mark.parametrize(
    "function",
    [gather, index_select, rows_at, embedding, elements_at, pairs_of_rows_at, larger_images],
    ids=lambda function: function.__name__,
)
@pytest.mark.no_round_trip
def test_gradients_of_lookups(
    function: Callable[..., Any], tables: int, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "tables", lambda *_: tables)
    x = make_tensor((8, 6), torch.float32, device).requires_grad_()
    index = positions((40,), 8, device)
    (expected,) = torch.autograd.grad(function(x, index).sum(), x)
    compiled = nvfuser.jit(function)
    (output,) = torch.autograd.grad(compiled(x, index).sum(), x)
    torch.testing.assert_close(output, expected)
    assert calls_of_torch(function, x, index) == 0


@pytest.mark.parametrize("is_deterministic", [False, True])
@pytest.mark.no_round_trip
def test_torch_adds_in_order_on_cuda(is_deterministic: bool) -> None:
    """Where that is asked for: threads add in any order."""
    with FakeTensorMode():
        x, source = (torch.empty(size, 6, device="cuda") for size in (8, 40))
        index = torch.empty(40, dtype=torch.int64, device="cuda")
        graph = make_fx(lambda *args: [index_add_scaled(*args)])(x, index, source)
    conversion = Conversion(graph, is_strict=True)
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(is_deterministic)
    try:
        conversion.run()
    finally:
        torch.use_deterministic_algorithms(before)
    assert list(conversion.called) == (["aten.index_add.default"] if is_deterministic else [])


def calls_of_torch(function: Callable[..., Any], *args: Any) -> int:
    return sum(part.kind != "kernel" for part in nvfuser.explain(function, *args).parts)
