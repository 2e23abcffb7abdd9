"""Random fusions of whole numbers, which have one right result whatever is computed first.

A `Graph` is a fusion in the making together with what torch makes of each of its values in double
precision. An operation is a function of a graph and one of its values, which adds a value or
returns None where it does not apply; `KINDS` lists them. What they choose comes from `Choices`:
drawn by hypothesis, which makes failures small, or by a seed, which makes many of them fast.

Values stay exact: they are whole numbers (functions are rounded to some), and what would leave the
range of its dtype is given up. With `keeps` they have the dtypes of the inputs, which are integers,
and wrap around; `KEEPING` lists the operations of these.
"""

from __future__ import annotations

import math
import operator
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

import torch
from fusion_testing import INTEGERS, NVFUSER_DTYPES
from hypothesis import strategies as st

from nvfuser import DataType, FusionDefinition

# Of the large ones reductions are divided among workers or blocks.
LARGE_SIZES = [1, 2, 3, 7, 64, 1000, 4096, 40_000]
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 40, 64, 65, 128, 300, 0]
MOST_ELEMENTS = 100_000
MOST_DIMS = 6

# The largest whole number up to which all are values of a dtype.
EXACT = {
    DataType.Double: 2.0**53,
    DataType.Float: 2.0**24,
    DataType.Half: 2.0**11,
    DataType.BFloat16: 2.0**8,
    DataType.Int: 2.0**53,
    DataType.Int32: 2.0**31 - 1,
    DataType.Bool: 1.0,
}
INPUT_DTYPES = [
    torch.float64,
    torch.float32,
    torch.float32,
    torch.bfloat16,
    torch.float16,
    torch.int64,
    torch.int32,
    torch.bool,
]
FLOATING = [DataType.Double, DataType.Float, DataType.BFloat16, DataType.Half]
INTEGRAL = [DataType.Int, DataType.Int32]
# Beyond this a value is taken modulo a small number, so that all of them stay exact.
LARGEST = 1e6

LAYOUTS = ["contiguous", "contiguous", "permuted", "column-major", "strided", "expanded", "offset"]

Value = tuple[Any, torch.Tensor]
T = TypeVar("T")


class Choices(Protocol):
    """Where the choices that make a graph come from."""

    def integer(self, low: int, high: int) -> int: ...
    def choice(self, among: Sequence[T]) -> T: ...
    def permutation(self, count: int) -> list[int]: ...


class Drawn:
    """Choices of hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def integer(self, low: int, high: int) -> int:
        return self._data.draw(st.integers(low, high))

    def choice(self, among: Sequence[T]) -> T:
        return self._data.draw(st.sampled_from(among))

    def permutation(self, count: int) -> list[int]:
        return list(self._data.draw(st.permutations(range(count))))


class Seeded:
    """Choices of a seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)

    def choice(self, among: Sequence[T]) -> T:
        return self._random.choice(among)

    def permutation(self, count: int) -> list[int]:
        return self._random.sample(range(count), count)


