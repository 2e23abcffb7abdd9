"""What training and quantized inference compute beside the layers of models."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def many_tensors(draw: Draw) -> Case:
    kind = draw.choice(("clip", "ema", "finite", "sgd", "lerp_norm"))
    shapes = [draw.rows() for _ in range(4)]
    shapes = [(min(rows, 4096), columns) for rows, columns in shapes]
    first = [draw.tensor(*shape, dtype=torch.float32) for shape in shapes]
    second = [draw.tensor(*shape, dtype=torch.float32) for shape in shapes]

    def function(*tensors: Any) -> Any:
        a, b = tensors[:4], tensors[4:]
        if kind == "ema":
            return [x * 0.999 + y * 0.001 for x, y in zip(a, b, strict=True)]
        if kind == "finite":
            return torch.stack([torch.isfinite(x).all() for x in a]).all(), [x * 0.5 for x in a]
        if kind == "sgd":
            m = [x * 0.9 + y for x, y in zip(a, b, strict=True)]
            return [y - 0.1 * x for x, y in zip(m, b, strict=True)], m
        norm = torch.stack([x.square().sum() for x in a]).sum().sqrt()
        if kind == "clip":
            scale = torch.clamp(1 / (norm + 1e-6), max=1)
            return [x * scale for x in a]
        return norm, [torch.lerp(x, y, 0.1) for x, y in zip(a, b, strict=True)]

    sizes = [size for shape in shapes for size in shape]
    return Case(name_of(f"tensors {kind}", draw, *sizes), function, [*first, *second])


@family
def factored_optimizer(draw: Draw) -> Case:
    rows, columns = draw.rows()
    rows = min(rows, 8192)
    kind = draw.choice(("adafactor", "lamb", "lion", "muon", "shampoo_diagonal"))
    p, g, m = (draw.tensor(rows, columns, dtype=torch.float32) for _ in range(3))
    r, c = (
        draw.tensor(rows, dtype=torch.float32).abs(),
        draw.tensor(columns, dtype=torch.float32).abs(),
    )

    def function(p: Any, g: Any, m: Any, r: Any, c: Any) -> Any:
        if kind == "lion":
            update = torch.sign(0.9 * m + 0.1 * g)
            return p - 1e-4 * (update + 0.01 * p), 0.99 * m + 0.01 * g
        if kind == "adafactor":
            square = g.square() + 1e-30
            r, c = 0.9 * r + 0.1 * square.mean(1), 0.9 * c + 0.1 * square.mean(0)
            factor = torch.rsqrt(r / r.mean())[:, None] * torch.rsqrt(c)[None]
            update = g * factor
            update = update / torch.clamp(update.square().mean().sqrt(), min=1)
            return p - 1e-3 * update, r, c
        if kind == "lamb":
            m = 0.9 * m + 0.1 * g
            update = m / (g.abs() + 1e-6) + 0.01 * p
            ratio = p.norm() / (update.norm() + 1e-6)
            return p - 1e-3 * ratio * update, m
        if kind == "muon":
            m = 0.95 * m + g
            return (g + 0.95 * m) / (m.norm() + 1e-7), m
        left, right = g.square().sum(1), g.square().sum(0)
        return g * torch.rsqrt(left + 1e-6)[:, None] * torch.rsqrt(right + 1e-6)[None]

    return Case(name_of(f"optimizer {kind}", draw, rows, columns), function, [p, g, m, r, c])


@family
def packed_numbers(draw: Draw) -> Case:
    group = int(draw.choice((32, 64, 128)))
    columns = group * int(draw.choice((1, 6, 16, 32)))
    rows = draw.within(columns, 8192)
    kind = draw.choice(("unpack4", "pack4", "blocks", "rows", "nf4", "signs"))
    x = draw.tensor(rows, columns)
    codes = draw.integers(256, rows, columns // 2).to(torch.uint8)
    scales, table = draw.tensor(rows, columns // group), draw.tensor(16)

    def function(x: Any, codes: Any, scales: Any, table: Any) -> Any:
        if kind in ("unpack4", "nf4"):
            low, high = codes & 15, codes >> 4
            q = torch.stack([low, high], -1).view(rows, columns)
            values = table[q.int()] if kind == "nf4" else (q.to(x.dtype) - 8)
            return (values.view(rows, -1, group) * scales[..., None]).view(rows, columns)
        wide = x.float().view(rows, -1, group)
        if kind == "signs":
            bits = (x > 0).view(rows, -1, 8).to(torch.uint8)
            weights = 1 << torch.arange(8, device=x.device, dtype=torch.uint8)
            return (bits * weights).sum(-1, dtype=torch.uint8)
        if kind == "rows":
            scale = x.float().abs().amax(-1, keepdim=True) / 127
            return (x.float() / scale).round().clamp(-127, 127).to(torch.int8), scale
        scale = wide.abs().amax(-1, keepdim=True) / 7 + 1e-8
        q = (wide / scale).round().clamp(-8, 7)
        if kind == "blocks":
            return (q * scale).view(rows, columns).to(x.dtype)
        q = (q + 8).to(torch.uint8).view(rows, columns)
        return q[:, ::2] | (q[:, 1::2] << 4), scale.squeeze(-1).to(x.dtype)

    name = name_of(f"packed {kind} groups of {group}", draw, rows, columns)
    return Case(name, function, [x, codes, scales, table])


@family
def recurrent_cell(draw: Draw) -> Case:
    hidden = int(draw.choice((64, 100, 256, 650, 1024, 2048)))
    batch = draw.within(4 * hidden, 1024)
    kind = draw.choice(("lstm", "gru", "minimal", "state_space", "rwkv"))
    gates, other = draw.tensor(batch, 4 * hidden), draw.tensor(batch, 4 * hidden)
    state, bias = draw.tensor(batch, hidden), draw.tensor(4 * hidden)

    def function(gates: Any, other: Any, state: Any, bias: Any) -> Any:
        if kind == "lstm":
            i, f, g, o = (gates + other + bias).chunk(4, -1)
            c = torch.sigmoid(f) * state + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c
        if kind == "gru":
            r, z, n, _ = gates.chunk(4, -1)
            hr, hz, hn, _ = other.chunk(4, -1)
            r, z = torch.sigmoid(r + hr), torch.sigmoid(z + hz)
            n = torch.tanh(n + r * hn)
            return (1 - z) * n + z * state
        if kind == "minimal":
            z = torch.sigmoid(gates[:, :hidden])
            return z * state + (1 - z) * torch.where(
                other[:, :hidden] >= 0, other[:, :hidden] + 0.5, torch.sigmoid(other[:, :hidden])
            )
        if kind == "state_space":
            dt = F.softplus(gates[:, :hidden].float())
            decay = torch.exp(-dt[..., None] * bias[:16].float().abs())
            inner = (
                state.float()[..., None] * decay
                + (dt * other[:, :hidden].float())[..., None]
                * gates[:, None, hidden : hidden + 16].float()
            )
            return (inner * gates[:, None, hidden + 16 : hidden + 32].float()).sum(-1).to(
                state.dtype
            ), inner
        k, v = gates[:, :hidden].float(), other[:, :hidden].float()
        top = torch.maximum(state.float(), k)
        a, b = torch.exp(state.float() - top), torch.exp(k - top)
        return ((a * v + b * k) / (a + b)).to(state.dtype)

    return Case(name_of(f"cell {kind}", draw, batch, hidden), function, [gates, other, state, bias])


@family
def distillation(draw: Draw) -> Case:
    classes = draw.classes()
    rows = draw.within(classes, 2048)
    kind = draw.choice(("kl", "mse_ranks", "preference", "ignored", "z_loss", "mixture"))
    student, teacher = draw.tensor(rows, classes), draw.tensor(rows, classes)
    target = draw.integers(classes, rows)

    def function(student: Any, teacher: Any, target: Any) -> Any:
        s, t = student.float(), teacher.float()
        if kind == "kl":
            p = F.softmax(t / 2, -1)
            return (p * (torch.log(p + 1e-9) - F.log_softmax(s / 2, -1))).sum(-1).mean() * 4
        if kind == "mse_ranks":
            return F.mse_loss(s - s.mean(-1, keepdim=True), t - t.mean(-1, keepdim=True))
        if kind == "preference":
            a = F.log_softmax(s, -1).gather(-1, target[:, None])
            b = F.log_softmax(t, -1).gather(-1, target[:, None])
            return -F.logsigmoid(0.1 * (a - b)).mean()
        if kind == "ignored":
            return F.cross_entropy(s, torch.where(target % 3 == 0, -100, target), ignore_index=-100)
        if kind == "z_loss":
            z = torch.logsumexp(s, -1)
            return (z - s.gather(-1, target[:, None])[:, 0]).mean() + 1e-4 * z.square().mean()
        return torch.logsumexp(F.log_softmax(s, -1) - 0.5 * t.square(), -1)

    return Case(
        name_of(f"distil {kind}", draw, rows, classes), function, [student, teacher, target]
    )


@family
def tables(draw: Draw) -> Case:
    rows, columns = draw.rows()
    rows = min(rows, 16_384)
    kind = draw.choice(
        ("standardize", "impute", "bucketize", "one_hot", "interactions", "ranks", "correlation")
    )
    x, y = (
        draw.tensor(rows, columns, dtype=torch.float32),
        draw.tensor(columns, dtype=torch.float32),
    )
    codes = draw.integers(16, rows)

    def function(x: Any, y: Any, codes: Any) -> Any:
        if kind == "standardize":
            return (x - x.mean(0)) / (x.std(0, correction=0) + 1e-6)
        if kind == "impute":
            missing = x > 1.5
            mean = torch.where(missing, 0, x).sum(0) / (~missing).sum(0).clamp(min=1)
            return torch.where(missing, mean, x)
        if kind == "bucketize":
            return sum((x > edge).to(torch.int32) for edge in (-1.5, -0.5, 0.0, 0.5, 1.5))
        if kind == "one_hot":
            return torch.cat([x, F.one_hot(codes, 16).to(x.dtype)], 1)
        if kind == "interactions":
            return 0.5 * ((x * y).sum(1).square() - (x * y).square().sum(1)), (x * y).sum(1)
        if kind == "ranks":
            return (x >= x.mean(1, keepdim=True)).sum(1), (x == x.amax(1, keepdim=True)).float()
        c = x - x.mean(0)
        return (c * y).sum(1) / (c.square().sum(1).sqrt() * y.norm() + 1e-6)

    return Case(name_of(f"table {kind}", draw, rows, columns), function, [x, y, codes])
