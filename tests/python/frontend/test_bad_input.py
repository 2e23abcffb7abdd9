"""Bad input: each kind gives a clear error (or the right value), and nothing is lost by it.

After every error the same definition still runs with good input, no tensor is kept alive, and no
definition is left active.
"""

from __future__ import annotations

import ctypes
import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from fusion_testing import define, make_tensor

import nvfuser
from nvfuser import DataType, FusionDefinition


class Target:
    """A definition with good inputs and what it makes of them."""

    def __init__(self, fd: FusionDefinition, good: Sequence[Any], expected: torch.Tensor) -> None:
        self.fd, self.good, self.expected = fd, good, expected

    def works(self) -> bool:
        plan = self.fd.bind(self.good)
        results = [self.fd.execute(self.good), plan(*self.good)]
        return all(torch.equal(output, self.expected) for (output,) in results)

    def rejects(
        self,
        bad: Sequence[Any],
        message: str = "",
        error: type[Exception] | tuple[type[Exception], ...] = RuntimeError,
    ) -> None:
        """Bad inputs raise before and after good ones, and through a plan bound to good ones."""
        with pytest.raises(error, match=message or None):
            self.fd.execute(bad)
        assert self.works()
        with pytest.raises(error, match=message or None):
            self.fd.execute(bad)
        with pytest.raises(error, match=message or None):
            self.fd.bind(bad)
        plan = self.fd.bind(self.good)
        with pytest.raises(error):
            plan(*bad)
        assert self.works()


@pytest.fixture
def target(device: str) -> Target:
    """``relu(a * s + b)`` of two symbolic matrices and a scalar."""
    a = make_tensor((3, 5), torch.float32, device)
    b = make_tensor((3, 5), torch.float32, device, seed=1)
    fd = define(lambda fd, x, y, s: fd.ops.relu(fd.ops.add(fd.ops.mul(x, s), y)), [a, b, 2.0])
    return Target(fd, [a, b, 2.0], torch.relu(a * 2.0 + b))


def matrix(device: str, **options: Any) -> torch.Tensor:
    return torch.ones(3, 5, device=device, **options)


# ------------------------------------------------------------- count, kind, rank, dtype


@pytest.mark.parametrize("count", [0, 1, 2, 4, 10])
def test_wrong_count(count: int, target: Target, device: str) -> None:
    values = [matrix(device), matrix(device), 2.0, *([1.0] * 10)][:count]
    target.rejects(values)


def test_scalar_for_a_tensor(target: Target, device: str) -> None:
    target.rejects(
        [2, matrix(device), 2.0], "Expected input 0, .*, to be an at::Tensor but got scalar 2"
    )


def test_tensor_for_a_scalar(target: Target, device: str) -> None:
    target.rejects(
        [matrix(device), matrix(device), torch.ones(3, device=device)],
        r"Expected input 2, d\d+, to be a scalar but got float tensor of rank 1",
    )


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([[1]], r"Expected input 0, T0_g_float\[iS0\{i0\}\], to be an at::Tensor but got"),
        (5, "Expected the inputs to be a list of tensors and numbers, but got a int"),
    ],
)
def test_validate_says_what_execute_says(inputs: Any, message: str) -> None:
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(shape=[-1], contiguity=[True])))
    for run in (fd.execute, fd.validate):
        with pytest.raises(RuntimeError, match=message):
            run(inputs)


@pytest.mark.parametrize("shape", [(), (15,), (1, 3, 5), (1, 1, 1, 1, 1, 1, 1, 1, 3, 5)], ids=str)
def test_wrong_rank(shape: tuple[int, ...], target: Target, device: str) -> None:
    target.rejects(
        [torch.ones(shape, device=device), matrix(device), 2.0], "to be bound to a tensor of rank"
    )


def test_wrong_dtype(target: Target, device: str) -> None:
    target.rejects(
        [matrix(device, dtype=torch.float16), matrix(device), 2.0],
        "Expected input 0, .*, to be bound to a tensor of dtype float, "
        "but got a tensor of dtype __half",
    )


