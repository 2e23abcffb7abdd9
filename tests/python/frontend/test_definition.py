"""FusionDefinition: the definition, what becomes an input, execution, bound plans, its errors."""

from __future__ import annotations

import copy
import gc
import inspect
import pickle
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
import torch
from fusion_testing import define, make_tensor

import nvfuser
from nvfuser import DataType, Fusion, FusionDefinition, FusionExecutorCache, FusionGuard


def add_one(device: str) -> tuple[FusionDefinition, torch.Tensor]:
    x = make_tensor((3, 5), torch.float32, device)
    return define(lambda fd, t: fd.ops.add(t, 1.0), [x]), x


class DefinitionError(Exception):
    """Raised by the tests' own definitions."""


# --------------------------------------------------------------------------- import


def test_import_takes_neither_torch_nor_llvmlite() -> None:
    code = (
        "import sys, nvfuser; fd = nvfuser.FusionDefinition(); "
        "print([name for name in ('torch', 'llvmlite', 'numpy') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "name",
    [
        *("FusionDefinition", "LruFusionCache", "LRUCache", "version", "__version__"),
        *("Fusion", "FusionGuard", "FusionExecutorCache", "DataType"),
        *("define_tensor", "define_scalar", "compute_tensor_descriptor", "get_val_tolerances"),
        *("Statement", "Val", "Expr", "IterDomain", "TensorDomain", "TensorView"),
        *("Split", "Merge", "BroadcastOp", "ReshapeOp", "SqueezeOp"),
        *("ops", "nvf_cutlass", "pytorch_utils", "nvfuser_direct_version"),
    ],
)
def test_names_of_the_package(name: str) -> None:
    assert getattr(nvfuser, name) is not None
    assert name in dir(nvfuser)


def test_unknown_name_of_the_package() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        nvfuser.no_such_name  # noqa: B018


# ------------------------------------------------------------------------ definition


