"""A Swin transformer's stage: attention in windows of the image, which are shifted in turns."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.layers import Attention, FeedForward


class Size(NamedTuple):
    batch: int
    image: int
    patch: int
    window: int
    layers: int
    width: int
    heads: int
    classes: int


SIZES = {
    "tiny": Size(2, 16, 2, 4, 2, 16, 2, 10),
    "cpu": Size(2, 96, 4, 6, 4, 96, 3, 100),
    "gpu": Size(64, 224, 4, 7, 6, 128, 4, 1000),
}


class Layer(nn.Module):
    def __init__(self, size: Size, shift: int) -> None:
        super().__init__()
        self.side, self.window, self.shift = size.image // size.patch, size.window, shift
        self.norms = nn.ModuleList([nn.LayerNorm(size.width), nn.LayerNorm(size.width)])
        self.attention = Attention(size.width, size.heads)
        self.bias = nn.Parameter(torch.zeros(1, size.heads, size.window**2, size.window**2))
        self.feed_forward = FeedForward(size.width, 4 * size.width)
        # Places that only the shift brought together do not see each other.
        part = (torch.arange(self.side) + shift >= self.side).long()
        part = self.windows((2 * part[:, None] + part)[None, :, :, None].float()).squeeze(-1)
        self.register_buffer("hidden", (part[:, None, :] != part[:, :, None])[:, None] * -1e4)

    def windows(self, x: Tensor) -> Tensor:
        count = self.side // self.window
        x = x.unflatten(2, (count, self.window)).unflatten(1, (count, self.window))
        return x.transpose(2, 3).flatten(3, 4).flatten(0, 2)

    def forward(self, x: Tensor) -> Tensor:
        count, window = self.side // self.window, self.window
        y = self.norms[0](x).roll((-self.shift, -self.shift), (1, 2))
        y = self.windows(y)
        mask = (self.bias + self.hidden).repeat(x.shape[0], 1, 1, 1)
        y = self.attention(y, mask=mask.to(y.dtype))
        y = y.unflatten(1, (window, window)).unflatten(0, (-1, count, count))
        y = y.transpose(2, 3).flatten(3, 4).flatten(1, 2)
        x = x + y.roll((self.shift, self.shift), (1, 2))
        return x + self.feed_forward(self.norms[1](x))


class Swin(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, size.width, size.patch, size.patch)
        shifts = [size.window // 2 * (i % 2) for i in range(size.layers)]
        self.layers = nn.Sequential(*[Layer(size, shift) for shift in shifts])
        self.norm = nn.LayerNorm(size.width)
        self.head = nn.Linear(size.width, size.classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.layers(self.patches(images).permute(0, 2, 3, 1))
        return self.head(self.norm(x).mean((1, 2)))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Swin(size), (torch.randn(size.batch, 3, size.image, size.image),)
