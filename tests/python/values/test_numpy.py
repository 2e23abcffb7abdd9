"""Fusions of NumPy arrays: all of it works without torch, and the results are NumPy arrays."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest

from nvfuser import _C, DataType, FusionDefinition

pytestmark = pytest.mark.no_torch

DTYPES = {
    "float64": DataType.Double,
    "float32": DataType.Float,
    "float16": DataType.Half,
    "int64": DataType.Int,
    "int32": DataType.Int32,
    "int16": DataType.Int16,
    "int8": DataType.Int8,
    "uint8": DataType.UInt8,
    "uint16": DataType.UInt16,
    "uint32": DataType.UInt32,
    "uint64": DataType.UInt64,
    "bool": DataType.Bool,
    "complex64": DataType.ComplexFloat,
    "complex128": DataType.ComplexDouble,
}


def doubled(rank: int = 2, dtype: DataType = DataType.Float) -> FusionDefinition:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1] * rank, contiguity=False, dtype=dtype)
        fd.add_output(fd.ops.add(t, t))
    return fd


def numbers(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape) - 5


@pytest.mark.parametrize("name", DTYPES)
def test_dtypes(name: str) -> None:
    x = (np.arange(12).reshape(3, 4) % 5).astype(name)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DTYPES[name])
        fd.add_output(fd.ops.set(t))
    (out,) = fd.execute([x])
    assert type(out) is np.ndarray
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(out, x)


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x,
        lambda x: x.T,
        lambda x: x[::2, 1:],
        lambda x: x[::-1],
        lambda x: x[::-2, ::-1],
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x[:, :0],
        lambda x: np.asfortranarray(x),
        lambda x: x.astype(">f4"),
        lambda x: np.rec.fromarrays([x, x.astype(np.int8)], names="a,b").a,
        lambda x: x.view(np.matrix),
    ],
    ids=[
        *("plain", "transposed", "sliced", "reversed", "reversed twice", "broadcast", "empty"),
        *("fortran", "big-endian", "field", "matrix"),
    ],
)
def test_layouts(view: Callable) -> None:
    x = view(numbers(6, 4))
    if x.shape[0] > 1 and x.strides[0] == 0:
        with FusionDefinition() as fd:
            t = fd.define_tensor(shape=[-1, -1], contiguity=[None, False])
            fd.add_output(fd.ops.add(t, t))
    else:
        fd = doubled()
    for result in (fd.execute([x]), fd.bind([x])(x)):
        np.testing.assert_array_equal(result[0], 2 * np.asarray(x))


def test_read_only_arrays_are_inputs_but_no_outputs() -> None:
    x = numbers(3, 4)
    x.flags.writeable = False
    out = np.empty_like(x)
    (result,) = doubled().execute([x], outputs=[out])
    assert result is out
    np.testing.assert_array_equal(out, 2 * x)
    out.flags.writeable = False
    with pytest.raises(RuntimeError, match="Output 0: expected a writable array"):
        doubled().execute([x], outputs=[out])


def test_read_only_arrays_are_not_updated() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.add(t, 1.0), t)
    x = numbers(5)
    fd.execute([x])
    np.testing.assert_array_equal(x, numbers(5) + 1)
    x.flags.writeable = False
    with pytest.raises(RuntimeError, match="Input 0 is updated in place, but is read-only"):
        fd.execute([x])
    with pytest.raises(RuntimeError, match="Input 0 is updated in place, but its memory"):
        fd.execute([numbers(5).astype(">f4")])


def test_scalars_of_numpy() -> None:
    values = [np.float32(1.5), np.float64(2.5), np.int32(3), np.int64(4), np.bool_(True)]
    seen = _C.describe_arguments([*values, np.complex64(1 + 2j), np.uint8(7), np.float16(0.5)])
    assert [s["dtype"] for s in seen[:5]] == ["Double", "Double", "Int", "Int", "Bool"]
    assert [s["value"] for s in seen] == [1.5, 2.5, 3, 4, True, 1 + 2j, 7, 0.5]
    (array,) = _C.describe_arguments([np.array(2.5)])
    assert array["shape"] == ()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            np.zeros(3, np.longdouble),
            "Input 0 is a NumPy array of dtype .*, which is not supported",
        ),
        (np.zeros(3, "U4"), "Input 0 is a NumPy array of dtype <U4, which is not supported"),
        (np.array([None]), "Input 0 is a NumPy array of dtype object, which is not supported"),
        (np.zeros(3, "f4,i4"), "Input 0 is a NumPy array of dtype .*, which is not supported"),
        (np.zeros(3, "M8[s]"), "Input 0 is a NumPy array of dtype datetime64.*not supported"),
        (np.ma.masked_array([1.0], [True]), "Input 0 is a masked array"),
        (
            np.datetime64("2026-01-01"),
            "Input 0 is a NumPy scalar of dtype datetime64.*not supported",
        ),
        (np.str_("text"), "Input 0 is a NumPy scalar of dtype <U4, which is not supported"),
    ],
    ids=[
        "long double",
        "text",
        "object",
        "record",
        "datetime",
        "masked",
        "datetime scalar",
        "text scalar",
    ],
)
def test_what_is_not_supported(value: object, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        _C.describe_arguments([value])


def test_given_outputs() -> None:
    x = numbers(3, 4)
    fd = doubled()
    plan = fd.bind([x])
    out = np.empty((3, 4), np.float32)
    assert plan(x, outputs=[out])[0] is out
    np.testing.assert_array_equal(out, 2 * x)
    for wrong, message in (
        (np.empty((4, 3), np.float32), "shape"),
        (np.empty((4, 3), np.float32).T, "strides"),
        (np.empty((3, 4)), "dtype Float but got one of dtype Double"),
        (np.empty((3, 4), np.int8), "dtype Float but got one of dtype Int8"),
    ):
        with pytest.raises(RuntimeError, match=message):
            fd.execute([x], outputs=[wrong])
    memory = numbers(5, 4)
    with pytest.raises(RuntimeError, match="Output 0 overlaps the memory of input 0"):
        fd.execute([memory[:3]], outputs=[memory[1:4]])


def test_outputs_that_are_inputs_or_views_of_them() -> None:
    x = numbers(3, 4)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(t)
        fd.add_output(fd.ops.permute(t, [1, 0]))
    same, view = fd.execute([x])
    assert same is x
    np.testing.assert_array_equal(view, x.T)


def test_permuted_outputs() -> None:
    x = numbers(3, 4)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.stride_order(fd.ops.neg(t), [0, 1]))
    (out,) = fd.execute([x])
    assert out.strides == (4, 12)
    np.testing.assert_array_equal(out, -x)


def test_dtypes_that_numpy_has_not() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.cast(t, DataType.BFloat16))
    try:
        import ml_dtypes
    except ModuleNotFoundError:
        with pytest.raises(RuntimeError, match="install ml_dtypes"):
            fd.execute([numbers(4)])
    else:
        (out,) = fd.execute([numbers(4)])
        assert out.dtype == ml_dtypes.bfloat16
        np.testing.assert_array_equal(out.astype(np.float32), numbers(4))
        assert _C.describe_arguments([out])[0]["dtype"] == "BFloat16"


def test_numpy_beside_torch() -> None:
    """Where a torch tensor takes part, the outputs are torch tensors."""
    if "torch" not in sys.modules:
        return  # without torch there is nothing to be beside of
    import torch

    x = numbers(3, 4)
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.add(a, b))
    for inputs in ([x, torch.ones(3, 4)], [torch.ones(3, 4), x]):
        (out,) = fd.execute(inputs)
        assert type(out) is torch.Tensor
        np.testing.assert_array_equal(out.numpy(), x + 1)
    assert type(fd.execute([x, x])[0]) is np.ndarray


def test_references_are_given_back() -> None:
    x = numbers(3, 4)
    values = [x, x[::-1], x.astype(">f4"), np.float32(2), x.view(np.matrix)]
    out = np.empty_like(x)
    before = [sys.getrefcount(value) for value in [*values, out]]
    fd = doubled()
    for _ in range(200):
        _C.count_arguments(values)
        fd.execute([x])
        fd.execute([x], outputs=[out])
        with pytest.raises(RuntimeError):
            fd.execute([x], outputs=[out.T])
    assert [sys.getrefcount(value) for value in [*values, out]] == before
