"""Scaled dot-product attention against torch's own, and its gradients against autograd's."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from fusion_testing import assert_matches, define, dtype_id, make_tensor, run, widen

from nvfuser import DataType, FusionDefinition, TensorView

TOLERANCE = {
    torch.float64: 1e-12,
    torch.float32: 2e-5,
    torch.float16: 4e-3,
    torch.bfloat16: 3e-2,
}
DTYPES = pytest.mark.parametrize("dtype", list(TOLERANCE), ids=dtype_id)


def operands(
    dtype: torch.dtype, device: str, batch: tuple[int, ...] = (2,), keys: int = 7, values: int = 8
) -> list[torch.Tensor]:
    shapes = ((*batch, 3, 5, 8), (*batch, 3, keys, 8), (*batch, 3, keys, values))
    return [make_tensor(shape, dtype, device, -1, 1, seed) for seed, shape in enumerate(shapes)]


def close(output: torch.Tensor, reference: torch.Tensor, dtype: torch.dtype) -> None:
    assert_matches(output, reference, dtype, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def logsumexp(
    q: torch.Tensor, k: torch.Tensor, causal: bool, scale: float | None = None
) -> torch.Tensor:
    scores = q @ k.mT * (q.shape[-1] ** -0.5 if scale is None else scale)
    if causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(hidden, float("-inf"))
    return scores.logsumexp(-1)


@DTYPES
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("scale", [None, 0.3])
def test_forward(scale: float | None, causal: bool, dtype: torch.dtype, device: str) -> None:
    inputs = operands(dtype, device)
    output, lse, seed, offset = run(
        lambda fd, q, k, v: fd.ops.sdpfa_fwd(q, k, v, is_causal=causal, scale=scale), inputs
    )
    q, k, v = map(widen, inputs)
    expected = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=causal, scale=scale
    )
    close(output, expected, dtype)
    assert_matches(lse, logsumexp(q, k, causal, scale), torch.float32, rtol=1e-5, atol=1e-5)
    assert seed.shape == (2,)
    assert offset.shape == ()
    assert seed.dtype == offset.dtype == torch.uint64


@pytest.mark.parametrize("batch", [(2, 2), (0,), (1,)], ids=str)
def test_batches(batch: tuple[int, ...], device: str) -> None:
    inputs = operands(torch.float32, device, batch, values=6)
    output, lse, *_ = run(lambda fd, q, k, v: fd.ops.sdpfa_fwd(q, k, v), inputs)
    q, k, v = map(widen, inputs)
    close(output, torch.nn.functional.scaled_dot_product_attention(q, k, v), torch.float32)
    assert lse.shape == (*batch, 3, 5)


@pytest.mark.parametrize("broadcast", [False, True])
def test_bias_and_mask(broadcast: bool, device: str) -> None:
    q, k, v = operands(torch.float32, device)
    shape = (1, 1, 5, 7) if broadcast else (2, 3, 5, 7)
    bias = make_tensor(shape, torch.float32, device, seed=8)
    mask = make_tensor(shape, torch.bool, device, seed=9)
    mask[..., 0, :] = False
    wide = [widen(t) for t in (q, k, v)]
    attention = torch.nn.functional.scaled_dot_product_attention
    biased, masked, both = (
        run(
            lambda fd, q, k, v, *more, names=names: fd.ops.sdpfa_fwd(
                q, k, v, **dict(zip(names, more, strict=True))
            )[0],
            [q, k, v, *more],
        )[0]
        for names, more in (
            (["bias"], [bias]),
            (["mask"], [mask]),
            (["bias", "mask"], [bias, mask]),
        )
    )
    close(biased, attention(*wide, attn_mask=widen(bias)), torch.float32)
    hidden = torch.zeros(shape, dtype=torch.float64, device=device)
    hidden = hidden.masked_fill(~mask, float("-inf"))
    # Where a query sees no key the result is 0.
    close(masked, attention(*wide, attn_mask=hidden).nan_to_num(0.0), torch.float32)
    close(both, attention(*wide, attn_mask=hidden + widen(bias)).nan_to_num(0.0), torch.float32)
    assert masked[..., 0, :].abs().max().item() == 0


def test_between_kernels(device: str) -> None:
    """Heads are split off and merged again around it."""
    x = make_tensor((2, 5, 72), torch.float32, device, -1, 1)

    def body(fd: FusionDefinition, t: Any) -> Any:
        parts = [
            fd.ops.slice(fd.ops.tanh(t), [0, 0, 24 * i], [2, 5, 24 * i + 24]) for i in range(3)
        ]
        heads = [fd.ops.permute(fd.ops.reshape(p, [2, 5, 3, 8]), [0, 2, 1, 3]) for p in parts]
        output = fd.ops.sdpfa_fwd(*heads, is_causal=True)[0]
        merged = fd.ops.reshape(fd.ops.permute(output, [0, 2, 1, 3]), [2, 5, 24])
        return [merged, fd.ops.relu(merged)]

    merged, positive = run(body, [x], static_sizes=True)
    q, k, v = (p.reshape(2, 5, 3, 8).transpose(1, 2) for p in widen(x).tanh().chunk(3, -1))
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    expected = expected.transpose(1, 2).reshape(2, 5, 24)
    close(merged, expected, torch.float32)
    close(positive, expected.relu(), torch.float32)


# The thread of torch's backward pass has no context before its first matrix product.
@pytest.mark.filterwarnings("ignore:Attempting to run cuBLAS")
@DTYPES
@pytest.mark.parametrize("causal", [False, True])
def test_backward(causal: bool, dtype: torch.dtype, device: str) -> None:
    inputs = operands(dtype, device, (2, 2) if causal else (2,))
    gradient = make_tensor((*inputs[0].shape[:-1], 8), dtype, device, -1, 1, 11)

    def body(fd: FusionDefinition, q: Any, k: Any, v: Any, g: Any) -> Any:
        output, lse, seed, offset = fd.ops.sdpfa_fwd(q, k, v, is_causal=causal, scale=0.4)
        return fd.ops.sdpfa_bwd(g, q, k, v, output, lse, None, causal, seed, offset, 0.4)

    outputs = run(body, [*inputs, gradient])
    leaves = [widen(t).detach().requires_grad_() for t in inputs]
    torch.nn.functional.scaled_dot_product_attention(*leaves, is_causal=causal, scale=0.4).backward(
        widen(gradient)
    )
    for output, leaf in zip(outputs, leaves, strict=True):
        close(output, leaf.grad, dtype)


def test_backward_alone(device: str) -> None:
    q, k, v = operands(torch.float32, device)
    gradient = make_tensor((2, 3, 5, 8), torch.float32, device)
    forward = run(lambda fd, *t: fd.ops.sdpfa_fwd(*t, dropout_p=0.25), [q, k, v])
    output, lse, seed, offset = forward
    with FusionDefinition() as fd:
        t = [fd.from_pytorch(x) for x in (gradient, q, k, v, output, lse)]
        s = fd.define_tensor(shape=[2], dtype=DataType.UInt64)
        o = fd.define_tensor(shape=[], dtype=DataType.UInt64)
        p = fd.define_scalar(dtype=DataType.Double)
        for result in fd.ops.sdpfa_bwd(*t, p, False, s, o, None):
            fd.add_output(result)
    gradients = fd.execute([gradient, q, k, v, output, lse, seed, offset, 0.25])
    # Finite differences would be of a function that is linear in v: with the identity as v the
    # output shows the weights that were kept.
    weights = torch.softmax(widen(q) @ widen(k).mT * 8**-0.5, -1)
    expected = _weights_kept(q, k, v, seed, weights)
    close(output, expected @ widen(v), torch.float32)
    close(gradients[2], expected.mT @ widen(gradient), torch.float32)
    of_kept = widen(gradient) @ widen(v).mT * (expected / weights)
    of_scores = weights * (of_kept - (of_kept * weights).sum(-1, keepdim=True))
    close(gradients[0], of_scores @ widen(k) * 8**-0.5, torch.float32)
    close(gradients[1], of_scores.mT @ widen(q) * 8**-0.5, torch.float32)


def _weights_kept(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, seed: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Return the weights that a forward pass with this seed kept, seen through the gradient of v.

    That is linear in the gradient of the output: unit vectors give the weights one by one.
    """
    rows = []
    zero = torch.zeros_like(q)
    lse = torch.logsumexp(q @ k.mT * 8**-0.5, -1)
    with FusionDefinition() as fd:
        t = [fd.from_pytorch(x) for x in (zero, q, k, v, zero, lse)]
        s = fd.define_tensor(shape=[2], dtype=DataType.UInt64)
        o = fd.define_tensor(shape=[], dtype=DataType.UInt64)
        fd.add_output(fd.ops.sdpfa_bwd(*t, 0.25, False, s, o, None)[2])
    for row in range(q.shape[-2]):
        unit = zero.clone()
        unit[..., row, 0] = 1.0
        offset = torch.zeros((), dtype=torch.int64, device=q.device).view(torch.uint64)
        rows.append(fd.execute([unit, q, k, v, zero, lse, seed, offset])[0][..., 0])
    kept = torch.stack(rows, -2).double()
    factors = kept / weights
    zeros = factors.abs() < 1e-4
    assert 0.05 < zeros.double().mean().item() < 0.5
    torch.testing.assert_close(
        factors[~zeros], torch.full_like(factors[~zeros], 1 / 0.75), rtol=1e-4, atol=0
    )
    return torch.where(zeros, 0.0, weights / 0.75)


