"""An MLP-mixer: feed-forward layers over channels, and over places."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.layers import FeedForward


class Size(NamedTuple):
    batch: int
    image: int
    patch: int
    layers: int
    width: int
    classes: int


SIZES = {
    "tiny": Size(2, 16, 4, 2, 32, 10),
    "cpu": Size(4, 96, 8, 4, 192, 100),
    "gpu": Size(64, 224, 16, 12, 768, 1000),
}


class Layer(nn.Module):
    def __init__(self, places: int, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.places = FeedForward(places, width // 2)
        self.channels = FeedForward(width, 4 * width)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.places(self.norms[0](x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norms[1](x))


class Mixer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, size.width, size.patch, size.patch)
        places = (size.image // size.patch) ** 2
        self.layers = nn.Sequential(*[Layer(places, size.width) for _ in range(size.layers)])
        self.norm = nn.LayerNorm(size.width)
        self.head = nn.Linear(size.width, size.classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        return self.head(self.norm(self.layers(x)).mean(1))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Mixer(size), (torch.randn(size.batch, 3, size.image, size.image),)
