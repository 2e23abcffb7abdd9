"""What a new user writes works or is answered in one sentence; signatures can be inspected."""

from __future__ import annotations

import inspect
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

import nvfuser
from nvfuser import DataType, FusionDefinition, ops
from nvfuser.signatures import data_type

torch = pytest.importorskip("torch")

HERE = Path(__file__).name
NAMES = dir(ops)


def line() -> int:
    """Return the line of the caller."""
    return sys._getframe(1).f_lineno


@pytest.fixture
def fd():
    with FusionDefinition() as definition:
        yield definition


# ------------------------------------------------------------------------------ signatures


@pytest.mark.parametrize("name", NAMES)
def test_signature_can_be_inspected(name: str) -> None:
    signature = inspect.signature(getattr(ops, name))
    assert signature.return_annotation is not inspect.Signature.empty
    for parameter in signature.parameters.values():
        assert parameter.annotation is not inspect.Parameter.empty


def test_parameters_of_definitions_are_visible() -> None:
    parameters = inspect.signature(FusionDefinition().define_tensor).parameters
    assert list(parameters) == ["shape", "contiguity", "dtype", "is_cpu", "stride_order"]
    assert list(inspect.signature(FusionDefinition().define_scalar).parameters) == [
        "value",
        "dtype",
    ]


@pytest.mark.parametrize("name", dir(nvfuser.schedule))
def test_schedules_are_answered_in_one_sentence(name: str, fd: FusionDefinition) -> None:
    function = getattr(fd.sched, name)
    assert function is getattr(nvfuser.schedule, name)
    assert inspect.signature(function).parameters
    with pytest.raises(TypeError) as caught:
        function(3, 4, 5, 6, 7, 8, 9)
    assert str(caught.value).startswith(f"{name}(): incompatible function arguments. ")
    assert "\n" not in str(caught.value)
    with pytest.raises(TypeError, match=f"There is no parameter wrong; write {name}"):
        function(wrong=1)


def test_dir_shows_the_interface_only() -> None:
    assert dir(nvfuser) == nvfuser.__all__
    assert {"os", "sys", "importlib"}.isdisjoint(dir(nvfuser))
    assert all(hasattr(nvfuser, name) for name in dir(nvfuser) if name != "multidevice")
    assert {"_C", "annotations", "types"}.isdisjoint(dir(ops))


def test_type_checker_finds_typos(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    package = Path(nvfuser.__file__).parent
    if not (package / "_C" / "operations.pyi").exists():
        pytest.skip("built without stubs")
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(
            """\
            from nvfuser import DataType, FusionDefinition, TensorView, ops

            with FusionDefinition() as fd:
                x = fd.define_tensor([-1, -1], dtype="float32")
                y: TensorView = fd.ops.softplus(fd.ops.add(x, 1.0), beta=2.0)
                z: TensorView = x.sum(0).float()[1:] + ops.relu(x).T[0]
                fd.add_output(y)
            fd.bind([1])(2, outputs=None)
            fd.ops.sun(x)
            ops.sun(x)
            x.sun()
            fd.ops.softplus(x, bta=2.0)
            fd.define_tensor([-1], dtyp=DataType.Float)
            """
        )
    )
    config = tmp_path / "mypy.ini"
    # The types of torch take a minute, and say nothing here.
    skipped = "follow_imports = skip\nfollow_imports_for_stubs = True\n"
    config.write_text(f"[mypy]\nstrict = True\n[mypy-torch.*,numpy.*]\n{skipped}")
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--follow-imports=silent",
            f"--config-file={config}",
            str(program),
        ],
        capture_output=True,
        text=True,
        env={**__import__("os").environ, "MYPYPATH": str(package.parent)},
        cwd=tmp_path,
        check=False,
    )
    errors = [int(text.split(":")[1]) for text in run.stdout.splitlines() if ": error:" in text]
    assert sorted(set(errors)) == [9, 10, 11, 12, 13], run.stdout


# ---------------------------------------------------------------------- one sentence


WRONG = [object(), "text", None, [0.5], {}, torch.ones(2), 1.5, DataType.Float, len]


@pytest.mark.parametrize("name", NAMES)
def test_no_dump_of_overloads_whatever_is_given(name: str, fd: FusionDefinition) -> None:
    x = fd.define_tensor([-1, -1])
    function = getattr(ops, name)
    calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {}), ((x,), {"no_such": 1})]
    calls += [((wrong,), {}) for wrong in WRONG]
    calls += [((x, wrong), {}) for wrong in WRONG]
    calls += [((x, x, wrong), {}) for wrong in WRONG]
    for args, kwargs in calls:
        message = misfit_of(function, args, kwargs)
        if message is not None:
            assert message.startswith(f"{name}(): incompatible function arguments. ")
            assert "\n" not in message
            assert "Invoked with" not in message


