"""A GPT: causal blocks, tied embeddings, and the loss of the next token."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.layers import Block


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    heads: int
    words: int
    dropout: float


SIZES = {
    "tiny": Size(2, 16, 2, 32, 4, 64, 0.0),
    "cpu": Size(4, 128, 4, 256, 4, 4000, 0.0),
    "gpu": Size(8, 1024, 12, 768, 12, 50304, 0.0),
}


class Gpt(nn.Module):
    """Returns the logits and, with targets, the loss."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.places = nn.Embedding(size.length, size.width)
        self.dropout = nn.Dropout(size.dropout)
        self.blocks = nn.ModuleList(
            [
                Block(size.width, size.heads, is_causal=True, dropout=size.dropout)
                for _ in range(size.layers)
            ]
        )
        self.norm = nn.LayerNorm(size.width)
        self.head = nn.Linear(size.width, size.words, bias=False)
        nn.init.normal_(self.words.weight, std=0.02)
        self.head.weight = self.words.weight

    def forward(self, tokens: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.dropout(self.words(tokens) + self.places(places))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.norm(x))
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)
        return loss, logits


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    text = torch.randint(size.words, (size.batch, size.length + 1))
    return Gpt(size), (text[:, :-1].contiguous(), text[:, 1:].contiguous())
