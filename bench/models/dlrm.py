"""A recommender as DLRM is: sums of embeddings, and products of all pairs of features."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    batch: int
    tables: int
    rows: int
    # How many entries of a table belong to one sample.
    entries: int
    width: int
    hidden: int


SIZES = {
    "tiny": Size(4, 3, 20, 2, 8, 16),
    "cpu": Size(256, 8, 5000, 4, 32, 128),
    "gpu": Size(8192, 26, 100000, 8, 128, 1024),
}


def layers(*widths: int) -> nn.Sequential:
    pairs = itertools.pairwise(widths)
    return nn.Sequential(*[layer for a, b in pairs for layer in (nn.Linear(a, b), nn.ReLU())])


class Dlrm(nn.Module):
    """Returns the loss and the logits of clicks."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.tables = nn.ModuleList(
            [nn.Embedding(size.rows, size.width) for _ in range(size.tables)]
        )
        self.bottom = layers(13, size.hidden, size.width)
        count = size.tables + 1
        self.top = layers(size.width + count * (count - 1) // 2, size.hidden, size.hidden // 2)
        self.head = nn.Linear(size.hidden // 2, 1)
        self.register_buffer("pairs", torch.tril_indices(count, count, -1))

    def forward(self, dense: Tensor, sparse: Tensor, clicks: Tensor) -> tuple[Tensor, Tensor]:
        x = self.bottom(torch.log1p(dense))
        found = [table(sparse[:, i]).sum(1) for i, table in enumerate(self.tables)]
        features = torch.stack([x, *[y.to(x.dtype) for y in found]], dim=1)
        products = torch.bmm(features, features.transpose(1, 2))
        chosen = products[:, self.pairs[0], self.pairs[1]]
        logits = self.head(self.top(torch.cat([x, chosen], dim=1))).squeeze(1)
        return F.binary_cross_entropy_with_logits(logits.float(), clicks), logits


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    dense = torch.rand(size.batch, 13) * 100
    sparse = torch.randint(size.rows, (size.batch, size.tables, size.entries))
    return Dlrm(size), (dense, sparse, torch.randint(2, (size.batch,)).float())
