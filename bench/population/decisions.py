"""What learners compute of policies, ratings, detections and samples."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def policies(draw: Draw) -> Case:
    actions = int(draw.choice((2, 6, 18, 64, 361)))
    steps = draw.within(actions, 16_384)
    kind = draw.choice(
        ("clip", "gaussian", "entropy", "target", "huber", "normalize", "divergence", "squash")
    )
    logits, other, old = (draw.tensor(steps, actions, dtype=torch.float32) for _ in range(3))
    chosen, reward = draw.integers(actions, steps), draw.tensor(steps, dtype=torch.float32)
    done = draw.mask(steps)

    def function(logits: Any, other: Any, old: Any, chosen: Any, reward: Any, done: Any) -> Any:
        if kind == "clip":
            new = F.log_softmax(logits, -1).gather(1, chosen[:, None])[:, 0]
            ratio = torch.exp(new - old[:, 0])
            kept = torch.minimum(ratio * reward, ratio.clamp(0.8, 1.2) * reward)
            return -kept.mean(), ((ratio - 1).abs() > 0.2).float().mean()
        if kind == "gaussian":
            deviation = torch.exp(other.clamp(-5, 2))
            z = (old - logits) / deviation
            return (-0.5 * z * z - other.clamp(-5, 2) - 0.9189385).sum(-1)
        if kind == "entropy":
            logp = F.log_softmax(logits, -1)
            return -(logp.exp() * logp).sum(-1)
        if kind == "target":
            best = other.gather(1, logits.argmax(1, keepdim=True))[:, 0]
            return reward + 0.99 * best * (~done)
        if kind == "huber":
            value = logits.gather(1, chosen[:, None])[:, 0]
            return F.smooth_l1_loss(value, reward + 0.99 * other.amax(1) * (~done))
        if kind == "normalize":
            return (reward - reward.mean()) / (reward.std() + 1e-8)
        if kind == "divergence":
            p, q = F.log_softmax(logits, -1), F.log_softmax(other, -1)
            return (p.exp() * (p - q)).sum(-1).mean()
        action = torch.tanh(logits + torch.exp(other.clamp(-5, 2)) * old)
        return action, torch.log(1 - action * action + 1e-6).sum(-1)

    name = name_of(f"policy {kind}", draw, steps, actions)
    return Case(name, function, [logits, other, old, chosen, reward, done])


@family
def detections(draw: Draw) -> Case:
    classes, anchors = int(draw.choice((1, 20, 80, 91))), int(draw.choice((100, 900, 8400, 21_824)))
    batch = draw.within(classes * anchors, 32)
    kind = draw.choice(
        ("focal", "overlap", "decode", "integral", "best", "quality", "center", "match")
    )
    scores, target = draw.tensor(batch, anchors, classes), draw.mask(batch, anchors, classes)
    one = draw.tensor(batch, anchors, 4, dtype=torch.float32)
    two = draw.tensor(batch, anchors, 4, dtype=torch.float32)
    bins = draw.tensor(batch, min(anchors, 900), 4, 16)

    def function(scores: Any, target: Any, one: Any, two: Any, bins: Any) -> Any:
        wide = scores.float()
        if kind == "focal":
            y, p = target.float(), torch.sigmoid(wide)
            loss = F.binary_cross_entropy_with_logits(wide, y, reduction="none")
            right = p * y + (1 - p) * (1 - y)
            return ((0.25 * y + 0.75 * (1 - y)) * loss * (1 - right) ** 2).sum((1, 2))
        if kind == "overlap":
            a, b = torch.cat([one[..., :2], one[..., :2] + one[..., 2:].abs()], -1), two.abs()
            b = torch.cat([b[..., :2], b[..., :2] + b[..., 2:]], -1)
            size = (
                torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])
            ).clamp(min=0)
            inner = size[..., 0] * size[..., 1]
            area = one[..., 2:].abs().prod(-1) + two[..., 2:].abs().prod(-1)
            hull = (
                torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
            ).prod(-1)
            union = area - inner + 1e-6
            return 1 - inner / union + (hull - union) / (hull + 1e-6)
        if kind == "decode":
            middle = one[..., :2] * two[..., 2:].abs() + two[..., :2]
            size = torch.exp(one[..., 2:].clamp(max=4)) * two[..., 2:].abs()
            return torch.cat([middle - size / 2, middle + size / 2], -1)
        if kind == "integral":
            return (F.softmax(bins.float(), -1) * torch.arange(16, device=bins.device)).sum(-1)
        if kind == "best":
            score, label = torch.sigmoid(wide).max(-1)
            return torch.where(score > 0.6, score, 0.0).to(scores.dtype), label
        if kind == "quality":
            y = one[..., :1].sigmoid() * target
            loss = F.binary_cross_entropy_with_logits(wide, y, reduction="none")
            return (loss * (torch.sigmoid(wide) - y).abs() ** 2).mean()
        if kind == "center":
            d = one.abs() + 1e-3
            across = torch.minimum(d[..., 0], d[..., 2]) / torch.maximum(d[..., 0], d[..., 2])
            return (
                across * torch.minimum(d[..., 1], d[..., 3]) / torch.maximum(d[..., 1], d[..., 3])
            ).sqrt()
        few = two[:, :20]
        cost = (one[:, :, None] - few[:, None]).abs().sum(-1)
        return cost.amin(2), cost.argmin(2)

    name = name_of(f"detections {kind}", draw, batch, anchors, classes)
    return Case(name, function, [scores, target, one, two, bins])


@family
def interactions(draw: Draw) -> Case:
    fields, size = int(draw.choice((8, 26, 39))), int(draw.choice((8, 16, 20, 64)))
    batch = draw.within(fields * size, 16_384)
    kind = draw.choice(
        ("machine", "cross", "attend", "bag", "ranking", "lookup", "pairs", "squash")
    )
    x, weight = draw.tensor(batch, fields, size), draw.tensor(fields * size)
    query, table = draw.tensor(batch, size), draw.tensor(5000, size)
    ids = draw.integers(5000, batch, fields)

    def function(x: Any, weight: Any, query: Any, table: Any, ids: Any) -> Any:
        wide = x.float()
        if kind == "machine":
            return 0.5 * (wide.sum(1).square() - wide.square().sum(1)).sum(-1)
        if kind == "cross":
            flat = wide.view(batch, fields * size)
            return (
                flat * (flat * weight.float()).sum(-1, keepdim=True) + weight.float() + flat
            ).to(x.dtype)
        if kind == "attend":
            s = F.softmax((wide * query.float()[:, None]).sum(-1) / size**0.5, -1)
            return (s[..., None] * wide).sum(1).to(x.dtype)
        if kind == "bag":
            return table[ids].float().mean(1).to(x.dtype)
        if kind == "ranking":
            good, bad = (wide[:, 0] * query.float()).sum(-1), (wide[:, 1] * query.float()).sum(-1)
            return -F.logsigmoid(good - bad).mean()
        if kind == "lookup":
            return torch.cat([table[ids].view(batch, fields * size), query], 1) * 0.5
        if kind == "pairs":
            few = wide[:, :8]
            return (few[:, :, None] * few[:, None]).sum(-1).to(x.dtype)
        norm = wide.square().sum(-1, keepdim=True)
        return (norm / (1 + norm) * wide * torch.rsqrt(norm + 1e-8)).to(x.dtype)

    name = name_of(f"interactions {kind}", draw, batch, fields, size)
    return Case(name, function, [x, weight, query, table, ids])


@family
def likelihoods(draw: Draw) -> Case:
    rows, columns = draw.rows()
    kind = draw.choice(
        ("normal", "student", "mixture", "poisson", "columns", "masked", "nan", "correlate")
    )
    x, y, z = (draw.tensor(rows, columns, dtype=torch.float32) for _ in range(3))
    mask = draw.mask(rows, columns)

    def function(x: Any, y: Any, z: Any, mask: Any) -> Any:
        if kind == "normal":
            variance = F.softplus(y) + 1e-6
            return 0.5 * (torch.log(variance) + (x - z).square() / variance).mean()
        if kind == "student":
            return (torch.log1p((x - y).square() / 3) * 2 + z).sum(-1)
        if kind == "mixture":
            return torch.logsumexp(F.log_softmax(x, -1) - 0.5 * (y - z).square(), -1)
        if kind == "poisson":
            return (torch.exp(x) - y * x + 0.5 * torch.log(6.2831853 * (y.abs() + 1))).mean(0)
        if kind == "columns":
            mean = x.mean(0)
            return ((x - mean) / torch.sqrt(x.var(0, correction=0) + 1e-5)).tanh()
        if kind == "masked":
            count = mask.sum(-1, keepdim=True).clamp(min=1)
            mean = (x * mask).sum(-1, keepdim=True) / count
            return ((x - mean).square() * mask).sum(-1) / count[:, 0]
        if kind == "nan":
            clean = torch.where(mask, x, float("nan"))
            return torch.nan_to_num(clean, 0.0), clean.nansum(-1)
        a, b = x - x.mean(-1, keepdim=True), y - y.mean(-1, keepdim=True)
        return (a * b).sum(-1) * torch.rsqrt(a.square().sum(-1) * b.square().sum(-1) + 1e-12)

    return Case(name_of(f"likelihood {kind}", draw, rows, columns), function, [x, y, z, mask])
