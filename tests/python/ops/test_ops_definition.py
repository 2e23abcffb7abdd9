"""Operations while a fusion is being defined: shapes, dtypes, printing, docstrings, errors."""

from __future__ import annotations

import gc
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nvfuser
from nvfuser import (
    BroadcastOp,
    DataType,
    Expr,
    Fusion,
    FusionDefinition,
    FusionGuard,
    IterDomain,
    MemoryType,
    Merge,
    ParallelType,
    ReshapeOp,
    Split,
    SqueezeOp,
    TensorDomain,
    TensorView,
    Val,
    compute_tensor_descriptor,
    define_scalar,
    define_tensor,
    ops,
)

pytestmark = pytest.mark.no_torch


def _names(text: str) -> list[str]:
    return text.split()


UNARY = _names(
    """
    abs acos acosh asin asinh atan atanh bitwise_not ceil cos cosh erf erfc erfcinv erfinv exp
    exp2 expm1 floor frac imag isfinite isinf isnan isneginf isposinf isreal lgamma log log10
    log1p log2 logical_not neg real reciprocal relu round rsqrt segment_set set sigmoid sign
    signbit silu sin sinh sqrt tan tanh trunc
    """
)
BINARY = _names(
    """
    add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor complex
    div eq fmod gcd ge gt le logical_and logical_or logical_right_shift lt maximum minimum mod
    mul ne nextafter pow remainder sub truediv
    """
)
OTHERS = _names(
    """
    lerp where clamp threshold addcmul max min prod sum var var_mean welford cast triu broadcast
    broadcast_in_dim expand reshape permute squeeze slice size shape stride_order pad full iota
    mean softmax log_softmax gelu layer_norm rms_norm transpose unsqueeze
    select index_select gather take_along_axis scatter embedding_fwd cat matmul linear
    argsort topk torch_call sdpfa_fwd sdpfa_bwd grouped_mm scaled_mm cutlass_nvfp4_grouped_mm
    nv_block_quantize nv_grouped_block_quantize preprocess_grouped_matmul_input_sf
    uniform normal rand_like randn_like cumsum cumprod cummin cummax
    """
)


@pytest.fixture
def fusion() -> Iterator[Fusion]:
    """The fusion that the test's operations append to."""
    fusion = Fusion()
    guard = FusionGuard(fusion)
    yield fusion
    del guard


def tensor(*shape: int, dtype: DataType = DataType.Float) -> TensorView:
    return define_tensor(list(shape), contiguity=True, dtype=dtype)


def extents(tv: TensorView) -> list[str]:
    return [str(extent) for extent in tv.shape()]


def fragment(text: str) -> str:
    return re.escape(text)


# ---------------------------------------------------------------------- the module


def test_every_operation_of_the_interface_exists() -> None:
    assert len({*UNARY, *BINARY}) == 51 + 29
    for name in [*UNARY, *BINARY, *OTHERS]:
        assert callable(getattr(ops, name)), name


@pytest.mark.parametrize("name", [*UNARY, *BINARY, *OTHERS])
def test_docstrings_are_in_numpy_style(name: str) -> None:
    doc = getattr(ops, name).__doc__
    assert "Parameters\n----------\n" in doc
    assert "Returns\n-------\n" in doc
    if name not in ("set", "segment_set", "shape"):
        assert "Raises\n------\n" in doc
    assert max(len(line) for line in doc.splitlines() if "->" not in line) <= 100


@pytest.mark.parametrize("name", [name for name in UNARY if name != "imag"])
def test_unary_takes_tensor_scalar_and_number(name: str, fusion: Fusion) -> None:
    op = getattr(ops, name)
    dtype = DataType.Int if name == "bitwise_not" else DataType.Double
    x = tensor(-1, 4, dtype=dtype)
    y = op(x)
    assert type(y) is TensorView
    assert extents(y) == extents(x)
    assert type(op(define_scalar(dtype))) is Val
    assert type(op(2 if name == "bitwise_not" else 0.5)) is Val


@pytest.mark.parametrize("name", [name for name in BINARY if name != "complex"])
def test_binary_takes_any_mixture(name: str, fusion: Fusion) -> None:
    op = getattr(ops, name)
    is_integral = name in ("gcd", "mod") or "shift" in name or "bitwise" in name
    dtype = DataType.Int if is_integral else DataType.Double
    number: Any = 2 if is_integral else 2.0
    t, s = tensor(4, dtype=dtype), define_scalar(dtype)
    for lhs, rhs in [(t, t), (t, s), (s, t), (t, number), (number, t)]:
        assert type(op(lhs, rhs)) is TensorView
    for lhs, rhs in [(s, s), (s, number), (number, s), (number, number)]:
        assert type(op(lhs, rhs)) is Val


def test_element_wise_parameters_are_positional_only(fusion: Fusion) -> None:
    with pytest.raises(TypeError, match=fragment("exp(): incompatible function arguments")):
        ops.exp(x=tensor(4))


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, "1", None, [1.0]])
def test_what_is_no_number(number: Any, fusion: Fusion) -> None:
    with pytest.raises(TypeError, match=fragment("add(): incompatible function arguments")):
        ops.add(tensor(4), number)


def test_python_numbers_become_constants_of_their_kind(fusion: Fusion) -> None:
    t = tensor(4, dtype=DataType.ComplexDouble)
    for number, dtype in [
        (True, DataType.Bool),
        (2, DataType.Int),
        (2.0, DataType.Double),
        (2j, DataType.ComplexDouble),
    ]:
        constant = ops.set(number)
        assert constant.dtype() == dtype
        assert not constant.is_symbolic()
        assert ops.add(t, number).dtype() == DataType.ComplexDouble


# ---------------------------------------------------------------------- operators


