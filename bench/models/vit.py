"""A vision transformer: patches, a class token, learned positions."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.layers import Block


class Size(NamedTuple):
    batch: int
    image: int
    patch: int
    layers: int
    width: int
    heads: int
    classes: int


SIZES = {
    "tiny": Size(2, 16, 4, 2, 32, 4, 10),
    "cpu": Size(4, 96, 8, 4, 192, 3, 100),
    "gpu": Size(64, 224, 16, 12, 768, 12, 1000),
}


class Vit(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, size.width, size.patch, stride=size.patch)
        self.token = nn.Parameter(torch.zeros(1, 1, size.width))
        count = (size.image // size.patch) ** 2 + 1
        self.places = nn.Parameter(torch.randn(1, count, size.width) * 0.02)
        self.blocks = nn.ModuleList([Block(size.width, size.heads) for _ in range(size.layers)])
        self.norm = nn.LayerNorm(size.width)
        self.head = nn.Linear(size.width, size.classes)

    def forward(self, images: Tensor) -> Tensor:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], dim=1) + self.places
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Vit(size), (torch.randn(size.batch, 3, size.image, size.image),)
