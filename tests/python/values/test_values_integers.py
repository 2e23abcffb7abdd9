"""Integers of 8 and 16 bits, and uint32, against torch: pairs, promotion, casts, wrapping."""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import (
    INTEGERS,
    NVFUSER_DTYPES,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
)

from nvfuser import DataType, FusionDefinition

BYTES = [torch.int8, torch.uint8]
# Those of which torch computes everything, and those that it hardly does more than store.
COMPUTED = [*BYTES, torch.int16]
STORED = [torch.uint16, torch.uint32]
NARROW = [*COMPUTED, *STORED]
REAL = [torch.float64, torch.float32, torch.float16, torch.bfloat16]


def every_value(dtype: torch.dtype, device: str) -> torch.Tensor:
    """All values; of 32 bits the bounds, those about the bound of int32, small and random ones."""
    info = torch.iinfo(dtype)
    if info.bits == 32:
        some = torch.randint(0, 1 << 32, (3000,), generator=torch.Generator())
        bounds = [start + i for start in (0, 1 << 16, 1 << 24, 1 << 31) for i in range(-40, 41)]
        values = torch.tensor([info.max - 1, info.max, *bounds, *some.tolist()])
        return values.to(dtype).to(device)
    return torch.arange(info.min, info.max + 1, dtype=torch.int64).to(dtype).to(device)


