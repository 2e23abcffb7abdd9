"""Errors that clients of the interface rely on: type and message, at definition or at a run.

A row for each condition of the interface; what only some device has is in the tests of that device.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

from nvfuser import DataType, FusionDefinition

F32, I64 = torch.float32, torch.int64
INFINITE = float("inf")
Build = Callable[..., Any]

pytestmark = pytest.mark.no_round_trip


@dataclass
class Row:
    """A condition: what is defined with inputs of these shapes, and what is raised when."""

    build: Build
    shapes: tuple[Any, ...]
    message: str
    error: type[Exception] = RuntimeError
    at_run: bool = False


def define_tensor(*args: Any, **kwargs: Any) -> Build:
    return lambda fd: fd.define_tensor(*args, **kwargs)


def op(name: str, *args: Any, **kwargs: Any) -> Build:
    """The operation of all tensors, with further arguments behind them."""
    return lambda fd, *tensors: getattr(fd.ops, name)(*tensors, *args, **kwargs)


def of(dtype: torch.dtype, *shape: int) -> tuple[tuple[int, ...], torch.dtype]:
    return shape, dtype


M = (3, 4)  # a matrix
OUT_OF_BOUNDS = "Tried to access out of boundary index"
NEITHER = r"was neither symbolic(-1), zero_element(0), broadcast(1), or static(>1)"

SLICE = {
    "negative start": (
        (M, [-1, -2], [5, 5], [7, 7]),
        "Slice operation start_indices must be greater than or equal to 0.",
    ),
    "start behind end": (
        (M, [3, 4], [1, 2]),
        "Slice operation end_indices must be greater than or equal to start_indices.",
    ),
    "stride": (
        (M, [0, 0], [1, 2], [5, 5]),
        "nvFuser Limitation: All slice operation strides must be of const size 1",
    ),
    "three indices": (
        (M, [1, 1, 1], [2, 2, 2]),
        "Number of tensor dimensions does not match slice dimensions!",
    ),
    "three starts": (
        (M, [1, 1, 1], [2, 2], [1, 1]),
        "Slice start_indices and strides don't match!",
    ),
    "three ends": (
        (M, [1, 1], [2, 2, 2]),
        "Slice indexing attribute dimensions don't match!",
    ),
    "three strides": (
        (M, [1, 1], [2, 2], [1, 1, 1]),
        "Slice start_indices and strides don't match!",
    ),
}

BIG = 2**63

ROWS: dict[str, Row] = {
    # ------------------------------------------------------------ tensors
    "contiguity of another length": Row(
        define_tensor([2, 2], [True, True, True]),
        (),
        "Length of contiguity argument (3) must match that of shape argument (2)",
    ),
    "extent beyond int64": Row(
        define_tensor([BIG]), (), "define_tensor(): incompatible function arguments", TypeError
    ),
    "extent of -2": Row(define_tensor([-2]), (), f"The value -2 at index 0 {NEITHER}"),
    "float extent": Row(
        define_tensor([2.5]), (), "define_tensor(): incompatible function arguments", TypeError
    ),
    "duplicated stride order": Row(
        define_tensor([2, 2], [True, True], stride_order=[0, 0]),
        (),
        "duplicated stride_order entries",
    ),
    "stride order out of range": Row(
        define_tensor([2, 2], [True, True], stride_order=[0, 2]),
        (),
        "stride_order argument is out of range",
    ),
    "CPU tensor": Row(
        define_tensor([2], [True], is_cpu=True), (), "CPU non-scalar tensor is not supported!"
    ),
    "lengths of sizes and strides": Row(define_tensor(sizes=[2, 3], strides=[1]), (), "length"),
    "scalar output": Row(
        lambda fd: fd.add_output(fd.define_scalar(2.0)),
        (),
        "Non-TensorView outputs are not supported",
    ),
    "constant input": Row(
        lambda fd: fd.fusion.add_input(fd.define_scalar(2.0)),
        (),
        "Immediate scalar value cannot be added as an input",
    ),
    "input twice": Row(
        lambda fd, x: fd.fusion.add_input(x), (M,), "is already registered as input"
    ),
    "update of no input": Row(
        lambda fd, x: fd.add_output(fd.ops.neg(x), fd.ops.exp(x)),
        (M,),
        "alias source can only be a fusion input",
    ),
    # ------------------------------------------------------------ shapes
    "broadcast, too few flags": Row(
        op("broadcast", [False, True]),
        (M,),
        "Invalid broadcast, number of false entries in is_broadcast_dim expected to be",
    ),
    "broadcast, too many flags": Row(
        op("broadcast", [False, False, False]),
        (M,),
        "Invalid broadcast, number of false entries in is_broadcast_dim expected to be",
    ),
    "broadcast_in_dim, too few dimensions": Row(
        op("broadcast_in_dim", [2, 3, 4], [1]),
        (M,),
        "The broadcast dimensions should match the input dimensions.",
    ),
    "broadcast_in_dim, smaller rank": Row(
        op("broadcast_in_dim", [4], [0, 1]),
        (M,),
        "The new shape is expected to be greater-then-or-equal to the input",
    ),
    "broadcast_in_dim, out of range": Row(
        op("broadcast_in_dim", [2, 3, 4], [1, 3]), (M,), "Invalid broadcast_dims value."
    ),
    "cat of nothing": Row(lambda fd: fd.ops.cat([], 0), (), "No input tensor given"),
    "cat, dimension too large": Row(
        lambda fd, x, y: fd.ops.cat([x, y], 2), (M, M), "Invalid dimension to cat"
    ),
    "cat, dimension too small": Row(
        lambda fd, x, y: fd.ops.cat([x, y], -3), (M, M), "Invalid dimension to cat"
    ),
    "cat of different ranks": Row(
        lambda fd, x, y: fd.ops.cat([x, y], 0), (M, (3,)), "Unexpected number of dimensions"
    ),
    "cat of different sizes": Row(
        lambda fd, x, y: fd.ops.cat([x, y], 0),
        (M, (3, 5)),
        "a conflict was found with 2 different sizes",
        at_run=True,
    ),
    "full of a negative extent": Row(
        op("full", [2, -2], 1.0, DataType.Float), (), f"The value -2 at index 1 {NEITHER}"
    ),
    "pad of another kind": Row(
        op("pad", [1, 1], 2 + 1j), (M,), "Tensor arg and pad value must have the same dtype."
    ),
    "pad by more than there is": Row(
        op("pad", [-4, -4]), (M,), "Invalid resized domain extent", at_run=True
    ),
    "pad by too many": Row(
        op("pad", [1, 1, 1, 1, 1, 1]),
        (M,),
        "Number of pad widths must be at most twice the input dimension",
    ),
    "pad by an odd number": Row(op("pad", [1, 1, 1]), (M,), "Invalid number of padding widths"),
    "permute by floats": Row(
        op("permute", [1.5, 0.0]), (M,), "permute(): incompatible function arguments", TypeError
    ),
    "permute, duplicates": Row(op("permute", [0, 0]), (M,), "duplicated dimension entries"),
    "permute, too large": Row(
        op("permute", [0, 2]), (M,), "dims argument is out of range, expects"
    ),
    "permute, too small": Row(
        op("permute", [0, -3]), (M,), "dims argument is out of range, expects"
    ),
    "permute, too few": Row(op("permute", [0]), (M,), "argument to have the same length as input"),
    "permute, too many": Row(
        op("permute", [0, 1, 2]), (M,), "argument to have the same length as input"
    ),
    "reshape, two unknown": Row(op("reshape", [-1, -1]), (M,), "A maximum of one value of -1"),
    "reshape to another size": Row(
        op("reshape", [5, 2]),
        (M,),
        "Total element counts across view operation must match",
        at_run=True,
    ),
    "squeeze out of range": Row(
        op("squeeze", [5]), ((1, 3),), "Squeeze dim is outside of Tensor size!"
    ),
    "squeeze, more than the rank": Row(
        op("squeeze", [0, 1, 2]),
        ((1, 1),),
        "The dims to squeeze must be <= the number of dims of the input tensor",
    ),
    "squeeze of a 0-dim tensor": Row(
        op("squeeze", [0]),
        ((),),
        "The dims to squeeze must be <= the number of dims of the input tensor",
    ),
    "squeeze of another size": Row(
        lambda fd: fd.ops.squeeze(fd.define_tensor([2, 3]), [0]),
        (),
        "Can not squeeze non-broadcasting dimension(s).",
    ),
    "squeeze of an expanded dimension": Row(
        lambda fd, x: fd.ops.squeeze(fd.ops.expand(x, [5, 3]), [0]),
        ((1, 3),),
        "Refusing to squeeze expanded IterDomain",
    ),
    "size, too large": Row(op("size", 8), ((1,) * 8,), OUT_OF_BOUNDS),
    "size, too small": Row(op("size", -9), ((1,) * 8,), OUT_OF_BOUNDS),
    "triu of a vector": Row(
        op("triu"), ((3,),), "input tensor for triu must have 2 or more dims, but got 1 dims"
    ),
    # ------------------------------------------------------------ lookups, sorting, scans
    "gather, too large": Row(
        op("gather", 2), (M, of(I64, 3, 4)), "Tensor arguments have dimension"
    ),
    "gather, too small": Row(
        op("gather", -3), (M, of(I64, 3, 4)), "Tensor arguments have dimension"
    ),
    "take_along_axis, too large": Row(
        op("take_along_axis", 2), (M, of(I64, 3, 4)), "Tensor arguments have dimension"
    ),
    "take_along_axis, too small": Row(
        op("take_along_axis", -3), (M, of(I64, 3, 4)), "Tensor arguments have dimension"
    ),
    "index_select, too large": Row(op("index_select", 2), (M, of(I64, 2)), OUT_OF_BOUNDS),
    "index_select, too small": Row(op("index_select", -3), (M, of(I64, 2)), OUT_OF_BOUNDS),
    "topk, dimension": Row(op("topk", 1, 2), (M,), OUT_OF_BOUNDS),
    "topk, negative": Row(
        lambda fd, x: fd.ops.topk(x, -5)[0], (M,), "Invalid resized domain extent", at_run=True
    ),
    "topk, too many": Row(lambda fd, x: fd.ops.topk(x, 5)[0], (M,), "re:k .* range", at_run=True),
    "cumsum, too large": Row(op("cumsum", 2), (M,), OUT_OF_BOUNDS),
    "cumsum, too small": Row(op("cumsum", -3), (M,), OUT_OF_BOUNDS),
    "cumsum of a 0-dim tensor": Row(op("cumsum", 0), ((),), OUT_OF_BOUNDS),
    "cumsum, float": Row(
        op("cumsum", 0.5), (M,), "cumsum(): incompatible function arguments", TypeError
    ),
    # ------------------------------------------------------------ creation
    "iota of a complex length": Row(op("iota", 2 + 1j), (), "length must be integer"),
    "iota, complex start": Row(
        op("iota", 3, 1j, 1), (), "iota: start dtype does not match specified dtype argument"
    ),
    "iota, complex step": Row(
        op("iota", 3, 1, 1j), (), "iota: step dtype does not match specified dtype argument"
    ),
    "iota, infinite start": Row(
        op("iota", 3, INFINITE, 1.0, DataType.Float),
        (),
        "iota: length, start, step must be finite numbers.",
    ),
    "iota, infinite step": Row(
        op("iota", 3, 1.0, INFINITE, DataType.Float),
        (),
        "iota: length, start, step must be finite numbers.",
    ),
    "iota without step": Row(op("iota", 3, 1, 0), (), "iota: step value must not equal zero."),
    **{
        f"{name} of {dtype.name}": Row(
            op(name, 0.0, 1.0, [3], dtype=dtype),
            (),
            "Random distributions only create floating point types",
        )
        for name in ("normal", "uniform")
        for dtype in (DataType.Bool, DataType.Int, DataType.ComplexFloat)
    },
    "seed without offset": Row(
        op("uniform", 0.0, 1.0, [3], rng_seed=1),
        (),
        "rng_seed and rng_offset must be provided together!",
    ),
    # ------------------------------------------------------------ reductions
    "no axis": Row(op("sum", []), (M,), "No reduction axis specified"),
    "max with a dtype": Row(
        op("max", [0], dtype=DataType.Double),
        (M,),
        "A dtype other than Null is not currently supported.",
    ),
    "min with a dtype": Row(
        op("min", [0], dtype=DataType.Double),
        (M,),
        "A dtype other than Null is not currently supported.",
    ),
    "var_mean, float dims": Row(
        op("var_mean", [1.5]), (M,), "var_mean(): incompatible function arguments.", TypeError
    ),
    "var_mean of half": Row(
        op("var_mean", [0]), (of(torch.float16, 3, 4),), "variance_mean is not supported for"
    ),
    "negative correction": Row(
        op("var", [0], correction=-1), (M,), "correction must be non-negative"
    ),
    # ------------------------------------------------------------ element-wise
    "where of no condition": Row(op("where"), (M, M, M), "Condition should be of DataType Bool"),
    "bitwise operation of floats": Row(
        op("bitwise_and"), (M, M), "Integer or boolean input is required for"
    ),
    "bitwise_not of floats": Row(
        op("bitwise_not"), (M,), "Integer or boolean input is required for"
    ),
    "shift of floats": Row(op("bitwise_left_shift"), (M, M), "input must have integral"),
    "nextafter of integers": Row(
        op("nextafter"),
        (of(I64, 3), of(I64, 3)),
        "Promoted type must be single or double precision float",
    ),
    "imag of real numbers": Row(op("imag"), (M,), "imag not supported for non-complex tensors"),
    # ------------------------------------------------------------ library calls
    "linear, length of the bias": Row(op("linear"), ((2, 3), (1, 3), (4,)), "expand", at_run=True),
    "linear, weight of one dimension": Row(op("linear"), (M, (4,)), "Input B must be at least 2D"),
    "linear, dtypes": Row(
        op("linear"),
        (M, of(torch.float64, 5, 4)),
        "Expected input and weight dtypes to have the same dtype",
    ),
    "linear, 0-dim bias": Row(op("linear"), (M, (5, 4), ()), "Input bias must be at least 1D"),
    "matmul, dtypes": Row(
        op("matmul"),
        (M, of(torch.float64, 4, 5)),
        "Expected A and B dtypes to have the same dtype",
    ),
    "matmul of a 0-dim tensor": Row(op("matmul"), (M, ()), "Expected inputs to be atleast 1D"),
    "grouped_mm, offsets": Row(
        op("grouped_mm"),
        ((4, 8), (2, 8, 8), of(torch.int32, 2, 1)),
        "offsets needs to be 1-D for grouped mm",
    ),
    "grouped_mm, ranks": Row(
        op("grouped_mm"), ((4, 8), (8,), of(torch.int32, 2)), "Unexpected operand ranks"
    ),
    "grouped_mm, one scale": Row(
        lambda fd, a, b, offsets, scale: fd.ops.grouped_mm(a, b, offsets, scale, None),
        ((4, 8), (2, 8, 8), of(torch.int32, 2), (4, 1)),
        "scale1 and scale2 needs to be non-null or both null",
    ),
    "grouped_mm, bias without beta": Row(
        lambda fd, a, b, offsets, scale, other, bias: fd.ops.grouped_mm(
            a, b, offsets, scale, other, bias=bias
        ),
        ((4, 8), (2, 8, 8), of(torch.int32, 2), (4, 1), (2, 1, 8), (2, 8)),
        "bias and beta needs to be non-null or both null",
    ),
    "scaled_mm, scale of the result": Row(
        op("scaled_mm", output_block_scale_size=16),
        ((4, 8), (8, 8), (4, 1), (1, 8)),
        "output_block_scale is not yet supported",
    ),
    "scaled_mm, gamma of the result": Row(
        op("scaled_mm", output_gamma=True),
        ((4, 8), (8, 8), (4, 1), (1, 8)),
        "output_gamma is not yet supported",
    ),
    "embedding of a vector": Row(
        op("embedding_fwd"), (of(I64, 3), (5,)), "Expected weight to be 2D"
    ),
    # ------------------------------------------------------------ quantization
    "block quantization to another dtype": Row(
        op("nv_block_quantize", dtype=DataType.Half),
        ((4, 32),),
        "Currently only output data type of Float4_e2m1fn or Float8_e4m3fn is supported",
    ),
    "block quantization by another size": Row(
        op("nv_block_quantize", block_size=32),
        ((4, 32),),
        "Block size must be 16 for Float4_e2m1fn",
    ),
    "block quantization of integers": Row(
        op("nv_block_quantize"),
        (of(I64, 4, 32),),
        "Block quantization expects floating point input",
    ),
}
ROWS |= {
    f"slice, {name}": Row(op("slice", *arguments), (shape,), message)
    for name, ((shape, *arguments), message) in SLICE.items()
}


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str, device: str) -> None:
    row = ROWS[name]
    inputs = []
    for shape in row.shapes:
        sizes, dtype = shape if shape and isinstance(shape[0], tuple) else (shape, F32)
        inputs.append(make_tensor(sizes, dtype, device, 0, 2))
    pattern = row.message.removeprefix("re:")
    if pattern == row.message:
        pattern = re.escape(row.message)
    fd = FusionDefinition()

    def define() -> None:
        with fd:
            fd.add_output(row.build(fd, *(fd.from_pytorch(x) for x in inputs)))

    if row.at_run:
        define()
    with pytest.raises(row.error, match=pattern) as raised:
        fd.execute(inputs) if row.at_run else define()
    assert raised.type is row.error


def test_slices_that_are_legal(device: str) -> None:
    x = make_tensor((5, 5), F32, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        fd.add_output(fd.ops.slice(t, [1, 2], [4, 4]))
        fd.add_output(fd.ops.slice(t, [6, 6], [8, 8]))
    part, empty = fd.execute([x])
    assert torch.equal(part, x[1:4, 2:4])
    assert empty.shape == (0, 0)


# ------------------------------------------------------------------ the front end


def product() -> FusionDefinition:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1])
        fd.add_output(fd.ops.mul(x, fd.define_scalar(DataType.Double)))
    return fd


def test_no_definition() -> None:
    message = "Fusion does not exist! Use `with FusionDefinition() as fd: ...` to define a fusion."
    for run in (FusionDefinition().execute, FusionDefinition().manual_execute):
        with pytest.raises(NotImplementedError, match=re.escape(message)):
            run([])


def test_no_outputs(device: str) -> None:
    for method in ("execute", "manual_execute"):
        with FusionDefinition() as fd:
            fd.define_tensor([2])
        with pytest.raises(NotImplementedError, match="Fusion is empty!"):
            getattr(fd, method)([make_tensor((2,), F32, device)])


def test_tensor_of_another_kind_of_device() -> None:
    message = "Found unsupported device meta, only CPU or CUDA tensors are supported"
    with FusionDefinition() as fd, pytest.raises(ValueError, match=message):
        fd.from_pytorch(torch.empty(3, device="meta"))


def test_both_kinds_of_executors(device: str) -> None:
    inputs = [make_tensor((3,), F32, device), 2.0]
    fd = product()
    fd.execute(inputs)
    message = "FusionExecutorCache already exists! Use execute() to execute the fusion."
    with pytest.raises(AssertionError, match=re.escape(message)):
        fd.manual_execute(inputs)
    fd = product()
    fd.manual_execute(inputs)
    message = "KernelExecutor already exists! Use manual_execute() to execute the fusion."
    with pytest.raises(AssertionError, match=re.escape(message)):
        fd.execute(inputs)


def test_no_saved_inputs(device: str) -> None:
    fd = product()
    fd.execute([make_tensor((3,), F32, device), 2.0])
    message = (
        "fd.last_repro_script() cannot provide a repro because "
        "fd.execute(inputs, save_repro_inputs=True) was not executed!"
    )
    with pytest.raises(AssertionError, match=re.escape(message)):
        fd.last_repro_script()


def test_generated_product_of_floats(device: str) -> None:
    inputs = [make_tensor((3, 3), F32, device) for _ in range(2)]
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.matmul(*(fd.from_pytorch(x) for x in inputs)))
    with pytest.raises(RuntimeError, match="Can not find a scheduler to schedule fusion segment"):
        fd.execute(inputs, _enable_options=["fuse_matmul"], _disable_options=["matmul_expr_eval"])


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([2, 3.0], "Expected input 0, .*, to be an at::Tensor but got scalar 2"),
        (
            [torch.ones(3), torch.ones(3)],
            "Expected input 1, d2, to be a scalar but got float tensor of rank 1",
        ),
        (
            [torch.ones(3, dtype=torch.float16), 2.0],
            "Expected input 0, .*, to be bound to a tensor of dtype float, "
            "but got a tensor of dtype __half",
        ),
        (
            [torch.ones(3), 2 + 1j],
            r"Scalar value \(2,1\) is not compatible with the expected data type: double.",
        ),
        ([torch.ones(3, 3), 2.0], "to be bound to a tensor of rank"),
        ([torch.ones(3)], "input"),
    ],
)
def test_inputs(inputs: list[Any], message: str, device: str) -> None:
    given = [x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs]
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1])
        # The interface prints the scalar as d2.
        fd.define_scalar(1.0)
        fd.define_scalar(1.0)
        fd.add_output(fd.ops.mul(x, fd.define_scalar(DataType.Double)))
    scalar = next(str(value) for value in fd.fusion.inputs() if not value.is_tensor())
    with pytest.raises(RuntimeError, match=message.replace("d2", scalar)):
        fd.execute(given)


@pytest.mark.parametrize("kind", ["enable", "disable"])
def test_unknown_options(kind: str, device: str) -> None:
    message = f"Unrecognized {kind}_option: no_such"
    with pytest.raises(RuntimeError, match=message):
        product().execute(
            [make_tensor((3,), F32, device), 2.0], **{f"_{kind}_options": ["no_such"]}
        )
