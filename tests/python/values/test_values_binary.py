"""Binary operations against torch in double precision: values, promotion, scalars, operators."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from fusion_testing import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    as_default,
    as_float,
    assert_matches,
    dtype_id,
    make_tensor,
    run_one,
    widen,
)

from nvfuser import DataType


class Case(NamedTuple):
    """An operation, its reference, how dtypes follow, on which types, and the divisor's range."""

    name: str
    reference: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    rule: str  # default, float, bool, bitwise, integer
    types: str
    positive: bool = False  # whether the right operand must be
    rtol: float | None = None


def truncated_division(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    if a.is_floating_point() or a.is_complex():
        return a / b
    return torch.div(a, b, rounding_mode="trunc")


def logical_right_shift(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    width = torch.iinfo(a.dtype).bits
    shifted = [
        ((x % (1 << width)) >> n if n < width else 0)
        for x, n in zip(a.flatten().tolist(), b.flatten().tolist(), strict=True)
    ]
    most = torch.iinfo(a.dtype).max
    wrapped = [x - (1 << width) if x > most else x for x in shifted]
    return torch.tensor(wrapped, dtype=a.dtype, device=a.device).reshape(a.shape)


CASES = [
    Case("add", torch.add, "default", "ifc"),
    Case("atan2", torch.atan2, "float", "if"),
    Case("bitwise_and", torch.bitwise_and, "bitwise", "bi"),
    Case("bitwise_left_shift", torch.bitwise_left_shift, "integer", "i", positive=True),
    Case("bitwise_or", torch.bitwise_or, "bitwise", "bi"),
    Case("bitwise_right_shift", torch.bitwise_right_shift, "integer", "i", positive=True),
    Case("bitwise_xor", torch.bitwise_xor, "bitwise", "bi"),
    Case("copysign", torch.copysign, "float", "if"),
    Case("div", truncated_division, "default", "ifc", positive=True),
    Case("eq", torch.eq, "bool", "bifc"),
    Case("fmod", torch.fmod, "default", "if", positive=True),
    Case("gcd", torch.gcd, "integer", "i"),
    Case("ge", torch.ge, "bool", "bif"),
    Case("gt", torch.gt, "bool", "bif"),
    Case("lcm", torch.lcm, "integer", "i"),
    Case("le", torch.le, "bool", "bif"),
    Case("logical_and", torch.logical_and, "bool", "bifc"),
    Case("logical_or", torch.logical_or, "bool", "bifc"),
    Case("logical_right_shift", logical_right_shift, "integer", "i", positive=True),
    Case("lt", torch.lt, "bool", "bif"),
    Case("maximum", torch.maximum, "default", "bif"),
    Case("minimum", torch.minimum, "default", "bif"),
    Case("mod", torch.fmod, "integer", "i", positive=True),
    Case("mul", torch.mul, "default", "ifc"),
    Case("ne", torch.ne, "bool", "bifc"),
    Case("pow", torch.pow, "default", "if", positive=True, rtol=2e-6),
    Case("remainder", torch.remainder, "default", "if", positive=True),
    Case("sub", torch.sub, "default", "ifc"),
    Case("truediv", torch.true_divide, "float", "bifc", positive=True),
]
BY_NAME = {case.name: case for case in CASES}
TYPES = {"b": [torch.bool], "i": INTEGERS, "f": FLOATS, "c": COMPLEX}


def result_dtype(rule: str, dtype: torch.dtype) -> torch.dtype:
    if rule == "float":
        return as_float(dtype)
    return torch.bool if rule == "bool" else as_default(dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(case.name, dtype, id=f"{case.name}-{dtype_id(dtype)}")
        for case in CASES
        for kind in case.types
        for dtype in TYPES[kind]
    ],
)
def test_values(name: str, dtype: torch.dtype, device: str) -> None:
    case = BY_NAME[name]
    a = make_tensor((5, 37), dtype, device, -9, 9)
    b = make_tensor((5, 37), dtype, device, 1 if case.positive else -9, 9, seed=1)
    if name == "truediv" and dtype is torch.bool:
        b = torch.ones_like(b)
    if name == "pow" and dtype.is_floating_point:
        a = a.abs() + 0.25
    if name == "eq":
        b[0] = a[0]
    output = run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b])
    wide = [widen(a), widen(b)]
    if case.rule == "float":
        wide = [x if x.is_complex() else x.to(torch.float64) for x in wide]
    expected = result_dtype(case.rule, dtype)
    rtol = {torch.float64: 1e-12}.get(expected, case.rtol) if case.rtol else None
    assert_matches(output, case.reference(*wide), expected, rtol=rtol)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
@pytest.mark.parametrize(
    "name", ["maximum", "minimum", "eq", "ne", "lt", "ge", "add", "div", "mul"]
)
def test_special_values(name: str, dtype: torch.dtype, device: str) -> None:
    values = [0.0, -0.0, 1.0, float("inf"), float("-inf"), float("nan")]
    x = torch.tensor(values, dtype=dtype, device=device)
    a, b = (t.flatten() for t in torch.meshgrid(x, x, indexing="ij"))
    a, b = a.contiguous(), b.contiguous()
    output = run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b])
    reference = BY_NAME[name].reference(widen(a), widen(b))
    assert_matches(output, reference, result_dtype(BY_NAME[name].rule, dtype))