def test_called_without_places_for_bias_and_mask(device: str) -> None:
    inputs = operands(torch.float32, device)

    def both(fd: FusionDefinition, *parts: TensorView) -> list[TensorView]:
        numbers = [fd.define_scalar(value) for value in (0.0, True, 0.3)]
        return [
            fd.ops.sdpfa_fwd(*parts, *numbers)[0],
            fd.ops.sdpfa_fwd(*parts, 0.0, True, None)[0],
            fd.ops.sdpfa_fwd(*parts, is_causal=True, scale=0.3)[0],
            fd.ops.sdpfa_fwd(*parts, is_causal=True)[0],
        ]

    scaled, causal, expected_scaled, expected_causal = run(both, inputs)
    assert torch.equal(scaled, expected_scaled)
    assert torch.equal(causal, expected_causal)
    assert not torch.equal(scaled, causal)


def test_dropout_follows_the_generator(device: str) -> None:
    inputs = operands(torch.float32, device)
    fd = define(lambda fd, *t: fd.ops.sdpfa_fwd(*t, dropout_p=0.5)[0], inputs)
    torch.manual_seed(5)
    (first,), (second,) = fd.execute(inputs), fd.execute(inputs)
    torch.manual_seed(5)
    (again,) = fd.execute(inputs)
    assert torch.equal(first, again)
    assert not torch.equal(first, second)


