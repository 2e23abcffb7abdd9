"""The call itself: execute() and bound plans, outputs of all kinds, references, threads, fork."""

from __future__ import annotations

import copy
import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from fusion_testing import NVFUSER_DTYPES, define
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from nvfuser import _C, DataType, FusionDefinition


def add_relu() -> FusionDefinition:
    """relu(a + b) for contiguous matrices of any size."""
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1], contiguity=True)
        b = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.relu(fd.ops.add(a, b)))
    return fd


@pytest.fixture
def fd() -> FusionDefinition:
    return add_relu()


@pytest.fixture(params=["execute", "bound plan", "bound plan of another shape"])
def call(request: pytest.FixtureRequest, fd: FusionDefinition) -> Callable[..., list[torch.Tensor]]:
    """Every way to run the fusion, as a function of inputs and outputs."""
    if request.param == "execute":
        return fd.execute
    shape = (3, 4) if request.param == "bound plan" else (5, 2)
    plan = fd.bind([torch.ones(shape), torch.ones(shape)])
    return lambda inputs, outputs=None: plan(*inputs, outputs=outputs)


def example(*shape: int) -> tuple[list[torch.Tensor], torch.Tensor]:
    shape = shape or (3, 4)
    a, b = torch.randn(shape), torch.randn(shape)
    return [a, b], torch.relu(a + b)


# ---------------------------------------------------------------- signatures


def test_result_is_a_new_list_of_new_tensors(call: Callable) -> None:
    inputs, expected = example()
    first = call(inputs)
    second = call(inputs)
    assert type(first) is list
    assert len(first) == 1
    assert type(first[0]) is torch.Tensor
    assert torch.equal(first[0], expected)
    assert torch.equal(second[0], expected)
    assert first is not second
    assert first[0].data_ptr() != second[0].data_ptr()


def test_shapes_may_change_from_call_to_call(call: Callable) -> None:
    for shape in [(3, 4), (1, 1), (7, 0), (3, 4), (100, 200), (2, 3), (3, 4)]:
        inputs, expected = example(*shape)
        assert torch.equal(call(inputs)[0], expected)


def test_inputs_by_keyword_and_as_tuple(fd: FusionDefinition) -> None:
    inputs, expected = example()
    run = fd.bind(inputs) and fd.fec.execute
    for given in (inputs, tuple(inputs), iter(inputs)):
        assert torch.equal(run(given)[0], expected)
    assert torch.equal(run(inputs=inputs, device=None, outputs=None)[0], expected)


@pytest.mark.parametrize("of", ["definition", "executor"])
def test_mistaken_calls_of_execute(fd: FusionDefinition, of: str) -> None:
    inputs, _ = example()
    fd.execute(inputs)
    run = fd.execute if of == "definition" else fd.fec.execute
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'inputs'"):
        run()
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        run(inputs, None)
    with pytest.raises(TypeError, match="unexpected keyword argument 'output'"):
        run(inputs, output=None)
    with pytest.raises(TypeError, match="multiple values for argument 'inputs'"):
        run(inputs, inputs=inputs)
    if of == "executor":
        with pytest.raises(TypeError, match="unexpected keyword argument 'save_repro_inputs'"):
            run(inputs, save_repro_inputs=True)
    for device in ("gpu", "cuda:", "cuda:x", "cuda:256", -1, 256, 2**70, 1.5, True):
        with pytest.raises(RuntimeError, match="Expected a device"):
            run(inputs, device=device)
    assert torch.equal(run(inputs, device="cpu")[0], run(inputs)[0])
    assert torch.equal(run(inputs, device=torch.device("cpu"))[0], run(inputs)[0])
    with pytest.raises(RuntimeError, match="Expected the options to be a list of names"):
        run(inputs, _enable_options=[1])


def test_no_frame_of_python_runs(fd: FusionDefinition) -> None:
    inputs, expected = example()
    plan = fd.bind(inputs)
    called = []

    def note(frame: Any, event: str, argument: object) -> None:
        if event == "call":
            called.append(frame.f_code.co_name)

    for outputs in (None, [torch.empty(3, 4)]):
        plan(*inputs, outputs=outputs)
        # Bound to the definition it is the same function: only binding is done in Python.
        execute = fd.execute
        sys.setprofile(note)
        try:
            results = (
                fd.execute(inputs, outputs=outputs),
                execute(inputs, outputs=outputs),
                plan(*inputs, outputs=outputs),
            )
        finally:
            sys.setprofile(None)
        assert called == []
        assert all(torch.equal(result[0], expected) for result in results)


