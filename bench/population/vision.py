"""What programs do to images and boxes around their convolutions."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family, name_of


@family
def image_bytes(draw: Draw) -> Case:
    side = int(draw.choice((64, 224, 227, 256, 384)))
    batch = draw.within(3 * side * side, 256)
    is_input = draw.chance(0.7)
    mean, scale = draw.tensor(3, dtype=torch.float32), draw.tensor(3, dtype=torch.float32) + 4

    def function(x: Any, mean: Any, scale: Any) -> Any:
        if is_input:
            return (
                ((x.permute(0, 3, 1, 2).float() / 255 - mean[:, None, None]) / scale[:, None, None])
                .to(draw.dtype)
                .contiguous()
            )
        y = x.float() * scale[:, None, None] + mean[:, None, None]
        return (y.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()

    if is_input:
        x = draw.integers(256, batch, side, side, 3).to(torch.uint8)
    else:
        x = draw.tensor(batch, 3, side, side)
    what = f"image {'from' if is_input else 'to'} bytes"
    return Case(name_of(what, draw, batch, side, side), function, [x, mean, scale])


@family
def channel_norm(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    x = draw.laid_out(draw.tensor(batch, channels, height, width))
    weight, bias = draw.tensor(channels), draw.tensor(channels)
    kind = draw.choice(("layer", "l2", "softmax", "grn"))

    def function(x: Any, weight: Any, bias: Any) -> Any:
        wide = x.float()
        if kind == "layer":
            mean = wide.mean(1, keepdim=True)
            variance = (wide - mean).square().mean(1, keepdim=True)
            y = (wide - mean) * torch.rsqrt(variance + 1e-6)
        elif kind == "l2":
            y = F.normalize(wide, dim=1)
        elif kind == "softmax":
            y = F.softmax(wide, 1)
        else:
            size = wide.square().sum((2, 3), keepdim=True).sqrt()
            y = wide * (size / (size.mean(1, keepdim=True) + 1e-6)) + wide
        return (y * weight[:, None, None] + bias[:, None, None]).to(x.dtype)

    order = "" if x.is_contiguous() else " channels_last"
    name = name_of(f"channels {kind}{order}", draw, *x.shape)
    return Case(name, function, [x, weight, bias])


@family
def shifted_windows(draw: Draw) -> Case:
    window = int(draw.choice((4, 7, 8)))
    side, channels = window * int(draw.choice((2, 4, 7, 8))), int(draw.choice((48, 96, 192, 384)))
    batch = draw.within(channels * side * side, 128)
    is_back, shifts = draw.chance(), draw.chance()
    count = side // window

    def function(x: Any, y: Any) -> Any:
        if is_back:
            z = y.view(batch, count, count, window, window, channels).permute(0, 1, 3, 2, 4, 5)
            z = z.reshape(batch, side, side, channels)
            return x + (torch.roll(z, (window // 2, window // 2), (1, 2)) if shifts else z)
        z = F.layer_norm(x, (channels,))
        z = torch.roll(z, (-(window // 2), -(window // 2)), (1, 2)) if shifts else z
        z = z.view(batch, count, window, count, window, channels).permute(0, 1, 3, 2, 4, 5)
        return z.reshape(-1, window * window, channels) + y

    inputs = [draw.tensor(batch, side, side, channels),
              draw.tensor(batch * count * count, window * window, channels)]  # fmt: skip
    what = f"windows of {window}{' back' * is_back}{' shifted' * shifts}"
    return Case(name_of(what, draw, batch, side, side, channels), function, inputs)


@family
def filters(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    height, width = height + 6, width + 6
    x = draw.tensor(batch, channels, height, width)
    kind = draw.choice(("sobel", "blur", "variation", "median", "erode", "local_mean"))

    def function(x: Any) -> Any:
        wide = x.float()
        if kind == "sobel":
            p = F.pad(wide, (1, 1, 1, 1))
            row = p[..., :-2] + 2 * p[..., 1:-1] + p[..., 2:]
            column = p[..., :-2, :] + 2 * p[..., 1:-1, :] + p[..., 2:, :]
            dy, dx = row[..., 2:, :] - row[..., :-2, :], column[..., 2:] - column[..., :-2]
            return torch.sqrt(dx * dx + dy * dy + 1e-6).to(x.dtype)
        if kind == "blur":
            p = F.pad(wide, (2, 2, 0, 0))
            n = wide.shape[-1]
            p = sum(c * p[..., i : i + n] for i, c in enumerate((0.06, 0.24, 0.4, 0.24, 0.06)))
            p = F.pad(p, (0, 0, 2, 2))
            n = wide.shape[-2]
            taps = enumerate((0.06, 0.24, 0.4, 0.24, 0.06))
            return sum(c * p[..., i : i + n, :] for i, c in taps).to(x.dtype)
        if kind == "variation":
            down = (wide[..., 1:, :] - wide[..., :-1, :]).abs().mean()
            return down + (wide[..., 1:] - wide[..., :-1]).abs().mean()
        if kind == "median":
            a, b, c = wide[..., :-2], wide[..., 1:-1], wide[..., 2:]
            return torch.maximum(torch.minimum(a, b), torch.minimum(torch.maximum(a, b), c))
        if kind == "erode":
            parts = [
                x[..., i : height - 2 + i, j : width - 2 + j] for i in range(3) for j in range(3)
            ]
            return torch.stack(parts).amin(0)
        total = wide.cumsum(-1)
        return ((total[..., 5:] - total[..., :-5]) / 5).to(x.dtype)

    return Case(name_of(f"filter {kind}", draw, *x.shape), function, [x])


@family
def resampling(draw: Draw) -> Case:
    batch, channels, height, width = draw.image()
    x = draw.laid_out(draw.tensor(batch, channels, height, width))
    kind = draw.choice(("bilinear", "halves", "unshuffle", "patches", "crop_flip"))

    def function(x: Any) -> Any:
        if kind == "bilinear":
            return F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        even = x[..., : height // 2 * 2, : width // 2 * 2]
        if kind == "halves":
            return (
                even[..., ::2, ::2]
                + even[..., 1::2, ::2]
                + even[..., ::2, 1::2]
                + even[..., 1::2, 1::2]
            ) / 4
        if kind == "unshuffle":
            return F.relu(F.pixel_unshuffle(even, 2))
        if kind == "patches":
            p = even.reshape(batch, channels, height // 2, 2, width // 2, 2)
            return (p.permute(0, 2, 4, 3, 5, 1).reshape(batch, -1, 4 * channels) * 2).to(x.dtype)
        return x[..., 1:-1, 2:-1].flip(-1) * 0.5 + 0.1

    order = "" if x.is_contiguous() else " channels_last"
    return Case(name_of(f"resample {kind}{order}", draw, *x.shape), function, [x])


@family
def boxes(draw: Draw) -> Case:
    kind = draw.choice(("pairs", "matched", "decode", "anchors"))
    n = int(draw.choice((100, 300, 1000, 3000)))
    m = int(draw.choice((20, 100, 900)))
    first, second = draw.tensor(n, 4, dtype=torch.float32), draw.tensor(m, 4, dtype=torch.float32)

    def area(b: Any) -> Any:
        return (b[..., 2] - b[..., 0]).clamp(min=0) * (b[..., 3] - b[..., 1]).clamp(min=0)

    def overlap(a: Any, b: Any) -> Any:
        low, high = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
        sides = (high - low).clamp(min=0)
        inner = sides[..., 0] * sides[..., 1]
        return inner / (area(a) + area(b) - inner + 1e-6)

    def function(a: Any, b: Any) -> Any:
        if kind == "pairs":
            return overlap(a[:, None], b[None])
        if kind == "matched":
            scores = overlap(a[:, None], b[None])
            return scores.amax(1), scores.argmax(1)
        if kind == "decode":
            center, sides = a[:, :2] * 0.1, torch.exp(a[:, 2:] * 0.2)
            return torch.cat([center - sides / 2, center + sides / 2], -1).clamp(0, 1)
        ys, xs = torch.arange(m, device=a.device), torch.arange(m, device=a.device)
        grid = torch.stack([xs[None].expand(m, m), ys[:, None].expand(m, m)], -1).float() + 0.5
        return torch.cat([grid - 2, grid + 2], -1).reshape(-1, 4) / m

    return Case(name_of(f"boxes {kind}", draw, n, m), function, [first, second])


@family
def segmentation_loss(draw: Draw) -> Case:
    batch, _, height, width = draw.image()
    classes = int(draw.choice((2, 19, 21, 150)))
    batch = max(1, min(batch, draw.within(classes * height * width, 64)))
    kind = draw.choice(("dice", "focal", "pixel", "accuracy"))
    logits, target = (
        draw.tensor(batch, classes, height, width),
        draw.integers(classes, batch, height, width),
    )

    def function(logits: Any, target: Any) -> Any:
        wide = logits.float()
        if kind == "pixel":
            return F.cross_entropy(wide, target)
        if kind == "accuracy":
            return (wide.argmax(1) == target).float().mean()
        hot = F.one_hot(target, classes).permute(0, 3, 1, 2).float()
        if kind == "dice":
            p = F.softmax(wide, 1)
            both, all_ = (p * hot).sum((0, 2, 3)), (p + hot).sum((0, 2, 3))
            return 1 - ((2 * both + 1) / (all_ + 1)).mean()
        p = torch.sigmoid(wide)
        loss = F.binary_cross_entropy_with_logits(wide, hot, reduction="none")
        match = p * hot + (1 - p) * (1 - hot)
        return ((1 - match) ** 2 * loss).mean()

    return Case(name_of(f"segmentation {kind}", draw, *logits.shape), function, [logits, target])
