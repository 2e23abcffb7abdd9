"""What programs do to sequences around their attention: masks, routing, sampling, returns."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def masked_scores(draw: Draw) -> Case:
    heads, length = int(draw.choice((4, 8, 12))), int(draw.choice((17, 128, 197, 512, 1024)))
    batch = draw.within(heads * length * length, 64)
    kind = draw.choice(("causal", "window", "alibi", "lengths", "cap", "relative", "sink"))
    scores = draw.tensor(batch, heads, length, length)
    extra = draw.tensor(heads, 2 * length - 1) if kind == "relative" else draw.tensor(heads)
    lengths = draw.integers(length, batch) + 1

    def function(scores: Any, extra: Any, lengths: Any) -> Any:
        x = scores.float() * 0.125
        i = torch.arange(length, device=x.device)
        back = i[:, None] - i[None]
        if kind == "causal":
            x = x.masked_fill(back < 0, float("-inf"))
        elif kind == "window":
            x = torch.where((back >= 0) & (back < 64), x, -1e30)
        elif kind == "alibi":
            x = x - extra.float().abs()[:, None, None] * back.abs()
            x = x.masked_fill(back < 0, float("-inf"))
        elif kind == "lengths":
            x = x.masked_fill(i[None, None, None] >= lengths[:, None, None, None], float("-inf"))
        elif kind == "cap":
            x = 30 * torch.tanh(x / 30)
        elif kind == "relative":
            x = x + extra[:, back + length - 1]
        else:
            sink = extra.float()[None, :, None, None].expand(batch, heads, length, 1)
            return F.softmax(torch.cat([x, sink], -1), -1)[..., :-1].to(scores.dtype)
        return F.softmax(x, -1).to(scores.dtype)

    name = name_of(f"scores {kind}", draw, batch, heads, length)
    return Case(name, function, [scores, extra, lengths])


@family
def head_layouts(draw: Draw) -> Case:
    batch, heads, sequence, size = draw.attention()
    groups = int(draw.choice((1, 2, 4)))
    kind = draw.choice(("repeat", "merge", "norm", "append"))
    x = (
        draw.tensor(batch, sequence, heads * size)
        if kind != "merge"
        else draw.tensor(batch, heads, sequence, size)
    )
    weight = draw.tensor(size)
    cache = draw.tensor(batch, heads, 64, size)

    def function(x: Any, weight: Any, cache: Any) -> Any:
        if kind == "merge":
            return x.transpose(1, 2).reshape(batch, sequence, heads * size) * 0.5
        y = x.view(batch, sequence, heads, size)
        if kind == "norm":
            y = (y.float() * torch.rsqrt(y.float().square().mean(-1, keepdim=True) + 1e-6)).to(
                x.dtype
            )
            return (y * weight).transpose(1, 2).contiguous()
        y = y.transpose(1, 2)
        if kind == "append":
            return torch.cat([cache, y * 0.5], 2)
        y = y[:, :, None].expand(batch, heads, groups, sequence, size)
        return y.reshape(batch, heads * groups, sequence, size) * weight

    name = name_of(f"heads {kind}", draw, batch, sequence, heads, size)
    return Case(name, function, [x, weight, cache])


@family
def pooled_tokens(draw: Draw) -> Case:
    columns = int(draw.choice((64, 384, 768, 1000, 1024, 4096)))
    length = int(draw.choice((7, 32, 128, 512)))
    batch = draw.within(columns * length, 512)
    kind = draw.choice(("mean", "max", "first", "weighted", "last", "attentive"))
    x, lengths = draw.tensor(batch, length, columns), draw.integers(length, batch) + 1
    query = draw.tensor(columns)

    def function(x: Any, lengths: Any, query: Any) -> Any:
        wide = x.float()
        mask = torch.arange(length, device=x.device)[None] < lengths[:, None]
        if kind == "mean":
            y = (wide * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        elif kind == "max":
            y = wide.masked_fill(~mask[..., None], float("-inf")).amax(1)
        elif kind == "first":
            y = torch.tanh(wide[:, 0] * query.float())
        elif kind == "weighted":
            w = torch.arange(1, length + 1, device=x.device) * mask
            y = (wide * w[..., None]).sum(1) / w.sum(1, keepdim=True)
        elif kind == "last":
            y = wide[torch.arange(batch, device=x.device), lengths - 1]
        else:
            s = (wide * query.float()).sum(-1).masked_fill(~mask, float("-inf"))
            y = (wide * F.softmax(s, -1)[..., None]).sum(1)
        return F.normalize(y, dim=-1).to(x.dtype)

    return Case(
        name_of(f"pool {kind}", draw, batch, length, columns), function, [x, lengths, query]
    )


@family
def routing(draw: Draw) -> Case:
    experts = int(draw.choice((8, 16, 64, 128)))
    tokens = draw.within(experts, 16384)
    kind = draw.choice(("top2", "balance", "places", "group"))
    logits = draw.tensor(tokens, experts)

    def function(logits: Any) -> Any:
        p = F.softmax(logits.float(), -1)
        if kind == "group":
            best = p.view(tokens, experts // 4, 4).amax(-1)
            return (
                p.view(tokens, experts // 4, 4) * (best >= best.mean(-1, keepdim=True))[..., None]
            ).view(tokens, experts)
        values, chosen = torch.topk(p, 2, -1)
        if kind == "top2":
            return values / values.sum(-1, keepdim=True), chosen
        hot = F.one_hot(chosen[:, 0], experts)
        if kind == "balance":
            return (hot.float().mean(0) * p.mean(0)).sum() * experts, torch.logsumexp(
                logits.float(), -1
            ).square().mean()
        places = (hot.cumsum(0) * hot).sum(-1) - 1
        return places, values[:, 0] * (places < 64)

    return Case(name_of(f"routing {kind}", draw, tokens, experts), function, [logits])


@family
def sampling(draw: Draw) -> Case:
    words = draw.classes()
    rows = draw.within(words, 256)
    kind = draw.choice(("penalty", "min_p", "gumbel", "entropy", "beam", "greedy"))
    logits, noise = (
        draw.tensor(rows, words),
        draw.tensor(rows, words).float().sigmoid().clamp(1e-4, 1 - 1e-4),
    )
    seen = draw.mask(rows, words)

    def function(logits: Any, noise: Any, seen: Any) -> Any:
        x = logits.float() / 0.7
        if kind == "penalty":
            x = torch.where(seen, torch.where(x > 0, x / 1.2, x * 1.2), x)
            return F.log_softmax(x, -1)
        if kind == "min_p":
            p = F.softmax(x, -1)
            keep = p >= 0.05 * p.amax(-1, keepdim=True)
            p = p * keep
            return p / p.sum(-1, keepdim=True)
        if kind == "gumbel":
            return (x - torch.log(-torch.log(noise))).argmax(-1)
        if kind == "entropy":
            lp = F.log_softmax(x, -1)
            return -(lp.exp() * lp).sum(-1)
        if kind == "beam":
            return (F.log_softmax(x, -1) + noise[:, :1]).view(-1, words)
        return x.argmax(-1), F.softmax(x, -1).amax(-1)

    return Case(name_of(f"sampling {kind}", draw, rows, words), function, [logits, noise, seen])


@family
def returns(draw: Draw) -> Case:
    steps = int(draw.choice((16, 128, 250, 1000)))
    actors = draw.within(steps, 4096)
    kind = draw.choice(("advantages", "ppo", "discounted", "quantile", "td"))
    a, b, c = (draw.tensor(actors, steps, dtype=torch.float32) for _ in range(3))

    def function(a: Any, b: Any, c: Any) -> Any:
        if kind == "advantages":
            return (a - a.mean()) / (a.std() + 1e-8) * b
        if kind == "ppo":
            ratio = torch.exp(a - b)
            clipped = torch.clamp(ratio, 0.8, 1.2)
            return -torch.minimum(ratio * c, clipped * c).mean(), (
                (ratio - 1).abs() > 0.2
            ).float().mean()
        if kind == "discounted":
            weights = 0.99 ** torch.arange(steps, device=a.device)
            return (a * weights).flip(1).cumsum(1).flip(1) / weights
        if kind == "quantile":
            d = a[:, None] - b[..., None] if steps <= 16 else a - b
            return torch.maximum(0.9 * d, -0.1 * d).mean(-1)
        target = a[:, :-1] + 0.99 * b[:, 1:] * (c[:, :-1] > 0)
        return F.smooth_l1_loss(b[:, :-1], target, reduction="none").mean(1)

    return Case(name_of(f"returns {kind}", draw, actors, steps), function, [a, b, c])


@family
def contrastive(draw: Draw) -> Case:
    n = int(draw.choice((32, 100, 256, 1000, 2048)))
    kind = draw.choice(("clip", "triplet", "cosine", "kernel"))
    columns = int(draw.choice((3, 16, 64, 512)))
    scores, x = draw.tensor(n, n), draw.tensor(n, columns)
    y = draw.tensor(n, columns)

    def function(scores: Any, x: Any, y: Any) -> Any:
        s = scores.float()
        if kind == "clip":
            d = s.diagonal()
            return (torch.logsumexp(s, 0) - d).mean() + (torch.logsumexp(s, 1) - d).mean()
        x, y = x.float(), y.float()
        if kind == "cosine":
            return F.cosine_similarity(x, y, dim=-1)
        if kind == "triplet":
            near, far = (x - y).square().sum(-1), (x - y.roll(1, 0)).square().sum(-1)
            return F.relu(near.sqrt() - far.sqrt() + 1).mean()
        d = x.square().sum(-1)[:, None] + y.square().sum(-1)[None] - 2 * s
        return torch.exp(-d.clamp(min=0) * 0.1).mean(1)

    return Case(name_of(f"contrastive {kind}", draw, n, columns), function, [scores, x, y])


@family
def positions(draw: Draw) -> Case:
    length, size = int(draw.choice((17, 128, 1024, 4096))), int(draw.choice((32, 64, 128, 512)))
    batch = draw.within(length * size, 64)
    kind = draw.choice(("sinusoidal", "rotary", "timestep", "learned"))
    x, table = draw.tensor(batch, length, size), draw.tensor(2 * length, size)
    offset = draw.integers(length, batch)

    def function(x: Any, table: Any, offset: Any) -> Any:
        half = torch.arange(0, size, 2, device=x.device).float()
        rates = torch.exp(half * (-9.21 / size))
        at = (torch.arange(length, device=x.device)[None] + offset[:, None]).float()
        angles = at[..., None] * rates
        if kind == "learned":
            return x + table[offset[:, None] + torch.arange(length, device=x.device)]
        if kind == "timestep":
            t = offset.float()[:, None] * rates
            return x + torch.cat([torch.cos(t), torch.sin(t)], -1)[:, None].to(x.dtype)
        if kind == "sinusoidal":
            return x + torch.stack([torch.sin(angles), torch.cos(angles)], -1).flatten(-2).to(
                x.dtype
            )
        c, s = torch.cos(angles), torch.sin(angles)
        a, b = x.float()[..., ::2], x.float()[..., 1::2]
        return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2).to(x.dtype)

    return Case(
        name_of(f"positions {kind}", draw, batch, length, size), function, [x, table, offset]
    )