def misfit_of(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """Return the message of the TypeError of a call; None if it fits, or is wrong otherwise."""
    try:
        function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except (RuntimeError, ValueError, IndexError):
        return None
    return None


def says(call: Any, *parts: str) -> None:
    """Check the message of a call that is wrong."""
    with pytest.raises((TypeError, RuntimeError)) as caught:
        call()
    for part in parts:
        assert part in str(caught.value), caught.value


def test_sentences(fd: FusionDefinition) -> None:
    x = fd.define_tensor([-1, -1])
    f = fd.ops
    says(lambda: f.add(x, "a"), "Expected rhs to be", "but got str 'a'")
    says(lambda: f.add(x), "Missing a required argument: 'rhs'", "write add(lhs, rhs)")
    says(lambda: f.add(x, torch.ones(2, 3)), "torch.Tensor of shape [2, 3]", "fd.from_pytorch")
    says(lambda: f.sum(x, foo=1), "There is no parameter foo", "sum(arg, dim, keepdim=False")
    says(lambda: f.cast(x, "float31"), "'float31' is no dtype of nvfuser; there are float64")
    says(lambda: f.full([2], 1, x.dtype), "the function dtype (write dtype() for its result)")
    says(lambda: f.cat(x, x), "Expected tensors to be sequence of TensorView", "a TensorView")
    says(lambda: f.softplus("a"), "softplus(): ", "Expected x to be TensorView, but got str 'a'")
    says(lambda: f.softplus(x, bta=1), "There is no parameter bta", "softplus(x, beta=1.0")
    says(lambda: fd.define_tensor([1.5]), "define_tensor(): incompatible function arguments. ")
    says(lambda: fd.define_tensor([2], dtype="flot"), "'flot' is no dtype of nvfuser")
    says(lambda: x.split(0, "a"), "split(): ", "Expected factor to be int, but got str 'a'")


def test_names_of_pytorch_work(fd: FusionDefinition) -> None:
    x = fd.define_tensor([-1, 1])
    f = fd.ops
    for call in (
        lambda: f.sum(x, axis=1),
        lambda: f.sum(x, dims=1),
        lambda: f.sum(x, dim=[0, 1], keepdims=True),
        lambda: f.mean(x, axis=0),
        lambda: f.var(x, dim=0),
        lambda: f.softmax(x, axis=1),
        lambda: f.squeeze(x, 1),
        lambda: f.squeeze(x, dim=1),
        lambda: f.permute(x, dim=[1, 0]),
        lambda: f.relu(input=x),
        lambda: f.add(input=x, other=1.0),
        lambda: f.clamp(x, 1e-9),
        lambda: f.clamp(x, max=1.0),
        lambda: f.cumsum(input=x, dim=0),
        lambda: f.softplus(input=x),
    ):
        assert isinstance(call(), nvfuser.TensorView)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (torch.float32, DataType.Float),
        ("float32", DataType.Float),
        ("torch.bfloat16", DataType.BFloat16),
        ("Half", DataType.Half),
        (float, DataType.Double),
        (int, DataType.Int),
        (bool, DataType.Bool),
        (complex, DataType.ComplexDouble),
        (None, DataType.Null),
        (torch.int32, DataType.Int32),
        (torch.complex64, DataType.ComplexFloat),
        (DataType.Int, DataType.Int),
    ],
)
def test_dtypes_by_any_name(given: Any, expected: DataType) -> None:
    assert data_type(given) == expected


def test_dtypes_of_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    assert data_type(numpy.float32) == DataType.Float
    assert data_type(numpy.dtype("int64")) == DataType.Int


def test_every_dtype_of_torch_has_its_name() -> None:
    from nvfuser.pytorch_utils import torch_dtype_to_nvfuser_dtype

    for value in vars(torch).values():
        if isinstance(value, torch.dtype):
            try:
                expected = torch_dtype_to_nvfuser_dtype(value)
            except KeyError:
                continue
            assert data_type(value) == expected


def test_dtypes_are_taken_everywhere(fd: FusionDefinition) -> None:
    x = fd.define_tensor([-1, -1], dtype=torch.float32)
    assert x.dtype() == DataType.Float
    assert fd.define_tensor([-1], False, "float16").dtype() == DataType.Half
    assert fd.define_scalar(torch.int32).dtype() == DataType.Int32
    assert fd.define_scalar(2, dtype="float64").dtype() == DataType.Double
    f = fd.ops
    assert f.cast(x, torch.bfloat16).dtype() == DataType.BFloat16
    assert f.full([2], 1, dtype="int64").dtype() == DataType.Int
    assert f.sum(x, 0, dtype=torch.float64).dtype() == DataType.Double
    assert f.iota(3, dtype=float).dtype() == DataType.Double
    assert f.uniform(0.0, 1.0, [2], dtype="float32").dtype() == DataType.Float
    assert f.softmax(x, 0, dtype=torch.float64).dtype() == DataType.Double
    assert x.to(torch.float16).dtype() == DataType.Half
    assert f.zeros([2], "bool").dtype() == DataType.Bool
    assert f.norm(x, dtype=torch.float64).dtype() == DataType.Double


