"""A Llama: RMSNorm, rotary positions, SwiGLU, and fewer heads of keys than of queries."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import RMSNorm


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    heads: int
    key_heads: int
    hidden: int
    words: int


SIZES = {
    "tiny": Size(2, 12, 2, 32, 4, 2, 48, 64),
    "cpu": Size(2, 128, 4, 256, 8, 2, 688, 4000),
    "gpu": Size(4, 1024, 8, 2048, 32, 8, 5632, 32000),
}


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn pairs of elements by the angles of their positions."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.width = size.width // size.heads
        self.query = nn.Linear(size.width, size.width, bias=False)
        self.key = nn.Linear(size.width, size.key_heads * self.width, bias=False)
        self.value = nn.Linear(size.width, size.key_heads * self.width, bias=False)
        self.out = nn.Linear(size.width, size.width, bias=False)
        self.groups = size.heads // size.key_heads

    def heads(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        projections = self.query(x), self.key(x), self.value(x)
        q, k, v = (y.unflatten(-1, (-1, self.width)).transpose(1, 2) for y in projections)
        return rotate(q, cos, sin), rotate(k, cos, sin), v

    def attend(self, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        k, v = (y.repeat_interleave(self.groups, dim=1) for y in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=mask is None)
        return self.out(y.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.norms = nn.ModuleList([RMSNorm(size.width), RMSNorm(size.width)])
        self.attention = Attention(size)
        self.gate = nn.Linear(size.width, size.hidden, bias=False)
        self.up = nn.Linear(size.width, size.hidden, bias=False)
        self.down = nn.Linear(size.hidden, size.width, bias=False)

    def feed_forward(self, x: Tensor) -> Tensor:
        y = self.norms[1](x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = self.attention.heads(self.norms[0](x), cos, sin)
        return self.feed_forward(x + self.attention.attend(q, k, v, None))


class Llama(nn.Module):
    def __init__(self, size: Size, layer: type[nn.Module] = Layer) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.layers = nn.ModuleList([layer(size) for _ in range(size.layers)])
        self.norm = RMSNorm(size.width)
        self.head = nn.Linear(size.width, size.words, bias=False)
        width = size.width // size.heads
        self.register_buffer("frequencies", 1e4 ** -(torch.arange(0, width, 2) / width))

    def rotation(self, places: Tensor) -> tuple[Tensor, Tensor]:
        angles = (places[:, None] * self.frequencies).repeat(1, 2)
        return angles.cos(), angles.sin()

    def forward(self, tokens: Tensor) -> Tensor:
        cos, sin = self.rotation(torch.arange(tokens.shape[1], device=tokens.device))
        x = self.words(tokens)
        for layer in self.layers:
            x = layer(x, cos, sin)
        return self.head(self.norm(x))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Llama(size), (torch.randint(size.words, (size.batch, size.length)),)
