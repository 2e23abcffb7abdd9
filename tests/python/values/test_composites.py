"""Patterns of real models, whole: forward passes, gradients, optimizer steps, routing.

References are computed by torch in Double; gradients are autograd's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from fusion_testing import NVFUSER_DTYPES, assert_matches, define, dtype_id, make_tensor, run, widen

from nvfuser import DataType, FusionDefinition

DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=dtype_id)
TOLERANCE = {torch.float32: 5e-5, torch.bfloat16: 4e-2, torch.float16: 1e-2}


def check(output: torch.Tensor, reference: torch.Tensor, dtype: torch.dtype) -> None:
    tolerance = TOLERANCE[dtype]
    assert_matches(output, reference.detach(), dtype, rtol=tolerance, atol=tolerance)


def gradients(
    function: Callable[..., torch.Tensor],
    inputs: Sequence[torch.Tensor],
    gradient: torch.Tensor | None = None,
) -> list[torch.Tensor]:
    """Return the result of a function of Double tensors and the gradients of those."""
    leaves = [widen(x).detach().requires_grad_() for x in inputs]
    result = function(*leaves)
    result.backward(None if gradient is None else widen(gradient))
    return [result.detach(), *[leaf.grad for leaf in leaves]]


class Ops:
    """What the definitions below share."""

    def __init__(self, fd: FusionDefinition, dtype: torch.dtype) -> None:
        self.ops = fd.ops
        self.dtype = NVFUSER_DTYPES[dtype]

    def wide(self, *tensors: Any) -> list[Any]:
        return [self.ops.cast(t, DataType.Float) for t in tensors]

    def narrow(self, *tensors: Any) -> list[Any]:
        return [self.ops.cast(t, self.dtype) for t in tensors]

    def mean(self, x: Any, dims: list[int], count: int) -> Any:
        return self.ops.sum(x, dims, keepdim=True) * (1.0 / count)


# ---------------------------------------------------------------------- cross-entropy


@DTYPES
@pytest.mark.parametrize("classes", [10, 1000], ids=str)
def test_cross_entropy(classes: int, dtype: torch.dtype, device: str) -> None:
    rows = 12
    logits = make_tensor((rows, classes), dtype, device)
    labels = torch.randint(0, classes, (rows,), generator=torch.Generator().manual_seed(0))
    labels = labels.to(device)

    def body(fd: FusionDefinition, x: Any, y: Any) -> Any:
        o = Ops(fd, dtype)
        (x,) = o.wide(x)
        logs = fd.ops.log_softmax(x, 1)
        columns = fd.ops.broadcast(y, [False, True])
        loss = fd.ops.sum(fd.ops.neg(fd.ops.take_along_axis(logs, columns, 1)), [0, 1]) / rows
        classes_ = fd.ops.broadcast(fd.ops.iota(classes), [True, False])
        hot = fd.ops.where(fd.ops.eq(classes_, columns), 1.0, 0.0)
        gradient = (fd.ops.exp(logs) - fd.ops.cast(hot, DataType.Float)) / rows
        return [loss, *o.narrow(gradient)]

    loss, gradient = run(body, [logits, labels])
    expected, of_logits = gradients(
        lambda x: torch.nn.functional.cross_entropy(x, labels), [logits]
    )
    check(loss, expected, torch.float32)
    check(gradient, of_logits, dtype)


# ---------------------------------------------------------------------- normalization


@DTYPES
def test_layer_norm(dtype: torch.dtype, device: str) -> None:
    rows, columns = 6, 160
    x, g = (make_tensor((rows, columns), dtype, device, seed=s) for s in (0, 1))
    w, b = (make_tensor((columns,), dtype, device, seed=s) for s in (2, 3))

    def body(fd: FusionDefinition, x: Any, w: Any, b: Any, g: Any) -> Any:
        o = Ops(fd, dtype)
        output = fd.ops.layer_norm(x, [columns], w, b, 1e-5)
        x, w, b, g = o.wide(x, w, b, g)
        var, mean = fd.ops.var_mean(x, [1], correction=0, keepdim=True)
        inverse = fd.ops.rsqrt(var + 1e-5)
        normal = (x - mean) * inverse
        weighted = g * fd.ops.broadcast(w, [True, False])
        of_x = inverse * (
            weighted
            - o.mean(weighted, [1], columns)
            - normal * o.mean(weighted * normal, [1], columns)
        )
        return [output, *o.narrow(of_x, fd.ops.sum(g * normal, [0]), fd.ops.sum(g, [0]))]

    outputs = run(body, [x, w, b, g])
    expected = gradients(
        lambda x, w, b: torch.nn.functional.layer_norm(x, (columns,), w, b), [x, w, b], g
    )
    for output, reference in zip(outputs, expected, strict=True):
        check(output, reference, dtype)


@DTYPES
def test_rms_norm(dtype: torch.dtype, device: str) -> None:
    rows, columns = 6, 160
    x, g = (make_tensor((rows, columns), dtype, device, seed=s) for s in (0, 1))
    w = make_tensor((columns,), dtype, device, seed=2)

    def body(fd: FusionDefinition, x: Any, w: Any, g: Any) -> Any:
        o = Ops(fd, dtype)
        output = fd.ops.rms_norm(x, [columns], w, 1e-6)
        x, w, g = o.wide(x, w, g)
        inverse = fd.ops.rsqrt(o.mean(x * x, [1], columns) + 1e-6)
        normal = x * inverse
        weighted = g * fd.ops.broadcast(w, [True, False])
        of_x = inverse * (weighted - normal * o.mean(weighted * normal, [1], columns))
        return [output, *o.narrow(of_x, fd.ops.sum(g * normal, [0]))]

    outputs = run(body, [x, w, g])
    expected = gradients(
        lambda x, w: torch.nn.functional.rms_norm(x, (columns,), w, 1e-6), [x, w], g
    )
    for output, reference in zip(outputs, expected, strict=True):
        check(output, reference, dtype)


# Which dimensions of [n, c, h, w], or of [n, groups, c / groups, h, w], share a mean.
NORMS: dict[str, tuple[list[int], Callable[..., torch.Tensor]]] = {
    "batch": (
        [0, 2, 3],
        lambda x, w, b: torch.nn.functional.batch_norm(x, None, None, w, b, training=True),
    ),
    "instance": ([2, 3], lambda x, w, b: torch.nn.functional.instance_norm(x, weight=w, bias=b)),
    "group": ([2, 3, 4], lambda x, w, b: torch.nn.functional.group_norm(x, 2, w, b)),
}


@pytest.mark.parametrize("kind", NORMS)
def test_norms_of_images(kind: str, device: str) -> None:
    dims, reference = NORMS[kind]
    shape = (3, 4, 5, 6)
    grouped = (3, 2, 2, 5, 6) if kind == "group" else shape
    count = 1
    for dim in dims:
        count *= grouped[dim]
    x, g = (make_tensor(shape, torch.float32, device, seed=s) for s in (0, 1))
    w, b = (make_tensor((4,), torch.float32, device, seed=s) for s in (2, 3))

    def body(fd: FusionDefinition, x: Any, w: Any, b: Any, g: Any) -> Any:
        o = Ops(fd, torch.float32)
        channels = [True, False, True, True]
        split, original = list(grouped), list(shape)

        def statistics(t: Any) -> Any:
            return fd.ops.reshape(t, split) if kind == "group" else t

        def whole(t: Any) -> Any:
            return fd.ops.reshape(t, original) if kind == "group" else t

        parts = statistics(x)
        var, mean = fd.ops.var_mean(parts, dims, correction=0, keepdim=True)
        inverse = fd.ops.rsqrt(var + 1e-5)
        normal = (parts - mean) * inverse
        scale = fd.ops.broadcast(w, channels)
        output = whole(normal) * scale + fd.ops.broadcast(b, channels)
        weighted = statistics(g * scale)
        of_x = inverse * (
            weighted
            - o.mean(weighted, dims, count)
            - normal * o.mean(weighted * normal, dims, count)
        )
        of_w = fd.ops.sum(g * whole(normal), [0, 2, 3])
        return [output, whole(of_x), of_w, fd.ops.sum(g, [0, 2, 3])]

    outputs = run(body, [x, w, b, g], static_sizes=True)
    for output, expected in zip(outputs, gradients(reference, [x, w, b], g), strict=True):
        check(output, expected, torch.float32)


# --------------------------------------------------------------------------- attention


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    first, second = x.chunk(2, -1)
    return x * cos + torch.cat([-second, first], -1) * sin


def rotate(fd: FusionDefinition, x: Any, cos: Any, sin: Any, shape: Sequence[int]) -> Any:
    """x * cos + (-second half, first half) * sin, of [*, positions, size of a head]."""
    half, starts = shape[-1] // 2, [0] * len(shape)
    first = fd.ops.slice(x, starts, [*shape[:-1], half])
    second = fd.ops.slice(x, [*starts[:-1], half], list(shape))
    return x * cos + fd.ops.cat([fd.ops.neg(second), first], -1) * sin


def positions(count: int, size: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    frequencies = 10000.0 ** (-torch.arange(0, size, 2) / size)
    angles = torch.outer(torch.arange(count).float(), frequencies).repeat(1, 2).to(device)
    return angles.cos(), angles.sin()


@DTYPES
def test_rotary_embedding(dtype: torch.dtype, device: str) -> None:
    shape = (2, 3, 7, 16)
    x = make_tensor(shape, dtype, device)
    cos, sin = positions(7, 16, device)

    def body(fd: FusionDefinition, x: Any, cos: Any, sin: Any) -> Any:
        o = Ops(fd, dtype)
        cos, sin = (fd.ops.broadcast(t, [True, True, False, False]) for t in (cos, sin))
        return o.narrow(rotate(fd, *o.wide(x), cos, sin, shape))

    (output,) = run(body, [x, cos, sin], static_sizes=True)
    check(output, rotated(widen(x), cos.double(), sin.double()), dtype)


@DTYPES
def test_grouped_query_attention(dtype: torch.dtype, device: str) -> None:
    """From hidden states to hidden states: 4 heads of queries share 2 heads of keys and values."""
    batch, length, heads, shared, size = 2, 5, 4, 2, 8
    hidden = heads * size
    x = make_tensor((batch, length, hidden), dtype, device, -1, 1)
    w_in = make_tensor((hidden + 2 * shared * size, hidden), dtype, device, -0.3, 0.3, 1)
    w_out = make_tensor((hidden, hidden), dtype, device, -0.3, 0.3, 2)
    cos, sin = positions(length, size, device)

    def body(fd: FusionDefinition, x: Any, w_in: Any, w_out: Any, cos: Any, sin: Any) -> Any:
        o = Ops(fd, dtype)
        projected = fd.ops.linear(x, w_in)
        cos, sin = (fd.ops.broadcast(t, [True, True, False, False]) for t in (cos, sin))
        parts, begin = [], 0
        for count in (heads, shared, shared):
            end = begin + count * size
            part = fd.ops.slice(projected, [0, 0, begin], [batch, length, end])
            part = fd.ops.reshape(part, [batch, length, count, size])
            part = fd.ops.permute(part, [0, 2, 1, 3])
            if len(parts) < 2:
                (part,) = o.narrow(
                    rotate(fd, *o.wide(part), cos, sin, [batch, count, length, size])
                )
            if count == shared:
                part = fd.ops.broadcast(part, [False, False, True, False, False])
                part = fd.ops.expand(part, [batch, shared, heads // shared, length, size])
                part = fd.ops.reshape(part, [batch, heads, length, size])
            parts.append(part)
            begin = end
        output = fd.ops.sdpfa_fwd(*parts, is_causal=True)[0]
        merged = fd.ops.reshape(fd.ops.permute(output, [0, 2, 1, 3]), [batch, length, hidden])
        return fd.ops.linear(merged, w_out) + x

    def reference(x: torch.Tensor, w_in: torch.Tensor, w_out: torch.Tensor) -> torch.Tensor:
        q, k, v = (x @ w_in.t()).split([hidden, shared * size, shared * size], -1)
        q, k, v = (t.unflatten(-1, (-1, size)).transpose(1, 2) for t in (q, k, v))
        q, k = (rotated(t, cos.double(), sin.double()) for t in (q, k))
        k, v = (t.repeat_interleave(heads // shared, 1) for t in (k, v))
        output = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return output.transpose(1, 2).flatten(2) @ w_out.t() + x

    (output,) = run(body, [x, w_in, w_out, cos, sin], static_sizes=True)
    # The sum with a bfloat16 tensor is Float.
    expected = reference(*(widen(t) for t in (x, w_in, w_out)))
    assert output.dtype == torch.float32
    tolerance = TOLERANCE[dtype]
    torch.testing.assert_close(output.double(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("window", [None, 3])
def test_triangular_masks(window: int | None, device: str) -> None:
    """Causal and sliding windows, as a mask of scores and as a product with triu."""
    n = 9
    scores = make_tensor((2, n, n), torch.float32, device)

    def body(fd: FusionDefinition, x: Any) -> Any:
        rows = fd.ops.broadcast(fd.ops.iota(n), [True, False, True])
        columns = fd.ops.broadcast(fd.ops.iota(n), [True, True, False])
        sees = fd.ops.le(columns, rows)
        if window is not None:
            sees = fd.ops.logical_and(sees, fd.ops.gt(columns, rows - window))
        weights = fd.ops.softmax(fd.ops.where(sees, x, float("-inf")), 2)
        return [weights, fd.ops.triu(x, 1), x - fd.ops.triu(x, 1)]

    weights, upper, lower = run(body, [scores])
    sees = torch.ones(n, n, dtype=torch.bool, device=device).tril()
    sees = sees if window is None else sees.triu(1 - window)
    check(weights, widen(scores).masked_fill(~sees, float("-inf")).softmax(-1), torch.float32)
    assert torch.equal(upper, scores.triu(1))
    assert torch.equal(lower, scores.tril())


# ---------------------------------------------------------------------------- experts


def test_mixture_of_experts(device: str) -> None:
    """Tokens are routed to two experts each, sorted by expert, and brought back in order."""
    tokens, hidden, inner, experts, chosen = 13, 16, 24, 4, 2
    x = make_tensor((tokens, hidden), torch.float32, device, -1, 1)
    router = make_tensor((experts, hidden), torch.float32, device, -1, 1, 1)
    up = make_tensor((experts, hidden, inner), torch.float32, device, -0.5, 0.5, 2)
    down = make_tensor((experts, inner, hidden), torch.float32, device, -0.5, 0.5, 3)

    def body(fd: FusionDefinition, x: Any, router: Any, up: Any, down: Any) -> Any:
        probabilities = fd.ops.softmax(fd.ops.linear(x, router), 1)
        weights, expert = fd.ops.topk(probabilities, chosen, 1, True, True)
        weights = weights / fd.ops.sum(weights, [1], keepdim=True)
        flat = fd.ops.reshape(expert, [tokens * chosen])
        order = fd.ops.argsort(flat, 0, stable=True)
        # How many tokens go to the experts up to each.
        numbers = fd.ops.broadcast(fd.ops.iota(experts), [False, True])
        before = fd.ops.le(fd.ops.broadcast(flat, [True, False]), numbers)
        ends = fd.ops.cast(fd.ops.sum(before, [1]), DataType.Int32)
        rows = fd.ops.index_select(x, fd.ops.div(order, chosen), 0)
        inside = fd.ops.silu(fd.ops.grouped_mm(rows, up, ends))
        outside = fd.ops.grouped_mm(inside, down, ends)
        back = fd.ops.index_select(outside, fd.ops.argsort(order, 0), 0)
        parts = fd.ops.reshape(back, [tokens, chosen, hidden])
        weighted = parts * fd.ops.broadcast(weights, [False, False, True])
        return [fd.ops.sum(weighted, [1]) + x, ends]

    output, ends = run(body, [x, router, up, down], static_sizes=True)
    wide, wide_router, wide_up, wide_down = (widen(t) for t in (x, router, up, down))
    weights, expert = (wide @ wide_router.t()).softmax(1).topk(chosen, 1)
    weights = weights / weights.sum(1, keepdim=True)
    expected = wide.clone()
    for token in range(tokens):
        for weight, e in zip(weights[token], expert[token], strict=True):
            inside = torch.nn.functional.silu(wide[token] @ wide_up[e])
            expected[token] += weight * (inside @ wide_down[e])
    counts = torch.bincount(expert.flatten(), minlength=experts).cumsum(0)
    assert torch.equal(ends, counts.int())
    check(output, expected, torch.float32)


# ------------------------------------------------------------------- training, tables


@DTYPES
def test_adamw_step(dtype: torch.dtype, device: str) -> None:
    """Parameters in Float with a narrow copy, and both moments, all updated in place."""
    rate, beta1, beta2, eps, decay = 1e-2, 0.9, 0.95, 1e-8, 0.1
    master = make_tensor((20, 30), torch.float32, device)
    copy = master.to(dtype)
    first, second = torch.zeros_like(master), torch.zeros_like(master)
    reference = torch.nn.Parameter(master.double())
    optimizer = torch.optim.AdamW(
        [reference], lr=rate, betas=(beta1, beta2), eps=eps, weight_decay=decay
    )
    with FusionDefinition() as fd:
        p, m, v, g, c = (fd.from_pytorch(t) for t in (master, first, second, copy.clone(), copy))
        t = fd.define_scalar(dtype=DataType.Double)
        g = fd.ops.cast(g, DataType.Float)
        m_new = m * beta1 + g * (1.0 - beta1)
        v_new = v * beta2 + g * g * (1.0 - beta2)
        unbiased = m_new / (1.0 - fd.ops.pow(beta1, t))
        root = fd.ops.sqrt(v_new / (1.0 - fd.ops.pow(beta2, t)))
        p_new = p * (1.0 - rate * decay) - rate * unbiased / (root + eps)
        for new, old in ((p_new, p), (m_new, m), (v_new, v)):
            fd.add_output(new, old)
        fd.add_output(fd.ops.cast(p_new, NVFUSER_DTYPES[dtype]), c)
    for step in range(1, 4):
        gradient = make_tensor((20, 30), dtype, device, seed=step)
        assert fd.execute([master, first, second, gradient, copy, float(step)]) == []
        reference.grad = gradient.double()
        optimizer.step()
    check(master, reference, torch.float32)
    assert torch.equal(copy, master.to(dtype))
    state = optimizer.state[reference]
    check(first, state["exp_avg"], torch.float32)
    check(second, state["exp_avg_sq"], torch.float32)


@DTYPES
def test_embedding_with_positions(dtype: torch.dtype, device: str) -> None:
    words = torch.randint(0, 50, (3, 7), generator=torch.Generator().manual_seed(0)).to(device)
    table, places = (make_tensor(s, dtype, device) for s in ((50, 24), (11, 24)))
    w, b = (make_tensor((24,), dtype, device, seed=s) for s in (2, 3))

    def body(fd: FusionDefinition, words: Any, table: Any, places: Any, w: Any, b: Any) -> Any:
        rows = fd.ops.embedding_fwd(words, table)
        first = fd.ops.slice(places, [0, 0], [7, 24])
        total = rows + fd.ops.broadcast(first, [True, False, False])
        return fd.ops.cast(
            fd.ops.layer_norm(total, [24], *(Ops(fd, dtype).wide(w, b)), 1e-5),
            NVFUSER_DTYPES[dtype],
        )

    (output,) = run(body, [words, table, places, w, b], static_sizes=True)
    total = widen(table)[words] + widen(places)[:7]
    expected = torch.nn.functional.layer_norm(total, (24,), widen(w), widen(b))
    check(output, expected, dtype)


@DTYPES
def test_feed_forward(dtype: torch.dtype, device: str) -> None:
    """Gated feed-forward block and its gradients with respect to everything."""
    x = make_tensor((10, 16), dtype, device, -1, 1)
    ws = [make_tensor(s, dtype, device, -0.5, 0.5, i) for i, s in enumerate([(24, 16)] * 2)]
    w_down = make_tensor((16, 24), dtype, device, -0.5, 0.5, 5)
    g = make_tensor((10, 16), dtype, device, -1, 1, 6)

    def body(fd: FusionDefinition, x: Any, w_gate: Any, w_up: Any, w_down: Any, g: Any) -> Any:
        o = Ops(fd, dtype)
        gate, up = o.wide(fd.ops.linear(x, w_gate), fd.ops.linear(x, w_up))
        sigmoid = fd.ops.sigmoid(gate)
        (inside,) = o.narrow(gate * sigmoid * up)
        output = fd.ops.linear(inside, w_down)
        transposed = fd.ops.permute(g, [1, 0])
        of_down = fd.ops.matmul(transposed, inside)
        (of_inside,) = o.wide(fd.ops.matmul(g, w_down))
        slope = sigmoid * (1.0 + gate * (1.0 - sigmoid))
        of_gate, of_up = o.narrow(of_inside * up * slope, of_inside * gate * sigmoid)
        of_weights = [fd.ops.matmul(fd.ops.permute(t, [1, 0]), x) for t in (of_gate, of_up)]
        parts = o.wide(fd.ops.matmul(of_gate, w_gate), fd.ops.matmul(of_up, w_up))
        return [output, *o.narrow(parts[0] + parts[1]), *of_weights, of_down]

    outputs = run(body, [x, *ws, w_down, g])
    linear = torch.nn.functional.linear

    def reference(x: Any, w_gate: Any, w_up: Any, w_down: Any) -> torch.Tensor:
        return linear(torch.nn.functional.silu(linear(x, w_gate)) * linear(x, w_up), w_down)

    for output, expected in zip(outputs, gradients(reference, [x, *ws, w_down], g), strict=True):
        check(output, expected, dtype)


@pytest.mark.parametrize("outgoing", [True, False])
def test_triangle_update(outgoing: bool, device: str) -> None:
    """The multiplicative update of AlphaFold's pair representation."""
    n, c, inner = 6, 8, 12
    pair = make_tensor((n, n, c), torch.float32, device)
    mask = make_tensor((n, n), torch.bool, device)
    ws = [make_tensor((inner, c), torch.float32, device, -1, 1, s) for s in range(4)]
    w_out = make_tensor((c, inner), torch.float32, device, -1, 1, 5)
    w_gate = make_tensor((c, c), torch.float32, device, -1, 1, 6)

    def body(fd: FusionDefinition, pair: Any, mask: Any, *weights: Any) -> Any:
        ones, zeros = (fd.ops.full([c], value, DataType.Float) for value in (1.0, 0.0))
        x = fd.ops.layer_norm(pair, [c], ones, zeros, 1e-5)
        kept = fd.ops.cast(fd.ops.broadcast(mask, [False, False, True]), DataType.Float)
        sides = [
            fd.ops.linear(x, weights[i]) * fd.ops.sigmoid(fd.ops.linear(x, weights[i + 2])) * kept
            for i in (0, 1)
        ]
        # Channels first; the sum is over the third residue.
        a, b = (fd.ops.permute(t, [2, 0, 1]) for t in sides)
        product = (
            fd.ops.matmul(a, fd.ops.permute(b, [0, 2, 1]))
            if outgoing
            else fd.ops.matmul(fd.ops.permute(a, [0, 2, 1]), b)
        )
        back = fd.ops.permute(product, [1, 2, 0])
        ones, zeros = (fd.ops.full([inner], value, DataType.Float) for value in (1.0, 0.0))
        update = fd.ops.linear(fd.ops.layer_norm(back, [inner], ones, zeros, 1e-5), weights[4])
        return pair + fd.ops.sigmoid(fd.ops.linear(x, weights[5])) * update

    (output,) = run(body, [pair, mask, *ws, w_out, w_gate], static_sizes=True)
    wide = [widen(t) for t in (pair, *ws, w_out, w_gate)]
    norm, linear = torch.nn.functional.layer_norm, torch.nn.functional.linear
    x = norm(wide[0], (c,))
    a, b = (linear(x, wide[i]) * linear(x, wide[i + 2]).sigmoid() * mask[..., None] for i in (1, 2))
    product = torch.einsum("ikc,jkc->ijc" if outgoing else "kic,kjc->ijc", a, b)
    update = linear(norm(product, (inner,)), wide[5])
    check(output, wide[0] + linear(x, wide[6]).sigmoid() * update, torch.float32)


