"""Unary operations against torch in double precision: values, result dtypes, special values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import pytest
import torch
from fusion_testing import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    REDUCED,
    as_default,
    as_float,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)
from interface import UNARY


class Case(NamedTuple):
    """An operation, its reference, how dtypes follow, where it is sampled, on which types."""

    name: str
    reference: Callable[[torch.Tensor], torch.Tensor]
    rule: str  # same, float, default, bool, logic
    low: float
    high: float
    types: str  # of b (bool), i (integers), f (floating-point), c (complex)
    special: bool = True


def erfcinv(x: torch.Tensor) -> torch.Tensor:
    return torch.special.erfinv(1 - x)


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


CASES = [
    Case("abs", torch.abs, "same", -4, 4, "ifc"),
    Case("acos", torch.acos, "float", -1, 1, "bifc"),
    Case("acosh", torch.acosh, "float", 1, 9, "ifc"),
    Case("asin", torch.asin, "float", -1, 1, "bifc"),
    Case("asinh", torch.asinh, "float", -9, 9, "bifc"),
    Case("atan", torch.atan, "float", -9, 9, "bifc"),
    Case("atanh", torch.atanh, "float", -0.99, 0.99, "fc"),
    Case("bitwise_not", torch.bitwise_not, "same", -100, 100, "bi"),
    Case("ceil", torch.ceil, "same", -4, 4, "if"),
    Case("cos", torch.cos, "float", -9, 9, "bifc"),
    Case("cosh", torch.cosh, "float", -9, 9, "bifc"),
    Case("erf", torch.erf, "float", -4, 4, "bif"),
    Case("erfc", torch.erfc, "float", -4, 4, "bif"),
    Case("erfcinv", erfcinv, "float", 0.05, 1.95, "f", special=False),
    Case("erfinv", torch.erfinv, "float", -0.99, 0.99, "f"),
    Case("exp", torch.exp, "float", -9, 9, "bifc"),
    Case("exp2", torch.exp2, "float", -9, 9, "bifc"),
    Case("expm1", torch.expm1, "float", -4, 4, "bifc"),
    Case("floor", torch.floor, "same", -4, 4, "if"),
    Case("frac", torch.frac, "same", -4, 4, "f"),
    Case("isfinite", torch.isfinite, "bool", -4, 4, "bifc"),
    Case("isinf", torch.isinf, "bool", -4, 4, "bifc"),
    Case("isnan", torch.isnan, "bool", -4, 4, "bifc"),
    Case("isneginf", torch.isneginf, "bool", -4, 4, "bif"),
    Case("isposinf", torch.isposinf, "bool", -4, 4, "bif"),
    Case("isreal", torch.isreal, "bool", -4, 4, "bifc"),
    Case("lgamma", torch.lgamma, "float", 0.1, 30, "if"),
    Case("log", torch.log, "float", 0.01, 30, "ifc"),
    Case("log10", torch.log10, "float", 0.01, 30, "ifc"),
    Case("log1p", torch.log1p, "float", -0.9, 30, "bifc"),
    Case("log2", torch.log2, "float", 0.01, 30, "ifc"),
    Case("logical_not", torch.logical_not, "bool", -1, 1, "bifc"),
    Case("neg", torch.neg, "default", -4, 4, "ifc"),
    Case("reciprocal", torch.reciprocal, "float", 0.2, 9, "ifc"),
    Case("relu", torch.relu, "same", -4, 4, "if"),
    Case("round", torch.round, "same", -4, 4, "if"),
    Case("rsqrt", torch.rsqrt, "float", 0.1, 9, "ifc"),
    Case("set", torch.clone, "same", -4, 4, "bifc"),
    Case("segment_set", torch.clone, "same", -4, 4, "bifc"),
    Case("sigmoid", torch.sigmoid, "float", -9, 9, "bif"),
    Case("sign", torch.sign, "same", -4, 4, "if", special=False),
    Case("signbit", torch.signbit, "bool", -4, 4, "if"),
    Case("silu", torch.nn.functional.silu, "same", -9, 9, "f"),
    Case("sin", torch.sin, "float", -9, 9, "bifc"),
    Case("sinh", torch.sinh, "float", -9, 9, "bifc"),
    Case("sqrt", torch.sqrt, "float", 0, 9, "bifc"),
    Case("tan", torch.tan, "float", -9, 9, "bifc"),
    Case("tanh", torch.tanh, "float", -4, 4, "bifc"),
    Case("trunc", torch.trunc, "same", -4, 4, "if"),
    # what the peer lacks
    Case("gelu", torch.nn.functional.gelu, "same", -4, 4, "f"),
]
BY_NAME = {case.name: case for case in CASES}

TYPES = {"b": [torch.bool], "i": INTEGERS, "f": FLOATS, "c": COMPLEX}


def result_dtype(rule: str, dtype: torch.dtype) -> torch.dtype:
    if rule == "float":
        return as_float(dtype)
    if rule == "default":
        return as_default(dtype)
    return torch.bool if rule == "bool" else dtype


def evaluate(case: Case, x: torch.Tensor) -> torch.Tensor:
    """The reference, in double precision where the operation computes real numbers."""
    if case.rule == "float" and not (x.is_floating_point() or x.is_complex()):
        return case.reference(x.to(torch.float64))
    return case.reference(widen(x))


def complex_tolerance(dtype: torch.dtype) -> dict[str, float]:
    # Near branch points the parts of a complex result cancel.
    return {"rtol": 1e-11, "atol": 1e-12} if dtype is torch.complex128 else {"rtol": 2e-5}


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
    x = make_tensor((5, 37), dtype, device, case.low, case.high)
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t), [x])
    expected = result_dtype(case.rule, dtype)
    if name == "abs" and dtype.is_complex:
        expected = torch.float32 if dtype is torch.complex64 else torch.float64
    tolerance = complex_tolerance(dtype) if dtype.is_complex and expected == dtype else {}
    if expected is torch.float64 and name in ("erfcinv", "erfinv", "lgamma"):
        tolerance = {"rtol": 1e-11, "atol": 1e-12}
    assert_matches(output, evaluate(case, x), expected, **tolerance)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, *REDUCED], ids=dtype_id)
@pytest.mark.parametrize(
    "name", [case.name for case in CASES if "f" in case.types and case.special]
)
def test_special_values(name: str, dtype: torch.dtype, device: str) -> None:
    case = BY_NAME[name]
    info = torch.finfo(dtype)
    x = torch.tensor(
        [
            *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 3.5),
            *(float("inf"), float("-inf"), float("nan")),
            *(info.tiny, -info.tiny, info.tiny / 4, info.max, info.min, info.eps),
        ],
        dtype=dtype,
        device=device,
    )
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t), [x])
    expected = result_dtype(case.rule, dtype)
    reference = evaluate(case, x)
    tolerance = {"rtol": 1e-11} if expected is torch.float64 else {}
    if name in ("erfc", "erfcinv"):
        tolerance["atol"] = info.tiny
    assert_matches(output, reference, expected, **tolerance)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_sign_of_zero_and_nan(dtype: torch.dtype, device: str) -> None:
    x = torch.tensor([0.0, -0.0, float("nan"), 2.0, -3.0], dtype=dtype, device=device)
    output = run_one(lambda fd, t: fd.ops.sign(t), [x])
    assert output.dtype == dtype
    assert output.tolist() == [0.0, 0.0, 0.0, 1.0, -1.0]


@pytest.mark.parametrize("name", [case.name for case in CASES if "f" in case.types])
def test_every_nan_of_bfloat16_stays_one(name: str, device: str) -> None:
    """Whatever its sign and digits are: what is computed of 16 bits is rounded without a check."""
    case = BY_NAME[name]
    codes = torch.cat([torch.arange(0x7F81, 0x8000), torch.arange(0xFF81, 0x10000)])
    x = codes.to(torch.uint16).view(torch.bfloat16).to(device)
    assert x.isnan().all()
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t), [x])
    if output.dtype.is_floating_point:
        torch.testing.assert_close(output.isnan(), evaluate(case, x).isnan())


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_gelu_tanh(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((3, 41), dtype, device)
    output = run_one(lambda fd, t: fd.ops.gelu(t, approximate="tanh"), [x])
    assert_matches(output, gelu_tanh(widen(x)), dtype)


@pytest.mark.parametrize("dtype", COMPLEX, ids=dtype_id)
def test_exp2_of_complex_infinities(dtype: torch.dtype, device: str) -> None:
    parts = [math.inf, -math.inf, math.nan, 0.0, 2.0]
    z = torch.tensor([complex(re, im) for re in parts for im in parts], dtype=dtype, device=device)
    output = run_one(lambda fd, t: fd.ops.exp2(t), [z])
    # One by one: torch's vectors differ from its scalars here.
    reference = torch.stack([torch.exp2(value) for value in widen(z).cpu()])
    assert_matches(output, reference, dtype, **complex_tolerance(dtype))


@pytest.mark.parametrize("name", ["real", "imag"])
@pytest.mark.parametrize("dtype", COMPLEX, ids=dtype_id)
def test_parts_of_complex(name: str, dtype: torch.dtype, device: str) -> None:
    x = make_tensor((3, 5), dtype, device)
    output = run_one(lambda fd, t: getattr(fd.ops, name)(t), [x])
    part = getattr(x, name)
    assert output.dtype == part.dtype
    torch.testing.assert_close(output, part, rtol=0, atol=0)


def test_real_of_a_real_tensor_is_a_copy(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.real(t), [x])
    torch.testing.assert_close(output, x, rtol=0, atol=0)


def test_imag_of_a_real_tensor_is_an_error(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with pytest.raises(RuntimeError, match="imag not supported for non-complex tensors"):
        run_one(lambda fd, t: fd.ops.imag(t), [x])


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64], ids=dtype_id)
def test_bitwise_not_needs_integers(dtype: torch.dtype, device: str) -> None:
    x = make_tensor((3,), dtype, device)
    with pytest.raises(RuntimeError):
        run_one(lambda fd, t: fd.ops.bitwise_not(t), [x])


@pytest.mark.parametrize("value", [True, 3, -2.5, 1.5 - 2j], ids=lambda v: type(v).__name__)
def test_unary_of_a_scalar_input(value: complex, device: str) -> None:
    x = make_tensor((4,), torch.complex128, device)
    output = run_one(
        lambda fd, t, s: fd.ops.mul(t, fd.ops.exp(fd.ops.cast(s, _complex_double()))),
        [x, value],
    )
    reference = x * torch.exp(torch.tensor(value, dtype=torch.complex128, device=device))
    assert_matches(output, reference, torch.complex128)


@pytest.mark.parametrize("value", [2, 2.5], ids=lambda v: type(v).__name__)
def test_unary_of_a_constant(value: float, device: str) -> None:
    x = make_tensor((4,), torch.float32, device)
    output = run_one(lambda fd, t: fd.ops.mul(t, fd.ops.exp(value)), [x])
    assert_matches(output, widen(x) * torch.exp(torch.tensor(value, dtype=torch.float64)), x.dtype)


@pytest.mark.parametrize("value", [True, 2, 0.25, 0.5 + 0.25j, 1e-9 - 2e-9j], ids=str)
@pytest.mark.parametrize("op", sorted(set(UNARY) - {"rand_like", "randn_like"}))
def test_scalars_are_computed_as_tensors_are(op: str, value: complex, device: str) -> None:
    """Constants and scalar inputs, which the host computes, beside a tensor with the same value."""
    x = torch.tensor(value, device=device)
    if x.dtype.is_floating_point or x.dtype.is_complex:
        x = x.to(torch.complex128 if x.dtype.is_complex else torch.float64)

    def body(fd, t, s):
        results = [getattr(fd.ops, op)(operand) for operand in (t, value, s)]
        assert len({result.dtype() for result in results}) == 1
        return [fd.ops.add(r, fd.ops.full([], 0j, _complex_double())) for r in results]

    try:
        define(lambda fd, t: getattr(fd.ops, op)(t), [x])
    except RuntimeError:
        with pytest.raises(RuntimeError):
            run(lambda fd, s: fd.ops.full([], getattr(fd.ops, op)(s), _complex_double()), [value])
        return
    of_tensor, *of_scalars = run(body, [x, value])
    for output in of_scalars:
        # An operation of Floats rounds what it computes for a tensor.
        torch.testing.assert_close(output, of_tensor, rtol=1e-6, atol=0, equal_nan=True)


@pytest.mark.parametrize("operator", [lambda t: -t, abs, lambda t: ~t], ids=["-", "abs", "~"])
def test_operators_of_python(operator: Callable, device: str) -> None:
    x = make_tensor((3, 5), torch.int64, device)
    output = run_one(lambda fd, t: operator(t), [x])
    assert_matches(output, operator(x), torch.int64)


def _complex_double():
    from nvfuser import DataType

    return DataType.ComplexDouble