def test_mistaken_calls_of_a_plan(fd: FusionDefinition) -> None:
    inputs, expected = example()
    plan = fd.bind(inputs)
    with pytest.raises(TypeError, match="unexpected keyword argument 'out'"):
        plan(*inputs, out=None)
    with pytest.raises(RuntimeError):
        plan(inputs[0])
    with pytest.raises(RuntimeError):
        plan(*inputs, 1.0)
    assert torch.equal(plan(*inputs)[0], expected)


def test_a_plan_outlives_its_definition() -> None:
    inputs, expected = example()
    plan = add_relu().bind(inputs)
    gc.collect()
    assert torch.equal(plan(*inputs)[0], expected)
    assert torch.equal(plan(*example(6, 7)[0])[0].new_tensor(1.0), torch.tensor(1.0))


def test_a_plan_is_only_made_by_bind(fd: FusionDefinition) -> None:
    plan = fd.bind(example()[0])
    assert type(plan) is _C.BoundPlan
    with pytest.raises(TypeError):
        _C.BoundPlan()
    with pytest.raises(TypeError):
        copy.copy(plan)
    with pytest.raises(TypeError):

        class Derived(_C.BoundPlan):
            pass


def test_every_way_to_call_a_plan(fd: FusionDefinition) -> None:
    inputs, expected = example()
    plan = fd.bind(inputs)
    out = torch.empty(3, 4)
    for result in (
        plan(*inputs),
        plan(inputs[0], inputs[1]),
        plan(inputs),
        plan(*inputs, outputs=None),
        plan(*inputs, outputs=[out]),
        plan(*inputs, **{"outputs": (out,)}),
        plan.__call__(*inputs, outputs=[out]),
        next(map(plan, [inputs[0]], [inputs[1]])),
    ):
        assert torch.equal(result[0], expected)


def test_an_executor_cache_without_a_fusion() -> None:
    empty = _C.FusionExecutorCache.__new__(_C.FusionExecutorCache)
    with pytest.raises(RuntimeError, match="__init__"):
        empty.execute([])
    with pytest.raises((RuntimeError, TypeError)):
        empty.bind([])
    with pytest.raises(TypeError):
        _C.FusionExecutorCache.bind(3, [])
    with pytest.raises(TypeError):
        _C.FusionExecutorCache.execute(3, [])


def test_inspection(fd: FusionDefinition) -> None:
    inputs, _ = example()
    fd.bind(inputs)
    assert fd.fec.is_compiled(inputs)
    assert not fd.fec.is_compiled([inputs[0]])
    code = fd.fec.get_cuda_kernel(inputs)
    assert code.strip()
    # What the kernel calls of the library is behind it, or in front.
    assert code in fd.fec.get_cuda_kernel(inputs, intrinsic_code=True)
    assert fd.fec.get_scheduled_ir(inputs).strip()
    assert fd.fec.get_most_recent_scheduled_ir().strip()
    assert fd.fec.get_output_shardings() == []
    with pytest.raises(RuntimeError):
        fd.fec.get_cuda_kernel([inputs[0]])


def test_oldest_plan_gives_way(device: str) -> None:
    """One at a time, where a program has sizes without end; what is used again stays."""
    limit = 4096
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.neg(x))
    memory = torch.ones(limit + 20, device=device)

    def run(size: int) -> None:
        fd.execute([memory[:size]])

    for size in range(1, limit + 1):
        run(size)
    run(1)
    for size in range(limit + 1, limit + 11):
        run(size)
    known = [fd.fec.is_compiled([memory[:size]]) for size in range(1, limit + 11)]
    assert known == [True] + [False] * 10 + [True] * (limit - 1)


# ---------------------------------------------------------------- outputs given by the caller


def test_given_outputs_are_written_and_returned(call: Callable) -> None:
    inputs, expected = example()
    for outputs in ([torch.full((3, 4), 9.0)], (torch.full((3, 4), 9.0),)):
        result = call(inputs, outputs=outputs)
        assert result is not outputs
        assert result[0] is outputs[0]
        assert torch.equal(outputs[0], expected)