def test_example(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        y = fd.define_tensor(shape=[-1, -1], contiguity=True, dtype=DataType.Float)
        s = fd.define_scalar(dtype=DataType.Double)
        fd.add_output(fd.ops.relu(fd.ops.add(fd.ops.mul(x, s), y)))
    a, b = make_tensor((3, 5), torch.float32, device), make_tensor((3, 5), torch.float32, device)
    outputs = fd.execute([a, b, 2.0])
    assert isinstance(outputs, list)
    assert type(outputs[0]) is torch.Tensor
    torch.testing.assert_close(outputs[0], torch.relu(a * 2 + b))


def test_attributes_before_and_after(device: str) -> None:
    fd = FusionDefinition()
    assert fd.fusion is None
    assert not hasattr(fd, "fec")
    assert not hasattr(fd, "ke")
    assert fd.ops is nvfuser.ops
    fd._selected_device = "anything"
    assert fd._selected_device == "anything"
    x = make_tensor((3,), torch.float32, device)
    with fd as inner:
        assert inner is fd
        assert isinstance(fd.fusion, Fusion)
        assert isinstance(fd._fusion_guard, FusionGuard)
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
    under_construction = fd.fusion
    assert len(under_construction.outputs()) == 1
    assert not hasattr(fd, "fec")
    fd.execute([x])
    assert isinstance(fd.fec, FusionExecutorCache)
    assert len(fd.fusion.outputs()) == 1
    assert fd.fec is fd.fec


def test_handles_stay_valid_after_execution(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        y = fd.ops.neg(t)
        fd.add_output(y)
    fd.execute([x])
    del fd
    gc.collect()
    assert t.ndim == 2
    assert y.dtype() == DataType.Float
    assert str(y).startswith("T1_g_float")
    assert y.definition().input(0) == t


def test_executor_cache_of_the_client(device: str) -> None:
    fd, x = add_one(device)
    other, _ = add_one(device)
    other.execute([x])
    fd.fec = other.fec
    del fd._fusion
    assert fd.fusion.outputs()
    assert torch.equal(fd.execute([x])[0], x + 1)
    with pytest.raises(TypeError, match="expected a FusionExecutorCache"):
        fd.fec = fd
    assert fd.fec is other.fec
    del fd.fec
    assert not hasattr(fd, "fec")
    assert fd.fusion is None


def test_executor_is_taken_away_during_a_call(device: str) -> None:
    fd, x = add_one(device)
    fd.execute([x])

    def inputs() -> Iterator[torch.Tensor]:
        yield x
        del fd.fec
        gc.collect()

    assert torch.equal(fd.execute(inputs())[0], x + 1)
    with pytest.raises(NotImplementedError, match="Fusion does not exist"):
        fd.execute([x])


def test_copies_share_the_executor(device: str) -> None:
    fd, x = add_one(device)
    unfinished = copy.copy(fd)
    assert not hasattr(unfinished, "fec")
    fd.note = "kept"
    fd.execute([x])
    same = copy.copy(fd)
    assert type(same) is FusionDefinition
    assert same.fec is fd.fec
    assert same.note == "kept"
    del fd
    assert torch.equal(same.execute([x])[0], x + 1)


def test_pickled_and_deep_copies_are_definitions_of_their_own(device: str) -> None:
    fd, x = add_one(device)
    fd.note = ["kept"]
    ways: list[Callable[[FusionDefinition], FusionDefinition]] = [
        copy.deepcopy,
        *(
            lambda fd, protocol=protocol: pickle.loads(pickle.dumps(fd, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ]
    for _ in range(2):
        for way in ways:
            other = way(fd)
            assert type(other) is FusionDefinition
            assert not hasattr(other, "fec")
            assert other.fusion == fd.fusion
            assert other.note == ["kept"]
            assert other.note is not fd.note
            assert torch.equal(other.execute([x])[0], x + 1)
        fd.execute([x], save_repro_inputs=True)
    module = torch.nn.Sequential(torch.nn.Linear(2, 2))
    module.fusion = fd
    again = copy.deepcopy(module)
    assert torch.equal(again.fusion.execute([x])[0], x + 1)


def test_what_is_not_defined_is_copied_as_it_is() -> None:
    for way in (copy.copy, copy.deepcopy, lambda fd: pickle.loads(pickle.dumps(fd))):
        empty = way(FusionDefinition())
        with pytest.raises(NotImplementedError, match="Fusion does not exist"):
            empty.execute([])
        with empty:
            empty.add_output(empty.define_tensor([-1]))
        assert len(empty.fusion.inputs()) == 1
    failed = FusionDefinition()
    with pytest.raises(ZeroDivisionError), failed:
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="its definition raised ZeroDivisionError"):
        copy.deepcopy(failed)


def test_subclasses_override_execute(device: str) -> None:
    class Counting(FusionDefinition):
        def __init__(self) -> None:
            super().__init__()
            self.count = 0

        def execute(self, inputs: list, **options: object) -> list:
            self.count += 1
            return super().execute(inputs, **options)

    x = make_tensor((3, 5), torch.float32, device)
    with Counting() as fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
    out = torch.empty_like(x)
    assert torch.equal(fd.execute([x])[0], -x)
    assert fd.execute([x], outputs=[out])[0] is out
    fd.validate([x])
    assert fd.count == 3
    # As an attribute, too.
    fd.execute = lambda inputs: "own"
    assert fd.execute([x]) == "own"


def test_inputs_are_in_order_of_definition() -> None:
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1], dtype=DataType.Float)
        b = fd.define_scalar(dtype=DataType.Int)
        c = fd.define_scalar(2.5)
        d = fd.define_scalar(value=None, dtype=DataType.Double)
        e = fd.define_scalar(None, DataType.Bool)
        v = fd.define_vector(2)
        f = fd.define_tensor([3, 4], [4, 1], DataType.Half)
        fd.add_output(fd.ops.mul(a, c))
    assert fd.fusion.inputs() == [a, b, d, e, *v, f]
    assert not c.is_symbolic()
    assert all(scalar.is_symbolic() for scalar in (b, d, e, *v))


def test_module_level_definitions_are_no_inputs() -> None:
    with FusionDefinition() as fd:
        t = nvfuser.define_tensor(shape=[-1], dtype=DataType.Float)
        s = nvfuser.define_scalar(dtype=DataType.Int)
        assert fd.fusion.inputs() == []
        fd.fusion.add_input(t)
        assert fd.fusion.inputs() == [t]
        fd.add_output(fd.ops.neg(t))
    assert s.is_symbolic()


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(True, "Bool"), (3, "Int"), (2.5, "Double"), (1j, "ComplexDouble")],
)
def test_dtype_of_a_constant(value: complex, dtype: str, device: str) -> None:
    x = make_tensor((4,), torch.complex128, device)
    fd = define(lambda fd, t: fd.ops.mul(t, fd.define_scalar(value)), [x])
    torch.testing.assert_close(fd.execute([x])[0], x * value)
    with FusionDefinition() as fd:
        scalar = fd.define_scalar(value)
        like = fd.ops.full([2], scalar, dtype=getattr(DataType, dtype))
        fd.add_output(like)
    assert fd.execute([], device=device)[0].tolist() == [value, value]


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_constants_that_are_not_finite(value: float, device: str) -> None:
    x = torch.tensor([1.0, 0.0], device=device)
    fd = define(lambda fd, t: fd.ops.add(t, fd.define_scalar(value)), [x])
    torch.testing.assert_close(fd.execute([x])[0], x + value, equal_nan=True)


