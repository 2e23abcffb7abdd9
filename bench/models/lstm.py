"""A language model of two LSTM layers, whose steps are written out."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn


class Size(NamedTuple):
    batch: int
    length: int
    layers: int
    width: int
    words: int


SIZES = {
    "tiny": Size(2, 5, 2, 16, 64),
    "cpu": Size(16, 16, 2, 128, 2000),
    "gpu": Size(128, 32, 2, 1024, 32000),
}


class Layer(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inputs = nn.Linear(width, 4 * width)
        self.states = nn.Linear(width, 4 * width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gates = self.inputs(x)
        hidden = cell = gates.new_zeros(x.shape[0], x.shape[2])
        outputs = []
        for own in gates.unbind(1):
            keep, forget, new, out = (own + self.states(hidden)).chunk(4, dim=-1)
            cell = forget.sigmoid() * cell + keep.sigmoid() * new.tanh()
            hidden = out.sigmoid() * cell.tanh()
            outputs.append(hidden)
        return torch.stack(outputs, dim=1)


class Lstm(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.words = nn.Embedding(size.words, size.width)
        self.layers = nn.Sequential(*[Layer(size.width) for _ in range(size.layers)])
        self.head = nn.Linear(size.width, size.words)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.layers(self.words(tokens)))


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return Lstm(size), (torch.randint(size.words, (size.batch, size.length)),)
