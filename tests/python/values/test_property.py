"""Random fusions against torch in double precision.

Each example is a small program: inputs of random shapes, memory layouts and dtypes, then random
operations on what there is so far (element-wise with broadcast, views, casts, reductions and
normalizations), some of whose results become outputs. The same program is run by torch on inputs
in double precision, and is run twice by the fusion, the second time with other values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import torch
from fusion_testing import NVFUSER_DTYPES, define, widen
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nvfuser import DataType

FLOATING = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


# Functions whose slope is at most about one everywhere: errors of operands do not grow.
UNARY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "relu": torch.relu,
    "erf": torch.erf,
    "atan": torch.atan,
    "silu": torch.nn.functional.silu,
    "asinh": torch.asinh,
}
BINARY: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "add": torch.add,
    "sub": torch.sub,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
}
LAYOUTS = ["contiguous", "permuted", "strided", "expanded", "offset"]


@dataclasses.dataclass
class Input:
    """How an input is made."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    layout: str
    permutation: tuple[int, ...]
    expanded: tuple[bool, ...]

    def make(self, seed: int, device: str) -> torch.Tensor:
        generator = torch.Generator().manual_seed(seed)

        def values(shape: tuple[int, ...]) -> torch.Tensor:
            real = torch.rand(shape, generator=generator, dtype=torch.float64) * 2 - 1
            return real.to(device, self.dtype)

        if self.layout == "permuted":
            inverse = [self.permutation.index(dim) for dim in range(len(self.shape))]
            return values(tuple(self.shape[dim] for dim in self.permutation)).permute(inverse)
        if self.layout == "strided":
            whole = values(tuple(2 * size + 1 for size in self.shape))
            return whole[tuple(slice(1, None, 2) for _ in self.shape)]
        if self.layout == "expanded":
            pairs = zip(self.shape, self.expanded, strict=True)
            return values(tuple(1 if e else size for size, e in pairs)).expand(self.shape)
        if self.layout == "offset":
            return values((math.prod(self.shape) + 3,))[3:].view(self.shape)
        return values(self.shape)


@dataclasses.dataclass
class Step:
    """One operation: how it is written for both sides, and the error it adds."""

    text: str
    apply: Callable[..., Any]  # of (fd, *tensors)
    reference: Callable[..., torch.Tensor]
    operands: tuple[int, ...]


@dataclasses.dataclass
class Program:
    """Inputs, steps on values by number (inputs first), and the values that are returned."""

    inputs: list[Input]
    steps: list[Step]
    outputs: list[int]
    static_sizes: bool

    def __repr__(self) -> str:
        lines = [f"v{number} = {value}" for number, value in enumerate(self.inputs)]
        for number, step in enumerate(self.steps, len(self.inputs)):
            lines.append(f"v{number} = {step.text}")
        lines.append(f"return {', '.join(f'v{number}' for number in self.outputs)}")
        lines.append(f"static_sizes={self.static_sizes}")
        return "\n".join(lines)

    def define(self, fd: Any, *values: Any) -> list[Any]:
        known = list(values)
        for step in self.steps:
            known.append(step.apply(fd, *[known[number] for number in step.operands]))
        return [known[number] for number in self.outputs]

    def evaluate(self, values: list[torch.Tensor]) -> tuple[list[torch.Tensor], float]:
        """The outputs, and the largest value on the way to them."""
        known = [widen(value) for value in values]
        for step in self.steps:
            known.append(step.reference(*[known[number] for number in step.operands]))
        finite = [value[torch.isfinite(value)] for value in known]
        largest = max(float(value.abs().max()) if value.numel() else 0.0 for value in finite)
        return [known[number] for number in self.outputs], largest


@st.composite
def inputs(draw: st.DrawFn, shape: tuple[int, ...]) -> Input:
    """An input of `shape` or of a shape that broadcasts to it."""
    rank = draw(st.integers(0, len(shape))) if draw(st.booleans()) else len(shape)
    shape = shape[len(shape) - rank :]
    if draw(st.integers(0, 3)) == 0:
        shape = tuple(draw(st.sampled_from([size, 1])) for size in shape)
    return Input(
        shape=shape,
        dtype=draw(st.sampled_from(FLOATING)),
        layout=draw(st.sampled_from(LAYOUTS)),
        permutation=tuple(draw(st.permutations(range(rank)))),
        expanded=tuple(draw(st.booleans()) for _ in range(rank)),
    )


