"""A ConvNeXt: depthwise convolutions, then a feed-forward over channels that lie last."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    image: int
    depths: tuple[int, ...]
    widths: tuple[int, ...]
    classes: int


SIZES = {
    "tiny": Size(2, 32, (1, 1), (8, 16), 10),
    "cpu": Size(2, 96, (2, 2, 2), (32, 64, 128), 100),
    "gpu": Size(64, 224, (3, 3, 9, 3), (96, 192, 384, 768), 1000),
}


class ChannelNorm(nn.LayerNorm):
    """Normalizes the channels of images."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.mix = nn.Conv2d(width, width, 7, padding=3, groups=width)
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)
        self.scale = nn.Parameter(torch.full((width,), 1e-2))

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.mix(x).permute(0, 2, 3, 1))
        y = self.down(F.gelu(self.up(y))) * self.scale
        return x + y.permute(0, 3, 1, 2)


class ConvNext(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(3, size.widths[0], 4, 4), ChannelNorm(size.widths[0])]
        before = size.widths[0]
        for depth, width in zip(size.depths, size.widths, strict=True):
            if width != before:
                layers += [ChannelNorm(before), nn.Conv2d(before, width, 2, 2)]
            layers += [Block(width) for _ in range(depth)]
            before = width
        self.body = nn.Sequential(*layers)
        self.norm = nn.LayerNorm(before)
        self.head = nn.Linear(before, size.classes)

    def forward(self, images: Tensor) -> Tensor:
        return self.head(self.norm(self.body(images).mean((2, 3))))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    images = torch.randn(size.batch, 3, size.image, size.image)
    return ConvNext(size), (images.contiguous(memory_format=torch.channels_last),)
