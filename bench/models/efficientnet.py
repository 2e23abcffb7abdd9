"""An EfficientNet: inverted bottlenecks with depthwise convolutions, SiLU, and channel gates."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Size(NamedTuple):
    batch: int
    image: int
    # Of each stage: blocks, width, stride, kernel, and by how much it widens.
    stages: tuple[tuple[int, int, int, int, int], ...]
    classes: int


_SMALL = ((1, 16, 1, 3, 1), (2, 24, 2, 3, 6), (2, 40, 2, 5, 6), (2, 80, 2, 3, 6))
_LARGE = (*_SMALL[:3], (3, 80, 2, 3, 6), (3, 112, 1, 5, 6), (4, 192, 2, 5, 6), (1, 320, 1, 3, 6))
SIZES = {
    "tiny": Size(2, 32, ((1, 8, 1, 3, 1), (2, 8, 2, 5, 4)), 10),
    "cpu": Size(2, 96, _SMALL, 100),
    "gpu": Size(64, 224, _LARGE, 1000),
}


def convolution(before: int, width: int, kernel: int, stride: int = 1, groups: int = 1) -> list:
    conv = nn.Conv2d(before, width, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(width, eps=1e-3)]


class Gate(nn.Module):
    """Scales each channel by a function of the means of all."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.down = nn.Conv2d(width, hidden, 1)
        self.up = nn.Conv2d(hidden, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        means = x.mean((2, 3), keepdim=True)
        return x * self.up(nn.functional.silu(self.down(means))).sigmoid()


class Block(nn.Module):
    def __init__(self, before: int, width: int, stride: int, kernel: int, widening: int) -> None:
        super().__init__()
        hidden = before * widening
        layers: list[nn.Module] = []
        if widening != 1:
            layers += [*convolution(before, hidden, 1), nn.SiLU(inplace=True)]
        layers += [*convolution(hidden, hidden, kernel, stride, hidden), nn.SiLU(inplace=True)]
        layers += [Gate(hidden, max(1, before // 4)), *convolution(hidden, width, 1)]
        self.layers = nn.Sequential(*layers)
        self.is_residual = stride == 1 and before == width

    def forward(self, x: Tensor) -> Tensor:
        return x + self.layers(x) if self.is_residual else self.layers(x)


class EfficientNet(nn.Sequential):
    def __init__(self, size: Size) -> None:
        before = size.stages[0][1] * 2
        layers = [*convolution(3, before, 3, 2), nn.SiLU(inplace=True)]
        for count, width, stride, kernel, widening in size.stages:
            for i in range(count):
                layers.append(Block(before, width, 1 if i else stride, kernel, widening))
                before = width
        layers += [*convolution(before, 4 * before, 1), nn.SiLU(inplace=True)]
        layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4 * before, size.classes)]
        super().__init__(*layers)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    images = torch.randn(size.batch, 3, size.image, size.image)
    module = EfficientNet(size).to(memory_format=torch.channels_last)
    return module, (images.contiguous(memory_format=torch.channels_last),)
