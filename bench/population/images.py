"""Normalizations and windows of images, in both memory formats."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from population.draw import Case, Draw, family

aten = torch.ops.aten


def _name(what: str, draw: Draw, x: torch.Tensor) -> str:
    order = "" if x.is_contiguous() else " channels_last"
    sizes = "x".join(map(str, x.shape))
    return f"{what} {sizes} {str(draw.dtype).removeprefix('torch.')}{order}"


def _groups(channels: int) -> int:
    return next(count for count in (32, 16, 8, 4, 3, 1) if channels % count == 0)


@family
def batch_norm(draw: Draw) -> Case:
    x = draw.laid_out(draw.tensor(*draw.image()))
    is_training = draw.chance()
    channels = x.shape[1]
    weight, bias, mean = (draw.tensor(channels, dtype=torch.float32) for _ in range(3))
    variance = draw.tensor(channels, dtype=torch.float32).square() + 0.1

    def function(x: Any, weight: Any, bias: Any, mean: Any, variance: Any) -> Any:
        if is_training:
            y = F.batch_norm(x, None, None, weight, bias, True)
        else:
            y = F.batch_norm(x, mean, variance, weight, bias, False)
        return F.relu(y)

    what = f"batch_norm {'training' if is_training else 'inference'}+relu"
    return Case(_name(what, draw, x), function, [x, weight, bias, mean, variance])


@family
def batch_norm_backward(draw: Draw) -> Case:
    sizes = draw.image()
    is_last = draw.chance()
    order = torch.channels_last if is_last else torch.contiguous_format
    x, g = (draw.tensor(*sizes).contiguous(memory_format=order) for _ in range(2))
    weight = draw.tensor(sizes[1], dtype=torch.float32)
    mean = x.float().mean((0, 2, 3))
    rstd = (x.float().var((0, 2, 3), correction=0) + 1e-5).rsqrt()

    def function(gradient: Any, x: Any, weight: Any, mean: Any, rstd: Any) -> Any:
        return aten.native_batch_norm_backward(
            gradient, x, weight, None, None, mean, rstd, True, 1e-5, [True, True, True]
        )

    return Case(_name("batch_norm_backward", draw, x), function, [g, x, weight, mean, rstd])


@family
def group_norm(draw: Draw) -> Case:
    x = draw.laid_out(draw.tensor(*draw.image()))
    groups = _groups(x.shape[1])
    weight, bias = draw.tensor(x.shape[1]), draw.tensor(x.shape[1])
    has_silu = draw.chance()

    def function(x: Any, weight: Any, bias: Any) -> Any:
        y = F.group_norm(x, groups, weight, bias)
        return F.silu(y) if has_silu else y

    return Case(_name("group_norm" + "+silu" * has_silu, draw, x), function, [x, weight, bias])


@family
def group_norm_backward(draw: Draw) -> Case:
    sizes = draw.image()
    x, g, weight = draw.tensor(*sizes), draw.tensor(*sizes), draw.tensor(sizes[1])
    groups = _groups(sizes[1])
    grouped = x.float().reshape(sizes[0], groups, -1)
    mean = grouped.mean(-1).to(draw.dtype)
    rstd = (grouped.var(-1, correction=0) + 1e-5).rsqrt().to(draw.dtype)
    batch, channels, area = sizes[0], sizes[1], sizes[2] * sizes[3]

    def function(gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any) -> Any:
        return aten.native_group_norm_backward(
            gradient, x, mean, rstd, weight, batch, channels, area, groups, [True, True, True]
        )

    return Case(_name("group_norm_backward", draw, x), function, [g, x, mean, rstd, weight])


@family
def instance_norm(draw: Draw) -> Case:
    x = draw.laid_out(draw.tensor(*draw.image()))

    def function(x: Any) -> Any:
        wide = x.float()
        mean = wide.mean((2, 3), keepdim=True)
        variance = (wide - mean).square().mean((2, 3), keepdim=True)
        return ((wide - mean) * torch.rsqrt(variance + 1e-5)).to(x.dtype)

    return Case(_name("instance_norm", draw, x), function, [x])


@family
def squeeze_excite(draw: Draw) -> Case:
    x = draw.laid_out(draw.tensor(*draw.image()))
    gate = draw.tensor(*x.shape[:2], 1, 1)
    pools = draw.chance()

    def function(x: Any, gate: Any) -> Any:
        y = x * torch.sigmoid(gate)
        return (y, y.float().mean((2, 3))) if pools else y

    return Case(_name("gate" + "+mean" * pools, draw, x), function, [x, gate])


@family
def windows(draw: Draw) -> Case:
    sizes = draw.image()
    side = sizes[2] - sizes[2] % 2
    x = draw.tensor(sizes[0], sizes[1], max(2, side), max(2, side))
    kind = draw.choice(("sum", "max", "shuffle", "upsample", "neighbours"))

    def function(x: Any) -> Any:
        batch, channels, height, width = x.shape
        if kind == "upsample":
            return F.interpolate(x, scale_factor=2, mode="nearest") * 0.5
        if kind == "neighbours":
            padded = F.pad(x, (1, 1, 1, 1))
            return padded[..., 2:, 1:-1] + padded[..., :-2, 1:-1] - 2 * x
        cells = x.reshape(batch, channels, height // 2, 2, width // 2, 2)
        if kind == "sum":
            return cells.float().sum((3, 5)).to(x.dtype)
        if kind == "max":
            return cells.amax((3, 5))
        moved = cells.permute(0, 1, 3, 5, 2, 4)
        return F.gelu(moved.reshape(batch, channels * 4, height // 2, width // 2))

    return Case(_name(f"window {kind}", draw, x), function, [x])