def test_operators_append_operations(fusion: Fusion) -> None:
    a, b = tensor(4, 8), tensor(8)
    for result, name in [
        (a + b, "\n   + "),
        (a - b, "\n   - "),
        (a * b, "\n   * "),
        (a / b, "\n   / "),
        (a // b, "floor_div("),
        (a % b, "remainder("),
        (a**b, "pow("),
        (a < b, "\n   < "),
        (a <= b, "\n   <= "),
        (a > b, "\n   > "),
        (a >= b, "\n   >= "),
        (-a, "-T"),
        (abs(a), "abs("),
    ]:
        assert type(result) is TensorView
        assert extents(result) == ["4", "8"]
        assert name in str(result.definition())


def test_operators_with_numbers_on_either_side(fusion: Fusion) -> None:
    t = tensor(4)
    for result, is_reflected in [
        (2 + t, True),
        (t + 2, False),
        (2 - t, True),
        (2 / t, True),
        (2**t, True),
        (2.5 % t, True),
        (2 // t, True),
    ]:
        expr = result.definition()
        assert (expr.input(1) == t) is is_reflected
        assert (expr.input(0) == t) is not is_reflected
    # A comparison is reflected by the opposite one.
    assert "\n   > " in str((2 < t).definition())  # noqa: SIM300


def test_bitwise_operators(fusion: Fusion) -> None:
    a, b = tensor(4, dtype=DataType.Int32), tensor(4, dtype=DataType.Int32)
    for result, name in [(a & b, "&"), (a | b, "|"), (a ^ b, "^"), (3 & a, "&")]:
        assert result.dtype() == DataType.Int32
        assert f"\n   {name} " in str(result.definition())
    assert "~T" in str((~a).definition())
    mask = a < b
    assert (~mask).dtype() == DataType.Bool
    assert (mask & mask).dtype() == DataType.Bool


def test_operators_of_scalars(fusion: Fusion) -> None:
    n = define_scalar(DataType.Int)
    m = (n + 1) * 2
    assert type(m) is Val
    assert m.is_symbolic()
    assert str(m) == f"( ( {n} + 1 ) * 2 )"
    assert type(n + tensor(4)) is TensorView
    assert type(n < 3) is Val
    assert str(ops.add(2, 3)) == "5"


def test_matrix_product(fusion: Fusion) -> None:
    assert extents(tensor(4, 5) @ tensor(5, 6)) == ["4", "6"]
    product = ops.linear(tensor(3, 5), tensor(1, 5), tensor(1))
    assert "linear( T" in str(product.definition())
    assert extents(product) == ["3", "1"]


def test_operators_reject_other_objects(fusion: Fusion) -> None:
    with pytest.raises(TypeError):
        tensor(4) + "1"
    with pytest.raises(TypeError):
        tensor(4) @ 2


def test_equality_is_identity(fusion: Fusion) -> None:
    a, b = tensor(4), tensor(4)
    assert a == a
    assert a != b
    assert len({a, b, a}) == 2
    c = ops.add(a, b)
    assert c.definition().input(0) == a
    assert c.axis(0) == c.get_loop_domain()[0]
    assert a != 1


# ------------------------------------------------------------------------- classes


def test_nodes_have_their_most_derived_class(fusion: Fusion) -> None:
    x = tensor(4, 6)
    assert type(ops.broadcast(x, [False, True, False]).definition()) is BroadcastOp
    reshaped = ops.reshape(x, [24])
    assert type(reshaped.definition()) is ReshapeOp
    merge = reshaped.axis(0).definition()
    assert type(merge) is Merge
    assert [merge.outer(), merge.inner()] == reshaped.get_root_domain()
    assert merge.output(0) == reshaped.axis(0)
    split = ops.reshape(x, [2, 2, 6]).axis(0).definition()
    assert type(split) is Split
    assert split.input(0) != split.outer()
    assert split.output(1) == split.inner()
    assert type(ops.squeeze(tensor(4, 1), [1]).definition()) is SqueezeOp
    assert type(ops.exp(x).definition()) is Expr
    assert type(x.domain()) is TensorDomain
    assert type(x.axis(-1)) is IterDomain
    assert x.definition() is None
    for cls in (Val, Expr, TensorView, IterDomain):
        with pytest.raises(TypeError):
            cls()


def test_tensor_view_members(fusion: Fusion) -> None:
    x = tensor(-1, 6, 1, dtype=DataType.Half)
    assert x.ndim == 3
    assert x.dtype() == DataType.Half
    assert x.is_tensor()
    assert str(x.size(1)) == str(x.size(-2)) == "6"
    assert not x.has_root()
    assert x.get_root_domain() == []
    with pytest.raises(RuntimeError, match="Tried to access out of boundary index"):
        x.size(3)
    with pytest.raises(RuntimeError, match="Tried to access out of boundary index"):
        x.axis(3)
    y = ops.permute(x, [2, 0, 1])
    assert y.has_root()
    assert y.get_logical_domain()[0] == y.get_root_domain()[2]
    total = ops.sum(tensor(4, 6), 1)
    assert total.ndim == 1
    assert [domain.is_reduction() for domain in total.get_logical_domain()] == [False, True]
    assert str(total.get_logical_domain()[1].extent()) == "6"
    with pytest.raises(IndexError, match="index 1 of 1"):
        y.definition().input(1)


def test_uses_and_definitions(fusion: Fusion) -> None:
    x = tensor(4)
    y = ops.add(ops.exp(x), x)
    assert len(x.uses()) == 2
    assert y.definition() in x.uses()
    assert y.definition().output(0) == y
    assert y.uses() == []


def test_memory_and_loops(fusion: Fusion) -> None:
    x = tensor(4, 8)
    fusion.add_input(x)
    y = ops.exp(x)
    y.set_memory_type(MemoryType.shared)
    y.axis(0).parallelize(ParallelType.block_x)
    assert str(y) == "T1_s_float[ithreadIdx.x2{4}, iS3{8}]"
    with pytest.raises(RuntimeError, match="memory type"):
        x.set_memory_type(MemoryType.local)


def test_nodes_outlive_every_other_reference(fusion: Fusion) -> None:
    def define() -> TensorView:
        other = Fusion()
        guard = FusionGuard(other)
        y = ops.exp(tensor(4, 8))
        del guard
        return y

    y = define()
    gc.collect()
    assert str(y) == "T1_l_float[iS2{4}, iS3{8}]"
    assert y.definition().input(0).ndim == 2


# -------------------------------------------------------------------------- fusions


def test_print_math_of_the_smallest_example() -> None:
    with FusionDefinition() as fd:
        a = fd.define_tensor([2], contiguity=[True])
        b = fd.define_tensor([2], contiguity=[True])
        fd.add_output(fd.ops.add(a, b))
    assert fd.fusion.print_math() == (
        "Inputs:\n"
        "  T0_g_float[iS0{2}]\n"
        "  T1_g_float[iS1{2}]\n"
        "Outputs:\n"
        "  T2_g_float[iS2{2}]\n"
        "\n"
        "%kernel_math {\n"
        "T2_g_float[iS2{2}]\n"
        "   = T0_g_float[iS0{2}]\n"
        "   + T1_g_float[iS1{2}];\n"
        "} // %kernel_math \n"
        "\n"
    )


def test_print_kernel_leaves_the_fusion_as_it_is() -> None:
    with FusionDefinition() as fd:
        a = fd.define_tensor(shape=[-1, -1])
        fd.add_output(fd.ops.sum(fd.ops.exp(a), [1]))
    before = fd.fusion.print_math()
    code = fd.fusion.print_kernel()
    assert 'extern "C" __global__ void ' in code
    assert "CUDAGeneratedKernel_phase0(" in code
    assert "long long " in code
    assert fd.fusion.print_math() == before
    assert fd.fusion.print_kernel(nvfuser.CompileParams(index_type=DataType.Int32)) != code
    assert fd.fusion.print_kernel(nvfuser.CompileParams()) == code
    with pytest.raises(TypeError, match="incompatible function arguments"):
        fd.fusion.print_kernel("int32")
    assert fd.fusion.print_kernel() == code


def test_print_math_of_other_operations(fusion: Fusion) -> None:
    x = tensor(-1, 4)
    fusion.add_input(x)
    n = define_scalar(DataType.Double)
    fusion.add_input(n)
    y = ops.broadcast(ops.sum(ops.exp(x), 1), [False, True])
    fusion.add_output(ops.permute(ops.mul(y, n), [1, 0]))
    ops.sin(x)
    text = fusion.print_math()
    name = str(n)
    assert re.fullmatch(r"d\d+", name)
    for line in [
        "   = expf(T0_g_float[iS0{i0}, iS1{4}]);",
        "   = reduction( T1_l_float[iS2{i0}, iS3{4}], op = add, initial value = float(0), "
        "allreduce = false );",
        "   = broadcast( T2_l_float[iS4{i0}, rS5{4}], flags = {false, true} );",
        f"   * {name};",
        "   = Set.Permute( T4_l_float[iS8{i0}, bS9{1}] );",
    ]:
        assert line in text.splitlines()
    assert "sinf" not in text
    assert "sinf" in fusion.print_math(from_outputs_only=False)


def test_fusions_compare_by_structure() -> None:
    def define(extent: int, number: float) -> Fusion:
        fusion = Fusion()
        guard = FusionGuard(fusion)
        x = tensor(-1, extent)
        fusion.add_input(x)
        fusion.add_output(ops.add(x, number))
        del guard
        return fusion

    fusion = define(4, 1.0)
    assert fusion == define(4, 1.0)
    assert hash(fusion) == hash(define(4, 1.0))
    assert fusion != define(5, 1.0)
    assert fusion != define(4, 2.0)
    assert fusion != "fusion"


def test_inputs_and_outputs_of_a_fusion(fusion: Fusion) -> None:
    x, n = tensor(4), define_scalar(DataType.Int)
    fusion.add_input(x)
    fusion.add_input(n)
    y = ops.add(x, n)
    fusion.add_output(y)
    fusion.add_output(y, alias_input=x)
    assert fusion.inputs() == [x, n]
    assert fusion.outputs() == [y, y]
    assert {x, n, y} <= set(fusion.vals())
    with pytest.raises(RuntimeError, match="is already registered as input"):
        fusion.add_input(x)
    with pytest.raises(RuntimeError, match="Immediate scalar value cannot be added as an input"):
        fusion.add_input(define_scalar(2.0))
    with pytest.raises(RuntimeError, match="Non-TensorView outputs are not supported"):
        fusion.add_output(n)
    with pytest.raises(RuntimeError, match="alias source can only be a fusion input"):
        fusion.add_output(y, y)


def test_guards_nest() -> None:
    outer, inner = Fusion(), Fusion()
    outer_guard = FusionGuard(outer)
    x = tensor(4)
    inner_guard = FusionGuard(inner)
    tensor(4)
    with pytest.raises(RuntimeError, match=r"exp: T0.* belongs to another fusion"):
        ops.exp(x)
    del inner_guard
    ops.exp(x)
    del outer_guard
    with pytest.raises(RuntimeError, match="No active fusion"):
        ops.exp(x)
    assert len([val for val in outer.vals() if val.is_tensor()]) == 2
    assert len([val for val in inner.vals() if val.is_tensor()]) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: define_tensor([4], contiguity=True),
        lambda: define_scalar(DataType.Int),
        lambda: ops.add(1, 2),
        lambda: ops.full([2], 1.0, DataType.Float),
        lambda: ops.iota(4),
    ],
)
def test_operations_need_a_definition(call: Callable[[], object]) -> None:
    with pytest.raises(RuntimeError, match="No active fusion"):
        call()