def test_none_among_the_outputs_is_allocated() -> None:
    a = torch.randn(3, 4)
    fd = define(lambda fd, t: [fd.ops.neg(t), fd.ops.mul(t, 2.0)], [a])
    out = torch.empty(3, 4)
    for result in (fd.execute([a], outputs=[None, out]), fd.bind([a])(a, outputs=[None, out])):
        assert torch.equal(result[0], -a)
        assert result[1] is out
        assert torch.equal(out, a * 2)


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ([torch.empty(4, 3)], r"Output 0: expected a tensor of shape \[3, 4\] but got one"),
        ([torch.empty(12)], r"expected a tensor of shape \[3, 4\] but got one of shape \[12\]"),
        ([torch.empty(4, 3).mT], r"strides \[4, 1\] but got one of strides \[1, 3\]"),
        ([torch.empty(1, 1).expand(3, 4)], r"strides \[4, 1\] but got one of strides \[0, 0\]"),
        ([torch.empty(3, 4, dtype=torch.float64)], "dtype Float but got one of dtype Double"),
        ([torch.empty(3, 4, dtype=torch.int32)], "dtype Float but got one of dtype Int32"),
        (
            [torch.empty(3, 4, dtype=torch.float8_e4m3fnuz)],
            r"Output 0: .*is of dtype torch\.float8_e4m3fnuz",
        ),
        ([torch.empty(3, 4, device="meta")], "Output 0: .*has no memory"),
        ([torch.empty(3, 4, dtype=torch.complex64).conj().imag], "negative view"),
        ([torch.nn.Parameter(torch.empty(3, 4))], "requires grad"),
        ([torch.empty(3, 4), torch.empty(3, 4)], "Expected 1 output but got 2"),
        ([], "Expected 1 output but got 0"),
        (torch.empty(3, 4), "Expected outputs to be a list"),
        (["text"], "Output 0: expected a torch.Tensor, a NumPy array or None, but got a str"),
    ],
    ids=[
        *(
            "transposed shape",
            "rank",
            "strides",
            "expanded",
            "float64",
            "int32",
            "float8_e4m3fnuz",
            "meta",
        ),
        *("negative view", "requires grad", "too many", "too few", "no list", "no tensor"),
    ],
)
def test_given_outputs_that_do_not_fit(call: Callable, outputs: Any, message: str) -> None:
    inputs, expected = example()
    with pytest.raises(RuntimeError, match=message):
        call(inputs, outputs=outputs)
    assert torch.equal(call(inputs)[0], expected)


def test_strides_of_dimensions_of_size_one_do_not_matter(call: Callable) -> None:
    inputs, expected = example(1, 4)
    out = torch.empty(3, 4)[:1].as_strided((1, 4), (99, 1))
    call(inputs, outputs=[out])
    assert torch.equal(out, expected)
    empty = torch.empty(0, 4)
    call([torch.ones(0, 4), torch.ones(0, 4)], outputs=[empty.as_strided((0, 4), (7, 7))])


def test_output_in_the_middle_of_other_memory(call: Callable) -> None:
    inputs, expected = example()
    memory = torch.full((5, 3, 4), 7.0)
    call(inputs, outputs=[memory[2]])
    assert torch.equal(memory[2], expected)
    assert (memory[[0, 1, 3, 4]] == 7).all()


def test_an_output_may_be_an_input_of_an_elementwise_fusion(call: Callable) -> None:
    (a, b), expected = example()
    try:
        call([a, b], outputs=[a])
    except RuntimeError as error:
        # Where the plan does not promise it, the input must be as it was.
        assert "is the same memory as input 0" in str(error)  # noqa: PT017
        assert torch.equal(torch.relu(a + b), expected)
    else:
        assert torch.equal(a, expected)


def test_an_output_must_not_be_an_input_that_is_read_later() -> None:
    a = torch.randn(40, 40)
    fd = define(lambda fd, t: fd.ops.sub(t, fd.ops.sum(t, [0])), [a])
    with pytest.raises(RuntimeError, match="Output 0 is the same memory as input 0"):
        fd.execute([a], outputs=[a])


@pytest.mark.parametrize(
    ("part", "other"),
    [
        (lambda m: m[0:3], lambda m: m[1:4]),
        (lambda m: m[0:3], lambda m: m[2:5]),
        (lambda m: m.view(-1)[0:12].view(3, 4), lambda m: m.view(-1)[11:23].view(3, 4)),
        (lambda m: m.view(-1)[4:16].view(3, 4), lambda m: m.view(-1)[1:13].view(3, 4)),
    ],
)
def test_outputs_must_not_overlap_inputs(call: Callable, part: Callable, other: Callable) -> None:
    memory = torch.randn(6, 4)
    before = memory.clone()
    with pytest.raises(RuntimeError, match="Output 0 overlaps the memory of input 1"):
        call([torch.ones(3, 4), part(memory)], outputs=[other(memory)])
    assert torch.equal(memory, before)