# --------------------------------------------------------------------- lines of the user


def message_of(fd: FusionDefinition, inputs: list[Any]) -> str:
    """Return what a run that fails says."""
    with pytest.raises(RuntimeError) as caught:
        fd.execute(inputs)
    return str(caught.value)


def test_errors_of_runs_name_the_line_of_the_input() -> None:
    with FusionDefinition() as fd:
        x, at = fd.define_tensor([-1, -1]), line()
        s, at_scalar = fd.define_scalar(DataType.Int), line()
        fd.add_output(fd.ops.add(x, s))
    text = message_of(fd, [torch.ones(2, 2).half(), 1])
    assert "to be bound to a tensor of dtype float, but got a tensor of dtype __half" in text
    assert f"{HERE}:{at}" in text
    assert "float is torch.float32" in text
    assert "__half is torch.float16" in text
    assert f"{HERE}:{at_scalar}" in message_of(fd, [torch.ones(2, 2), 1.5])
    assert f"{HERE}:{at}" in message_of(fd, [torch.ones(2), 1])
    for run in (fd.bind, fd.__copy__().execute):
        with pytest.raises(RuntimeError, match=f"where input 0 is defined at .*{HERE}:{at}"):
            run([torch.ones(2), 1])


def test_errors_of_what_runs_a_definition_name_the_line_of_the_input() -> None:
    with FusionDefinition() as fd:
        x, at = fd.define_tensor([-1, -1]), line()
        fd.add_output(x + 1.0)
    plan = fd.bind([torch.ones(2, 2)])
    runs = [plan, lambda x: fd.fec.execute([x]), lambda x: plan(x, outputs=None)]
    for run in runs:
        with pytest.raises(RuntimeError, match=f"where input 0 is defined at .*{HERE}:{at}"):
            run(torch.ones(2))
    with FusionDefinition() as other:
        x, at = other.define_tensor([-1, -1]), line()
        other.add_output(x + 1.0)
    of_its_own = nvfuser.FusionExecutorCache(other.fusion)
    with pytest.raises(RuntimeError, match=f"where input 0 is defined at .*{HERE}:{at}"):
        of_its_own.execute([torch.ones(2)])
    torch.testing.assert_close(plan(torch.ones(2, 2))[0], torch.full((2, 2), 2.0))


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_errors_of_runs_name_the_operation(name: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True)
        y, at = getattr(fd.ops, name)(x, [8]), line()
        fd.add_output(y)
    assert f"{HERE}:{at} by {name}" in message_of(fd, [torch.ones(3, 9)])


def test_errors_of_schedules_by_hand_name_the_line_of_the_input() -> None:
    with FusionDefinition() as fd:
        x, at = fd.define_tensor([-1, -1]), line()
        fd.add_output(x + 1.0)
    with pytest.raises(RuntimeError, match=f"where input 0 is defined at .*{HERE}:{at}"):
        fd.manual_execute([torch.ones(2)])


def test_errors_of_runs_name_the_line_of_the_operation() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1])
        y = fd.ops.relu(x) * 2.0
        n = fd.define_scalar(DataType.Int)
        z, at = fd.ops.reshape(y, [n, 7]), line()
        fd.add_output(fd.ops.exp(z))
    text = message_of(fd, [torch.ones(3, 4), 2])
    assert "Total element counts across view operation must match" in text
    assert f"{HERE}:{at}" in text or f"{HERE}:{at - 2}" in text, text


def test_errors_of_definitions_name_the_lines_of_operands(fd: FusionDefinition) -> None:
    x = fd.define_tensor([4, 5])
    a, at = fd.ops.exp(x)[1:], line()
    b, at_b = fd.ops.sum(x, 0) + 1.0, line()
    with pytest.raises(RuntimeError) as caught:
        fd.ops.cat([a, b])
    assert f"{HERE}:{at}" in str(caught.value) or f"{HERE}:{at_b}" in str(caught.value)


def test_lines_of_composed_operations_and_operators_are_the_users(fd: FusionDefinition) -> None:
    x = fd.define_tensor([4, 5])
    made = {}
    made[fd.ops.logsumexp(x, 1)] = line()
    made[x + 1.0] = line()
    made[2.0 * x] = line()
    made[-x] = line()
    made[x[1:, None]] = line()
    made[x.sum(0)] = line()
    made[fd.ops.split(x, 2)[1]] = line()
    for value, number in made.items():
        place = fd._sites.of_tensor(value._number)
        assert place == f"{__file__}:{number}", (value, place)


def test_definitions_that_nest_keep_their_lines_apart() -> None:
    with FusionDefinition() as outer:
        x, at = outer.define_tensor([2]), line()
        with FusionDefinition() as inner:
            inner.add_output(inner.define_tensor([3]) + 1.0)
        outer.add_output(x * 2.0)
    assert f"{HERE}:{at}" in message_of(outer, [torch.ones(3)])
    assert f"{HERE}:{at + 2}" in message_of(inner, [torch.ones(2)])