# ------------------------------------------------------------ tensors and scalars


def test_define_tensor_with_contiguity(fusion: Fusion) -> None:
    x = define_tensor(shape=[-1, 1, 3, 0], contiguity=[True, None, False, True])
    assert str(x) == f"T0_g_float[iS0{{{x.size(0)}}}, bS1{{1}}, iS2{{3}}, iS3{{0}}]"
    expanded = define_tensor([4, 5], [None, True], DataType.Half)
    assert str(expanded) == "T1_g___half[bS4{1 ex 4}, iS5{5}]"
    assert str(define_tensor([], [])) == "T2_g_float[]"


def test_define_tensor_with_strides(fusion: Fusion) -> None:
    x = define_tensor(sizes=[2, 1, 3], strides=[3, 3, 1], dtype=DataType.Int)
    assert str(x) == f"T0_g_int64_t[iS0{{{x.size(0)}}}, bS1{{1}}, iS2{{{x.size(2)}}}]"
    y = define_tensor([2, 5, 3], [3, 0, 1], static_sizes=True)
    assert str(y) == "T1_g_float[iS3{2}, bS4{1 ex 5}, iS5{3}]"


@pytest.mark.parametrize(
    ("sizes", "strides", "contiguity", "order"),
    [
        ([2, 2, 2, 2], [8, 4, 2, 1], [True] * 4, [3, 2, 1, 0]),
        (
            [2, 3, 1, 5, 4],
            [28, 4, 14, 0, 1],
            [False, None, True, None, True],
            [4, 2, 3, 1, 0],
        ),
        (
            [2, 2, 1, 2, 4, 2],
            [2, 32, 1, 8, 0, 4],
            [False, True, True, False, None, None],
            [2, 5, 0, 4, 1, 3],
        ),
        (
            [2, 1, 3, 1, 4],
            [24, 4, 8, 4, 2],
            [True, True, None, None, False],
            [4, 2, 3, 1, 0],
        ),
        ([], [], [], []),
    ],
)
def test_tensor_descriptor(
    sizes: list[int], strides: list[int], contiguity: list[bool | None], order: list[int]
) -> None:
    assert compute_tensor_descriptor(sizes, strides) == (contiguity, order)


