"""Conversion of a call's inputs: what the native side sees of every object, or the error."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from nvfuser import _C

DTYPES = {
    torch.float64: "Double",
    torch.float32: "Float",
    torch.float16: "Half",
    torch.bfloat16: "BFloat16",
    torch.float8_e4m3fn: "Float8_e4m3fn",
    torch.float8_e5m2: "Float8_e5m2",
    torch.float8_e8m0fnu: "Float8_e8m0fnu",
    torch.float4_e2m1fn_x2: "Float4_e2m1fn_x2",
    torch.int64: "Int",
    torch.int32: "Int32",
    torch.int16: "Int16",
    torch.int8: "Int8",
    torch.uint8: "UInt8",
    torch.uint16: "UInt16",
    torch.uint32: "UInt32",
    torch.uint64: "UInt64",
    torch.bool: "Bool",
    torch.complex64: "ComplexFloat",
    torch.complex128: "ComplexDouble",
}
UNSUPPORTED = [
    torch.complex32,
    *(
        torch.float8_e4m3fnuz,
        torch.float8_e5m2fnuz,
        torch.bits8,
        torch.uint4,
        torch.int3,
        torch.uint1,
    ),
    # From torch 2.14 on.
    *(dtype for dtype in [getattr(torch, "bcomplex32", None)] if dtype is not None),
]


@pytest.fixture(params=[True, False], ids=["fields", "public API"])
def read_tensor_layout(request: pytest.FixtureRequest) -> Iterator[bool]:
    """Both ways to read a tensor."""
    used = _C.configure_torch_interop(read_tensor_layout=request.param)
    assert used["tensor_layout"] is request.param
    yield request.param
    assert _C.configure_torch_interop()["tensor_layout"]


def describe(value: Any) -> dict[str, Any]:
    (description,) = _C.describe_arguments([value])
    return description


def check_tensor(x: torch.Tensor, *, is_copy: bool = False) -> None:
    seen = describe(x)
    assert seen["dtype"] == DTYPES[x.dtype]
    assert seen["shape"] == tuple(x.shape)
    if not is_copy:
        assert seen["strides"] == x.stride()
        assert x.numel() == 0 or seen["data"] == x.data_ptr()
    assert seen["device"] == "cpu"
    assert seen["is_copy"] is is_copy


# ---------------------------------------------------------------- plain tensors


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype: torch.dtype) -> None:
    check_tensor(torch.empty(2, 3, dtype=dtype))
    check_tensor(torch.empty((), dtype=dtype))


@pytest.mark.parametrize("dtype", UNSUPPORTED, ids=str)
@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_unsupported_dtypes_are_named(dtype: torch.dtype) -> None:
    with pytest.raises(RuntimeError, match=rf"Input 1 is a tensor of dtype {dtype}, which is not"):
        _C.describe_arguments([1.0, torch.empty(3, dtype=dtype)])


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.mT,
        lambda x: x[1:, ::2],
        lambda x: x[:, :0],
        lambda x: x[2, 3],
        lambda x: x[:1].expand(5, -1),
        lambda x: x.as_strided((3, 2, 2), (1, 4, 7), 3),
        lambda x: x.reshape(2, 1, 1, 2, 1, 2, 1, 5),
        lambda x: x.view(torch.int32),
        lambda x: x.detach(),
        lambda x: x.data,
        lambda x: torch.nn.Parameter(x),
        lambda x: torch.nn.Buffer(x),
        lambda x: x.clone().requires_grad_(),
        lambda x: x.clone().requires_grad_() * 2,
        lambda x: torch._lazy_clone(x),
    ],
)
@pytest.mark.usefixtures("read_tensor_layout")
def test_views_and_wrappers_of_plain_memory(view: Callable) -> None:
    check_tensor(view(torch.arange(40.0).reshape(4, 10)))


@pytest.mark.usefixtures("read_tensor_layout")
def test_inference_tensors() -> None:
    with torch.inference_mode():
        x = torch.ones(3)
        check_tensor(x)
    check_tensor(x)


def other_memory(kind: str) -> torch.Tensor:
    x = torch.arange(12.0).reshape(3, 4)
    if kind == "numpy":
        return torch.from_numpy(x.numpy().copy())[1:]
    if kind == "buffer":
        return torch.frombuffer(bytearray(48), dtype=torch.float32)[2:]
    if kind == "dlpack":
        return torch.from_dlpack(x.numpy())
    if kind == "shared":
        return x.share_memory_()
    if kind == "data":
        x.data = torch.ones(5, dtype=torch.bfloat16)[1:]
    elif kind == "set":
        x.set_(torch.arange(30.0).untyped_storage(), 7, (2, 3), (9, 2))
    elif kind == "grown":
        x.resize_(100, 3)
    else:
        x.swapped = torch.arange(6)
        torch.utils.swap_tensors(x, torch.arange(6)[::2])
    return x


@pytest.mark.parametrize(
    "kind", ["numpy", "buffer", "dlpack", "shared", "data", "set", "grown", "swapped"]
)
@pytest.mark.usefixtures("read_tensor_layout")
def test_memory_of_others_and_exchanged_memory(kind: str) -> None:
    check_tensor(torch.arange(12.0).reshape(3, 4))
    for _ in range(2):
        check_tensor(other_memory(kind))


@pytest.mark.usefixtures("read_tensor_layout")
def test_memory_that_was_given_back() -> None:
    x = torch.ones(3)
    check_tensor(x)
    x.untyped_storage().resize_(0)
    with pytest.raises(RuntimeError, match="Input 0"):
        describe(x)


@pytest.mark.usefixtures("read_tensor_layout")
def test_ranks() -> None:
    for rank in range(12):
        shape = [1 + (i % 2) for i in range(rank)]
        for x in (torch.zeros(shape), torch.zeros(shape).permute(tuple(reversed(range(rank))))):
            check_tensor(x)


# ---------------------------------------------------------------- conjugate and negative views


def neg_views(z: torch.Tensor) -> list[torch.Tensor]:
    imag = z.conj().imag
    return [
        imag,
        imag[1:],
        imag.mT,
        imag[1, 1],
        imag.reshape(-1),
        imag.as_strided((4, 3), (3, 1)),
        imag.detach(),
        imag.data,
        torch.nn.Parameter(imag),
        torch._neg_view(z.real),
        torch._neg_view(z.real.contiguous()),
        torch._neg_view(z.conj()),
        torch._neg_view(torch.arange(12).reshape(4, 3)),
        torch._neg_view(torch.ones(4, 3, dtype=torch.bfloat16)),
        z.reshape(-1)[0].conj().imag,
    ]


def conj_views(z: torch.Tensor) -> list[torch.Tensor]:
    return [z.conj(), z.mH, z.conj()[1:, 0], torch.nn.Parameter(z.conj()), z[0, 0].conj()]


@pytest.mark.usefixtures("read_tensor_layout")
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
@pytest.mark.parametrize("views", [neg_views, conj_views], ids=["neg", "conj"])
def test_marked_views_are_resolved(views: Callable, dtype: torch.dtype) -> None:
    z = torch.randn(4, 3, dtype=dtype)
    for x in views(z):
        assert x.is_neg() or x.is_conj()
        check_tensor(x, is_copy=True)


@pytest.mark.usefixtures("read_tensor_layout")
def test_what_only_looks_like_a_marked_view_is_not_copied() -> None:
    z = torch.randn(4, 3, dtype=torch.complex64)
    for x in (z.imag, z.real, z.conj().conj(), z.conj().resolve_conj(), z.conj().imag.clone()):
        check_tensor(x)


def test_the_fields_agree_with_torch_on_many_tensors() -> None:
    generator = torch.Generator().manual_seed(0)
    tensors = []
    for _ in range(300):
        rank = int(torch.randint(0, 7, (), generator=generator))
        shape = torch.randint(0, 4, (rank,), generator=generator).tolist()
        z = torch.randn(shape, dtype=torch.complex64, generator=generator)
        steps = torch.randint(0, 5, (4,), generator=generator).tolist()
        for step in steps:
            if step == 0:
                z = z.conj()
            elif step == 1:
                z = z.imag if z.is_complex() else torch._neg_view(z)
            elif step == 2:
                z = z.mT if z.dim() >= 2 else z.reshape(-1)
            elif step == 3:
                z = z.detach().requires_grad_()
            else:
                z = z[..., None]
            tensors.append(z)
    for x in tensors:
        assert describe(x)["is_copy"] is (x.numel() > 0 and (x.is_neg() or x.is_conj()))


def test_values_of_a_copy_are_the_views() -> None:
    z = torch.randn(4, 3, dtype=torch.complex64)
    seen = describe(z.conj())
    assert seen["data"] != z.data_ptr()
    # the original, seen once more, is not touched
    assert describe(z)["data"] == z.data_ptr()


# ---------------------------------------------------------------- tensors that are not plain


class Plain(torch.Tensor):
    """A subclass that changes nothing."""


class Redefined(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


class Wrapper(torch.Tensor):
    @staticmethod
    def __new__(cls) -> Wrapper:
        return torch.Tensor._make_wrapper_subclass(cls, (3,), dtype=torch.float32)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError


def test_plain_subclass_is_read_in_place() -> None:
    x = torch.ones(3)
    assert describe(x.as_subclass(Plain))["data"] == x.data_ptr()
    assert not describe(x.as_subclass(Plain))["is_copy"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FakeTensorMode().from_tensor(torch.ones(3)), "Input 0 is a FakeTensor, which has"),
        (lambda: torch.ones(3).as_subclass(Redefined), "Input 0 is a Redefined, a tensor subclass"),
        (Wrapper, "Input 0 is a Wrapper, a tensor subclass"),
        (torch.nn.UninitializedParameter, "Input 0 is a UninitializedParameter, a tensor subclass"),
        (lambda: torch.empty(3, device="meta"), "Input 0 is a Tensor on the meta device"),
        (lambda: torch.eye(3).to_sparse(), "layout torch.sparse_coo.*to_dense"),
        (lambda: torch.eye(3).to_sparse_csr(), "layout torch.sparse_csr.*to_dense"),
        (lambda: torch.ones(3).to_mkldnn(), "layout torch._mkldnn.*to_dense"),
        (lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8), "quantized"),
        (lambda: torch.nested.nested_tensor([torch.ones(3), torch.ones(2)]), "nested"),
        (lambda: torch._efficientzerotensor((3,)), "without memory"),
        (lambda: torch._to_functional_tensor(torch.ones(3)), "functionalization"),
    ],
    ids=[
        *("fake", "subclass", "wrapper", "uninitialized", "meta", "coo", "csr", "mkldnn"),
        *("quantized", "nested", "zero", "functional"),
    ],
)
@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.filterwarnings("ignore:.*quantiz.*")
def test_tensors_without_plain_values(make: Callable, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        describe(make())


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_jagged_nested_tensor() -> None:
    x = torch.nested.nested_tensor([torch.ones(3), torch.ones(2)], layout=torch.jagged)
    with pytest.raises(RuntimeError, match="Input 0 is a NestedTensor"):
        describe(x)


@pytest.mark.parametrize("transform", [torch.func.vmap, torch.func.grad], ids=["vmap", "grad"])
def test_inside_function_transforms(transform: Callable) -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        with pytest.raises(RuntimeError, match=r"transform of torch\.func"):
            describe(x)
        return x.sum()

    transform(function)(torch.ones(3))


def test_while_a_mode_of_torch_is_active() -> None:
    x = torch.ones(3)
    with FakeTensorMode():
        check_tensor(x)
    with torch.device("meta"):
        check_tensor(x)


# ---------------------------------------------------------------- numbers


class Level(enum.IntEnum):
    LOW = 3


class Distance(float):
    pass


@pytest.mark.parametrize(
    ("value", "dtype", "number"),
    [
        (True, "Bool", True),
        (False, "Bool", False),
        (0, "Int", 0),
        (2**63 - 1, "Int", 2**63 - 1),
        (-(2**63), "Int", -(2**63)),
        (-0.0, "Double", -0.0),
        (float("inf"), "Double", float("inf")),
        (1e300, "Double", 1e300),
        (1 - 2j, "ComplexDouble", 1 - 2j),
        (Level.LOW, "Int", 3),
        (Distance(2.5), "Double", 2.5),
    ],
    ids=repr,
)
def test_numbers(value: Any, dtype: str, number: Any) -> None:
    seen = describe(value)
    assert seen["dtype"] == dtype
    assert type(seen["value"]) is type(number)
    assert repr(seen["value"]) == repr(number)


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30], ids=repr)
def test_integers_of_more_than_64_bits(value: int) -> None:
    with pytest.raises(RuntimeError, match=f"Input 1: the integer {value} does not fit"):
        _C.describe_arguments([1, value])


# ---------------------------------------------------------------- lists and other containers


def test_lists_and_tuples_are_flattened_once() -> None:
    x = torch.ones(2)
    inputs = (1, [2, x, 3.0], (), [], (True,), torch.Size([4, 5]))
    dtypes = [seen["dtype"] for seen in _C.describe_arguments(inputs)]
    assert dtypes == ["Int", "Int", "Float", "Double", "Bool", "Int", "Int"]
    with pytest.raises(RuntimeError, match="Input 1 is a tuple inside a list or tuple"):
        _C.describe_arguments([[1, (2, 3)]])


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 100])
def test_any_number_of_inputs(count: int) -> None:
    tensors = [torch.ones(i + 1) for i in range(count)]
    shapes = [seen["shape"] for seen in _C.describe_arguments(tensors)]
    assert shapes == [(i + 1,) for i in range(count)]
    assert _C.count_arguments(tensors) == count


def test_other_iterables() -> None:
    assert _C.count_arguments(i for i in range(3)) == 3
    assert _C.count_arguments({"a": 1, "b": 2}.values()) == 2
    assert _C.count_arguments(range(5)) == 5


@pytest.mark.parametrize(
    "inputs", [torch.ones(3), "text", None, 3, 2.5], ids=lambda value: type(value).__name__
)
def test_what_is_no_list_of_inputs(inputs: Any) -> None:
    with pytest.raises(RuntimeError, match="Expected the inputs to be a list of tensors"):
        _C.describe_arguments(inputs)


@pytest.mark.parametrize(
    "value",
    [None, "text", b"bytes", {}, object(), torch.float32, torch.nn.ReLU()],
    ids=lambda value: type(value).__name__,
)
def test_objects_of_other_types(value: Any) -> None:
    message = f"Input 2 is of type {type(value).__qualname__}, which is neither"
    with pytest.raises(RuntimeError, match=message):
        _C.describe_arguments([1, torch.ones(1), value])


def test_errors_of_an_iterable_pass_through() -> None:
    def inputs() -> Iterator[int]:
        yield 1
        raise KeyError("here")

    with pytest.raises(KeyError, match="here"):
        _C.describe_arguments(inputs())


class Mischief:
    """An input whose conversion takes the others away from the list it is in."""

    def __init__(self, inputs: list[Any]) -> None:
        self.inputs = inputs

    def __dlpack__(self, **options: Any) -> Any:
        self.inputs.clear()
        return torch.arange(1000.0).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def test_list_that_changes_during_the_call() -> None:
    inputs: list[Any] = []
    inputs.extend([torch.ones(3), Mischief(inputs), torch.ones(4)])
    assert [seen["shape"] for seen in _C.describe_arguments(inputs)] == [(3,), (1000,)]


# ---------------------------------------------------------------- other libraries


class Producer:
    """What any other array library looks like."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor

    def __dlpack__(self, **options: Any) -> Any:
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.tensor.__dlpack_device__()


