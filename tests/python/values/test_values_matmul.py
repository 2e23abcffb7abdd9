"""Matrix products, which torch computes between generated kernels, against torch."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from fusion_testing import (
    FLOATS,
    assert_matches,
    define,
    dtype_id,
    make_tensor,
    run,
    run_one,
    widen,
)

from nvfuser import DataType, FusionDefinition

# Of sums of a few dozen products, each of which torch may round.
TOLERANCE = {
    torch.float64: 1e-12,
    torch.float32: 2e-5,
    torch.float16: 1e-2,
    torch.bfloat16: 8e-2,
}


def check(output: torch.Tensor, reference: torch.Tensor, dtype: torch.dtype) -> None:
    tolerance = TOLERANCE[dtype]
    assert_matches(output, reference, dtype, rtol=tolerance, atol=4 * tolerance)


def pair(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], dtype: torch.dtype, device: str
) -> list[torch.Tensor]:
    return [make_tensor(shape, dtype, device, -1, 1, seed) for seed, shape in enumerate(shapes)]


SHAPES = [
    ((4, 8), (8, 16)),
    ((8,), (8,)),
    ((8,), (8, 16)),
    ((4, 8), (8,)),
    ((3, 4, 8), (3, 8, 5)),
    ((3, 4, 8), (8, 5)),
    ((4, 8), (3, 8, 5)),
    ((8,), (2, 3, 8, 5)),
    ((2, 3, 4, 8), (8,)),
    ((2, 1, 4, 8), (1, 3, 8, 5)),
    ((2, 1, 4, 8), (3, 8, 5)),
    ((1, 8), (8, 1)),
    ((0, 8), (8, 5)),
    ((4, 0), (0, 5)),
    ((2, 4, 0), (0,)),
    ((0,), (0,)),
]


@pytest.mark.parametrize("static", [False, True], ids=["symbolic", "static"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul_shapes(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], static: bool, device: str
) -> None:
    a, b = pair(shapes, torch.float32, device)
    plain, fused = run(
        lambda fd, x, y: [
            fd.ops.matmul(x, y),
            fd.ops.relu(fd.ops.matmul(x * 2.0, fd.ops.neg(y))) + 1.0,
        ],
        [a, b],
        static,
    )
    reference = torch.matmul(widen(a), widen(b))
    check(plain, reference, torch.float32)
    check(fused, (-2 * reference).relu() + 1, torch.float32)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_matmul_dtypes(dtype: torch.dtype, device: str) -> None:
    a, b = pair(((5, 16), (16, 7)), dtype, device)
    output = run_one(lambda fd, x, y: fd.ops.matmul(x, y), [a, b])
    check(output, widen(a) @ widen(b), dtype)


def test_matmul_of_integers_and_complex_numbers(device: str) -> None:
    a = make_tensor((5, 4), torch.int64, device)
    product = define(lambda fd, x: x @ fd.ops.permute(x, [1, 0]), [a])
    if a.is_cuda:  # where torch has none
        with pytest.raises(NotImplementedError, match=r"matmul: .*not implemented for 'Long'"):
            product.execute([a])
    else:
        assert torch.equal(product.execute([a])[0], a @ a.t())
    z = make_tensor((5, 4), torch.complex64, device)
    output = run_one(lambda fd, x: x @ fd.ops.permute(x, [1, 0]), [z])
    assert_matches(output, widen(z) @ widen(z).t(), torch.complex64, atol=1e-4)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("shape", [(8,), (4, 8), (2, 3, 8), (0, 8), (4, 0)], ids=str)
def test_linear(shape: tuple[int, ...], bias: bool, device: str) -> None:
    x = make_tensor(shape, torch.float32, device)
    w = make_tensor((5, shape[-1]), torch.float32, device, seed=1)
    b = make_tensor((5,), torch.float32, device, seed=2)
    inputs = [x, w, b] if bias else [x, w]
    plain, fused = run(
        lambda fd, *t: [fd.ops.linear(*t), fd.ops.exp(fd.ops.linear(fd.ops.sin(t[0]), *t[1:]))],
        inputs,
    )
    wide = [widen(t) for t in inputs]
    check(plain, torch.nn.functional.linear(*wide), torch.float32)
    reference = torch.nn.functional.linear(wide[0].sin(), *wide[1:]).exp()
    assert_matches(fused, reference, torch.float32, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", FLOATS, ids=dtype_id)
def test_linear_dtypes(dtype: torch.dtype, device: str) -> None:
    x, w = pair(((5, 16), (7, 16)), dtype, device)
    b = make_tensor((7,), dtype, device, -1, 1)
    output = run_one(lambda fd, *t: fd.ops.linear(*t), [x, w, b])
    check(output, torch.nn.functional.linear(widen(x), widen(w), widen(b)), dtype)


def test_layouts(device: str) -> None:
    base = make_tensor((6, 4, 10), torch.float32, device)
    for x in (base.permute(2, 0, 1), base[::2, :, 1:9], base[:, :1].expand(6, 4, 10)):
        y = make_tensor((x.shape[-1], 3), torch.float32, device)
        for right in (y, y.t().contiguous().t()):
            plain, after = run(
                lambda fd, a, b: [fd.ops.matmul(a, b), fd.ops.sum(fd.ops.matmul(a, b), dims=[1])],
                [x, right],
            )
            reference = widen(x) @ widen(y)
            check(plain, reference, torch.float32)
            check(after, reference.sum(1), torch.float32)


def test_views_of_inputs_are_passed_as_they_are(device: str) -> None:
    x, y = pair(((4, 8), (5, 6, 8)), torch.float32, device)

    def product(fd: FusionDefinition, a: Any, b: Any) -> Any:
        rows = fd.ops.reshape(b, [30, 8])
        part = fd.ops.slice(rows, [10, 0], [20, 8])
        return fd.ops.matmul(a, fd.ops.permute(part, [1, 0]))

    fd = define(product, [x, y])
    (output,) = fd.execute([x, y])
    check(output, widen(x) @ widen(y).reshape(30, 8)[10:20].t(), torch.float32)
    # No kernel copies anything.
    assert fd.fec.get_cuda_kernel([x, y]).strip() == ""


def test_chain(device: str) -> None:
    x = make_tensor((6, 8), torch.float32, device, -1, 1)
    ws = [make_tensor((8, 8), torch.float32, device, -1, 1, seed) for seed in range(4)]

    def body(fd: FusionDefinition, t: Any, *weights: Any) -> Any:
        for w in weights:
            t = fd.ops.tanh(fd.ops.linear(t, w)) + t
        return [t, fd.ops.softmax(t, -1)]

    last, normalized = run(body, [x, *ws])
    reference = widen(x)
    for w in ws:
        reference = torch.tanh(reference @ widen(w).t()) + reference
    check(last, reference, torch.float32)
    check(normalized, reference.softmax(-1), torch.float32)


def test_sizes_may_change(device: str) -> None:
    a, b = pair(((4, 8), (8, 16)), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.matmul(x, y) * 2.0, [a, b])
    for m, k, n in ((4, 8, 16), (1, 8, 16), (5, 3, 2), (7, 0, 2), (4, 8, 16)):
        a, b = pair(((m, k), (k, n)), torch.float32, device)
        check(fd.execute([a, b])[0], widen(a) @ widen(b) * 2, torch.float32)


def test_a_size_of_one_that_only_one_operand_declares(device: str) -> None:
    a, b = pair(((1, 1), (1,)), torch.float32, device)
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[1, 1], contiguity=True)
        y = fd.define_tensor(shape=[-1], contiguity=True)
        fd.add_output(fd.ops.matmul(x, fd.ops.neg(y)))
    check(fd.execute([a, b])[0], widen(a) @ -widen(b), torch.float32)
    with pytest.raises(RuntimeError, match="2 different sizes"):
        fd.execute([a, torch.cat([b, b])])


@pytest.mark.parametrize(
    "shapes",
    [((5,), (5, 33)), ((5,), (2, 5, 33)), ((3, 5), (5,)), ((2, 3, 5), (5,)), ((5,), (5,))],
    ids=str,
)
def test_vectors_into_memory_of_the_caller(
    shapes: tuple[tuple[int, ...], tuple[int, ...]], device: str
) -> None:
    a, b = pair(shapes, torch.float32, device)
    fd = define(lambda fd, x, y: [fd.ops.matmul(x, y)], [a, b])
    reference = widen(a) @ widen(b)
    given = torch.empty(reference.shape, device=device)
    assert fd.execute([a, b], outputs=[given])[0] is given
    assert given.shape == reference.shape
    check(given, reference, torch.float32)


@pytest.mark.parametrize("has_bias", [False, True])
def test_linear_of_a_vector_into_memory_of_the_caller(has_bias: bool, device: str) -> None:
    x, weight = pair(((5,), (33, 5)), torch.float32, device)
    inputs = [x, weight] + [make_tensor((33,), torch.float32, device)] * has_bias
    fd = define(lambda fd, *values: [fd.ops.linear(*values)], inputs)
    reference = torch.nn.functional.linear(*map(widen, inputs))
    given = torch.empty(33, device=device)
    assert fd.execute(inputs, outputs=[given])[0] is given
    check(given, reference, torch.float32)


def test_outputs_of_the_caller(device: str) -> None:
    a, b = pair(((4, 8), (8, 16)), torch.float32, device)

    def body(fd: FusionDefinition, x: Any, y: Any) -> Any:
        product = fd.ops.matmul(x, y)
        return [product, product + 1.0, product]

    fd = define(body, [a, b])
    reference = widen(a) @ widen(b)
    given = torch.empty(4, 16, device=device)
    outputs = fd.execute([a, b], outputs=[given, None, None])
    assert outputs[0] is given
    assert outputs[2] is given
    for output, expected in zip(outputs, (reference, reference + 1, reference), strict=True):
        check(output, expected, torch.float32)
    plan = fd.bind([a, b])
    again = plan(a, b)
    assert again[0] is again[2]
    check(again[0], reference, torch.float32)
    check(plan(a, b, outputs=[None, given, None])[1], reference + 1, torch.float32)
    square = make_tensor((8, 8), torch.float32, device)
    with pytest.raises(RuntimeError, match="which is still read"):
        fd.execute([square, square.clone()], outputs=[square, None, None])


def test_update_in_place(device: str) -> None:
    a, b = pair(((8, 8), (8, 8)), torch.float32, device)
    c = make_tensor((8, 8), torch.float32, device, seed=7)
    reference = widen(a) @ widen(b)
    with FusionDefinition() as fd:
        x, y, z = (fd.from_pytorch(t) for t in (a, b, c))
        product = fd.ops.matmul(x, y)
        fd.add_output(product, z)
        # Read before it is written.
        fd.add_output(fd.ops.matmul(z, y))
        fd.add_output(product * 2.0, x)
    before = widen(c)
    (output,) = fd.execute([a, b, c])
    check(output, before @ widen(b), torch.float32)
    check(c, reference, torch.float32)
    check(a, 2 * reference, torch.float32)


def test_product_written_at_once(device: str) -> None:
    a, b = pair(((4, 8), (8, 6)), torch.float32, device)
    c = torch.zeros(6, 4, device=device).t()
    with FusionDefinition() as fd:
        x, y, z = (fd.from_pytorch(t) for t in (a, b, c))
        fd.add_output(fd.ops.matmul(x, y), z)
    fd.execute([a, b, c])
    check(c, widen(a) @ widen(b), torch.float32)


def test_modes_of_torch_change_nothing(device: str) -> None:
    a, b = pair(((4, 8), (8, 16)), torch.float32, device)
    w = torch.nn.Parameter(make_tensor((5, 16), torch.float32, device), requires_grad=False)
    fd = define(lambda fd, x, y, z: fd.ops.linear(fd.ops.matmul(x, y), z) + 1.0, [a, b, w])
    reference = widen(a) @ widen(b) @ widen(w.detach()).t() + 1
    assert torch.is_grad_enabled()
    with torch.autocast(device, dtype=torch.bfloat16):
        (output,) = fd.execute([a, b, w])
        assert torch.mm(a, b).dtype == torch.bfloat16
    assert torch.is_grad_enabled()
    assert not output.requires_grad
    check(output, reference, torch.float32)


def test_threads(device: str) -> None:
    a, b = pair(((64, 32), (32, 48)), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.matmul(fd.ops.neg(x), y) * 0.5, [a, b])
    many = [pair(((m, 32), (32, 48)), torch.float32, device) for m in range(1, 33)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda inputs: fd.execute(inputs)[0], many * 4))
    for (x, y), output in zip(many * 4, results, strict=True):
        check(output, widen(x) @ widen(y) * -0.5, torch.float32)


def test_without_elements_before_and_behind(device: str) -> None:
    """Kernels that have nothing to do are not run, but calls take what they would have written."""
    a = make_tensor((4, 0), torch.float32, device)
    b = make_tensor((0, 5), torch.float32, device)
    plain, total = run(
        lambda fd, x, y: [
            fd.ops.matmul(x + 1.0, y + 1.0),
            fd.ops.sum(fd.ops.matmul(y + 2.0, fd.ops.permute(y - 1.0, [1, 0])), dims=[0, 1]),
        ],
        [a, b],
    )
    assert torch.equal(plain, torch.zeros(4, 5, device=device))
    assert total.item() == 0


# ----------------------------------------------------------------------------- errors


def define_tensors(fd: FusionDefinition, *shapes: list[int]) -> list[Any]:
    return [fd.define_tensor(shape=shape, dtype=DataType.Float) for shape in shapes]


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (([2, 3], [4, 5]), "Expected sizes to match"),
        (([], [4, 5]), "Expected inputs to be atleast 1D"),
        (([4, 5], []), "Expected inputs to be atleast 1D"),
        (([2, 3, 4], [5, 4, 2]), "Expected sizes to match"),
    ],
    ids=str,
)
def test_matmul_of_shapes_that_do_not_fit(shapes: Any, message: str) -> None:
    with FusionDefinition() as fd, pytest.raises(RuntimeError, match=message):
        fd.ops.matmul(*define_tensors(fd, *shapes))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (([2, 3], [4, 5]), "Expected sizes to match"),
        (([], [4, 5]), "Expected inputs to be atleast 1D"),
        (([2, 5], [5]), "Input B must be at least 2D"),
        (([2, 5], [3, 4, 5]), "leading dimensions of the weight"),
        (([2, 5], [4, 5], []), "Input bias must be at least 1D"),
        (([2, 5], [4, 5], [1, 4]), r"Expected the bias to have the shape \[out_features\]"),
    ],
    ids=str,
)
def test_linear_of_shapes_that_do_not_fit(shapes: Any, message: str) -> None:
    with FusionDefinition() as fd, pytest.raises(RuntimeError, match=message):
        fd.ops.linear(*define_tensors(fd, *shapes))


def test_dtypes_that_differ() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor(shape=[4, 4], dtype=DataType.Float)
        y = fd.define_tensor(shape=[4, 4], dtype=DataType.Half)
        b = fd.define_tensor(shape=[4], dtype=DataType.Half)
        with pytest.raises(RuntimeError, match="Expected A and B dtypes to have the same dtype"):
            fd.ops.matmul(x, y)
        with pytest.raises(
            RuntimeError, match="Expected input and weight dtypes to have the same dtype"
        ):
            fd.ops.linear(x, y)
        with pytest.raises(RuntimeError, match="Expected input and bias to have the same dtype"):
            fd.ops.linear(x, x, b)
        with pytest.raises(TypeError):
            fd.ops.matmul(x, 2)


def test_sizes_that_differ_in_a_call(device: str) -> None:
    a, b = pair(((4, 8), (8, 16)), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.matmul(x, y), [a, b])
    with pytest.raises(RuntimeError, match=r"matmul(.|\n)*conflict was found with 2 different"):
        fd.execute([a, b[:5]])
    check(fd.execute([a, b])[0], widen(a) @ widen(b), torch.float32)


def test_errors_of_torch_name_the_operation(device: str) -> None:
    x, w = pair(((4, 8), (1, 8)), torch.float32, device)
    bias = make_tensor((3,), torch.float32, device)
    fd = define(lambda fd, *t: fd.ops.linear(*t), [x, w, bias])
    with pytest.raises(RuntimeError, match=r"linear: (.|\n)*linear\( T0"):
        fd.execute([x, w, bias])
    flags = torch.ones(4, 4, dtype=torch.bool, device=device)
    with pytest.raises(RuntimeError, match=r"matmul: (.|\n)*in T1.*\n.*matmul\( T0"):
        run_one(lambda fd, t: fd.ops.matmul(t, t), [flags])
    assert torch.is_grad_enabled()


def test_without_torch_the_operation_is_named() -> None:
    code = """