@pytest.mark.parametrize(
    "dtype",
    [
        *(torch.float64, torch.int64, torch.int32, torch.bool, torch.bfloat16, torch.complex64),
        *(torch.uint8, torch.int8, torch.int16, torch.uint16, torch.uint32, torch.uint64),
        *(torch.float8_e4m3fn, torch.float8_e5m2, torch.complex32),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_other_dtypes(dtype: torch.dtype, target: Target, device: str) -> None:
    target.rejects([torch.empty(3, 5, dtype=dtype, device=device), matrix(device), 2.0])


@pytest.mark.parametrize("name", ["uint1", "uint4", "uint7", "int1", "int4", "int7", "bits8"])
def test_dtypes_of_fewer_bits(name: str, target: Target, device: str) -> None:
    dtype = getattr(torch, name)
    x = torch.empty(3, 5, dtype=torch.uint8, device=device).view(dtype)
    target.rejects([x, matrix(device), 2.0])


@pytest.mark.parametrize("name", ["uint1", "int1", "int7"])
def test_dtypes_of_fewer_bits_are_no_bool(name: str, device: str) -> None:
    good = torch.ones(4, dtype=torch.bool, device=device)
    fd = define(lambda fd, x: fd.ops.logical_not(x), [good])
    bad = torch.ones(4, dtype=torch.uint8, device=device).view(getattr(torch, name))
    Target(fd, [good], ~good).rejects([bad])


def test_complex_for_a_real_scalar(target: Target, device: str) -> None:
    target.rejects(
        [matrix(device), matrix(device), 2 + 1j],
        r"Scalar value \(2,1\) is not compatible with the expected data type: double\.",
    )


def test_float_for_an_integer_scalar(device: str) -> None:
    x = matrix(device)
    fd = define(lambda fd, t, n: fd.ops.mul(t, n), [x, 3])
    target = Target(fd, [x, 3], x * 3)
    target.rejects([x, 2.5], "is not compatible with the expected data type")
    target.rejects([x, 1j], "is not compatible with the expected data type")


def test_integers_beyond_a_scalar_of_32_bits(device: str) -> None:
    x = matrix(device)
    with FusionDefinition() as fd:
        product = fd.ops.mul(fd.from_pytorch(x), fd.define_scalar(DataType.Int32))
        fd.add_output(product)
    with pytest.raises(RuntimeError, match="expected data type: int\\."):
        fd.execute([x, 2**31])
    plan = fd.bind([x, 1])
    for value in (2**31, -(2**31) - 1):
        with pytest.raises(RuntimeError, match="expected data type: int\\."):
            fd.execute([x, value])
        with pytest.raises(RuntimeError, match="expected data type: int\\."):
            plan(x, value)
    for value in (-(2**31), 2**31 - 1):
        assert torch.equal(plan(x, value)[0], x * float(value))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, 10**30], ids=str)
def test_integers_beyond_int64(value: int, device: str) -> None:
    x = torch.ones(3, dtype=torch.int64, device=device)
    fd = define(lambda fd, t, n: fd.ops.add(t, n), [x, 3])
    Target(fd, [x, 3], x + 3).rejects([x, value], error=(RuntimeError, OverflowError))


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1], ids=str)
def test_constants_beyond_int64(value: int, device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], dtype=DataType.Int)
        with pytest.raises((RuntimeError, OverflowError, TypeError)):
            fd.ops.add(x, value)
        with pytest.raises((RuntimeError, OverflowError, TypeError)):
            fd.define_scalar(value)
        fd.add_output(fd.ops.add(x, 1))
    ones = torch.ones(3, dtype=torch.int64, device=device)
    assert torch.equal(fd.execute([ones])[0], ones + 1)