def test_vector_is_passed_as_list_tuple_or_elements(device: str) -> None:
    x = make_tensor((6, 4), torch.float32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.neg(fd.ops.reshape(t, fd.define_vector(2))))
    for inputs in ([x, [4, 6]], [x, (4, 6)], [x, 4, 6], (x, [4], 6), iter([x, [4, 6]])):
        (output,) = fd.execute(inputs)
        assert torch.equal(output, -x.reshape(4, 6))


def test_nested_definitions(device: str) -> None:
    x = make_tensor((3,), torch.float32, device)
    with FusionDefinition() as outer:
        t = outer.from_pytorch(x)
        with FusionDefinition() as inner:
            u = inner.from_pytorch(x)
            inner.add_output(inner.ops.neg(u))
        outer.add_output(outer.ops.add(t, 1.0))
    assert torch.equal(outer.execute([x])[0], x + 1)
    assert torch.equal(inner.execute([x])[0], -x)


def test_execution_inside_another_definition(device: str) -> None:
    fd, x = add_one(device)
    with FusionDefinition() as outer:
        t = outer.from_pytorch(x)
        (output,) = fd.execute([x])
        outer.add_output(outer.ops.neg(t))
    assert torch.equal(output, x + 1)
    assert torch.equal(outer.execute([x])[0], -x)


def test_every_thread_has_its_own_definition(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    barrier = threading.Barrier(4)
    results: list[torch.Tensor | None] = [None] * 4

    def work(number: int) -> None:
        with FusionDefinition() as fd:
            barrier.wait()
            t = fd.from_pytorch(x)
            barrier.wait()
            for _ in range(number + 1):
                t = fd.ops.add(t, 1.0)
            barrier.wait()
            fd.add_output(t)
        (results[number],) = fd.execute([x])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, result in enumerate(results):
        torch.testing.assert_close(result, x + number + 1)


def test_many_threads_run_one_fusion(device: str) -> None:
    fd, _ = add_one(device)
    barrier = threading.Barrier(8)
    wrong = []

    def work(number: int) -> None:
        barrier.wait()
        for size in (1, 5, 9, 1000):
            x = torch.full((number + 1, size), float(number), device=device)
            for _ in range(50):
                (output,) = fd.execute([x])
                if output.shape != x.shape or not bool((output == number + 1).all()):
                    wrong.append((number, size))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_second_definition_replaces_the_first(device: str) -> None:
    fd, x = add_one(device)
    fd.execute([x])
    with fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
    assert not hasattr(fd, "fec")
    assert torch.equal(fd.execute([x])[0], -x)


def test_entered_twice() -> None:
    fd = FusionDefinition()
    with fd, pytest.raises(RuntimeError, match="already being defined"):
        fd.__enter__()


# ------------------------------------------------------------------------ from_pytorch


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.ones(3, 5),
        lambda: torch.ones(3, 1, 5),
        lambda: torch.ones(5, 3).t(),
        lambda: torch.ones(3, 1).expand(3, 7),
        lambda: torch.ones(6, 6)[::2, 1::2],
        lambda: torch.ones(0, 4),
        lambda: torch.ones(3, dtype=torch.bfloat16),
        lambda: torch.ones(3, dtype=torch.bool),
        lambda: torch.ones(3, dtype=torch.complex64),
        lambda: torch.tensor(2.5),
    ],
)
@pytest.mark.parametrize("static_sizes", [False, True], ids=["symbolic", "static"])
def test_from_pytorch(make, static_sizes: bool, device: str) -> None:
    x = make().to(device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x, static_sizes=static_sizes)
        assert fd.fusion.inputs() == [t]
        assert t.ndim == x.dim()
        fd.add_output(fd.ops.set(t))
    (output,) = fd.execute([x])
    assert output.dtype == x.dtype
    assert torch.equal(output, x)