def test_interleaved_memory_is_no_overlap() -> None:
    """What other elements lie between those of an input does not matter."""
    memory = torch.randn(6, 8)
    column = memory[:, 0]
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=False)
        fd.add_output(fd.ops.neg(t))
    result = fd.execute([column], outputs=[memory.view(-1)[1:7]])
    assert torch.equal(result[0], -column)
    assert torch.equal(memory[0, 1:7], -column)
    with pytest.raises(RuntimeError, match="Output 0 overlaps the memory of input 0"):
        fd.execute([column], outputs=[memory.view(-1)[3:9]])


def test_outputs_must_not_overlap_each_other() -> None:
    a = torch.randn(3, 4)
    fd = define(lambda fd, t: [fd.ops.neg(t), fd.ops.mul(t, 2.0)], [a])
    memory = torch.empty(6, 4)
    with pytest.raises(RuntimeError, match="Output 1 overlaps the memory of output 0"):
        fd.execute([a], outputs=[memory[:3], memory[2:5]])
    with pytest.raises(RuntimeError, match="Output 1 overlaps the memory of output 0"):
        fd.execute([a], outputs=[memory[:3], memory[:3]])
    fd.execute([a], outputs=[memory[:3], memory[3:]])
    assert torch.equal(memory, torch.cat([-a, a * 2]))


def test_outputs_that_are_inputs_take_no_tensor(fd: FusionDefinition) -> None:
    a = torch.randn(3, 4)
    fd = define(lambda fd, t: [fd.ops.neg(t), t], [a])
    result = fd.execute([a])
    assert result[1] is a
    assert fd.execute([a], outputs=[torch.empty(3, 4), None])[1] is a
    with pytest.raises(RuntimeError, match=r"Output 1 is input 0 .* pass None"):
        fd.execute([a], outputs=[None, torch.empty(3, 4)])


def test_autograd_is_told_of_written_outputs(call: Callable) -> None:
    inputs, _ = example()
    out = torch.ones(3, 4)
    weight = torch.ones(3, 4, requires_grad=True)
    product = (weight * out).sum()  # keeps `out` for the gradient of `weight`
    call(inputs, outputs=[out])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_outputs_that_require_grad_are_written_without_autograd(call: Callable) -> None:
    inputs, expected = example()
    parameter = torch.nn.Parameter(torch.zeros(3, 4))
    with torch.no_grad():
        call(inputs, outputs=[parameter])
    assert torch.equal(parameter, expected)
    inference_inputs, expected = example()
    with torch.inference_mode():
        out = torch.empty(3, 4)
        call(inference_inputs, outputs=[out])
    assert torch.equal(out, expected)


# ---------------------------------------------------------------- in-place updates


def accumulate(x: torch.Tensor) -> FusionDefinition:
    """x += 1 in place, nothing else."""
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=False)
        one = fd.ops.add(t, 1.0)
        fd.add_output(one, t)
        fd.add_output(fd.ops.neg(one))
    return fd


def test_updated_inputs() -> None:
    x = torch.zeros(3, 4)
    weight = torch.ones(3, 4, requires_grad=True)
    product = (weight * x).sum()
    result = accumulate(x).execute([x])
    assert torch.equal(result[-1], torch.full((3, 4), -1.0))
    assert torch.equal(x, torch.ones(3, 4))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()


def test_inputs_that_cannot_be_updated() -> None:
    fd = accumulate(torch.zeros(3, 4))
    z = torch.ones(3, 4, dtype=torch.complex64)
    with pytest.raises(RuntimeError, match="Input 0 is updated in place, but its memory"):
        fd.execute([z.conj().imag])
    assert torch.equal(z, torch.ones(3, 4, dtype=torch.complex64))
    plan = fd.bind([torch.zeros(3, 4)])
    with pytest.raises(RuntimeError, match="Input 0 is updated in place, but its memory"):
        plan(z.conj().imag)


# ---------------------------------------------------------------- marked views, in a call


