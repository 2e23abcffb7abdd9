"""An encoder of text as BERT has it: normalized after each half of a block, with a padding mask."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from models.layers import Attention, FeedForward


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    heads: int
    words: int
    dropout: float


SIZES = {
    "tiny": Size(2, 12, 2, 32, 4, 100, 0.0),
    "cpu": Size(4, 128, 4, 256, 4, 8000, 0.1),
    "gpu": Size(32, 512, 12, 768, 12, 30522, 0.1),
}


class Layer(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.attention = Attention(size.width, size.heads)
        self.feed_forward = FeedForward(size.width, 4 * size.width, dropout=size.dropout)
        self.norms = nn.ModuleList([nn.LayerNorm(size.width, eps=1e-12) for _ in range(2)])
        self.dropout = nn.Dropout(size.dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.norms[0](x + self.dropout(self.attention(x, mask=mask)))
        return self.norms[1](x + self.feed_forward(x))


class Bert(nn.Module):
    """Returns the hidden states and a pooled one."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width, padding_idx=0)
        self.places = nn.Embedding(size.length, size.width)
        self.kinds = nn.Embedding(2, size.width)
        self.norm = nn.LayerNorm(size.width, eps=1e-12)
        self.dropout = nn.Dropout(size.dropout)
        self.layers = nn.ModuleList([Layer(size) for _ in range(size.layers)])
        self.pooler = nn.Linear(size.width, size.width)

    def forward(self, tokens: Tensor, kinds: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.words(tokens) + self.places(places) + self.kinds(kinds)
        x = self.dropout(self.norm(x))
        is_visible = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, is_visible)
        return x, torch.tanh(self.pooler(x[:, 0]))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    tokens = torch.randint(1, size.words, (size.batch, size.length))
    mask = torch.arange(size.length) < torch.randint(
        size.length // 2, size.length + 1, (size.batch, 1)
    )
    kinds = (torch.arange(size.length) > size.length // 2).long().expand(size.batch, -1)
    return Bert(size), (tokens * mask, kinds.contiguous(), mask.long())