def test_from_pytorch_sizes_are_symbolic_or_static(device: str) -> None:
    x, y = torch.ones(3, 5, device=device), torch.ones(4, 6, device=device)
    for static, fits in ((False, True), (True, False)):
        with FusionDefinition() as fd:
            fd.add_output(fd.ops.neg(fd.from_pytorch(x, static)))
        assert torch.equal(fd.execute([x])[0], -x)
        if fits:
            assert torch.equal(fd.execute([y])[0], -y)
        else:
            with pytest.raises(RuntimeError):
                fd.execute([y])


@pytest.mark.parametrize(
    ("tensor", "error", "message"),
    [
        (lambda: torch.ones(3, device="meta"), ValueError, "Found unsupported device meta"),
        (lambda: torch.ones(3).to_sparse(), ValueError, "Found unsupported layout"),
        (lambda: torch.ones(3, dtype=torch.float8_e4m3fnuz), KeyError, "float8_e4m3fnuz"),
        (lambda: [1.0, 2.0], TypeError, "takes a torch.Tensor, but got list"),
    ],
    ids=["meta", "sparse", "float8_e4m3fnuz", "list"],
)
def test_from_pytorch_of_unsupported_tensors(tensor, error: type, message: str) -> None:
    with FusionDefinition() as fd:
        with pytest.raises(error, match=message or None):
            fd.from_pytorch(tensor())
        assert fd.fusion.inputs() == []
        fd.add_output(fd.from_pytorch(torch.ones(3)))


# -------------------------------------------------------------------------- execution


def test_execute_shows_its_signature() -> None:
    parameters = inspect.signature(FusionDefinition().execute).parameters
    assert list(parameters) == [
        *("inputs", "device", "outputs", "save_repro_inputs"),
        *("_enable_options", "_disable_options"),
    ]
    assert parameters["outputs"].kind is inspect.Parameter.KEYWORD_ONLY


def test_unknown_keyword(device: str) -> None:
    fd, x = add_one(device)
    for _ in range(2):
        with pytest.raises(TypeError, match="no_such_option"):
            fd.execute([x], no_such_option=1)
        fd.execute([x])


def test_options_of_a_call(device: str) -> None:
    fd, x = add_one(device)
    for _ in range(2):
        (output,) = fd.execute(
            [x], _enable_options=["id_model_extra_validation"], _disable_options=["kernel_reuse"]
        )
        assert torch.equal(output, x + 1)
    with pytest.raises(RuntimeError, match="Unrecognized enable_option: no_such"):
        fd.execute([x], _enable_options=["no_such"])
    with pytest.raises(RuntimeError, match="Unrecognized disable_option: no_such"):
        fd.execute([x], _disable_options=["no_such"])
    assert torch.equal(fd.execute([x])[0], x + 1)


def test_device_of_a_call(device: str) -> None:
    fd, x = add_one(device)
    for where in (None, device, torch.device(device), x.device):
        (output,) = fd.execute([x], device=where)
        assert output.device == x.device
    for wrong in ("no such device", "meta", 1000, 2.5, []):
        with pytest.raises((RuntimeError, TypeError, ValueError, AssertionError)):
            fd.execute([x], device=wrong)
    assert torch.equal(fd.execute([x])[0], x + 1)


def test_inputs_may_be_any_iterable(device: str) -> None:
    fd, x = add_one(device)
    for inputs in ([x], (x,), iter([x]), {x: 1}.keys()):
        assert torch.equal(fd.execute(inputs)[0], x + 1)


def test_parameters_and_requires_grad(device: str) -> None:
    fd, x = add_one(device)
    for tensor in (torch.nn.Parameter(x), x.clone().requires_grad_()):
        with torch.no_grad():
            (output,) = fd.execute([tensor])
        assert not output.requires_grad
        assert torch.equal(output, x + 1)


def test_save_repro_inputs(device: str) -> None:
    from torch._subclasses.fake_tensor import FakeTensor

    x = make_tensor((6, 4), torch.float32, device).t()
    fd = define(lambda fd, t, s: fd.ops.mul(t, s), [x, 2.5])
    assert not hasattr(fd, "fake_inputs")
    with pytest.raises(AssertionError, match="cannot provide a repro because"):
        fd.last_repro_script()
    fd.execute(iter([x, 2.5]), save_repro_inputs=True)
    fake, number = fd.fake_inputs
    assert isinstance(fake, FakeTensor)
    assert (fake.shape, fake.stride(), fake.dtype) == (x.shape, x.stride(), x.dtype)
    assert number == 2.5


