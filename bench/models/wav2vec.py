"""An encoder of sound as wav2vec 2.0 has it: strided convolutions, then transformer blocks."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import Block


class Size(NamedTuple):
    batch: int
    samples: int
    channels: int
    # Kernel and stride of each convolution.
    convs: tuple[tuple[int, int], ...]
    layers: int
    width: int
    heads: int


_CONVS = ((10, 5), (3, 2), (3, 2), (3, 2), (3, 2), (2, 2), (2, 2))
SIZES = {
    "tiny": Size(2, 400, 8, ((10, 5), (3, 2), (2, 2)), 2, 16, 2),
    "cpu": Size(1, 16000, 64, _CONVS, 3, 192, 3),
    "gpu": Size(16, 160000, 512, _CONVS, 12, 768, 12),
}


class Wav2vec(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        befores = [1, *[size.channels] * (len(size.convs) - 1)]
        self.convs = nn.ModuleList(
            [
                nn.Conv1d(before, size.channels, kernel, stride, bias=False)
                for before, (kernel, stride) in zip(befores, size.convs, strict=True)
            ]
        )
        self.first_norm = nn.GroupNorm(size.channels, size.channels)
        self.norm = nn.LayerNorm(size.channels)
        self.project = nn.Linear(size.channels, size.width)
        self.places = nn.Conv1d(size.width, size.width, 15, padding=7, groups=size.heads)
        self.blocks = nn.ModuleList([Block(size.width, size.heads) for _ in range(size.layers)])

    def forward(self, sound: Tensor) -> Tensor:
        x = (sound - sound.mean(-1, keepdim=True)) / (sound.std(-1, keepdim=True) + 1e-5)
        x = x[:, None]
        for i, conv in enumerate(self.convs):
            x = conv(x)
            x = F.gelu(x if i else self.first_norm(x))
        x = self.project(self.norm(x.transpose(1, 2)))
        x = x + F.gelu(self.places(x.transpose(1, 2))).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return x


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Wav2vec(size), (torch.randn(size.batch, size.samples),)
