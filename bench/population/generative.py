"""What generative models do between their matrix products: steps, modulation, state spaces."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def diffusion_steps(draw: Draw) -> Case:
    channels, side = int(draw.choice((3, 4, 16))), int(draw.choice((32, 64, 96, 128)))
    batch = draw.within(channels * side * side, 128)
    kind = draw.choice(("noise", "guide", "ddim", "velocity", "embed", "rescale", "euler", "loss"))
    x, y, z = (draw.tensor(batch, channels, side, side) for _ in range(3))
    steps, table = draw.integers(1000, batch), draw.tensor(1000, dtype=torch.float32).sigmoid()

    def function(x: Any, y: Any, z: Any, steps: Any, table: Any) -> Any:
        a = table[steps][:, None, None, None]
        root, rest = a.sqrt(), (1 - a).sqrt()
        if kind == "noise":
            return (root * x.float() + rest * y.float()).to(x.dtype)
        if kind == "guide":
            return x + 7.5 * (y - x)
        if kind == "ddim":
            clean = ((x.float() - rest * y.float()) / root).clamp(-1, 1)
            return (root * clean + rest * y.float() + 0.1 * z.float()).to(x.dtype), clean.to(
                x.dtype
            )
        if kind == "velocity":
            return (root * y.float() - rest * x.float()).to(x.dtype)
        if kind == "embed":
            scales = torch.exp(-9.21034 * torch.arange(160, device=x.device) / 160)
            angles = steps[:, None].float() * scales
            return torch.cat([torch.cos(angles), torch.sin(angles)], -1).to(x.dtype)
        if kind == "rescale":
            guided = x.float() + 7.5 * (y.float() - x.float())
            ratio = y.float().std((1, 2, 3), keepdim=True) / guided.std((1, 2, 3), keepdim=True)
            return (0.7 * guided * ratio + 0.3 * guided).to(x.dtype)
        if kind == "euler":
            return (x.float() + (x.float() - y.float()) / (a + 0.1) * 0.05).to(x.dtype)
        weight = torch.minimum(a / (1 - a + 1e-4), torch.full_like(a, 5.0))
        return (weight * (x.float() - y.float()).square()).mean((1, 2, 3))

    name = name_of(f"diffusion {kind}", draw, batch, channels, side, side)
    return Case(name, function, [x, y, z, steps, table])


@family
def modulation(draw: Draw) -> Case:
    columns = draw.size()
    length = int(draw.choice((16, 64, 77, 196, 256, 1024)))
    batch = draw.within(columns * length, 128)
    kind = draw.choice(
        ("adaptive", "gate", "film", "style", "query_key", "gated_norm", "scale", "mix")
    )
    x, y = draw.tensor(batch, length, columns), draw.tensor(batch, length, columns)
    six, weight = draw.tensor(batch, 6 * columns), draw.tensor(columns)

    def function(x: Any, y: Any, six: Any, weight: Any) -> Any:
        shift, scale, gate = six.view(batch, 6, 1, columns)[:, :3].float().unbind(1)
        wide = x.float()
        if kind == "adaptive":
            return (F.layer_norm(wide, (columns,)) * (1 + scale) + shift).to(x.dtype)
        if kind == "gate":
            total = wide + gate * y.float()
            normal = F.layer_norm(total, (columns,))
            return total.to(x.dtype), (normal * (1 + scale) + shift).to(x.dtype)
        if kind == "film":
            return F.silu(wide * (1 + scale) + shift).to(x.dtype)
        if kind == "style":
            mean, deviation = y.float().mean(1, keepdim=True), y.float().std(1, keepdim=True)
            own = (wide - wide.mean(1, keepdim=True)) / (wide.std(1, keepdim=True) + 1e-5)
            return (own * deviation + mean).to(x.dtype)
        if kind == "query_key":
            q = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6) * weight.float()
            k = y.float() * torch.rsqrt(y.float().square().mean(-1, keepdim=True) + 1e-6)
            return q.to(x.dtype), (k * weight.float()).to(x.dtype)
        if kind == "gated_norm":
            g = wide * F.silu(y.float())
            return (F.rms_norm(g, (columns,), None, 1e-5) * weight.float()).to(x.dtype)
        if kind == "scale":
            return (wide + weight.float() * y.float()).to(x.dtype)
        before = F.pad(wide, (0, 0, 1, 0))[:, :-1]
        return (wide + (before - wide) * torch.sigmoid(weight.float())).to(x.dtype)

    name = name_of(f"modulation {kind}", draw, batch, length, columns)
    return Case(name, function, [x, y, six, weight])


@family
def state_space(draw: Draw) -> Case:
    width, state = int(draw.choice((64, 96, 256, 768, 1536))), int(draw.choice((1, 8, 16)))
    length = int(draw.choice((16, 63, 128, 512)))
    batch = draw.within(width * state * length, 64)
    kind = draw.choice(("discrete", "convolve", "decay", "output", "step", "segments"))
    x, dt = draw.tensor(batch, length, width), draw.tensor(batch, length, width)
    a, bias = draw.tensor(width, state, dtype=torch.float32), draw.tensor(width)
    b, taps = draw.tensor(batch, length, state), draw.tensor(width, 4)

    def function(x: Any, dt: Any, a: Any, bias: Any, b: Any, taps: Any) -> Any:
        rate = F.softplus(dt.float() + bias.float())
        if kind == "discrete":
            decay = torch.exp(-rate[..., None] * torch.exp(a))
            return decay, (rate * x.float())[..., None] * b.float()[:, :, None, :]
        if kind == "convolve":
            p = F.pad(x.float(), (0, 0, 3, 0))
            y = sum(p[:, k : k + length] * taps[:, k].float() for k in range(4)) + bias.float()
            return F.silu(y).to(x.dtype)
        if kind == "decay":
            return torch.exp(-rate.cumsum(1)).to(x.dtype)
        if kind == "output":
            h = (rate * x.float())[..., None] * b.float()[:, :, None, :] * a
            return ((h * b.float()[:, :, None, :]).sum(-1) + x.float() * bias.float()).to(x.dtype)
        if kind == "step":
            h = torch.zeros(batch, width, state, device=x.device)
            for t in range(4):
                h = (
                    h * torch.exp(-rate[:, t, :, None])
                    + x[:, t, :, None].float() * b[:, t, None, :].float()
                )
            return h
        total = rate.mean(2).cumsum(1)
        difference = total[:, :, None] - total[:, None, :]
        i = torch.arange(length, device=x.device)
        return torch.exp(-difference).masked_fill(i[:, None] < i[None], 0.0)

    name = name_of(f"state {kind}", draw, batch, length, width, state)
    return Case(name, function, [x, dt, a, bias, b, taps])