def test_ragged_parts(device: str) -> None:
    """Sequences of different lengths: computed on, joined, cut elsewhere, joined again."""
    lengths, width = [5, 1, 7], 6
    parts = [make_tensor((n, width), torch.float32, device, seed=n) for n in lengths]
    cuts = [(0, 3), (3, 9), (9, 13)]

    def swapped(fd: FusionDefinition, x: Any, rows: int) -> Any:
        right = fd.ops.slice(x, [0, 3], [rows, 6])
        return fd.ops.cat([right, fd.ops.slice(x, [0, 0], [rows, 3])], 1)

    def body(fd: FusionDefinition, *parts: Any) -> Any:
        joined = fd.ops.cat([fd.ops.sin(parts[0]), parts[1] * 2.0, fd.ops.exp(parts[2])], 0)
        centered, means = [], []
        for i, j in cuts:
            piece = swapped(fd, fd.ops.slice(joined, [i, 0], [j, width]), j - i)
            means.append(fd.ops.sum(piece, [0], keepdim=True) / float(j - i))
            centered.append(piece - means[-1])
        return [fd.ops.cat(centered, 0), fd.ops.cat(means, 0)]

    output, means = run(body, parts, static_sizes=True)
    wide = [widen(p) for p in parts]
    joined = torch.cat([wide[0].sin(), wide[1] * 2, wide[2].exp()])
    halves = [p.roll(3, 1) for p in joined.split([3, 6, 4])]
    expected = [h.mean(0, keepdim=True) for h in halves]
    check(means, torch.cat(expected), torch.float32)
    centered = [h - m for h, m in zip(halves, expected, strict=True)]
    check(output, torch.cat(centered), torch.float32)