class Graph:
    """A fusion in the making, and what torch makes of each of its values."""

    def __init__(
        self, choices: Choices, fd: FusionDefinition, device: str, keeps: bool = False
    ) -> None:
        self.keeps = keeps
        self.integer = choices.integer
        self.choice = choices.choice
        self.permutation = choices.permutation
        self.fd = fd
        self.device = device
        self.inputs: list[torch.Tensor] = []
        self.values: list[Value] = []
        self.static_sizes = self.coin()
        self.sizes = self.choice([SIZES, SIZES, SIZES, LARGE_SIZES])
        self.generator = torch.Generator().manual_seed(self.integer(0, 1000))

    def coin(self) -> bool:
        return self.choice([False, True])

    def subset(self, count: int) -> list[int]:
        """Some of so many positions, at least one."""
        return sorted(self.permutation(count)[: self.integer(1, count)])

    def shape(self) -> list[int]:
        shape = [self.choice(self.sizes) for _ in range(self.integer(1, 4))]
        while math.prod(shape) > MOST_ELEMENTS:
            shape = shape[1:]
        return shape

    def laid_out(self, tensor: torch.Tensor) -> torch.Tensor:
        """The same values (of the first elements, if expanded) in some memory format."""
        layout = self.choice(LAYOUTS)
        rank = tensor.dim()
        if layout == "permuted":
            order = self.permutation(rank)
            back = [order.index(dim) for dim in range(rank)]
            return tensor.permute(order).contiguous().permute(back)
        if layout == "column-major":
            order = list(reversed(range(rank)))
            return tensor.permute(order).contiguous().permute(order)
        if layout == "strided":
            whole = tensor.new_zeros([size + 3 for size in tensor.shape])
            window = whole[tuple(slice(2, 2 + size) for size in tensor.shape)]
            return window.copy_(tensor)
        if layout == "expanded":
            dim = self.integer(0, rank - 1)
            return tensor.narrow(dim, 0, min(1, tensor.size(dim))).expand(tensor.shape)
        if layout == "offset":
            whole = tensor.new_zeros(tensor.numel() + 3)
            return whole[3:].view(tensor.shape).copy_(tensor)
        return tensor

    def declare(self, tensor: torch.Tensor) -> Any:
        # With all of its memory: moved alone, what is expanded would become contiguous.
        memory = tensor.new_empty(0).set_(tensor.untyped_storage()).to(self.device)
        layout = (tensor.shape, tensor.stride(), tensor.storage_offset())
        self.inputs.append(memory.as_strided(*layout))
        return self.fd.define_tensor(
            sizes=list(tensor.shape),
            strides=list(tensor.stride()),
            dtype=NVFUSER_DTYPES[tensor.dtype],
            static_sizes=self.static_sizes,
        )

    def new_input(self, shape: Sequence[int], dtype: torch.dtype | None = None) -> Value:
        """Whole numbers of some dtype and layout."""
        if self.keeps:
            values = torch.randint(-128, 129, shape, generator=self.generator)
            stored = self.laid_out(values.to(dtype or self.choice(INTEGERS)))
            return self.declare(stored), stored
        dtype = dtype or self.choice(INPUT_DTYPES)
        low = 0 if dtype is torch.bool else -4
        values = torch.randint(
            low, 2 if dtype is torch.bool else 5, shape, generator=self.generator
        )
        stored = self.laid_out(values.to(dtype))
        return self.declare(stored), stored.double()

    def new_number(self, shape: Sequence[int], like: Value) -> Value:
        """An input of numbers that can be put among those of a value."""
        if self.keeps:
            return self.new_input(shape, like[1].dtype)
        return self.wide(self.new_input(shape))

    def new_index(self, shape: Sequence[int], size: int) -> Value:
        index = torch.randint(0, size, shape, generator=self.generator)
        return self.declare(index), index

    def pick(self, fits: Callable[[Value], bool] = lambda _: True) -> Value:
        """A value that `fits`, a recent one if need be."""
        return self.choice([value for value in reversed(self.values) if fits(value)])

    def number(self, value: Value) -> Value:
        """The value, as a number if it is a truth value."""
        if value[0].dtype() == DataType.Bool:
            dtype = self.choice([*FLOATING, *INTEGRAL])
            return self.fd.ops.cast(value[0], dtype), value[1]
        return value

    def wide(self, value: Value) -> Value:
        """The value in double precision, unless dtypes stay."""
        if self.keeps:
            return value
        return self.fd.ops.cast(value[0], DataType.Double), value[1]


def is_exact(value: Value) -> bool:
    """Whether the elements are exact in the dtype of the fusion's value."""
    tensor = value[1]
    return tensor.numel() == 0 or float(tensor.abs().max()) <= EXACT[value[0].dtype()]


# ------------------------------------------------------------------ element by element


def unary(graph: Graph, value: Value) -> Value:
    of_integers = ["bitwise_not", "square"]
    name = graph.choice(
        [
            *("neg", "abs", "relu", "set", "segment_set", "sign"),
            *(of_integers if graph.keeps else ["floor", "ceil", "round", "trunc"]),
        ]
    )
    operand, tensor = graph.number(value)
    if name == "square":
        return graph.fd.ops.mul(operand, operand), tensor * tensor
    reference = getattr(torch, name, lambda tensor: tensor)
    return getattr(graph.fd.ops, name)(operand), reference(tensor)