@pytest.mark.parametrize(
    "value",
    [None, "text", b"bytes", {}, {1}, object(), torch.float32, [[1.0]], range(3)],
    ids=lambda value: type(value).__name__,
)
def test_objects_of_other_types(value: Any, target: Target, device: str) -> None:
    target.rejects([value, matrix(device), 2.0])
    target.rejects([matrix(device), matrix(device), value])


@pytest.mark.parametrize("inputs", [None, 3, 2.5, object()], ids=lambda value: type(value).__name__)
def test_inputs_that_are_no_iterable(inputs: Any, target: Target) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        target.fd.execute(inputs)
    with pytest.raises((RuntimeError, TypeError)):
        target.fd.bind(inputs)
    assert target.works()


def test_iterable_that_raises(target: Target, device: str) -> None:
    def inputs():
        yield matrix(device)
        raise KeyError("in the middle")

    with pytest.raises(KeyError, match="in the middle"):
        target.fd.execute(inputs())
    assert target.works()


def test_list_that_contains_itself(target: Target, device: str) -> None:
    endless: list = [matrix(device)]
    endless.append(endless)
    with pytest.raises(RuntimeError):
        target.fd.execute(endless)
    assert target.works()


# ----------------------------------------------------------------------- sizes, layout


def test_wrong_static_size(device: str) -> None:
    good = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, x: fd.ops.neg(x), [good], static_sizes=True)
    target = Target(fd, [good], -good)
    for shape in [(4, 5), (3, 4), (3, 1), (0, 5), (5, 3)]:
        target.rejects([torch.ones(shape, device=device)])


def test_inconsistent_symbolic_sizes(target: Target, device: str) -> None:
    for shape in [(3, 4), (4, 5), (5, 3), (0, 5)]:
        target.rejects([matrix(device), torch.ones(shape, device=device), 2.0])


def test_inconsistent_sizes_of_a_repeated_value(device: str) -> None:
    a, b = make_tensor((3, 5), torch.float32, device), make_tensor((5,), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.add(x, y), [a, b])
    target = Target(fd, [a, b], a + b)
    target.rejects([a, torch.ones(4, device=device)])
    target.rejects([a, torch.ones(3, device=device)])


@pytest.mark.parametrize("size", [0, 2, 5])
def test_broadcast_dimension_that_is_not_one(size: int, device: str) -> None:
    good = make_tensor((3, 1), torch.float32, device)
    fd = define(lambda fd, x: fd.ops.neg(x), [good])
    Target(fd, [good], -good).rejects([torch.ones(3, size, device=device)])


def test_expanded_dimension_that_has_a_stride(device: str) -> None:
    good = torch.ones(3, 1, device=device).expand(3, 5)
    fd = define(lambda fd, x: fd.ops.neg(x), [good])
    Target(fd, [good], -good).rejects([matrix(device)])


LAYOUTS = {
    "transposed": lambda d: torch.arange(15.0, device=d).reshape(5, 3).t(),
    "every second column": lambda d: torch.arange(30.0, device=d).reshape(3, 10)[:, ::2],
    "window": lambda d: torch.arange(60.0, device=d).reshape(6, 10)[1:4, 2:7],
    "expanded row": lambda d: torch.arange(5.0, device=d).expand(3, 5),
    "expanded column": lambda d: torch.arange(3.0, device=d)[:, None].expand(3, 5),
    "overlapping": lambda d: torch.arange(9.0, device=d).as_strided((3, 5), (2, 1)),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_wrong_contiguity_is_never_read_wrongly(layout: str, device: str) -> None:
    good = make_tensor((3, 5), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=[True, True], dtype=DataType.Float)
        fd.add_output(fd.ops.neg(t))
    Target(fd, [good], -good).rejects([LAYOUTS[layout](device)])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_unknown_contiguity_takes_every_layout(layout: str, device: str) -> None:
    x = LAYOUTS[layout](device)
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=[False, False], dtype=DataType.Float)
        fd.add_output(fd.ops.neg(t))
    for _ in range(2):
        assert torch.equal(fd.execute([x])[0], -x)
    assert torch.equal(fd.bind([x])(x)[0], -x)