@pytest.mark.parametrize(("sizes", "strides"), [([2], [-1]), ([-2], [1]), ([2, 2], [1])])
def test_tensor_descriptor_errors(sizes: list[int], strides: list[int]) -> None:
    with pytest.raises(RuntimeError, match="compute_tensor_descriptor"):
        compute_tensor_descriptor(sizes, strides)


def test_define_scalar(fusion: Fusion) -> None:
    assert define_scalar().dtype() == DataType.Double
    assert define_scalar(DataType.Int).is_symbolic()
    assert define_scalar(None, dtype=DataType.Int32).dtype() == DataType.Int32
    assert define_scalar(value=None, dtype=DataType.Bool).is_symbolic()
    for value, dtype, text in [
        (True, DataType.Bool, "true"),
        (3, DataType.Int, "3"),
        (0.5, DataType.Double, "double(0.5)"),
        (1 + 2j, DataType.ComplexDouble, "std::complex<double>((1,2))"),
        (float("nan"), DataType.Double, "double(nan)"),
    ]:
        scalar = define_scalar(value)
        assert not scalar.is_symbolic()
        assert scalar.dtype() == dtype
        assert str(scalar) == text
    converted = define_scalar(2, DataType.Float)
    assert (converted.dtype(), str(converted)) == (DataType.Float, "float(2)")


# ---------------------------------------------------------------------------- dtypes


@pytest.mark.parametrize(
    ("result", "dtype"),
    [
        (lambda h, i, b, z: ops.relu(h), DataType.Half),
        (lambda h, i, b, z: ops.neg(h), DataType.Float),
        (lambda h, i, b, z: ops.exp(i), DataType.Float),
        (lambda h, i, b, z: ops.add(i, 2), DataType.Int32),
        (lambda h, i, b, z: ops.add(i, 2.0), DataType.Float),
        (lambda h, i, b, z: ops.add(h, i), DataType.Float),
        (lambda h, i, b, z: ops.add(b, 1), DataType.Int),
        (lambda h, i, b, z: ops.add(b, b), DataType.Bool),
        (lambda h, i, b, z: ops.truediv(i, i), DataType.Float),
        (lambda h, i, b, z: ops.div(i, i), DataType.Int32),
        (lambda h, i, b, z: ops.mul(z, 2.0), DataType.ComplexFloat),
        (lambda h, i, b, z: ops.mul(h, 2j), DataType.ComplexFloat),
        (lambda h, i, b, z: ops.abs(z), DataType.Float),
        (lambda h, i, b, z: ops.imag(z), DataType.Float),
        (lambda h, i, b, z: ops.isnan(i), DataType.Bool),
        (lambda h, i, b, z: ops.lt(h, 1.0), DataType.Bool),
        (lambda h, i, b, z: ops.logical_and(h, i), DataType.Bool),
        (lambda h, i, b, z: ops.where(b, h, 0.0), DataType.Half),
        (lambda h, i, b, z: ops.where(b, 1.0, 0.0), DataType.Double),
        (lambda h, i, b, z: ops.clamp(h, 0.0, None), DataType.Half),
        (lambda h, i, b, z: ops.threshold(i, 0, 1), DataType.Int32),
        (lambda h, i, b, z: ops.lerp(h, h, 0.5), DataType.Float),
        (lambda h, i, b, z: ops.addcmul(h, i, h, 2), DataType.Float),
        (lambda h, i, b, z: ops.sum(b), DataType.Int),
        (lambda h, i, b, z: ops.sum(i), DataType.Int),
        (lambda h, i, b, z: ops.sum(h), DataType.Half),
        (lambda h, i, b, z: ops.sum(h, 0, False, DataType.Double), DataType.Double),
        (lambda h, i, b, z: ops.sum(i, DataType.Float), DataType.Float),
        (lambda h, i, b, z: ops.max(i, [0]), DataType.Int32),
        (lambda h, i, b, z: ops.var(h, [0]), DataType.Float),
        (lambda h, i, b, z: ops.var_mean(z, [0])[0], DataType.Float),
        (lambda h, i, b, z: ops.var_mean(z, [0])[1], DataType.ComplexFloat),
        (lambda h, i, b, z: ops.welford(h, [0])[0], DataType.Half),
        (lambda h, i, b, z: ops.welford(h, [0])[2], DataType.Index),
        (lambda h, i, b, z: ops.mean(h), DataType.Half),
        (lambda h, i, b, z: ops.softmax(h, 0), DataType.Half),
        (lambda h, i, b, z: ops.softmax(h, 0, DataType.Float), DataType.Float),
        (lambda h, i, b, z: ops.layer_norm(h, [4]), DataType.Half),
        (lambda h, i, b, z: ops.rms_norm(h, [4]), DataType.Half),
        (lambda h, i, b, z: ops.gelu(h, approximate="tanh"), DataType.Half),
        (lambda h, i, b, z: ops.cast(h, DataType.Bool), DataType.Bool),
        (lambda h, i, b, z: ops.iota(4, 0.0, 0.5, DataType.Float), DataType.Float),
        (lambda h, i, b, z: ops.triu(ops.broadcast(h, [True, False])), DataType.Half),
    ],
)
def test_dtype_of_the_result(
    result: Callable[..., TensorView], dtype: DataType, fusion: Fusion
) -> None:
    operands = [
        tensor(4, dtype=kind)
        for kind in (DataType.Half, DataType.Int32, DataType.Bool, DataType.ComplexFloat)
    ]
    assert result(*operands).dtype() == dtype


