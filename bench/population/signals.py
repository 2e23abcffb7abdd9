"""What programs do to sound and to pictures as signals: spectra, colours, filters, blending."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def spectra(draw: Draw) -> Case:
    bins, frames = (
        int(draw.choice((80, 129, 201, 257, 513))),
        int(draw.choice((50, 100, 400, 1000))),
    )
    batch = draw.within(bins * frames, 256)
    kind = draw.choice(
        ("decibels", "whiten", "delta", "mu_law", "emphasis", "phase", "mask", "flux")
    )
    real, imaginary = (draw.tensor(batch, bins, frames, dtype=torch.float32) for _ in range(2))
    wave = draw.tensor(batch, bins * frames, dtype=torch.float32)

    def function(real: Any, imaginary: Any, wave: Any) -> Any:
        power = real * real + imaginary * imaginary
        if kind == "decibels":
            level = 10 * torch.log10(power.clamp(min=1e-10))
            return torch.maximum(level, level.amax((1, 2), keepdim=True) - 80)
        if kind == "whiten":
            level = torch.log1p(power)
            return (level - level.mean(2, keepdim=True)) / (level.std(2, keepdim=True) + 1e-5)
        if kind == "delta":
            padded = F.pad(real, (2, 2), mode="replicate")
            return (
                2 * (padded[..., 4:] - padded[..., :-4]) + padded[..., 3:-1] - padded[..., 1:-3]
            ) / 10
        if kind == "mu_law":
            x = wave.clamp(-1, 1)
            y = torch.sign(x) * torch.log1p(255 * x.abs()) / 5.545177444479562
            return ((y + 1) * 127.5 + 0.5).to(torch.int32)
        if kind == "emphasis":
            return torch.cat([wave[:, :1], wave[:, 1:] - 0.97 * wave[:, :-1]], 1)
        if kind == "phase":
            return torch.sqrt(power), torch.atan2(imaginary, real)
        if kind == "mask":
            mask = torch.sigmoid(wave.view(batch, bins, frames))
            return torch.stack([real * mask, imaginary * mask], -1)
        size = power.sqrt()
        return (size[..., 1:] - size[..., :-1]).clamp(min=0).sum(1)

    name = name_of(f"spectra {kind}", draw, batch, bins, frames)
    return Case(name, function, [real, imaginary, wave])


@family
def colors(draw: Draw) -> Case:
    side = int(draw.choice((32, 96, 128, 224, 257)))
    batch = draw.within(3 * side * side, 128)
    kind = draw.choice(("hue", "luma", "gamma", "over", "jitter", "gray", "saturate", "palette"))
    x = draw.laid_out(draw.tensor(batch, 3, side, side)).sigmoid()
    other, alpha = draw.tensor(batch, 3, side, side), draw.tensor(batch, 1, side, side)
    factor = draw.tensor(batch, 1, 1, 1, dtype=torch.float32).abs()

    def function(x: Any, other: Any, alpha: Any, factor: Any) -> Any:
        wide = x.float()
        r, g, b = wide[:, 0], wide[:, 1], wide[:, 2]
        luma = 0.299 * r + 0.587 * g + 0.114 * b
        if kind == "hue":
            most, least = wide.amax(1), wide.amin(1)
            spread = most - least + 1e-6
            hue = torch.where(
                most == r,
                (g - b) / spread,
                torch.where(most == g, 2 + (b - r) / spread, 4 + (r - g) / spread),
            )
            return torch.stack([hue / 6 % 1, spread / (most + 1e-6), most], 1).to(x.dtype)
        if kind == "luma":
            return torch.stack([luma, (b - luma) * 0.564, (r - luma) * 0.713], 1).to(x.dtype)
        if kind == "gamma":
            y = torch.where(
                wide <= 0.0031308, 12.92 * wide, 1.055 * wide.clamp(min=1e-6) ** (1 / 2.4) - 0.055
            )
            return y.to(x.dtype)
        if kind == "over":
            a = torch.sigmoid(alpha.float())
            return (wide * a + other.float() * (1 - a)).to(x.dtype)
        if kind == "jitter":
            mean = luma.mean((1, 2))[:, None, None, None]
            return ((wide - mean) * factor + mean).clamp(0, 1).to(x.dtype)
        if kind == "gray":
            return luma[:, None].expand(batch, 3, side, side).to(x.dtype).contiguous()
        if kind == "saturate":
            return torch.lerp(luma[:, None].expand_as(wide), wide, factor).clamp(0, 1).to(x.dtype)
        levels = (wide * 7).round()
        return (levels[:, 0] * 64 + levels[:, 1] * 8 + levels[:, 2]).to(torch.int32)

    order = "" if x.is_contiguous() else " channels_last"
    name = name_of(f"colors {kind}", draw, batch, side, side) + order
    return Case(name, function, [x, other, alpha, factor])


@family
def neighbourhoods(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    kind = draw.choice(
        ("sobel", "variation", "pool", "blur", "maximum", "reflect", "upsample", "shuffle")
    )
    if kind == "shuffle":
        channels = -(-channels // 4) * 4
    x = draw.laid_out(draw.tensor(batch, channels, height, width))

    def function(x: Any) -> Any:
        wide = x.float()
        if kind == "sobel":
            p = F.pad(wide, (1, 1, 1, 1))
            down = p[..., 2:, :] - p[..., :-2, :]
            gx = down[..., 2:] + 2 * down[..., 1:-1] + down[..., :-2]
            across = p[..., 2:] - p[..., :-2]
            gy = across[..., 2:, :] + 2 * across[..., 1:-1, :] + across[..., :-2, :]
            return (gx * gx + gy * gy).sqrt().to(x.dtype)
        if kind == "variation":
            across = (wide[..., 1:] - wide[..., :-1]).abs().sum((1, 2, 3))
            return across + (wide[..., 1:, :] - wide[..., :-1, :]).abs().sum((1, 2, 3))
        if kind == "pool" and height % 2 == 0:
            return (
                wide.view(batch, channels, height // 2, 2, width // 2, 2).mean((3, 5)).to(x.dtype)
            )
        if kind == "blur":
            p = F.pad(wide, (1, 1, 0, 0), mode="replicate")
            y = 0.25 * p[..., :-2] + 0.5 * p[..., 1:-1] + 0.25 * p[..., 2:]
            p = F.pad(y, (0, 0, 1, 1), mode="replicate")
            return (0.25 * p[..., :-2, :] + 0.5 * p[..., 1:-1, :] + 0.25 * p[..., 2:, :]).to(
                x.dtype
            )
        if kind == "maximum":
            p = F.pad(wide, (1, 1, 1, 1), value=float("-inf"))
            m = torch.maximum(torch.maximum(p[..., :-2], p[..., 1:-1]), p[..., 2:])
            m = torch.maximum(torch.maximum(m[..., :-2, :], m[..., 1:-1, :]), m[..., 2:, :])
            return torch.where(wide == m, wide, 0).to(x.dtype)
        if kind == "reflect":
            return F.pad(wide, (2, 2, 2, 2), mode="reflect").to(x.dtype) * 0.5
        if kind == "upsample":
            y = wide[:, :, :, None, :, None].expand(batch, channels, height, 2, width, 2)
            return (y.reshape(batch, channels, 2 * height, 2 * width) * 0.25).to(x.dtype)
        return F.pixel_shuffle(F.silu(wide), 2).to(x.dtype)

    order = "" if x.is_contiguous() else " channels_last"
    name = name_of(f"neighbourhoods {kind}", draw, batch, channels, height, width) + order
    return Case(name, function, [x])