def test_conjugate_and_negative_views_give_their_values() -> None:
    z = torch.randn(3, 4, dtype=torch.complex64)
    fd = define(lambda fd, t: fd.ops.mul(t, 2.0), [z])
    assert torch.equal(fd.execute([z])[0], z * 2)
    assert torch.equal(fd.execute([z.conj()])[0], z.conj() * 2)
    x = torch._neg_view(torch.randn(3, 4))
    fd = define(lambda fd, t: [fd.ops.mul(t, 2.0), t], [torch.randn(3, 4)])
    plan = fd.bind([torch.randn(3, 4)])
    for result in (fd.execute([x]), plan(x)):
        assert torch.equal(result[0], x * 2)
        assert result[1] is x


def test_views_of_inputs_share_their_memory() -> None:
    x = torch.randn(3, 4)
    fd = define(lambda fd, t: fd.ops.permute(t, [1, 0]), [x])
    for private in (True, False):
        _C.configure_torch_interop(use_private_functions=private)
        try:
            for given in (x, x.clone().requires_grad_(), torch.randn(5, 4)[1:4]):
                with torch.no_grad():
                    (view,) = fd.execute([given])
                assert torch.equal(view, given.detach().mT)
                assert not view.requires_grad
        finally:
            _C.configure_torch_interop()


def test_without_the_private_functions_of_torch(call: Callable) -> None:
    used = _C.configure_torch_interop(read_tensor_layout=False, use_private_functions=False)
    try:
        assert not any(used.values())
        inputs, expected = example()
        assert torch.equal(call(inputs)[0], expected)
        assert torch.equal(call(inputs, outputs=[torch.empty(3, 4)])[0], expected)
    finally:
        used = _C.configure_torch_interop()
    assert used["tensor_layout"]
    assert used["native_empty_strided_cpu"]


def test_native_allocation_is_that_of_python() -> None:
    inputs = [torch.ones(3, 2).to(dtype).t() for dtype in NVFUSER_DTYPES]
    fd = define(lambda fd, *tensors: [fd.ops.set(tensor) for tensor in tensors], inputs)
    results = []
    for private in (True, False):
        _C.configure_torch_interop(use_private_functions=private)
        try:
            results.append(fd.execute(inputs))
        finally:
            _C.configure_torch_interop()
    for x, native, other in zip(inputs, *results, strict=True):
        assert type(native) is type(other) is torch.Tensor
        assert x.data_ptr() != native.data_ptr() != other.data_ptr()
        assert native.dtype == other.dtype == x.dtype
        assert native.stride() == other.stride()
        assert native.untyped_storage().nbytes() == other.untyped_storage().nbytes() > 0
        assert native.tolist() == other.tolist() == x.tolist()


def huge_output() -> tuple[FusionDefinition, list[int]]:
    with FusionDefinition() as fd:
        size = fd.define_scalar(dtype=DataType.Int)
        fd.add_output(fd.ops.full([size], fd.define_scalar(1.0), DataType.Float))
    return fd, [2**50]


def test_no_memory_for_an_output() -> None:
    messages = []
    fd, inputs = huge_output()
    for private in (True, False):
        _C.configure_torch_interop(use_private_functions=private)
        try:
            with pytest.raises(RuntimeError, match="allocate memory") as caught:
                fd.execute(inputs, device="cpu")
            assert torch.equal(fd.execute([3], device="cpu")[0], torch.ones(3))
        finally:
            _C.configure_torch_interop()
        messages.append(str(caught.value).splitlines()[0])
    assert messages[0] == messages[1]


def test_native_allocation_that_differs_from_python_is_not_used(
    monkeypatch: pytest.MonkeyPatch, call: Callable
) -> None:
    inputs, expected = example()

    def raises(*arguments: object) -> torch.Tensor:
        raise RuntimeError("own")

    def row_major(sizes: tuple, strides: tuple, dtype: torch.dtype) -> torch.Tensor:
        return torch.empty(sizes, dtype=dtype)

    for other, message in ((row_major, None), (raises, "own")):
        try:
            with monkeypatch.context() as patch:
                patch.setattr(torch._C._dynamo.guards, "_empty_strided_cpu", other)
                used = _C.configure_torch_interop()
                assert not used["native_empty_strided_cpu"]
                if message is None:
                    assert torch.equal(call(inputs)[0], expected)
                else:
                    with pytest.raises(RuntimeError, match=message):
                        call(inputs)
        finally:
            used = _C.configure_torch_interop()
        assert used["native_empty_strided_cpu"]
    assert torch.equal(call(inputs)[0], expected)