def test_cast_from_complex_warns(fusion: Fusion) -> None:
    z = tensor(4, dtype=DataType.ComplexFloat)
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert ops.cast(z, DataType.Float).dtype() == DataType.Float
    assert ops.cast(z, DataType.Bool).dtype() == DataType.Bool


# ---------------------------------------------------------------------------- shapes


@pytest.mark.parametrize(
    ("op", "expected"),
    [
        (lambda x: ops.broadcast(x, [True, False, False, True]), ["1", "4", "6", "1"]),
        (lambda x: ops.broadcast_in_dim(x, [3, 4, 6], [1, 2]), ["3", "4", "6"]),
        (lambda x: ops.broadcast_in_dim(x, (-1, 2, -1), [0, -1]), ["4", "2", "6"]),
        (lambda x: ops.expand(x, [2, -1, 6]), ["2", "4", "6"]),
        (lambda x: ops.reshape(x, [2, -1]), ["2", "12"]),
        (lambda x: ops.reshape(x, [x.size(1), 4]), ["6", "4"]),
        (lambda x: ops.permute(x, [1, 0]), ["6", "4"]),
        (lambda x: ops.transpose(x, 0, -1), ["6", "4"]),
        (lambda x: ops.unsqueeze(x, -1), ["4", "6", "1"]),
        (lambda x: ops.squeeze(ops.unsqueeze(x, 0), [0]), ["4", "6"]),
        (lambda x: ops.slice(x, [1, 0], [3, 6]), ["2", "6"]),
        (lambda x: ops.slice(x, (5, 5), (8, 8), strides=(1, 1)), ["0", "1"]),
        (lambda x: ops.pad(x, [1, 2]), ["4", "9"]),
        (lambda x: ops.pad(x, [0, 0, -1, -1], 2.0), ["2", "6"]),
        (lambda x: ops.stride_order(x, [0, 1]), ["4", "6"]),
        (lambda x: ops.sum(x), []),
        (lambda x: ops.sum(x, 1), ["4"]),
        (lambda x: ops.sum(x, dim=-1, keepdim=True), ["4", "1"]),
        (lambda x: ops.sum(x, dims=[0, 1], keepdim=True), ["1", "1"]),
        (lambda x: ops.mean(x, None, True), ["1", "1"]),
        (lambda x: ops.mean(x, 0), ["6"]),
        (lambda x: ops.full([x.size(0), 1, 3], 0, DataType.Int), ["4", "1", "3"]),
        (lambda x: ops.iota(x.size(1)), ["6"]),
    ],
)
def test_shape_of_the_result(
    op: Callable[[TensorView], TensorView], expected: list[str], fusion: Fusion
) -> None:
    assert extents(op(tensor(4, 6))) == expected


def test_broadcast_of_nothing_is_the_tensor_itself(fusion: Fusion) -> None:
    x = tensor(4, 6)
    assert ops.broadcast(x, [False, False]) == x
    assert ops.expand(x, [4, -1]) == x


def test_symbolic_extents_are_expressions(fusion: Fusion) -> None:
    x = tensor(-1, 6)
    n = str(x.size(0))
    assert extents(ops.reshape(x, [-1])) == [f"( {n} * 6 )"]
    assert extents(ops.reshape(x, [-1, 2, 3])) == [n, "2", "3"]
    assert extents(ops.slice(x, [1, 0], [3, 6])) == [
        f"( ( minimum(3, {n}) ) - ( minimum(1, {n}) ) )",
        "6",
    ]


# ---------------------------------------------------------------------------- errors


def scalar(dtype: DataType = DataType.Int) -> Val:
    return define_scalar(dtype)