@pytest.mark.parametrize("name", ["div", "mod", "fmod", "remainder", "floor_div"])
@pytest.mark.parametrize("dtype", INTEGERS, ids=dtype_id)
def test_signs_of_integer_division(name: str, dtype: torch.dtype, device: str) -> None:
    a = torch.tensor([7, 7, -7, -7, 6, -6, 0], dtype=dtype, device=device)
    b = torch.tensor([3, -3, 3, -3, 3, 3, -5], dtype=dtype, device=device)
    operation = operator.floordiv if name == "floor_div" else None
    output = run_one(
        lambda fd, x, y: operation(x, y) if operation else getattr(fd.ops, name)(x, y), [a, b]
    )
    reference = {
        "div": truncated_division,
        "mod": torch.fmod,
        "fmod": torch.fmod,
        "remainder": torch.remainder,
        "floor_div": torch.floor_divide,
    }[name](a, b)
    assert_matches(output, reference, dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
def test_nextafter(dtype: torch.dtype, device: str) -> None:
    a = make_tensor((50,), dtype, device)
    b = make_tensor((50,), dtype, device, seed=1)
    a[:4] = torch.tensor([0.0, float("inf"), 1.0, float("nan")])
    b[:4] = torch.tensor([1.0, 0.0, 1.0, 1.0])
    output = run_one(lambda fd, x, y: fd.ops.nextafter(x, y), [a, b])
    torch.testing.assert_close(output, torch.nextafter(a, b), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
def test_copysign_of_zeros_and_nan(dtype: torch.dtype, device: str) -> None:
    numbers = [0.0, -0.0, 1.5, float("-inf"), float("nan"), -float("nan")]
    a = torch.tensor(numbers, dtype=dtype, device=device).repeat(len(numbers))
    b = torch.tensor(numbers, dtype=dtype, device=device).repeat_interleave(len(numbers))
    output = run_one(lambda fd, x, y: fd.ops.copysign(x, y), [a, b])
    assert torch.equal(torch.signbit(output), torch.signbit(b))
    assert torch.equal(output.abs().nan_to_num(), a.abs().nan_to_num())


def test_nextafter_of_integers_is_an_error(device: str) -> None:
    a = make_tensor((5,), torch.int64, device)
    with pytest.raises(
        RuntimeError, match="Promoted type must be single or double precision float"
    ):
        run_one(lambda fd, x: fd.ops.nextafter(x, x), [a])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=dtype_id)
def test_complex_from_parts(dtype: torch.dtype, device: str) -> None:
    a, b = make_tensor((7,), dtype, device), make_tensor((7,), dtype, device, seed=1)
    output = run_one(lambda fd, x, y: fd.ops.complex(x, y), [a, b])
    torch.testing.assert_close(output, torch.complex(a, b), rtol=0, atol=0)


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor"])
def test_bitwise_of_floats_is_an_error(name: str, device: str) -> None:
    a = make_tensor((5,), torch.float32, device)
    with pytest.raises(RuntimeError):
        run_one(lambda fd, x: getattr(fd.ops, name)(x, x), [a])


@pytest.mark.parametrize("name", ["gcd", "bitwise_left_shift"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bool], ids=dtype_id)
def test_integer_operations_of_other_types_are_errors(
    name: str, dtype: torch.dtype, device: str
) -> None:
    a = make_tensor((5,), dtype, device)
    with pytest.raises(RuntimeError):
        run_one(lambda fd, x: getattr(fd.ops, name)(x, x), [a])


# ------------------------------------------------------------------------ promotion

ALL = [torch.bool, *INTEGERS, *FLOATS, *COMPLEX]


@pytest.mark.parametrize("right", ALL, ids=dtype_id)
@pytest.mark.parametrize("left", ALL, ids=dtype_id)
def test_dtypes_of_two_tensors(left: torch.dtype, right: torch.dtype, device: str) -> None:
    a = make_tensor((6,), left, device)
    b = make_tensor((6,), right, device, seed=1)
    output = run_one(lambda fd, x, y: fd.ops.mul(x, y), [a, b])
    assert_matches(
        output, widen(a) * widen(b), as_default(torch.promote_types(left, right)), rtol=1e-5
    )


@pytest.mark.parametrize("scalar", [True, 3, 2.5, 1.5 - 2j], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("dtype", ALL, ids=dtype_id)
@pytest.mark.parametrize("constant", [True, False], ids=["constant", "input"])
def test_dtypes_of_tensor_and_scalar(
    dtype: torch.dtype, scalar: complex, constant: bool, device: str
) -> None:
    a = make_tensor((6,), dtype, device)
    if constant:
        output = run_one(lambda fd, x: fd.ops.mul(x, scalar), [a])
    else:
        output = run_one(lambda fd, x, s: fd.ops.mul(x, s), [a, scalar])
    expected = torch.result_type(a, scalar)
    if isinstance(scalar, complex) and dtype in (torch.float16, torch.bfloat16):
        # torch has a complex type of half precision, from 2.14 on also one of bfloat16.
        expected = torch.complex64
    assert_matches(output, widen(a) * scalar, as_default(expected), rtol=1e-5)


def test_dtypes_of_zero_dim_tensors(device: str) -> None:
    a = make_tensor((6,), torch.float32, device)
    b = make_tensor((), torch.float64, device, seed=1)
    output = run_one(lambda fd, x, y: fd.ops.add(x, y), [a, b])
    assert_matches(output, widen(a) + b, torch.float32)
    c = make_tensor((6,), torch.int64, device)
    output = run_one(lambda fd, x, y: fd.ops.add(x, y), [c, b])
    assert_matches(output, c + b, torch.float64)


def test_uint64_wraps_around(device: str) -> None:
    a = torch.tensor([1, 2**63, 2**64 - 1], dtype=torch.uint64, device=device)
    b = torch.tensor([5, 2**63, 2], dtype=torch.uint64, device=device)
    output = run_one(lambda fd, x, y: fd.ops.add(x, y), [a, b])
    assert output.dtype is torch.uint64
    assert output.tolist() == [6, 0, 1]


@pytest.mark.parametrize("name", ["lt", "gt", "maximum", "div"])
def test_uint64_is_unsigned(name: str, device: str) -> None:
    a = torch.tensor([1, 2**63, 2**64 - 1, 7], dtype=torch.uint64, device=device)
    b = torch.tensor([2**63 + 5, 2, 3, 2], dtype=torch.uint64, device=device)
    output = run_one(lambda fd, x, y: getattr(fd.ops, name)(x, y), [a, b])
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    reference = {
        "lt": [x < y for x, y in pairs],
        "gt": [x > y for x, y in pairs],
        "maximum": [max(x, y) for x, y in pairs],
        "div": [x // y for x, y in pairs],
    }[name]
    assert output.tolist() == reference


@pytest.mark.parametrize("dtype", INTEGERS, ids=dtype_id)
def test_integers_wrap_around(dtype: torch.dtype, device: str) -> None:
    info = torch.iinfo(dtype)
    a = torch.tensor([info.max, info.min, info.min], dtype=dtype, device=device)
    b = torch.tensor([1, -1, 2], dtype=dtype, device=device)
    output = run_one(lambda fd, x, y: fd.ops.mul(fd.ops.add(x, y), 3), [a, b])
    torch.testing.assert_close(output, (a + b) * 3, rtol=0, atol=0)


# ------------------------------------------------------------------------ operators

OPERATORS = {
    "+": (operator.add, torch.float32),
    "-": (operator.sub, torch.float32),
    "*": (operator.mul, torch.float32),
    "/": (operator.truediv, torch.float32),
    "//": (operator.floordiv, torch.float32),
    "%": (operator.mod, torch.float32),
    "**": (operator.pow, torch.float32),
    "<": (operator.lt, torch.float32),
    "<=": (operator.le, torch.float32),
    ">": (operator.gt, torch.float32),
    ">=": (operator.ge, torch.float32),
    "&": (operator.and_, torch.int64),
    "|": (operator.or_, torch.int64),
    "^": (operator.xor, torch.int64),
    "int/": (operator.truediv, torch.int64),
    "int//": (operator.floordiv, torch.int64),
    "int%": (operator.mod, torch.int64),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_of_python(name: str, device: str) -> None:
    operation, dtype = OPERATORS[name]
    a = make_tensor((40,), dtype, device, 1, 9)
    b = make_tensor((40,), dtype, device, 1, 5, seed=1)
    output = run_one(lambda fd, x, y: operation(x, y), [a, b])
    reference = operation(widen(a), widen(b))
    expected = torch.float32 if reference.is_floating_point() else reference.dtype
    assert_matches(output, reference, expected)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_operators_with_a_number(name: str, side: str, device: str) -> None:
    operation, dtype = OPERATORS[name]
    number = 3 if dtype is torch.int64 else 2.5
    a = make_tensor((40,), dtype, device, 1, 9)

    def apply(x):
        return operation(number, x) if side == "left" else operation(x, number)

    output = run_one(lambda fd, x: apply(x), [a])
    reference = apply(widen(a))
    expected = torch.float32 if reference.is_floating_point() else reference.dtype
    assert_matches(output, reference, expected)


def test_operators_of_scalars(device: str) -> None:
    a = make_tensor((4,), torch.float64, device)
    output = run_one(lambda fd, x, s, n: x * (s + 1.0) ** 2 - n // 2, [a, 1.5, 7])
    assert_matches(output, a * 2.5**2 - 3, torch.float64)


def test_equality_is_identity() -> None:
    from nvfuser import FusionDefinition

    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        y = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        assert x == x
        assert (x == y) is False
        assert x != y
        assert len({x, y, x}) == 2
        fd.add_output(fd.ops.add(x, y))