def test_operands_that_do_not_fit() -> None:
    with FusionDefinition() as fd:
        q = fd.define_tensor(shape=[-1] * 4, dtype=DataType.Half)
        short = fd.define_tensor(shape=[-1] * 3, dtype=DataType.Half)
        other = fd.define_tensor(shape=[-1] * 4, dtype=DataType.Float)
        integers = fd.define_tensor(shape=[-1] * 4, dtype=DataType.Int)
        with pytest.raises(RuntimeError, match="have the same rank, 4 or more"):
            fd.ops.sdpfa_fwd(q, q, short)
        with pytest.raises(RuntimeError, match="have the same dtype"):
            fd.ops.sdpfa_fwd(q, q, other)
        with pytest.raises(RuntimeError, match="Expected Half, BFloat16, Float or Double"):
            fd.ops.sdpfa_fwd(integers, integers, integers)
        with pytest.raises(RuntimeError, match="Expected mask to have rank 4 and dtype bool"):
            fd.ops.sdpfa_fwd(q, q, q, mask=other)
        with pytest.raises(RuntimeError, match="dropout_p must be 0"):
            fd.ops.sdpfa_fwd(q, q, q, bias=q, dropout_p=0.1)
        with pytest.raises(TypeError):
            fd.ops.sdpfa_bwd(q, q, q, q, q, other)


def test_sizes_that_do_not_match(device: str) -> None:
    q, k, v = operands(torch.float32, device)
    fd = define(lambda fd, *t: fd.ops.sdpfa_fwd(*t)[0], [q, k, v])
    with pytest.raises(RuntimeError, match="a conflict was found with 2 different sizes"):
        fd.execute([q, k, v[..., :4, :].clone()])


@pytest.mark.parametrize("scored", [None, "bias", "mask"])
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 1, 3), (2, 0, 1, 3)], ids=str)
def test_the_output_lies_in_memory_as_the_query_does(
    order: tuple[int, ...], scored: str | None, device: str
) -> None:
    """As an input, or as a permutation of one."""
    back = [order.index(dim) for dim in range(4)]
    inputs = [t.permute(order).contiguous() for t in operands(torch.float32, device)]
    views = [t.permute(back) for t in inputs]
    scores = make_tensor((2, 3, 5, 7), torch.float32, device, seed=8)
    scores = scores > 0 if scored == "mask" else scores
    more = [] if scored is None else [scores]

    def attention(fd: FusionDefinition, tensors: list[Any], extra: tuple[Any, ...]) -> Any:
        return fd.ops.sdpfa_fwd(*tensors, **({str(scored): extra[0]} if extra else {}))[:2]

    direct = run(lambda fd, q, k, v, *extra: attention(fd, [q, k, v], extra), [*views, *more])
    permuted = run(
        lambda fd, q, k, v, *extra: attention(
            fd, [fd.ops.permute(t, back) for t in (q, k, v)], extra
        ),
        [*inputs, *more],
    )
    q, k, v = map(widen, views)
    weights = None if scored is None else scores if scored == "mask" else widen(scores)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=weights)
    for output, _ in (direct, permuted):
        close(output, expected, torch.float32)
        assert output.permute(order).is_contiguous()


def test_logsumexp_of_masked_scores(device: str) -> None:
    """As torch's kernel for the CPU returns it: 0 where a query sees no key."""
    q, k, v = operands(torch.float32, device)
    bias = make_tensor((2, 3, 5, 7), torch.float32, device, seed=8)
    mask = make_tensor((2, 3, 5, 7), torch.bool, device, seed=9)
    mask[..., 0, :] = False
    scores = bias.masked_fill(~mask, float("-inf"))
    output, lse = run(
        lambda fd, q, k, v, b, m: fd.ops.sdpfa_fwd(q, k, v, bias=b, mask=m)[:2],
        [q, k, v, bias, mask],
    )
    expected, expected_lse = torch._scaled_dot_product_flash_attention_for_cpu(
        q.cpu(), k.cpu(), v.cpu(), attn_mask=scores.cpu()
    )
    torch.testing.assert_close(output.cpu(), expected, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(lse.cpu(), expected_lse, rtol=1e-5, atol=1e-5)
    assert lse[..., 0].abs().max().item() == 0