FUNCTIONS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    **{
        name: getattr(torch, name)
        for name in (
            *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc"),
            *("erfinv", "exp", "exp2", "expm1", "lgamma", "log", "log10", "log1p", "log2"),
            *("reciprocal", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh", "frac"),
        )
    },
    "silu": torch.nn.functional.silu,
    "erfcinv": lambda tensor: torch.special.erfinv(1 - tensor),
}


def whole(graph: Graph, value: Any, reference: torch.Tensor) -> Value:
    """Whole numbers of values that are known up to rounding."""
    # No function of a whole number lies near where this is rounded the other way.
    scale = 3.1870103
    ops = graph.fd.ops
    rounded = ops.round(ops.mul(value, scale))
    bounded = torch.where(reference.abs() < 1e3, torch.round(reference * scale), 3.0)
    return ops.where(ops.lt(ops.abs(value), 1e3), rounded, 3.0), bounded


def function(graph: Graph, value: Value) -> Value:
    name = graph.choice(sorted(FUNCTIONS))
    operand, tensor = graph.wide(value)
    return whole(graph, getattr(graph.fd.ops, name)(operand), FUNCTIONS[name](tensor))


def function_of_two(graph: Graph, value: Value) -> Value | None:
    other = partner(graph, value)
    if other is None:
        return None
    reference = {
        "div": torch.div,
        "truediv": torch.div,
        "atan2": torch.atan2,
        "pow": torch.pow,
        "copysign": torch.copysign,
    }
    name = graph.choice(list(reference))
    (a, x), (b, y) = unsigned_zeros(graph, value), unsigned_zeros(graph, other)
    return whole(graph, getattr(graph.fd.ops, name)(a, b), reference[name](x, y))


def unsigned_zeros(graph: Graph, value: Value) -> Value:
    """In double precision, without -0: integers, which the reference has as doubles, know none."""
    operand, tensor = graph.wide(value)
    zero = graph.fd.ops.eq(operand, 0.0)
    return graph.fd.ops.where(zero, 0.0, operand), torch.where(tensor == 0, 0.0, tensor)


def partner(graph: Graph, value: Value) -> Value | None:
    """A value that can be combined with this one, element by element."""
    shape = value[1].shape
    other = graph.pick(
        lambda known: (
            known[1].dim() == len(shape)
            and all(a == b or 1 in (a, b) for a, b in zip(known[1].shape, shape, strict=True))
        )
    )
    sizes = zip(shape, other[1].shape, strict=True)
    return other if math.prod(map(max, sizes)) <= MOST_ELEMENTS else None


def binary(graph: Graph, value: Value) -> Value | None:
    other = partner(graph, value)
    return None if other is None else combine(graph, value, other)


def combine(graph: Graph, value: Value, other: Value) -> Value | None:
    ops = graph.fd.ops
    of_integers = ["bitwise_and", "bitwise_or", "bitwise_xor"]
    name = graph.choice(
        [
            *("add", "sub", "mul", "maximum", "minimum", "where"),
            *(of_integers if graph.keeps else ["lerp", "addcmul"]),
        ]
    )
    (a, x), (b, y) = graph.number(value), graph.number(other)
    if name == "where":
        return ops.where(ops.lt(a, b), a, b), torch.where(x < y, x, y)
    if name == "lerp":
        is_empty = x.numel() == 0 or y.numel() == 0
        bound = 0 if is_empty else x.abs().amax() + 3 * (y.abs().amax() + x.abs().amax())
        result = ops.lerp(a, b, 3.0)
        return (result, x + 3 * (y - x)) if bound <= EXACT[result.dtype()] else None
    if name == "addcmul":
        result = ops.addcmul(a, b, b, 2)
        return result, x + 2 * y * y
    return getattr(ops, name)(a, b), getattr(torch, name)(x, y)


def integer_operation(graph: Graph, value: Value) -> Value | None:
    other = partner(graph, value)
    if other is None:
        return None
    ops = graph.fd.ops
    name = graph.choice(["bitwise_and", "bitwise_or", "bitwise_xor", "gcd", "mod", "remainder"])
    dtype = graph.choice(INTEGRAL)
    a, b = ops.cast(value[0], dtype), ops.cast(other[0], dtype)
    x, y = value[1].long(), other[1].long()
    if name in ("mod", "remainder"):
        b, y = ops.add(ops.abs(b), 1), y.abs() + 1
    reference = torch.fmod if name == "mod" else getattr(torch, name)
    return getattr(ops, name)(a, b), reference(x, y).double()


COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]
LOGICAL = ["logical_or", "logical_and"]


def comparison(graph: Graph, value: Value) -> Value | None:
    other = partner(graph, value)
    if other is None:
        return None
    name = graph.choice([*COMPARISONS, *LOGICAL, "logical_not", "isfinite", "signbit"])
    ops = graph.fd.ops
    if name in ("logical_not", "isfinite", "signbit"):
        # The sign of a zero is not the same in all dtypes.
        operand = (
            value if name != "signbit" else (ops.sub(graph.wide(value)[0], 0.5), value[1] - 0.5)
        )
        return getattr(ops, name)(operand[0]), getattr(torch, name)(operand[1]).double()
    result = getattr(torch, name)(value[1], other[1])
    return getattr(ops, name)(value[0], other[0]), result.double()


def scalar(graph: Graph, value: Value) -> Value:
    operand, tensor = graph.number(value)
    ops = graph.fd.ops
    name = graph.choice(["add", "mul", "sub", "maximum", "clamp", "threshold", "fmod"])
    number = graph.choice([-3, 2, 1, 5])
    if name == "clamp":
        return ops.clamp(operand, -2, 3), tensor.clamp(-2, 3)
    if name == "threshold":
        return ops.threshold(operand, 1, number), torch.where(tensor > 1, tensor, float(number))
    reference = getattr(torch, name)(tensor, torch.tensor(float(number), dtype=tensor.dtype))
    return getattr(ops, name)(operand, number), reference


def cast(graph: Graph, value: Value) -> Value:
    return graph.fd.ops.cast(value[0], graph.choice([*FLOATING, *INTEGRAL])), value[1]


# ------------------------------------------------------------------ reductions and scans


def reduction(graph: Graph, value: Value) -> Value | None:
    tensor = value[1]
    name = graph.choice(["sum", "sum", "max", "min", *([] if graph.keeps else ["prod"])])
    dims = graph.subset(tensor.dim())
    keeps = graph.coin()
    ops = graph.fd.ops
    if name in ("max", "min"):
        if any(tensor.size(dim) == 0 for dim in dims):
            return None
        return getattr(ops, name)(value[0], dims, keeps), getattr(torch, "a" + name)(
            tensor, dims, keeps
        )
    if name == "prod":
        # Of signs: others leave every range.
        signs = ops.where(ops.lt(graph.wide(value)[0], 0.0), -1.0, 1.0)
        reference = torch.where(tensor < 0, -1.0, 1.0).double()
        for dim in reversed(dims):
            reference = reference.prod(dim, keepdim=True)
        if not keeps:
            reference = reference.squeeze(dims)
        return ops.prod(signs, dims, keeps), reference
    result = ops.sum(value[0], dims, keeps)
    if graph.keeps:
        return result, tensor.sum(dims, keeps)
    if float(tensor.abs().sum(dims).max() if tensor.numel() else 0) > EXACT[result.dtype()]:
        return None
    return result, tensor.sum(dims, keeps)


def normalization(graph: Graph, value: Value) -> Value:
    """A value less the largest, or the sum, along some of its dimensions."""
    tensor = value[1]
    operand, _ = graph.wide(value)
    dims = graph.subset(tensor.dim())
    ops = graph.fd.ops
    if graph.coin() or tensor.numel() == 0:
        return ops.sub(operand, ops.sum(operand, dims, True)), tensor - tensor.sum(dims, True)
    return ops.sub(operand, ops.max(operand, dims, True)), tensor - tensor.amax(dims, True)


def scan(graph: Graph, value: Value) -> Value:
    dim = graph.integer(0, value[1].dim() - 1)
    operand, tensor = graph.wide(value)
    name = graph.choice(["cumsum", "cumsum", "cummax", "cummin"])
    reference = getattr(torch, name)(tensor, dim)
    return (
        getattr(graph.fd.ops, name)(operand, dim),
        # Ours keeps the dtype of integers.
        reference.to(tensor.dtype) if name == "cumsum" else reference.values,
    )


# ------------------------------------------------------------------ shapes


def permute(graph: Graph, value: Value) -> Value:
    order = graph.permutation(value[1].dim())
    return graph.fd.ops.permute(value[0], order), value[1].permute(order)


