"""The printed definition: its text, and that it defines a fusion with the same outputs again.

That it holds for every fusion of every test is checked where they are defined, see round_trip.py.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from fusion_testing import define, make_tensor
from round_trip import printed_again

import nvfuser
from nvfuser import DataType, FusionDefinition, FusionGuard, LRUCache


def statements(fd: FusionDefinition) -> list[str]:
    """Return the lines of the function, without those that define inputs and outputs."""
    head, *body = repr(fd).splitlines()
    assert head == "def nvfuser_fusion(fd : FusionDefinition) -> None :"
    assert all(line.startswith("    ") for line in body)
    inside = [line[4:] for line in body]
    return [line for line in inside if "define_tensor" not in line and "add_output" not in line]


def printed(body: Callable[..., Any], *inputs: Any) -> list[str]:
    """Return the statements of a fusion of static sizes."""
    return statements(define(body, inputs, static_sizes=True))


MATRIX = torch.zeros(2, 8)


# ------------------------------------------------------------------------------ text


def test_inputs() -> None:
    with FusionDefinition() as fd:
        fd.define_tensor(shape=[-1, 8], contiguity=[True, None])
        fd.define_scalar(DataType.Int)
        fd.define_tensor(shape=[1, 0, 4], contiguity=False, dtype=DataType.Half)
        fd.define_tensor(shape=[-1, 3], contiguity=True, stride_order=[0, 1])
        fd.define_tensor(shape=[], contiguity=[], is_cpu=True, dtype=DataType.Double)
        fd.define_tensor(shape=[4, 6], contiguity=True, dtype=DataType.Float4_e2m1fn_x2)
    assert repr(fd).splitlines()[1:] == [
        "    tv0 = fd.define_tensor(shape=[-1, 8], contiguity=[True, None], "
        "dtype=DataType.Float, is_cpu=False)",
        "    c4 = fd.define_scalar(None, dtype=DataType.Int)",
        "    tv1 = fd.define_tensor(shape=[1, 0, 4], contiguity=[None, False, False], "
        "dtype=DataType.Half, is_cpu=False)",
        "    tv2 = fd.define_tensor(shape=[-1, 3], contiguity=[True, True], "
        "dtype=DataType.Float, is_cpu=False, stride_order=[0, 1])",
        "    tv3 = fd.define_tensor(shape=[], contiguity=[], dtype=DataType.Double, is_cpu=True)",
        "    tv4 = fd.define_tensor(shape=[4, 12], contiguity=[True, True], "
        "dtype=DataType.Float4_e2m1fn, is_cpu=False)",
    ]


def test_outputs_and_updates_in_place() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        y = fd.ops.add(x, 1.0)
        fd.add_output(y, x)
        fd.add_output(y)
        fd.add_output(x)
    assert repr(fd).splitlines()[-3:] == [
        "    fd.add_output(tv1, tv0)",
        "    fd.add_output(tv1)",
        "    fd.add_output(tv0)",
    ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3.0, "3.00000"),
        (1 / 3, "0.3333333333333333"),
        (True, "True"),
        (-7, "-7"),
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        (1 + 0.5j, "1.00000+0.500000j"),
    ],
)
def test_constants(number: complex, text: str) -> None:
    x = torch.zeros(2, dtype=torch.complex128)
    lines = printed(lambda fd, t: fd.ops.where(fd.ops.isreal(t), number, number), x)
    assert lines == ["tv1 = fd.ops.isreal(tv0)", f"tv2 = fd.ops.where(tv1, {text}, {text})"]


def test_constants_of_other_dtypes_are_named() -> None:
    lines = printed(lambda fd, t: fd.ops.mul(t, fd.define_scalar(2, DataType.Int32)), MATRIX.int())
    assert lines == [
        "c3 = fd.define_scalar(2, dtype=DataType.Int32)",
        "tv1 = fd.ops.mul(tv0, c3)",
    ]


# Every operation that is not element-wise, and those that consist of others.
OPERATIONS: dict[str, tuple[Callable[..., Any], list[str]]] = {
    "cast": (
        lambda fd, t: fd.ops.cast(t, DataType.Half),
        ["tv1 = fd.ops.cast(tv0, dtype=DataType.Half)"],
    ),
    "set": (lambda fd, t: fd.ops.set(t), ["tv1 = fd.ops.cast(tv0, dtype=DataType.Float)"]),
    "segment_set": (lambda fd, t: fd.ops.segment_set(t), ["tv1 = fd.ops.segment_set(tv0)"]),
    "gelu": (
        lambda fd, t: fd.ops.gelu(fd.ops.gelu(t), approximate="tanh"),
        ["tv1 = fd.ops.gelu(tv0)", 'tv2 = fd.ops.gelu(tv1, approximate="tanh")'],
    ),
    "sum": (
        lambda fd, t: fd.ops.sum(t, -1),
        ["tv1 = fd.ops.sum(tv0, dims=[1], dtype=DataType.Float)"],
    ),
    "max, keepdim": (
        lambda fd, t: fd.ops.max(t, 0, keepdim=True),
        [
            "tv1 = fd.ops.max(tv0, dims=[0])",
            "tv2 = fd.ops.broadcast(tv1, is_broadcast_dim=[True, False])",
        ],
    ),
    "sum of size 1": (
        lambda fd, t: fd.ops.sum(fd.ops.broadcast(t, [True, False, False]), 0),
        [
            "tv1 = fd.ops.broadcast(tv0, is_broadcast_dim=[True, False, False])",
            "tv2 = fd.ops.squeeze(tv1, dims=[0])",
        ],
    ),
    "max of expanded": (
        lambda fd, t: fd.ops.max(fd.ops.broadcast_in_dim(t, [2, 3, 8], [0, 2]), 1),
        [
            "tv1 = fd.ops.broadcast(tv0, is_broadcast_dim=[False, True, False])",
            "tv2 = fd.ops.expand(tv1, shape=[2, 3, 8])",
            "tv3 = fd.ops.squeeze(tv2, dims=[1], squeeze_expanded=True)",
        ],
    ),
    "reshape": (
        lambda fd, t: fd.ops.reshape(t, [-1]),
        ["tv1 = fd.ops.reshape(tv0, new_shape=[16])"],
    ),
    "permute": (
        lambda fd, t: fd.ops.permute(t, [-1, 0]),
        ["tv1 = fd.ops.permute(tv0, dims=[1, 0])"],
    ),
    "stride_order": (
        lambda fd, t: fd.ops.stride_order(t, [0, 1]),
        ["tv1 = fd.ops.stride_order(tv0, stride_order=[0, 1])"],
    ),
    "slice": (
        lambda fd, t: fd.ops.slice(t, [0, 2], [2, 100]),
        [
            "tv1 = fd.ops.slice(tv0, start_indices=[0, 2], end_indices=[2, 8], strides=[1, 1], "
            "manual_normalization=True)"
        ],
    ),
    "pad": (
        lambda fd, t: fd.ops.pad(fd.ops.pad(t, [1, 2]), [0, 0, 3, -1], 1.5),
        [
            "tv1 = fd.ops.pad(tv0, pad_widths=[1, 2, 0, 0])",
            "tv2 = fd.ops.pad(tv1, pad_widths=[0, 0, 3, -1], value=1.50000)",
        ],
    ),
    "cat": (
        lambda fd, t: fd.ops.cat([t, fd.ops.neg(t)], -1),
        [
            "tv1 = fd.ops.neg(tv0)",
            "tv2 = fd.ops.pad(tv0, pad_widths=[0, 8, 0, 0])",
            "tv3 = fd.ops.pad(tv1, pad_widths=[8, 0, 0, 0])",
            "tv4 = fd.ops.cat([tv2, tv3], dim=1, manual_padding=True)",
        ],
    ),
    "full": (
        lambda fd, t: fd.ops.full([2, 3], 7, DataType.Int),
        ["tv1 = fd.ops.full(shape=[2, 3], fill_value=7, dtype=DataType.Int)"],
    ),
    "iota": (
        lambda fd, t: [
            fd.ops.iota(5),
            fd.ops.iota(5, 1.0, 0.5, dtype=DataType.Double),
        ],
        [
            "tv1 = fd.ops.iota(length=5)",
            "tv2 = fd.ops.iota(length=5, start=1.00000, step=0.500000, dtype=DataType.Double)",
        ],
    ),
    "scan": (
        lambda fd, t: fd.ops.cummax(fd.ops.cumsum(t, -1), 0, init=2.0),
        ["tv1 = fd.ops.cumsum(tv0, dim=1)", "tv2 = fd.ops.cummax(tv1, dim=0, init=2.00000)"],
    ),
    "random": (
        lambda fd, t: [
            fd.ops.uniform(0.0, 2.0, [3], dtype=DataType.Half),
            fd.ops.normal(0.0, 1.0, [t.size(0)], rng_seed=1, rng_offset=2),
            fd.ops.rand_like(t),
        ],
        [
            "tv1 = fd.ops.uniform(0.00000, 2.00000, shape=[3], dtype=DataType.Half)",
            "tv2 = fd.ops.normal(0.00000, 1.00000, shape=[2], rng_seed=1, rng_offset=2)",
            "tv3 = fd.ops.uniform(0.00000, 1.00000, shape=[2, 8])",
        ],
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation(name: str) -> None:
    body, lines = OPERATIONS[name]
    assert printed(body, MATRIX) == lines


def test_sizes_are_read_from_tensors() -> None:
    fd = define(lambda fd, t: fd.ops.full([fd.ops.size(t, 1), 2], 0, DataType.Int), [MATRIX])
    (size, full) = statements(fd)
    name = size.partition(" ")[0]
    assert size == f"{name} = fd.ops.size(tv0, dim=1)"
    assert full == f"tv1 = fd.ops.full(shape=[{name}, 2], fill_value=0, dtype=DataType.Int)"


def test_composed_operations_are_expanded() -> None:
    used = set()
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        for name in ("var", "var_mean", "welford"):
            results = getattr(fd.ops, name)(x, [1])
            for result in results if isinstance(results, tuple) else [results]:
                fd.add_output(result)
        fd.add_output(fd.ops.triu(x))
        fd.add_output(fd.ops.softmax(x, 1))
    for line in statements(fd):
        used.add(line.partition("fd.ops.")[2].partition("(")[0])
    assert not used & {"var", "var_mean", "welford", "triu", "softmax"}
    assert used >= {"sum", "sub", "mul", "truediv", "broadcast", "iota", "where", "exp", "max"}


def test_an_order_in_memory_that_was_set() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        y = fd.ops.neg(x)
        y.set_allocation_domain([y.axis(1), y.axis(0)], True)
        fd.add_output(y)
    assert statements(fd) == [
        "tv1 = fd.ops.neg(tv0)",
        "tv1.set_allocation_domain([tv1.axis(1), tv1.axis(0)], True)",
    ]


def test_without_definition_and_without_operations() -> None:
    assert repr(FusionDefinition()) == "<FusionDefinition without a fusion>"
    with FusionDefinition() as fd:
        assert repr(fd) == "def nvfuser_fusion(fd : FusionDefinition) -> None :\n    pass\n"


def test_while_it_is_being_defined() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4], contiguity=True)
        fd.ops.exp(fd.ops.neg(x))
        assert statements(fd) == ["tv1 = fd.ops.neg(tv0)", "tv2 = fd.ops.exp(tv1)"]


def test_what_cannot_be_printed_is_an_error() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4], contiguity=True)
        fd.ops.add(x, nvfuser.define_scalar(DataType.Double))
    with pytest.raises(RuntimeError, match="No Python definition: the scalar d2 is neither"):
        repr(fd)
    with pytest.raises(TypeError):
        nvfuser.translate_fusion(fd)  # a Fusion is expected


def test_of_a_fusion() -> None:
    fusion = nvfuser.Fusion()
    guard = FusionGuard(fusion)
    x = nvfuser.define_tensor([-1], True)
    fusion.add_input(x)
    fusion.add_output(nvfuser.ops.exp(x))
    del guard
    assert "tv1 = fd.ops.exp(tv0)" in nvfuser.translate_fusion(fusion)


def test_a_scheduled_definition_is_printed_without_its_schedule() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1, -1], contiguity=True)
        y = fd.ops.sum(x, 1)
        fd.add_output(y)
        before = repr(fd)
        y.axis(0).parallelize(nvfuser.ParallelType.grid_x)
        assert repr(fd) == before


def test_print_math() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[2], contiguity=True)
        y = fd.define_tensor(shape=[2], contiguity=True)
        fd.ops.exp(x)
        fd.add_output(fd.ops.add(x, y))
    assert fd.fusion.print_math() == (
        "Inputs:\n"
        "  T0_g_float[iS0{2}]\n"
        "  T1_g_float[iS1{2}]\n"
        "Outputs:\n"
        "  T3_g_float[iS3{2}]\n"
        "\n"
        "%kernel_math {\n"
        "T3_g_float[iS3{2}]\n"
        "   = T0_g_float[iS0{2}]\n"
        "   + T1_g_float[iS1{2}];\n"
        "} // %kernel_math \n\n"
    )
    assert "   = expf(T0_g_float[iS0{2}]);\n" in fd.fusion.print_math(from_outputs_only=False)
    assert str(fd.fusion) == fd.fusion.print_math()


# ---------------------------------------------------------------------------- results


def test_outputs_of_the_copy(device: str) -> None:
    x = make_tensor((4, 6, 5), torch.bfloat16, device)
    y = make_tensor((5, 6), torch.float32, device).t()

    def body(fd: FusionDefinition, x: Any, y: Any, s: Any) -> list[Any]:
        z = fd.ops.add(fd.ops.softmax(x, 1), fd.ops.mul(y, s))
        return [
            fd.ops.stride_order(z, [2, 0, 1]),
            fd.ops.permute(fd.ops.slice(z, [1, 0, 0], [3, 6, 4]), [2, 0, 1]),
            fd.ops.expand(fd.ops.broadcast(y, [True, False, False]), [3, -1, -1]),
            x,
        ]

    fd = define(body, [x, y, 0.1])
    copy = printed_again(fd)
    inputs = [x, y, 0.1]
    for output, reference in zip(copy.execute(inputs), fd.execute(inputs), strict=True):
        assert torch.equal(output, reference)
        assert output.stride() == reference.stride()
    # The definition stays printable when the fusion has moved into an executor cache.
    assert printed_again(fd).fusion == copy.fusion


def test_in_place_updates_of_the_copy(device: str) -> None:
    with FusionDefinition() as fd:
        total = fd.define_tensor(shape=[-1], contiguity=True)
        x = fd.define_tensor(shape=[-1], contiguity=True)
        y = fd.ops.add(total, x)
        fd.add_output(y, total)
        fd.add_output(fd.ops.mul(y, 2.0))
    values = torch.zeros(5, device=device)
    (doubled,) = printed_again(fd).execute([values, torch.ones(5, device=device)])
    assert values.tolist() == [1.0] * 5
    assert doubled.tolist() == [2.0] * 5


def test_of_a_cached_fusion(device: str) -> None:
    fd = define(lambda fd, t: fd.ops.exp(t), [MATRIX.to(device)])
    text = repr(fd)
    fd.fec = LRUCache(max_fusions=1).cache_compile(fd.fusion)
    del fd._fusion
    assert repr(fd) == text


# ----------------------------------------------------------------------- reproducers


def test_script_without_inputs() -> None:
    fd = define(lambda fd, t: fd.ops.exp(t), [MATRIX])
    lines = fd.repro_script_for().splitlines()
    assert lines[0] == "# CUDA devices:"
    assert f"# torch version: {torch.__version__}" in lines
    assert f"# cuda version: {torch.version.cuda}" in lines
    assert lines[lines.index("import torch") :] == [
        "import torch",
        "from nvfuser import FusionDefinition, DataType",
        "",
        *repr(fd).splitlines(),
        "",
        "with FusionDefinition() as fd:",
        "    nvfuser_fusion(fd)",
    ]


def inputs_of_script(script: str) -> list[Any]:
    """Run a script and return the inputs that it made."""
    namespace: dict[str, Any] = {}
    exec(script, namespace)
    return namespace["inputs"]


@pytest.mark.parametrize("keeps_data", [True, False])
@pytest.mark.parametrize(
    "dtype",
    [
        *(torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.float8_e4m3fn),
        *(torch.float8_e5m2, torch.float8_e8m0fnu, torch.int64, torch.int32, torch.uint64),
        *(torch.bool, torch.complex64, torch.complex128),
    ],
    ids=str,
)
def test_script_makes_tensors_of_the_same_layout(
    dtype: torch.dtype, keeps_data: bool, device: str
) -> None:
    memory = torch.arange(240, device=device) % 2
    base = (memory.to(torch.uint8).view(dtype) if dtype.itemsize == 1 else memory.to(dtype)).view(
        12, 20
    )
    layouts = [base, base.t(), base[1::2, 1:5], base[:1].expand(3, 20), base[0, 0], base[:0]]
    fd = define(lambda fd, *ts: list(ts), layouts)
    fd.execute(layouts, save_repro_inputs=True)
    script = fd.repro_script_for(layouts) if keeps_data else fd.last_repro_script()
    made = inputs_of_script(script)
    for tensor, original in zip(made, layouts, strict=True):
        assert (tensor.dtype, tensor.device) == (original.dtype, original.device)
        assert tensor.shape == original.shape
        if original.numel():
            assert tensor.stride() == original.stride()


def test_script_of_packed_fp4(device: str) -> None:
    packed = torch.arange(12, dtype=torch.uint8, device=device).view(torch.float4_e2m1fn_x2)
    inputs = [packed.view(3, 4), packed.view(4, 3).t()]
    with FusionDefinition() as fd:
        for tensor in inputs:
            fd.add_output(fd.ops.cast(fd.from_pytorch(tensor), DataType.Float))
    made = inputs_of_script(fd.repro_script_for(inputs))
    assert [tensor.dtype for tensor in made] == [torch.float4_e2m1fn_x2] * 2
    assert [tensor.stride() for tensor in made] == [(4, 1), (1, 3)]


def test_script_of_numbers_and_vectors(device: str) -> None:
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1], contiguity=True, dtype=DataType.ComplexDouble)
        vector = fd.define_vector(2)
        for dtype in (DataType.Bool, DataType.Double, DataType.Double, DataType.ComplexDouble):
            t = fd.ops.mul(t, fd.define_scalar(dtype=dtype))
        fd.add_output(t)
        fd.add_output(fd.ops.full(vector, 1.0, DataType.Float))
    x = torch.ones(3, dtype=torch.complex128, device=device)
    inputs = [x, [2, 3], True, float("inf"), float("nan"), complex(1.0, float("-inf"))]
    fd.execute(inputs, save_repro_inputs=True)
    script = fd.last_repro_script()
    assert 'complex(1.0, float("-inf"))' in script
    made = inputs_of_script(script)
    assert repr(made[1:]) == repr(inputs[1:])


def test_script_of_arrays(device: str) -> None:
    numpy = pytest.importorskip("numpy")
    fd = define(lambda fd, t, s: fd.ops.mul(t, s), [torch.zeros(8, 2).t(), 0.5])
    script = fd.repro_script_for([numpy.zeros((8, 2), numpy.float32).T, numpy.float64(0.5)])
    made = inputs_of_script(script)
    assert made[0].stride() == (1, 2)
    assert made[1:] == [0.5]


def test_script_keeps_indices_in_range(device: str) -> None:
    few = torch.tensor([3, 0, 7], device=device)
    many = torch.arange(100, device=device, dtype=torch.int32) + 1000
    strided = (torch.arange(200, device=device) % 5 + 3)[::2]
    inputs = [few, many, strided]
    fd = define(lambda fd, *ts: list(ts), inputs)
    fd.execute(inputs, save_repro_inputs=True)
    for script in (fd.repro_script_for(inputs), fd.last_repro_script()):
        made = inputs_of_script(script)
        assert torch.equal(made[0], few)
        assert made[1].min() >= 1000
        assert made[1].max() <= 1099
        assert made[2].min() >= 3
        assert made[2].max() <= 7


def test_script_runs_on_its_own(device: str, tmp_path: Any) -> None:
    x = make_tensor((6, 4), torch.float32, device).t()
    with FusionDefinition() as fd:
        a, b = fd.from_pytorch(x), fd.define_scalar(DataType.Double)
        fd.add_output(fd.ops.mul(fd.ops.add(a, b), 1e-5), a)
        fd.add_output(fd.ops.sum(a, [0]))
    fd.execute([x, 2.5], save_repro_inputs=True)
    script = tmp_path / "reproducer.py"
    script.write_text(fd.last_repro_script())
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_scripts_of_unfinished_definitions() -> None:
    with pytest.raises(NotImplementedError, match="Fusion does not exist!"):
        FusionDefinition().repro_script_for()
    with FusionDefinition() as fd:
        fd.define_tensor(shape=[4], contiguity=True)
    with pytest.raises(NotImplementedError, match="Fusion is empty!"):
        fd.repro_script_for()
    with pytest.raises(AssertionError, match="cannot provide a repro because"):
        fd.last_repro_script()


def test_arguments_with_a_default_are_keywords_that_may_be_left_out() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[3, 4], contiguity=True)
        w = fd.define_tensor(shape=[5, 4], contiguity=True)
        b = fd.define_tensor(shape=[5], contiguity=True)
        one = fd.define_tensor(shape=[1, 4], contiguity=True)
        q = fd.define_tensor(shape=[2, 3, 8, 16], contiguity=True, dtype=DataType.BFloat16)
        for output in (
            fd.ops.linear(x, w),
            fd.ops.linear(x, w, b),
            fd.ops.squeeze(one, [0]),
            fd.ops.squeeze(one, [0], True),
            fd.ops.squeeze(fd.ops.expand(one, [7, 4]), [0], True),
            fd.ops.sdpfa_fwd(q, q, q)[0],
            fd.ops.sdpfa_fwd(q, q, q, None, None, 0.0, True, 0.5)[0],
        ):
            fd.add_output(output)
    lines = [line.partition(" = fd.ops.")[2] for line in repr(fd).splitlines() if "fd.ops." in line]
    assert lines == [
        "linear(tv0, tv1)",
        "linear(tv0, tv1, bias=tv2)",
        "squeeze(tv3, dims=[0])",
        "squeeze(tv3, dims=[0])",
        "expand(tv3, shape=[7, 4])",
        "squeeze(tv9, dims=[0], squeeze_expanded=True)",
        "sdpfa_fwd(tv4, tv4, tv4)",
        "sdpfa_fwd(tv4, tv4, tv4, is_causal=True, scale=0.500000)",
    ]


def test_script_of_numbers_of_numpy() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[-1], contiguity=True)
        for dtype in (DataType.Int, DataType.Double, DataType.ComplexDouble):
            fd.add_output(fd.ops.mul(x, fd.define_scalar(dtype)))
    numbers = [np.int32(3), np.float32(0.5), np.complex64(2j)]
    assert inputs_of_script(fd.repro_script_for([torch.ones(2), *numbers]))[1:] == numbers
    with pytest.raises(TypeError, match="Expected inputs to be tensors and numbers, but got 'no'"):
        fd.repro_script_for(["no"])