def test_dropout_with_a_given_mask(device: str) -> None:
    x, g = (make_tensor((8, 40), torch.float32, device, seed=s) for s in (0, 1))
    noise = make_tensor((8, 40), torch.float32, device, 0, 1, 2)

    def body(fd: FusionDefinition, x: Any, g: Any, noise: Any, p: Any) -> Any:
        keep = fd.ops.cast(fd.ops.ge(noise, p), DataType.Float)
        factor = fd.ops.reciprocal(1.0 - p)
        return [fd.ops.gelu(x) * keep * factor, g * keep * factor]

    fd = define(body, [x, g, noise, 0.25])
    for p in (0.25, 0.5, 0.0):
        output, gradient = fd.execute([x, g, noise, p])
        keep = (noise >= p).double() / (1 - p)
        check(output, torch.nn.functional.gelu(widen(x)) * keep, torch.float32)
        check(gradient, widen(g) * keep, torch.float32)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_the_normalized_shape_is_that_of_the_operands(name: str, device: str) -> None:
    """Where sizes are symbolic too: neither 9 columns nor 1 are 8, nor is a weight of 1."""

    def normalized(weight_shape: list[int] | None, shape: list[int]) -> FusionDefinition:
        with FusionDefinition() as fd:
            t = fd.define_tensor(shape=[-1] * (1 + len(shape)), contiguity=True)
            weight = None if weight_shape is None else fd.define_tensor(shape=weight_shape)
            fd.add_output(getattr(fd.ops, name)(t, shape, weight))
        return fd

    def reference(x: torch.Tensor, shape: list[int]) -> torch.Tensor:
        if name == "rms_norm":
            return torch.nn.functional.rms_norm(x, shape)
        return torch.nn.functional.layer_norm(x, shape)

    fd = normalized(None, [8])
    for rows in (4, 1, 0):
        x = make_tensor((rows, 8), torch.float32, device)
        torch.testing.assert_close(fd.execute([x])[0], reference(x, [8]))
    for wrong in ((4, 9), (4, 1), (0, 9), (4, 16)):
        with pytest.raises(RuntimeError, match=f"{wrong[1]} of .* and 8 of "):
            fd.execute([torch.ones(wrong, device=device)])
    two = normalized(None, [4, 8])
    x = make_tensor((3, 4, 8), torch.float32, device)
    torch.testing.assert_close(two.execute([x])[0], reference(x, [4, 8]))
    for wrong in ((3, 8, 4), (3, 2, 16), (3, 32, 1)):
        with pytest.raises(RuntimeError, match="2 different sizes"):
            two.execute([torch.ones(wrong, device=device)])
    with pytest.raises(RuntimeError, match=r"weight .* is 1"):
        normalized([1], [8])
    weighted = normalized([-1], [8])
    x = make_tensor((3, 8), torch.float32, device)
    weight = make_tensor((8,), torch.float32, device)
    torch.testing.assert_close(weighted.execute([x, weight])[0], reference(x, [8]) * weight)
    with pytest.raises(RuntimeError, match="2 different sizes"):
        weighted.execute([x, weight[:1]])
    with pytest.raises(RuntimeError, match="is given normalized_shape"):
        normalized(None, [-1])


def test_a_declared_size_costs_no_copy(device: str) -> None:
    """What only says which size a dimension has is gone before kernels are made."""
    with FusionDefinition() as fd:
        t = fd.define_tensor(shape=[-1, -1], contiguity=True)
        fd.add_output(fd.ops.rms_norm(t, [8]))
    fd.execute([torch.ones(4, 8, device=device)])
    assert "reshape" not in fd.fec.get_most_recent_scheduled_ir()
