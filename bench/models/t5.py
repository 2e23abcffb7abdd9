"""A T5: an encoder and a decoder with biases by distance, RMSNorm, and no bias anywhere else."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import Attention, RMSNorm


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    heads: int
    words: int


SIZES = {
    "tiny": Size(2, 10, 2, 32, 4, 64),
    "cpu": Size(4, 96, 2, 256, 4, 4000),
    "gpu": Size(16, 512, 6, 512, 8, 32128),
}


class DistanceBias(nn.Module):
    """A number for each head and each kind of distance, the far ones grouped by logarithm."""

    def __init__(self, heads: int, *, is_causal: bool, kinds: int = 32, far: int = 128) -> None:
        super().__init__()
        self.is_causal, self.kinds, self.far = is_causal, kinds, far
        self.bias = nn.Embedding(kinds, heads)

    def forward(self, length: int, device: torch.device) -> Tensor:
        places = torch.arange(length, device=device)
        distance = places[:, None] - places[None, :]
        kinds = self.kinds if self.is_causal else self.kinds // 2
        start = 0 if self.is_causal else (distance < 0).long() * kinds
        near = kinds // 2
        positive = distance.clamp(min=0) if self.is_causal else distance.abs()
        logs = torch.log(positive.clamp(min=1).float() / near) / math.log(self.far / near)
        large = (near + (logs * (kinds - near)).long()).clamp(max=kinds - 1)
        bias = self.bias(start + torch.where(positive < near, positive, large)).permute(2, 0, 1)
        return bias.masked_fill(distance < 0, -1e9) if self.is_causal else bias


class Layer(nn.Module):
    def __init__(self, size: Size, *, has_memory: bool) -> None:
        super().__init__()
        self.norms = nn.ModuleList([RMSNorm(size.width) for _ in range(2 + has_memory)])
        self.attention = Attention(size.width, size.heads, bias=False)
        self.cross = Attention(size.width, size.heads, bias=False) if has_memory else None
        self.up = nn.Linear(size.width, 4 * size.width, bias=False)
        self.down = nn.Linear(4 * size.width, size.width, bias=False)

    def forward(self, x: Tensor, bias: Tensor, memory: Tensor | None = None) -> Tensor:
        x = x + self.attention(self.norms[0](x), mask=bias)
        if self.cross is not None:
            x = x + self.cross(self.norms[2](x), memory)
        return x + self.down(F.relu(self.up(self.norms[1](x))))


class T5(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.encoder_bias = DistanceBias(size.heads, is_causal=False)
        self.decoder_bias = DistanceBias(size.heads, is_causal=True)
        self.encoder = nn.ModuleList([Layer(size, has_memory=False) for _ in range(size.layers)])
        self.decoder = nn.ModuleList([Layer(size, has_memory=True) for _ in range(size.layers)])
        self.norms = nn.ModuleList([RMSNorm(size.width) for _ in range(2)])

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        memory = self.words(source)
        bias = self.encoder_bias(source.shape[1], source.device)[None]
        for layer in self.encoder:
            memory = layer(memory, bias.to(memory.dtype))
        memory = self.norms[0](memory)
        x = self.words(target)
        bias = self.decoder_bias(target.shape[1], target.device)[None]
        for layer in self.decoder:
            x = layer(x, bias.to(x.dtype), memory)
        return F.linear(self.norms[1](x) * x.shape[-1] ** -0.5, self.words.weight)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    source = torch.randint(size.words, (size.batch, size.length))
    return T5(size), (source, torch.randint(size.words, (size.batch, size.length // 2)))
