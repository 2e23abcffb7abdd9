"""Operators of torch inside of fusions."""

from __future__ import annotations

import pytest
import torch

from nvfuser import DataType, FusionDefinition, TensorView
from nvfuser.torch_calls import register_callable


def _convolution(fd: FusionDefinition) -> TensorView:
    x = fd.define_tensor([-1, 3, -1, -1], True, DataType.Float)
    weight = fd.define_tensor([8, 3, 3, 3], True, DataType.Float)
    shape = [fd.ops.size(x, 0), 8, fd.ops.size(x, 2), fd.ops.size(x, 3)]
    return fd.ops.torch_call(
        "aten.convolution.default",
        "(t0, t1, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)",
        [fd.ops.relu(x), weight],
        results=[(shape, DataType.Float, None)],
    )


def _image(device: str, *sizes: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(sizes))
    return torch.randn(sizes, generator=generator).to(device)


def test_between_kernels_for_all_sizes(device: str) -> None:
    with FusionDefinition() as fd:
        fd.add_output(fd.ops.sigmoid(_convolution(fd)))
    weight = _image(device, 8, 3, 3, 3)
    for n, height, width in ((2, 5, 6), (3, 7, 4), (1, 1, 1)):
        x = _image(device, n, 3, height, width)
        expected = torch.conv2d(x.relu(), weight, padding=1).sigmoid()
        torch.testing.assert_close(fd.execute([x, weight])[0], expected)
        torch.testing.assert_close(
            FusionDefinition.deserialize(fd.serialize()).execute([x, weight])[0], expected
        )
    fd.validate([x, weight])


def test_channels_last_results_are_read_as_they_lie(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([2, 4, 5, 6], True, DataType.Float, stride_order=[3, 0, 2, 1])
        pooled = fd.ops.torch_call(
            "aten.avg_pool2d.default",
            "(t0, [2, 2], [1, 1])",
            [x],
            results=[([2, 4, 4, 5], DataType.Float, [3, 0, 2, 1])],
        )
        fd.add_output(fd.ops.mul(pooled, 2.0))
        fd.add_output(pooled)
    x = _image(device, 2, 4, 5, 6).to(memory_format=torch.channels_last)
    expected = torch.nn.functional.avg_pool2d(x, 2, 1)
    doubled, plain = fd.execute([x])
    torch.testing.assert_close(doubled, expected * 2)
    torch.testing.assert_close(plain, expected)
    assert plain.is_contiguous(memory_format=torch.channels_last)


def test_some_of_several_results(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1, -1], True, DataType.Float)
        shape = fd.ops.shape(x)
        values, order = fd.ops.torch_call(
            "aten.sort.stable",
            "(t0, stable=True, dim=s0, descending=True)",
            [x],
            [-1],
            results=[None, (shape, DataType.Int, None)],
        )
        assert values is None
        fd.add_output(fd.ops.add(order, 1))
    x = _image(device, 7, 9)
    expected = x.sort(stable=True, dim=-1, descending=True)[1] + 1
    assert torch.equal(fd.execute([x])[0], expected)


def test_lists_of_tensors_and_scalars_of_each_kind(device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([3, 4], True, DataType.Float)
        factor = fd.define_scalar(dtype=DataType.Double)
        y = fd.ops.neg(x)
        out = fd.ops.torch_call(
            "aten.stack.default",
            "([t0, t1, t0], 1)",
            [x, y],
            results=[([3, 3, 4], DataType.Float, None)],
        )
        out = fd.ops.torch_call(
            "aten.add.Tensor",
            "(t0, t0, alpha=s0)",
            [out],
            [factor],
            results=[([3, 3, 4], DataType.Float, None)],
        )
        fd.add_output(out)
    x = _image(device, 3, 4)
    torch.testing.assert_close(fd.execute([x, 0.5])[0], torch.stack([x, -x, x], 1) * 1.5)


def test_equal_calls_are_two(device: str) -> None:
    """An operator may have effects: two equal calls for random numbers give different ones."""
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.Float)
        size = fd.ops.size(x, 0)
        a, b = (
            fd.ops.torch_call(
                "aten.rand_like.default", "(t0)", [x], results=[([size], DataType.Float, None)]
            )
            for _ in range(2)
        )
        fd.add_output(fd.ops.sub(a, b))
    x = torch.zeros(100, device=device)
    assert fd.execute([x])[0].abs().min() > 0


