"""Composed operations and methods of tensors have the values, dtypes and shapes of torch's."""

from __future__ import annotations

import pytest
import torch
from composed_operations import CASES, FAMILIES, Case

import nvfuser
from nvfuser import FusionDefinition

DTYPES = [torch.float32, torch.bfloat16, torch.float64]


def made(case: Case, dtype: torch.dtype) -> list[torch.Tensor]:
    """Return inputs of a case."""
    torch.manual_seed(0)
    return [make(dtype) if callable(make) else torch.randn(make).to(dtype) for make in case.inputs]


def listed(value: object) -> list:
    """Return results as a list."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def defined(case: Case, inputs: list[torch.Tensor]) -> FusionDefinition:
    """Define the call; what is printed of it defines the same by primitives."""
    with FusionDefinition() as fd:
        static = case.name.startswith(STATIC)
        tensors = [fd.from_pytorch(tensor, static_sizes=static) for tensor in inputs]
        for result in listed(case.ours(*tensors)):
            fd.add_output(result)
    with FusionDefinition() as again:
        scope = {"FusionDefinition": FusionDefinition, "DataType": nvfuser.DataType}
        exec(repr(fd), scope)
        scope["nvfuser_fusion"](again)
    assert again.fusion == fd.fusion
    return fd


# Their number of results, or of dimensions, depends on a size.
STATIC = ("unbind", "for row", "squeeze", "split(3", "chunk(3")


def check(case: Case, dtype: torch.dtype, device: str) -> None:
    """Compare what is computed on a device with torch's results on the CPU."""
    inputs = made(case, dtype)
    expected = listed(case.theirs(*inputs))
    outputs = defined(case, inputs).execute([tensor.to(device) for tensor in inputs])
    assert len(outputs) == len(expected)
    for output, value in zip(outputs, expected, strict=True):
        assert output.shape == value.shape
        assert output.dtype == value.dtype
        tolerance = {"rtol": 0.04, "atol": 0.04} if dtype == torch.bfloat16 else {}
        if value.dtype == torch.float32:
            tolerance = {"rtol": 1e-4, "atol": 1e-5}
        torch.testing.assert_close(output.cpu(), value, equal_nan=True, **tolerance)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype)[6:])
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_value_is_torchs(case: Case, dtype: torch.dtype, device: str) -> None:
    check(case, dtype, device)


def test_every_composed_operation_is_compared() -> None:
    names = {name for family in nvfuser.ops._FAMILIES.values() for name in family.__all__}
    compared = {case.name.partition("(")[0] for case in CASES}
    assert names - compared <= {"concat", "dropout"}
    assert set(FAMILIES) >= set(nvfuser.ops._FAMILIES) - {"random"}


def test_integers_have_the_dtype_of_torch() -> None:
    x = torch.randint(-3, 4, (5, 7))
    cases = {
        "square": torch.square,
        "argmax": torch.argmax,
        "any": torch.any,
        "flip": lambda t: t.flip(0),
        "diff": torch.diff,
        "tril": torch.tril,
        "nan_to_num": torch.nan_to_num,
    }
    with FusionDefinition() as fd:
        a = fd.from_pytorch(x)
        for name in cases:
            fd.add_output(getattr(fd.ops, name)(a, *([0] if name == "flip" else [])))
    for output, expected in zip(fd.execute([x]), [f(x) for f in cases.values()], strict=True):
        torch.testing.assert_close(output, expected)


def test_dropout_drops_and_scales_by_seed_and_offset() -> None:
    x = torch.ones(64, 65)
    with FusionDefinition() as fd:
        a = fd.from_pytorch(x)
        fd.add_output(fd.ops.dropout(a, 0.25, rng_seed=7, rng_offset=3))
        fd.add_output(fd.ops.dropout(a, 0.25, training=False))
        fd.add_output(fd.ops.dropout(a, 1.0))
        fd.add_output(fd.ops.dropout(a, 0.0))
    first, kept, none, all_of_it = fd.execute([x])
    again = fd.execute([x])[0]
    assert torch.equal(first, again)
    share = (first == 0).float().mean().item()
    assert 0.2 < share < 0.3
    assert torch.all((first == 0) | torch.isclose(first, torch.tensor(1 / 0.75)))
    assert torch.equal(kept, x)
    assert torch.equal(all_of_it, x)
    assert torch.all(none == 0)


@pytest.mark.parametrize("size", [1, 2, 5, 16, 33])
def test_symbolic_sizes_of_one_definition(size: int) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], contiguity=True)
        for result in (x[1:], x[:-2], x[-3:, None], x[::2], x[2:4], x.flip(0), x.roll(1, 0)):
            fd.add_output(result)
        fd.add_output(x.argmax(0))
        fd.add_output(x.tril())
    a = torch.randn(size, size + 3)
    expected = [a[1:], a[:-2], a[-3:, None], a[::2], a[2:4], a.flip(0), a.roll(1, 0)]
    expected += [a.argmax(0), a.tril()]
    for output, value in zip(fd.execute([a]), expected, strict=True):
        assert torch.equal(output, value), (output.shape, value.shape)


def test_shape_is_a_list_and_a_method() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, 5])
        assert x.shape[0] == x.shape()[0] == x.size(0)
        assert type(x.shape()) is list
        assert len(x.shape) == 2
        assert [str(size) for size in x.size()] == ["i0", "5"]
        fd.add_output(fd.ops.full(x.shape, 1, nvfuser.DataType.Float))
    assert fd.execute([torch.rand(3, 5)])[0].shape == (3, 5)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda x: x[0, 0, 0], "too many indices"),
        (lambda x: x[1.5], "an index is an int"),
        (lambda x: x[True], "an index is an int"),
        (lambda x: x[::-1], "step of a slice must be positive"),
        (lambda x: x[x > 0], "is no index"),
        (lambda x: x[..., ...], "single ellipsis"),
        (lambda x: list(x), "unbind: the number of results depends"),
        (lambda x: nvfuser.ops.split(x, 2), "split: the number of results depends"),
        (lambda x: nvfuser.ops.any(x, 5), "out of boundary index 5"),
        (lambda x: nvfuser.ops.softplus(x.long()), "needs a floating-point tensor"),
        (lambda x: nvfuser.ops.batch_norm(x, None, None), "needs running_mean"),
        (lambda x: nvfuser.ops.norm(x, "nuc"), "norm: p must be"),
        (lambda x: nvfuser.ops.einsum("ii->i", x), "different letters"),
        (lambda x: nvfuser.ops.interpolate(x, 3, mode="bilinear"), "mode must be"),
        (lambda x: nvfuser.ops.stack([]), "No input tensor given"),
        (lambda x: nvfuser.ops.mse_loss(x, x, "max"), "reduction must be"),
    ],
)
def test_wrong_use_is_an_error_that_says_why(wrong, message: str) -> None:
    with FusionDefinition():
        x = nvfuser.define_tensor([-1, -1])
        with pytest.raises((RuntimeError, IndexError, ValueError), match=message):
            wrong(x)
