"""Library calls look at the results of others as the views between them say, without copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from fusion_testing import make_tensor

from nvfuser import FusionDefinition, PythonProfiler


def names_of_kernels(fd: FusionDefinition, inputs: list[Any]) -> list[str]:
    """Run a fusion and return the names of its kernels and library calls."""
    with PythonProfiler() as profiler:
        fd.execute(inputs)
    return [kernel.name for kernel in profiler.profile.kernel_profiles]


def test_heads_of_products_are_not_copied(device: str) -> None:
    x, w = (make_tensor((n, 24), torch.float64, device, -1, 1, seed=n) for n in (10, 72))
    back = make_tensor((24, 24), torch.float64, device, -1, 1, seed=3)
    with FusionDefinition() as fd:
        t, weight, last = (fd.from_pytorch(a, static_sizes=True) for a in (x, w, back))
        qkv = fd.ops.linear(t, weight)
        parts = [fd.ops.slice(qkv, [0, 24 * i], [10, 24 * i + 24]) for i in range(3)]
        heads = [fd.ops.permute(fd.ops.reshape(p, [2, 5, 3, 8]), [0, 2, 1, 3]) for p in parts]
        y = fd.ops.sdpfa_fwd(*heads, is_causal=True)[0]
        merged = fd.ops.reshape(fd.ops.permute(y, [0, 2, 1, 3]), [10, 24])
        fd.add_output(fd.ops.linear(merged, last))
    assert names_of_kernels(fd, [x, w, back]) == ["linear", "sdpfa_fwd", "linear"]
    heads = [p.reshape(2, 5, 3, 8).transpose(1, 2) for p in (x @ w.T).chunk(3, -1)]
    y = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True)
    expected = y.transpose(1, 2).reshape(10, 24) @ back.T
    for _ in range(2):
        torch.testing.assert_close(fd.execute([x, w, back])[0], expected)


VIEWS = [
    pytest.param(lambda fd, t: fd.ops.permute(t, [1, 0]), lambda t: t.T, False, id="a transpose"),
    pytest.param(
        lambda fd, t: fd.ops.slice(t, [1, 2], [5, 8]), lambda t: t[1:5, 2:], False, id="a slice"
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(t, [4, 12]), lambda t: t.reshape(4, 12), False, id="a reshape"
    ),
    pytest.param(
        lambda fd, t: fd.ops.permute(fd.ops.reshape(t, [6, 2, 4]), [1, 0, 2]),
        lambda t: t.reshape(6, 2, 4).transpose(0, 1),
        False,
        id="heads",
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(fd.ops.permute(t, [1, 0]), [6, 8]),
        lambda t: t.T.reshape(6, 8),
        True,
        id="a reshape across a transpose",
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(fd.ops.permute(t, [1, 0]), [2, 4, 6]),
        lambda t: t.T.reshape(2, 4, 6),
        False,
        id="parts of a transpose",
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(fd.ops.slice(t, [0, 4], [6, 8]), [6, 2, 2]),
        lambda t: t[:, 4:].reshape(6, 2, 2),
        False,
        id="parts of a slice",
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(fd.ops.slice(t, [0, 0], [6, 4]), [4, 6]),
        lambda t: t[:, :4].reshape(4, 6),
        True,
        id="a reshape across a slice",
    ),
    pytest.param(
        lambda fd, t: fd.ops.squeeze(fd.ops.slice(t, [3, 0], [4, 8]), [0]),
        lambda t: t[3],
        False,
        id="a row",
    ),
    pytest.param(
        lambda fd, t: fd.ops.reshape(
            fd.ops.permute(fd.ops.reshape(t, [6, 1, 8]), [1, 0, 2]), [2, 3, 8]
        ),
        lambda t: t.reshape(2, 3, 8),
        False,
        id="a dimension of one",
    ),
    pytest.param(
        lambda fd, t: fd.ops.broadcast(t, [False, True, False]),
        lambda t: t[:, None],
        False,
        id="a broadcast",
    ),
    pytest.param(
        lambda fd, t: fd.ops.expand(fd.ops.broadcast(t, [True, False, False]), [3, 6, 8]),
        lambda t: t.expand(3, 6, 8),
        True,
        id="repeats",
    ),
]


@pytest.mark.parametrize(("view", "reference", "copies"), VIEWS)
@pytest.mark.parametrize("is_static", [False, True])
@pytest.mark.parametrize("operation", ["matmul", "argsort"])
def test_what_calls_look_at(
    operation: str,
    is_static: bool,
    view: Callable[[FusionDefinition, Any], Any],
    reference: Callable[[torch.Tensor], torch.Tensor],
    copies: bool,
    device: str,
) -> None:
    """`operation` makes it: a product, which is written where it is told, or what torch returns."""
    x, y = (make_tensor((n, 8), torch.float64, device, -1, 1, seed=n) for n in (6, 8))
    with FusionDefinition() as fd:
        a, b = (fd.from_pytorch(t, static_sizes=is_static) for t in (x, y))
        made = fd.ops.matmul(a, b) if operation == "matmul" else fd.ops.argsort(a, 1)
        fd.add_output(fd.ops.argsort(view(fd, made), -1))
    inputs = [x, y]
    made = x @ y if operation == "matmul" else x.argsort(1)
    kernels = names_of_kernels(fd, inputs)
    assert [kernels[0], kernels[-1]] == [operation, "argsort"]
    assert len(kernels) == (3 if copies else 2)
    for _ in range(2):
        assert torch.equal(fd.execute(inputs)[0], reference(made).argsort(-1))


def test_what_kernels_read_or_callers_get_is_made_for_them(device: str) -> None:
    x = make_tensor((6, 8), torch.float64, device, -1, 1)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x)
        turned = fd.ops.permute(fd.ops.argsort(t, 1), [1, 0])
        fd.add_output(fd.ops.argsort(turned, 1))
        fd.add_output(fd.ops.add(turned, 1))
        fd.add_output(turned)
    order = x.argsort(1).T
    sorted_again, more, same = fd.execute([x])
    assert torch.equal(sorted_again, order.argsort(1))
    assert torch.equal(more, order + 1)
    assert torch.equal(same, order)
    assert same.is_contiguous()


def test_views_of_an_empty_result(device: str) -> None:
    x = make_tensor((0, 8), torch.float64, device)
    with FusionDefinition() as fd:
        t = fd.from_pytorch(x, static_sizes=True)
        parts = fd.ops.permute(fd.ops.reshape(fd.ops.argsort(t, 1), [0, 2, 4]), [1, 0, 2])
        fd.add_output(fd.ops.argsort(parts, 2))
    assert fd.execute([x])[0].shape == (2, 0, 4)


def test_permutation_of_what_a_kernel_computes(device: str) -> None:
    """Also where its columns are summed: a bias and a weight of one layer have such gradients."""
    x, y = (make_tensor((64, n), torch.float64, device, -1, 1, seed=n) for n in (32, 48))
    with FusionDefinition() as fd:
        t, u = fd.from_pytorch(x), fd.from_pytorch(y)
        gradient = fd.ops.exp(t)
        fd.add_output(fd.ops.matmul(fd.ops.permute(gradient, [1, 0]), u))
        fd.add_output(fd.ops.sum(gradient, [0]))
    kernels = names_of_kernels(fd, [x, y])
    assert [name for name in kernels if name == "matmul"] == ["matmul"]
    assert not any("permute" in name or "set" in name for name in kernels)
    assert len(kernels) <= 3
    for _ in range(2):
        product, sums = fd.execute([x, y])
        torch.testing.assert_close(product, x.exp().T @ y)
        torch.testing.assert_close(sums, x.exp().sum(0))