def every_pair(dtype: torch.dtype, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """All pairs of bytes; of wider integers the bounds, small and random ones."""
    if dtype in BYTES:
        values = every_value(dtype, device)
    else:
        info = torch.iinfo(dtype)
        some = torch.randint(info.min, info.max + 1, (200,), generator=torch.Generator())
        bounds = [info.min, info.min + 1, info.max - 1, info.max]
        small = range(max(info.min, -20), 21)
        values = torch.tensor([*bounds, *small, *some.tolist()], device=device)
    count = values.numel()
    return values.repeat_interleave(count).to(dtype), values.repeat(count).to(dtype)


def in_torch(function: Callable[..., torch.Tensor], *operands: torch.Tensor) -> torch.Tensor:
    """What torch makes of operands; of `STORED` in int64, wrapped around."""
    if operands[0].dtype in COMPUTED:
        return function(*operands)
    result = function(*(operand.long() for operand in operands))
    return result.to(operands[0].dtype) if result.dtype == torch.int64 else result


def equal(output: torch.Tensor, reference: torch.Tensor) -> None:
    assert output.dtype == reference.dtype
    torch.testing.assert_close(output, reference.to(output.device), rtol=0, atol=0)


# ------------------------------------------------------------------------ arithmetic

ANY = {
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "bitwise_and": torch.bitwise_and,
    "bitwise_or": torch.bitwise_or,
    "bitwise_xor": torch.bitwise_xor,
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "le": torch.le,
    "gt": torch.gt,
    "ge": torch.ge,
    "logical_and": torch.logical_and,
    "logical_or": torch.logical_or,
}
DIVISIONS = {
    "div": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "fmod": torch.fmod,
    "mod": torch.fmod,
    "remainder": torch.remainder,
}
SHIFTS = {
    "bitwise_left_shift": torch.bitwise_left_shift,
    "bitwise_right_shift": torch.bitwise_right_shift,
}


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
@pytest.mark.parametrize("name", ANY)
def test_every_pair(name: str, dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    reference = in_torch(ANY[name], a, b)
    equal(run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b]), reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions_of_every_pair(name: str, dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    nonzero = b.long() != 0
    # By int64: torch selects none of `STORED` on CUDA.
    a, b = a.long()[nonzero].to(dtype), b.long()[nonzero].to(dtype)
    # The widest quotient is computed in int64: torch leaves that of the lowest value by -1 open.
    reference = DIVISIONS[name](a.long(), b.long()).to(dtype)
    equal(run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b]), reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
@pytest.mark.parametrize("name", SHIFTS)
def test_shifts_by_any_count(name: str, dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    reference = in_torch(SHIFTS[name], a, b)
    equal(run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b]), reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_logical_right_shift(dtype: torch.dtype, device: str) -> None:
    width = torch.iinfo(dtype).bits
    a = every_value(dtype, device).repeat(width)
    b = torch.arange(width).repeat_interleave(a.numel() // width).to(device, dtype)
    output = run_one(lambda fd, x, y: fd.ops.logical_right_shift(x, y), [a, b])
    unsigned = a.long() & ((1 << width) - 1)
    equal(output, (unsigned >> b.long()).to(dtype))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_gcd(dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    # In the narrow types torch takes the lowest value for its own magnitude.
    reference = torch.gcd(a.long(), b.long()).to(dtype)
    equal(run_one(lambda fd, x, y: fd.ops.gcd(x, y), [a, b]), reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_lcm(dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    # In int64, which torch's product may leave for 32 bits: the divisor is taken off before.
    wide = (a.long().abs(), b.long().abs())
    divisor = torch.gcd(*wide).clamp(min=1)
    reference = (wide[0] // divisor * wide[1]).to(dtype)
    equal(run_one(lambda fd, x, y: fd.ops.lcm(x, y), [a, b]), reference)


def test_lcm_of_sizes(device: str) -> None:
    x = make_tensor((6, 10), torch.float32, device)

    def body(fd: FusionDefinition, t: Any) -> Any:
        return fd.ops.full([fd.ops.lcm(t.size(0), t.size(1))], 1.0, DataType.Float)

    assert run_one(body, [x]).shape == (30,)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_pow(dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)
    small = (b.long() >= 0) & (b.long() < 20)
    a, b = a.long()[small].to(dtype), b.long()[small].to(dtype)
    equal(run_one(lambda fd, x, y: fd.ops.pow(x, y), [a, b]), in_torch(torch.pow, a, b))


UNARY: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "abs": torch.abs,
    "neg": torch.neg,
    "sign": torch.sign,
    "relu": torch.relu,
    "bitwise_not": torch.bitwise_not,
    "logical_not": torch.logical_not,
    "signbit": torch.signbit,
    "ceil": torch.ceil,
    "isfinite": torch.isfinite,
    "set": torch.clone,
}


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
@pytest.mark.parametrize("name", UNARY)
def test_every_value(name: str, dtype: torch.dtype, device: str) -> None:
    x = every_value(dtype, device)
    equal(run_one(lambda fd, t: getattr(fd.ops, name)(t), [x]), in_torch(UNARY[name], x))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_a_chain_wraps_around_at_every_step(dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)

    def body(fd: FusionDefinition, x: Any, y: Any) -> list[Any]:
        product = fd.ops.mul(fd.ops.add(x, y), 3)
        return [
            fd.ops.bitwise_right_shift(product, 1),
            fd.ops.lt(product, x),
            fd.ops.cast(product, DataType.Float),
            fd.ops.cast(fd.ops.bitwise_not(product), DataType.Int),
            fd.ops.where(fd.ops.gt(product, y), product, fd.ops.neg(y)),
        ]

    outputs = run(body, [a, b])
    product = in_torch(lambda x, y: (x + y) * 3, a, b)
    references = [
        in_torch(lambda p: p >> 1, product),
        in_torch(torch.lt, product, a),
        product.float(),
        in_torch(torch.bitwise_not, product).long(),
        in_torch(lambda p, y: torch.where(p > y, p, -y), product, b),
    ]
    for output, reference in zip(outputs, references, strict=True):
        equal(output, reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_ternary(dtype: torch.dtype, device: str) -> None:
    a, b = every_pair(dtype, device)

    def body(fd: FusionDefinition, x: Any, y: Any) -> list[Any]:
        return [
            fd.ops.clamp(x, 3, 100),
            fd.ops.clamp(x, 5, None),
            fd.ops.threshold(x, 20, 7),
            fd.ops.addcmul(x, y, x, 2),
        ]

    outputs = run(body, [a, b])
    references = [
        in_torch(lambda x: x.clamp(3, 100), a),
        in_torch(lambda x: x.clamp(min=5), a),
        in_torch(lambda x: torch.nn.functional.threshold(x, 20, 7), a),
        in_torch(lambda x, y: torch.addcmul(x, y, x, value=2), a, b),
    ]
    for output, reference in zip(outputs, references, strict=True):
        equal(output, reference)


# ------------------------------------------------------------------------ promotion


@pytest.mark.parametrize(
    ("left", "right"),
    list(itertools.product([torch.bool, *INTEGERS], repeat=2)),
    ids=lambda d: dtype_id(d),
)
def test_promotion(left: torch.dtype, right: torch.dtype, device: str) -> None:
    a = make_tensor((50,), left, device, -90, 90)
    b = make_tensor((50,), right, device, -90, 90, seed=1)
    equal(run_one(lambda fd, x, y: fd.ops.add(x, y), [a, b]), a + b)
    equal(run_one(lambda fd, x, y: fd.ops.lt(x, y), [a, b]), a < b)


OPERATORS = [operator.add, operator.mul, operator.truediv, operator.floordiv, operator.mod]


@pytest.mark.parametrize("number", [True, 3, 2.5], ids=str)
@pytest.mark.parametrize("apply", OPERATORS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_python_numbers(
    dtype: torch.dtype, apply: Callable[[Any, Any], Any], number: Any, device: str
) -> None:
    x = make_tensor((50,), dtype, device, -90, 90)
    expected = torch.float32 if isinstance(number, float) else dtype
    if apply is operator.truediv:
        expected = torch.float32
    output = run_one(lambda fd, t: apply(t, number), [x])
    assert output.dtype == expected
    if apply in (operator.add, operator.mul):
        torch.testing.assert_close(output, in_torch(lambda t: apply(t, number), x))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_scalars_of_tensors_and_inputs(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((50,), dtype, device, -90, 90)
    zero_dim = torch.tensor(70, dtype=torch.int32, device=device)
    output = run_one(lambda fd, t, s, n: fd.ops.add(fd.ops.add(t, s), n), [x, zero_dim, 100])
    equal(output, in_torch(lambda t: t + zero_dim + 100, x))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_scalars_of_the_host(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((50,), dtype, device)
    scalar = torch.tensor(torch.iinfo(dtype).max, dtype=dtype)
    reference = in_torch(torch.add, x, scalar.to(device))
    equal(run_one(lambda fd, t, s: fd.ops.add(t, s), [x, scalar]), reference)


def test_a_byte_is_no_truth_value(device: str) -> None:
    x = torch.tensor([0, 1, 2, 255], dtype=torch.uint8, device=device)
    flags = x.bool()

    def body(fd: FusionDefinition, b: Any, t: Any) -> list[Any]:
        return [
            fd.ops.add(b, b),
            fd.ops.add(t, t),
            fd.ops.add(b, t),
            fd.ops.cast(b, DataType.Bool),
            fd.ops.cast(t, DataType.UInt8),
            fd.ops.bitwise_not(b),
            fd.ops.bitwise_not(t),
        ]

    outputs = run(body, [x, flags])
    references = [x + x, flags | flags, x + flags, flags, flags.to(torch.uint8), ~x, ~flags]
    for output, reference in zip(outputs, references, strict=True):
        equal(output, reference)
    fd = define(lambda fd, t: fd.ops.add(t, 1), [x])
    with pytest.raises(RuntimeError, match="dtype uint8_t, but got a tensor of dtype bool"):
        fd.execute([flags])


# ------------------------------------------------------------------------ constants


@pytest.mark.parametrize("name", ["add", "mul", "eq", "maximum"])
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        *((torch.int8, 128), (torch.int8, -129), (torch.uint8, 256), (torch.uint8, -256)),
        *((torch.int16, 1 << 15), (torch.uint16, 1 << 16), (torch.uint16, -1 << 16)),
        *((torch.uint32, 1 << 32), (torch.uint32, -1 << 32)),
    ],
)
def test_constants_out_of_range(name: str, dtype: torch.dtype, value: int, device: str) -> None:
    x = make_tensor((5,), dtype, device)
    with pytest.raises(RuntimeError, match=f"The constant {value} is out of the range of dtype"):
        run(lambda fd, t: getattr(fd.ops, name)(t, value), [x])


def test_negative_constants_wrap_around_with_bytes(device: str) -> None:
    x = every_value(torch.uint8, device)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        return [
            fd.ops.add(t, -1),
            fd.ops.mul(t, -255),
            fd.ops.eq(t, -1),
            fd.ops.where(t < 9, -1, t),
        ]

    references = [x + -1, x * -255, x == -1, torch.where(x < 9, -1, x)]
    for output, reference in zip(run(body, [x]), references, strict=True):
        equal(output, reference)
    with pytest.raises(RuntimeError, match="The constant -5 is out of the range of dtype uint8_t"):
        run(lambda fd, t: fd.ops.clamp(t, -5, 20), [x])


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_factories(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((300,), dtype, device)
    info, native = torch.iinfo(dtype), NVFUSER_DTYPES[dtype]

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        return [
            fd.ops.full([300], fd.define_scalar(info.max, native), native),
            fd.ops.full([300], fd.define_scalar(info.min, native), native),
            fd.ops.iota(300, 5, 3, native),
            t,
        ]

    highest, lowest, numbers, _ = run(body, [x])
    equal(highest, torch.full((300,), info.max, dtype=dtype))
    equal(lowest, torch.full((300,), info.min, dtype=dtype))
    equal(numbers, (torch.arange(300) * 3 + 5).to(dtype))


# ------------------------------------------------------------------------ casts


def cast_to(dtype: torch.dtype, fd: FusionDefinition, x: Any) -> Any:
    return fd.ops.cast(x, NVFUSER_DTYPES[dtype])


@pytest.mark.parametrize("target", [torch.bool, *INTEGERS, torch.uint64, *REAL], ids=dtype_id)
@pytest.mark.parametrize("source", NARROW, ids=dtype_id)
def test_casts_of_every_value(source: torch.dtype, target: torch.dtype, device: str) -> None:
    x = every_value(source, device)
    output = run_one(lambda fd, t: fd.ops.cast(t, NVFUSER_DTYPES[target]), [x])
    assert output.dtype == target
    assert torch.equal(output, x.to(target))


@pytest.mark.parametrize("target", NARROW, ids=dtype_id)
@pytest.mark.parametrize("source", [*INTEGERS, *REAL, torch.complex64], ids=dtype_id)
def test_casts_wrap_around(source: torch.dtype, target: torch.dtype, device: str) -> None:
    low = torch.iinfo(source).min if source in INTEGERS else -70000
    values = torch.randint(max(low, -70000), 70000, (3000,), generator=torch.Generator())
    if source.is_floating_point:
        values = values + torch.rand(3000, generator=torch.Generator(), dtype=torch.float64)
    x = values.to(source)
    x = x[torch.isfinite(x)].to(device)
    plain = x.real if source.is_complex else x
    body = functools.partial(cast_to, target)
    if source.is_complex:
        with pytest.warns(UserWarning, match="discards the imaginary part"):
            output = run_one(body, [x])
    else:
        output = run_one(body, [x])
    equal(output, plain.to(torch.int64).to(target))


@pytest.mark.parametrize("target", NARROW, ids=dtype_id)
def test_what_is_no_integer(target: torch.dtype, device: str) -> None:
    x = torch.tensor([float("nan"), -1.0, 2.9, -2.9], device=device)
    output = run_one(lambda fd, t: fd.ops.cast(t, NVFUSER_DTYPES[target]), [x])
    equal(output, torch.tensor([0, -1, 2, -2]).to(target))


@pytest.mark.parametrize("target", NARROW, ids=dtype_id)
def test_casts_of_scalars(target: torch.dtype, device: str) -> None:
    x = make_tensor((5,), torch.float64, device)
    native = NVFUSER_DTYPES[target]

    def body(fd: FusionDefinition, t: Any, s: Any, n: Any) -> list[Any]:
        cast = fd.ops.cast
        folded = cast(fd.define_scalar(70001.5, DataType.Double), native)
        # Sizes are computed on the host.
        count = cast(fd.ops.bitwise_and(cast(n, native), 15), DataType.Int)
        zeros = fd.ops.full([count], 0.0, DataType.Double)
        return [fd.ops.mul(t, cast(s, native)), fd.ops.mul(t, folded), zeros]

    outputs = run(body, [x, -70001.5, -70001])
    wrapped = torch.tensor([-70001, 70001]).to(target).tolist()
    torch.testing.assert_close(outputs[0], x * wrapped[0])
    torch.testing.assert_close(outputs[1], x * wrapped[1])
    assert outputs[2].numel() == (wrapped[0] & 15)


# ------------------------------------------------------------------------ tensors


@pytest.mark.parametrize("shape", [(7, 1003), (64, 4096), (4099,)], ids=str)
@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_reductions(dtype: torch.dtype, shape: tuple[int, ...], device: str) -> None:
    x = make_tensor(shape, dtype, device, torch.iinfo(dtype).min, torch.iinfo(dtype).max)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        last = [len(shape) - 1]
        return [
            fd.ops.sum(t, last),
            fd.ops.max(t, last),
            fd.ops.min(t, last),
            fd.ops.prod(t, last),
            fd.ops.sum(t, [0], dtype=NVFUSER_DTYPES[dtype]),
        ]

    wide = x.long()
    references = [
        wide.sum(-1),
        wide.amax(-1).to(dtype),
        wide.amin(-1).to(dtype),
        wide.prod(-1),
        wide.sum(0).to(dtype),
    ]
    for output, reference in zip(run(body, [x]), references, strict=True):
        equal(output, reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_empty_reductions(dtype: torch.dtype, device: str) -> None:
    x = torch.zeros((3, 0), dtype=dtype, device=device)
    total, product = run(lambda fd, t: [fd.ops.sum(t, [1]), fd.ops.prod(t, [1])], [x])
    equal(total, x.long().sum(1))
    equal(product, x.long().prod(1))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_scans(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((3, 700), dtype, device, torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    output = run_one(lambda fd, t: fd.ops.cumsum(t, 1), [x])
    # As nvFuser has it: the dtype stays.
    equal(output, x.long().cumsum(1).to(dtype))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_layouts_and_indices(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((37, 65), dtype, device, torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    index = torch.randint(0, 37, (20, 65), generator=torch.Generator()).to(device)
    rows = index[:, 0].contiguous()
    source = make_tensor((20, 65), dtype, device, seed=3)
    places = torch.rand((37, 65), generator=torch.Generator()).argsort(0)[:20].to(device)

    def body(fd: FusionDefinition, t: Any, i: Any, r: Any, s: Any, p: Any) -> list[Any]:
        return [
            fd.ops.permute(t, [1, 0]),
            fd.ops.cat([t, fd.ops.add(t, 1)], 1),
            fd.ops.slice(t, [3, 5], [30, 60]),
            fd.ops.pad(t, [1, 2], 7),
            fd.ops.gather(t, i, 0),
            fd.ops.index_select(t, r, 0),
            fd.ops.scatter(t, p, s, 0),
            fd.ops.reshape(t, [65, 37]),
        ]

    references = [
        x.t(),
        in_torch(lambda t: torch.cat([t, t + 1], 1), x),
        x[3:30, 5:60],
        in_torch(lambda t: torch.nn.functional.pad(t, (1, 2), value=7), x),
        in_torch(lambda t: t.gather(0, index), x),
        in_torch(lambda t: t.index_select(0, rows), x),
        in_torch(lambda t, s: t.scatter(0, places, s), x, source),
        x.reshape(65, 37),
    ]
    outputs = run(body, [x, index, rows, source, places])
    for output, reference in zip(outputs, references, strict=True):
        equal(output, reference)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
@pytest.mark.parametrize("order", ["rows", "columns"])
def test_transposed_operands(order: str, dtype: torch.dtype, device: str) -> None:
    x = make_tensor((130, 70), dtype, device, -100, 100)
    y = make_tensor((70, 130), dtype, device, -100, 100, seed=1).t()
    pair = [x, y] if order == "rows" else [y, x]
    equal(run_one(lambda fd, a, b: fd.ops.add(a, b), pair), in_torch(torch.add, x, y))


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_updates_in_place(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((1003,), dtype, device, torch.iinfo(dtype).min, torch.iinfo(dtype).max)
    expected = in_torch(lambda t: t * 3 + 1, x)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True, dtype=NVFUSER_DTYPES[dtype])
        fd.add_output(fd.ops.add(fd.ops.mul(t, 3), 1), t)
    fd.execute([x])
    equal(x, expected)


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_results_in_the_callers_memory(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((31,), dtype, device)
    out = torch.empty_like(x)
    fd = define(lambda fd, t: fd.ops.neg(t), [x])
    assert fd.execute([x], outputs=[out])[0] is out
    equal(out, in_torch(torch.neg, x))
    with pytest.raises(RuntimeError, match="but got one of dtype Bool"):
        fd.execute([x], outputs=[torch.empty(31, dtype=torch.bool, device=device)])


@pytest.mark.parametrize("dtype", NARROW, ids=dtype_id)
def test_misaligned_views(dtype: torch.dtype, device: str) -> None:
    memory = make_tensor((2000,), dtype, device, -100, 100)
    for start in (0, 1, 3, 8):
        x = memory[start : start + 1001]
        equal(run_one(lambda fd, t: fd.ops.add(t, 5), [x]), in_torch(lambda t: t + 5, x))


def test_integers_in_quantization(device: str) -> None:
    """What int8 is there for: scaled, rounded, and back."""
    x = make_tensor((8, 600), torch.float32, device, -3, 3)

    def body(fd: FusionDefinition, t: Any) -> list[Any]:
        scale = fd.ops.div(
            fd.ops.max(fd.ops.abs(t), [1], keepdim=True), fd.define_scalar(127.0, DataType.Double)
        )
        rounded = fd.ops.clamp(fd.ops.round(fd.ops.div(t, scale)), -127.0, 127.0)
        quantized = fd.ops.cast(rounded, DataType.Int8)
        return [quantized, fd.ops.mul(fd.ops.cast(quantized, DataType.Float), scale)]

    quantized, back = run(body, [x])
    scale = x.abs().amax(1, keepdim=True) / 127
    equal(quantized, (x / scale).round().clamp(-127, 127).to(torch.int8))
    torch.testing.assert_close(back, quantized.float() * scale)