def test_layout_may_change_between_calls_of_any_stride_order(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=False, dtype=DataType.Float)
        fd.add_output(fd.ops.neg(t))
    plan = fd.bind([make_tensor((3, 5), torch.float32, device)])
    for layout in [*LAYOUTS, *reversed(LAYOUTS)]:
        x = LAYOUTS[layout](device)
        assert torch.equal(fd.execute([x])[0], -x)
        try:
            (output,) = plan(x)
        except RuntimeError:
            continue
        assert torch.equal(output, -x)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
def test_misaligned_data(dtype: torch.dtype) -> None:
    numpy = pytest.importorskip("numpy")
    name = str(dtype).removeprefix("torch.")
    buffer = bytearray(1 + 64 * dtype.itemsize)
    array = numpy.frombuffer(buffer, dtype=name, offset=1)
    array[:] = numpy.arange(64)
    x = torch.from_numpy(array)
    assert x.data_ptr() % dtype.itemsize != 0
    good = torch.arange(64.0).to(dtype)
    fd = define(lambda fd, t: fd.ops.relu(t), [good])
    assert torch.equal(fd.execute([good])[0], good)
    try:
        (output,) = fd.execute([x])
    except RuntimeError as error:
        assert "align" in str(error)  # noqa: PT017
    else:
        assert torch.equal(output, good)
    assert torch.equal(fd.execute([good])[0], good)


def test_data_aligned_to_its_elements_only(device: str) -> None:
    storage = torch.arange(101.0, device=device)
    fd = define(lambda fd, t: fd.ops.neg(t), [storage[:64]])
    for start in (0, 1, 2, 3, 5, 8, 36):
        x = storage[start : start + 64]
        assert torch.equal(fd.execute([x])[0], -x)


# ------------------------------------------------------------------ kinds of tensors


def make_nested(device: str) -> torch.Tensor:
    rows = [torch.ones(2, device=device), torch.ones(3, device=device)]
    return torch.nested.nested_tensor(rows, layout=torch.jagged)


def make_fake(device: str) -> torch.Tensor:
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode().from_tensor(matrix(device))


class Wrapper(torch.Tensor):
    """A tensor subclass without data of its own: its values are in another tensor."""

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> Wrapper:
        return torch.Tensor._make_wrapper_subclass(
            cls, inner.shape, dtype=inner.dtype, device=inner.device
        )

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise NotImplementedError(f"{function} of a wrapper")

    def __repr__(self) -> str:
        return "Wrapper()"


