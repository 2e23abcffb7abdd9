"""A ResNet of bottlenecks, with batch norm."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    image: int
    depths: tuple[int, ...]
    width: int
    classes: int


SIZES = {
    "tiny": Size(2, 32, (1, 1), 8, 10),
    "cpu": Size(2, 96, (2, 2, 2, 2), 32, 100),
    "gpu": Size(64, 224, (3, 4, 6, 3), 64, 1000),
}


class Bottleneck(nn.Module):
    def __init__(self, before: int, width: int, stride: int) -> None:
        super().__init__()
        self.convs = nn.ModuleList(
            [
                nn.Conv2d(before, width, 1, bias=False),
                nn.Conv2d(width, width, 3, stride, 1, bias=False),
                nn.Conv2d(width, 4 * width, 1, bias=False),
            ]
        )
        self.norms = nn.ModuleList([nn.BatchNorm2d(conv.out_channels) for conv in self.convs])
        self.shortcut = nn.Sequential()
        if before != 4 * width or stride != 1:
            self.shortcut = nn.Sequential(
                nn.Conv2d(before, 4 * width, 1, stride, bias=False), nn.BatchNorm2d(4 * width)
            )

    def forward(self, x: Tensor) -> Tensor:
        y = F.relu(self.norms[0](self.convs[0](x)))
        y = F.relu(self.norms[1](self.convs[1](y)))
        return F.relu(self.norms[2](self.convs[2](y)) + self.shortcut(x))


class ResNet(nn.Sequential):
    def __init__(self, size: Size) -> None:
        stem = [
            nn.Conv2d(3, size.width, 7, 2, 3, bias=False),
            nn.BatchNorm2d(size.width),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, 2, 1),
        ]
        blocks, before = [], size.width
        for stage, depth in enumerate(size.depths):
            for i in range(depth):
                stride = 2 if stage and not i else 1
                blocks.append(Bottleneck(before, size.width << stage, stride))
                before = 4 * size.width << stage
        head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(before, size.classes)]
        super().__init__(*stem, *blocks, *head)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return ResNet(size), (torch.randn(size.batch, 3, size.image, size.image),)