def test_outputs_are_new_each_time(device: str) -> None:
    fd, x = add_one(device)
    (first,), (second,) = fd.execute([x]), fd.execute([x])
    assert first.data_ptr() != second.data_ptr()


def test_outputs_and_inputs_are_not_kept(device: str) -> None:
    fd, x = add_one(device)
    (output,) = fd.execute([x])
    plan = fd.bind([x])
    plan(x)
    references = [weakref.ref(x), weakref.ref(output)]
    del x, output
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_definition_is_released(device: str) -> None:
    fd, x = add_one(device)
    fd.execute([x])
    reference = weakref.ref(fd)
    del fd
    assert reference() is None


def test_definition_in_a_cycle_is_collected(device: str) -> None:
    fd, x = add_one(device)
    fd.execute([x])
    assert fd.fec in gc.get_referents(fd)
    fd.itself = fd
    reference = weakref.ref(fd)
    del fd
    gc.collect()
    assert reference() is None


# ------------------------------------------------------------------------- bound plans


def test_bound_plan(device: str) -> None:
    x = make_tensor((3, 5), torch.float32, device)
    fd = define(lambda fd, t, s: fd.ops.mul(t, s), [x, 2.0])
    plan = fd.bind([x, 2.0])
    for _ in range(3):
        outputs = plan(x, 3.0)
        assert isinstance(outputs, list)
        assert torch.equal(outputs[0], x * 3)
    given = torch.empty(3, 5, device=device)
    outputs = plan(x, 4.0, outputs=[given])
    assert outputs[0].data_ptr() == given.data_ptr()
    assert torch.equal(given, x * 4)


def test_bound_plan_of_a_fusion_that_was_never_run(device: str) -> None:
    fd, x = add_one(device)
    assert torch.equal(fd.bind([x])(x)[0], x + 1)
    assert torch.equal(fd.execute([x])[0], x + 1)


def test_bound_plan_never_runs_what_it_was_not_made_for(device: str) -> None:
    fd, x = add_one(device)
    plan = fd.bind([x])
    bad = [(), (x, x), (x.double(),), (x[0],), (2.5,), (None,), ([x, x],)]
    for inputs in bad:
        with pytest.raises((RuntimeError, TypeError)):
            plan(*inputs)
    with pytest.raises(TypeError):
        plan(x, no_such_keyword=1)
    assert torch.equal(plan(x)[0], x + 1)


def test_bound_plan_with_another_size_is_right_or_an_error(device: str) -> None:
    fd, x = add_one(device)
    plan = fd.bind([x])
    y = make_tensor((7, 9), torch.float32, device)
    try:
        (output,) = plan(y)
    except RuntimeError:
        return
    assert torch.equal(output, y + 1)


def test_bound_plan_outlives_its_definition(device: str) -> None:
    fd, x = add_one(device)
    plan = fd.bind([x])
    del fd
    gc.collect()
    assert torch.equal(plan(x)[0], x + 1)


# -------------------------------------------------------------------------- validation


def test_validate_with_references(device: str) -> None:
    fd, x = add_one(device)
    (output,) = fd.validate([x], [x + 1])
    assert torch.equal(output, x + 1)
    with pytest.raises(AssertionError, match="Output 0 differs from its reference"):
        fd.validate([x], [x + 1.01])
    with pytest.raises(AssertionError, match="Expected 2 outputs, but got 1"):
        fd.validate([x], [x + 1, x])
    with pytest.raises(AssertionError, match="Output 0 has shape"):
        fd.validate([x], [(x + 1)[:1]])


def test_validate_compares_integers_exactly(device: str) -> None:
    x = make_tensor((5,), torch.int64, device)
    fd = define(lambda fd, t: fd.ops.add(t, 1), [x])
    fd.validate([x], [x + 1])
    with pytest.raises(AssertionError, match="Output 0 differs from its reference"):
        fd.validate([x], [x + 2])