# Condition, exception, fragment of the message.
ERRORS: list[tuple[Callable[[], object], type[Exception], str]] = [
    # define_tensor
    (
        lambda: define_tensor([2, 3], [True] * 3),
        RuntimeError,
        "Length of contiguity argument (3) must match that of shape argument (2)",
    ),
    (
        lambda: define_tensor([2**63], contiguity=True),
        TypeError,
        "define_tensor(): incompatible function arguments",
    ),
    (
        lambda: define_tensor([-2], contiguity=True),
        RuntimeError,
        "The value -2 at index 0 was neither symbolic(-1), zero_element(0), broadcast(1), or "
        "static(>1)",
    ),
    (
        lambda: define_tensor([2.5], contiguity=True),
        TypeError,
        "define_tensor(): incompatible function arguments",
    ),
    (
        lambda: define_tensor([2, 2], contiguity=True, stride_order=[1, 1]),
        RuntimeError,
        "duplicated stride_order entries",
    ),
    (
        lambda: define_tensor([2, 2], contiguity=True, stride_order=[1, 2]),
        RuntimeError,
        "stride_order argument is out of range",
    ),
    (
        lambda: define_tensor([2], contiguity=True, is_cpu=True),
        RuntimeError,
        "CPU non-scalar tensor is not supported!",
    ),
    # broadcasting
    (
        lambda: ops.broadcast(tensor(4), [True, True]),
        RuntimeError,
        "Invalid broadcast, number of false entries in is_broadcast_dim expected to be 1",
    ),
    (
        lambda: ops.broadcast_in_dim(tensor(4, 4), [4, 4], [0]),
        RuntimeError,
        "The broadcast dimensions should match the input dimensions",
    ),
    (
        lambda: ops.broadcast_in_dim(tensor(4, 4), [4], [0, 1]),
        RuntimeError,
        "The new shape is expected to be greater-then-or-equal to the input",
    ),
    (
        lambda: ops.broadcast_in_dim(tensor(4), [4, 4], [2]),
        RuntimeError,
        "Invalid broadcast_dims value.",
    ),
    (
        lambda: ops.broadcast_in_dim(tensor(4, 4), [4, 4], [0, 0]),
        RuntimeError,
        "Invalid broadcast_dims value.",
    ),
    (lambda: ops.add(tensor(4), tensor(5)), RuntimeError, "Expected sizes to match"),
    (lambda: ops.expand(tensor(4), [5]), RuntimeError, "Expected sizes to match"),
    (
        lambda: ops.squeeze(tensor(4, 1), [2]),
        RuntimeError,
        "Squeeze dim is outside of Tensor size!",
    ),
    (
        lambda: ops.squeeze(tensor(), [0]),
        RuntimeError,
        "The dims to squeeze must be <= the number of dims of the input tensor",
    ),
    (
        lambda: ops.squeeze(tensor(4, 1), [0]),
        RuntimeError,
        "Can not squeeze non-broadcasting dimension(s).",
    ),
    (
        lambda: ops.squeeze(ops.expand(tensor(1), [4]), [0]),
        RuntimeError,
        "Refusing to squeeze expanded IterDomain",
    ),
    (
        lambda: ops.unsqueeze(tensor(4), 2),
        RuntimeError,
        "Tried to access out of boundary index",
    ),
    # shapes
    (
        lambda: ops.permute(tensor(4, 4), [0.0, 1.0]),
        TypeError,
        "permute(): incompatible function arguments",
    ),
    (lambda: ops.permute(tensor(4, 4), [0, 0]), RuntimeError, "duplicated dimension entries"),
    (
        lambda: ops.permute(tensor(4, 4), [0, 2]),
        RuntimeError,
        "dims argument is out of range, expects",
    ),
    (
        lambda: ops.permute(tensor(4, 4), [0]),
        RuntimeError,
        "argument to have the same length as input",
    ),
    (lambda: ops.reshape(tensor(4), [-1, -1]), RuntimeError, "A maximum of one value of -1"),
    (
        lambda: ops.reshape(tensor(4), [5]),
        RuntimeError,
        "Total element counts across view operation must match",
    ),
    (
        lambda: ops.reshape(tensor(4), [3, -1]),
        RuntimeError,
        "Total element counts across view operation must match",
    ),
    (
        lambda: ops.reshape(tensor(4), [2.0, 2]),
        TypeError,
        "reshape(): incompatible function arguments",
    ),
    (
        lambda: ops.reshape(tensor(4), [scalar(DataType.Double)]),
        RuntimeError,
        "a shape consists of integers",
    ),
    (
        lambda: ops.size(tensor(*[2] * 8), 8),
        RuntimeError,
        "Tried to access out of boundary index",
    ),
    (
        lambda: ops.size(tensor(*[2] * 8), -9),
        RuntimeError,
        "Tried to access out of boundary index",
    ),
    (
        lambda: ops.stride_order(tensor(4, 4), [0, 0]),
        RuntimeError,
        "duplicated stride_order entries",
    ),
    # slice, in the order of the checks
    (
        lambda: ops.slice(tensor(10, 10), [-1, -2], [5, 5], [7, 7]),
        RuntimeError,
        "Slice operation start_indices must be greater than or equal to 0.",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [3, 4], [1, 2], [1, 1]),
        RuntimeError,
        "Slice operation end_indices must be greater than or equal to start_indices.",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [0, 0], [5, 5], [5, 5]),
        RuntimeError,
        "nvFuser Limitation: All slice operation strides must be of const size 1",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [0, 0, 0], [5, 5, 5], [1, 1, 1]),
        RuntimeError,
        "Number of tensor dimensions does not match slice dimensions!",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [0, 0, 0], [5, 5], [1, 1]),
        RuntimeError,
        "Slice start_indices and strides don't match!",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [0, 0], [5, 5, 5], [1, 1]),
        RuntimeError,
        "Slice indexing attribute dimensions don't match!",
    ),
    (
        lambda: ops.slice(tensor(10, 10), [0, 0], [5, 5], [1, 1, 1]),
        RuntimeError,
        "Slice start_indices and strides don't match!",
    ),
    # pad
    (
        lambda: ops.pad(tensor(4), [1, 1], 2),
        RuntimeError,
        "Tensor arg and pad value must have the same dtype.",
    ),
    (lambda: ops.pad(tensor(4), [-3, -2]), RuntimeError, "Invalid resized domain extent"),
    (
        lambda: ops.pad(tensor(4), [1, 1, 1, 1]),
        RuntimeError,
        "Number of pad widths must be at most twice the input dimension",
    ),
    (lambda: ops.pad(tensor(4), [1]), RuntimeError, "Invalid number of padding widths"),
    # scatter
    (
        lambda: ops.scatter(tensor(4), tensor(4, dtype=DataType.Int), 1j, 0),
        RuntimeError,
        "Expected a scalar that dtype",
    ),
    (
        lambda: ops.scatter(tensor(4), tensor(4, dtype=DataType.Int), tensor(4), 1),
        RuntimeError,
        "Tensor arguments have dimension",
    ),
    (
        lambda: ops.scatter(tensor(4), tensor(4, dtype=DataType.Int), tensor(4, 4), 0),
        RuntimeError,
        "Tensor arguments have dimension",
    ),
    (
        lambda: ops.scatter(tensor(4), tensor(4), tensor(4), 0),
        RuntimeError,
        "the index must be of dtype Int or Int32",
    ),
    (
        lambda: ops.scatter(
            tensor(4), tensor(4, dtype=DataType.Int), tensor(4, dtype=DataType.Half), 0
        ),
        RuntimeError,
        "Expected src to have the dtype of",
    ),
    # cat
    (lambda: ops.cat([]), RuntimeError, "No input tensor given"),
    (lambda: ops.cat([tensor(4, 4), tensor(4, 4)], 2), RuntimeError, "Invalid dimension to cat"),
    (lambda: ops.cat([tensor(4, 4), tensor(4, 4)], -3), RuntimeError, "Invalid dimension to cat"),
    (lambda: ops.cat([tensor(4), tensor(4, 4)]), RuntimeError, "Unexpected number of dimensions"),
    (
        lambda: ops.cat([tensor(4, 4), tensor(4, 5)]),
        RuntimeError,
        "a conflict was found with 2 different sizes",
    ),
    (
        lambda: ops.cat([tensor(4), ops.neg(ops.cast(tensor(4), DataType.Int))]),
        RuntimeError,
        "Expected tensors of one dtype",
    ),
    (
        lambda: ops.cat([tensor(4), tensor(4)], manual_padding=True),
        RuntimeError,
        "every tensor must be the result of pad",
    ),
    # scans
    (lambda: ops.cumsum(tensor(4, 4), 2), RuntimeError, "Tried to access out of boundary index"),
    (lambda: ops.cummax(tensor(4, 4), -3), RuntimeError, "Tried to access out of boundary index"),
    (lambda: ops.cumprod(tensor(), 0), RuntimeError, "Tried to access out of boundary index"),
    (lambda: ops.cumsum(tensor(4), 0.0), TypeError, "cumsum(): incompatible function arguments"),
    (lambda: ops.cumsum(tensor(4), 0, 1j), RuntimeError, "init must be a scalar"),
    (
        lambda: ops.cummin(tensor(4, dtype=DataType.ComplexFloat), 0),
        RuntimeError,
        "complex numbers have no order",
    ),
    # random numbers
    (
        lambda: ops.uniform(0.0, 1.0, [4], dtype=DataType.Int),
        RuntimeError,
        "Random distributions only create floating point types",
    ),
    (
        lambda: ops.normal(0.0, 1.0, [4], dtype=DataType.ComplexFloat),
        RuntimeError,
        "Random distributions only create floating point types",
    ),
    (
        lambda: ops.rand_like(tensor(4, dtype=DataType.Bool)),
        RuntimeError,
        "Random distributions only create floating point types",
    ),
    (
        lambda: ops.uniform(0.0, 1.0, [4], rng_seed=1),
        RuntimeError,
        "rng_seed and rng_offset must be provided together!",
    ),
    (
        lambda: ops.normal(0.0, 1.0, [4], rng_seed=1.0, rng_offset=0),
        RuntimeError,
        "rng_seed must be an integer scalar",
    ),
    (lambda: ops.normal(1j, 1.0, [4]), RuntimeError, "must be real scalars"),
    (lambda: ops.uniform(0.0, 1.0, [-4]), RuntimeError, "a size must not be negative"),
    # creation
    (
        lambda: ops.full([2, -2], 1.0, DataType.Float),
        RuntimeError,
        "The value -2 at index 1 was neither symbolic(-1), zero_element(0)",
    ),
    (lambda: ops.iota(2j), RuntimeError, "length must be integer"),
    (
        lambda: ops.iota(4, 2j),
        RuntimeError,
        "iota: start dtype does not match specified dtype argument",
    ),
    (
        lambda: ops.iota(4, 0, 2j),
        RuntimeError,
        "iota: step dtype does not match specified dtype argument",
    ),
    (
        lambda: ops.iota(4, float("inf"), 1.0, DataType.Float),
        RuntimeError,
        "iota: length, start, step must be finite numbers.",
    ),
    (
        lambda: ops.iota(4, 0.0, float("inf"), DataType.Float),
        RuntimeError,
        "iota: length, start, step must be finite numbers.",
    ),
    (lambda: ops.iota(4, 0, 0), RuntimeError, "iota: step value must not equal zero."),
    (
        lambda: ops.triu(tensor(4)),
        RuntimeError,
        "input tensor for triu must have 2 or more dims, but got 1 dims",
    ),
    # reductions
    (lambda: ops.sum(tensor(4), []), RuntimeError, "No reduction axis specified"),
    (lambda: ops.sum(tensor(4), 1), RuntimeError, "Tried to access out of boundary index"),
    (
        lambda: ops.max(tensor(4), 0, dtype=DataType.Double),
        RuntimeError,
        "A dtype other than Null is not currently supported.",
    ),
    (
        lambda: ops.var_mean(tensor(4, dtype=DataType.Half), [0]),
        RuntimeError,
        "variance_mean is not supported for",
    ),
    (
        lambda: ops.var_mean(tensor(4), 1.0),
        TypeError,
        "var_mean(): incompatible function arguments.",
    ),
    (lambda: ops.var(tensor(4), [0], -1), RuntimeError, "correction must be non-negative"),
    (lambda: ops.welford(tensor(), [0]), RuntimeError, "welford"),
    (lambda: ops.mean(tensor(4, dtype=DataType.Int)), RuntimeError, "floating-point"),
    # dtypes
    (
        lambda: ops.where(tensor(4), 1.0, 2.0),
        RuntimeError,
        "Condition should be of DataType Bool",
    ),
    (
        lambda: ops.bitwise_and(tensor(4), 1),
        RuntimeError,
        "Integer or boolean input is required for",
    ),
    (lambda: ops.gcd(tensor(4), 1), RuntimeError, "input must have integral"),
    (
        lambda: ops.nextafter(tensor(4, dtype=DataType.Int), 1),
        RuntimeError,
        "Promoted type must be single or double precision float",
    ),
    (
        lambda: ops.imag(tensor(4)),
        RuntimeError,
        "imag not supported for non-complex tensors",
    ),
    (
        lambda: ops.lt(tensor(4, dtype=DataType.ComplexFloat), 1.0),
        RuntimeError,
        "lt is not defined for complex numbers",
    ),
    (
        lambda: ops.cast(tensor(4), DataType.Null),
        RuntimeError,
        "Illegal Cast value from DataType",
    ),
    (
        lambda: ops.complex(tensor(4), tensor(4, dtype=DataType.Double)),
        RuntimeError,
        "complex needs operands of the same dtype",
    ),
    (
        lambda: ops.complex(tensor(4), 1.0),
        TypeError,
        "complex(): incompatible function arguments",
    ),
    (lambda: ops.clamp(tensor(4), tensor(4), None), RuntimeError, "min must be a scalar"),
    (lambda: ops.gelu(tensor(4), "exact"), RuntimeError, 'approximate must be "none" or "tanh"'),
    (lambda: ops.layer_norm(tensor(4, 6), [5]), RuntimeError, "Expected sizes to match"),
    (
        lambda: ops.layer_norm(tensor(4, 6), [6], weight=tensor(4, 6)),
        RuntimeError,
        "weight must have the dimensions of normalized_shape",
    ),
    (lambda: ops.div(1, 0), RuntimeError, "Integer division by zero"),
    # integers are no members of enumerations
    (lambda: ops.cast(tensor(4), 0), TypeError, "cast(): incompatible function arguments"),
    (lambda: ops.full([4], 1.0, 1), TypeError, "full(): incompatible function arguments"),
    (
        lambda: ops.sum(tensor(4), 0, False, 1),
        TypeError,
        "sum(): incompatible function arguments",
    ),
    (
        lambda: nvfuser.define_tensor([4], dtype=2),
        TypeError,
        "define_tensor(): incompatible function arguments",
    ),
    (
        lambda: tensor(4).axis(0).parallelize(1),
        TypeError,
        "parallelize(): incompatible function arguments",
    ),
]