def test_dlpack_producers_are_read_in_place() -> None:
    x = torch.arange(12.0).reshape(3, 4).mT
    seen = describe(Producer(x))
    assert (seen["data"], seen["strides"], seen["shape"]) == (x.data_ptr(), (1, 4), (4, 3))


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_dlpack_producer_of_an_unsupported_dtype() -> None:
    with pytest.raises(RuntimeError, match=r"dtype torch\.complex32"):
        describe(Producer(torch.empty(3, dtype=torch.complex32)))


def test_dlpack_producer_that_fails() -> None:
    x = torch.ones(3).requires_grad_()
    with pytest.raises(RuntimeError, match=r"Input 0 is a Producer that cannot be imported.*grad"):
        describe(Producer(x))


def test_dlpack_producer_on_a_device_that_torch_does_not_know(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def from_dlpack(value: object) -> None:
        raise AssertionError("Torch not compiled with CUDA enabled")

    monkeypatch.setattr(torch, "from_dlpack", from_dlpack)
    with pytest.raises(RuntimeError, match="DLPack: Torch not compiled with CUDA enabled"):
        describe(Producer(torch.ones(3)))


# ---------------------------------------------------------------- nothing is kept


@pytest.mark.parametrize("fails", [False, True], ids=["success", "error"])
def test_references_are_given_back(fails: bool) -> None:
    import sys

    tail = [object()] if fails else []
    conjugate = torch.ones(3, dtype=torch.complex64).conj()
    values = [torch.ones(3), conjugate, 2.5, 10**10, [torch.ones(2)], Producer(torch.ones(2))]
    before = [sys.getrefcount(value) for value in values]
    for _ in range(100):
        if fails:
            with pytest.raises(RuntimeError):
                _C.count_arguments(values + tail)
        else:
            _C.count_arguments(values)
    assert [sys.getrefcount(value) for value in values] == before
