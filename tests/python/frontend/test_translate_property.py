"""Random fusions, printed and saved: the copies are equal and compute the same.

No reference is needed for that, so everything is drawn that can be defined: all element-wise
operations on all dtypes, scalars and arithmetic of sizes, views with symbolic positions, composed
operations, orders of strides, in-place updates. What a definition refuses is left out of it.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
from fusion_testing import NVFUSER_DTYPES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from round_trip import assert_round_trip, loaded_again, printed_again
from test_ops_definition import BINARY, UNARY

from nvfuser import DataType, FusionDefinition, TensorView, Val

SIZES = [2, 3, 4]
DTYPES = [
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn),
    *(torch.int64, torch.int32, torch.bool, torch.complex64, torch.complex128),
]
CASTS = [*(NVFUSER_DTYPES[dtype] for dtype in DTYPES), DataType.Index, DataType.Float8_e5m2]
SCALARS: list[tuple[DataType, Any]] = [
    (DataType.Int, 2),
    (DataType.Int32, 1),
    (DataType.Index, 3),
    (DataType.Double, 0.5),
    (DataType.Float, -1.5),
    (DataType.Bool, True),
    (DataType.ComplexDouble, 1.0 - 2.0j),
]
NUMBERS = [
    *(0, 1, -3, True, False, 0.5, 1.0 / 3.0, -0.0, 1e-30, 1e300, 12345678.9),
    *(float("inf"), float("-inf"), float("nan"), 1.5 - 2.5j, complex(-0.0, float("inf"))),
]

# Random numbers differ from call to call.
FUNCTIONS = [name for name in UNARY if not name.startswith("rand")]


class Body:
    """The definition of a random fusion: what there is so far, and how a step adds to it."""

    def __init__(self, draw: Any) -> None:
        self.draw = draw
        self.tensors: list[TensorView] = []
        self.scalars: list[Val] = []

    def chance(self, one_in: int) -> bool:
        return bool(self.draw(st.integers(1, one_in)) == 1)

    def tensor(self) -> TensorView:
        return self.draw(st.sampled_from(self.tensors))

    def number(self) -> Any:
        return self.draw(st.sampled_from([*self.scalars, *NUMBERS]))

    def operand(self) -> Any:
        return self.number() if self.chance(3) else self.tensor()

    def extent(self) -> Any:
        """A number of elements, small but perhaps symbolic."""
        sizes = [size for tensor in self.tensors for size in tensor.shape()]
        integers = [scalar for scalar in self.scalars if scalar.dtype() == DataType.Int]
        return self.draw(st.sampled_from([*SIZES, 0, 1, *sizes, *integers]))

    def dims(self, tensor: TensorView) -> list[int]:
        positions = st.integers(0, max(0, tensor.ndim - 1))
        return self.draw(st.lists(positions, min_size=1, max_size=3, unique=True))

    def order(self, tensor: TensorView) -> list[int]:
        return self.draw(st.permutations(range(tensor.ndim)))

    # Steps. Each returns new values, or raises what the definition refuses.

    def step(self, fd: FusionDefinition) -> None:
        kind = self.draw(st.sampled_from(sorted(name for name in dir(self) if name[:3] == "do_")))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            result = getattr(self, kind)(fd.ops)
        for value in result if isinstance(result, (list, tuple)) else [result]:
            if not isinstance(value, TensorView):
                self.scalars.append(value)
            elif value.ndim <= 5:
                self.tensors.append(value)

    def do_unary(self, ops: Any) -> Any:
        return getattr(ops, self.draw(st.sampled_from(FUNCTIONS)))(self.operand())

    def do_binary(self, ops: Any) -> Any:
        return getattr(ops, self.draw(st.sampled_from(BINARY)))(self.operand(), self.operand())

    def do_binary_of_one(self, ops: Any) -> Any:
        tensor = self.tensor()
        return getattr(ops, self.draw(st.sampled_from(BINARY)))(tensor, tensor)

    def do_ternary(self, ops: Any) -> Any:
        name = self.draw(st.sampled_from(["clamp", "threshold", "lerp", "where", "addcmul"]))
        operands = [self.operand(), self.operand(), self.operand()]
        if name == "clamp":
            operands = [self.tensor(), None if self.chance(3) else self.number(), self.number()]
        elif name == "threshold":
            operands = [self.tensor(), self.number(), self.number()]
        elif name == "where":
            operands[0] = ops.gt(self.tensor(), 0.5)
        elif name == "addcmul":
            operands.append(self.number())
        return getattr(ops, name)(*operands)

    def do_arithmetic_of_sizes(self, ops: Any) -> Any:
        name = self.draw(st.sampled_from(["add", "sub", "mul", "maximum", "truediv", "lt"]))
        return getattr(ops, name)(self.extent(), self.extent())

    def do_scalar(self, ops: Any) -> Any:
        name = self.draw(st.sampled_from(BINARY))
        scalar = getattr(ops, name)(self.number(), self.number())
        # So that an output depends on it.
        return [scalar, ops.mul(self.tensor(), scalar)]

    def do_ternary_of_scalars(self, ops: Any) -> Any:
        name = self.draw(st.sampled_from(["lerp", "where", "addcmul"]))
        operands = [self.number() for _ in range(4 if name == "addcmul" else 3)]
        if name == "where":
            operands[0] = ops.gt(operands[0], 0.5)
        scalar = getattr(ops, name)(*operands)
        return [scalar, ops.mul(self.tensor(), scalar)]

    def do_cast(self, ops: Any) -> Any:
        return ops.cast(self.operand(), self.draw(st.sampled_from(CASTS)))

    def do_gelu_tanh(self, ops: Any) -> Any:
        return ops.gelu(self.tensor(), approximate="tanh")

    def do_complex(self, ops: Any) -> Any:
        tensor = self.tensor()
        return ops.complex(tensor, tensor)

    def do_reduction(self, ops: Any) -> Any:
        tensor = self.tensor()
        name = self.draw(st.sampled_from(["sum", "prod", "max", "min"]))
        return getattr(ops, name)(tensor, self.dims(tensor), self.chance(2))

    def do_statistics(self, ops: Any) -> Any:
        tensor = self.tensor()
        name = self.draw(st.sampled_from(["var", "var_mean", "welford"]))
        arguments = [] if name == "welford" else [self.draw(st.integers(0, 2)), self.chance(2)]
        return getattr(ops, name)(tensor, self.dims(tensor), *arguments)

    def do_normalization(self, ops: Any) -> Any:
        tensor = self.tensor()
        name = self.draw(st.sampled_from(["softmax", "log_softmax", "layer_norm", "rms_norm"]))
        return getattr(ops, name)(tensor, -1 if "soft" in name else tensor.shape()[-1:])

    def do_broadcast(self, ops: Any) -> Any:
        tensor = self.tensor()
        flags = [False] * tensor.ndim
        flags.insert(self.draw(st.integers(0, tensor.ndim)), True)
        return ops.broadcast(tensor, flags)

    def do_expand(self, ops: Any) -> Any:
        tensor = self.tensor()
        flags = [True] + [False] * tensor.ndim
        return ops.expand(ops.broadcast(tensor, flags), [self.extent(), *[-1] * tensor.ndim])

    def do_expand_symbolic(self, ops: Any) -> Any:
        tensor = self.tensor()
        return ops.expand(tensor, [self.extent() for _ in range(tensor.ndim)])

    def do_squeeze(self, ops: Any) -> Any:
        tensor = self.tensor()
        return ops.squeeze(tensor, self.dims(tensor), self.chance(2))

    def do_reshape(self, ops: Any) -> Any:
        tensor = self.tensor()
        if self.chance(2):
            return ops.reshape(tensor, [-1])
        sizes = tensor.shape()
        return ops.reshape(tensor, [*sizes[2:], self.extent(), -1])

    def do_permute(self, ops: Any) -> Any:
        tensor = self.tensor()
        return ops.permute(tensor, self.order(tensor))

    def do_stride_order(self, ops: Any) -> Any:
        tensor = self.tensor()
        return ops.stride_order(tensor, self.order(tensor))

    def do_slice(self, ops: Any) -> Any:
        tensor = self.tensor()
        starts, ends = [], []
        for size in tensor.shape():
            starts.append(self.draw(st.sampled_from([0, 0, 1, self.extent()])))
            ends.append(self.draw(st.sampled_from([size, size, 3, -1, ops.sub(size, 1)])))
        return ops.slice(tensor, starts, ends)

    def do_pad(self, ops: Any) -> Any:
        tensor = self.tensor()
        widths = [self.draw(st.sampled_from([0, 1, 2, -1, self.extent()])) for _ in range(2)]
        return ops.pad(tensor, widths, None if self.chance(2) else self.number())

    def do_cat(self, ops: Any) -> Any:
        tensors = [self.tensor() for _ in range(self.draw(st.integers(1, 3)))]
        return ops.cat(
            tensors if self.chance(2) else tensors[:1] * 2, self.draw(st.integers(-1, 1))
        )

    def do_full(self, ops: Any) -> Any:
        shape = [self.extent() for _ in range(self.draw(st.integers(0, 3)))]
        return ops.full(shape, self.number(), self.draw(st.sampled_from(CASTS)))

    def do_iota(self, ops: Any) -> Any:
        start, step = (None if self.chance(2) else self.number() for _ in range(2))
        return ops.iota(self.extent(), start, step, self.draw(st.sampled_from(CASTS)))

    def do_triu(self, ops: Any) -> Any:
        return ops.triu(self.tensor(), self.draw(st.integers(-2, 2)))


def define_random(draw: Any) -> tuple[FusionDefinition, list[Any]]:
    """Return a random fusion with inputs for it."""
    body = Body(draw)
    inputs: list[Any] = []
    with FusionDefinition() as fd:
        for seed in range(draw(st.integers(1, 3))):
            if body.chance(2):
                dtype, value = draw(st.sampled_from(SCALARS))
                body.scalars.append(fd.define_scalar(dtype=dtype))
                inputs.append(value)
            shape = draw(st.lists(st.sampled_from([*SIZES, 1, 0]), max_size=3))
            generator = torch.Generator().manual_seed(seed)
            values = torch.rand(tuple(shape), generator=generator, dtype=torch.float64) * 4 - 1
            tensor = values.to(draw(st.sampled_from(DTYPES)))
            layout = draw(st.sampled_from(["contiguous", "permuted", "expanded"]))
            if layout == "permuted":
                tensor = tensor.permute(draw(st.permutations(range(tensor.dim()))))
            elif layout == "expanded":
                tensor = tensor.unsqueeze(0).expand(3, *shape)
            body.tensors.append(fd.from_pytorch(tensor, static_sizes=body.chance(3)))
            inputs.append(tensor)
        for _ in range(draw(st.integers(1, 8))):
            try:
                body.step(fd)
            except (RuntimeError, TypeError, IndexError):
                continue
        for _ in range(draw(st.integers(1, 3))):
            fd.add_output(body.tensor())
        if body.chance(4):
            # Written into an input: a value of its shape and dtype.
            target = fd.fusion.inputs()[-1]
            fd.add_output(fd.ops.set(target), target)
    return fd, inputs


def same_layout(value: Any) -> Any:
    """Return a copy of a tensor, of its strides, too."""
    if not isinstance(value, torch.Tensor):
        return value
    memory = value.untyped_storage().clone()
    return value.new_empty(0).set_(memory, value.storage_offset(), value.size(), value.stride())


def run(fd: FusionDefinition, inputs: list[Any]) -> list[torch.Tensor] | None:
    """Return the outputs for copies of `inputs`, None where their sizes do not fit the fusion."""
    try:
        return fd.execute([same_layout(value) for value in inputs])
    except RuntimeError:
        return None


@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_random_fusions_are_printed_and_saved(data: Any) -> None:
    fd, _ = define_random(data.draw)
    assert_round_trip(fd)


@settings(
    max_examples=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_copies_compute_the_same(data: Any) -> None:
    fd, inputs = define_random(data.draw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        copies = [printed_again(fd), loaded_again(fd)]
    expected = run(fd, inputs)
    for copy in copies:
        outputs = run(copy, inputs)
        assert (outputs is None) == (expected is None)
        for output, reference in zip(outputs or [], expected or [], strict=True):
            assert output.stride() == reference.stride()
            assert output.dtype == reference.dtype
            bits = [tensor.flatten().clone().view(torch.uint8) for tensor in (output, reference)]
            assert torch.equal(*bits)
