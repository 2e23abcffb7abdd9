"""Random fusions of whole numbers, which have one right result whatever is computed first.

Beside what test_property.py draws: indexing, padding, concatenation, scans, sorting and updates,
each of values that other operations made and other operations read.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from fusion_testing import INTEGERS, NVFUSER_DTYPES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nvfuser import DataType, FusionDefinition

SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 64, 65, 128, 300, 0]
DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.int64, torch.int8, torch.uint8]
MOST_ELEMENTS = 50_000
# Beyond this a value is taken modulo a small number, so that all of them stay exact.
LARGEST = 1e6

Value = tuple[Any, torch.Tensor]


class Graph:
    """A fusion in the making, and what torch makes of each of its values.

    With `keeps` values have the dtypes of the inputs, which are integers, and wrap around. Without,
    all are in double precision.
    """

    def __init__(self, data: Any, fd: FusionDefinition, device: str, keeps: bool = False) -> None:
        self.data = data
        self.fd = fd
        self.device = device
        self.keeps = keeps
        self.inputs: list[torch.Tensor] = []
        self.values: list[Value] = []
        self.generator = torch.Generator().manual_seed(self.integer(0, 1000))

    def integer(self, low: int, high: int) -> int:
        return int(self.data.draw(st.integers(low, high)))

    def choice(self, among: list[Any]) -> Any:
        return self.data.draw(st.sampled_from(among))

    def coin(self) -> bool:
        return bool(self.data.draw(st.booleans()))

    def permutation(self, count: int) -> list[int]:
        return list(self.data.draw(st.permutations(range(count))))

    def shape(self) -> list[int]:
        shape = [self.choice(SIZES) for _ in range(self.integer(1, 4))]
        while math.prod(shape) > MOST_ELEMENTS:
            shape = shape[1:]
        return shape

    def declare(self, tensor: torch.Tensor) -> Any:
        self.inputs.append(tensor.to(self.device))
        return self.fd.define_tensor(
            sizes=list(tensor.shape),
            strides=list(tensor.stride()),
            dtype=NVFUSER_DTYPES[tensor.dtype],
            static_sizes=self.coin(),
        )

    def new_input(self, shape: list[int], dtype: torch.dtype | None = None) -> Value:
        """Whole numbers of any dtype and layout."""
        most = 128 if self.keeps else 4
        tensor = torch.randint(-most, most + 1, shape, generator=self.generator)
        stored = tensor.to(dtype or self.choice(INTEGERS if self.keeps else DTYPES))
        if self.coin():
            order = self.permutation(len(shape))
            back = [order.index(dim) for dim in range(len(shape))]
            stored = stored.permute(order).contiguous().permute(back)
        if self.keeps:
            return self.declare(stored), stored
        value = self.fd.ops.cast(self.declare(stored), DataType.Double)
        return value, stored.double()

    def new_index(self, shape: list[int], size: int) -> Value:
        index = torch.randint(0, size, shape, generator=self.generator)
        return self.declare(index), index

    def pick(self, fits: Callable[[torch.Tensor], bool] = lambda _: True) -> Value:
        """A value that `fits`, a recent one if need be."""
        return self.choice([value for value in reversed(self.values) if fits(value[1])])


def unary(graph: Graph, value: Value) -> Value:
    whole = ["bitwise_not", "sign", "square"] if graph.keeps else []
    name = graph.choice(["neg", "abs", "relu", "set", "segment_set", *whole])
    if name == "square":
        return graph.fd.ops.mul(value[0], value[0]), value[1] * value[1]
    reference = getattr(torch, name, lambda tensor: tensor)
    return getattr(graph.fd.ops, name)(value[0]), reference(value[1])


def binary(graph: Graph, value: Value) -> Value | None:
    shape = value[1].shape
    other = graph.pick(
        lambda tensor: (
            tensor.dim() == len(shape)
            and all(a == b or 1 in (a, b) for a, b in zip(tensor.shape, shape, strict=True))
        )
    )
    if math.prod(map(max, zip(shape, other[1].shape, strict=True))) > MOST_ELEMENTS:
        return None
    whole = ["bitwise_and", "bitwise_or", "bitwise_xor"] if graph.keeps else []
    name = graph.choice(["add", "sub", "mul", "maximum", "minimum", "where", *whole])
    ops = graph.fd.ops
    if name == "where":
        return (
            ops.where(ops.lt(value[0], other[0]), value[0], other[0]),
            torch.where(value[1] < other[1], value[1], other[1]),
        )
    return getattr(ops, name)(value[0], other[0]), getattr(torch, name)(value[1], other[1])


def reduction(graph: Graph, value: Value) -> Value | None:
    tensor = value[1]
    name = graph.choice(["sum", "max", "min"])
    dims = sorted(graph.permutation(tensor.dim())[: graph.integer(1, tensor.dim())])
    keeps = graph.coin()
    if name != "sum" and any(tensor.size(dim) == 0 for dim in dims):
        return None
    reference = getattr(torch, "sum" if name == "sum" else "a" + name)
    return getattr(graph.fd.ops, name)(value[0], dims, keeps), reference(tensor, dims, keeps)


def permute(graph: Graph, value: Value) -> Value:
    order = graph.permutation(value[1].dim())
    return graph.fd.ops.permute(value[0], order), value[1].permute(order)


def reshape(graph: Graph, value: Value) -> Value | None:
    """Two dimensions become one, or one becomes two."""
    shape = list(value[1].shape)
    dim = graph.integer(0, len(shape) - 1)
    factors = [factor for factor in range(2, shape[dim]) if shape[dim] % factor == 0]
    if dim > 0 and graph.coin():
        shape[dim - 1 : dim + 1] = [shape[dim - 1] * shape[dim]]
    elif factors and len(shape) < 5:
        factor = graph.choice(factors)
        shape[dim : dim + 1] = [factor, shape[dim] // factor]
    if 0 in shape:
        return None
    return graph.fd.ops.reshape(value[0], shape), value[1].reshape(shape)


def cut(graph: Graph, value: Value) -> Value:
    starts = [graph.integer(0, size // 2) for size in value[1].shape]
    pairs = zip(starts, value[1].shape, strict=True)
    ends = [graph.integer(min(start + 1, size), size) for start, size in pairs]
    parts = tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))
    return graph.fd.ops.slice(value[0], starts, ends), value[1][parts]


def pad(graph: Graph, value: Value) -> Value:
    widths = [graph.integer(0, 3) for _ in range(2 * graph.integer(1, value[1].dim()))]
    filler = graph.choice([0, 2] if graph.keeps else [0.0, 2.0])
    reference = torch.nn.functional.pad(value[1], widths, value=filler)
    return graph.fd.ops.pad(value[0], widths, filler), reference


def concatenate(graph: Graph, value: Value) -> Value:
    dim = graph.integer(0, value[1].dim() - 1)

    def fits(tensor: torch.Tensor) -> bool:
        sizes = zip(tensor.shape, value[1].shape, strict=False)
        is_like = tensor.dim() == value[1].dim() and tensor.dtype is value[1].dtype
        return is_like and all(a == b for position, (a, b) in enumerate(sizes) if position != dim)

    parts = [value, *(graph.pick(fits) for _ in range(graph.integer(1, 2)))]
    return (
        graph.fd.ops.cat([part for part, _ in parts], dim),
        torch.cat([part for _, part in parts], dim),
    )


def expand(graph: Graph, value: Value) -> Value:
    sizes = [graph.choice([size, 5]) if size == 1 else size for size in value[1].shape]
    return graph.fd.ops.expand(value[0], sizes), value[1].expand(sizes)


def insert(graph: Graph, value: Value) -> Value | None:
    if value[1].dim() > 4:
        return None
    dim = graph.integer(0, value[1].dim())
    flags = [position == dim for position in range(value[1].dim() + 1)]
    return graph.fd.ops.broadcast(value[0], flags), value[1].unsqueeze(dim)


def remove(graph: Graph, value: Value) -> Value | None:
    dims = [dim for dim, size in enumerate(value[1].shape) if size == 1]
    if not dims:
        return None
    dim = graph.choice(dims)
    return graph.fd.ops.squeeze(value[0], [dim]), value[1].squeeze(dim)


def upper(graph: Graph, value: Value) -> Value | None:
    if value[1].dim() < 2:
        return None
    diagonal = graph.integer(-2, 2)
    return graph.fd.ops.triu(value[0], diagonal), value[1].triu(diagonal)


def scan(graph: Graph, value: Value) -> Value:
    dim = graph.integer(0, value[1].dim() - 1)
    # The dtype of integers stays.
    return graph.fd.ops.cumsum(value[0], dim), value[1].cumsum(dim).to(value[1].dtype)


def index(graph: Graph, value: Value) -> Value | None:
    tensor, ops = value[1], graph.fd.ops
    dim = graph.integer(0, tensor.dim() - 1)
    if tensor.numel() == 0:
        return None
    name = graph.choice(["index_select", "gather", "take_along_axis", "select"])
    if name == "select":
        position = graph.integer(0, tensor.size(dim) - 1)
        scalar = graph.fd.define_scalar(position, DataType.Int)
        return ops.select(value[0], scalar, dim), tensor.select(dim, position)
    if name == "index_select":
        rows = graph.choice([size for size in SIZES if size <= 2 * tensor.size(dim)])
        numbers, taken = graph.new_index([rows], tensor.size(dim))
        return ops.index_select(value[0], numbers, dim), tensor.index_select(dim, taken)
    shape = list(tensor.shape)
    if name == "gather":
        shape = [graph.integer(1, size) for size in shape]
    shape[dim] = graph.integer(1, 2 * tensor.size(dim))
    numbers, taken = graph.new_index(shape, tensor.size(dim))
    return getattr(ops, name)(value[0], numbers, dim), tensor.gather(dim, taken)


def update(graph: Graph, value: Value) -> Value | None:
    tensor = value[1]
    if tensor.numel() == 0:
        return None
    dim = graph.integer(0, tensor.dim() - 1)
    shape = list(tensor.shape)
    shape[dim] = graph.integer(1, shape[dim])
    # No place twice: which of two values stays is not defined.
    order = torch.rand(tensor.shape, generator=graph.generator).argsort(dim)
    places = order.narrow(dim, 0, shape[dim]).contiguous()
    source = graph.new_input(shape, tensor.dtype if graph.keeps else None)
    numbers = graph.declare(places)
    return (
        graph.fd.ops.scatter(value[0], numbers, source[0], dim),
        tensor.scatter(dim, places, source[1]),
    )


def order(graph: Graph, value: Value) -> Value | None:
    tensor, ops = value[1], graph.fd.ops
    dim = graph.integer(0, tensor.dim() - 1)
    if tensor.numel() == 0:
        return None
    descends = graph.coin()
    if graph.coin():
        count = graph.integer(1, tensor.size(dim))
        return (
            ops.topk(value[0], count, dim, descends, True)[0],
            tensor.topk(count, dim, descends, True)[0],
        )
    numbers = ops.argsort(value[0], dim, descends, True)
    return ops.take_along_axis(value[0], numbers, dim), tensor.sort(dim, descends)[0]


KINDS = [
    *(unary, binary, binary, reduction, reduction, permute, reshape, cut, pad, concatenate),
    *(expand, insert, remove, upper, scan, index, index, update, order),
]


def check_graph(graph: Graph) -> None:
    """Draw a fusion, run it and compare."""
    fd = graph.fd
    with fd:
        for _ in range(graph.integer(1, 3)):
            graph.values.append(graph.new_input(graph.shape()))
        for _ in range(graph.integer(1, 16)):
            made = graph.choice(KINDS)(graph, graph.pick(lambda tensor: tensor.dim() > 0))
            if made is None:
                continue
            value, tensor = made
            if not graph.keeps and tensor.numel() and float(tensor.abs().max()) > LARGEST:
                value, tensor = fd.ops.fmod(value, 7.0), torch.fmod(tensor, 7.0)
            graph.values.append((value, tensor))
        results = [graph.values[-1], *(graph.pick() for _ in range(graph.integer(0, 2)))]
        for value, _ in results:
            fd.add_output(value)
    outputs = fd.execute(graph.inputs)
    for output, (_, reference) in zip(outputs, results, strict=True):
        assert output.shape == reference.shape
        if graph.keeps:
            assert output.dtype == reference.dtype
            assert torch.equal(output.cpu(), reference)
        else:
            assert torch.equal(output.double().cpu(), reference)


GRAPHS = settings(
    max_examples=75,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@GRAPHS
@given(data=st.data())
def test_random_graphs_of_whole_numbers(data: Any, device: str) -> None:
    check_graph(Graph(data, FusionDefinition(), device))


@GRAPHS
@given(data=st.data())
def test_random_graphs_of_integers_that_wrap_around(data: Any, device: str) -> None:
    check_graph(Graph(data, FusionDefinition(), device, keeps=True))