@pytest.mark.parametrize(
    ("call", "exception", "message"),
    ERRORS,
    ids=[f"{index}-{message[:30]}" for index, (_, _, message) in enumerate(ERRORS)],
)
def test_errors_at_definition(
    call: Callable[[], object], exception: type[Exception], message: str, fusion: Fusion
) -> None:
    with pytest.raises(exception, match=fragment(message)):
        call()


def test_errors_name_the_operand(fusion: Fusion) -> None:
    x = tensor(4, 6)
    for call in [
        lambda: ops.permute(x, [0]),
        lambda: ops.squeeze(x, [0]),
        lambda: ops.sum(x, 7),
        lambda: ops.reshape(x, [7]),
        lambda: ops.where(x, x, x),
        lambda: ops.add(x, tensor(5)),
    ]:
        with pytest.raises(RuntimeError, match=fragment(str(x))):
            call()


def test_a_failed_operation_leaves_the_definition_usable() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 6], contiguity=True)
        with pytest.raises(RuntimeError, match="Total element counts"):
            fd.ops.reshape(x, [7])
        fd.add_output(fd.ops.reshape(x, [24]))
    assert fd.fusion.print_math().count("reshape") == 1


# ------------------------------------------------------------------------------ enums


@pytest.mark.parametrize(
    ("name", "members"),
    [
        (
            "DataType",
            "Double Float Half Int Int32 Int16 Int8 UInt8 UInt16 UInt32 UInt64 Index Bool "
            "BFloat16 Float8_e4m3fn Float8_e5m2 Float8_e8m0fnu Float4_e2m1fn Float4_e2m1fn_x2 "
            "ComplexFloat ComplexDouble Null",
        ),
        (
            "ParallelType",
            "mesh_x mesh_y mesh_z grid_x grid_y grid_z block_x block_y block_z mma serial tma "
            "unroll unswitch vectorize stream cluster",
        ),
        ("CommunicatorBackend", "nccl ucc cuda"),
        (
            "SchedulerType",
            "none no_op pointwise matmul reduction inner_persistent inner_outer_persistent "
            "outer_persistent transpose expr_eval resize",
        ),
        ("LoadStoreOpType", "set load_matrix cp_async tma"),
        ("MemoryType", "tensor local shared global symmetric"),
        ("CacheOp", "unspecified all_levels streaming global"),
        ("IdMappingMode", "exact almost_exact broadcast permissive loop"),
        (
            "MatmulTilingStrategy",
            "one_tile_per_cta distribute_tiles_across_sms distribute_stages_across_sms",
        ),
        ("MatmulBufferingLoopLevel", "cta_tiles warp_tiles"),
        ("MatmulCircularBufferingStrategy", "pipelined warp_specialized"),
        ("MatmulTileRasterizationOrder", "column_major row_major"),
        (
            "MmaMacroArch",
            "no_mma volta turing ampere hopper blackwell_1cta blackwell_2cta",
        ),
    ],
)
def test_enumerations(name: str, members: str) -> None:
    enumeration = getattr(nvfuser, name)
    assert list(enumeration.__members__) == members.split()
    entries = getattr(enumeration, "__entries")
    assert list(entries) == members.split()
    for member in members.split():
        value, doc = entries[member]
        assert value == getattr(enumeration, member)
        assert isinstance(doc, str)
        assert str(value) == f"{name}.{member}"
        assert int(value) == operator.index(value) == value.value
