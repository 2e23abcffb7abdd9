"""What programs compose of views: edges, slices that are written into, graphs, matrices, frames."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


def _order(x: torch.Tensor) -> str:
    return "" if x.is_contiguous() else " channels_last"


@family
def edges(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    x = draw.laid_out(draw.tensor(batch, channels, height, width))
    scale = draw.tensor(channels, 1, 1)
    kind = draw.choice(("laplacian", "slopes", "largest", "sharp", "scaled", "variation"))
    mode = draw.choice(("replicate", "reflect", "circular", "constant"))
    computes = draw.chance()

    def function(x: Any, scale: Any) -> Any:
        y = F.relu(x * scale) if computes else x
        if kind == "scaled":
            return F.pad(y, (2, 1, 1, 2), mode=mode)
        p = F.pad(y, (1, 1, 1, 1), mode=mode)
        if kind == "laplacian":
            cross = p[..., 1:-1, 2:] + p[..., 1:-1, :-2] + p[..., 2:, 1:-1] + p[..., :-2, 1:-1]
            return cross - 4 * y
        if kind == "slopes":
            row = p[..., :-2] + 2 * p[..., 1:-1] + p[..., 2:]
            column = p[..., :-2, :] + 2 * p[..., 1:-1, :] + p[..., 2:, :]
            return (row[..., 2:, :] - row[..., :-2, :]).abs() + column[..., 2:] - column[..., :-2]
        if kind == "variation":
            return (p[..., 2:, 1:-1] - y).square() + (p[..., 1:-1, 2:] - y).square()
        around = [p[..., i : i + height, j : j + width] for i in range(3) for j in range(3)]
        if kind == "largest":
            return torch.stack(around).amax(0)
        return y + (y - torch.stack(around).mean(0)) * 1.5

    what = f"edges {kind} {mode}{' computed' * computes}"
    name = name_of(what, draw, batch, channels, height, width) + _order(x)
    return Case(name, function, [x, scale])


@family
def written_slices(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    channels = -(-channels // 8) * 8
    x = draw.laid_out(draw.tensor(batch, channels, height, width))
    kind = draw.choice(("shift", "border", "halves", "every_other"))
    part = channels // 8

    def function(x: Any) -> Any:
        if kind == "shift":
            out = torch.zeros_like(x)
            out[:, :part, :, 1:] = x[:, :part, :, :-1]
            out[:, part : 2 * part, :, :-1] = x[:, part : 2 * part, :, 1:]
            out[:, 2 * part :] = x[:, 2 * part :]
            return out
        out = x * 2
        if kind == "border":
            out[..., :1, :] = 0
            out[..., -1:, :] = 0
            out[..., :1] = 0
            out[..., -1:] = 0
        elif kind == "halves":
            out[:, : channels // 2] = x[:, channels // 2 :].relu()
        else:
            out[..., ::2] = x[..., ::2] + 1
        return out

    name = name_of(f"written {kind}", draw, batch, channels, height, width) + _order(x)
    return Case(name, function, [x])


@family
def graphs(draw: Draw) -> Case:
    size = int(draw.choice((16, 50, 64, 128)))
    nodes = draw.within(4 * size)
    count = 4 * nodes
    x, weight = draw.tensor(nodes, 4, size // 4 + 1), draw.tensor(4, size // 4 + 1)
    flat = draw.tensor(nodes, size)
    sources, targets = draw.integers(nodes, count), draw.integers(nodes, count)
    kind = draw.choice(("distances", "scores", "messages", "signs"))

    def function(x: Any, weight: Any, flat: Any, sources: Any, targets: Any) -> Any:
        if kind == "distances":
            return (flat[sources] - flat[targets]).square().sum(1).sqrt()
        if kind == "scores":
            return F.leaky_relu(((x[sources] + x[targets]) * weight).sum(-1), 0.2)
        if kind == "messages":
            return F.silu(flat[sources] + flat[targets])
        return (flat[sources] * flat[targets]).sum(-1).sigmoid()

    return Case(
        name_of(f"graph {kind}", draw, count, size), function, [x, weight, flat, sources, targets]
    )


@family
def square_matrices(draw: Draw) -> Case:
    side = int(draw.choice((64, 197, 512, 1024)))
    batch = draw.within(side * side, 256)
    x = draw.tensor(batch, side, side)
    kind = draw.choice(("halves", "symmetric", "centred", "balanced", "diagonal", "shifted"))

    def function(x: Any) -> Any:
        if kind == "halves":
            return torch.tril(x, -1) + torch.triu(x, 1).transpose(-1, -2)
        if kind == "symmetric":
            return (x + x.transpose(-1, -2)) / 2
        if kind == "centred":
            return x - x.mean(-1, keepdim=True) - x.mean(-2, keepdim=True) + x.mean((-1, -2), True)
        if kind == "balanced":
            x = x - x.logsumexp(-1, keepdim=True)
            return (x - x.logsumexp(-2, keepdim=True)).exp()
        if kind == "diagonal":
            return x + torch.eye(side, device=x.device, dtype=x.dtype) * 0.1
        # Positions relative to each row, as in Transformer-XL.
        padded = F.pad(x, (1, 0)).view(-1, side + 1, side)
        return padded[:, 1:] * 0.125

    return Case(name_of(f"matrix {kind}", draw, batch, side, side), function, [x])


@family
def stacked(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    x = draw.laid_out(draw.tensor(batch, channels, height, width))
    kind = draw.choice(("moments", "extremes", "coordinates", "pools"))

    def function(x: Any) -> Any:
        if kind == "moments":
            return torch.cat([x.mean((2, 3)), x.float().std((2, 3)).to(x.dtype)], 1)
        if kind == "extremes":
            return torch.stack([x.amin((2, 3)), x.amax((2, 3))], -1)
        if kind == "pools":
            return torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)
        p = x.flatten(2).softmax(-1).view_as(x)
        ys = torch.linspace(-1, 1, height, device=x.device, dtype=x.dtype)
        xs = torch.linspace(-1, 1, width, device=x.device, dtype=x.dtype)
        return torch.stack([(p.sum(2) * xs).sum(-1), (p.sum(3) * ys).sum(-1)], -1)

    name = name_of(f"stacked {kind}", draw, batch, channels, height, width) + _order(x)
    return Case(name, function, [x])


@family
def frames(draw: Draw) -> Case:
    length = int(draw.choice((4096, 16384, 65536)))
    rows = draw.within(length, 256)
    x = draw.tensor(rows, length)
    kind = draw.choice(("means", "windowed", "emphasis", "overlap", "causal"))

    def function(x: Any) -> Any:
        if kind == "means":
            return x.unfold(1, 512, 256).mean(-1)
        if kind == "windowed":
            return x.unfold(1, 512, 128) * torch.hann_window(512, device=x.device).to(x.dtype)
        if kind == "emphasis":
            return torch.cat([x[:, :1], x[:, 1:] - 0.97 * x[:, :-1]], 1)
        if kind == "overlap":
            f = x.view(rows, -1, 256)
            first, second = f[:, :, :128], f[:, :, 128:]
            return F.pad(first, (0, 0, 0, 1)).flatten(1) + F.pad(second, (0, 0, 1, 0)).flatten(1)
        p = F.pad(x, (3, 0))
        return F.silu(sum(p[:, i : i + length] * (0.1 * i + 0.2) for i in range(4)))

    return Case(name_of(f"frames {kind}", draw, rows, length), function, [x])