def broadcasts(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    pairs = zip(reversed(left), reversed(right), strict=False)
    return all(a == b or 1 in (a, b) for a, b in pairs)


def draw_unary(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    name = draw(st.sampled_from(sorted(UNARY)))
    return Step(
        f"{name}(v{number})", lambda fd, t: getattr(fd.ops, name)(t), UNARY[name], (number,)
    )


def draw_binary(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    left = draw(st.integers(0, len(shapes) - 1))
    fits = [number for number, shape in enumerate(shapes) if broadcasts(shape, shapes[left])]
    right = draw(st.sampled_from(fits))
    name = draw(st.sampled_from(sorted(BINARY)))
    return Step(
        f"{name}(v{left}, v{right})",
        lambda fd, a, b: getattr(fd.ops, name)(a, b),
        BINARY[name],
        (left, right),
    )


def draw_scalar(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    factor = draw(st.sampled_from([0.5, -1.0, 0.25, 1, -1]))
    return Step(
        f"v{number} * {factor}",
        lambda fd, t: fd.ops.mul(t, factor),
        lambda t: t * factor,
        (number,),
    )


def draw_where(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    # On the sign of an input: the same decision on both sides.
    number = draw(st.integers(0, len(shapes) - 1))
    return Step(
        f"where(v{number} >= 0, v{number}, v{number} * 0.5)",
        lambda fd, t: fd.ops.where(fd.ops.ge(t, 0.0), t, fd.ops.mul(t, 0.5)),
        lambda t: torch.where(t >= 0, t, t * 0.5),
        (number,),
    )


def draw_cast(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    dtype = draw(st.sampled_from(FLOATING))
    return Step(
        f"cast(v{number}, {dtype})",
        lambda fd, t: fd.ops.cast(t, NVFUSER_DTYPES[dtype]),
        lambda t: t,  # the reference does not round: the tolerance knows of the cast
        (number,),
    )


def draw_reduction(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step | None:
    numbers = [number for number, shape in enumerate(shapes) if shape]
    if not numbers:
        return None
    number = draw(st.sampled_from(numbers))
    rank = len(shapes[number])
    dims = draw(st.lists(st.integers(0, rank - 1), min_size=1, max_size=rank, unique=True))
    keepdim = draw(st.booleans())
    name = draw(st.sampled_from(["mean", "max", "min"]))
    count = math.prod(shapes[number][dim] for dim in dims)
    if count == 0 or name == "mean":

        def mean(fd: Any, t: Any) -> Any:
            wide = fd.ops.cast(t, DataType.Double)
            return fd.ops.mul(fd.ops.sum(wide, dims, keepdim), 1 / max(count, 1))

        def mean_reference(t: torch.Tensor) -> torch.Tensor:
            return t.sum(dims, keepdim=keepdim) / max(count, 1)

        return Step(f"mean(v{number}, {dims}, {keepdim})", mean, mean_reference, (number,))
    function = torch.amax if name == "max" else torch.amin
    return Step(
        f"{name}(v{number}, {dims}, {keepdim})",
        lambda fd, t: getattr(fd.ops, name)(t, dims, keepdim),
        lambda t: function(t, dims, keepdim=keepdim),
        (number,),
    )


def draw_softmax(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step | None:
    numbers = [number for number, shape in enumerate(shapes) if shape]
    if not numbers:
        return None
    number = draw(st.sampled_from(numbers))
    dim = draw(st.integers(0, len(shapes[number]) - 1))
    return Step(
        f"softmax(v{number}, {dim})",
        lambda fd, t: fd.ops.softmax(t, dim),
        lambda t: torch.softmax(t, dim),
        (number,),
    )


def draw_permute(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    dims = tuple(draw(st.permutations(range(len(shapes[number])))))
    return Step(
        f"permute(v{number}, {dims})",
        lambda fd, t: fd.ops.permute(t, dims),
        lambda t: t.permute(dims),
        (number,),
    )


def draw_broadcast(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step | None:
    numbers = [number for number, shape in enumerate(shapes) if len(shape) < 5]
    if not numbers:
        return None
    number = draw(st.sampled_from(numbers))
    position = draw(st.integers(0, len(shapes[number])))
    flags = [dim == position for dim in range(len(shapes[number]) + 1)]
    return Step(
        f"broadcast(v{number}, {flags})",
        lambda fd, t: fd.ops.broadcast(t, flags),
        lambda t: t.unsqueeze(position),
        (number,),
    )


def draw_reshape(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    shape = shapes[number]
    choices: list[tuple[int, ...]] = [(math.prod(shape),), (1, *shape), (*shape, 1)]
    for dim, size in enumerate(shape):
        if dim + 1 < len(shape):
            choices.append((*shape[:dim], size * shape[dim + 1], *shape[dim + 2 :]))
        for factor in (2, 3):
            if size and size % factor == 0:
                choices.append((*shape[:dim], factor, size // factor, *shape[dim + 1 :]))
    new = draw(st.sampled_from([choice for choice in choices if len(choice) <= 6]))
    return Step(
        f"reshape(v{number}, {new})",
        lambda fd, t: fd.ops.reshape(t, list(new)),
        lambda t: t.reshape(new),
        (number,),
    )


def draw_slice(draw: st.DrawFn, shapes: list[tuple[int, ...]]) -> Step:
    number = draw(st.integers(0, len(shapes) - 1))
    starts, ends = [], []
    for size in shapes[number]:
        bounds = sorted([draw(st.integers(0, size)), draw(st.integers(0, size))])
        whole = draw(st.booleans())
        starts.append(0 if whole else bounds[0])
        ends.append(size if whole else bounds[1])
    window = tuple(slice(start, end) for start, end in zip(starts, ends, strict=True))
    return Step(
        f"slice(v{number}, {starts}, {ends})",
        lambda fd, t: fd.ops.slice(t, starts, ends),
        lambda t: t[window],
        (number,),
    )


KINDS = [
    *(draw_unary, draw_unary, draw_binary, draw_binary, draw_scalar, draw_where, draw_cast),
    *(draw_reduction, draw_reduction, draw_softmax),
    *(draw_permute, draw_broadcast, draw_reshape, draw_slice),
]


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A program of 1 to 10 steps on 1 to 4 inputs."""
    sizes = st.sampled_from([1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33, 64, 65])
    shape = tuple(draw(st.lists(sizes, min_size=0, max_size=4)))
    while math.prod(shape) > 20_000:
        shape = shape[1:]
    if shape and draw(st.integers(0, 19)) == 0:
        position = draw(st.integers(0, len(shape) - 1))
        shape = (*shape[:position], 0, *shape[position + 1 :])
    declared = draw(st.lists(inputs(shape), min_size=1, max_size=4))
    values = [torch.zeros(value.shape) for value in declared]
    shapes = [tuple(value.shape) for value in values]
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 10))):
        step = draw(st.sampled_from(KINDS))(draw, shapes)
        if step is None:
            continue
        result = step.reference(*[values[number] for number in step.operands])
        if result.numel() > 100_000 or result.dim() > 6:
            continue
        steps.append(step)
        values.append(result)
        shapes.append(tuple(result.shape))
    last = len(values) - 1
    others = draw(st.lists(st.integers(0, last), max_size=2))
    return Program(declared, steps, [last, *others], draw(st.booleans()))


def tolerance(program: Program, dtype: torch.dtype) -> float:
    """Every step may round to the coarsest dtype around; no step makes an error larger."""
    used = [value.dtype for value in program.inputs] + [dtype]
    for step in program.steps:
        used += [cast for cast in FLOATING if step.text.endswith(f"{cast})")]
    # Operations compute in at least Float and return it, but SAME ones round to their input's type.
    eps = max(torch.finfo(value).eps for value in [*used, torch.float32])
    return eps * (2 + 2 * len(program.steps)) * 2


def check(program: Program, device: str) -> None:
    first = [value.make(seed, device) for seed, value in enumerate(program.inputs)]
    fd = define(program.define, first, program.static_sizes)
    for shift in (0, 100):
        values = [value.make(seed + shift, device) for seed, value in enumerate(program.inputs)]
        outputs = fd.execute(values)
        references, largest = program.evaluate(values)
        assert len(outputs) == len(references)
        for output, reference in zip(outputs, references, strict=True):
            assert output.shape == reference.shape
            bound = tolerance(program, output.dtype)
            # A difference of large values carries their error.
            torch.testing.assert_close(
                output.to(torch.float64),
                reference,
                atol=bound * max(1.0, largest),
                rtol=bound,
                equal_nan=True,
            )


@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(program=programs())
def test_random_fusions(program: Program, device: str) -> None:
    check(program, device)


@settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    layout=st.sampled_from(LAYOUTS),
    dtype=st.sampled_from(FLOATING),
    first=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    data=st.data(),
)
@example(layout="contiguous", dtype=torch.float32, first=[1, 1], data=None)
def test_one_fusion_takes_random_sizes(
    layout: str, dtype: torch.dtype, first: list[int], data: Any, device: str
) -> None:
    """Symbolic sizes: what was compiled for one set of sizes is right for the next ones."""
    rank = len(first)
    spec = Input(tuple(first), dtype, layout, tuple(reversed(range(rank))), (False,) * rank)
    x = spec.make(0, device)

    def body(fd: Any, t: Any) -> list[Any]:
        wide = fd.ops.cast(t, DataType.Double)
        total = fd.ops.sum(wide, [-1], True)
        return [fd.ops.sub(wide, total), fd.ops.max(wide, list(range(rank))), fd.ops.tanh(wide)]

    fd = define(body, [x])
    for turn in range(3):
        if turn:
            # Sizes of 1 are part of the declaration, others are not.
            sizes = st.integers(1, 60)
            if data is None:
                return
            new = tuple(1 if size == 1 else data.draw(sizes) for size in first)
            x = dataclasses.replace(spec, shape=new).make(turn, device)
        wide = x.double()
        references = [wide - wide.sum(-1, keepdim=True), wide.amax(), wide.tanh()]
        for output, reference in zip(fd.execute([x]), references, strict=True):
            torch.testing.assert_close(output, reference, atol=1e-12, rtol=1e-12)