def test_tolerances_follow_dtype_and_reductions(device: str) -> None:
    x = make_tensor((4, 4096), torch.float32, device)
    fd = define(
        lambda fd, t: [
            fd.ops.neg(t),
            fd.ops.sum(t, 1),
            fd.ops.sum(t, [0, 1]),
            fd.ops.gt(t, 0.0),
            fd.ops.cast(t, DataType.Half),
            fd.ops.cast(t, DataType.BFloat16),
        ],
        [x],
    )
    tolerances = nvfuser.get_val_tolerances(fd.fusion, [x])
    atol = [pair[0] for pair in tolerances]
    assert atol[0] == pytest.approx(1.7e-6)
    assert atol[0] < atol[1] < atol[2] < 3.4e-3
    assert tolerances[0][1] == tolerances[0][0]
    assert tolerances[1][1] == pytest.approx(tolerances[1][0] * 0.01)
    assert tolerances[3] == (0.0, 0.0)
    assert atol[4] == pytest.approx(3.9e-3)
    assert atol[5] == pytest.approx(3.9e-2)


def test_validate_definition(device: str) -> None:
    fd, _ = add_one(device)
    assert fd.validate_definition() == (True, None)
    valid, message = FusionDefinition().validate_definition()
    assert not valid
    assert "Fusion does not exist!" in message
    with FusionDefinition() as empty:
        pass
    assert empty.validate_definition()[0] is False
    assert "Fusion is empty!" in empty.validate_definition()[1]


# ------------------------------------------------------------------------------ errors


def test_execute_before_a_definition() -> None:
    fd = FusionDefinition()
    message = "Fusion does not exist! Use `with FusionDefinition() as fd: ...` to define a fusion."
    for call in (fd.execute, fd.bind, fd.manual_execute):
        with pytest.raises(NotImplementedError) as error:
            call([])
        assert message in str(error.value)


def test_execute_of_an_empty_fusion() -> None:
    with FusionDefinition() as fd:
        pass
    for call in (fd.execute, fd.bind, fd.manual_execute):
        with pytest.raises(NotImplementedError, match="Fusion is empty!"):
            call([])


def test_execute_inside_its_own_definition(device: str) -> None:
    x = make_tensor((3,), torch.float32, device)
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
        with pytest.raises(RuntimeError, match="The definition is not finished"):
            fd.execute([x])
    assert torch.equal(fd.execute([x])[0], -x)


def define_and_fail(fd: FusionDefinition) -> None:
    with fd:
        fd.add_output(fd.ops.neg(fd.define_tensor(shape=[-1], dtype=DataType.Float)))
        raise DefinitionError("half way")


def test_definition_that_raises(device: str) -> None:
    x = make_tensor((3,), torch.float32, device)
    fd = FusionDefinition()
    with pytest.raises(DefinitionError, match="half way"):
        define_and_fail(fd)
    for call in (fd.execute, fd.bind, fd.manual_execute):
        with pytest.raises(RuntimeError, match="its definition raised DefinitionError: half way"):
            call([x])
    assert fd.validate_definition()[0] is False
    repr(fd)
    with pytest.raises(RuntimeError):
        nvfuser.ops.add(1.0, 2.0)  # no definition is active
    with fd:
        fd.add_output(fd.ops.neg(fd.from_pytorch(x)))
    assert torch.equal(fd.execute([x])[0], -x)


def test_definition_that_raises_inside_another(device: str) -> None:
    x = make_tensor((3,), torch.float32, device)
    with FusionDefinition() as outer:
        t = outer.from_pytorch(x)
        with pytest.raises(DefinitionError):
            define_and_fail(FusionDefinition())
        outer.add_output(outer.ops.add(t, 1.0))
    assert torch.equal(outer.execute([x])[0], x + 1)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("define_tensor", ([3],)),
        ("define_scalar", ()),
        ("define_vector", (2,)),
        ("from_pytorch", (torch.ones(3),)),
        ("add_output", (None,)),
    ],
)
def test_outside_of_the_definition(name: str, arguments: tuple, device: str) -> None:
    fd, x = add_one(device)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="only possible in the `with` block"):
            getattr(fd, name)(*arguments)
        assert torch.equal(fd.execute([x])[0], x + 1)


def test_manual_execute_after_execute(device: str) -> None:
    fd, x = add_one(device)
    fd.execute([x])
    with pytest.raises(AssertionError) as error:
        fd.manual_execute([x])
    assert "FusionExecutorCache already exists! Use execute() to execute the fusion." in str(
        error.value
    )


def test_execute_after_manual_execute(device: str) -> None:
    fd, x = add_one(device)
    fd.ke = object()  # what manual_execute() leaves behind
    with pytest.raises(AssertionError) as error:
        fd.execute([x])
    assert "KernelExecutor already exists! Use manual_execute() to execute the fusion." in str(
        error.value
    )