def reshape(graph: Graph, value: Value) -> Value | None:
    """Two dimensions become one, or one becomes two, or all of them one."""
    shape = list(value[1].shape)
    dim = graph.integer(0, len(shape) - 1)
    factors = [factor for factor in range(2, shape[dim]) if shape[dim] % factor == 0]
    way = graph.choice(["merge", "split", "flat"])
    if way == "flat":
        shape = [math.prod(shape)]
    elif way == "merge" and dim > 0:
        shape[dim - 1 : dim + 1] = [shape[dim - 1] * shape[dim]]
    elif factors and len(shape) < MOST_DIMS:
        factor = graph.choice(factors)
        shape[dim : dim + 1] = [factor, shape[dim] // factor]
    if 0 in shape:
        return None
    return graph.fd.ops.reshape(value[0], shape), value[1].reshape(shape)


def expand(graph: Graph, value: Value) -> Value | None:
    sizes = [graph.choice([size, 5]) if size == 1 else size for size in value[1].shape]
    if math.prod(sizes) > MOST_ELEMENTS:
        return None
    return graph.fd.ops.expand(value[0], sizes), value[1].expand(sizes)


def insert(graph: Graph, value: Value) -> Value | None:
    if value[1].dim() >= MOST_DIMS:
        return None
    dim = graph.integer(0, value[1].dim())
    flags = [position == dim for position in range(value[1].dim() + 1)]
    return graph.fd.ops.broadcast(value[0], flags), value[1].unsqueeze(dim)


def remove(graph: Graph, value: Value) -> Value | None:
    dims = [dim for dim, size in enumerate(value[1].shape) if size == 1]
    if not dims:
        return None
    dim = graph.choice(dims)
    return graph.fd.ops.squeeze(value[0], [dim], True), value[1].squeeze(dim)


def pairwise(graph: Graph, value: Value) -> Value | None:
    """Every vector of a value with every one of it, of its transpose, or of something like it."""
    tensor = value[1]
    if tensor.dim() >= MOST_DIMS:
        return None
    dim = graph.integer(0, tensor.dim() - 1)
    if tensor.numel() * tensor.size(dim) > MOST_ELEMENTS:
        return None
    ops = graph.fd.ops

    def inserted(of: Value, position: int) -> Value:
        flags = [at == position for at in range(of[1].dim() + 1)]
        return ops.broadcast(of[0], flags), of[1].unsqueeze(position)

    one, other = inserted(value, dim), inserted(value, dim + 1)
    if tensor.dim() == 2 and tensor.size(0) == tensor.size(1) and graph.coin():
        transposed = ops.permute(value[0], [1, 0]), tensor.t()
        other = inserted(transposed, graph.integer(0, 2))
    return combine(graph, one, other)


def stride_order(graph: Graph, value: Value) -> Value:
    order = graph.permutation(value[1].dim())
    return graph.fd.ops.stride_order(value[0], order), value[1]


# ------------------------------------------------------------------ parts


def cut(graph: Graph, value: Value) -> Value:
    starts = [graph.integer(0, size // 2) for size in value[1].shape]
    pairs = zip(starts, value[1].shape, strict=True)
    ends = [graph.integer(min(start + 1, size), size) for start, size in pairs]
    parts = tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))
    return graph.fd.ops.slice(value[0], starts, ends), value[1][parts]


def pad(graph: Graph, value: Value) -> Value | None:
    value = graph.wide(value)
    widths = [graph.integer(0, 3) for _ in range(2 * graph.integer(1, value[1].dim()))]
    added = [before + after for before, after in zip(widths[::2], widths[1::2], strict=True)]
    added += [0] * (value[1].dim() - len(added))
    # Of many dimensions of one element it may make as much as no machine has.
    if math.prod(map(operator.add, reversed(value[1].shape), added)) > MOST_ELEMENTS:
        return None
    filler = graph.choice([0, 2] if graph.keeps else [0.0, 2.0])
    reference = torch.nn.functional.pad(value[1], widths, value=filler)
    return graph.fd.ops.pad(value[0], widths, filler), reference


def concatenate(graph: Graph, value: Value) -> Value:
    dim = graph.integer(0, value[1].dim() - 1)

    def fits(known: Value) -> bool:
        sizes = zip(known[1].shape, value[1].shape, strict=False)
        is_alike = known[1].dim() == value[1].dim() and known[1].dtype is value[1].dtype
        return is_alike and all(a == b for position, (a, b) in enumerate(sizes) if position != dim)

    parts = [value, *(graph.pick(fits) for _ in range(graph.integer(1, 2)))]
    if any(part[0].dtype() != value[0].dtype() for part in parts):
        parts = [graph.wide(part) for part in parts]
    return (
        graph.fd.ops.cat([part for part, _ in parts], dim),
        torch.cat([part for _, part in parts], dim),
    )


def upper(graph: Graph, value: Value) -> Value | None:
    if value[1].dim() < 2:
        return None
    diagonal = graph.integer(-2, 2)
    return graph.fd.ops.triu(value[0], diagonal), value[1].triu(diagonal)


def index(graph: Graph, value: Value) -> Value | None:
    tensor, ops = value[1], graph.fd.ops
    dim = graph.integer(0, tensor.dim() - 1)
    if tensor.numel() == 0:
        return None
    name = graph.choice(["index_select", "gather", "take_along_axis", "select"])
    if name == "select":
        position = graph.integer(0, tensor.size(dim) - 1)
        number = graph.fd.define_scalar(position, DataType.Int)
        return ops.select(value[0], number, dim), tensor.select(dim, position)
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
    value = graph.wide(value)
    tensor = value[1]
    if tensor.numel() == 0:
        return None
    dim = graph.integer(0, tensor.dim() - 1)
    shape = list(tensor.shape)
    shape[dim] = graph.integer(1, shape[dim])
    # No place twice: which of two values stays is not defined.
    order = torch.rand(tensor.shape, generator=graph.generator).argsort(dim)
    places = order.narrow(dim, 0, shape[dim]).contiguous()
    source = graph.new_number(shape, value)
    numbers = graph.declare(places)
    return (
        graph.fd.ops.scatter(value[0], numbers, source[0], dim),
        tensor.scatter(dim, places, source[1].to(tensor.dtype)),
    )


# ------------------------------------------------------------------ others


def order(graph: Graph, value: Value) -> Value | None:
    value = graph.wide(value)
    tensor, ops = value[1], graph.fd.ops
    dim = graph.integer(0, tensor.dim() - 1)
    if tensor.numel() == 0:
        return None
    descends = graph.coin()
    if graph.coin():
        count = graph.integer(1, tensor.size(dim))
        number = graph.fd.define_scalar(count, DataType.Int)
        return (
            ops.topk(value[0], number, dim, descends, True)[0],
            tensor.topk(count, dim, descends, True)[0],
        )
    numbers = ops.argsort(value[0], dim, descends, True)
    return ops.take_along_axis(value[0], numbers, dim), tensor.sort(dim, descends)[0]


def product(graph: Graph, value: Value) -> Value | None:
    """A value times a new matrix."""
    value = graph.wide(value)
    tensor, ops = value[1], graph.fd.ops
    columns = graph.choice([1, 3, 8, 33])
    if tensor.dim() > 4 or tensor.numel() == 0:
        return None
    if tensor.numel() // tensor.size(-1) * columns > MOST_ELEMENTS:
        return None
    if float(tensor.abs().max()) * 4 * tensor.size(-1) > EXACT[DataType.Double]:
        return None
    if graph.coin():
        weight, weights = graph.new_number([columns, tensor.size(-1)], value)
        bias, biases = graph.new_number([columns], value)
        arguments = [bias] if graph.coin() else []
        result = torch.nn.functional.linear(tensor, weights, biases if arguments else None)
        return ops.linear(value[0], weight, *arguments), result
    matrix, matrices = graph.new_number([tensor.size(-1), columns], value)
    return ops.matmul(value[0], matrix), tensor @ matrices


def creation(graph: Graph, value: Value) -> Value:
    """A value and a tensor without operands."""
    ops, shape = graph.fd.ops, list(value[1].shape)
    name = graph.choice(["full", "iota", "uniform", "normal"])
    operand, tensor = graph.wide(value)
    if name == "iota" and shape[-1] > 0:
        if graph.coin():
            made = ops.iota(shape[-1], 1, 2, DataType.Int)
        else:
            made = ops.iota(shape[-1], 1.0, 2.0, DataType.Float)
        return ops.add(operand, made), tensor + torch.arange(shape[-1]) * 2 + 1
    if name in ("full", "iota"):
        return ops.add(operand, ops.full(shape, 3, DataType.Float)), tensor + 3
    # Of no width: all numbers are the lowest one, the mean.
    made = ops.uniform(2.0, 2.0, shape) if name == "uniform" else ops.normal(2.0, 0.0, shape)
    return ops.add(operand, made), tensor + 2


KINDS: list[Callable[[Graph, Value], Value | None]] = [
    *(unary, function, function_of_two, binary, binary, integer_operation, comparison, scalar),
    *(cast, reduction, reduction, reduction, normalization, scan),
    *(permute, permute, reshape, reshape, expand, insert, remove, pairwise, pairwise, stride_order),
    *(cut, pad, concatenate, concatenate, upper, index, update, order, product, creation),
]

KEEPING: list[Callable[[Graph, Value], Value | None]] = [
    *(unary, binary, binary, reduction, reduction, scan),
    *(permute, permute, reshape, reshape, expand, insert, remove, pairwise, stride_order),
    *(cut, pad, concatenate, upper, index, index, update, order),
]


def add_value(graph: Graph, kind: Callable[..., Value | None]) -> None:
    """Add the result of an operation to a graph, if it applies."""
    made = kind(graph, graph.pick(lambda value: value[1].dim() > 0))
    if made is None or made[1].numel() > MOST_ELEMENTS:
        return
    value, tensor = made
    if not graph.keeps:
        if not is_exact(made):
            return
        if tensor.numel() and float(tensor.abs().max()) > LARGEST:
            value, tensor = graph.fd.ops.fmod(value, 7.0), torch.fmod(tensor, 7.0)
    graph.values.append((value, tensor))


def add_values(graph: Graph, steps: int, kinds: Sequence[Callable[..., Value | None]]) -> None:
    """Add the results of some operations to a graph."""
    for _ in range(steps):
        add_value(graph, graph.choice(kinds))


def add_any(graph: Graph) -> None:
    """Add the results of some operations of any kinds to a graph."""
    kinds = KEEPING if graph.keeps else KINDS
    # Few kinds are more likely to meet than many.
    if graph.coin():
        kinds = [graph.choice(kinds) for _ in range(graph.integer(2, 6))]
    add_values(graph, graph.integer(1, 16), kinds)


def build(
    choices: Choices,
    device: str,
    keeps: bool = False,
    add: Callable[[Graph], None] = add_any,
) -> tuple[Graph, list[Value]]:
    """Return a random graph and those of its values that are outputs, the last one first."""
    with FusionDefinition() as fd:
        graph = Graph(choices, fd, device, keeps)
        for _ in range(graph.integer(1, 3)):
            graph.values.append(graph.new_input(graph.shape()))
        add(graph)
        results = [graph.values[-1], *(graph.pick() for _ in range(graph.integer(0, 2)))]
        for value, _ in results:
            fd.add_output(value)
    return graph, results


def source() -> str:
    """The text of this module, to see which operations it has."""
    return Path(__file__).read_text(encoding="utf-8")


def run(graph: Graph) -> list[torch.Tensor]:
    """Every scheduler must do what it accepted."""
    return list(graph.fd.execute(graph.inputs, _disable_options=["fallback"]))


def check(
    choices: Choices,
    device: str,
    keeps: bool = False,
    add: Callable[[Graph], None] = add_any,
) -> None:
    """Compare a random graph with torch."""
    graph, results = build(choices, device, keeps, add)
    for output, (_, reference) in zip(run(graph), results, strict=True):
        assert output.shape == reference.shape
        if keeps:
            assert output.dtype == reference.dtype
        assert torch.equal(output.to(reference.dtype).cpu(), reference), graph.fd


def check_all(seeds: Iterable[int], device: str, add: Callable[[Graph], None] = add_any) -> None:
    """Compare the random graphs of all of these seeds, and say which are wrong."""
    failed = []
    for seed in seeds:
        try:
            check(Seeded(seed), device, add=add)
        except (AssertionError, RuntimeError) as error:
            print(f"seed {seed}: {error}", flush=True)
            failed.append(seed)
    assert not failed