@pytest.mark.parametrize("read_tensor_layout", [True, False])
def test_modifications_are_counted(call: Callable, read_tensor_layout: bool) -> None:
    used = _C.configure_torch_interop(read_tensor_layout=read_tensor_layout)
    assert used["tensor_versions"] is read_tensor_layout
    try:
        inputs, expected = example()
        out = torch.empty(3, 4)
        alias = out.view(12)
        for count in range(3):
            assert out._version == alias._version == count
            call(inputs, outputs=[out])
        assert torch.equal(out, expected)
        with torch.inference_mode():
            out = torch.empty(3, 4)
            assert torch.equal(call(inputs, outputs=[out])[0], expected)
    finally:
        _C.configure_torch_interop()


@pytest.mark.parametrize("read_tensor_layout", [True, False])
def test_outputs_that_are_lazy_copies(call: Callable, read_tensor_layout: bool) -> None:
    _C.configure_torch_interop(read_tensor_layout=read_tensor_layout)
    try:
        inputs, expected = example()
        original = torch.zeros(3, 4)
        call(inputs, outputs=[original])
        original.zero_()
        copy = torch._lazy_clone(original)
        call(inputs, outputs=[copy])
        assert torch.equal(copy, expected)
        assert torch.equal(original, torch.zeros(3, 4))
    finally:
        _C.configure_torch_interop()


def test_while_a_mode_of_torch_is_active(call: Callable) -> None:
    inputs, expected = example()
    with FakeTensorMode() as mode:
        for _ in range(2):
            (fake,) = call([mode.from_tensor(x) for x in inputs])
            assert type(fake) is FakeTensor
            assert fake.shape == expected.shape
        # Of tensors that are none: torch's error, as for any of its operators.
        with pytest.raises(AssertionError, match="convert all Tensors to FakeTensors"):
            call(inputs)
    with torch.device("meta"):
        assert torch.equal(call(inputs)[0], expected)
    assert torch.equal(call(inputs)[0], expected)


@pytest.mark.parametrize("stride_order", [(0, 1), (1, 0)])
def test_layout_of_allocated_outputs(stride_order: tuple[int, int]) -> None:
    x = torch.randn(3, 4)
    fd = define(lambda fd, t: fd.ops.stride_order(fd.ops.neg(t), list(stride_order)), [x])
    (out,) = fd.execute([x])
    assert out.stride() == ((1, 3) if stride_order == (0, 1) else (4, 1))
    assert torch.equal(out, -x)


# ---------------------------------------------------------------- references


def references(objects: list[Any]) -> list[int]:
    gc.collect()
    return [sys.getrefcount(value) for value in objects]


def test_calls_keep_nothing(call: Callable) -> None:
    inputs, _ = example()
    out = torch.empty(3, 4)
    outputs = [out]
    held = [*inputs, inputs, out, outputs, torch.float32]
    call(inputs, outputs=outputs)
    call(inputs)
    before = references(held)
    for _ in range(5000):
        call(inputs, outputs=outputs)
        call(inputs)
    assert references(held) == before


def test_errors_keep_nothing(call: Callable) -> None:
    inputs, _ = example()
    wrong = torch.empty(4, 3)
    held = [*inputs, inputs, wrong, torch.float32]
    before: list[int] = []
    for _ in range(200):
        for bad, outputs in (
            ([*inputs, object()], None),
            (inputs[:1], None),
            ([inputs[0], torch.ones(2, 2)], None),
            ([inputs[0], inputs[1].double()], None),
            (inputs, [wrong]),
            (inputs, [inputs[0][:, :2]]),
            (inputs, ["text"]),
        ):
            with pytest.raises(RuntimeError):
                call(bad, outputs=outputs)
        del bad, outputs
        # What is imported or cached once counts once.
        before = before or references(held)
    assert references(held) == before


def test_outputs_belong_to_the_caller_alone(fd: FusionDefinition) -> None:
    inputs, _ = example()
    result = fd.execute(inputs)
    # As many as a tensor in a list of this function's own has. (Not written as one assertion:
    # pytest keeps what is compared.)
    counts = sys.getrefcount(result[0]), sys.getrefcount(result)
    other = [torch.empty(3)]
    expected = sys.getrefcount(other[0]), sys.getrefcount(other)
    assert counts == expected