@pytest.mark.parametrize("target", ["aten.view.default", "aten.reshape.default"])
def test_results_have_memory_of_their_own(target: str, device: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([4, 6], True, DataType.Float)
        fd.add_output(
            fd.ops.torch_call(target, "(t0, [24])", [x], results=[([24], DataType.Float, None)])
        )
    x = _image(device, 4, 6)
    out = fd.execute([x])[0]
    assert torch.equal(out, x.view(24))
    assert out.untyped_storage().data_ptr() != x.untyped_storage().data_ptr()


def test_a_python_function(device: str) -> None:
    target = register_callable(lambda x, y: (x + y, x - y))
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.Float)
        shape = fd.ops.shape(x)
        result = (shape, DataType.Float, None)
        total, difference = fd.ops.torch_call(
            target, "(t0, t1)", [x, fd.ops.exp(x)], results=[result, result]
        )
        fd.add_output(fd.ops.mul(total, difference))
    x = _image(device, 11)
    torch.testing.assert_close(fd.execute([x])[0], x * x - x.exp() ** 2)


@pytest.mark.parametrize(
    ("target", "arguments", "message"),
    [
        ("aten.nope.default", "(t0)", "torch.ops has no aten.nope.default"),
        ("aten.relu", "(t0)", "an operator with its overload"),
        ("aten.relu.default", "(t0, t1)", "Expected arguments like"),
        ("aten.relu.default", "(__import__('os'))", "Expected arguments like"),
        ("aten.relu.default", "(t0.data)", "Expected arguments like"),
        ("aten.relu.default", "(*t0)", "Expected arguments like"),
        ("aten.relu.default", ")(t0", "Expected arguments like"),
        ("aten.relu.default", "(t0)(t0)", "Expected arguments like"),
        ("aten.relu.default", "(t0, torch.load)", "Expected arguments like"),
        ("aten.relu.default", "t0", "Expected arguments like"),
        ("aten.relu_.default", "(t0)", "writes to its arguments"),
        ("python:123456", "(t0)", "no function of this process"),
        ("aten.sum.default", "(t0)", "Expected sizes to match"),
        ("aten.to.dtype", "(t0, torch.float64)", "Expected sizes to match"),
        ("aten.relu.default", "(t0, 3)", "aten.relu.default"),
    ],
)
def test_bad_calls(target: str, arguments: str, message: str) -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.Float)
        result = (fd.ops.shape(x), DataType.Float, None)
        fd.add_output(fd.ops.torch_call(target, arguments, [x], results=[result]))
    with pytest.raises(RuntimeError, match=message) as caught:
        fd.execute([torch.ones(3)])
    assert "torch_call" in str(caught.value) or target in str(caught.value)


def test_a_call_needs_a_result() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([-1], True, DataType.Float)
        with pytest.raises(RuntimeError, match=r"Expected a result of aten\.relu\.default"):
            fd.ops.torch_call("aten.relu.default", "(t0)", [x], results=[None])
        fd.add_output(x)


def test_calls_without_tensors_do_not_follow_a_default_device() -> None:
    with FusionDefinition() as fd:
        x = fd.define_tensor([3], True, DataType.Float)
        result = ([], DataType.Float, None)
        made = fd.ops.torch_call("aten.scalar_tensor.default", "(2.5)", [], results=[result])
        fd.add_output(fd.ops.mul(x, made))
    with torch.device("meta"):
        (output,) = fd.execute([torch.ones(3, device="cpu")])
    assert torch.equal(output, torch.full((3,), 2.5))