import sys
sys.modules["torch"] = None
import numpy
from nvfuser import DataType, FusionDefinition
with FusionDefinition() as fd:
    x = fd.define_tensor(shape=[-1, -1], dtype=DataType.Float)
    fd.add_output(fd.ops.matmul(x, x))
try:
    fd.execute([numpy.ones((3, 3), numpy.float32)])
except RuntimeError as error:
    print(error)
"""
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "The operation matmul is computed by torch, which is not installed" in process.stdout, (
        process.stderr
    )


def test_generated_products_only(device: str) -> None:
    """With both options only dtypes that tensor cores take are multiplied."""
    options = {"_enable_options": ["fuse_matmul"], "_disable_options": ["matmul_expr_eval"]}
    a, b = pair(((4, 8), (8, 16)), torch.float32, device)
    fd = define(lambda fd, x, y: fd.ops.matmul(x, y), [a, b])
    with pytest.raises(RuntimeError, match="Can not find a scheduler to schedule fusion segment"):
        fd.execute([a, b], **options)
    check(fd.execute([a, b])[0], widen(a) @ widen(b), torch.float32)
    a, b = pair(((4, 8), (8, 16)), torch.bfloat16, device)
    fd = define(lambda fd, x, y: fd.ops.matmul(x, y), [a, b])
    check(fd.execute([a, b], **options)[0], widen(a) @ widen(b), torch.bfloat16)


@pytest.mark.parametrize("is_given", [False, True])
def test_a_reshape_of_a_product_is_no_kernel(is_given: bool, device: str) -> None:
    """The product is computed where its reshape lies: an output, or what another product reads."""
    x, w, v = (make_tensor(shape, torch.float32, device) for shape in ((12, 8), (8, 6), (3, 5)))

    def body(fd: FusionDefinition, x: Any, w: Any, v: Any) -> list[Any]:
        product = fd.ops.matmul(x, w)
        between = fd.ops.reshape(product, [24, 3])
        return [fd.ops.matmul(between, v), fd.ops.reshape(fd.ops.matmul(w, x[:6, :]), [2, 4, 8])]

    fd = define(body, [x, w, v])
    expected = [(x @ w).reshape(24, 3) @ v, (w @ x[:6]).reshape(2, 4, 8)]
    given = [torch.empty_like(each) for each in expected] if is_given else None
    outputs = fd.execute([x, w, v], outputs=given)
    for output, reference in zip(outputs, expected, strict=True):
        check(output, reference, torch.float32)
        assert not output._is_view()
    text = str(fd.explain([x, w, v]))
    assert text.startswith("3 library calls on"), text