def test_plans_give_back_what_they_cache() -> None:
    before = references([torch.float32])
    for size in range(1, 50):
        fd = add_relu()
        fd.execute(example(size, size)[0])
        fd.bind(example(size, size)[0])
        del fd
    assert references([torch.float32]) == before


def test_nothing_is_left_at_exit() -> None:
    script = """
        import torch
        from nvfuser import FusionDefinition

        with FusionDefinition() as fd:
            t = fd.define_tensor(shape=[-1], contiguity=True)
            fd.add_output(fd.ops.neg(t))
        plan = fd.bind([torch.ones(3)])
        print(plan(torch.ones(3)), fd.execute([torch.ones(300000)])[0].sum())
        del fd, plan, t
    """
    environment = {**os.environ, "NVFUSER_LEAK_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "leaked" not in done.stderr, done.stderr
    assert "-300000" in done.stdout


# ---------------------------------------------------------------- threads and processes


def run_in_threads(functions: list[Callable[[], None]]) -> None:
    with ThreadPoolExecutor(len(functions)) as pool:
        for future in [pool.submit(function) for function in functions]:
            future.result(timeout=240)


def test_many_threads_share_one_definition(fd: FusionDefinition) -> None:
    plan = fd.bind(example(5, 5)[0])

    def work(index: int) -> Callable[[], None]:
        def run() -> None:
            for round_ in range(60):
                # Sizes on both sides of where work is shared and Python's lock is released.
                size = (3, 17 + index, 300)[round_ % 3]
                inputs, expected = example(size, size)
                assert torch.equal(fd.execute(inputs)[0], expected)
                assert torch.equal(plan(*inputs)[0], expected)
                out = torch.empty(size, size)
                assert torch.equal(plan(*inputs, outputs=[out])[0], expected)

        return run

    run_in_threads([work(index) for index in range(4)])


def test_list_of_inputs_changed_by_another_thread(fd: FusionDefinition) -> None:
    shape = (300, 300)
    a, b = torch.ones(shape), torch.ones(shape)
    inputs = [a, b]
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            # For a moment the list holds the only references to these.
            inputs[:] = [torch.ones(shape), torch.ones(shape)]

    def call() -> None:
        try:
            for _ in range(200):
                assert (fd.execute(inputs)[0] == 2).all()
        finally:
            stop.set()

    run_in_threads([change, call])


def test_other_threads_run_during_long_kernels(fd: FusionDefinition) -> None:
    inputs, expected = example(2000, 2000)
    out = torch.empty_like(expected)
    plan = fd.bind(inputs)
    begun, ran = threading.Event(), threading.Event()

    def other() -> None:
        begun.wait()
        ran.set()

    thread = threading.Thread(target=other)
    interval = sys.getswitchinterval()
    # Nobody is made to give Python's lock away: the other thread runs when a kernel lets it.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        begun.set()
        for _ in range(200):
            plan(*inputs, outputs=[out])
            if ran.is_set():
                break
        assert ran.is_set()
    finally:
        sys.setswitchinterval(interval)
        thread.join()
    assert torch.equal(out, expected)


def test_no_other_thread_runs_during_short_kernels(fd: FusionDefinition) -> None:
    inputs, expected = example(8, 8)
    out = torch.empty_like(expected)
    plan = fd.bind(inputs)
    stop = threading.Event()
    turns = 0

    def other() -> None:
        nonlocal turns
        while not stop.is_set():
            turns += 1
            time.sleep(0)

    thread = threading.Thread(target=other)
    interval = sys.getswitchinterval()
    # Nobody is made to give Python's lock away: the other thread runs when a kernel lets it.
    sys.setswitchinterval(1000)
    try:
        thread.start()
        time.sleep(0.01)
        before = turns
        for _ in range(2000):
            plan(*inputs, outputs=[out])
        assert turns == before > 0
    finally:
        sys.setswitchinterval(interval)
        stop.set()
        thread.join()
    assert torch.equal(out, expected)


def test_number_of_threads_follows_torch(fd: FusionDefinition) -> None:
    inputs, expected = example(1000, 1000)
    before = torch.get_num_threads()
    try:
        for count in (1, 2, 3, before):
            torch.set_num_threads(count)
            assert torch.equal(fd.execute(inputs)[0], expected)
    finally:
        torch.set_num_threads(before)


@pytest.mark.skipif(
    not (sys.platform == "linux" and torch.backends.openmp.is_available()),
    reason="torch has no OpenMP threads here",
)
def test_kernels_run_on_the_threads_of_torch() -> None:
    program = """
import os, torch
from nvfuser import FusionDefinition
torch.set_num_threads(3)
x = torch.randn(1000, 1000)
x.exp()
before = len(os.listdir("/proc/self/task"))
with FusionDefinition() as fd:
    fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
assert torch.equal(fd.execute([x])[0], -x)
print(before, len(os.listdir("/proc/self/task")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before, after = map(int, done.stdout.split())
    assert before >= 3
    assert after == before


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted by /proc")
def test_small_problems_stay_on_the_calling_thread() -> None:
    program = """
import os, torch
from nvfuser import FusionDefinition
torch.set_num_threads(3)
counts = []
for n in (50, 2000):
    x = torch.ones(n, n)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
    before = len(os.listdir("/proc/self/task"))
    for _ in range(3):
        fd.execute([x])
    counts += [before, len(os.listdir("/proc/self/task"))]
print(*counts)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    before_small, after_small, _, after_large = map(int, done.stdout.split())
    assert after_small == before_small
    assert after_large >= after_small + 2


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_forked_processes_can_run_fusions(fd: FusionDefinition) -> None:
    inputs, expected = example(1000, 1000)
    assert torch.equal(fd.execute(inputs)[0], expected)
    wanted = expected.numpy().tobytes()
    out = torch.empty(1000, 1000)
    for _ in range(2):
        child = os.fork()
        if child == 0:
            # No other library's threads are used here: those might not survive the fork.
            status = 1
            try:
                fd.execute(inputs, outputs=[out])
                status = 0 if out.numpy().tobytes() == wanted else 2
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert torch.equal(fd.execute(inputs)[0], expected)


def test_scalars_only(device: str) -> None:
    with FusionDefinition() as fd:
        n = fd.define_scalar(dtype=DataType.Double)
        fd.add_output(fd.ops.full([2, 3], n, DataType.Float))
    for value in (1.5, 2.5):
        (out,) = fd.execute([value])
        assert type(out) is torch.Tensor
        assert torch.equal(out, torch.full((2, 3), value, device=device))


def test_sums_and_products_of_scalars_take_no_time_for_each_path() -> None:
    # 2**60 paths lead from the last scalar to the first one, an operand or a size.
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], dtype=DataType.Float)
        scalar = fd.define_scalar(dtype=DataType.Int)
        for _ in range(60):
            scalar = fd.ops.add(scalar, scalar)
        size = fd.ops.add(scalar, fd.define_scalar(4))
        full = fd.ops.full([size], fd.define_scalar(2.0), DataType.Float)
        fd.add_output(fd.ops.add(full, x))
        fd.add_output(fd.ops.mul(x, scalar))
    sums, products = fd.execute([torch.ones(4), 0])
    assert sums.tolist() == [3.0] * 4
    assert products.tolist() == [0.0] * 4
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], dtype=DataType.Float)
        scalar = fd.define_scalar(dtype=DataType.Int)
        for _ in range(60):
            scalar = fd.ops.mul(scalar, scalar)
        fd.add_output(fd.ops.sum(fd.ops.reshape(x, [scalar, -1]), [1]))
    assert fd.execute([torch.ones(3, 2), 1])[0].tolist() == [6.0]
    # The text names what would double with every further operation.
    assert len(str(full)) < 100_000


def test_an_output_may_not_overwrite_what_another_one_reads() -> None:
    x, y = torch.randn(100), torch.randn(100)
    with FusionDefinition() as fd:
        a, b = fd.from_pytorch(x), fd.from_pytorch(y)
        fd.add_output(fd.ops.add(b, 1.0))
        fd.add_output(fd.ops.mul(a, 2.0))
    # `x` is not an operand of output 0, so it may be read after that output is written.
    with pytest.raises(RuntimeError, match="still read after"):
        fd.execute([x, y], outputs=[x, None])
    (first, second) = fd.execute([x, y], outputs=[y, None])
    assert first is y
    assert torch.equal(second, x * 2)


def test_without_arrays_the_outputs_tell_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with a GPU, where the default would be that."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.iota(8, dtype=DataType.Int))
    given = torch.empty(8, dtype=torch.int64, device="cpu")
    (out,) = fd.execute([], outputs=[given])
    assert out is given
    assert out.tolist() == list(range(8))