KINDS: dict[str, Callable[[str], torch.Tensor]] = {
    "fake": make_fake,
    "meta": lambda device: torch.ones(3, 5, device="meta"),
    "sparse coo": lambda device: matrix(device).to_sparse(),
    "sparse csr": lambda device: matrix(device).to_sparse_csr(),
    "nested": make_nested,
    "wrapper subclass": lambda device: Wrapper(matrix(device)),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_tensors_without_plain_data(kind: str, target: Target, device: str) -> None:
    target.rejects([KINDS[kind](device), matrix(device), 2.0])


@pytest.mark.filterwarnings("ignore:.*quantiz.*")
@pytest.mark.filterwarnings("ignore:.*deprecat.*")
def test_quantized_tensor(target: Target) -> None:
    x = torch.quantize_per_tensor(torch.ones(3, 5), 0.1, 0, torch.qint8)
    target.rejects([x, torch.ones(3, 5), 2.0])


class Halved(torch.Tensor):
    """A tensor subclass that means something else than its data says."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


def test_subclass_with_its_own_functions(target: Target, device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device).as_subclass(Halved)
    try:
        (output,) = target.fd.execute([x, *target.good[1:]])
    except RuntimeError:
        pass
    else:
        plain = x.as_subclass(torch.Tensor)
        assert torch.equal(output, torch.relu(plain * 2.0 + target.good[1]))
    assert target.works()


def test_parameter_and_buffer_are_plain_tensors(target: Target) -> None:
    a, b, s = target.good
    for x in (torch.nn.Parameter(a, requires_grad=False), torch.nn.Buffer(a)):
        (output,) = target.fd.execute([x, b, s])
        assert torch.equal(output, target.expected)


@pytest.mark.parametrize(
    "view",
    [lambda z: z.conj(), lambda z: z.mT.conj().mT, lambda z: z.conj().conj()],
    ids=["conj", "conj of a transposed one", "conj of conj"],
)
def test_conjugated_views(view: Callable, device: str) -> None:
    z = make_tensor((3, 5), torch.complex64, device)
    x = view(z)
    fd = define(lambda fd, t: fd.ops.mul(t, 1.0), [z])
    right_or_error(fd, x, torch.resolve_conj(x))
    assert torch.equal(fd.execute([z])[0], z)


def test_negated_views(device: str) -> None:
    z = make_tensor((3, 5), torch.complex64, device)
    x = z.conj().imag
    assert x.is_neg()
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=False, dtype=DataType.Float)
        fd.add_output(fd.ops.mul(t, 1.0))
    right_or_error(fd, x, torch.resolve_neg(x))
    good = make_tensor((3, 5), torch.float32, device)
    assert torch.equal(fd.execute([good])[0], good)


def right_or_error(fd: FusionDefinition, x: torch.Tensor, expected: torch.Tensor) -> None:
    for call in (lambda: fd.execute([x]), lambda: fd.execute((x,)), lambda: fd.bind([x])(x)):
        try:
            (output,) = call()
        except RuntimeError as error:
            assert str(error)  # noqa: PT017
        else:
            assert torch.equal(output, expected)


def test_plan_bound_to_a_plain_tensor_and_called_with_a_conjugated_one(device: str) -> None:
    z = make_tensor((3, 5), torch.complex64, device)
    fd = define(lambda fd, t: fd.ops.mul(t, 1.0), [z])
    plan = fd.bind([z])
    assert torch.equal(plan(z)[0], z)
    try:
        (output,) = plan(z.conj())
    except RuntimeError:
        return
    assert torch.equal(output, z.conj().resolve_conj())


class Plain(torch.Tensor):
    """A subclass that changes nothing."""


def differentiable(a: torch.Tensor) -> dict[str, torch.Tensor]:
    leaf = a.clone().requires_grad_()
    return {
        "leaf": leaf,
        "result": leaf * 1.0,
        "view": leaf.view(3, 5),
        "parameter": torch.nn.Parameter(a.clone()),
        "subclass": a.clone().as_subclass(Plain).requires_grad_(),
        "negative view": torch._neg_view(leaf),
    }


@pytest.mark.parametrize("kind", differentiable(torch.ones(3, 5)))
@pytest.mark.parametrize("position", [0, 1])
def test_inputs_to_be_differentiated(kind: str, position: int, target: Target) -> None:
    """Their gradients would be wrong without a word: an error, except where torch records none."""
    inputs = list(target.good)
    x = differentiable(inputs[position])[kind]
    inputs[position] = x
    name = target.fd.fec.fusion().inputs()[position] if target.works() else None
    with torch.no_grad():
        (expected,) = target.fd.execute(inputs)
    plan = target.fd.bind(inputs)  # compiles, and computes nothing
    message = rf"Input {position}, {re.escape(str(name))}, is to be differentiated: .*no_grad\(\)"
    for call in (lambda: target.fd.execute(inputs), lambda: plan(*inputs)):
        with pytest.raises(RuntimeError, match=message):
            call()
        with torch.no_grad():
            assert torch.equal(call()[0], expected)
        with torch.inference_mode():
            assert torch.equal(call()[0], expected)
        with torch.no_grad(), torch.enable_grad(), pytest.raises(RuntimeError, match=message):
            call()
    inputs[position] = x.detach()
    (output,) = target.fd.execute(inputs)
    assert torch.equal(output, expected)
    assert not output.requires_grad
    frozen = torch.nn.Parameter(target.good[position], requires_grad=False)
    inputs[position] = frozen
    assert torch.equal(target.fd.execute(inputs)[0], target.expected)


def test_an_update_of_a_leaf_is_torchs_error(device: str) -> None:
    x = torch.zeros(3, device=device, requires_grad=True)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.add(t, 1.0), t)
    with pytest.raises(RuntimeError, match=r"Input 0, .* is to be differentiated"):
        fd.execute([x])
    assert x.sum() == 0
    with torch.no_grad():
        fd.execute([x])
    assert x.sum() == 3


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_tangents_of_forward_mode(target: Target) -> None:
    a, b, s = target.good
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(a, torch.ones_like(a))
        for _ in range(2):
            with pytest.raises(RuntimeError, match=r"Input 0.* a forward-mode tangent"):
                target.fd.execute([dual, b, s])
            primal = torch.autograd.forward_ad.unpack_dual(dual).primal
            assert torch.equal(target.fd.execute([primal, b, s])[0], target.expected)


def test_in_an_autograd_function(target: Target) -> None:
    """Where gradients are computed by hand, nothing stands in the way."""

    class Fused(torch.autograd.Function):
        @staticmethod
        def forward(context: Any, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return target.fd.execute([x, y, 2.0])[0]

        @staticmethod
        def backward(context: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
            gradient = gradient.contiguous()
            return target.fd.execute([gradient, gradient, 2.0])[0], None

    a, b, _ = target.good
    leaf = a.clone().requires_grad_()
    output = Fused.apply(leaf, b)
    assert torch.equal(output, target.expected)
    output.sum().backward()
    assert torch.equal(leaf.grad, torch.full_like(leaf, 3.0))


def test_numpy_arrays(target: Target) -> None:
    numpy = pytest.importorskip("numpy")
    if target.good[0].device.type != "cpu":
        return
    a, b, s = target.good
    (output,) = target.fd.execute([a.numpy(), b.numpy(), s])
    assert torch.equal(torch.as_tensor(output), target.expected)
    target.rejects([a.numpy().astype(numpy.float64), b, s])


@pytest.mark.cuda
def test_devices_that_differ(target: Target) -> None:
    a, b, s = target.good
    target.rejects([a.cpu(), b, s])
    target.rejects([a, b.cpu(), s])


def test_device_that_does_not_exist(target: Target) -> None:
    with pytest.raises((RuntimeError, AssertionError)):
        target.fd.execute(target.good, device="cuda:99")
    assert target.works()


# ------------------------------------------------------------------------- definitions


def test_operation_outside_a_definition() -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        fd.add_output(fd.ops.neg(t))
    for call in (
        lambda: nvfuser.ops.neg(t),
        lambda: nvfuser.ops.add(1.0, 2.0),
        lambda: t + 1.0,
        lambda: nvfuser.define_tensor(shape=[-1]),
        lambda: nvfuser.define_scalar(1.0),
    ):
        with pytest.raises(RuntimeError):
            call()
    assert fd.execute([torch.ones(3)])[0].tolist() == [-1.0] * 3


def test_values_of_another_fusion(device: str) -> None:
    x = torch.ones(3, device=device)
    with FusionDefinition() as other:
        foreign = other.from_pytorch(x)
        foreign_result = other.ops.neg(foreign)
        foreign_scalar = other.define_scalar(dtype=DataType.Double)
        other.add_output(foreign_result)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        for call in (
            lambda: fd.ops.add(t, foreign),
            lambda: fd.ops.neg(foreign_result),
            lambda: fd.ops.mul(t, foreign_scalar),
            lambda: fd.ops.sum(foreign, 0),
            lambda: fd.ops.reshape(foreign, [3, 1]),
            lambda: fd.ops.where(fd.ops.gt(t, 0.0), t, foreign),
            lambda: fd.add_output(foreign_result),
            lambda: fd.add_output(fd.ops.neg(t), foreign),
            lambda: fd.fusion.add_input(foreign),
        ):
            with pytest.raises(RuntimeError):
                call()
        fd.add_output(fd.ops.add(t, 1.0))
    assert torch.equal(fd.execute([x])[0], x + 1)
    assert torch.equal(other.execute([x, 1.0])[0], -x)


def test_value_that_outlives_its_fusion(device: str) -> None:
    with FusionDefinition() as gone:
        foreign = gone.define_tensor(shape=[-1], dtype=DataType.Float)
    del gone
    gc.collect()
    assert foreign.ndim == 1
    with FusionDefinition() as fd:
        with pytest.raises(RuntimeError):
            fd.ops.neg(foreign)
        fd.add_output(fd.ops.neg(fd.define_tensor(shape=[-1], dtype=DataType.Float)))
    assert fd.execute([torch.ones(2, device=device)])[0].tolist() == [-1.0, -1.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda fd, t: fd.define_tensor(shape=[-2]), RuntimeError, "neither symbolic"),
        (lambda fd, t: fd.define_tensor([3], [True, True]), RuntimeError, "Length of contiguity"),
        (lambda fd, t: fd.define_tensor(shape=[2**63]), TypeError, "incompatible function"),
        (lambda fd, t: fd.define_tensor(shape=[2.0]), TypeError, "incompatible function"),
        (lambda fd, t: fd.define_tensor([3], True, is_cpu=True), RuntimeError, "CPU non-scalar"),
        (lambda fd, t: fd.define_tensor([3], [-1]), RuntimeError, ""),
        (lambda fd, t: fd.define_tensor(sizes=[-3], strides=[1]), RuntimeError, ""),
        (lambda fd, t: fd.define_tensor([3], True, stride_order=[3]), RuntimeError, "out of range"),
        (lambda fd, t: fd.define_scalar("text"), TypeError, ""),
        (lambda fd, t: fd.define_vector("text"), TypeError, ""),
        (lambda fd, t: fd.add_output(fd.define_scalar(1.0)), RuntimeError, "Non-TensorView"),
        (lambda fd, t: fd.add_output(None), TypeError, ""),
        (lambda fd, t: fd.add_output(t, 3), TypeError, ""),
        (lambda fd, t: fd.ops.add(t, None), TypeError, ""),
        (lambda fd, t: fd.ops.add(t, "text"), TypeError, ""),
        (lambda fd, t: fd.ops.add(t), TypeError, ""),
        (lambda fd, t: fd.ops.no_such_operation(t), AttributeError, "no_such_operation"),
        (lambda fd, t: fd.ops.add(t, torch.ones(3)), TypeError, ""),
        (lambda fd, t: fd.ops.sum(t, 5), RuntimeError, ""),
        (lambda fd, t: fd.ops.cast(t, "float"), TypeError, ""),
    ],
)
def test_mistakes_in_a_definition_leave_it_usable(
    call: Callable, error: type[Exception], message: str, device: str
) -> None:
    x = torch.ones(3, device=device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        with pytest.raises(error, match=message or None):
            call(fd, t)
        fd.add_output(fd.ops.add(t, 1.0))
    assert torch.equal(fd.execute([x])[0], x + 1)


# -------------------------------------------------------------- memory, broken installation


def test_outputs_that_do_not_fit_into_memory(device: str) -> None:
    def outer(fd: FusionDefinition, x: Any, y: Any) -> Any:
        rows = fd.ops.broadcast(x, [False, True])
        return fd.ops.logical_or(rows, fd.ops.broadcast(y, [True, False]))

    small = torch.tensor([True, False], device=device)
    # 2**48 bytes: more than the address space of a process.
    huge = torch.zeros(2**24, dtype=torch.bool, device=device)
    fd = define(outer, [small, small])
    target = Target(fd, [small, small], small[:, None] | small)
    for _ in range(2):
        with pytest.raises((RuntimeError, MemoryError)):
            fd.execute([huge, huge])
        assert target.works()


BROKEN = """
import os, sys, types
import torch, nvfuser

with nvfuser.FusionDefinition() as fd:
    t = fd.define_tensor(shape=[-1], contiguity=True, dtype=nvfuser.DataType.Float)
    fd.add_output(fd.ops.neg(t))
x = torch.ones(3)

{breakage}
for _ in range(2):
    try:
        fd.execute([x])
    except Exception as error:
        assert isinstance(error, (RuntimeError, ImportError)), repr(error)
        assert "llvmlite" in str(error), str(error)
    else:
        raise SystemExit("no error")
{repair}
assert fd.execute([x])[0].tolist() == [-1.0, -1.0, -1.0]
print("survived")
"""


@pytest.mark.parametrize(
    ("breakage", "repair"),
    [
        ("sys.modules['llvmlite'] = None", "del sys.modules['llvmlite']"),
        (
            "sys.modules['llvmlite'] = types.ModuleType('llvmlite')",
            "del sys.modules['llvmlite']",
        ),
    ],
    ids=["missing", "empty"],
)
def test_broken_llvmlite(breakage: str, repair: str, tmp_path) -> None:
    import os

    # An empty cache on disk: what was compiled before would need no llvmlite.
    environment = os.environ | {"NVFUSER_CACHE_DIR": str(tmp_path)}
    result = subprocess.run(
        [sys.executable, "-c", BROKEN.format(breakage=breakage, repair=repair)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "survived"


@pytest.mark.parametrize("position", [0, 1, 2])
def test_errors_keep_no_tensor(position: int, target: Target, device: str) -> None:
    plan = target.fd.bind(target.good)
    for call in (target.fd.execute, target.fd.bind, lambda inputs: plan(*inputs)):
        inputs = [matrix(device), matrix(device), 2.0]
        inputs[position] = torch.ones(2, 2, 2, device=device)
        watched = [weakref.ref(value) for value in inputs if isinstance(value, torch.Tensor)]
        with pytest.raises(RuntimeError):
            call(inputs)
        del inputs
        gc.collect()
        assert [reference() for reference in watched] == [None] * len(watched)


def test_many_errors_leak_no_memory(target: Target, device: str) -> None:
    libc = ctypes.CDLL(None)
    libc.malloc_trim(0)

    def resident() -> int:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1])

    def fail() -> None:
        for bad in ([2, 2, 2.0], [torch.ones(400, 400, device=device), matrix(device), 2.0]):
            with pytest.raises(RuntimeError):
                target.fd.execute(bad)

    for _ in range(20):
        fail()
    before = resident()
    for _ in range(200):
        fail()
    # Every failed call held 640 kB for its bad tensor: 31 pages of 4 kB of 200 would be a leak.
    assert resident() - before < 200 * 160 // 4
    assert target.works()


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, 2**40, -(2**63)])
def test_constants_out_of_the_range_of_int32(value: int, device: str) -> None:
    x = make_tensor((2, 3), torch.int32, device)

    with FusionDefinition() as fd:
        a = fd.define_tensor([-1, -1], [True, True], DataType.Int32)
        for mistake in (
            lambda: fd.define_scalar(value, dtype=DataType.Int32),
            lambda: fd.ops.add(a, value),
            lambda: fd.ops.lt(a, value),
            lambda: fd.ops.full([3], value, DataType.Int32),
            lambda: fd.ops.iota(3, value, 1, DataType.Int32),
        ):
            with pytest.raises(RuntimeError, match=f"{value} is out of the range of dtype int"):
                mistake()
        # A cast wraps around, as in C.
        fd.add_output(fd.ops.cast(fd.ops.add(fd.ops.cast(a, DataType.Int), value), DataType.Int32))
    (y,) = fd.execute([x])
    assert torch.equal(y, (x.long() + value).int())
