"""A graph network: messages along edges, weighed by attention and added up at nodes."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Size(NamedTuple):
    # Graphs: they are parts of one, without edges between them.
    batch: int
    nodes: int
    edges: int
    layers: int
    width: int
    heads: int


SIZES = {
    "tiny": Size(2, 10, 30, 2, 16, 2),
    "cpu": Size(4, 500, 4000, 3, 64, 4),
    "gpu": Size(32, 2000, 32000, 4, 256, 8),
}


class Layer(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.values = nn.Linear(width, width)
        self.edges = nn.Linear(8, width)
        self.source = nn.Parameter(torch.randn(heads, width // heads) * 0.1)
        self.target = nn.Parameter(torch.randn(heads, width // heads) * 0.1)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor, source: Tensor, target: Tensor, features: Tensor) -> Tensor:
        values = self.values(x).unflatten(-1, (self.heads, -1))
        messages = values[source] + self.edges(features).unflatten(-1, (self.heads, -1))
        logits = (messages * self.source).sum(-1) + (values * self.target).sum(-1)[target]
        weights = F.leaky_relu(logits.float(), 0.2).clamp(max=20.0).exp()
        sums = weights.new_zeros(x.shape[0], self.heads).index_add(0, target, weights)
        weighed = messages * (weights / sums[target].clamp(min=1e-9))[..., None].to(x.dtype)
        index = target[:, None, None].expand_as(weighed)
        added = torch.zeros_like(values, dtype=weighed.dtype).scatter_add(0, index, weighed)
        return x + F.elu(self.norm(added.flatten(1).to(x.dtype)))


class GraphNetwork(nn.Module):
    """Returns a number for each graph."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.embed = nn.Linear(16, size.width)
        self.layers = nn.ModuleList([Layer(size.width, size.heads) for _ in range(size.layers)])
        self.head = nn.Linear(size.width, 1)

    def forward(self, x: Tensor, edges: Tensor, features: Tensor, graph: Tensor) -> Tensor:
        x = self.embed(x)
        for layer in self.layers:
            x = layer(x, edges[0], edges[1], features)
        sizes = torch.zeros_like(graph).index_add(0, graph, torch.ones_like(graph))
        means = torch.zeros_like(x).index_add(0, graph, x) / sizes.clamp(min=1)[:, None]
        return self.head(means)


def build(size: Size) -> tuple[nn.Module, tuple[Tensor, ...]]:
    first = torch.arange(size.batch)[:, None] * size.nodes
    edges = torch.randint(size.nodes, (2, size.batch, size.edges)) + first
    nodes = torch.randn(size.batch * size.nodes, 16)
    graph = torch.arange(size.batch).repeat_interleave(size.nodes)
    features = torch.randn(size.batch * size.edges, 8)
    return GraphNetwork(size), (nodes, edges.flatten(1), features, graph)
