"""A U-Net: down and up again, with what was seen on the way down put beside."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    image: int
    widths: tuple[int, ...]
    classes: int


SIZES = {
    "tiny": Size(2, 16, (8, 16), 3),
    "cpu": Size(1, 64, (16, 32, 64), 8),
    "gpu": Size(8, 256, (64, 128, 256, 512), 21),
}


class Pair(nn.Sequential):
    """Two convolutions, each normalized by groups of channels."""

    def __init__(self, before: int, width: int) -> None:
        super().__init__(
            nn.Conv2d(before, width, 3, padding=1),
            nn.GroupNorm(4, width),
            nn.SiLU(),
            nn.Conv2d(width, width, 3, padding=1),
            nn.GroupNorm(4, width),
            nn.SiLU(),
        )


class Unet(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        widths = size.widths
        befores = (3, *widths[:-1])
        self.down = nn.ModuleList([Pair(a, b) for a, b in zip(befores, widths, strict=True)])
        pairs = list(zip(widths[:0:-1], widths[-2::-1], strict=True))
        self.narrow = nn.ModuleList([nn.Conv2d(a, b, 1) for a, b in pairs])
        self.up = nn.ModuleList([Pair(2 * b, b) for _, b in pairs])
        self.head = nn.Conv2d(widths[0], size.classes, 1)

    def forward(self, images: Tensor) -> Tensor:
        x, seen = images, []
        for i, pair in enumerate(self.down):
            x = pair(F.avg_pool2d(x, 2) if i else x)
            seen.append(x)
        for narrow, pair, other in zip(self.narrow, self.up, seen[-2::-1], strict=True):
            x = narrow(F.interpolate(x, scale_factor=2.0, mode="nearest"))
            x = pair(torch.cat([x, other], dim=1))
        return self.head(x)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Unet(size), (torch.randn(size.batch, 3, size.image, size.image),)
