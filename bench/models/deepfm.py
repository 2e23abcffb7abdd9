"""A recommender as DeepFM is: a factorization machine and a deep network of the same features."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch
from torch import Tensor, nn


class Size(NamedTuple):
    batch: int
    fields: int
    values: int
    width: int
    hidden: int


SIZES = {
    "tiny": Size(4, 5, 10, 8, 16),
    "cpu": Size(512, 20, 1000, 16, 128),
    "gpu": Size(16384, 39, 30000, 64, 1024),
}


class DeepFm(nn.Module):
    def __init__(self, size: Size) -> None:
        super().__init__()
        self.factors = nn.Embedding(size.fields * size.values, size.width)
        self.weights = nn.Embedding(size.fields * size.values, 1)
        self.register_buffer("first", torch.arange(size.fields) * size.values)
        widths = [size.fields * size.width, size.hidden, size.hidden]
        layers: list[nn.Module] = []
        for before, width in itertools.pairwise(widths):
            layers += [nn.Linear(before, width), nn.BatchNorm1d(width), nn.ReLU()]
        self.deep = nn.Sequential(*layers, nn.Linear(size.hidden, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, values: Tensor) -> Tensor:
        places = values + self.first
        factors = self.factors(places)
        pairs = factors.sum(1).square() - factors.square().sum(1)
        deep = self.deep(factors.flatten(1)).squeeze(1)
        linear = self.weights(places).sum((1, 2))
        return torch.sigmoid(self.bias + linear + 0.5 * pairs.sum(1) + deep)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    return DeepFm(size), (torch.randint(size.values, (size.batch, size.fields)),)
